#include "solve/libraries.h"

#include <assert.h>
#include <stdio.h>

#include <suitesparse/SuiteSparse_config.h>
#include <sundials/sundials_version.h>

#include "solve/lapack.h"

const char *libraries_name(unsigned which)
{
    static const char *const names[LIBRARIES] = {"sundials", "suitesparse",
                                                 "lapack"};
    assert(which < LIBRARIES);
    return names[which];
}

void libraries_version(unsigned which, char *text, size_t size)
{
    int v[3] = {0, 0, 0};
    assert(which < LIBRARIES);
    if (which == 0) {
        char label[20] = "";
        SUNDIALSGetVersionNumber(&v[0], &v[1], &v[2], label, sizeof label);
    } else if (which == 1) {
        SuiteSparse_version(v);
    } else {
        lapack_version(v);
    }
    snprintf(text, size, "%d.%d.%d", v[0], v[1], v[2]);
}
