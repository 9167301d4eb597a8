#include "run/kernel.h"

#include <strings.h>

#include "solve/method.h"
#include "study/gridcheck.h"
#include "study/replay.h"

static bool find_method(const char *name, KernelMethod *out)
{
    const Method *m = method_find(name);
    *out = (KernelMethod){0};
    if (m) {
        out->needs_step = (m->features & METHOD_FIXED) != 0;
        out->refuses_step = (m->features & METHOD_CLIMBS) != 0;
    }
    return m || strcasecmp(name, "AUTO") == 0;
}

const Kernel COSY_NAME(kernel) = {
    .precision = COSY_PRECISION,
    .name = COSY_PRECISION == 1   ? "DOUBLE"
            : COSY_PRECISION == 2 ? "EXTENDED"
                                  : "QUAD",
    .relerr_least = (double)(R(10.0) * COSY_EPSILON),
    .method = find_method,
    .experiment = gridcheck_go,
    .output = replay_go,
    .owns = experiment_owns,
};
