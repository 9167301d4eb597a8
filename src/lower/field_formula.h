#ifndef COSY_LOWER_FIELD_FORMULA_H
#define COSY_LOWER_FIELD_FORMULA_H

/* Formulas for what stands at a point or between two: shared by the files that have
   formulas for grids of different kinds.

       field_value.c     by the index: grids with equal steps
       field_volume.c    grids with other steps, and radii
       field_spectral.c  Chebyshev's points */

#include "lower/field.h"

typedef struct Formula {
    const Node *n;       // what is to be differentiated
    const FieldInfo *f;  // the FIELD, if it is nothing else; or NULL
    const FieldInfo *of; // one that it is about
    uint32_t k;          // coordinate of the point
    uint32_t d;          // order of the derivative; 0: the value between points
    bool flux;       // n has a derivative itself: it is taken between points
    uint32_t radial; // n is multiplied by this power of the coordinate
} Formula;

/* The derivative by the coordinate, on a grid of any kind. */
const Expr *formula_value(Lowerer *l, const Formula *x, const FieldPoint *p);
/* The derivative by the index, in units of the mean step. */
const Expr *formula_by_index(Lowerer *l, const Formula *x, const FieldPoint *p);
/* What is to be differentiated, r half steps beside the point. */
const Expr *formula_node(Lowerer *l, const Formula *x, const FieldPoint *p,
                         int64_t r);
/* The known slope of the FIELD at the point, if that is an end of the coordinate; or
   NULL. */
const Expr *formula_slope(Lowerer *l, const Formula *x, const FieldPoint *p);
/* The end that the point is, 0 or 1; NONE. */
uint32_t formula_end(const FieldPoint *p, uint32_t k);
/* Whether the slope of a FIELD at that end is known: by a condition, or by symmetry. */
bool formula_sloped(const FieldInfo *f, const FieldAxis *a, uint32_t end);

/* ---- field_volume.c ---- */

/* What a value at a face is: along a radius this makes a difference. */
typedef enum FaceKind {
    FACE_SLOPE,  // the difference is a derivative
    FACE_FLUX,   // its area counts
    FACE_WEIGHED // its area has been counted
} FaceKind;

/* The difference of two values at the faces after and before the point, over what lies
   between: its volume, for formulas of order 2, or the step there. */
const Expr *volume_difference(Lowerer *l, const FieldPoint *p, uint32_t k,
                              FaceKind kind, bool volumes, const Expr *after,
                              const Expr *before);

/* ---- field_spectral.c ---- */

const Expr *spectral_value(Lowerer *l, const Formula *x, const FieldPoint *p);
/* Clenshaw's and Curtis' weights. */
uint32_t spectral_weights(Lowerer *l, FieldAxis *a);
/* The weights with which the values at all points make that at a place: an array. */
uint32_t spectral_between(Lowerer *l, FieldAxis *a, const Node *n,
                          const Expr *place);

#endif
