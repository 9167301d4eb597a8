#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/macros.h"
#include "cli/texts.h"
#include "syntax/words.h"

typedef struct NewCommand {
    const char *name; // as given
    const char *kind;
    const char *text;
} NewCommand;

static bool usage(const char *format, const char *what)
{
    fputs("cosy: error: ", stderr);
    fprintf(stderr, format, what);
    fputs("; see cosy --help\n", stderr);
    return false;
}

static bool option_kind(NewCommand *o, const char *kind)
{
    static const struct {
        const char *kind, *text;
    } table[] = {{"continuous", start_continuous},
                 {"combined", start_combined},
                 {"discrete", start_discrete}};
    for (size_t k = 0; k < LENGTH(table); k++)
        if (strcmp(kind, table[k].kind) == 0) {
            o->kind = table[k].kind;
            o->text = table[k].text;
            return true;
        }
    return usage("--kind is continuous, combined or discrete, not \"%s\"",
                 kind);
}

static bool options(NewCommand *o, int argc, char **argv)
{
    option_kind(o, "continuous");
    for (int k = 1; k < argc; k++)
        if (strncmp(argv[k], "--kind=", 7) == 0) {
            if (!option_kind(o, argv[k] + 7))
                return false;
        } else if (strcmp(argv[k], "--kind") == 0) {
            if (k + 1 == argc)
                return usage("%s needs a kind of model", argv[k]);
            if (!option_kind(o, argv[++k]))
                return false;
        } else if (argv[k][0] == '-') {
            return usage("new has no option %s", argv[k]);
        } else if (o->name) {
            return usage("one model at a time, not also %s", argv[k]);
        } else {
            o->name = argv[k];
        }
    return o->name ? true : usage("%s needs the name of a model", "new");
}

/* ---- Names --------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Length of a file's name without .cosy. */
static size_t stem_length(const char *name)
{
    size_t n = strlen(name);
    return n > 5 && strcmp(name + n - 5, ".cosy") == 0 ? n - 5 : n;
}

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Makes a name of the language from a file's name: characters that names cannot
   have become `_`. */
static void program_name(const char *name, size_t n, Buffer *b)
{
    WordTable words;
    Word w;
    words_prepare(&words);
    w = words_find(&words, name, n);
    if (!is_letter(name[0]) || word_class(w) == WORD_CLASS_RESERVED ||
        word_class(w) == WORD_CLASS_MACRO)
        buffer_text(b, "MODEL_");
    for (size_t k = 0; k < n; k++) {
        char c = name[k];
        if (c >= 'a' && c <= 'z')
            c = (char)(c - 'a' + 'A');
        buffer_char(b, is_letter(c) || (c >= '0' && c <= '9') ? c : '_');
    }
}

/* The model, under the name of its program. */
static void new_text(const NewCommand *o, Buffer *b)
{
    static const char heading[] = "PROGRAM START;";
    const char *name = base_name(o->name);
    const char *at = strstr(o->text, heading);
    buffer_bytes(b, o->text, (size_t)(at - o->text));
    buffer_text(b, "PROGRAM ");
    program_name(name, stem_length(name), b);
    buffer_text(b, ";");
    buffer_text(b, at + strlen(heading));
}

/* ---- The file ------------------------------------------------------------ */

/* Creates the name first, so that no existing file can be lost; then the file
   is written as a whole. */
static Status write_new(const char *path, Buffer *text, Fault *f)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    Status status;
    if (fd < 0 && errno == EEXIST)
        return fault_set(
            f, STATUS_FILE,
            "%s already exists and stays as it is: choose another name", path);
    if (fd < 0)
        return fault_set(f, STATUS_FILE, "%s: cannot create a file there: %s",
                         path, strerror(errno));
    close(fd);
    status = file_write(path, text->v.bytes, text->v.used, f);
    if (status != STATUS_OK)
        unlink(path);
    return status;
}

int command_new(int argc, char **argv)
{
    NewCommand o = {0};
    Buffer path = {0}, text = {0};
    Fault fault = {0};
    Status status;
    if (!options(&o, argc, argv))
        return EXIT_USAGE;
    if (base_name(o.name)[0] == '\0' || strcmp(base_name(o.name), ".cosy") == 0)
        return usage("\"%s\" is not the name of a model", o.name), EXIT_USAGE;
    buffer_bytes(&path, o.name, stem_length(o.name));
    buffer_text(&path, ".cosy");
    new_text(&o, &text);
    if (path.broken || text.broken)
        status = fault_set(&fault, STATUS_MEMORY, "memory is exhausted");
    else
        status = write_new(buffer_string(&path), &text, &fault);
    if (status != STATUS_OK)
        fprintf(stderr, "cosy: error: %s\n", fault.text);
    else
        printf("%s is a %s model to start from. Run it with\n\n"
               "  cosy run %s\n",
               buffer_string(&path), o.kind, buffer_string(&path));
    buffer_free(&path);
    buffer_free(&text);
    return status == STATUS_OK ? EXIT_DONE : EXIT_USAGE;
}
