#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cosy/model.h"

static const struct Command {
    const char *name;
    int (*command)(int argc, char **argv);
} table[] = {
#define COMMAND(word, arguments, text, candidates, words)                      \
    {#word, command_##word},
#include "cli/commands.def"
};

/* cosy model.cosy, cosy simulate model.cosy, cosy formt model.cosy. */
static void unknown_command(const char *name)
{
    const char *known[LENGTH(table)], *near;
    size_t n = strlen(name);
    for (size_t k = 0; k < LENGTH(table); k++)
        known[k] = table[k].name;
    near = nearest_name(name, known, LENGTH(table));
    if (n > 5 && strcmp(name + n - 5, ".cosy") == 0)
        fprintf(stderr,
                "cosy: error: %s is a model: cosy run %s runs it, cosy check "
                "reads it\n",
                name, name);
    else if (near != NULL)
        fprintf(stderr,
                "cosy: error: unknown command %s: did you mean cosy %s?\n",
                name, near);
    else
        fprintf(stderr,
                "cosy: error: unknown command %s: cosy run MODEL runs a model; "
                "cosy --help lists all commands\n",
                name);
}

/* cosy --help, cosy help, and --help as the last of any command. */
static bool wants_help(int argc, char **argv)
{
    const char *last = argv[argc - 1];
    return strcmp(last, "--help") == 0 || strcmp(last, "-h") == 0 ||
           (argc == 2 && strcmp(last, "help") == 0);
}

static int command(int argc, char **argv)
{
    if (argc >= 2 && wants_help(argc, argv)) {
        help_print(stdout);
        return EXIT_DONE;
    }
    for (size_t k = 0; argc >= 2 && k < LENGTH(table); k++)
        if (strcmp(argv[1], table[k].name) == 0)
            return table[k].command(argc - 1, argv + 1);
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("cosy " COSY_RELEASE "\n"
               "language " COSY_LANGUAGE ", results %u, model contract %u\n",
               COSY_RESULTS, COSY_VERSION);
        return EXIT_DONE;
    }
    if (argc < 2)
        help_print(stderr);
    else
        unknown_command(argv[1]);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    int status = command(argc, argv);
    if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE)
        return status;
    perror("cosy: error: standard output");
    return status == EXIT_DONE ? EXIT_USAGE : status;
}
