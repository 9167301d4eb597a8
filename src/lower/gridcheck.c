#include "lower/field.h"

/* GRIDCHECK says which FIELDs are judged, in the whole program: the error bar of a run
   is no statement that is carried out. Without one all are; GRIDCHECK OFF takes all
   away, and one with names takes away the others, unless another GRIDCHECK names
   them. */

static void judge_all(Lowerer *l, bool judged)
{
    for (uint32_t k = 0; k < model_fields(l->m); k++)
        model_field(l->m, k)->unjudged = !judged;
}

void lower_gridcheck(Lowerer *l, const Node *n)
{
    bool named = n->first->first != NULL;
    if (!named || !l->grids_named)
        judge_all(l, !named && n->word != WORD_OFF);
    l->grids_named = l->grids_named || named;
    for (const Node *k = n->first->first; k; k = k->next) {
        const FieldInfo *f = k->symbol ? field_of(l, k->symbol) : NULL;
        if (f)
            model_field(l->m, f->number)->unjudged = false;
    }
}
