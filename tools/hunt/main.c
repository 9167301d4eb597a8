#define _DEFAULT_SOURCE // realpath
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hunt/hunt.h"

/* Exit status of the program. */
enum { EXIT_RIGHT = 0, EXIT_FOUND = 1, EXIT_USAGE = 3 };

static const char help[] =
    "hunt: looks for what is wrong with COSY\n"
    "\n"
    "  hunt COSY SOURCE [options] [PART...]\n"
    "\n"
    "COSY is the program, SOURCE the top of its source tree. Without a PART: "
    "all.\n"
    "\n"
    "  --seconds S      time for each part; without it the fixed selection,\n"
    "                   which is the same whenever it is run\n"
    "  --thin N         only one of N of that selection, for slow builds\n"
    "  --seed N         other random numbers (1)\n"
    "  --keep DIR       where programs are left on which COSY is wrong\n"
    "                   (hunt-found)\n"
    "  --only LIST      only what has one of these in its name (a,b,c)\n"
    "  --program TEXT   only programs with this in their name\n"
    "  --from DIR       programs below this folder instead of those of the "
    "tree\n"
    "  --verbose        a line for everything that is tried\n"
    "\n"
    "Exit status: 0 all is well, 1 something is wrong, 3 wrong use.\n"
    "\n"
    "Parts:\n";

typedef struct Part {
    const char *name, *about;
    void (*go)(Hunt *h);
} Part;

static const Part parts[] = {
#define PART(name, about) {#name, about, hunt_##name},
#include "hunt/parts.def"
#undef PART
};

static int misused(const char *text)
{
    fprintf(stderr, "hunt: %s; try: hunt --help\n", text);
    return EXIT_USAGE;
}

static const Part *part_named(const char *name)
{
    for (size_t k = 0; k < LENGTH(parts); k++)
        if (strcmp(parts[k].name, name) == 0)
            return &parts[k];
    return NULL;
}

/* Runs one part, and prints the line that closes it. */
static uint64_t hunt_part(const Hunt *options, const Part *part)
{
    Hunt h = *options;
    h.part = part->name;
    h.began = hunt_clock();
    double cpu = hunt_cpu();
    h.state = h.seed;
    for (const char *s = part->name; *s; s++)
        h.state = h.state * 31 + (unsigned char)*s;
    part->go(&h);
    printf("%s: %llu tried, %llu left out, %llu wrong, %.1f s, %.1f s CPU\n",
           part->name, (unsigned long long)h.tried,
           (unsigned long long)h.skipped, (unsigned long long)h.wrong,
           hunt_clock() - h.began, hunt_cpu() - cpu);
    printf("%llu passed, %llu failed\n",
           (unsigned long long)(h.tried - h.wrong),
           (unsigned long long)h.wrong);
    fflush(stdout);
    return h.wrong;
}

static bool read_option(Hunt *h, const char *name, const char *value)
{
    char *end = NULL;
    errno = 0;
    if (strcmp(name, "--seconds") == 0)
        h->seconds = strtod(value, &end);
    else if (strcmp(name, "--seed") == 0)
        h->seed = strtoull(value, &end, 10);
    else if (strcmp(name, "--thin") == 0)
        h->thin = strtoull(value, &end, 10);
    else if (strcmp(name, "--keep") == 0)
        h->keep = value;
    else if (strcmp(name, "--only") == 0)
        h->only = value;
    else if (strcmp(name, "--program") == 0)
        h->program = value;
    else if (strcmp(name, "--from") == 0)
        h->from = value;
    else
        return false;
    return h->thin > 0 && (!end || (end != value && !*end && errno == 0));
}

/* Everything that processes leave besides their results stays below the
   temporary folder. */
static bool make_work(Hunt *h)
{
    const char *where = getenv("TMPDIR");
    char path[HUNT_PATH];
    snprintf(h->work, sizeof h->work, "%.800s/cosy-hunt-XXXXXX",
             where && *where ? where : "/tmp");
    if (!mkdtemp(h->work))
        return false;
    snprintf(path, sizeof path, "%.900s/cache", h->work);
    setenv("COSY_CACHE", path, 1);
    snprintf(path, sizeof path, "%.900s/library.db", h->work);
    setenv("COSY_LIBRARY", path, 1);
    return setenv("LC_ALL", "C.UTF-8", 1) == 0;
}

int main(int argc, char **argv)
{
    Hunt h = {.self = argv[0], .keep = "hunt-found", .seed = 1, .thin = 1};
    uint64_t wrong = 0;
    bool named = false;
    int first = 3;
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        fputs(help, stdout);
        for (size_t k = 0; k < LENGTH(parts); k++)
            printf("  %-16s %s\n", parts[k].name, parts[k].about);
        return EXIT_RIGHT;
    }
    if (argc < 3)
        return misused("COSY and SOURCE are missing");
    h.cosy = realpath(argv[1], NULL);
    h.source = realpath(argv[2], NULL);
    if (!h.cosy || !h.source)
        return misused("COSY or SOURCE is not there");
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (strcmp(argv[first], "--verbose") == 0)
            h.verbose = true;
        else if (first + 1 == argc ||
                 !read_option(&h, argv[first], argv[first + 1]))
            return misused(argv[first]);
        else
            first++;
    }
    for (int k = first; k < argc; k++)
        if (!part_named(argv[k]))
            return misused("there is no such part");
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!make_work(&h))
        return misused("there is no room for a temporary folder");
    for (int k = first; k < argc; k++, named = true)
        wrong += hunt_part(&h, part_named(argv[k]));
    for (size_t k = 0; k < LENGTH(parts) && !named; k++)
        wrong += hunt_part(&h, &parts[k]);
    hunt_remove(h.work);
    free((char *)h.cosy);
    free((char *)h.source);
    return wrong > 0 ? EXIT_FOUND : EXIT_RIGHT;
}
