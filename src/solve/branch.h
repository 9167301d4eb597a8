#ifndef COSY_SOLVE_BRANCH_H
#define COSY_SOLVE_BRANCH_H

/* Where the branches of hidden relations lie, and how conditions of copies are
   counted. A condition or relation of a copy that stands in loops has so many
   elements there; CosyCondition.copy is position * elements + element. In logs
   it is named by a detail that stays the same when positions change
   (COSY_DETAIL). */

#include "cosy/model.h"

/* Elements of a condition in one copy. */
static inline uint32_t condition_elements(const CosyConditionInfo *k)
{
    return k->elements ? k->elements : 1;
}

/* The CONTINUOUS PROCESS that a condition stands in, or COSY_NONE. */
static inline uint32_t condition_process(const CosyConditionInfo *k)
{
    return k->kind == COSY_WAIT ? COSY_NONE : k->process;
}

/* What is written about element `place` of those that all copies have, n each:
   positions become numbers. */
static inline uint64_t copy_detail(const Cosy *c, uint32_t process, uint32_t n,
                                   uint32_t place)
{
    uint32_t number = cosy_copy(c, process, place / n)->number;
    return n > 1 ? COSY_DETAIL(number, place % n) : number;
}

/* Place in c->branch of a relation, for what CosyCondition.copy says. */
static inline uint32_t branch_place(const Cosy *c, uint32_t relation,
                                    uint32_t copy)
{
    const CosyRelation *k = &c->model->relations_info[relation];
    if (k->process == 0)
        return k->first + (copy == COSY_NONE ? 0 : copy);
    uint32_t p = k->process - 1, n = k->count ? k->count : 1;
    return c->copy[p].branch + copy / n * c->model->copies[p].branches +
           k->first + copy % n;
}

#endif
