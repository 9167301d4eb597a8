#ifndef COSY_CLI_REGRID_H
#define COSY_CLI_REGRID_H

/* The program that is run, with other grids for its FIELDs: translated again from the
   tree of the first translation, and compiled as the first was. GRIDCHECK asks for
   half and a quarter of the intervals, GRID AUTO for finer grids.

       regrid_make   as KernelOptions.regrid; what was made once is given again
       regrid_free   when no run needs the code any more */

#include "cli/translate.h"
#include "load/load.h"

typedef struct Regridded Regridded;

typedef struct Regrid {
    RunCommand *r;
    Translation *text;
    bool (*stop)(void *user); // while a compiler is at work
    Arena arena;
    Regridded *made;
} Regrid;

bool regrid_make(void *regrid, int32_t level, KernelCode *code);
void regrid_free(Regrid *g);

#endif
