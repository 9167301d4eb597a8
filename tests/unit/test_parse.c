#include "pass.h"

#include <time.h>

#include "scarce.h"

static void dump(Unit *u, Buffer *b)
{
    if (lex(u) && parse(u))
        ast_print(u->program, b);
}

int main(void)
{
    pass_run("parse", dump);
    return check_end();
}
