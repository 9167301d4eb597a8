#include "pass.h"

#include "algebra/algebra.h"
#include "check/check.h"
#include "expand/expand.h"
#include "expand/parts.h"
#include "lower/lower.h"
#include "plan/plan.h"

/* The plan of the C: the cases of tests/pass/planned, and large models with
   their pieces. Memory that runs out is the business of test_algebra. */

static Model *model_of(Unit *u)
{
    LowerOptions o = {0};
    if (!lex(u) || !expand(u, NULL, true) || !parse(u) || !instantiate(u) ||
        !check(u))
        return NULL;
    Model *m = lower(u, &o);
    return m && algebra(m, ALGEBRA_DERIVE) ? m : NULL;
}

static void run(Unit *u, Buffer *b)
{
    Plan plan;
    const Model *m = model_of(u);
    if (!m)
        return;
    plan_make(&plan, m);
    CHECK(!plan.broken);
    plan_print(&plan, b);
    plan_free(&plan);
}

/* ---- Large models ---------------------------------------------------------------- */

/* n states, each with an equation for an ALGEBR; the last one is computed by
   `last`. */
static void write_large(Buffer *b, uint32_t n, const char *last)
{
    buffer_text(b, "PROGRAM P; VAR\n");
    for (uint32_t k = 0; k < n; k++)
        buffer_format(b, "STATE X%u; ALGEBR A%u;\n", k, k);
    buffer_text(b, "SYSTEM CONTINUOUS\n");
    for (uint32_t k = 0; k + 1 < n; k++)
        buffer_format(b, "X%u' = A%u; A%u = SIN(X%u);\n", k, k, k, k);
    buffer_format(b, "X%u' = A%u; A%u = %s END END; END.\n", n - 1, n - 1,
                  n - 1, last);
}

/* Every step that a function carries out stands in one piece, or after all of
   them. */
static void check_pieces(const FunctionPlan *f)
{
    const Step *s = f->steps[0]->first;
    for (uint32_t k = 0; k < f->pieces; k++) {
        while (s && !plan_wants(f, s))
            s = s->next;
        CHECK(s == f->piece[k].first);
        s = f->piece[k].end;
    }
}

static void test_large(uint32_t n, const char *last, bool big, bool follows)
{
    Arena arena = {0};
    Diags diags = {.arena = &arena};
    Unit u = {.arena = &arena, .diags = &diags, .name = "INPUT"};
    Plan plan;
    Buffer text = {0};
    write_large(&text, n, last);
    u.text = buffer_string(&text);
    u.length = text.v.used;
    u.file = diags_add_file(&diags, u.name, u.text, u.length);
    const Model *m = model_of(&u);
    CHECK(m);
    if (m) {
        plan_make(&plan, m);
        const FunctionPlan *f = plan.function;
        CHECK(!plan.broken && plan.facts.big == big);
        CHECK(f[PART_OUTPUTS].follows == follows);
        CHECK((f[PART_DERIVATIVES].pieces > 0) == big);
        check_pieces(&f[PART_DERIVATIVES]);
        check_pieces(&f[PART_OUTPUTS]);
        CHECK(f[PART_DERIVATIVES].n_computed == n);
        CHECK(f[PART_DERIVATIVES].computed[0].home ==
              (big ? HOME_WORK : HOME_LOCAL));
        plan_free(&plan);
    }
    arena_free(&arena);
    buffer_free(&text);
}

int main(void)
{
    pass_run("planned", run);
    test_large(20, "1", false, false);
    test_large(300, "1", true, true);
    test_large(300, "INT(X0)*X1", true, true);
    test_large(300, "IF X0 > 1 THEN 2 ELSE X1", true, true);
    test_large(300, "SUM(I := 1 TO 3 : I)", true, false);
    return check_end();
}
