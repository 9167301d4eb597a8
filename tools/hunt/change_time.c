#include <stdio.h>
#include <string.h>

#include "hunt/change.h"

typedef struct Walk {
    Change *c;
    Edits edits;
    bool wrong; // something is in a place where it cannot be changed
    uint32_t met;
} Walk;

static const char *finish(Walk *w, const char *why)
{
    return w->wrong ? change_refuse(w->c, why) : change_apply(w->c, &w->edits);
}

/* Puts text around an expression, if there is one. */
static void around(Walk *w, const Node *n, const char *before,
                   const char *after)
{
    const Program *p = w->c->program;
    if (!n || n->kind == NODE_NONE)
        return;
    if (!program_wrote(p, n)) {
        w->wrong = true;
        return;
    }
    Span at = program_span(p, n);
    edits_replace(&w->edits, w->c->arena, at,
                  text_format(w->c->arena, "%s%s%s", before,
                              program_text(p, w->c->arena, at), after));
}

static bool has_any(const Program *p, const char *const *words, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (program_has(p, words[k]))
            return true;
    return false;
}

/* ---- Communication points ------------------------------------------------ */

static void visit_comint(const Node *n, const Node *parent, void *context)
{
    Walk *w = context;
    (void)parent;
    if (n->kind != NODE_SIMULATE)
        return;
    const Node *to = node_child(n, 1), *comint = node_child(n, 2);
    if ((n->flags & FLAG_LOG) || !program_wrote(w->c->program, n))
        w->wrong = true;
    else if (comint->kind != NODE_NONE)
        around(w, comint, "0.7371*(", ")");
    else if (to->kind == NODE_NONE)
        w->wrong = true;
    else
        edits_after(
            &w->edits, w->c->arena, program_span(w->c->program, n),
            text_format(w->c->arena, " COMINT = 0.07371*((%s) - (%s))",
                        program_text(w->c->program, w->c->arena,
                                     program_span(w->c->program, to)),
                        program_text(w->c->program, w->c->arena,
                                     program_span(w->c->program, n->first))));
}

const char *change_comint(Change *c)
{
    static const char *const words[] = {"COMMUNIC", "CONTN", "REALTIME",
                                        "DTFUL"};
    Walk w = {.c = c};
    if (has_any(c->program, words, LENGTH(words)))
        return change_refuse(c, "it depends on communication points");
    program_walk(c->program, visit_comint, &w);
    return finish(&w, "COMINT is LOG, in a macro, or there is no SIMULATE");
}

/* ---- Shift and scale ----------------------------------------------------- */

/* Every TIME of the model, and every time that it specifies. */
static void visit_time(Walk *w, const Node *n, const char *now)
{
    const Program *p = w->c->program;
    if (n->kind == NODE_OUTPUT || n->kind == NODE_STORE_PART)
        return;
    if (n->kind == NODE_NAME && name_same(n->text, "TIME")) {
        if (n->at.file != p->unit.file || n->origin != 0)
            w->wrong = true;
        else
            edits_replace(&w->edits, w->c->arena, n->at, now);
        return;
    }
    for (const Node *k = n->first; k; k = k->next)
        visit_time(w, k, now);
}

static void visit_given(const Node *n, const Node *parent, void *context)
{
    Walk *w = context;
    const char *after = text_format(w->c->arena, ") + (%g)", w->c->shift);
    const Node *at = NULL;
    (void)parent;
    switch (n->kind) {
    case NODE_SIMULATE:
        around(w, node_child(n, 0), "(", after);
        at = node_child(n, 1);
        break;
    case NODE_SCHEDULE: at = node_child(n, 1); break;
    case NODE_GENERATE: at = node_child(n, 2); break;
    case NODE_CLEAR: at = node_child(n, 0); break;
    case NODE_SAMPLE_BODY:
        at = node_child(n, 1);
        if (at->kind == NODE_NONE)
            edits_after(&w->edits, w->c->arena,
                        program_span(w->c->program, n->first),
                        text_format(w->c->arena, " OFFSET %g", w->c->shift));
        break;
    default: break;
    }
    around(w, at, "(", after);
}

/* True if a program specifies a time by an expression that contains TIME: then
   two edits would collide. */
static bool gives_times(const Program *p)
{
    static const char *const words[] = {"SCHEDULE", "GENERATE", "CLEAR",
                                        "SAMPLES"};
    return has_any(p, words, LENGTH(words));
}

const char *change_shift(Change *c)
{
    static const char *const words[] = {
        "TBEG",      "TFIN",     "STEP",    "RAMP",  "IMPULS",
        "GENTIM",    "CONTN",    "FIT",     "RERUN", "STEADYSTATE",
        "LINEARIZE", "REALTIME", "FORTRAN", "CCODE"};
    Walk w = {.c = c};
    if (has_any(c->program, words, LENGTH(words)))
        return change_refuse(c, "it has times that cannot be shifted");
    if (program_has(c->program, "TIME") && gives_times(c->program))
        return change_refuse(c, "it computes times from TIME");
    c->shift = (double)(hunt_random(c->hunt) % 4000) / 100 - 13;
    visit_time(&w, c->program->unit.program,
               text_format(c->arena, "(TIME - (%g))", c->shift));
    program_walk(c->program, visit_given, &w);
    return finish(&w, "times stand in a macro");
}

static void visit_rates(const Node *n, const Node *parent, void *context)
{
    Walk *w = context;
    const char *before = text_format(w->c->arena, "%g*(", w->c->factor);
    const char *after = text_format(w->c->arena, ")/%g", w->c->factor);
    switch (n->kind) {
    case NODE_EQUATION:
        if (n->first->kind == NODE_DERIVATIVE && n->first->integer == 1)
            around(w, node_child(n, 1), before, ")");
        break;
    case NODE_DERIVATIVE:
        if (parent->kind != NODE_EQUATION || parent->first != n ||
            n->integer != 1)
            w->wrong = true;
        break;
    case NODE_SIMULATE:
        for (uint32_t k = 0; k < (n->flags & FLAG_LOG ? 2 : 3); k++)
            around(w, node_child(n, k), "(", after);
        break;
    default: break;
    }
}

const char *change_scale(Change *c)
{
    static const char *const words[] = {
        "TIME",      "TBEG",  "TFIN",    "STEP",     "RAMP",      "IMPULS",
        "PULSE",     "DELAY", "PIPE",    "REALPL",   "LEDLAG",    "CMPXPL",
        "TRANSF",    "DERIV", "MODINT",  "SAMPLES",  "SCHEDULE",  "GENERATE",
        "PROCESS",   "CLEAR", "CONTN",   "FIT",      "RERUN",     "STEADYSTATE",
        "LINEARIZE", "DTMAX", "DTMIN",   "TIMEPERS", "FIELD",     "REALTIME",
        "FORTRAN",   "CCODE", "CONNECT", "PORT",     "PROCESSES", "MODULE"};
    Walk w = {.c = c};
    if (has_any(c->program, words, LENGTH(words)))
        return change_refuse(
            c, "it is not a program of differential equations alone");
    c->factor = 2.5;
    program_walk(c->program, visit_rates, &w);
    return finish(&w, "derivatives stand elsewhere, or in a macro");
}

/* ---- Precision ----------------------------------------------------------- */

static void visit_experiment(const Node *n, const Node *parent, void *context)
{
    Walk *w = context;
    (void)parent;
    if (n->kind != NODE_EXPERIMENT)
        return;
    if (!program_wrote(w->c->program, n))
        w->wrong = true;
    Span word = {n->at.file, n->at.start, (uint32_t)strlen("EXPERIMENT")};
    edits_after(&w->edits, w->c->arena, word,
                " INTEGRAT PRECISION = EXTENDED; ");
}

const char *change_extended(Change *c)
{
    Walk w = {.c = c};
    if (program_has(c->program, "PRECISION"))
        return change_refuse(c, "it names its PRECISION");
    program_walk(c->program, visit_experiment, &w);
    return finish(&w, "there is no EXPERIMENT");
}
