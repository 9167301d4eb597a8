#include "run/kernel.h"

#include <stddef.h>

const Kernel *kernel_find(uint32_t precision)
{
    static const Kernel *const kernels[] = {&kernel_double, &kernel_extended,
                                            &kernel_quad};
    return precision >= 1 && precision <= 3 ? kernels[precision - 1] : NULL;
}
