#ifndef COSY_CLI_COMMANDS_H
#define COSY_CLI_COMMANDS_H

/* The commands. Each gets its own name as argv[0] and returns the exit status
   of the program. */

enum {
    EXIT_DONE = 0,
    EXIT_MODEL = 1, // the model has errors
    EXIT_RUN = 2,   // a run failed
    EXIT_USAGE = 3  // wrong use, or the environment
};

int command_run(int argc, char **argv);
int command_rerun(int argc, char **argv);
int command_check(int argc, char **argv);
int command_xref(int argc, char **argv);
int command_emit(int argc, char **argv);
int command_format(int argc, char **argv);
int command_new(int argc, char **argv);
int command_completion(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_lib(int argc, char **argv);
int command_doc(int argc, char **argv);

#endif
