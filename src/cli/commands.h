#ifndef COSY_CLI_COMMANDS_H
#define COSY_CLI_COMMANDS_H

/* The commands of commands.def. Each gets its own name as argv[0] and returns
   the exit status of the program. */

enum {
    EXIT_DONE = 0,
    EXIT_MODEL = 1, // the model has errors
    EXIT_RUN = 2,   // a run failed
    EXIT_USAGE = 3  // wrong use, or the environment
};

#define COMMAND(word, arguments, text, candidates, words)                      \
    int command_##word(int argc, char **argv);
#include "cli/commands.def"

#endif
