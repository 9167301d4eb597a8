#include "cli/solved.h"

#include <inttypes.h>

#include "algebra/index.h"

enum { TOLD = 8 }; // equations, loops, names in one list

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static uint32_t line_of(const Model *m, const Portion *p)
{
    return model_row(m, p->row)->line;
}

/* ---- What equations give ---------------------------------------------------- */

typedef struct Count {
    uint64_t rates, values; // unknowns
    uint64_t plain, solved; // equations as written, or solved for something
} Count;

static Count count_portions(const Model *m)
{
    Count c = {0};
    const System *s = &m->simulation;
    for (uint32_t k = 0; k < system_portions(s); k++) {
        const Portion *p = system_portion(s, k);
        if (p->replaced)
            continue;
        uint64_t n = loops_each(m, p->loops, p->n_loops);
        *(p->target->op == EXPR_RATE ? &c.rates : &c.values) += n;
        *(p->target == p->left && p->value == p->right ? &c.plain
                                                       : &c.solved) += n;
    }
    return c;
}

static void tell_count(Buffer *b, const Count *c)
{
    buffer_format(b,
                  "%" PRIu64 " equation%s determine%s %" PRIu64
                  " derivative%s of STATEs and %" PRIu64
                  " other quantit%s. %" PRIu64 " give%s what stands on %s left",
                  c->plain + c->solved, plural(c->plain + c->solved),
                  c->plain + c->solved == 1 ? "s" : "", c->rates,
                  plural(c->rates), c->values, c->values == 1 ? "y" : "ies",
                  c->plain, c->plain == 1 ? "s" : "",
                  c->plain == 1 ? "its" : "their");
    if (c->solved)
        buffer_format(b, "; %" PRIu64 " %s for something else:\n", c->solved,
                      c->solved == 1 ? "is solved" : "are solved");
    else
        buffer_text(b, ".\n");
}

static bool in_circle(const System *s, uint32_t portion)
{
    for (uint32_t k = 0; k < system_circles(s); k++)
        for (uint32_t i = 0; i < system_circle(s, k)->portions; i++)
            if (system_circle(s, k)->portion[i] == portion)
                return true;
    return false;
}

static void tell_solved(Buffer *b, const Model *m)
{
    const System *s = &m->simulation;
    uint32_t told = 0, more = 0;
    for (uint32_t k = 0; k < system_portions(s); k++) {
        const Portion *p = system_portion(s, k);
        if (p->replaced || (p->target == p->left && p->value == p->right))
            continue;
        if (told == TOLD) {
            more++;
            continue;
        }
        told++;
        buffer_format(b, "- line %" PRIu32 ": %s gives ", line_of(m, p),
                      model_row(m, p->row)->text);
        expr_print(m, p->target, b);
        buffer_text(b, in_circle(s, k) ? ", in a loop of equations.\n" : ".\n");
    }
    if (more)
        buffer_format(b, "- and %" PRIu32 " more.\n", more);
}

/* ---- Algebraic loops --------------------------------------------------------- */

static void put_names(Buffer *b, const Model *m, const Circle *c,
                      uint32_t first, uint32_t end)
{
    uint32_t shown = end - first > TOLD ? first + TOLD : end;
    for (uint32_t k = first; k < shown; k++) {
        buffer_text(b, k == first ? "" : k + 1 == end ? " and " : ", ");
        expr_print(m, system_portion(&m->simulation, c->portion[k])->target, b);
    }
    if (shown < end)
        buffer_format(b, " and %" PRIu32 " more", end - shown);
}

static void put_lines(Buffer *b, const Model *m, const Circle *c)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (uint32_t k = 0; k < c->portions; k++) {
        uint32_t line =
            line_of(m, system_portion(&m->simulation, c->portion[k]));
        low = line < low ? line : low;
        high = line > high ? line : high;
    }
    if (low == high)
        buffer_format(b, "line %" PRIu32, low);
    else
        buffer_format(b, "lines %" PRIu32 " to %" PRIu32, low, high);
}

static void tell_torn(Buffer *b, const Model *m, const Circle *c)
{
    put_names(b, m, c, 0, c->torn);
    switch (c->how) {
    case CIRCLE_CLOSED:
        buffer_format(b, " %s given by a formula", c->torn == 1 ? "is" : "are");
        break;
    case CIRCLE_LINEAR:
        buffer_format(b, " %s found in one step, by elimination with pivoting",
                      c->torn == 1 ? "is" : "are");
        break;
    case CIRCLE_NEWTON:
        buffer_format(b,
                      " %s found by Newton's method, from the last values (at "
                      "the start from INITCOND, or 0)",
                      c->torn == 1 ? "is" : "are");
        break;
    }
    if (c->torn == c->portions) {
        buffer_text(b, ".\n");
        return;
    }
    buffer_text(b, "; then ");
    put_names(b, m, c, c->torn, c->portions);
    buffer_format(b, " follow%s.\n", c->portions - c->torn == 1 ? "s" : "");
}

static void tell_circle(Buffer *b, const Model *m, const Circle *c)
{
    if (c->portions == 1 && !c->sparse) {
        const Portion *p = system_portion(&m->simulation, c->portion[0]);
        buffer_format(b, "Line %" PRIu32 " cannot be solved by a formula: ",
                      line_of(m, p));
        tell_torn(b, m, c);
        return;
    }
    buffer_text(b, "Algebraic loop, ");
    put_lines(b, m, c);
    buffer_format(b,
                  ": %" PRIu64 " unknowns determine each other, and they do so "
                  "%s",
                  c->unknowns,
                  c->how == CIRCLE_NEWTON ? "nonlinearly. " : "linearly. ");
    if (c->sparse)
        buffer_text(b, "Most of them occur in few of its equations, which is "
                       "made use of. ");
    tell_torn(b, m, c);
}

static void tell_circles(Buffer *b, const Model *m)
{
    uint32_t n = system_circles(&m->simulation);
    if (n == 0)
        buffer_text(b, "They can be put into an order in which each uses only "
                       "what is known: there is no algebraic loop.\n");
    for (uint32_t k = 0; k < n && k < TOLD; k++)
        tell_circle(b, m, system_circle(&m->simulation, k));
    if (n > TOLD)
        buffer_format(b, "There are %" PRIu32 " more algebraic loops.\n",
                      n - TOLD);
}

/* ---- Constraints ---------------------------------------------------------------- */

static uint64_t count_rows(const Model *m)
{
    uint64_t rows = 0;
    for (uint32_t k = 0; k < model_constraints(m); k++)
        rows += loops_elements(m, model_constraint(m, k)->loops,
                               model_constraint(m, k)->n_loops);
    return rows;
}

static bool has_guards(const Model *m)
{
    for (uint32_t k = 0; k < model_constraints(m); k++)
        if (model_constraint(m, k)->guard)
            return true;
    return false;
}

/* Which equations say nothing of a rate or an ALGEBR until they are
   differentiated, and what that leaves free. */
static void tell_constraints(Buffer *b, const Model *m)
{
    uint32_t told = 0, more = 0, index = index_of(m);
    uint64_t rows = count_rows(m);
    if (rows == 0)
        return;
    buffer_text(b, "Constraints on STATEs:\n");
    for (uint32_t k = 0; k < model_constraints(m); k++) {
        const Row *row = model_row(m, model_constraint(m, k)->row);
        uint32_t times = index_times(m, k);
        if (times && told++ < TOLD)
            buffer_format(b, "- line %" PRIu32 ": %s, differentiated %s.\n",
                          row->line, row->text, index_words(times));
        else
            more += times > 0;
    }
    if (more)
        buffer_format(b, "- and %" PRIu32 " more.\n", more);
    if (index > 1)
        buffer_format(b, "So the equations as written have index %" PRIu32 ". ",
                      index);
    buffer_format(b,
                  "The %" PRIu32 " STATEs are integrated and brought back to "
                  "the constraints%s after each step",
                  m->states, rows > told ? " and their derivatives" : "");
    if (has_guards(m))
        buffer_text(b, "; in which modes they hold decides how many are "
                       "free.\n");
    else if (rows <= m->states)
        buffer_format(b, ": %" PRIu64 " of them %s free.\n", m->states - rows,
                      m->states - rows == 1 ? "is" : "are");
    else
        buffer_text(b, ".\n");
}

/* ---- Loops, relations, derivatives ---------------------------------------------- */

static uint32_t count_loops(const Steps *steps)
{
    uint32_t n = 0;
    for (const Step *s = steps->first; s; s = s->next) {
        n += s->kind == STEP_LOOP;
        n += count_loops(&s->body);
        for (uint32_t k = 0; s->select && k < s->select->branches; k++)
            n += count_loops(&s->branch[k]);
    }
    return n;
}

static void tell_relations(Buffer *b, const Model *m)
{
    uint32_t n = model_relations(m);
    if (n == 0)
        return;
    buffer_format(b,
                  "%" PRIu32 " discontinuit%s in equations %s events: "
                  "integration only ever sees one side (lines",
                  n, n == 1 ? "y" : "ies", n == 1 ? "becomes" : "become");
    uint32_t last = 0, told = 0;
    for (uint32_t k = 0; k < n && told < TOLD; k++) {
        uint32_t line = model_relation(m, k)->line;
        if (line == last)
            continue;
        buffer_format(b, "%s %" PRIu32, told ? "," : "", line);
        last = line;
        told++;
    }
    buffer_text(b, told == TOLD ? " ...).\n" : ").\n");
}

/* Equations of copies have been counted once. */
static void tell_pools(Buffer *b, const Model *m)
{
    for (uint32_t p = 0; p < model_pools(m); p++)
        buffer_format(b,
                      "The equations of %s count once, but each of its copies "
                      "has them: %" PRIu32 " STATE%s enter%s and leave%s with "
                      "a copy.\n",
                      model_pool(m, p)->name, model_pool(m, p)->states,
                      plural(model_pool(m, p)->states),
                      model_pool(m, p)->states == 1 ? "s" : "",
                      model_pool(m, p)->states == 1 ? "s" : "");
}

static void tell_jacobian(Buffer *b, const Model *m)
{
    if (!model_integrates(m))
        return;
    uint64_t places = 0;
    for (uint32_t k = 0; k < model_entries(m); k++)
        places +=
            loops_each(m, model_entry(m, k)->loops, model_entry(m, k)->n_loops);
    if (m->has_jacobian && model_pools(m))
        buffer_format(b, "Implicit methods get the Jacobian by formulas: its "
                         "pattern follows the copies that are there.\n");
    else if (m->has_jacobian)
        buffer_format(b,
                      "Implicit methods get the Jacobian by formulas: %" PRIu64
                      " of its %" PRIu64 " places can differ from zero.\n",
                      places, (uint64_t)m->states * m->states);
    else
        buffer_text(b, "Implicit methods get the Jacobian column by column, "
                       "from the exact derivative of the equations in one "
                       "direction: an algebraic loop, a recurrence over an "
                       "index or a long chain of equations lies between STATEs "
                       "and their derivatives.\n");
}

void solved_tell(Buffer *b, const Model *m)
{
    Count c = count_portions(m);
    uint32_t loops = count_loops(&m->simulation.program);
    if (c.plain + c.solved == 0)
        return;
    tell_count(b, &c);
    tell_pools(b, m);
    if (c.solved)
        tell_solved(b, m);
    tell_circles(b, m);
    tell_constraints(b, m);
    if (loops)
        buffer_format(b,
                      "%" PRIu32 " loop%s over arrays %s %s in the generated "
                      "code.\n",
                      loops, plural(loops), loops == 1 ? "is" : "are",
                      loops == 1 ? "a loop" : "loops");
    tell_relations(b, m);
    tell_jacobian(b, m);
}
