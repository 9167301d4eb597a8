#include "lower/lowerer.h"

#include "base/whole.h"
#include <assert.h>

#include <stdlib.h>
#include <string.h>

/* FUNCTION and PROCEDURE; the bodies of a SYSTEM. */

static bool is_routine(const Node *n)
{
    return n->kind == NODE_FUNCTION || n->kind == NODE_PROCEDURE;
}

/* ---- Headings -------------------------------------------------------------------- */

static uint32_t result_of(Lowerer *l, const Node *n)
{
    Variable v = {.name = n->text,
                  .c_name = model_c_name(l->m, n->text),
                  .kind = VARIABLE_LOCAL,
                  .type = lower_type(n->word),
                  .elements = 1,
                  .unit = "",
                  .rate_of = NONE,
                  .routine = l->routine,
                  .record = NONE,
                  .own = true,
                  .hidden = true,
                  .at = n->at,
                  .line = lower_line(l, n->at, n->origin)};
    return model_add_variable(l->m, &v);
}

static uint32_t count_formals(const Node *formals)
{
    return node_count(formals->first) + node_count(formals->last);
}

/* A RANDOM formal holds the number of its stream. */
static void stream_formal(Lowerer *l, const Node *n, Variable *v)
{
    v->type = EXPR_TYPE_INTEGER;
    v->by_reference = false;
    meaning_of(l, n->symbol)->kind = MEANS_STREAM_FORMAL;
}

static void lower_heading(Lowerer *l, const Node *n)
{
    const Node *formals = n->first;
    uint32_t count = count_formals(formals), k = 0;
    Routine r = {.name = n->text,
                 .c_name = model_c_name(l->m, n->text),
                 .is_function = n->kind == NODE_FUNCTION,
                 .result = n->kind == NODE_FUNCTION ? lower_type(n->word)
                                                    : EXPR_TYPE_REAL,
                 .result_variable = NONE,
                 .formals = count,
                 .formal = MODEL_ARRAY(l->m, uint32_t, count + 1),
                 .at = n->at,
                 .line = lower_line(l, n->at, n->origin)};
    uint32_t number = model_add_routine(l->m, &r);
    Meaning *meaning = meaning_of(l, n->symbol);
    meaning->kind = MEANS_ROUTINE;
    meaning->number = number;
    l->routine = number;
    for (int side = 0; side < 2 && r.formal; side++)
        for (const Node *f = side ? formals->last->first
                                  : formals->first->first;
             f; f = f->next) {
            r.formal[k] = lower_variable(l, f, VARIABLE_FORMAL);
            Variable *v = model_variable(l->m, r.formal[k++]);
            v->by_reference = (f->flags & FLAG_VAR) != 0;
            if (f->word == WORD_RANDOM)
                stream_formal(l, f, v);
        }
    if (r.is_function)
        model_routine(l->m, number)->result_variable = result_of(l, n);
    l->routine = NONE;
}

static bool takes_part(Lowerer *l, const Node *process)
{
    if (!process->symbol || process->symbol->body != process)
        return false;
    MeaningKind kind = meaning_of(l, process->symbol)->kind;
    return kind == MEANS_PROCESS || kind == MEANS_POOL;
}

/* All routines that are not put in place where they are called, also those of
   processes that take part. */
static void each_routine(Lowerer *l, const Node *list,
                         void (*act)(Lowerer *l, const Node *n))
{
    for (const Node *n = list->first; n && !l->m->broken; n = n->next)
        if (is_routine(n) && n->symbol && n->symbol->body == n &&
            !is_placed(n->symbol))
            act(l, n);
        else if ((n->kind == NODE_DISCRETE_PROCESS ||
                  n->kind == NODE_CONTINUOUS_PROCESS) &&
                 takes_part(l, n))
            each_routine(l, node_child(n, 1), act);
}

void lower_headings(Lowerer *l, const Node *segments)
{
    each_routine(l, segments, lower_heading);
}

/* ---- Bodies ------------------------------------------------------------------------ */

static void lower_routine(Lowerer *l, const Node *n)
{
    Code code = {0};
    l->routine = meaning_of(l, n->symbol)->number;
    lower_locals(l, node_child(n, 1));
    lower_code(l, n->last, &code, IN_CODE);
    model_routine(l->m, l->routine)->code = code;
    l->routine = NONE;
}

/* True if a statement may do more than compute. */
static bool does_something(const Model *m, const Code *code)
{
    for (const Statement *s = code->first; s; s = s->next) {
        bool computes =
            s->kind == STATEMENT_ASSIGN || s->kind == STATEMENT_IF ||
            s->kind == STATEMENT_FOR || s->kind == STATEMENT_WHILE ||
            s->kind == STATEMENT_REPEAT || s->kind == STATEMENT_CASE;
        if (!computes || does_something(m, &s->body) ||
            does_something(m, &s->other))
            return true;
        for (uint32_t k = 0; s->arm && k < s->n; k++)
            if (does_something(m, &s->arm[k].code))
                return true;
    }
    return false;
}

void lower_routines(Lowerer *l, const Node *segments)
{
    each_routine(l, segments, lower_routine);
    for (uint32_t k = 0; k < model_routines(l->m); k++) {
        Routine *r = model_routine(l->m, k);
        r->writes = does_something(l->m, &r->code);
    }
}

/* ---- Samples ------------------------------------------------------------------------ */

#define DECIMALS_MOST 15

/* The decimal text of a constant (a literal, or a CONST that is one), or
   NULL. */
static const char *decimal_of(Lowerer *l, const Node *n)
{
    const Expr *e = lower_expression(l, n, IN_VALUE);
    const Symbol *s = n->kind == NODE_NAME ? n->symbol : NULL;
    const char *set = s ? lower_set_value(l, s) : NULL;
    double value;
    if (set)
        return set;
    while (e->op == EXPR_VARIABLE && model_variable(l->m, e->which)->value &&
           model_variable(l->m, e->which)->kind == VARIABLE_CONST)
        e = model_variable(l->m, e->which)->value;
    if (e->op == EXPR_NUMBER)
        return e->text;
    if (!expr_value(l, e, &value))
        return NULL;
    return model_format(l->m, "%.*g", DECIMALS_MOST, value);
}

/* 0.125 = 125 with 3 places. False if the digits do not fit. */
static bool decimal_split(const char *text, int64_t *count, int32_t *places)
{
    bool fraction = false;
    *count = 0;
    *places = 0;
    for (; *text && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.') {
            fraction = true;
            continue;
        }
        if (*text < '0' || *text > '9' || !whole_multiply(*count, 10, count) ||
            !whole_add(*count, *text - '0', count))
            return false;
        *places += fraction;
    }
    long exponent = *text ? strtol(text + 1, NULL, 10) : 0;
    if (exponent < -1000 || exponent > 1000)
        return false;
    *places = *count ? *places - (int32_t)exponent : 0;
    while (*count && *count % 10 == 0) {
        *count /= 10;
        (*places)--;
    }
    return true;
}

static bool decimal_shift(int64_t *count, int32_t by)
{
    for (; by > 0; by--)
        if (!whole_multiply(*count, 10, count))
            return false;
    return true;
}

/* up/down with down > 0 and nothing in common. */
typedef struct Ratio {
    int64_t up, down;
} Ratio;

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static bool ratio_reduce(Ratio *r)
{
    int64_t common = common_divisor(r->up, r->down);
    if (common == 0 || r->down == 0 || r->up == INT64_MIN ||
        r->down == INT64_MIN)
        return false;
    if (r->down < 0)
        common = -common;
    r->up /= common;
    r->down /= common;
    assert(r->down > 0);
    return true;
}

static bool ratio_of_text(const char *text, Ratio *r)
{
    int32_t places;
    bool minus = *text == '-';
    if (!decimal_split(text + (minus || *text == '+'), &r->up, &places))
        return false;
    r->up = minus ? -r->up : r->up;
    r->down = 1;
    return decimal_shift(places < 0 ? &r->up : &r->down, abs(places)) &&
           ratio_reduce(r);
}

static bool ratio_product(Ratio a, Ratio b, Ratio *r)
{
    return whole_multiply(a.up, b.up, &r->up) &&
           whole_multiply(a.down, b.down, &r->down) && ratio_reduce(r);
}

static bool ratio_sum(Ratio a, Ratio b, Ratio *r)
{
    int64_t left, right;
    return whole_multiply(a.up, b.down, &left) &&
           whole_multiply(b.up, a.down, &right) &&
           whole_add(left, right, &r->up) &&
           whole_multiply(a.down, b.down, &r->down) && ratio_reduce(r);
}

static bool ratio_of(Lowerer *l, const Expr *e, Ratio *r);

/* A CONST, or what --set says of it. */
static bool ratio_of_const(Lowerer *l, uint32_t number, Ratio *r)
{
    const Variable *c = model_variable(l->m, number);
    if (c->kind != VARIABLE_CONST || !c->value)
        return false;
    for (uint32_t k = 0; l->o && k < l->o->sets; k++)
        if (name_same(l->o->set[k].name, c->name))
            return ratio_of_text(l->o->set[k].value, r);
    return ratio_of(l, c->value, r);
}

/* The constant as a fraction; false if it is none, or its numbers do not fit. */
static bool ratio_of(Lowerer *l, const Expr *e, Ratio *r)
{
    Ratio a, b;
    switch (e->op) {
    case EXPR_NUMBER: return ratio_of_text(e->text, r);
    case EXPR_INTEGER: *r = (Ratio){e->integer, 1}; return ratio_reduce(r);
    case EXPR_VARIABLE: return ratio_of_const(l, e->which, r);
    case EXPR_FLOAT: return ratio_of(l, e->arg[0], r);
    case EXPR_NEG:
        return ratio_of(l, e->arg[0], &a) &&
               ratio_product(a, (Ratio){-1, 1}, r);
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_DIV: break;
    default: return false;
    }
    if (!ratio_of(l, e->arg[0], &a) || !ratio_of(l, e->arg[1], &b))
        return false;
    switch (e->op) {
    case EXPR_ADD: return ratio_sum(a, b, r);
    case EXPR_SUB:
        return ratio_product(b, (Ratio){-1, 1}, &b) && ratio_sum(a, b, r);
    case EXPR_MUL: return ratio_product(a, b, r);
    default: return b.up != 0 && ratio_product(a, (Ratio){b.down, b.up}, r);
    }
}

#define PARTS_MOST INT64_C(9007199254740992) // a REAL has them all

/* Period and offset as fractions with one denominator. */
static bool clock_parts(Lowerer *l, const Node *n, Clock *c)
{
    const Node *offset = node_child(n, 1);
    Ratio period, begin = {0, 1};
    if (!ratio_of(l, lower_expression(l, n->first, IN_VALUE), &period) ||
        (!node_absent(offset) &&
         !ratio_of(l, lower_expression(l, offset, IN_VALUE), &begin)))
        return false;
    int64_t common = common_divisor(period.down, begin.down);
    c->places = 0;
    return whole_multiply(period.down, begin.down / common, &c->parts) &&
           c->parts <= PARTS_MOST &&
           whole_multiply(period.up, c->parts / period.down, &c->period) &&
           whole_multiply(begin.up, c->parts / begin.down, &c->offset);
}

/* Expresses period and offset over one power of ten, where they are no fractions. */
static bool clock_times(Lowerer *l, const Node *n, Clock *c)
{
    const Node *offset = node_child(n, 1);
    c->parts = 1;
    const char *period_text = decimal_of(l, n->first);
    const char *offset_text = node_absent(offset) ? "0" : decimal_of(l, offset);
    int32_t period_places, offset_places;
    if (!period_text || !offset_text ||
        !decimal_split(period_text, &c->period, &period_places) ||
        !decimal_split(offset_text, &c->offset, &offset_places))
        return false;
    c->places = period_places > offset_places ? period_places : offset_places;
    c->places = c->places < 0 ? 0 : c->places;
    return decimal_shift(&c->period, c->places - period_places) &&
           decimal_shift(&c->offset, c->places - offset_places);
}

static void lower_sample(Lowerer *l, const Node *n)
{
    if (l->pool) {
        LOWER_ERROR(l, n,
                    "a SAMPLE stands in DISCRETE of SYSTEM, where FOR ... IN "
                    "goes through the copies; a copy may also have a TEVENT "
                    "that schedules itself");
        return;
    }
    Clock c = {.name = n->text, .line = lower_line(l, n->at, n->origin)};
    if (!clock_parts(l, n, &c) && !clock_times(l, n, &c)) {
        LOWER_ERROR(l, n,
                    "the period and the offset of a SAMPLE are constants with "
                    "at most 18 digits");
        return;
    }
    if (c.period <= 0) {
        LOWER_ERROR(l, n->first, "the period of a SAMPLE must be positive");
        return;
    }
    uint32_t k = model_add_clock(l->m, &c);
    Code code = {0};
    lower_code(l, n->last, &code, IN_CODE);
    model_clock(l->m, k)->code = code;
}

/* ---- The SYSTEM ---------------------------------------------------------------------- */

/* The indices that the body names, from the position of the event's element. */
static void mean_indices(Lowerer *l, const Node *names, const Meaning *event)
{
    Model *m = l->m;
    const Expr *at =
        expr_make(m, EXPR_ELEMENT, EXPR_TYPE_INTEGER, NONE, NULL, 0);
    uint32_t k = 0;
    for (const Node *n = names->first; n && k < event->rank; n = n->next, k++) {
        const Expr *value = at;
        if (event->rank == 2) {
            const Expr *size =
                expr_integer(m, event->high[1] - event->low[1] + 1);
            value = expr_2(m, k ? EXPR_MOD : EXPR_IDIV, at, size);
        }
        if (event->low[k] != 0)
            value = expr_2(m, EXPR_ADD, expr_integer(m, event->low[k]), value);
        Meaning *meaning = meaning_of(l, n->symbol);
        *meaning = (Meaning){
            .kind = MEANS_VALUE, .number = NONE, .rate = NONE, .value = value};
    }
}

static void lower_event_body(Lowerer *l, const Node *n)
{
    const Symbol *s = n->symbol;
    const Meaning *meaning = s ? pool_event(l, s) : &l->lost;
    Code code = {0};
    if (meaning->kind != MEANS_SEVENT && meaning->kind != MEANS_TEVENT)
        return;
    bool timed = meaning->kind == MEANS_TEVENT;
    uint32_t k = meaning->number;
    if (n->first != n->last)
        mean_indices(l, n->first, meaning);
    if (timed && l->pool)
        pool_timed_body(l, n, &code);
    else
        lower_code(l, n->last, &code, IN_CODE);
    Event *e = timed ? model_time_event(l->m, k) : model_state_event(l->m, k);
    e->has_body = true;
    e->code = code;
    e->line = lower_line(l, n->at, n->origin);
}

void lower_discrete(Lowerer *l, const Node *list)
{
    for (const Node *n = list->first; n; n = n->next)
        switch (n->kind) {
        case NODE_EVENT: lower_event_body(l, n); break;
        case NODE_SAMPLE_BODY: lower_sample(l, n); break;
        case NODE_START: // process.c
            if (l->pool)
                LOWER_ERROR(l, n, "PROCESSES stand in DISCRETE of SYSTEM");
            break;
        default: refuse(l, n, node_words(n->kind));
        }
}

void lower_bodies(Lowerer *l, const Node *system)
{
    for (const Node *n = system->first->first; n; n = n->next)
        switch (n->kind) {
        case NODE_INITIAL:
            lower_code(l, n->first, &l->m->initial, IN_CODE);
            break;
        case NODE_TERMINAL:
            lower_code(l, n->first, &l->m->terminal, IN_CODE);
            break;
        case NODE_DISCRETE: lower_discrete(l, n->first); break;
        default: break;
        }
}
