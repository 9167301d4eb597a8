#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "cli/front.h"
#include "cli/translate.h"
#include "graph/graph.h"

/* cosy graph MODEL: pictures of its parts and of its causality. */

typedef struct GraphCommand {
    const char *model;
    const char *dir; // -o, or NULL: where it was started
} GraphCommand;

static bool usage(const char *format, const char *what)
{
    fputs("cosy: error: ", stderr);
    fprintf(stderr, format, what);
    fputs("; see cosy --help\n", stderr);
    return false;
}

static bool options(GraphCommand *o, int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "-o") == 0) {
            if (++k == argc)
                return usage("%s needs a directory", "-o");
            o->dir = argv[k];
        } else if (argv[k][0] == '-' && argv[k][1]) {
            return usage("graph has no option %s", argv[k]);
        } else if (o->model) {
            return usage("%s takes one model", "graph");
        } else {
            o->model = argv[k];
        }
    return o->model || usage("%s needs a model", "graph");
}

/* DIR/MODEL-WHAT.svg, without the folder and the extension of the model. */
static void put_path(Buffer *b, const GraphCommand *o, const char *what)
{
    const char *slash = strrchr(o->model, '/');
    const char *name = slash ? slash + 1 : o->model;
    const char *dot = strrchr(name, '.');
    size_t n = dot && strcmp(dot, ".cosy") == 0 && dot > name
                   ? (size_t)(dot - name)
                   : strlen(name);
    if (o->dir)
        buffer_format(b, "%s/", o->dir);
    buffer_bytes(b, name, n);
    buffer_format(b, "-%s.svg", what);
}

static Status write_picture(const GraphCommand *o, const char *what,
                            const char *shows, const Buffer *svg, Fault *f)
{
    Buffer path = {0};
    Status s;
    put_path(&path, o, what);
    if (svg->broken || path.broken)
        s = fault_set(f, STATUS_MEMORY, "no memory for the pictures of %s",
                      o->model);
    else
        s = file_write(buffer_string(&path), svg->v.bytes, svg->v.used, f);
    if (s == STATUS_OK)
        printf("%s: %s\n", buffer_string(&path), shows);
    buffer_free(&path);
    return s;
}

static Status write_parts(const GraphCommand *o, const Unit *u, const Model *m,
                          Fault *f)
{
    static const char shows[] = "parts and connections";
    Buffer svg = {0}, heading = {0};
    Status s = STATUS_OK;
    buffer_format(&heading, "%s: %s", m->name, shows);
    if (graph_parts(&svg, &u->parts, buffer_string(&heading)))
        s = write_picture(o, "parts", shows, &svg, f);
    else
        printf("%s has no parts: there is no picture of them.\n", m->name);
    buffer_free(&svg);
    buffer_free(&heading);
    return s;
}

static Status write_causality(const GraphCommand *o, const Unit *u, Model *m,
                              Fault *f)
{
    static const char shows[] = "which equation gives which unknown";
    Buffer svg = {0}, heading = {0};
    Status s = STATUS_OK;
    buffer_format(&heading, "%s: %s", m->name, shows);
    if (graph_causality(&svg, m, &u->parts, buffer_string(&heading)))
        s = write_picture(o, "causality", shows, &svg, f);
    else
        printf("%s has no equations: there is no picture of them.\n", m->name);
    buffer_free(&svg);
    buffer_free(&heading);
    return s;
}

static int draw(const GraphCommand *o, Arena *a)
{
    Diags diags = {0};
    Unit unit;
    Fault fault = {0};
    bool right = false;
    DataReader reader = {0};
    const LowerOptions lowering = {.read = translate_read, .user = &reader};
    Status s =
        front_read(&unit, a, &diags, o->model, PASS_CHECK, &right, &fault);
    if (s == STATUS_OK) {
        Model *m = right ? front_model(&unit, &lowering, PASS_SORT) : NULL;
        if (!m || diags.errors) {
            show_diags(&diags, o->model);
            return EXIT_MODEL;
        }
        s = o->dir ? dir_make(o->dir, &fault) : STATUS_OK;
        if (s == STATUS_OK)
            s = write_parts(o, &unit, m, &fault);
        if (s == STATUS_OK)
            s = write_causality(o, &unit, m, &fault);
    }
    if (s != STATUS_OK)
        fprintf(stderr, "cosy: error: %s\n", fault.text);
    return s == STATUS_OK ? EXIT_DONE : EXIT_USAGE;
}

int command_graph(int argc, char **argv)
{
    Arena arena = {0};
    GraphCommand o = {0};
    if (!options(&o, argc, argv))
        return EXIT_USAGE;
    int status = draw(&o, &arena);
    arena_free(&arena);
    return status;
}
