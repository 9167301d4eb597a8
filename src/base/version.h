#ifndef COSY_BASE_VERSION_H
#define COSY_BASE_VERSION_H

/* Four versions, each said in one place. `cosy --version` and the provenance in
   summary.json tell them all.

   The program's is COSY_RELEASE, from meson.build: the third number for repairs,
   the second for what is new, the first when one of those below breaks with what
   was.

   That of the contract between compiled models and runtime is COSY_VERSION in
   include/cosy/model.h. It is raised with every change: models are compiled anew. */

/* The language. 1 is that of 1979, whose programs still run. The second number is
   raised when something is added: programs of 2.0 are programs of 2.1. */
#define COSY_LANGUAGE "2.0"

/* The files of docs/results.md. Raised when a file, a column or a member is renamed,
   goes or comes to mean something else, so that programs that read them can refuse;
   not when one is added. */
#define COSY_RESULTS 1

#endif
