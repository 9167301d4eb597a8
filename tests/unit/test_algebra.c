#include "pass.h"

#include "algebra/algebra.h"
#include "check/check.h"
#include "expand/expand.h"
#include "lower/lower.h"

/* From a lowered Model to a sorted and derived one: the order of computation,
   relations, loops that are torn, derivatives, and what is wrong with the
   structure of equations. */

static void run(Unit *u, Buffer *b)
{
    LowerOptions o = {0};
    Model *m;
    if (!lex(u) || !expand(u, NULL, true) || !parse(u) || !check(u) ||
        (m = lower(u, &o)) == NULL)
        return;
    if (algebra(m, ALGEBRA_DERIVE))
        model_print(m, b);
}

int main(void)
{
    pass_run("algebra", run);
    return check_end();
}
