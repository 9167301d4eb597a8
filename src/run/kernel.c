#include "run/kernel.h"

#include "run/experiment.h"

const Kernel COSY_NAME(kernel) = {
    .precision = COSY_PRECISION,
    .name = COSY_PRECISION == 1   ? "DOUBLE"
            : COSY_PRECISION == 2 ? "EXTENDED"
                                  : "QUAD",
    .experiment = experiment_go,
    .owns = experiment_owns,
};
