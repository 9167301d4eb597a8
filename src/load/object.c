#include "load/object.h"

#include <assert.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cosy/model.h"

static const char *const symbols[] = {"cosy_model_double",
                                      "cosy_model_extended", "cosy_model_quad"};

static const uint32_t real_sizes[] = {sizeof(double), sizeof(long double), 16};

/* Head of every CosyModel, whatever its precision. */
typedef struct ModelHead {
    uint32_t version, precision, real_size;
} ModelHead;

const char *object_symbol(uint32_t precision)
{
    return symbols[precision - 1];
}

Status object_check(const void *model, uint32_t precision, const char *path,
                    Fault *f)
{
    const ModelHead *h = model;
    if (h->version != COSY_VERSION)
        return fault_set(f, STATUS_MODEL,
                         "%s: compiled against contract %u, but this is %u: "
                         "compile it again",
                         path, h->version, COSY_VERSION);
    if (h->precision != precision)
        return fault_set(f, STATUS_MODEL,
                         "%s: its symbol is %s, but its precision is %u", path,
                         symbols[precision - 1], h->precision);
    if (h->real_size != real_sizes[precision - 1])
        return fault_set(f, STATUS_MODEL,
                         "%s: its numbers have %u bytes, but here they have "
                         "%u: compile it for this machine",
                         path, h->real_size, real_sizes[precision - 1]);
    return STATUS_OK;
}

/* A file that ends before its last section would kill the process when it is
   mapped. */
static Status whole_file(int fd, const char *path, Fault *f)
{
    Elf64_Ehdr head;
    struct stat s;
    bool elf = pread(fd, &head, sizeof head, 0) == (ssize_t)sizeof head &&
               memcmp(head.e_ident, ELFMAG, SELFMAG) == 0;
    bool whole = elf && fstat(fd, &s) == 0 &&
                 (uint64_t)s.st_size >=
                     head.e_shoff + (uint64_t)head.e_shnum * head.e_shentsize;
    if (!elf)
        return fault_set(f, STATUS_MODEL, "%s is not a compiled model", path);
    if (!whole)
        return fault_set(f, STATUS_MODEL, "%s is incomplete: compile it again",
                         path);
    return STATUS_OK;
}

/* Finds the model, whatever its precision. */
static Status find_model(Object *o, const char *path, Fault *f)
{
    for (uint32_t p = 1; p <= 3; p++) {
        o->model = dlsym(o->handle, symbols[p - 1]);
        if (o->model) {
            o->precision = p;
            return object_check(o->model, p, path, f);
        }
    }
    return fault_set(f, STATUS_MODEL, "%s holds no COSY model", path);
}

/* `name` is what the loader opens, `path` what the message shows. */
static Status load_object(Object *o, const char *name, const char *path,
                          Fault *f)
{
    o->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!o->handle) {
        const char *why = dlerror();
        object_close(o);
        return fault_set(f, STATUS_FILE, "%s cannot be loaded: %s", path,
                         why ? why : "no reason given");
    }
    Status status = find_model(o, path, f);
    if (status != STATUS_OK)
        object_close(o);
    return status;
}

Status object_open(Object *o, const char *path, Fault *f)
{
    char plain[4096];
    *o = (Object){0};
    /* A name without a slash is a file here, not in the library path. */
    snprintf(plain, sizeof plain, "%s%s", strchr(path, '/') ? "" : "./", path);
    int fd = open(plain, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fault_set(f, STATUS_FILE, "%s cannot be read: %s", path,
                         strerror(errno));
    Status status = whole_file(fd, path, f);
    close(fd);
    TRY(status);
    return load_object(o, plain, path, f);
}

/* The loader identifies objects by name, so no two may have that of one
   descriptor: it is closed after its object. Without /proc the name of the file
   is used. */
Status object_take(Object *o, int fd, const char *path, Fault *f)
{
    char name[40];
    assert(fd >= 0);
    *o = (Object){.kept = fd + 1};
    Status status = whole_file(fd, path, f);
    if (status != STATUS_OK) {
        object_close(o);
        return status;
    }
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return load_object(o, access(name, R_OK) == 0 ? name : path, path, f);
}

void object_close(Object *o)
{
    if (o->handle)
        dlclose(o->handle);
    if (o->kept)
        close(o->kept - 1);
    *o = (Object){0};
}
