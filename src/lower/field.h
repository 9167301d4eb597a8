#ifndef COSY_LOWER_FIELD_H
#define COSY_LOWER_FIELD_H

/* FIELDs: partial differential equations by the method of lines.

   A FIELD becomes one array Variable with all its points, those at the boundary too,
   and each of its coordinates an Axis with the places of the points. An equation of a
   FIELD is written once for the points inside, as loops, and once for each point (or
   edge) that is too near to a boundary for the formula used inside; how many times
   does not depend on the grid.

       field.c           declarations, and what is known of a FIELD before any equation
       field_axis.c      axes: places of the points, weights of integrals
       field_equation.c  equations, conditions at boundaries
       field_value.c     values and derivatives at a point, AT, INTEGRAL
       field_volume.c    derivatives where steps are unequal, and along radii
       field_spectral.c  GRID CHEBYSHEV
       field_flow.c      transport: SCHEME UPWIND and WENO
       field_code.c      INITCOND and assignments
       stencil.c         weights of difference formulas

   Boundaries. A side with a condition on the value (U = Z) has no equation for its
   points: U = Z takes its place, and what an event leaves beside it is set. A side with
   a condition on the slope has a hidden ALGEBR for that, DX(U) there, which the
   condition determines; formulas near the side use it, so the points at the boundary
   obey the equation too. A side whose conditions are of both kinds, in branches of IF
   or CASE, has both, each in its branches. A side without a condition has the equation
   with formulas from inside, which suits equations without second derivatives only. */

#include "lower/lowerer.h"

typedef enum SideNumber {
    SIDE_LEFT,
    SIDE_RIGHT,
    SIDE_BOTTOM,
    SIDE_TOP
} SideNumber;
#define SIDES 4

typedef enum SideKind {
    SIDE_FREE,  // no condition
    SIDE_VALUE, // U = ...
    SIDE_SLOPE, // DX(U) = ...
    SIDE_MIXED  // both, in different branches
} SideKind;

#define FIELD_WEIGHTS 3 // kinds of weights: order 2, 4 and 6

#define FIELD_PIECES 16

/* How the points of a coordinate lie. */
typedef enum FieldGrid {
    GRID_EVEN,
    GRID_PIECES,    // evenly in each of some pieces
    GRID_STRETCHED, // denser at one end or at both
    GRID_SPECTRAL   // Chebyshev's points, with formulas over all of them
} FieldGrid;

typedef struct FieldPiece {
    int64_t first; // point at which it begins
    int64_t intervals;
} FieldPiece;

/* Hidden arrays of an axis, made when they are wanted. Between each two points lies a
   face; the volume of a point lies between its faces. Along a radius r the area of a face
   is r or r^2: what it is for one radian of the circle and for a part of the sphere. */
typedef enum FieldArray {
    AXIS_FACE,           // places of faces
    AXIS_INVERSE_GAP,    // 1 / distance of the points beside a face
    AXIS_AREA,           // of faces
    AXIS_VOLUME,         // of points
    AXIS_INVERSE_VOLUME, // 1 / volume
    AXIS_INVERSE_RADIUS, // 1 / r, at the centre 0
    AXIS_SHARE,          // step before a point over the steps on both sides
    AXIS_DENSITY,      // step / derivative of the place by the index, at points
    AXIS_FACE_DENSITY, // and at faces
    AXIS_BEND,         // x'' / x'^2, by the index, at points
    AXIS_FACE_BEND,    // and at faces
    AXIS_ARRAYS
} FieldArray;

typedef struct FieldAxis {
    const Node *node; // COORDINATE
    const char *name;
    uint32_t number; // Coordinate
    int64_t points, intervals;
    bool periodic;
    FieldGrid grid;
    uint32_t round; // CYLINDRICAL 1, SPHERICAL 2: areas grow with this power
    bool centre;    // it begins where the radius is 0
    double tol;     // GRID AUTO, or 0
    int64_t most;   // the same: MAX points, or 0
    uint32_t pieces;
    FieldPiece piece[FIELD_PIECES];
    uint32_t bend; // Variable: how much it is stretched
    uint32_t array[AXIS_ARRAYS];
    uint32_t matrix[2];             // used by field_spectral.c
    struct FieldFlux *fluxes;       // the same
    uint32_t place;                 // Variable: places of the points
    uint32_t step;                  // Variable: mean distance of neighbours
    uint32_t weight[FIELD_WEIGHTS]; // see field_weights
    struct FieldScale *scales;      // used by field_value.c
} FieldAxis;

typedef struct FieldInfo {
    const Symbol *symbol;
    uint32_t variable;
    uint32_t axes;
    FieldAxis *axis[2];
    uint32_t order; // of accuracy in space
    uint32_t recon; // SCHEME UPWIND and WENO: order of values at faces; else 0
    bool weno;
    bool chosen;      // the SCHEME is not written
    const Node *mean; // INTEGRAL(P) = ..., or NULL
    uint32_t excess;  // hidden ALGEBR in the equations of one that only slopes
                      // determine, or NONE: see field_equation.c
    bool explicit_;   // an equation has U, U' or U'' alone on its left
    const Node *equation; // the one that is for it, or NULL: in branches
    const Node *condition[SIDES]; // SIDE, or NULL
    SideKind kind[SIDES];
    uint32_t slope[SIDES]; // hidden ALGEBR, or NONE
    uint32_t number;       // Field
    uint32_t start;        // used by field_code.c
    int64_t starts;
} FieldInfo;

/* Where an expression of FIELDs is evaluated: at the point with these indices, or
   `shift` half steps beside it. */
typedef struct FieldPoint {
    uint32_t axes;
    FieldAxis *axis[2];
    const Expr *index[2]; // INTEGER
    int64_t fixed[2]; // the index if it is known, else 0: far from both ends
    int64_t shift[2];
    bool
        anywhere; // the index runs over the ends too: no formula is for all of them
} FieldPoint;

/* ---- field.c ---- */

/* FIELD_DECL: the Variable; its symbol means it. */
void lower_field(Lowerer *l, const Node *n);
/* What equations and BOUNDARYs say about FIELDs before any is lowered. */
void lower_fields(Lowerer *l, const Node *segments);
FieldInfo *field_of(Lowerer *l, const Symbol *s);
void field_set_scheme(Lowerer *l, FieldInfo *f, const char *name,
                      int64_t number);
/* The first FIELD whose values at all points an expression is about, or NULL. */
FieldInfo *field_in(Lowerer *l, const Node *n);
/* The axis that a coordinate of a FIELD means, or NULL. */
FieldAxis *field_axis(Lowerer *l, const Symbol *s);
/* DX, DXX, DY, DYY, INTEGRAL: the axis, from 0, and the order of a call; order 0: it
   is none of them. */
bool field_is_integral(const Node *n);
uint32_t field_operator(const Node *n, uint32_t *axis);

/* ---- field_axis.c ---- */

/* The axis of a COORDINATE: FIELDs whose coordinates are written alike share it. NULL
   after a message. */
FieldAxis *field_axis_for(Lowerer *l, const Node *n);
/* The place of a point, from constants alone; i may lie outside the grid if that is
   periodic. */
const Expr *field_place(Lowerer *l, const FieldAxis *a, int64_t i);
/* A hidden array of the axis. */
uint32_t field_array(Lowerer *l, FieldAxis *a, FieldArray which);
/* The Variable, an array with an element for each point, by which an integral along the
   axis weighs values, for formulas of that order; made when it is first wanted. For
   order 2 the weights are the lengths that belong to the points, so a flux form
   conserves this integral to rounding. */
uint32_t field_weights(Lowerer *l, FieldAxis *a, uint32_t order);

/* ---- field_equation.c ---- */

/* An equation that is about a FIELD; false for any other. */
bool lower_field_equation(Lowerer *l, const Node *n);
/* The FIELD that an equation is for: the one on its left, or else one that no equation
   has on its left; NULL: it is for none. */
FieldInfo *field_owner(Lowerer *l, const Node *n);
void lower_boundary(Lowerer *l, const Node *n);
/* Half steps from the point that the formulas of an expression reach. */
int64_t field_reach(Lowerer *l, const FieldInfo *f, const Node *n,
                    uint32_t axis);
/* True if that FIELD is meant with its values at all points. */
bool field_mentions(const Node *n, const Symbol *s);
/* True if a derivative along that axis stands in it. */
bool field_derives(const Node *n, uint32_t axis);

/* Calls `body` at every face along an axis: l->point is the point before it. `margin` of
   them at either end stand alone. */
typedef void (*FieldFace)(Lowerer *l, const FieldPoint *p, void *user);
void field_each_face(Lowerer *l, FieldInfo *f, const Node *n, uint32_t axis,
                     int64_t margin, FieldFace body, void *user);

/* Calls `body` at every point of a FIELD, outside all branches and loops: for hidden
   ALGEBRs. */
void field_each_point_of(Lowerer *l, const FieldInfo *f, const Node *n,
                         FieldFace body, void *user);

/* True if a second derivative along that axis stands in it. */
bool field_second(const Node *n, uint32_t axis);

/* ---- field_value.c ---- */

/* The index of the point, whose shift is a number of whole steps. */
const Expr *field_index(Lowerer *l, const FieldPoint *p, uint32_t k);
/* 1 / h */
const Expr *field_inverse_step(Lowerer *l, FieldAxis *a);
/* The first derivative of an expression along a coordinate of l->point, by the formula of
   SCHEME CENTRAL or from inside. */
const Expr *field_derivative(Lowerer *l, const Node *e, uint32_t k);

/* A FIELD, a coordinate, X' of a FIELD at l->point; NULL for anything else. */
const Expr *lower_field_name(Lowerer *l, const Node *n, Place place);
/* DX and the like, INTEGRAL; NULL for any other function. */
const Expr *lower_field_call(Lowerer *l, const Node *n, Place place);
/* U AT x. */
const Expr *lower_field_at(Lowerer *l, const Node *n, Place place);
/* The formula for DX(U) at a side from values inside. */
const Expr *field_slope_inside(Lowerer *l, const FieldInfo *f, uint32_t side,
                               const FieldPoint *at);

/* ---- field_code.c ---- */

/* INITCOND of a FIELD; an assignment to all its points. */
void lower_field_start(Lowerer *l, const Node *n, Code *code);
void lower_field_assign(Lowerer *l, const Node *n, Code *code, Place place);
/* Loops over all points of a FIELD in procedural code, around `body`; l->point is the
   point. */
typedef void (*FieldBody)(Lowerer *l, Code *code, void *user);
void field_each_point(Lowerer *l, const FieldInfo *f, const Node *n, Code *code,
                      FieldBody body, void *user);

#endif
