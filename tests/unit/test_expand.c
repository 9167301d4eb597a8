#include "expand/expand.h"

#include "folder.h"
#include "pass.h"
#include "scarce.h"

static void run(Unit *u, Buffer *b)
{
    if (lex(u) && expand(u, NULL, true))
        flat_print(u, b);
}

int main(void)
{
    pass_run("expand", run);
    return check_end();
}
