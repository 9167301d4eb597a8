#include "load/external.h"

#include <assert.h>
#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cosy/model.h"
#include "load/cache.h"
#include "load/load.h"

/* ---- Libraries -------------------------------------------------------------- */

/* The usual prefixes and suffixes of a name. */
static const struct {
    const char *before, *after;
} forms[] = {{"lib", ".so"}, {"", ".so"}, {"", ""}};

/* The file of a library in a folder of n characters; false: there is none. */
static bool find_in(const char *folder, size_t n, const char *library,
                    char path[PATH_LENGTH])
{
    for (size_t k = 0; k < LENGTH(forms); k++) {
        struct stat s;
        int length = snprintf(path, PATH_LENGTH, "%.*s/%s%s%s", (int)n, folder,
                              forms[k].before, library, forms[k].after);
        if (length < PATH_LENGTH && stat(path, &s) == 0 && S_ISREG(s.st_mode))
            return true;
    }
    return false;
}

/* Searches the folders in order. An empty entry between two colons is
   ignored. */
static bool find_library(const char *places, const char *library,
                         char path[PATH_LENGTH])
{
    for (const char *at = places ? places : ""; *at;) {
        size_t n = strcspn(at, ":");
        if (n > 0 && find_in(at, n, library, path))
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

static bool is_path(const char *library)
{
    /* An empty name would mean this program; a dot is a folder. */
    return !library[0] || strchr(library, '/') || strcmp(library, ".") == 0 ||
           strcmp(library, "..") == 0;
}

static Status not_found(const char *name, const char *library,
                        const char *places, Fault *f)
{
    if (!places || !places[0])
        return fault_set(
            f, STATUS_FILE,
            "EXTERNAL %.60s: the library \"%.100s\" cannot be found, because "
            "no folder is declared: use --libraries DIR, or COSY_LIBRARIES in "
            "the environment",
            name, library);
    return fault_set(f, STATUS_FILE,
                     "EXTERNAL %.60s: the library \"%.100s\" is not in %.400s: "
                     "there is neither lib%.100s.so nor %.100s.so (cc -shared "
                     "-fPIC makes one; --libraries and COSY_LIBRARIES declare "
                     "folders)",
                     name, library, places, library, library);
}

/* Keeps a handle and the file it belongs to. */
static Status keep_library(Loaded *l, void *handle, const char *library,
                           const char *path)
{
    LoadLibrary found = {.handle = handle};
    char *texts =
        NEW_ARRAY(&l->arena, char, strlen(library) + strlen(path) + 2);
    if (texts) {
        strcpy(texts, library);
        found.name = texts;
        found.path = strcpy(texts + strlen(library) + 1, path);
        if (vector_append(&l->libraries, &found, sizeof found))
            return STATUS_OK;
    }
    dlclose(handle);
    return STATUS_MEMORY;
}

void external_close(Vector *libraries)
{
    const LoadLibrary *l = (const LoadLibrary *)(void *)libraries->bytes;
    for (size_t k = 0; k < libraries->used / sizeof *l; k++)
        dlclose(l[k].handle);
    vector_free(libraries);
}

/* ---- Functions --------------------------------------------------------------- */

/* The case of names does not matter, but in C it does. */
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

bool load_has_library(const char *library, const char *places)
{
    char path[PATH_LENGTH];
    return !is_path(library) && find_library(places, library, path);
}

Status load_external(Loaded *l, const char *name, const char *library,
                     const char *places, LoadFunction *function, Fault *f)
{
    char path[PATH_LENGTH];
    if (is_path(library))
        return fault_set(f, STATUS_MODEL,
                         "EXTERNAL %.60s: a library must be named without its "
                         "path, not as \"%.200s\"",
                         name, library);
    if (!find_library(places, library, path))
        return not_found(name, library, places, f);
    assert(strchr(path, '/'));
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *why = dlerror();
        return fault_set(f, STATUS_FILE,
                         "EXTERNAL %.60s: the library \"%.100s\" cannot be "
                         "loaded (%.300s)",
                         name, library, why ? why : "no reason given");
    }
    void *address = find_function(handle, name);
    if (!address) {
        dlclose(handle);
        return fault_set(f, STATUS_MODEL,
                         "EXTERNAL %.60s: the library \"%.100s\" has no "
                         "function of that name, in lower or in upper case",
                         name, library);
    }
    memcpy(function, &address, sizeof *function);
    return keep_library(l, handle, library, path);
}

Status load_externals(Loaded *l, const char *places, const LoadFunction **table,
                      Fault *f)
{
    const CosyModel *m = l->model; // what is read here is the same in all
                                   // precisions
    *table = NULL;
    if (m->n_externals == 0)
        return STATUS_OK;
    LoadFunction *all = NEW_ARRAY(&l->arena, LoadFunction, m->n_externals);
    if (!all)
        return STATUS_MEMORY;
    for (uint32_t k = 0; k < m->n_externals; k++)
        TRY(load_external(l, m->externals[k].name, m->externals[k].library,
                          places, &all[k], f));
    *table = all;
    return STATUS_OK;
}

uint32_t load_libraries(const Loaded *l, const LoadLibrary **list)
{
    *list = (const LoadLibrary *)(const void *)l->libraries.bytes;
    return (uint32_t)(l->libraries.used / sizeof **list);
}
