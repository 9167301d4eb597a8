#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/front.h"
#include "cli/terminal.h"
#include "expand/expand.h"

static const char usage[] =
    "cosy lib list           MACROs and MODULEs of the library\n"
    "cosy lib show NAME      the source of one\n"
    "cosy lib add FILE...    all definitions in these files\n"
    "cosy lib remove NAME takes one out\n"
    "\n"
    "The library is the file named by COSY_LIBRARY, else cosy/library.db in\n"
    "XDG_DATA_HOME or ~/.local/share.\n";

static int wrong_use(const char *what)
{
    fprintf(stderr, "cosy: error: %s\n\n%s", what, usage);
    return EXIT_USAGE;
}

static int failed(const Fault *f)
{
    fprintf(stderr, "cosy: error: %s\n", f->text);
    return EXIT_USAGE;
}

static const char *kind_words(LibraryKind k)
{
    return k == LIBRARY_MACRO ? "MACRO" : "MODULE";
}

/* ---- Reading ------------------------------------------------------------- */

static int list(Library *l, Arena *a)
{
    LibraryEntry *entry;
    size_t n;
    Fault f = {0};
    if (library_list(l, a, &entry, &n, &f) != STATUS_OK)
        return failed(&f);
    for (size_t k = 0; k < n; k++)
        printf("%-8s%s\n", kind_words(entry[k].kind), entry[k].name);
    return EXIT_DONE;
}

/* Reports a name that is not in the library, with the one that was probably
   meant. */
static int not_there(Library *l, Arena *a, const char *name)
{
    LibraryEntry *entry;
    size_t n = 0;
    Fault f = {0};
    const char *near = NULL, **known = NULL;
    if (library_list(l, a, &entry, &n, &f) == STATUS_OK)
        known = NEW_ARRAY(a, const char *, n + 1);
    for (size_t k = 0; k < n && known != NULL; k++)
        known[k] = entry[k].name;
    if (known != NULL)
        near = nearest_name(name, known, n);
    fprintf(stderr, "cosy: error: there is no %s in the library %s%s%s%s\n",
            name, library_place(l), near == NULL ? "" : ": did you mean ",
            near == NULL ? "" : near, near == NULL ? "" : "?");
    return EXIT_MODEL;
}

static int show(Library *l, Arena *a, const char *name)
{
    LibraryEntry entry;
    Fault f = {0};
    if (library_get(l, a, name, &entry, &f) != STATUS_OK)
        return failed(&f);
    if (entry.text == NULL)
        return not_there(l, a, name);
    fwrite(entry.text, 1, entry.length, stdout);
    if (entry.length == 0 || entry.text[entry.length - 1] != '\n')
        putchar('\n');
    return EXIT_DONE;
}

/* ---- Changing ------------------------------------------------------------ */

static void print_messages(const Diags *d)
{
    Buffer b = {0};
    diags_print(d, &b, terminal_colour(STDERR_FILENO));
    fputs(buffer_string(&b), stderr);
    buffer_free(&b);
}

/* Adds the definitions of one file to those of the files before it. */
static int read_file(Arena *a, const char *path, Vector *changes)
{
    Diags d = {0};
    Unit u;
    Fault f = {0};
    LibraryEntry *entry = NULL;
    size_t n = 0;
    bool right = false;
    if (front_read(&u, a, &d, path, PASS_LEX, &right, &f) != STATUS_OK)
        return failed(&f);
    right = right && expand_definitions(&u, &entry, &n);
    print_messages(&d);
    if (!right)
        return EXIT_MODEL;
    if (n == 0) {
        fprintf(stderr, "cosy: error: %s defines no MACRO or MODULE\n", path);
        return EXIT_MODEL;
    }
    for (size_t k = 0; k < n; k++) {
        LibraryChange c = {.entry = entry[k]};
        if (!vector_append(changes, &c, sizeof c)) {
            fault_set(&f, STATUS_MEMORY, "memory is exhausted");
            return failed(&f);
        }
    }
    return EXIT_DONE;
}

static bool are_different(const LibraryChange *c, size_t n)
{
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < k; j++)
            if (name_same(c[k].entry.name, c[j].entry.name)) {
                fprintf(stderr,
                        "cosy: error: %s is defined twice; nothing was added\n",
                        c[k].entry.name);
                return false;
            }
    return true;
}

static int add_all(Library *l, const Vector *changes)
{
    LibraryChange *c = (LibraryChange *)(void *)changes->bytes;
    size_t n = changes->used / sizeof *c;
    Fault f = {0};
    if (!are_different(c, n))
        return EXIT_MODEL;
    if (library_apply(l, c, n, &f) != STATUS_OK)
        return failed(&f);
    for (size_t k = 0; k < n; k++)
        printf("%-8s%s%s\n", kind_words(c[k].entry.kind), c[k].entry.name,
               c[k].found ? " (replaced)" : "");
    return EXIT_DONE;
}

/* All files are read before anything is changed. */
static int add(Library *l, Arena *a, int argc, char **argv)
{
    Vector changes = {0};
    int status = EXIT_DONE;
    for (int k = 0; k < argc; k++) {
        int one = read_file(a, argv[k], &changes);
        status = one > status ? one : status;
    }
    if (status == EXIT_DONE)
        status = add_all(l, &changes);
    vector_free(&changes);
    return status;
}

static int take_out(Library *l, Arena *a, const char *name)
{
    LibraryChange c = {.remove = true, .entry = {.name = name}};
    LibraryEntry entry;
    Fault f = {0};
    if (library_get(l, a, name, &entry, &f) != STATUS_OK)
        return failed(&f);
    if (entry.text == NULL)
        return not_there(l, a, name);
    if (library_apply(l, &c, 1, &f) != STATUS_OK)
        return failed(&f);
    return c.found ? EXIT_DONE : not_there(l, a, name);
}

static int carry_out(Library *l, Arena *a, int argc, char **argv)
{
    const char *verb = argv[1];
    if (strcmp(verb, "list") == 0 && argc == 2)
        return list(l, a);
    if (strcmp(verb, "show") == 0 && argc == 3)
        return show(l, a, argv[2]);
    if (strcmp(verb, "add") == 0 && argc > 2)
        return add(l, a, argc - 2, argv + 2);
    if (strcmp(verb, "remove") == 0 && argc == 3)
        return take_out(l, a, argv[2]);
    return wrong_use("wrong use of cosy lib");
}

int command_lib(int argc, char **argv)
{
    Arena arena = {0};
    Library *l;
    int status = EXIT_USAGE;
    if (argc < 2)
        return wrong_use("cosy lib needs list, show, add or remove");
    l = library_open(&arena, NULL);
    if (l == NULL)
        fputs("cosy: error: memory is exhausted\n", stderr);
    else
        status = carry_out(l, &arena, argc, argv);
    library_close(l);
    arena_free(&arena);
    if (fflush(stdout) != 0 && status == EXIT_DONE) {
        perror("cosy: error: standard output");
        status = EXIT_USAGE;
    }
    return status;
}
