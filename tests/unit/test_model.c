#include "pass.h"

#include "algebra/algebra.h"
#include "algebra/promise.h"
#include "check/check.h"
#include "expand/expand.h"
#include "expand/parts.h"
#include "lower/lower.h"

/* Models that are broken by hand after a pass: model_check and promise_check
   notice each break, and say nothing about the intact model. */

static const char text[] =
    "PROGRAM P; \n"
    "VAR STATE X, Y; ARRAY [3] OF STATE U; ARRAY [3] OF ALGEBR S;\n"
    "ALGEBR A, B, C, E; INTEGER M; SEVENT V;\n"
    "SYSTEM INITIAL M := 1 END; CONTINUOUS\n"
    "A = SIN(X); B = A + ABS(Y); C = A*B; X' = C; Y' = B - C + E;\n"
    "E + EXP(E) = X;\n"
    "S[1] = U[1]; FOR I := 2 TO 3 DO S[I] = S[I - 1] + ABS(U[I]);\n"
    "FOR I := 1 TO 3 DO BEGIN CASE M OF 1: U[I]' = S[I] END;\n"
    "2: U[I]' = -U[I] END END;\n"
    "CONDIT V: B CROSSES 0.5 POS END\n"
    "END; DISCRETE EVENTS V: M := 2 END END END END; END.\n";

/* ---- Finding what is to be broken --------------------------------------------- */

static uint32_t variable_of(const Model *m, const char *name)
{
    for (uint32_t k = 0; k < model_variables(m); k++)
        if (strcmp(model_variable(m, k)->name, name) == 0)
            return k;
    CHECK(false);
    return 0;
}

static Equation *equation_of(Model *m, const char *name)
{
    uint32_t v = variable_of(m, name);
    for (uint32_t k = 0; k < model_equations(m); k++)
        if (model_equation(m, k)->left->which == v)
            return model_equation(m, k);
    CHECK(false);
    return model_equation(m, 0);
}

static Portion *portion_of(Model *m, const char *name)
{
    uint32_t v = variable_of(m, name);
    for (uint32_t k = 0; k < system_portions(&m->simulation); k++)
        if (system_portion(&m->simulation, k)->left->which == v)
            return system_portion(&m->simulation, k);
    CHECK(false);
    return system_portion(&m->simulation, 0);
}

/* The step of the program that computes a variable, with the one before it. */
static Step *step_of(Model *m, const char *name, Step **before)
{
    uint32_t v = variable_of(m, name);
    *before = NULL;
    for (Step *s = m->simulation.program.first; s; *before = s, s = s->next)
        if (s->kind == STEP_ASSIGN && s->target->op == EXPR_VARIABLE &&
            s->target->which == v)
            return s;
    CHECK(false);
    return m->simulation.program.first;
}

static Step *step_kind(Steps *steps, StepKind kind)
{
    for (Step *s = steps->first; s; s = s->next)
        if (s->kind == kind)
            return s;
    CHECK(false);
    return steps->first;
}

static const Expr *scalar(Model *m, const char *name)
{
    return expr_variable(m, variable_of(m, name), NULL, 0);
}

/* An expression that may be changed because no other one shares it. */
static Expr *loose(Model *m, const Expr *like)
{
    Expr *e = MODEL_NEW(m, Expr);
    *e = *like;
    return e;
}

/* ---- What is broken --------------------------------------------------------------- */

static void break_bounds(Model *m)
{
    model_variable(m, variable_of(m, "U"))->high[0]++;
}

static void break_place(Model *m)
{
    model_variable(m, variable_of(m, "Y"))->place = 0;
}

static void break_states(Model *m)
{
    m->states++;
}

static void break_c_name(Model *m)
{
    model_variable(m, variable_of(m, "A"))->c_name = "A'";
}

static void break_row(Model *m)
{
    equation_of(m, "A")->row = model_rows(m);
}

static void break_argument(Model *m)
{
    Expr *e = loose(m, equation_of(m, "A")->right);
    e->count = 0;
    equation_of(m, "A")->right = e;
}

static void break_itself(Model *m)
{
    Expr *e = loose(m, equation_of(m, "A")->right);
    const Expr **arg = MODEL_NEW(m, const Expr *);
    e->arg = arg;
    arg[0] = e;
    e->id = arg[0]->id;
    equation_of(m, "B")->right = expr_1(m, EXPR_NEG, scalar(m, "A"));
    Expr *outer = loose(m, equation_of(m, "B")->right);
    outer->id = 0;
    equation_of(m, "B")->right = outer;
}

static void break_name(Model *m)
{
    Expr *e = loose(m, scalar(m, "A"));
    e->which = model_variables(m) + 7;
    equation_of(m, "B")->right = e;
}

static void break_index(Model *m)
{
    equation_of(m, "A")->right = scalar(m, "U");
}

static void break_loop(Model *m)
{
    uint32_t loop = model_equation(m, model_equations(m) - 1)->loops[0];
    equation_of(m, "A")->right = expr_float(m, expr_loop(m, loop));
}

static void break_guard(Model *m)
{
    Guard *g = MODEL_NEW(m, Guard);
    *g = *model_equation(m, model_equations(m) - 1)->guard;
    g->branch = 2;
    model_equation(m, model_equations(m) - 1)->guard = g;
}

static void break_selector(Model *m)
{
    const Guard *g = model_equation(m, model_equations(m) - 1)->guard;
    ((Select *)(uintptr_t)g->select)->selector = scalar(m, "A");
}

static void break_relation_place(Model *m)
{
    model_relation(m, 1)->first++;
}

static void break_relation_count(Model *m)
{
    model_relation(m, 0)->count++;
}

static void break_branches(Model *m)
{
    m->branches++;
}

static void break_side(Model *m)
{
    equation_of(m, "A")->right =
        expr_float(m, expr_make(m, EXPR_SIDE, EXPR_TYPE_INTEGER, 1, NULL, 0));
}

static void break_noevent(Model *m)
{
    equation_of(m, "A")->right = expr_1(m, EXPR_NOEVENT, scalar(m, "X"));
}

static void break_target(Model *m)
{
    portion_of(m, "A")->target = NULL;
}

static void break_known(Model *m)
{
    portion_of(m, "A")->target = scalar(m, "M");
}

static void break_twice(Model *m)
{
    portion_of(m, "B")->target = scalar(m, "A");
}

static void break_element(Model *m)
{
    const Expr *one = expr_integer(m, 1);
    System *s = &m->simulation;
    system_portion(s, system_portions(s) - 1)->target =
        expr_rate(m, variable_of(m, "U"), &one, 1);
}

/* C before B, which it reads. */
static void break_order(Model *m)
{
    Step *before, *b = step_of(m, "B", &before), *next = b->next;
    before->next = next;
    b->next = next->next;
    next->next = b;
}

static void break_lost(Model *m)
{
    Step *before;
    step_of(m, "C", &before);
    before->next = before->next->next;
}

static void break_again(Model *m)
{
    Step *before, *b = step_of(m, "B", &before);
    Step *own = steps_add(m, &m->simulation.program, STEP_ASSIGN);
    Step *last = own->next;
    *own = *b;
    own->next = last;
}

static void break_down(Model *m)
{
    Step *s = step_kind(&m->simulation.program, STEP_LOOP);
    s->down = !s->down;
}

static void break_branch(Model *m)
{
    for (Step *s = m->simulation.program.first; s; s = s->next) {
        Step *choice = s->kind == STEP_LOOP ? s->body.first : s;
        if (choice->kind != STEP_SELECT)
            continue;
        Steps first = choice->branch[0];
        choice->branch[0] = choice->branch[1];
        choice->branch[1] = first;
        return;
    }
    CHECK(false);
}

static void break_value(Model *m)
{
    Step *before;
    step_of(m, "C", &before)->value = NULL;
}

static void break_last(Model *m)
{
    m->simulation.program.last = m->simulation.program.first;
}

static void break_block(Model *m)
{
    step_kind(&m->simulation.program, STEP_SOLVE)->block = 99;
}

static void break_square(Model *m)
{
    model_block(m, 0)->part[0].residual = NULL;
}

static void break_empty(Model *m)
{
    model_block(m, 0)->n = 0;
}

static void break_rate(Model *m)
{
    model_condition(m, 0)->dz = NULL;
}

static void break_side_rate(Model *m)
{
    model_relation(m, 0)->da = NULL;
}

static void break_needs(Model *m)
{
    Step *before;
    step_of(m, "A", &before)->needs &= ~(uint32_t)NEED_RATES;
}

static void break_needs_inside(Model *m)
{
    step_kind(&m->simulation.program, STEP_LOOP)->needs = 0;
}

typedef struct Broken {
    void (*how)(Model *m);
    AlgebraPass after;
    const char *noticed;
} Broken;

static const Broken cases[] = {
    {break_bounds, ALGEBRA_HIDE, "elements do not agree with its bounds"},
    {break_place, ALGEBRA_HIDE, "does not follow that of the STATE"},
    {break_states, ALGEBRA_HIDE, "does not agree with their elements"},
    {break_c_name, ALGEBRA_HIDE, "no identifier for C"},
    {break_row, ALGEBRA_HIDE, "no row"},
    {break_argument, ALGEBRA_HIDE, "wrong arguments"},
    {break_itself, ALGEBRA_HIDE, "wrong arguments"},
    {break_name, ALGEBRA_HIDE, "names what does not exist"},
    {break_index, ALGEBRA_HIDE, "wrong number of indices"},
    {break_loop, ALGEBRA_HIDE, "outside its loop"},
    {break_guard, ALGEBRA_HIDE, "a branch that does not exist"},
    {break_selector, ALGEBRA_HIDE, "selector of the wrong type"},
    {break_relation_place, ALGEBRA_HIDE, "do not follow those before"},
    {break_relation_count, ALGEBRA_HIDE, "for each pass of its loops"},
    {break_branches, ALGEBRA_HIDE, "not as long as their places"},
    {break_side, ALGEBRA_HIDE, "without its indices"},
    {break_noevent, ALGEBRA_HIDE, "NOEVENT is left"},
    {break_target, ALGEBRA_MATCH, "no target"},
    {break_known, ALGEBRA_MATCH, "M is a target but not an unknown"},
    {break_twice, ALGEBRA_MATCH, "A is determined by two equations"},
    {break_element, ALGEBRA_MATCH, "U[1]' is not one element"},
    {break_order, ALGEBRA_SORT, "B is read before it is computed"},
    {break_lost, ALGEBRA_SORT, "C is read before it is computed"},
    {break_again, ALGEBRA_SORT, "B is computed twice"},
    {break_down, ALGEBRA_SORT, "S[2] is read before it is computed"},
    {break_branch, ALGEBRA_SORT, "in a branch that is not its own"},
    {break_value, ALGEBRA_SORT, "without a target or a value"},
    {break_last, ALGEBRA_SORT, "the last step is a different one"},
    {break_block, ALGEBRA_SORT, "a block that does not exist"},
    {break_square, ALGEBRA_SORT, "unknowns and residuals differ"},
    {break_empty, ALGEBRA_SORT, "it has no unknown"},
    {break_rate, ALGEBRA_DERIVE, "no time derivative"},
    {break_side_rate, ALGEBRA_DERIVE, "no time derivative"},
    {break_needs, ALGEBRA_DERIVE, "A is needed by a step"},
    {break_needs_inside, ALGEBRA_DERIVE, "inside a step that is not"},
};

/* ---- Trying ------------------------------------------------------------------------ */

static Model *model_after(Arena *a, Diags *d, AlgebraPass last)
{
    LowerOptions o = {0};
    Unit u = {.arena = a,
              .diags = d,
              .name = "INPUT",
              .text = text,
              .length = strlen(text)};
    u.file = diags_add_file(d, u.name, u.text, u.length);
    if (!lex(&u) || !expand(&u, NULL, true) || !parse(&u) || !instantiate(&u) ||
        !check(&u))
        return NULL;
    Model *m = lower(&u, &o);
    return m && algebra(m, last) ? m : NULL;
}

static void try_case(const Broken *b)
{
    Arena arena = {0};
    Diags diags = {.arena = &arena};
    Buffer why = {0};
    Model *m = model_after(&arena, &diags, b->after);
    CHECK(m != NULL);
    if (m) {
        CHECK(model_check(m, &why) && promise_check(m, &why));
        b->how(m);
        CHECK(!(model_check(m, &why) && promise_check(m, &why)));
        CHECK(strstr(buffer_string(&why), b->noticed) != NULL);
        if (!strstr(buffer_string(&why), b->noticed))
            printf("wanted: %s\nfound: %s\n", b->noticed, buffer_string(&why));
    }
    buffer_free(&why);
    arena_free(&arena);
}

int main(void)
{
    for (size_t k = 0; k < LENGTH(cases); k++)
        try_case(&cases[k]);
    return check_end();
}
