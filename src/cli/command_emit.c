#include "cli/commands.h"

#include <stdio.h>

#include "cli/translate.h"

int command_emit(int argc, char **argv)
{
    Translation t;
    Fault fault = {0};
    int status = EXIT_USAGE;
    if (argc != 2 || argv[1][0] == '-') {
        fputs("cosy: error: emit needs one model; see cosy --help\n", stderr);
        return EXIT_USAGE;
    }
    if (translate(argv[1], NULL, &t, NULL, &fault) != STATUS_OK)
        fprintf(stderr, "cosy: error: %s\n", fault.text);
    else
        status = t.right ? EXIT_DONE : EXIT_MODEL;
    if (status == EXIT_DONE)
        fputs(buffer_string(&t.c), stdout);
    translation_free(&t);
    return status;
}
