#ifndef COSY_SOLVE_METHODS_H
#define COSY_SOLVE_METHODS_H

/* The methods of base/methods.def, for the table in solver.c; everyone else asks
   method_find. Those that have DOUBLE only are not there in other precisions. */

#include "solve/method.h"

#define method_euler   COSY_NAME(method_euler)
#define method_rk4     COSY_NAME(method_rk4)
#define method_rks     COSY_NAME(method_rks)
#define method_rke     COSY_NAME(method_rke)
#define method_rkf45   COSY_NAME(method_rkf45)
#define method_rkf78   COSY_NAME(method_rkf78)
#define method_dopri5  COSY_NAME(method_dopri5)
#define method_dop853  COSY_NAME(method_dop853)
#define method_radau5  COSY_NAME(method_radau5)
#define method_radau9  COSY_NAME(method_radau9)
#define method_radau13 COSY_NAME(method_radau13)
#define method_radau   COSY_NAME(method_radau)
#define method_dirk    COSY_NAME(method_dirk)
#define method_trapez  COSY_NAME(method_trapez)
#define method_gear    COSY_NAME(method_gear)
#define method_ida     COSY_NAME(method_ida)
#define method_adams   COSY_NAME(method_adams)

#define METHOD(name, table, kind, step, reach, precisions, what)               \
    extern const Method method_##table;
#include "base/methods.def"
#undef METHOD

#endif
