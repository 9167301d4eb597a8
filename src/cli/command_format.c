#define _DEFAULT_SOURCE // realpath
#include "cli/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/front.h"
#include "cli/translate.h"
#include "expand/expand.h"
#include "format/format.h"

typedef struct FormatCommand {
    const char *out; // -o, or NULL
    bool check, write;
    int models;
} FormatCommand;

static bool usage(const char *format, const char *what)
{
    fputs("cosy: error: ", stderr);
    fprintf(stderr, format, what);
    fputs("; see cosy --help\n", stderr);
    return false;
}

static bool options(FormatCommand *o, int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--check") == 0) {
            o->check = true;
        } else if (strcmp(argv[k], "--write") == 0) {
            o->write = true;
        } else if (strcmp(argv[k], "-o") == 0) {
            if (++k == argc)
                return usage("%s needs the name of a file", "-o");
            o->out = argv[k];
        } else if (argv[k][0] == '-') {
            return usage("format has no option %s", argv[k]);
        } else {
            o->models++;
        }
    if (o->models == 0)
        return usage("%s needs a model", "format");
    if (o->check + o->write + (o->out != NULL) > 1)
        return usage("%s exclude each other", "-o, --check and --write");
    if (o->models > 1 && !o->check && !o->write)
        return usage(
            "%s", "several models are allowed only with --check and --write");
    return true;
}

/* Replaces the file itself, even if a link names it, and keeps its
   permissions. */
static Status replace(const char *path, const Buffer *text, Fault *f)
{
    char *real = realpath(path, NULL);
    struct stat old;
    Status status;
    if (!real || stat(real, &old) != 0) {
        free(real);
        return fault_set(f, STATUS_FILE, "%s can no longer be found", path);
    }
    status = file_write(real, text->v.bytes, text->v.used, f);
    if (status == STATUS_OK && chmod(real, old.st_mode & 07777) != 0)
        status =
            fault_set(f, STATUS_FILE,
                      "%s was written, but its permissions are lost", path);
    free(real);
    return status;
}

static int deliver(const FormatCommand *o, const Unit *u, const Buffer *text)
{
    bool same =
        text->v.used == u->length &&
        (u->length == 0 || memcmp(text->v.bytes, u->text, u->length) == 0);
    Fault fault = {0};
    Status status = STATUS_OK;
    if (o->check) {
        if (!same)
            fprintf(stderr, "%s: the layout is not that of cosy format\n",
                    u->name);
        return same ? EXIT_DONE : EXIT_MODEL;
    }
    if (o->out)
        status = file_write(o->out, text->v.bytes, text->v.used, &fault);
    else if (!o->write)
        fwrite(text->v.bytes, 1, text->v.used, stdout);
    else if (!same)
        status = replace(u->name, text, &fault);
    if (status != STATUS_OK)
        fprintf(stderr, "cosy: error: %s\n", fault.text);
    return status == STATUS_OK ? EXIT_DONE : EXIT_USAGE;
}

/* A program, or a file of definitions for the library. */
static Status read_model(Unit *u, Arena *a, Diags *d, const char *path,
                         bool *right, Fault *f)
{
    LibraryEntry *entry;
    size_t n;
    Word first;
    Status status = front_read(u, a, d, path, PASS_LEX, right, f);
    if (status != STATUS_OK || !*right)
        return status;
    first = u->tokens.token[0].word;
    if (first == WORD_MACRO || first == WORD_MODULE) {
        *right = expand_definitions(u, &entry, &n);
        return STATUS_OK;
    }
    *d = (Diags){0};
    return front_read(u, a, d, path, PASS_PARSE, right, f);
}

static int format_one(const char *path, const FormatCommand *o)
{
    Arena arena = {0};
    Diags diags = {0};
    Unit unit;
    Fault fault = {0};
    Buffer text = {0};
    bool right = false;
    int status = EXIT_MODEL;
    if (read_model(&unit, &arena, &diags, path, &right, &fault)) {
        fprintf(stderr, "cosy: error: %s\n", fault.text);
        status = EXIT_USAGE;
    } else {
        bool done = right && format_program(&unit, &text);
        if (!done) {
            show_diags(&diags, path);
            fprintf(stderr,
                    "%s has mistakes and cannot be formatted: nothing was "
                    "changed\n",
                    path);
        } else {
            status = deliver(o, &unit, &text);
        }
    }
    buffer_free(&text);
    arena_free(&arena);
    return status;
}

int command_format(int argc, char **argv)
{
    FormatCommand o = {0};
    int worst = EXIT_DONE;
    if (!options(&o, argc, argv))
        return EXIT_USAGE;
    for (int k = 1; k < argc; k++) {
        int status;
        if (argv[k][0] == '-') {
            k += strcmp(argv[k], "-o") == 0;
            continue;
        }
        status = format_one(argv[k], &o);
        worst = status > worst ? status : worst;
    }
    return worst;
}
