#include "load/external.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cosy/model.h"
#include "load/load.h"

/* ---- Libraries -------------------------------------------------------------- */

/* As written; with what is usual before and behind it, here and where the
   system keeps its libraries. */
static const struct {
    const char *before, *behind;
} forms[] = {{"", ""},         {"", ".so"},    {"./", ""},
             {"./lib", ".so"}, {"lib", ".so"}, {"./", ".so"}};

static void *open_library(const char *library)
{
    void *handle = NULL;
    for (size_t k = 0; k < LENGTH(forms) && !handle; k++) {
        char name[4096];
        snprintf(name, sizeof name, "%s%.3000s%s", forms[k].before, library,
                 forms[k].behind);
        handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    return handle;
}

void external_close(Vector *libraries)
{
    void **handle = (void **)(void *)libraries->bytes;
    for (size_t k = 0; k < libraries->used / sizeof *handle; k++)
        dlclose(handle[k]);
    vector_free(libraries);
}

/* ---- Functions --------------------------------------------------------------- */

/* Names are the same in capitals and in small letters; C's are not. */
static void *find_function(void *handle, const char *name)
{
    char small[256], capital[256];
    size_t n = strlen(name);
    if (n >= sizeof small)
        return NULL;
    for (size_t k = 0; k <= n; k++) {
        small[k] = (char)tolower((unsigned char)name[k]);
        capital[k] = (char)toupper((unsigned char)name[k]);
    }
    void *address = dlsym(handle, name);
    if (!address)
        address = dlsym(handle, small);
    return address ? address : dlsym(handle, capital);
}

Status load_external(Loaded *l, const char *name, const char *library,
                     LoadFunction *function, Fault *f)
{
    /* An empty name would be this program. */
    if (!library[0] || strchr(library, '/'))
        return fault_set(f, STATUS_MODEL,
                         "EXTERNAL %.60s: a library is named without its path, "
                         "not by \"%.200s\"",
                         name, library);
    void *handle = open_library(library);
    if (!handle) {
        const char *why = dlerror();
        return fault_set(f, STATUS_FILE,
                         "EXTERNAL %.60s: the library \"%.100s\" cannot be "
                         "loaded (%.200s): cc -shared -fPIC makes one",
                         name, library, why ? why : "no reason given");
    }
    void *address = find_function(handle, name);
    if (!address) {
        dlclose(handle);
        return fault_set(f, STATUS_MODEL,
                         "EXTERNAL %.60s: the library \"%.100s\" has no "
                         "function of that name, in small or in capital "
                         "letters",
                         name, library);
    }
    memcpy(function, &address, sizeof *function);
    if (vector_append(&l->libraries, &handle, sizeof handle))
        return STATUS_OK;
    dlclose(handle);
    return STATUS_MEMORY;
}

Status load_externals(Loaded *l, const LoadFunction **table, Fault *f)
{
    const CosyModel *m = l->model; // what is read here is in all precisions
    *table = NULL;
    if (m->n_externals == 0)
        return STATUS_OK;
    LoadFunction *all = NEW_ARRAY(&l->arena, LoadFunction, m->n_externals);
    if (!all)
        return STATUS_MEMORY;
    for (uint32_t k = 0; k < m->n_externals; k++)
        TRY(load_external(l, m->externals[k].name, m->externals[k].library,
                          &all[k], f));
    *table = all;
    return STATUS_OK;
}
