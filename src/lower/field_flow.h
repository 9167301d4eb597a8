#ifndef COSY_LOWER_FIELD_FLOW_H
#define COSY_LOWER_FIELD_FLOW_H

/* Transport: first derivatives under SCHEME UPWIND and WENO.

   Between each two points of the grid there is a face. What is differentiated, DX(e), is
   reconstructed there from the points on the left, L(e), and from those on the right,
   R(e); DX(e) is the difference of (L(e) + R(e))/2 over the two faces of a point. So far
   this is central. The equation of a FIELD U gets the difference of a (R(U) - L(U))/2 as
   well, where a is the largest speed with which anything travels at the face: it is found
   from the equation itself, as the spectral radius of the matrix of the derivatives of
   what stands in front of U', by the FIELDs that are differentiated, over all equations
   that are coupled in this way. For one equation U' = -c*DX(U) that is upwinding; in
   general it is the flux splitting of Lax and Friedrichs with a local speed (Shu and
   Osher 1989), with the reconstruction of order 1, 3 or 5, or that of WENO-Z (Borges,
   Carmona, Costa, Don 2008).

   Values at faces are hidden ALGEBRs, so neighbours use the same number and what leaves
   one point arrives at the other. */

#include "lower/field.h"

/* Before the equation is written for its points: the values at faces that it needs. False
   after a message. */
bool flow_prepare(Lowerer *l, FieldInfo *f, const Node *n);
/* Something that is only carried along has to be given where it flows in. */
void flow_check_sides(Lowerer *l, FieldInfo *f, const Node *n);
/* The equation at l->point. Returns its number. */
uint32_t flow_equation(Lowerer *l, FieldInfo *f, const Node *n);
/* A first derivative in an equation of transport, while that is being read: NULL, or what
   stands for it. */
const Expr *flow_mark(Lowerer *l, const Node *e, const FieldInfo *of,
                      uint32_t k);

#endif
