#ifndef COSY_CLI_TEXTS_H
#define COSY_CLI_TEXTS_H

/* Texts that the program hands out; tools/embed makes them part of it when it
   is built. The models of `cosy new` are complete programs, all named START;
   the completions are what a shell reads. */

#include <stddef.h>

extern const char start_continuous[], start_combined[], start_discrete[];
extern const size_t start_continuous_length, start_combined_length,
    start_discrete_length;

extern const char completion_bash[], completion_zsh[], completion_fish[];
extern const size_t completion_bash_length, completion_zsh_length,
    completion_fish_length;

#endif
