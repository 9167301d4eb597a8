#include "search/nlopt_door.h"

#include <dlfcn.h>
#include <string.h>

/* The names under which systems have it: the interface is the same in all. */
static void *open_library(void)
{
    static const char *const names[] = {"libnlopt.so.0", "libnlopt.so.1",
                                        "libnlopt.so"};
    void *library = NULL;
    for (size_t k = 0; library == NULL && k < LENGTH(names); k++)
        library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* Types of the door are those of the header: pointers that differ do not compare. */
static inline size_t types_agree(const NloptDoor *door)
{
#define NLOPT_AGREES(result, name, arguments)                                  \
    +sizeof(door->name == nlopt_##name)
    return 0 NLOPT_LIST(NLOPT_AGREES);
#undef NLOPT_AGREES
}

Status nlopt_door(NloptDoor *door, Fault *f)
{
    *door = (NloptDoor){.library = open_library()};
    if (door->library == NULL)
        return fault_set(f, STATUS_UNSUPPORTED,
                         "NLopt, which looks for best values, is not "
                         "installed: Debian has it as libnlopt0");
    (void)types_agree(door);
    /* A function pointer is no object pointer, so that it is copied. */
#define NLOPT_FIND(result, name, arguments)                                    \
    {                                                                          \
        void *found = dlsym(door->library, "nlopt_" #name);                    \
        if (found == NULL)                                                     \
            return fault_set(f, STATUS_UNSUPPORTED,                            \
                             "the NLopt that is installed has no nlopt_%s: "   \
                             "version 2.5 or later is needed",                 \
                             #name);                                           \
        memcpy(&door->name, &found, sizeof found);                             \
    }
    NLOPT_LIST(NLOPT_FIND)
#undef NLOPT_FIND
    return STATUS_OK;
}
