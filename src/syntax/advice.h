#ifndef COSY_SYNTAX_ADVICE_H
#define COSY_SYNTAX_ADVICE_H

/* Words and functions of other languages, and what COSY has instead. A modeller
   who comes from Modelica, Simulink, MATLAB, Pascal or SimPy writes them out of
   habit; a message then gives the word to write instead. */

/* The advice for a word of another language, "write ...", or NULL. */
const char *advice_word(const char *name);
/* The same for a word that begins a statement and would be a good name anywhere
   else. */
const char *advice_statement(const char *name);
/* The same for a name that is not declared: a function, or a word. */
const char *advice_name(const char *name);
/* The same for a name that is called like a function, f (x). */
const char *advice_call(const char *name);
/* The method of integration that another system calls `name`, or NULL. */
const char *advice_method(const char *name);
/* The distribution that another system calls `name`, or NULL. */
const char *advice_distribution(const char *name);
/* The option that another system calls `name`, or NULL. */
const char *advice_option(const char *name);

#endif
