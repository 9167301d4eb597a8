#ifndef COSY_TESTS_SCARCE_H
#define COSY_TESTS_SCARCE_H

/* Memory that runs out on demand. The linker sends malloc, calloc and realloc
   of all COSY code through here (--wrap; see meson.build).

   scarce_begin(n): n more allocations succeed, all later ones fail.
   scarce_begin_arenas(n): every piece that an arena hands out counts as well,
                    not only the few blocks that it takes from the system.
   scarce_end():    they succeed again; returns how many were refused.

   The usual test tries n = 0, 1, 2, ... until nothing was refused:

       for (long n = 0, refused = 1; refused > 0; n++) {
           scarce_begin(n);
           Status s = what_is_tested();
           refused = scarce_end();
           CHECK(s == (refused > 0 ? STATUS_MEMORY : STATUS_OK));
       } */

void scarce_begin(long n);
void scarce_begin_arenas(long n);
long scarce_end(void);

#endif
