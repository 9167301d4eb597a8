#include "cosy/unit.h"
#include "solve/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is to blame when a step fails: names of states, their equations, and the
   text of the fault. */

/* ---- Names -------------------------------------------------------------- */

/* Where state i is declared. */
typedef struct Declared {
    const CosyVariable *variable; // NULL: nowhere
    uint32_t element;             // element of an array
    uint32_t copy;                // number of the copy, or COSY_NONE
} Declared;

/* The search begins with row *near, and leaves the one that was found there:
   neighbours among the states are declared near each other. */
static Declared find_variable(const CosyModel *m, uint32_t process,
                              uint32_t place, uint32_t *near)
{
    uint32_t v = *near;
    for (uint32_t k = 0; k < m->n_variables; k++, v++) {
        v = v < m->n_variables ? v : 0;
        const CosyVariable *variable = &m->variables[v];
        if (variable->kind != COSY_STATE || variable->process != process ||
            place - variable->place >= variable->rows * variable->columns)
            continue;
        *near = v;
        return (Declared){variable, place - variable->place, COSY_NONE};
    }
    return (Declared){NULL, 0, COSY_NONE};
}

static uint32_t copy_number(const Cosy *c, uint32_t process, uint32_t position)
{
    size_t size = c->model->copies[process].size;
    CosyCopy copy;
    memcpy(&copy, c->attributes[process] + position * size, sizeof copy);
    return copy.number;
}

static Declared find_state(const Solver *s, uint32_t i, uint32_t *near)
{
    const CosyModel *m = s->model;
    if (i < m->states)
        return find_variable(m, COSY_NONE, i, near);
    for (uint32_t p = 0; p < m->n_copies; p++) {
        const CosyCopies *block = &s->c->copy[p];
        uint32_t states = m->copies[p].states;
        if (states > 0 && i - block->first < block->active * states) {
            uint32_t place = i - block->first;
            Declared d = find_variable(m, p, place % states, near);
            d.copy = copy_number(s->c, p, place / states);
            return d;
        }
    }
    return (Declared){NULL, 0, COSY_NONE};
}

const CosyVariable *solver_variable(const Solver *s, uint32_t i, uint32_t *near)
{
    return find_state(s, i, near).variable;
}

void solver_state_name(const Solver *s, uint32_t i, char *name, size_t size)
{
    uint32_t first = 0;
    Declared d = find_state(s, i, &first);
    char process[64] = "", index[32] = "";

    if (d.variable == NULL) {
        snprintf(name, size, "state %u", (unsigned)i + 1);
        return;
    }
    if (d.copy != COSY_NONE)
        snprintf(process, sizeof process, "%.40s[%u].",
                 s->model->copies[d.variable->process].name, (unsigned)d.copy);
    if (d.variable->rows > 1 && d.variable->columns > 1)
        snprintf(index, sizeof index, "[%d,%d]",
                 (int)(d.element / d.variable->columns + 1) +
                     d.variable->row_shift,
                 (int)(d.element % d.variable->columns + 1) +
                     d.variable->column_shift);
    else if (d.variable->rows > 1 || d.variable->columns > 1)
        snprintf(index, sizeof index, "[%d]",
                 (int)d.element + 1 +
                     (d.variable->rows > 1 ? d.variable->row_shift
                                           : d.variable->column_shift));
    snprintf(name, size, "%s%s%s", process, d.variable->name, index);
}

/* The equation of state i: from the table of the fixed states, else the one
   that computes the variable or its derivative. */
const CosyEquation *solver_equation(const Solver *s, uint32_t i)
{
    const CosyModel *m = s->model;
    if (i < m->n_state_equations && m->state_equation[i] < m->n_equations)
        return &m->equations[m->state_equation[i]];

    uint32_t near = 0;
    const CosyVariable *state = find_state(s, i, &near).variable;
    if (state == NULL)
        return NULL;
    uint32_t number = (uint32_t)(state - m->variables);
    for (uint32_t k = 0; k < m->n_equations; k++) {
        uint32_t v = m->equations[k].variable;
        if (v == number ||
            (v < m->n_variables && m->variables[v].derivative == number))
            return &m->equations[k];
    }
    return NULL;
}

/* ---- Faults ------------------------------------------------------------- */

/* Length of the smallest step that advances time. */
static real resolution(const Solver *s)
{
    return cosy_max(R(4.0) * COSY_EPSILON * cosy_abs(s->t), COSY_REAL_MIN);
}

/* How a step can fail, in words, and what to do about it. */
typedef struct Story {
    const char *words, *advice;
} Story;

/* A solution that goes to infinity in finite time doubles within a thousand of
   the smallest steps. */
static bool escapes(const Solver *s)
{
    if (s->culprit >= s->n || s->counts.steps == 0)
        return false;
    real x = s->x[s->culprit], dx = s->dx[s->culprit] * (real)s->direction;
    return x * dx > R(0.0) &&
           cosy_abs(x) < R(1e3) * resolution(s) * cosy_abs(dx);
}

static bool overflows(const Solver *s)
{
    return s->culprit < s->n &&
           cosy_abs(s->x[s->culprit]) > R(1e-30) * COSY_REAL_MAX;
}

static Story step_limit(const Solver *s)
{
    bool implicit = (s->method->features & METHOD_IMPLICIT) != 0;
    if (s->options.dtmin > resolution(s))
        return (Story){"the step would have to be smaller than DTMIN",
                       implicit ? "give a smaller DTMIN, or a larger RELERR or "
                                  "ABSERR"
                                : "give a smaller DTMIN, or a larger RELERR or "
                                  "ABSERR, or try METHOD RADAU5"};
    if (escapes(s))
        return (Story){"a state grows without bound",
                       "the solution may end there; check the signs of its "
                       "equation, or end the run earlier with FINISH"};
    return (Story){status_words(STATUS_STEP_LIMIT),
                   implicit ? "the solution may end there, or jump; else try a "
                              "larger RELERR or ABSERR, or PRECISION = QUAD"
                            : "the solution may end there, or jump; else try "
                              "METHOD RADAU5, or a larger RELERR or ABSERR"};
}

static Story bad_number(const Solver *s)
{
    if (overflows(s))
        return (Story){"a state grows beyond the largest number",
                       "check the signs of its equation, or end the run "
                       "earlier with FINISH"};
    if (s->options.dtmin > resolution(s))
        return (Story){
            status_words(STATUS_NUMBER),
            "check the domain of its functions and divisors, or give "
            "a smaller DTMIN"};
    return (Story){
        status_words(STATUS_NUMBER),
        "check the domain of its functions and divisors, or guard it "
        "with IF or a RANGE"};
}

static Story story(const Solver *s, Status why)
{
    bool loop = s->cause != COSY_OK; // the model's, not the method's
    const char *words = status_words(why);
    switch (why) {
    case STATUS_STEP_LIMIT: return step_limit(s);
    case STATUS_NUMBER: return bad_number(s);
    case STATUS_NEWTON:
        return (Story){
            words, loop ? "check the equations of the loop and its START values"
                        : "try a smaller STEP or DTMIN, and check that the "
                          "equations are smooth there"};
    case STATUS_SINGULAR:
        return (Story){
            words, loop ? "check the equations of the loop and its START values"
                        : "no equation may determine it; check the equations "
                          "that it appears in"};
    default: return (Story){words, "see the message of the model"};
    }
}

/* Prints " (line 9: X' = X^2)", and for a state its value at the near end. */
static void tell_place(const Solver *s, const CosyEquation *e, const char *name,
                       char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    if (e != NULL)
        used = (size_t)snprintf(text, size, " (line %u: %.150s)",
                                (unsigned)e->line, e->text);
    if (s->culprit >= s->n || used >= size)
        return;
    double x = (double)s->x[s->culprit];
    if (isfinite(x) || !cosy_finite(s->x[s->culprit]))
        snprintf(text + used, size - used, ", %s = %.6g there", name, x);
}

Status solver_give_up(Solver *s, Status why)
{
    const CosyModel *m = s->model;
    const CosyEquation *equation = NULL;
    char name[96] = "the model", place[300];
    Story what = story(s, why);

    if (s->cause != COSY_OK && COSY_WHERE(s->cause) < m->n_equations)
        equation = &m->equations[COSY_WHERE(s->cause)];
    if (s->culprit != COSY_NONE) {
        solver_state_name(s, s->culprit, name, sizeof name);
        equation = solver_equation(s, s->culprit);
    } else if (equation != NULL && equation->variable < m->n_variables) {
        snprintf(name, sizeof name, "%s",
                 m->variables[equation->variable].name);
    }
    tell_place(s, equation, name, place, sizeof place);
    return fault_set(s->fault, why, "%s at TIME = %.13g%s%s, %s%s: %s",
                     what.words, (double)s->t, COSY_IN_TIME(m), name, place,
                     what.advice);
}
