#include "run/start.h"

#include <stdio.h>
#include <string.h>

#include "run/constraints.h"
#include "run/start_part.h"
#include "stats/value.h"

#define ROUNDS 8       // of branches and states
#define LARGE  4000000 // entries of a matrix that would be too large
#define NAMES  6       // in a message
#define SAME   R(64.0) // last places that a written value may change by

/* ---- What should hold ------------------------------------------------------ */

static const StartTarget *targets(const Run *r, size_t *count)
{
    *count = r->start.targets.used / sizeof(StartTarget);
    return (const StartTarget *)(const void *)r->start.targets.bytes;
}

static bool is_row(const CosyModel *m, const StartTarget *t)
{
    return !t->guess && m->variables[t->variable].kind == COSY_ALGEBR;
}

bool start_is_needed(const Run *r)
{
    size_t n;
    const StartTarget *t = targets(r, &n);
    for (size_t k = 0; k < n; k++)
        if (is_row(r->model, &t[k]))
            return true;
    return r->model->n_constraints || r->start.conditions.used;
}

void start_free(Start *s)
{
    vector_free(&s->targets);
    vector_free(&s->conditions);
}

static void add_row(Begin *b, StartKind kind, uint32_t which, uint32_t element,
                    real wanted)
{
    b->row[b->rows++] = (StartRow){kind, which, element, wanted, COSY_NONE};
    b->algebra = b->algebra || kind != START_CONSTRAINT;
}

static void write_state(Begin *b, uint32_t state)
{
    if (state >= b->n || b->written[state])
        return;
    b->written[state] = 1;
    b->wish[b->wishes++] = (StartWish){state, COSY_NONE};
}

/* First and last element of a target. */
static void span(const CosyVariable *v, uint32_t index, uint32_t *from,
                 uint32_t *to)
{
    *from = index == COSY_NONE ? 0 : index;
    *to = index == COSY_NONE ? value_count(v) : index + 1;
}

/* Rows for ALGEBRs of one kind: rates, or values, which are wishes too. */
static void add_targets(Begin *b, bool rates)
{
    const CosyModel *m = b->r->model;
    size_t n;
    const StartTarget *t = targets(b->r, &n);
    for (size_t k = 0; k < n; k++) {
        const CosyVariable *v = &m->variables[t[k].variable];
        bool rate = v->kind == COSY_ALGEBR && v->derivative != COSY_NONE;
        uint32_t from, to;
        if (t[k].guess || v->process != COSY_NONE)
            continue;
        span(v, t[k].index, &from, &to);
        for (uint32_t i = from; i < to; i++) {
            if (v->kind == COSY_STATE && !rates)
                write_state(b, v->place + i);
            if (v->kind != COSY_ALGEBR || rate != rates)
                continue;
            add_row(b, rates ? START_RATE : START_VALUE, t[k].variable, i,
                    t[k].value);
            if (!rates)
                b->wish[b->wishes++] = (StartWish){COSY_NONE, b->rows - 1};
        }
    }
}

static void add_initial(Begin *b)
{
    const CosyModel *m = b->r->model;
    for (uint32_t k = 0; k < m->n_initial_states; k++) {
        const CosyVariable *v = &m->variables[m->initial_states[k]];
        for (uint32_t i = 0; v->kind == COSY_STATE && i < value_count(v); i++)
            write_state(b, v->place + i);
    }
    for (uint32_t i = m->states; i < b->n; i++) // copies have their values
        write_state(b, i);
}

static void add_rows(Begin *b)
{
    const Run *r = b->r;
    const uint32_t *k =
        (const uint32_t *)(const void *)r->start.conditions.bytes;
    size_t conditions = r->start.conditions.used / sizeof *k;
    b->rows = b->wishes = 0;
    memset(b->written, 0, b->n);
    for (uint32_t i = 0; i < r->model->n_constraints; i++)
        if (r->project.active.bytes[i])
            add_row(b, START_CONSTRAINT, i, 0, R(0.0));
    for (size_t i = 0; i < conditions; i++)
        add_row(b, START_CONDITION, k[i], 0, R(0.0));
    add_targets(b, true);
    add_targets(b, false);
    add_initial(b);
}

/* Room for everything but the matrix. */
static Status open(Begin *b, Run *r)
{
    const CosyModel *m = r->model;
    size_t n, rows, count;
    const StartTarget *t = targets(r, &count);
    *b = (Begin){.r = r, .n = r->c->head->states};
    n = b->n + (size_t)1;
    rows = 1 + m->n_constraints + r->start.conditions.used / sizeof(uint32_t);
    for (size_t k = 0; k < count; k++)
        rows += value_count(&m->variables[t[k].variable]);
    b->row = NEW_ARRAY(&b->arena, StartRow, rows);
    b->value = NEW_ARRAY(&b->arena, real, rows);
    b->wish = NEW_ARRAY(&b->arena, StartWish, rows + n);
    b->written = NEW_ARRAY(&b->arena, uint8_t, n);
    b->held = NEW_ARRAY(&b->arena, uint8_t, n);
    b->blocker = NEW_ARRAY(&b->arena, uint32_t, n);
    b->x0 = NEW_ARRAY(&b->arena, real, n);
    b->x = NEW_ARRAY(&b->arena, real, n);
    b->weight = NEW_ARRAY(&b->arena, real, n);
    b->data = NEW_ARRAY(&b->arena, unsigned char, m->data_size + (size_t)1);
    if (!b->row || !b->value || !b->wish || !b->written || !b->held ||
        !b->blocker || !b->x0 || !b->x || !b->weight || !b->data)
        return STATUS_MEMORY;
    memcpy(b->data, r->c->data, m->data_size);
    memcpy(b->x0, r->c->x, b->n * sizeof(real));
    memcpy(b->x, r->c->x, b->n * sizeof(real));
    b->at = (ProjectAt){.t = r->c->head->t, .n = b->n, .weight = b->weight};
    return STATUS_OK;
}

/* ---- Residuals and their derivatives --------------------------------------- */

static CosyStatus residual(const Begin *b, const StartRow *row, real *value)
{
    Cosy *c = b->r->c;
    switch (row->kind) {
    case START_CONSTRAINT:
        *value = b->r->project.active.bytes[row->which]
                     ? project_g(&b->r->project)[row->which]
                     : R(0.0);
        break;
    case START_CONDITION: return c->model->start(c, row->which, value);
    case START_RATE:
    case START_VALUE:
        *value = instance_get(c, row->which, row->element) - row->wanted;
        break;
    }
    return COSY_OK;
}

bool start_values(Begin *b, const real *x, real *value)
{
    Run *r = b->r;
    Cosy *c = r->c;
    Fault fault = {0};
    if (r->model->n_constraints &&
        project_value(&r->project, &b->at, x, &fault) != STATUS_OK)
        return false;
    if (b->algebra) {
        memcpy(c->data, b->data, r->model->data_size);
        memcpy(c->x, x, b->n * sizeof(real));
        if (r->model->outputs &&
            r->model->outputs(c, c->head->t, c->x) != COSY_OK)
            return false;
    }
    for (uint32_t k = 0; k < b->rows; k++)
        if (residual(b, &b->row[k], &value[k]) != COSY_OK ||
            !cosy_finite(value[k]))
            return false;
    return true;
}

static void constraint_slopes(Begin *b)
{
    const Project *p = &b->r->project;
    for (uint32_t k = 0; k < b->rows; k++) {
        const uint32_t *state;
        real *value;
        real *row = b->slope + (size_t)k * b->n;
        if (b->row[k].kind != START_CONSTRAINT)
            continue;
        memset(row, 0, b->n * sizeof *row);
        uint32_t n = project_row(p, b->row[k].which, &state, &value);
        for (uint32_t e = 0; e < n; e++)
            row[state[e]] = value[e];
    }
}

/* Differences of the rows that are no constraints, for state i. */
static bool difference(Begin *b, real *x, uint32_t i, const real *value,
                       real *near)
{
    real at = x[i];
    volatile real by = at + cosy_sqrt(COSY_EPSILON) * start_state_size(b, i);
    x[i] = by;
    if (!start_values(b, x, near)) {
        x[i] = at - (by - at);
        if (!start_values(b, x, near)) {
            x[i] = at;
            return false;
        }
    }
    for (uint32_t k = 0; k < b->rows; k++)
        if (b->row[k].kind != START_CONSTRAINT)
            b->slope[(size_t)k * b->n + i] = (near[k] - value[k]) / (x[i] - at);
    x[i] = at;
    return true;
}

bool start_slopes(Begin *b, const real *x, const real *value, bool only)
{
    Run *r = b->r;
    Fault fault = {0};
    Arena own = {0};
    bool right = true;
    if (r->model->n_constraints) {
        if (project_value(&r->project, &b->at, x, &fault) != STATUS_OK ||
            project_gradient(&r->project, &b->at, x, &fault) != STATUS_OK)
            return false;
        constraint_slopes(b);
    }
    if (!b->algebra)
        return true;
    real *y = NEW_ARRAY(&own, real, b->n + 1);
    real *near = NEW_ARRAY(&own, real, b->rows + 1);
    if (y)
        memcpy(y, x, b->n * sizeof *y);
    for (uint32_t i = 0; y && near && i < b->n && right; i++)
        if (!only || !b->held[i])
            right = difference(b, y, i, value, near);
    right = right && y && near;
    arena_free(&own);
    return right;
}

/* ---- Messages -------------------------------------------------------------- */

static uint32_t row_line(const Begin *b, const StartRow *row)
{
    const CosyModel *m = b->r->model;
    switch (row->kind) {
    case START_CONSTRAINT: return project_line(m, row->which);
    case START_CONDITION: return m->starts[row->which].line;
    case START_RATE:
    case START_VALUE: break;
    }
    return 0;
}

static void variable_words(const Begin *b, const StartRow *row, Buffer *text)
{
    value_name(text, &b->r->model->variables[row->which], row->element);
}

void start_row_words(const Begin *b, const StartRow *row, char *text,
                     size_t size)
{
    const CosyModel *m = b->r->model;
    Buffer name = {0};
    char words[200];
    uint32_t k;
    switch (row->kind) {
    case START_CONSTRAINT:
        project_words(m, row->which, words, sizeof words);
        snprintf(text, size, "line %u: %s", row_line(b, row), words);
        break;
    case START_CONDITION:
        k = m->starts[row->which].equation;
        snprintf(text, size, "line %u: %.150s", row_line(b, row),
                 k < m->n_equations ? m->equations[k].text : "INITCOND");
        break;
    case START_RATE:
    case START_VALUE:
        variable_words(b, row, &name);
        snprintf(text, size, "%.100s = %.9g", buffer_string(&name),
                 (double)row->wanted);
        buffer_free(&name);
        break;
    }
}

static void state_name(const Begin *b, uint32_t i, char *name, size_t size)
{
    solver_state_name(&b->r->solver, i, name, size);
}

static void tell(const Begin *b, CosySeverity severity, uint32_t line,
                 const char *text)
{
    b->r->c->host->message(b->r->c, severity, line, text);
}

/* Written states that have other values now. */
static void tell_states(const Begin *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        char name[80], row[260], text[600];
        if (!b->written[i] || b->held[i] ||
            cosy_abs(b->x[i] - b->x0[i]) <= b->weight[i])
            continue;
        uint32_t line = 0;
        state_name(b, i, name, sizeof name);
        snprintf(row, sizeof row, "the constraints");
        if (b->blocker[i] != COSY_NONE) {
            start_row_words(b, &b->row[b->blocker[i]], row, sizeof row);
            line = row_line(b, &b->row[b->blocker[i]]);
        }
        snprintf(text, sizeof text,
                 "start: %s = %.9g cannot hold together with %s; it becomes "
                 "%.9g",
                 name, (double)b->x0[i], row, (double)b->x[i]);
        tell(b, COSY_NOTE, line, text);
    }
}

/* Rates and values that are not what was written. */
static void tell_values(const Begin *b)
{
    real relerr = b->r->solver.options.relerr;
    for (uint32_t k = 0; k < b->rows; k++) {
        const StartRow *row = &b->row[k];
        char words[200], text[400];
        real size = cosy_max(cosy_abs(row->wanted), R(1e-3));
        if (row->kind < START_RATE || row->pivot != COSY_NONE ||
            cosy_abs(b->value[k]) <= relerr * size)
            continue;
        start_row_words(b, row, words, sizeof words);
        snprintf(text, sizeof text,
                 "start: %s cannot hold together with what comes before it; it "
                 "becomes %.9g (if it only says where to look: GUESS)",
                 words, (double)(row->wanted + b->value[k]));
        tell(b, COSY_NOTE, 0, text);
    }
}

/* Defaults that were found: a remark. */
static void tell_defaults(const Begin *b)
{
    Buffer text = {0};
    uint32_t told = 0, all = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        char name[80];
        if (b->written[i] || b->held[i] || b->x[i] == b->x0[i])
            continue;
        if (all++ >= NAMES)
            continue;
        state_name(b, i, name, sizeof name);
        buffer_format(&text, "%s%s = %.9g", told++ ? ", " : "start: found ",
                      name, (double)b->x[i]);
    }
    if (all > told)
        buffer_format(&text, " and %u more", all - told);
    if (all && !text.broken)
        tell(b, COSY_NOTE_NOW, 0, buffer_string(&text));
    buffer_free(&text);
}

static bool has_slope(const Begin *b, const StartRow *row)
{
    const real *slope = b->slope + (size_t)(row - b->row) * b->n;
    for (uint32_t i = 0; i < b->n; i++)
        if (slope[i] != R(0.0))
            return true;
    return false;
}

/* A row that nothing is left for does not hold. */
static Status contradiction(Begin *b, const StartRow *row, real value)
{
    char words[260];
    Buffer others = {0};
    uint32_t told = 0;
    start_row_words(b, row, words, sizeof words);
    if (!has_slope(b, row))
        return fault_set(&b->r->fault, STATUS_MODEL,
                         "%s:%u: start: %s is off by %.6g, and no state "
                         "changes it near the start: leave it out, or begin "
                         "elsewhere (GUESS)",
                         b->r->model->source, row_line(b, row), words,
                         (double)value);
    for (uint32_t k = 0; k < b->rows && told < NAMES; k++) {
        char other[260];
        if (&b->row[k] == row || b->row[k].kind > START_CONDITION)
            continue;
        start_row_words(b, &b->row[k], other, sizeof other);
        buffer_format(&others, "%s%s", told++ ? "; " : "", other);
    }
    fault_set(&b->r->fault, STATUS_MODEL,
              "%s:%u: start: there is too much: %s is off by %.6g and cannot "
              "hold together with %.900s. Leave one of them out",
              b->r->model->source, row_line(b, row), words, (double)value,
              told ? buffer_string(&others) : "the equations");
    buffer_free(&others);
    return STATUS_MODEL;
}

/* The rows that could not be fulfilled, and what was looked for. */
static Status not_found(Begin *b)
{
    Buffer rows = {0}, names = {0};
    uint32_t told = 0, named = 0, line = 0;
    char first[80] = "X";
    bool known = start_values(b, b->x, b->value);
    for (uint32_t k = 0; k < b->rows && told < NAMES; k++) {
        const StartRow *row = &b->row[k];
        char words[260];
        if (row->pivot == COSY_NONE)
            continue;
        start_row_words(b, row, words, sizeof words);
        if (told++ == 0)
            line = row_line(b, row);
        buffer_format(&rows, "%s%s", told > 1 ? "; " : "", words);
        if (known)
            buffer_format(&rows, " (off by %.3g)", (double)b->value[k]);
    }
    for (uint32_t i = 0; i < b->n && named < NAMES; i++) {
        char name[80];
        if (b->held[i])
            continue;
        state_name(b, i, name, sizeof name);
        if (named == 0)
            memcpy(first, name, sizeof first);
        buffer_format(&names, "%s%s", named++ ? ", " : "", name);
    }
    fault_set(&b->r->fault, STATUS_NEWTON,
              "%s:%u: start: no values of %.300s were found for %.900s. Make "
              "sure that there are some, and say where to look for them: "
              "GUESS %s = ...",
              b->r->model->source, line, buffer_string(&names),
              buffer_string(&rows), first);
    buffer_free(&rows);
    buffer_free(&names);
    return STATUS_NEWTON;
}

/* ---- Going there ------------------------------------------------------------ */

/* Whether row k holds, within what states may be off by. */
static bool row_holds(const Begin *b, uint32_t k)
{
    const StartRow *row = &b->row[k];
    const real *slope = b->slope + (size_t)k * b->n;
    real value = cosy_abs(b->value[k]), square = R(0.0);
    if (value <= b->r->solver.options.relerr * cosy_abs(row->wanted))
        return true;
    for (uint32_t i = 0; i < b->n; i++)
        square += slope[i] * b->weight[i] * slope[i] * b->weight[i];
    return value <= cosy_sqrt(square);
}

/* Whether all of these kinds hold at b->x; `value` belongs to it. */
static bool rows_hold(const Begin *b, StartKind from, StartKind to)
{
    for (uint32_t k = 0; k < b->rows; k++)
        if (b->row[k].kind >= from && b->row[k].kind <= to && !row_holds(b, k))
            return false;
    return true;
}

static bool constraints_hold(Begin *b)
{
    Run *r = b->r;
    Fault fault = {0};
    if (!r->model->n_constraints)
        return true;
    return project_look(&r->project, &b->at, b->x, &fault) == STATUS_OK &&
           r->project.violation <= R(1.0);
}

static bool has_defaults(const Begin *b)
{
    for (uint32_t i = 0; i < b->n; i++)
        if (!b->written[i])
            return true;
    return false;
}

static bool has_kind(const Begin *b, StartKind from, StartKind to)
{
    for (uint32_t k = 0; k < b->rows; k++)
        if (b->row[k].kind >= from && b->row[k].kind <= to)
            return true;
    return false;
}

/* Many states and constraints: the shortest way that leaves what is written,
   or if there is none, the shortest of all. */
static Status go_large(Begin *b)
{
    Run *r = b->r;
    Fault fault = {0};
    ProjectAt at = b->at;
    if (has_kind(b, START_CONDITION, START_VALUE))
        return fault_set(&r->fault, STATUS_UNSUPPORTED,
                         "%s: start: conditions, rates and values of ALGEBRs "
                         "cannot be found for %u states at once: set its "
                         "STATEs in INITIAL",
                         r->model->source, b->n);
    at.fixed = b->written;
    memcpy(b->held, b->written, b->n);
    if (project_restore(&r->project, &at, b->x, &fault) == STATUS_OK)
        return STATUS_OK;
    at.fixed = NULL;
    for (uint32_t i = 0; i < b->n; i++) { // which row moves it is not known
        b->held[i] = 0;
        b->blocker[i] = COSY_NONE;
    }
    return project_restore(&r->project, &at, b->x, &r->fault);
}

/* Written values that are the same except for rounding keep their bits. */
static void keep_bits(Begin *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        real size = cosy_max(cosy_abs(b->x0[i]), cosy_abs(b->x[i]));
        if (b->written[i] &&
            cosy_abs(b->x[i] - b->x0[i]) <= SAME * COSY_EPSILON * size)
            b->x[i] = b->x0[i];
    }
}

static Status solve_now(Begin *b)
{
    size_t all = (size_t)b->rows * b->n;
    if (all > LARGE)
        return go_large(b);
    if (!start_choose(b))
        return STATUS_MEMORY;
    Status status = start_solve(b);
    if (status == STATUS_NEWTON)
        return not_found(b);
    TRY(status);
    if (!start_values(b, b->x, b->value) ||
        !start_slopes(b, b->x, b->value, false))
        return not_found(b);
    for (uint32_t k = 0; k < b->rows; k++)
        if (b->row[k].pivot == COSY_NONE && b->row[k].kind < START_RATE &&
            !row_holds(b, k))
            return contradiction(b, &b->row[k], b->value[k]);
    keep_bits(b);
    return STATUS_OK;
}

static void say_nothing(Cosy *c, CosySeverity severity, uint32_t line,
                        const char *text)
{
    (void)c, (void)severity, (void)line, (void)text;
}

/* Trials are silent. */
static Status solve_quietly(Begin *b)
{
    Cosy *c = b->r->c;
    const CosyHost *host = c->host;
    CosyHost quiet = *host;
    quiet.message = say_nothing;
    c->host = &quiet;
    Status status = solve_now(b);
    c->host = host;
    return status;
}

/* Branches and algebraic values at b->x; *able: there are some. */
static Status settle(Begin *b, bool *able)
{
    Run *r = b->r;
    memcpy(r->c->data, b->data, r->model->data_size);
    memcpy(r->c->x, b->x, b->n * sizeof(real));
    Status status = run_consistent(r);
    *able = status == STATUS_OK;
    if (status == STATUS_MEMORY || status == STATUS_STOPPED ||
        status == STATUS_USER)
        return status;
    return STATUS_OK;
}

/* The errors that the states may have, before the solver knows them. */
static void weigh(const Begin *b)
{
    const SolverOptions *o = &b->r->solver.options;
    for (uint32_t i = 0; i < b->n; i++) {
        real size = cosy_abs(b->x[i]);
        real known = size > R(0.0) ? size : R(1.0);
        real least =
            o->abserr > R(0.0) ? o->abserr : R(1e-3) * o->relerr * known;
        b->weight[i] = least + o->relerr * size;
    }
}

/* Whether something has to be solved at b->x, in this round. */
static Status is_off(Begin *b, bool able, bool first, bool *off)
{
    Run *r = b->r;
    Fault fault = {0};
    *off = true;
    weigh(b);
    if (r->model->n_constraints &&
        project_value(&r->project, &b->at, b->x, &fault) != STATUS_OK)
        memset(r->project.active.bytes, 1, r->model->n_constraints);
    add_rows(b);
    b->there = constraints_hold(b) && able;
    if (!b->algebra) {
        *off = !b->there;
        return STATUS_OK;
    }
    size_t all = (size_t)b->rows * b->n;
    bool guesses = !has_kind(b, START_CONDITION, START_RATE) &&
                   (all > LARGE || !first || !has_defaults(b));
    if (b->there && guesses)
        *off = !start_values(b, b->x, b->value);
    if (all > LARGE || !b->there || guesses)
        return STATUS_OK;
    b->slope = NEW_ARRAY(&b->arena, real, all + 1);
    if (!b->slope)
        return STATUS_MEMORY;
    bool known = start_values(b, b->x, b->value) &&
                 start_slopes(b, b->x, b->value, false);
    b->there = known && rows_hold(b, START_CONDITION, START_RATE);
    *off = !b->there || (first && has_defaults(b) &&
                         !rows_hold(b, START_VALUE, START_VALUE));
    return STATUS_OK;
}

/* Points at boundaries of FIELDs have the values that are asked for there, whatever
   INITCOND says. */
static Status set_boundaries(Begin *b, bool *able)
{
    Run *r = b->r;
    bool moved;
    if (!*able || r->model->n_fields == 0 || r->model->n_constraints == 0)
        return STATUS_OK;
    weigh(b);
    Status status = constraints_set(r, &b->at, b->x, &moved);
    if (status != STATUS_OK) {
        r->fault = (Fault){0}; // what cannot be computed here may be later
        return STATUS_OK;
    }
    return moved ? settle(b, able) : STATUS_OK;
}

static Status rounds(Begin *b)
{
    Run *r = b->r;
    bool able, off, solved = false;
    for (int k = 0; k < ROUNDS; k++) {
        TRY(settle(b, &able));
        TRY(set_boundaries(b, &able));
        Fault fault = r->fault;
        r->fault = (Fault){0};
        TRY(is_off(b, able, k == 0, &off));
        if (!off || (solved && !able)) {
            r->fault = fault;
            TRY(settle(b, &able));
            if (!able)
                return r->fault.status;
            if (solved)
                tell_states(b);
            tell_values(b);
            if (solved)
                tell_defaults(b);
            return STATUS_OK;
        }
        b->slope = NEW_ARRAY(
            &b->arena, real,
            (size_t)b->rows * b->n > LARGE ? 1 : (size_t)b->rows * b->n + 1);
        if (!b->slope)
            return STATUS_MEMORY;
        TRY(solve_quietly(b));
        solved = true;
    }
    return fault_set(&r->fault, STATUS_EVENT_LOOP,
                     "%s: start: the values that satisfy the equations on the "
                     "present sides of their relations lead to other sides, "
                     "over and over: write start values on the side that is "
                     "meant",
                     r->model->source);
}

Status start_go(Run *r)
{
    Begin b;
    Status status = open(&b, r);
    if (status == STATUS_OK)
        status = rounds(&b);
    r->project.state = (ProjectState){0}; // this was no drift
    arena_free(&b.arena);
    return status;
}
