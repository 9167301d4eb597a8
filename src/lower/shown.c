#include "lower/lowerer.h"

/* What a COMMUNIC block computes from the present point alone is updated in
   every row, even in those at events, where the block itself is not carried
   out. Such a block assigns the same variables on every path through it, reads
   none of them before, and does nothing else except print. m->shown has a copy
   of it without the printing. */

typedef struct Shown {
    Lowerer *l;
    uint32_t n;              // number of variables
    unsigned char *touched;  // assigned anywhere in the block
    unsigned char *assigned; // on every path to the present statement
    bool fits;
} Shown;

static unsigned char *new_set(Shown *s, const unsigned char *from)
{
    unsigned char *set = MODEL_ARRAY(s->l->m, unsigned char, s->n + 1);
    for (uint32_t k = 0; set && k < s->n; k++)
        set[k] = from ? from[k] : 0;
    s->fits = s->fits && set;
    return set;
}

static void touch(Shown *s, const Code *code)
{
    for (const Statement *k = code->first; k; k = k->next) {
        if (k->kind == STATEMENT_ASSIGN && k->target->op == EXPR_VARIABLE)
            s->touched[k->target->which] = 1;
        if (k->kind == STATEMENT_FOR)
            s->touched[k->which] = 1;
        touch(s, &k->body);
        touch(s, &k->other);
        for (uint32_t i = 0; k->arm && i < k->n; i++)
            touch(s, &k->arm[i].code);
    }
}

static bool find_early(void *user, const Expr *e)
{
    Shown *s = user;
    if (e->op == EXPR_VARIABLE && s->touched[e->which] &&
        !s->assigned[e->which])
        s->fits = false;
    return s->fits;
}

static void read(Shown *s, const Expr *e)
{
    if (!e || !s->fits)
        return;
    s->fits = !(e->reads & READS_CALL);
    expr_visit(s->l->m, e, find_early, s);
}

static void follow(Shown *s, const Code *code);

/* One of several paths; `common` keeps only what is assigned on it too. */
static void follow_way(Shown *s, const Code *code, const unsigned char *before,
                       unsigned char *common)
{
    s->assigned = new_set(s, before);
    if (!s->fits)
        return;
    follow(s, code);
    for (uint32_t k = 0; k < s->n; k++)
        common[k] &= s->assigned[k];
}

static void follow_ways(Shown *s, const Statement *k)
{
    unsigned char *before = s->assigned, *common = new_set(s, before);
    if (!s->fits)
        return;
    for (uint32_t i = 0; i < s->n; i++)
        common[i] = 1;
    if (k->kind == STATEMENT_IF) {
        follow_way(s, &k->body, before, common);
        follow_way(s, &k->other, before, common);
    }
    for (uint32_t i = 0; s->fits && k->arm && i < k->n; i++)
        follow_way(s, &k->arm[i].code, before, common);
    s->assigned = common;
}

static void follow_assignment(Shown *s, const Statement *k)
{
    read(s, k->a);
    s->fits = s->fits && k->target->op == EXPR_VARIABLE;
    for (uint32_t i = 0; s->fits && i < k->target->count; i++)
        read(s, k->target->arg[i]); // its index
    if (s->fits)
        s->assigned[k->target->which] = 1;
}

static void follow(Shown *s, const Code *code)
{
    for (const Statement *k = code->first; k && s->fits; k = k->next)
        switch (k->kind) {
        case STATEMENT_ASSIGN: follow_assignment(s, k); break;
        case STATEMENT_IF:
        case STATEMENT_CASE:
            read(s, k->a);
            follow_ways(s, k);
            break;
        case STATEMENT_FOR:
            read(s, k->a);
            read(s, k->b);
            read(s, k->c);
            s->assigned[k->which] = 1;
            follow(s, &k->body);
            break;
        case STATEMENT_WRITE:
        case STATEMENT_FORMAT: break;
        default: s->fits = false;
        }
}

static void copy(Lowerer *l, Code *to, const Statement *from);

static const CaseArm *copy_arms(Lowerer *l, const Statement *k)
{
    CaseArm *arm = MODEL_ARRAY(l->m, CaseArm, k->n + 1);
    for (uint32_t i = 0; arm && i < k->n; i++) {
        arm[i] = k->arm[i];
        arm[i].code = (Code){0};
        copy(l, &arm[i].code, k->arm[i].code.first);
    }
    return arm;
}

static void copy(Lowerer *l, Code *to, const Statement *from)
{
    for (const Statement *k = from; k; k = k->next) {
        if (k->kind == STATEMENT_WRITE || k->kind == STATEMENT_FORMAT)
            continue;
        Statement *one = code_add(l->m, to, k->kind, k->at, k->line);
        *one = *k;
        one->next = NULL;
        one->body = one->other = (Code){0};
        copy(l, &one->body, k->body.first);
        copy(l, &one->other, k->other.first);
        if (k->arm)
            one->arm = copy_arms(l, k);
    }
}

void lower_shown(Lowerer *l, Statement *first)
{
    const Code block = {.first = first};
    Shown s = {.l = l, .n = model_variables(l->m), .fits = true};
    s.touched = new_set(&s, NULL);
    s.assigned = new_set(&s, NULL);
    if (!s.fits)
        return;
    touch(&s, &block);
    follow(&s, &block);
    for (uint32_t k = 0; s.fits && k < s.n; k++)
        s.fits = !s.touched[k] || s.assigned[k];
    if (s.fits)
        copy(l, &l->m->shown, first);
}
