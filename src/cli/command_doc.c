#include "cli/commands.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/library_pages.h"
#include "cli/topics.h"
#include "syntax/advice.h"
#include "syntax/unit.h"

enum { LIST_WIDTH = 78, LONGEST_NAME = 200 };

static void print_lines(const char *const *line)
{
    for (; *line; line++)
        puts(*line);
}

static void print_topic(const Topic *t)
{
    printf("%s - %s\n\n", t->name[0], t->title);
    print_lines(t->line);
    if (t->diagram[0]) {
        puts("\nSyntax\n");
        print_lines(t->diagram);
    }
}

static void print_all(void)
{
    for (size_t k = 0; k < topic_count; k++) {
        if (k > 0)
            printf("\n%.78s\n\n", "----------------------------------------"
                                  "--------------------------------------");
        print_topic(&topics[k]);
    }
}

/* ---- The list ------------------------------------------------------------ */

static int column_width(void)
{
    size_t widest = 0;
    for (size_t k = 0; k < topic_count; k++) {
        size_t n = strlen(topics[k].name[0]);
        widest = n > widest ? n : widest;
    }
    return (int)widest + 2;
}

static void print_list(void)
{
    int width = column_width(), at = 0;
    puts("cosy doc TOPIC shows the page of a topic; every word of the language "
         "and\nevery function finds the page that has it. cosy doc --all shows "
         "all pages.");
    for (size_t k = 0; k < topic_count; k++) {
        bool opens =
            k == 0 || strcmp(topics[k].group, topics[k - 1].group) != 0;
        if (opens)
            printf("%s\n%s\n", k == 0 ? "" : "\n", topics[k].group);
        if (opens || at + 2 * width > LIST_WIDTH) {
            printf("%s  ", opens ? "" : "\n");
            at = 0;
        } else {
            at += width;
        }
        bool ends = k + 1 == topic_count ||
                    strcmp(topics[k].group, topics[k + 1].group) != 0 ||
                    at + 2 * width > LIST_WIDTH;
        printf("%-*s", ends ? 0 : width, topics[k].name[0]);
    }
    puts("");
    library_page_list();
}

/* ---- Finding ------------------------------------------------------------- */

static const Topic *find(const char *name)
{
    for (size_t k = 0; k < topic_count; k++)
        for (const char *const *n = topics[k].name; *n; n++)
            if (name_same(*n, name))
                return &topics[k];
    return NULL;
}

static const char *near_name(const char *name)
{
    const char *known[4096];
    size_t n = 0;
    for (size_t k = 0; k < topic_count; k++)
        for (const char *const *own = topics[k].name; *own; own++)
            if (n < LENGTH(known))
                known[n++] = *own;
    n = library_names(known, n, LENGTH(known));
    return nearest_name(name, known, n);
}

static int unknown(const char *name)
{
    const char *near = near_name(name), *advice = advice_statement(name);
    if (advice == NULL)
        advice = advice_name(name);
    fprintf(stderr, "cosy: error: there is no topic %s", name);
    if (advice)
        fprintf(stderr, ": %s\n", advice);
    else if (near)
        fprintf(stderr, ": did you mean %s?\n", near);
    else
        fputs("; cosy doc lists the topics\n", stderr);
    return EXIT_USAGE;
}

/* All words together may be one name: discrete process. */
static const Topic *find_phrase(int argc, char **argv)
{
    char phrase[LONGEST_NAME] = "";
    size_t used = 0;
    for (int k = 1; k < argc; k++) {
        size_t n = strlen(argv[k]);
        if (used + n + 2 > sizeof phrase)
            return NULL;
        if (k > 1)
            phrase[used++] = ' ';
        memcpy(phrase + used, argv[k], n + 1);
        used += n;
    }
    return find(phrase);
}

static int print_each(int argc, char **argv)
{
    int status = EXIT_DONE;
    for (int k = 1; k < argc; k++) {
        const Topic *t = find(argv[k]);
        if (!t && library_page(argv[k]))
            continue;
        if (!t) {
            status = unknown(argv[k]);
            continue;
        }
        if (k > 1)
            puts("");
        print_topic(t);
    }
    return status;
}

int command_doc(int argc, char **argv)
{
    const Topic *t = find_phrase(argc, argv);
    if (argc < 2) {
        print_list();
        return EXIT_DONE;
    }
    if (argc == 2 && strcmp(argv[1], "--all") == 0) {
        print_all();
        return EXIT_DONE;
    }
    for (int k = 1; k < argc && !t; k++)
        if (strncmp(argv[k], "--", 2) == 0) {
            fprintf(stderr,
                    "cosy: error: doc has only the option --all, not %s\n",
                    argv[k]);
            return EXIT_USAGE;
        }
    if (!t)
        return print_each(argc, argv);
    print_topic(t);
    return EXIT_DONE;
}
