#include "cli/foresee.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "emit/emit.h"
#include "load/load.h"
#include "run/kernel.h"

/* A walk through EXPERIMENT: what INTEGRAT has set so far. */
typedef struct Outlook {
    Unit *u;
    const Model *m;
    const Kernel *kernel;
    const Statement *method; // INTEGRAT that names one, or NULL
    bool has_step;
    bool unsure; // it was set in a branch or a loop
    bool has_finish;
} Outlook;

/* ---- Values -------------------------------------------------------------------- */

/* The value of literals and CONSTs, as the program gives them. */
static bool value_of(const Model *m, const Expr *e, double *value)
{
    double a = 0, b = 0;
    if (e->op == EXPR_NUMBER || e->op == EXPR_INTEGER) {
        *value = e->op == EXPR_NUMBER ? e->number : (double)e->integer;
        return true;
    }
    if (e->op == EXPR_VARIABLE && e->count == 0) {
        const Variable *v = model_variable(m, e->which);
        return v->kind == VARIABLE_CONST && v->value &&
               value_of(m, v->value, value);
    }
    if (e->count == 0 || e->count > 2 || !value_of(m, e->arg[0], &a) ||
        (e->count == 2 && !value_of(m, e->arg[1], &b)))
        return false;
    switch (e->op) {
    case EXPR_FLOAT: *value = a; return true;
    case EXPR_NEG: *value = -a; return true;
    case EXPR_ADD: *value = a + b; return true;
    case EXPR_SUB: *value = a - b; return true;
    case EXPR_MUL: *value = a * b; return true;
    case EXPR_DIV: *value = a / b; return b != 0;
    default: return false;
    }
}

/* ---- INTEGRAT ------------------------------------------------------------------ */

static void look_at_options(Outlook *o, const Statement *s)
{
    double value;
    if (s->text)
        o->method = s;
    for (uint32_t k = 0; k < s->n; k++) {
        o->has_step = o->has_step || s->names[k] == INTEGRAT_STEP;
        if (s->names[k] == INTEGRAT_RELERR &&
            value_of(o->m, s->list[k], &value) && value > 0 &&
            value < o->kernel->relerr_least)
            diag_error(o->u->diags, s->at,
                       "RELERR = %g is below what PRECISION = %s can resolve: "
                       "give at least %.3g, or a higher PRECISION",
                       value, o->kernel->name, o->kernel->relerr_least);
    }
}

/* Checks the method that a SIMULATE here would use. */
static void look_at_method(const Outlook *o)
{
    const Statement *s = o->method;
    KernelMethod method;
    if (!s)
        return;
    assert(s->text);
    if (!o->kernel->method(s->text, &method))
        diag_error(o->u->diags, s->at,
                   "METHOD %s is not possible yet: AUTO lets the system "
                   "choose, and cosy doc integrat lists them",
                   s->text);
    else if (!o->unsure && method.needs_step && !o->has_step)
        diag_error(
            o->u->diags, s->at,
            "METHOD %s does not choose its step: give STEP = h, or omit METHOD",
            s->text);
    else if (!o->unsure && method.refuses_step && o->has_step)
        diag_error(o->u->diags, s->at,
                   "METHOD %s chooses its own step: omit STEP, or use a "
                   "one-step method such as RADAU",
                   s->text);
}

/* ---- SIMULATE ------------------------------------------------------------------ */

static bool has_statement(const Code *code, StatementKind kind)
{
    for (const Statement *s = code->first; s; s = s->next)
        if (s->kind == kind)
            return true;
    return false;
}

/* Says what every run meets in its future, whatever its values; or NULL. */
static const char *what_comes(const Model *m)
{
    for (uint32_t k = 0; k < model_memories(m); k++)
        if (model_memory(m, k)->kind == MEMORY_DELAY)
            return "delays";
    if (model_clocks(m) > 0)
        return "SAMPLES";
    for (uint32_t k = 0; k < model_processes(m); k++)
        if (model_process(m, k)->takes_part && model_process(m, k)->begins)
            return "processes";
    return has_statement(&m->initial, STATEMENT_SCHEDULE) ||
                   has_statement(&m->initial, STATEMENT_GENERATE)
               ? "scheduled events"
               : NULL;
}

static void look_at_run(const Outlook *o, const Statement *s)
{
    double from, to;
    const char *what;
    if (!s->b && !o->has_finish)
        diag_error(o->u->diags, s->at,
                   "this run continues until FINISH, but there is no FINISH in "
                   "the program: give it an end, TO b");
    if (!s->b || !value_of(o->m, s->a, &from) || !value_of(o->m, s->b, &to) ||
        to >= from)
        return;
    what = what_comes(o->m);
    if (what)
        diag_error(
            o->u->diags, s->at,
            "a run backward in time has no %s: omit them, or run forward",
            what);
}

static void look_at(Outlook *o, const Code *code);

/* Checks a part that is executed in some runs, or many times. */
static void look_at_part(Outlook *o, const Code *code)
{
    Outlook part = *o;
    part.unsure = true;
    look_at(&part, code);
    o->unsure =
        o->unsure || part.method != o->method || part.has_step != o->has_step;
}

static void look_at(Outlook *o, const Code *code)
{
    for (const Statement *s = code->first; s; s = s->next) {
        Outlook frame = *o;
        switch (s->kind) {
        case STATEMENT_FRAME: look_at(&frame, &s->body); break;
        case STATEMENT_INTEGRAT: look_at_options(o, s); break;
        case STATEMENT_SIMULATE:
            look_at_method(o);
            o->method = NULL; // reported once
            look_at_run(o, s);
            break;
        case STATEMENT_IF:
        case STATEMENT_FOR:
        case STATEMENT_WHILE:
        case STATEMENT_REPEAT:
            look_at_part(o, &s->body);
            look_at_part(o, &s->other);
            break;
        case STATEMENT_CASE:
            for (uint32_t k = 0; k < s->n; k++)
                look_at_part(o, &s->arm[k].code);
            break;
        default: break;
        }
    }
}

/* True if there is a FINISH anywhere, or C that may finish the run. */
static bool has_finish(const Node *n)
{
    if (n->kind == NODE_FINISH || n->kind == NODE_FINISH_WHEN ||
        n->kind == NODE_CCODE || n->kind == NODE_EXTERNAL_PROCESS)
        return true;
    for (const Node *k = n->first; k; k = k->next)
        if (has_finish(k))
            return true;
    return false;
}

/* ---- Outside the program ------------------------------------------------- */

static void look_at_libraries(Unit *u, const Model *m)
{
    const char *places = getenv("COSY_LIBRARIES");
    for (uint32_t k = 0; k < model_externals(m); k++) {
        const External *e = model_external(m, k);
        if (!load_has_library(e->library, places))
            diag_warning(u->diags, e->at,
                         "EXTERNAL %s: the library \"%s\" is not in a folder "
                         "that COSY_LIBRARIES declares: cosy run needs "
                         "--libraries DIR",
                         e->name, e->library);
    }
}

static bool has_ccode(const Node *n)
{
    if (n->kind == NODE_CCODE)
        return true;
    for (const Node *k = n->first; k; k = k->next)
        if (has_ccode(k))
            return true;
    return false;
}

/* The C compiler checks C that the modeller wrote: it is compiled but not
   loaded. The next run finds it in the cache. */
static void look_at_c(Unit *u, const Model *m)
{
    Buffer c = {0};
    Fault f = {0};
    int fd = -1;
    LoadRequest request = {.name = u->name, .precision = m->precision};
    if (!has_ccode(u->program) || u->diags->errors > 0)
        return;
    if (emit_model(m, &c)) {
        request.text = buffer_string(&c);
        request.length = c.v.used;
        /* Without a compiler a run may still be possible. */
        if (load_make(&request, &fd, &f) != STATUS_OK &&
            f.status == STATUS_UNSUPPORTED) {
            for (char *p = f.text; *p; p++)
                *p = *p == '\n' ? ' ' : *p;
            diag_error(u->diags, (Span){.file = SPAN_NOWHERE}, "%s", f.text);
        }
    }
    if (fd >= 0)
        close(fd);
    buffer_free(&c);
}

void foresee(Unit *u, const Model *m)
{
    Outlook o = {.u = u, .m = m, .kernel = kernel_find(m->precision)};
    assert(o.kernel);
    o.has_finish = has_finish(u->program);
    look_at(&o, &m->experiment);
    look_at_libraries(u, m);
    look_at_c(u, m);
}
