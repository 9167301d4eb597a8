#include "plan/plan.h"

/* What each WAIT UNTIL depends on, so that its transactions are asked only when
   that has changed (cosy/until.h).

   Variables and resources are marked by the statements that change them. A
   condition that reads anything else (TIME, what is continuous, files, copies,
   functions) is asked after every event. If it reads an array by an index of the
   transaction's own, which stays what it is while it waits, there is a list for
   each element. */

typedef struct Reads {
    Plan *p;
    WaitPlan *w;
    bool own; // something that belongs to the transaction, besides the index
} Reads;

/* ---- The index --------------------------------------------------------------- */

/* A whole number that only the transaction itself can change. */
static bool is_fixed(const Model *m, const Expr *x, bool *own)
{
    switch (x->op) {
    case EXPR_INTEGER: return true;
    case EXPR_VARIABLE:
        *own = true;
        return model_variable(m, x->which)->kind == VARIABLE_OWN &&
               x->count == 0;
    case EXPR_SYSTEM: *own = true; return x->which == SYSTEM_TRANSNBR;
    case EXPR_NEG:
    case EXPR_ADD:
    case EXPR_SUB:
        for (uint32_t k = 0; k < x->count; k++)
            if (!is_fixed(m, x->arg[k], own))
                return false;
        return true;
    default: return false;
    }
}

static bool is_shared(const Variable *v)
{
    return v->kind == VARIABLE_DISCRETE || v->kind == VARIABLE_DSTATE;
}

/* The index by which this leaf may divide the transactions, or NULL; the number
   of its first element, and how many there are. */
static const Expr *index_of(const Model *m, const Expr *x, int64_t *low,
                            uint64_t *elements)
{
    const Expr *index = NULL;
    bool own = false;
    if (x->op == EXPR_RESOURCE) {
        index = x->arg[1];
        *low = 0;
        *elements = model_resource(m, x->which)->elements;
    } else if (x->op == EXPR_VARIABLE && x->count == 1 &&
               is_shared(model_variable(m, x->which))) {
        index = x->arg[0];
        *low = model_variable(m, x->which)->low[0];
        *elements = model_variable(m, x->which)->elements;
    }
    return index && is_fixed(m, index, &own) && own ? index : NULL;
}

#define ELEMENTS_MOST (1u << 20) // lists of one statement

/* Takes the first index that there is. */
static void find_index(void *user, const Expr *x)
{
    const Reads *r = user;
    WaitPlan *w = r->w;
    int64_t low;
    uint64_t elements;
    const Expr *index = w->index ? NULL : index_of(r->p->m, x, &low, &elements);
    if (!index || elements > ELEMENTS_MOST)
        return;
    w->index = index;
    w->low = low;
    w->elements = (uint32_t)elements;
}

/* ---- What it reads -------------------------------------------------------------- */

static void add_read(const Reads *r, const Expr *x, bool resource, bool divided)
{
    WaitPlan *w = r->w;
    for (uint32_t k = 0; k < w->reads; k++)
        if (w->read[k].which == x->which && w->read[k].resource == resource) {
            w->read[k].divided = w->read[k].divided && divided;
            return;
        }
    if (!vector_append(&w->room, &(WaitRead){x->which, resource, divided},
                       sizeof(WaitRead))) {
        r->p->broken = true;
        return;
    }
    w->read = (WaitRead *)(void *)w->room.bytes;
    w->reads++;
}

static void read_variable(Reads *r, const Expr *x, bool divided)
{
    const Variable *v = model_variable(r->p->m, x->which);
    switch (v->kind) {
    case VARIABLE_CONST: break;
    case VARIABLE_OWN: r->own = true; break;
    case VARIABLE_DISCRETE:
    case VARIABLE_DSTATE:
        if (v->pool || v->input || r->p->storage.aliased[x->which])
            r->w->always = true;
        else
            add_read(r, x, false, divided);
        break;
    case VARIABLE_STATE:
    case VARIABLE_ALGEBR:
    case VARIABLE_LOGIC:
    case VARIABLE_MEMORY: r->w->always = true; break;
    default: r->own = r->w->always = true; break;
    }
}

static void read_system(Reads *r, const Expr *x)
{
    switch ((SystemValue)x->which) {
    case SYSTEM_PI:
    case SYSTEM_INF:
    case SYSTEM_TBEG:
    case SYSTEM_TFIN:
    case SYSTEM_RUN: break;
    case SYSTEM_TIME:
    case SYSTEM_DTFUL: r->w->always = true; break;
    default: r->own = true; break;
    }
}

static void read_leaf(Reads *r, const Expr *x, bool divided)
{
    switch (x->op) {
    case EXPR_VARIABLE: read_variable(r, x, divided); break;
    case EXPR_SYSTEM: read_system(r, x); break;
    case EXPR_ATTRIBUTE: r->own = r->w->attributes = true; break;
    case EXPR_RESOURCE: add_read(r, x, true, divided); break;
    case EXPR_NUMBER:
    case EXPR_INTEGER:
    case EXPR_TRUTH:
    case EXPR_STRING:
    case EXPR_LOOP: break;
    case EXPR_RATE:
    case EXPR_QUEUE:
    case EXPR_ENTRY:
    case EXPR_EXISTS:
    case EXPR_COPIES:
    case EXPR_FOUND:
    case EXPR_SIDE:
    case EXPR_SEGMENT:
    case EXPR_DELAYED:
    case EXPR_DELAYED_RATE:
    case EXPR_HELD: r->w->always = true; break;
    case EXPR_CALL:
    case EXPR_EXTERNAL: r->own = r->w->always = true; break;
    default:
        if (x->count == 0 || x->op == EXPR_ENTRY_AT || x->op == EXPR_PLACE)
            r->own = r->w->always = true;
    }
}

static void read_expression(Reads *r, const Expr *x)
{
    int64_t low;
    uint64_t elements;
    const Expr *index = r->w->index;
    bool divided = index && index_of(r->p->m, x, &low, &elements) == index &&
                   low == r->w->low && elements == r->w->elements;
    read_leaf(r, x, divided);
    for (uint32_t k = 0; !divided && k < x->count; k++)
        read_expression(r, x->arg[k]);
}

/* ---- All statements --------------------------------------------------------------- */

static void plan_wait(Plan *p, uint32_t k, uint32_t *lists)
{
    WaitPlan *w = &p->wait[k];
    Reads r = {.p = p, .w = w};
    const Expr *holds = model_wait(p->m, k)->holds;
    p->marks++;
    plan_each_node(p, holds, find_index, &r);
    read_expression(&r, holds);
    if (p->facts.has_c || w->always) { // one list is enough
        w->always = true;
        r.own = r.own || w->index;
        w->index = NULL;
    }
    w->alike = !r.own;
    w->first = *lists;
    w->lists = w->index ? w->elements + 1 : 1;
    *lists += w->lists;
}

void plan_waits(Plan *p)
{
    p->wait = PLAN_ARRAY(p, WaitPlan, model_waits(p->m));
    for (uint32_t k = 0; !p->broken && k < model_waits(p->m); k++)
        plan_wait(p, k, &p->until_lists);
}
