#include "load/tiny.h"

/* For a COSY built without libtcc. */

bool tiny_present(void)
{
    return false;
}

Status tiny_compile(TinyCode *code, const Source *s, const char *name,
                    const void **symbol, Fault *f)
{
    (void)s;
    (void)name;
    *code = (TinyCode){0};
    *symbol = NULL;
    return fault_set(f, STATUS_UNSUPPORTED,
                     "this cosy was built without tcc: a C compiler such as "
                     "gcc is needed");
}

void tiny_free(TinyCode *code)
{
    (void)code;
}
