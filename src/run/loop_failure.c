#include "run/loop_failure.h"

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "cosy/unit.h"
#include "stats/value.h"

/* Messages for algebraic loops that have no solution: which unknowns, which
   equations, where it ended, and what to do. */

#define NAMES_MOST 6 // of unknowns, lines and texts in a message

/* The row of the block's k-th equation, which is that of its k-th unknown, too;
   NULL: it is not known. */
static const CosyEquation *row_of(const Run *r, const CosyBlock *b, uint32_t k)
{
    const CosyModel *m = r->model;
    return b->equation + k < m->n_equations ? &m->equations[b->equation + k]
                                            : NULL;
}

static const char *name_of(const Run *r, const CosyBlock *b, uint32_t k)
{
    const CosyEquation *e = row_of(r, b, k);
    return e && e->variable < r->model->n_variables
               ? r->model->variables[e->variable].name
               : NULL;
}

/* Whether the name of unknown k is that of one before it, as with elements of
   an array. */
static bool is_named(const Run *r, const CosyBlock *b, const uint32_t *which,
                     uint32_t k)
{
    const char *name = name_of(r, b, which[k]);
    for (uint32_t i = 0; name && i < k; i++) {
        const char *other = name_of(r, b, which[i]);
        if (other && strcmp(name, other) == 0)
            return true;
    }
    return name == NULL;
}

/* "A, B and C". */
static void add_names(Buffer *text, const Run *r, const CosyBlock *b,
                      const uint32_t *which, uint32_t n)
{
    uint32_t names = 0, shown = 0;
    for (uint32_t k = 0; k < n; k++)
        names += !is_named(r, b, which, k);
    uint32_t most = names > NAMES_MOST ? NAMES_MOST - 1 : names;
    for (uint32_t k = 0; k < n && shown < most; k++) {
        if (is_named(r, b, which, k))
            continue;
        bool last = shown + 1 == names;
        buffer_format(text, "%s%s",
                      shown == 0 ? ""
                      : last     ? " and "
                                 : ", ",
                      name_of(r, b, which[k]));
        shown++;
    }
    if (names > shown)
        buffer_format(text, " and %u more", names - shown);
    if (names == 0)
        buffer_text(text, "unknowns");
}

/* "line 4" or "lines 4, 5 and 7", each once. */
static void add_lines(Buffer *text, const Run *r, const CosyBlock *b,
                      const uint32_t *which, uint32_t n)
{
    uint32_t line[NAMES_MOST], lines = 0;
    for (uint32_t k = 0; k < n && lines < NAMES_MOST; k++) {
        const CosyEquation *e = row_of(r, b, which[k]);
        bool seen = e == NULL || e->line == 0;
        for (uint32_t i = 0; i < lines; i++)
            seen = seen || line[i] == e->line;
        if (!seen)
            line[lines++] = e->line;
    }
    buffer_text(text, lines == 1 ? "line " : "lines ");
    for (uint32_t i = 0; i < lines; i++)
        buffer_format(text, "%s%u", i == 0 ? "" : ", ", line[i]);
    if (lines == NAMES_MOST)
        buffer_text(text, " ...");
}

/* "A = 1, B = 2" */
static void add_values(Buffer *text, const Run *r, const BlockFault *f)
{
    const real *u = (const real *)(const void *)f->u.bytes;
    uint32_t n = f->block->n, shown = 0;
    for (uint32_t k = 0; k < n && shown < NAMES_MOST; k++) {
        const char *name = name_of(r, f->block, k);
        if (name == NULL)
            continue;
        buffer_format(text, "%s%.60s = %.9g", shown++ ? ", " : "", name,
                      (double)u[k]);
    }
    if (shown == NAMES_MOST && n > shown)
        buffer_text(text, " ...");
    if (shown == 0)
        buffer_text(text, "its start values");
}

static uint32_t all_of(uint32_t n, uint32_t *which)
{
    uint32_t k = 0;
    for (; k < n && k < LOOP_PLACES; k++)
        which[k] = k;
    return k;
}

/* The loop of A and B (lines 4, 5) */
static void add_loop(Buffer *text, const Run *r, const CosyBlock *b)
{
    uint32_t which[LOOP_PLACES], n = all_of(b->n, which);
    buffer_text(text, "the loop of ");
    add_names(text, r, b, which, n);
    buffer_text(text, " (");
    add_lines(text, r, b, which, n);
    buffer_char(text, ')');
}

static void tell_singular(Buffer *text, const Run *r, const BlockFault *f,
                          uint32_t pivot)
{
    const uint32_t *unknown = (const uint32_t *)(const void *)f->unknown.bytes;
    const uint32_t *row = (const uint32_t *)(const void *)f->equation.bytes;
    uint32_t unknowns = (uint32_t)(f->unknown.used / sizeof *unknown);
    uint32_t rows = (uint32_t)(f->equation.used / sizeof *row);
    const char *name = name_of(r, f->block, pivot);
    if (unknowns == 0) {
        add_loop(text, r, f->block);
        buffer_format(text, " has no unique solution: no pivot is left for %s",
                      name ? name : "an unknown");
        return;
    }
    add_names(text, r, f->block, unknown, unknowns);
    buffer_format(text, " %s not determined: ", unknowns == 1 ? "is" : "are");
    if (rows == 1)
        buffer_text(text, "this equation (");
    else
        buffer_format(text, "these %u equations (", rows);
    add_lines(text, r, f->block, row, rows);
    const char *them = unknowns == 1 ? "it" : "them";
    if (f->contrary)
        buffer_text(text,
                    rows == 1 ? ") cannot hold" : ") contradict each other");
    else
        buffer_format(text, ") %s of %s",
                      rows == 1 ? "says nothing" : "say the same", them);
    for (uint32_t k = 0; k < rows && k < NAMES_MOST; k++) {
        const CosyEquation *e = row_of(r, f->block, row[k]);
        buffer_format(text, "%s%.120s", k ? "; " : ": ", e ? e->text : "?");
    }
    buffer_format(text, ". No pivot is left for %s",
                  name ? name : "an unknown");
}

static void tell_turning(Buffer *text, const Run *r, const BlockFault *f)
{
    add_loop(text, r, f->block);
    buffer_text(text, " has no solution near the last one, ");
    add_values(text, r, f);
    buffer_text(text,
                ": a turning point, where the solution that was followed comes "
                "to its end. If the system jumps to another one there, let an "
                "event do that (CONDIT), or let a STATE follow the loop");
}

static void tell_newton(Buffer *text, const Run *r, const BlockFault *f)
{
    const real *residual = (const real *)(const void *)f->r.bytes;
    const char *first = NULL;
    uint32_t worst = 0;
    for (uint32_t k = 1; k < f->block->n; k++)
        if (cosy_abs(residual[k]) > cosy_abs(residual[worst]))
            worst = k;
    for (uint32_t k = 0; k < f->block->n && !first; k++)
        first = name_of(r, f->block, k);
    const CosyEquation *e = row_of(r, f->block, worst);
    add_loop(text, r, f->block);
    buffer_text(text, " did not converge: it ends at ");
    add_values(text, r, f);
    buffer_format(text,
                  ", where (%.120s) is off by %.3g. Make sure that it has a "
                  "solution, and say where to look for it: INITCOND %s = ..., "
                  "or START in IMPLICIT",
                  e ? e->text : "?", (double)residual[worst],
                  first ? first : "X");
}

/* Has the model fail once more, and tell why. */
static bool fails_again(Run *r, CosyStatus *status, real t, const real *x)
{
    BlockRoom *room = &r->instance.blocks;
    if (r->model->outputs == NULL)
        return false;
    room->fault.block = NULL;
    room->explains = true;
    CosyStatus again = r->model->outputs(r->c, t, x);
    room->explains = false;
    if (again == COSY_OK || room->fault.block == NULL)
        return false;
    *status = again;
    return true;
}

bool loop_explain(Run *r, CosyStatus status, real t, const real *x,
                  Buffer *text)
{
    const BlockFault *f = &r->instance.blocks.fault;
    CosyReason reason = COSY_REASON(status);
    if (reason != COSY_NEWTON && reason != COSY_SINGULAR)
        return false;
    if (!fails_again(r, &status, t, x))
        return false;
    const CosyEquation *e = row_of(r, f->block, 0);
    buffer_format(text, "%s:%u: time %.17g%s%s: ", r->model->source,
                  e ? e->line : 0, (double)t, COSY_IN_TIME(r->model));
    if (f->turning)
        tell_turning(text, r, f);
    else if (f->reason == COSY_SINGULAR && f->block->linear)
        tell_singular(text, r, f, COSY_WHERE(status) - f->block->equation);
    else
        tell_newton(text, r, f);
    return true;
}

void loop_tell_kept(Run *r)
{
    const BlockRoom *room = &r->instance.blocks;
    const CosyBlock *b = room->kept;
    const uint32_t *unknown = (const uint32_t *)(const void *)room->free.bytes;
    uint32_t which[LOOP_PLACES], all = all_of(b->n, which);
    uint32_t n = (uint32_t)(room->free.used / sizeof *unknown);
    const CosyEquation *e = row_of(r, b, 0);
    Buffer text = {0};
    r->state.kept_told = 1;
    buffer_format(&text, "time %.15g%s%s: the equations of this mode (",
                  (double)r->c->head->t, COSY_IN_TIME(r->model));
    add_lines(&text, r, b, which, all);
    buffer_text(&text, ") do not determine ");
    add_names(&text, r, b, unknown, n);
    buffer_format(&text, ": %s as far as they allow",
                  n == 1 ? "it keeps its value" : "these keep their values");
    if (!text.broken)
        r->c->host->message(r->c, COSY_NOTE, e ? e->line : 0,
                            buffer_string(&text));
    buffer_free(&text);
}
