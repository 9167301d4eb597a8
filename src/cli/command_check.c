#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "cli/front.h"
#include "cli/translate.h"
#include "expand/expand.h"

typedef struct CheckOptions {
    FrontPass last;
    bool dump;
} CheckOptions;

static bool option_dump(CheckOptions *o, const char *pass)
{
    static const struct {
        const char *name;
        FrontPass last;
    } table[] = {{"tokens", PASS_LEX},  {"flat", PASS_EXPAND},
                 {"ast", PASS_PARSE},   {"model", PASS_LOWER},
                 {"hidden", PASS_HIDE}, {"matched", PASS_MATCH},
                 {"sorted", PASS_SORT}, {"derived", PASS_DERIVE}};
    for (size_t k = 0; k < LENGTH(table); k++)
        if (strcmp(pass, table[k].name) == 0) {
            o->last = table[k].last;
            o->dump = true;
            return true;
        }
    fprintf(stderr,
            "cosy: error: --dump knows tokens, flat, ast, model, hidden, "
            "matched, sorted and derived, not %s\n",
            pass);
    return false;
}

static void print_dump(const Unit *u, const Model *m, FrontPass pass)
{
    Buffer b = {0};
    if (m)
        model_print(m, &b);
    switch (pass) {
    case PASS_LEX: tokens_print(&u->tokens, &b); break;
    case PASS_EXPAND: flat_print(u, &b); break;
    case PASS_PARSE:
        if (u->program)
            ast_print(u->program, &b);
        break;
    default: break;
    }
    fputs(buffer_string(&b), stdout);
    buffer_free(&b);
}

static int check_one(const char *path, const CheckOptions *o)
{
    Arena arena = {0};
    Diags diags = {0};
    Unit unit;
    LibraryPlan plan;
    Fault fault = {0};
    bool right = false;
    int status = EXIT_DONE;
    if (front_read_plan(&unit, &arena, &diags, path, o->last, &right, &plan,
                        &fault)) {
        fprintf(stderr, "cosy: error: %s\n", fault.text);
        status = EXIT_USAGE;
    } else {
        /* What cannot be run yet is right all the same. */
        LowerOptions lowering = {.tolerant = !o->dump};
        Model *m = NULL;
        if (right && o->last >= PASS_CHECK)
            m = front_model(&unit, &lowering, o->last);
        if (right && diags.errors == 0)
            front_tell_plan(&unit, &plan);
        show_diags(&diags, path);
        if (o->dump)
            print_dump(&unit, m, o->last);
        status = right && diags.errors == 0 ? EXIT_DONE : EXIT_MODEL;
    }
    arena_free(&arena);
    return status;
}

int command_check(int argc, char **argv)
{
    CheckOptions o = {.last = PASS_DERIVE};
    int worst = EXIT_DONE, models = 0;
    for (int k = 1; k < argc; k++)
        if (strncmp(argv[k], "--dump=", 7) == 0) {
            if (!option_dump(&o, argv[k] + 7))
                return EXIT_USAGE;
        } else if (argv[k][0] == '-' && argv[k][1]) {
            fprintf(stderr, "cosy: error: check has no option %s\n", argv[k]);
            return EXIT_USAGE;
        }
    for (int k = 1; k < argc; k++) {
        if (argv[k][0] == '-')
            continue;
        int status = check_one(argv[k], &o);
        worst = status > worst ? status : worst;
        models++;
    }
    if (models == 0) {
        fputs("cosy: error: check needs a model; see cosy --help\n", stderr);
        return EXIT_USAGE;
    }
    return worst;
}
