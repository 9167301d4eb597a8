#ifndef COSY_SOLVE_METHODS_H
#define COSY_SOLVE_METHODS_H

/* All methods, for the table in solver.c; everyone else calls method_find. */

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

extern const Method method_euler, method_rk4, method_rks, method_rke;
extern const Method method_rkf45, method_rkf78, method_dopri5, method_dop853;
extern const Method method_radau5, method_radau9, method_radau13, method_radau;
extern const Method method_dirk, method_trapez;
extern const Method method_gear, method_adams, method_ida; // DOUBLE only

#endif
