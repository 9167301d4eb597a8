#include <stdio.h>
#include <string.h>

#include "check/xref.h"
#include "cli/commands.h"
#include "cli/front.h"
#include "cli/translate.h"
#include "expand/expand.h"

#define COLUMNS 80
#define INDENT  12 // indentation of what follows "declared"

static const char *const uses[] = {
    [XREF_DECLARED] = "declared", [XREF_SET] = "set", [XREF_READ] = "read"};

/* ---- As text ------------------------------------------------------------- */

/* "31 event FULL", "5 equation (call 20)" */
static void write_place(Buffer *b, const Mention *m)
{
    b->v.used = 0;
    if (m->line > 0)
        buffer_format(b, "%u", (unsigned)m->line);
    else
        buffer_text(b, "library");
    if (m->place[0] != '\0')
        buffer_format(b, " %s", m->place);
    for (uint32_t k = 0; k < m->calls; k++)
        buffer_format(b, "%s%u%s", k == 0 ? " (call " : ", ",
                      (unsigned)m->call[k], k + 1 == m->calls ? ")" : "");
}

/* All mentions of one use, from m[k] on, in lines of 80 columns; returns what
   follows them. */
static size_t write_uses(Buffer *b, const Mention *m, size_t k, size_t n)
{
    Buffer one = {0};
    size_t first = k, column = INDENT;
    buffer_format(b, "  %-*s", INDENT - 2, uses[m[k].use]);
    for (; k < n && m[k].use == m[first].use; k++) {
        size_t length;
        write_place(&one, &m[k]);
        length = strlen(buffer_string(&one));
        if (k > first && column + length + 3 > COLUMNS) {
            buffer_format(b, ",\n%*s", INDENT, "");
            column = INDENT;
        } else if (k > first) {
            buffer_text(b, ", ");
            column += 2;
        }
        buffer_text(b, buffer_string(&one));
        column += length;
    }
    buffer_char(b, '\n');
    b->broken = b->broken || one.broken;
    buffer_free(&one);
    return k;
}

static void write_text(Buffer *b, const Mention *m, size_t n)
{
    buffer_format(b, "%s, %s", m->name, m->what);
    if (m->unit[0] != '\0')
        buffer_format(b, " [%s]", m->unit);
    buffer_char(b, '\n');
    for (size_t k = 0; k < n;)
        k = write_uses(b, m, k, n);
}

/* ---- As JSON ------------------------------------------------------------- */

static void write_mention(Buffer *b, const Mention *m)
{
    buffer_format(b, "{\"line\": %u, \"place\": ", (unsigned)m->line);
    buffer_json(b, m->place);
    buffer_text(b, ", \"calls\": [");
    for (uint32_t k = 0; k < m->calls; k++)
        buffer_format(b, "%s%u", k == 0 ? "" : ", ", (unsigned)m->call[k]);
    buffer_text(b, "]}");
}

static void write_json(Buffer *b, const Mention *m, size_t n, bool first)
{
    buffer_text(b, first ? "\n  {\"name\": " : ",\n  {\"name\": ");
    buffer_json(b, m->name);
    buffer_text(b, ", \"what\": ");
    buffer_json(b, m->what);
    buffer_text(b, ", \"unit\": ");
    buffer_json(b, m->unit);
    for (XrefUse use = XREF_DECLARED; use <= XREF_READ; use++) {
        bool none = true;
        buffer_format(b, ",\n    \"%s\": [", uses[use]);
        for (size_t k = 0; k < n; k++)
            if (m[k].use == use) {
                buffer_text(b, none ? "" : ", ");
                write_mention(b, &m[k]);
                none = false;
            }
        buffer_char(b, ']');
    }
    buffer_char(b, '}');
}

/* ---- The listing --------------------------------------------------------- */

static bool is_same_name(const Mention *a, const Mention *b)
{
    return a->symbol == b->symbol &&
           (a->symbol != NULL || name_same(a->name, b->name));
}

static void write_all(Buffer *b, const Vector *v, bool json)
{
    const Mention *m = (const Mention *)(const void *)v->bytes;
    size_t n = v->used / sizeof *m;
    if (json)
        buffer_char(b, '[');
    for (size_t k = 0, end; k < n; k = end) {
        for (end = k + 1; end < n && is_same_name(&m[k], &m[end]);)
            end++;
        if (json)
            write_json(b, &m[k], end - k, k == 0);
        else
            write_text(b, &m[k], end - k);
    }
    buffer_text(b, json ? "\n]\n" : "");
}

static int list_names(const char *path, bool json)
{
    Arena arena = {0};
    Diags diags = {0};
    Unit unit;
    Fault fault = {0};
    Buffer b = {0};
    Vector mentions = {0};
    bool right = false;
    int status = EXIT_DONE;
    if (front_read(&unit, &arena, &diags, path, PASS_CHECK, &right, &fault)) {
        fprintf(stderr, "cosy: error: %s\n", fault.text);
        status = EXIT_USAGE;
    } else if (!right || diags.errors > 0) {
        show_diags(&diags, path);
        status = EXIT_MODEL;
    } else if (!xref_collect(&unit, &mentions)) {
        fputs("cosy: error: no memory for the names of the model\n", stderr);
        status = EXIT_USAGE;
    } else {
        write_all(&b, &mentions, json);
        fputs(buffer_string(&b), stdout);
    }
    buffer_free(&b);
    vector_free(&mentions);
    arena_free(&arena);
    return status;
}

int command_xref(int argc, char **argv)
{
    const char *model = NULL;
    bool json = false;
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--json") == 0) {
            json = true;
        } else if (argv[k][0] == '-' && argv[k][1]) {
            fprintf(stderr, "cosy: error: xref has no option %s\n", argv[k]);
            return EXIT_USAGE;
        } else if (model) {
            fputs("cosy: error: xref takes one model\n", stderr);
            return EXIT_USAGE;
        } else {
            model = argv[k];
        }
    if (!model) {
        fputs("cosy: error: xref needs a model; see cosy --help\n", stderr);
        return EXIT_USAGE;
    }
    return list_names(model, json);
}
