#include "cli/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "guard/guard.h"
#include "load/source.h"

static Status connect(Loaded *l, RunCommand *r, Fault *f)
{
    const char *places = r->libraries ? r->libraries : getenv("COSY_LIBRARIES");
    TRY(load_externals(l, places, &r->kernel.external, f));
    r->kernel.newest = load_newest;
    r->kernel.newest_user = l;
    return STATUS_OK;
}

Status code_compile_only(Loaded *l, const RunCommand *r, const char *text,
                         size_t length, uint32_t precision, Fault *f)
{
    static const char trace[] = "#define COSY_TRACE\n";
    Buffer b = {0};
    if (r->kernel.trace) // different code, with its own place in the cache
        buffer_text(&b, trace);
    buffer_bytes(&b, text, length);
    LoadRequest request = {.name = r->model,
                           .text = buffer_string(&b),
                           .length = b.v.used,
                           .precision = precision,
                           .backend = r->backend,
                           .stop = r->stop,
                           .user = r->user,
                           .make = r->untrusted ? guard_compile : NULL};
    Status status = b.broken ? fault_set(f, STATUS_MEMORY, "no memory")
                             : load_compile(l, &request, f);
    buffer_free(&b);
    return status;
}

Status code_compile(Loaded *l, RunCommand *r, const char *text, size_t length,
                    uint32_t precision, Fault *f)
{
    TRY(code_compile_only(l, r, text, length, precision, f));
    return connect(l, r, f);
}

static bool is_c(const char *name)
{
    size_t n = strlen(name);
    return n > 2 && strcmp(name + n - 2, ".c") == 0;
}

Status code_load(Loaded *l, RunCommand *r, Fault *f)
{
    Buffer b = {0};
    *l = (Loaded){0};
    if (!is_c(r->model)) {
        TRY(load_open(l, r->model, f));
        return connect(l, r, f);
    }
    Status status = file_read(r->model, &b, f);
    const char *text = buffer_string(&b);
    if (status == STATUS_OK)
        status = code_compile(l, r, text, b.v.used,
                              source_precision(text, b.v.used), f);
    buffer_free(&b);
    return status;
}
