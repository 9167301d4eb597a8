#ifndef COSY_PICTURE_FAMILIES_H
#define COSY_PICTURE_FAMILIES_H

/* Families of curves: one curve for each element of the lists of a study, or, of
   very many, for some that are evenly spread. Where one parameter varies, colours
   tell its value.

       family_keeps   whether the records of an element are to be kept
       family_lines   without OUTPUT: a family for each STOREd variable
       family_scale   the bar of colours of a graph with many runs
       family_note    how many curves of a family are shown */

#include "picture/graphs.h"

#define family_spreads COSY_NAME(family_spreads)
#define family_keeps   COSY_NAME(family_keeps)
#define family_take    COSY_NAME(family_take)
#define family_lines   COSY_NAME(family_lines)
#define family_scale   COSY_NAME(family_scale)
#define family_note    COSY_NAME(family_note)

enum {
    FAMILY_MOST = 40,     // curves in a graph that nobody has asked for
    FAMILY_NAMED = 7,     // with more curves, colours tell the parameter
    FAMILY_GRAPHS = 5,    // without OUTPUT
    FAMILY_CELLS = 500000 // numbers of a run that are kept for a family
};

/* Whether element k of `all` is among the `most` that are shown, evenly spread
   with the first and the last. */
bool family_spreads(uint32_t k, uint32_t all, uint32_t most);
/* `place` is the element of the lists of the present SIMULATE. */
bool family_keeps(const Gallery *e, uint32_t place);
/* Marks a run that is kept for its family. */
void family_take(const Gallery *e, Shown *s, const RunSetting *setting,
                 uint32_t settings);
/* False: there is no family, and *l is untouched. */
bool family_lines(const Gallery *e, Lines *l);
/* Whether the runs of these lines are told apart by colours: then the axis along
   their bar. */
bool family_scale(const Gallery *e, Arena *a, const CosyShow *line, uint32_t n,
                  PlotAxis *z);
/* "40 of 1000 runs, evenly spread", or NULL. */
const char *family_note(const Gallery *e, Arena *a);

#endif
