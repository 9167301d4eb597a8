#ifndef COSY_STUDY_SAMPLING_H
#define COSY_STUDY_SAMPLING_H

/* UNCERTAIN of an EXPERIMENT: its points become elements of the lists, one list for
   each parameter that --set leaves, which advance together. A point is a function of
   the statement, --seed and its number, so it is the same in every process that
   carries out the same experiment.

       sampling_set      the statement (a service of the host)
       sampling_value    what a distribution has at the share u
       sampling_check    whether a SIMULATE can be carried out with what is set
       sampling_clear    a frame ends

   An UNCERTAIN takes the place of one before it in the same frame. */

#include "search/indices.h"
#include "study/lists.h"

#define Experiment     COSY_NAME(Experiment)
#define Sampling       COSY_NAME(Sampling)
#define sampling_set   COSY_NAME(sampling_set)
#define sampling_value COSY_NAME(sampling_value)
#define sampling_check COSY_NAME(sampling_check)
#define sampling_clear COSY_NAME(sampling_clear)
#define sampling_free  COSY_NAME(sampling_free)

typedef struct Experiment Experiment;

typedef struct Sampling {
    bool on;
    uint32_t line;
    CosySampling kind;
    bool indices;
    uint32_t parameters; // those that --set leaves
    IndexDesign design;  // without indices only its rows, kind and seed count
    Vector items;        // CosyUncertain, of these
    Vector fixed;        // names of the others, each with its NUL
} Sampling;

CosyStatus sampling_set(Cosy *c, const CosySample *s);
double sampling_value(const CosyUncertain *item, double u);
Status sampling_check(Experiment *e, const CosySimulate *s);
void sampling_clear(Experiment *e);
void sampling_free(Sampling *s);

static inline const CosyUncertain *sampling_items(const Sampling *s)
{
    return (const CosyUncertain *)(const void *)s->items.bytes;
}

#endif
