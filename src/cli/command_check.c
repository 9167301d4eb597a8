#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "cli/foresee.h"
#include "cli/front.h"
#include "cli/translate.h"
#include "expand/expand.h"
#include "guard/guard.h"
#include "plan/plan.h"

typedef struct CheckOptions {
    FrontPass last;
    bool dump;
    bool untrusted;
    const char *path; // that of the present model
} CheckOptions;

static bool option_dump(CheckOptions *o, const char *pass)
{
    static const struct {
        const char *name;
        FrontPass last;
    } table[] = {{"tokens", PASS_LEX},  {"flat", PASS_EXPAND},
                 {"ast", PASS_PARSE},   {"model", PASS_LOWER},
                 {"hidden", PASS_HIDE}, {"matched", PASS_MATCH},
                 {"sorted", PASS_SORT}, {"derived", PASS_DERIVE},
                 {"planned", PASS_PLAN}};
    for (size_t k = 0; k < LENGTH(table); k++)
        if (strcmp(pass, table[k].name) == 0) {
            o->last = table[k].last;
            o->dump = true;
            return true;
        }
    fprintf(stderr,
            "cosy: error: --dump knows tokens, flat, ast, model, hidden, "
            "matched, sorted, derived and planned, not %s\n",
            pass);
    return false;
}

static void print_plan(const Model *m, Buffer *b)
{
    Plan plan;
    plan_make(&plan, m);
    if (!plan.broken)
        plan_print(&plan, b);
    plan_free(&plan);
}

static void print_dump(const Unit *u, const Model *m, FrontPass pass)
{
    Buffer b = {0};
    if (m && pass == PASS_PLAN)
        print_plan(m, &b);
    else if (m)
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

/* Adds ", 3 states"; nothing if there are none. */
static void add_count(Buffer *b, uint64_t n, const char *one, const char *many)
{
    if (n > 0)
        buffer_format(b, ", %llu %s", (unsigned long long)n,
                      n == 1 ? one : many);
}

/* Equations as the modeller wrote them, each once for every turn of its FOR. */
static uint64_t count_equations(const Model *m)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < model_equations(m); k++) {
        const Equation *e = model_equation(m, k);
        n += loops_each(m, e->loops, e->n_loops);
    }
    return n;
}

static uint64_t count_events(const Model *m)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < model_state_events(m); k++)
        n += model_state_event(m, k)->elements;
    for (uint32_t k = 0; k < model_time_events(m); k++)
        n += model_time_event(m, k)->elements;
    return n;
}

/* Prints one line about a program without mistakes. m NULL: it cannot be run
   yet. */
static void print_verdict(const Unit *u, const Model *m, uint64_t equations)
{
    Buffer b = {0};
    buffer_format(&b, "%s: ok", u->name);
    if (!m)
        buffer_text(&b, ", but it cannot be run yet");
    if (m) {
        add_count(&b, m->states, "state", "states");
        add_count(&b, equations, "equation", "equations");
        add_count(&b, count_events(m), "event", "events");
        add_count(&b, model_processes(m) + model_pools(m), "process",
                  "processes");
    }
    add_count(&b, u->diags->warnings, "warning", "warnings");
    if (m && !m->has_experiment)
        buffer_text(&b, "; without EXPERIMENT nothing can be run");
    puts(buffer_string(&b));
    buffer_free(&b);
}

static int check_one(void *options)
{
    const CheckOptions *o = options;
    const char *path = o->path;
    Arena arena = {0};
    Diags diags = {0};
    Unit unit;
    LibraryPlan plan;
    Fault fault = {0};
    bool right = false;
    int status = EXIT_DONE;
    if (front_read_plan(&unit, &arena, &diags, path, o->last, o->untrusted,
                        NULL, &right, &plan, &fault)) {
        fprintf(stderr, "cosy: error: %s\n", fault.text);
        status = EXIT_USAGE;
    } else {
        /* A program that cannot be run yet may still be correct. */
        DataReader reader = {.untrusted = o->untrusted};
        LowerOptions lowering = {
            .tolerant = !o->dump, .read = translate_read, .user = &reader};
        Model *m = NULL;
        if (right && o->last >= PASS_CHECK)
            m = front_model(&unit, &lowering, o->last);
        if (m && !o->dump && diags.errors == 0)
            foresee(&unit, m);
        if (right && diags.errors == 0)
            front_tell_plan(&unit, &plan);
        show_diags(&diags, path);
        if (o->dump)
            print_dump(&unit, m, o->last);
        else if (right && diags.errors == 0)
            print_verdict(&unit, m, m ? count_equations(m) : 0);
        status = right && diags.errors == 0 ? EXIT_DONE : EXIT_MODEL;
    }
    arena_free(&arena);
    return status;
}

/* An untrusted model is read by a process that can do nothing else. */
static int check_guarded(CheckOptions *o)
{
    GuardPlan g = {.model = o->path, .limits = guard_usual};
    Fault f = {0};
    int status = EXIT_RUN;
    Status s = guard_run(&g, check_one, o, &status, &f);
    if (s == STATUS_OK)
        return status;
    fprintf(stderr, "cosy: error: %s: %s\n", o->path, f.text);
    return s == STATUS_UNSUPPORTED || s == STATUS_FILE ? EXIT_USAGE
                                                       : EXIT_MODEL;
}

int command_check(int argc, char **argv)
{
    CheckOptions o = {.last = PASS_DERIVE};
    int worst = EXIT_DONE, models = 0;
    for (int k = 1; k < argc; k++)
        if (strncmp(argv[k], "--dump=", 7) == 0) {
            if (!option_dump(&o, argv[k] + 7))
                return EXIT_USAGE;
        } else if (strcmp(argv[k], "--untrusted") == 0) {
            o.untrusted = true;
        } else if (argv[k][0] == '-' && argv[k][1]) {
            fprintf(stderr, "cosy: error: check has no option %s\n", argv[k]);
            return EXIT_USAGE;
        }
    for (int k = 1; k < argc; k++) {
        if (argv[k][0] == '-')
            continue;
        o.path = argv[k];
        int status = o.untrusted ? check_guarded(&o) : check_one(&o);
        worst = status > worst ? status : worst;
        models++;
    }
    if (models == 0) {
        fputs("cosy: error: check needs a model; see cosy --help\n", stderr);
        return EXIT_USAGE;
    }
    return worst;
}
