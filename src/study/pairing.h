#ifndef COSY_STUDY_PAIRING_H
#define COSY_STUDY_PAIRING_H

/* Two runs of one program whose fields lie on different grids, matched so that
   their numbers can be compared: events in their order, as --verify matches them
   (agree.h); rows at communication points by their times, rows at an event by the
   event; points of fields by their coordinates (stats/mesh.h).

   A communication point that lies before an event in one run and after it in the
   other has no partner, nor has anything from where the events part.

       pairing_open     matches
       pairing_norms    compares a field in a row, or at the end
       pairing_free

   Digests must have rows, points and fields. */

#include "stats/mesh.h"
#include "study/agree.h"

#define PairSide        COSY_NAME(PairSide)
#define Pairing         COSY_NAME(Pairing)
#define pairing_open    COSY_NAME(pairing_open)
#define pairing_row     COSY_NAME(pairing_row)
#define pairing_time    COSY_NAME(pairing_time)
#define pairing_norms   COSY_NAME(pairing_norms)
#define pairing_field   COSY_NAME(pairing_field)
#define pairing_rows    COSY_NAME(pairing_rows)
#define pairing_ratio   COSY_NAME(pairing_ratio)
#define pairing_settled COSY_NAME(pairing_settled)
#define pairing_free    COSY_NAME(pairing_free)

/* In place of the number of a row: the end of the run. */
#define PAIRING_END (UINT32_MAX - 1)

typedef struct PairSide {
    const CosyModel *model;
    const Digest *digest;
} PairSide;

typedef struct Pairing {
    PairSide a, b;
    Verdict events; // whether they part, and where
    Vector times;   // Exact, per event of a: its time in b
    Vector row;     // uint32_t, per row of a: its row in b, or COSY_NONE
    Vector mesh;    // Mesh, per field
} Pairing;

/* False: no memory. */
bool pairing_open(Pairing *p, PairSide a, PairSide b);
/* The row of b that is row `row` of a; COSY_NONE: there is none. */
uint32_t pairing_row(const Pairing *p, uint32_t row);
/* The time in b of an event of a; NaN: it has none. */
real pairing_time(const Pairing *p, uint32_t event);
/* Of a field in a row of a, or at PAIRING_END; NaN where there is no partner.
   The Mesh of the field has the differences. */
MeshNorms pairing_norms(Pairing *p, uint32_t field, uint32_t row);
/* Values of a field in a row; NULL: they are not there. */
const real *pairing_field(const PairSide *s, uint32_t field, uint32_t row);
uint32_t pairing_rows(const PairSide *s);
/* Intervals of a by those of b, for the axes of a field: the least of them. */
real pairing_ratio(const PairSide *a, const PairSide *b, uint32_t field);
/* Whether the ends of both runs can be compared. */
bool pairing_settled(const Pairing *p);
void pairing_free(Pairing *p);

#endif
