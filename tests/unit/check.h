#ifndef COSY_TESTS_CHECK_H
#define COSY_TESTS_CHECK_H

/* CHECK(x) notes whether x holds and goes on either way; check_end prints the
   counts and is the exit status. A place where all is well counts once, however
   often a loop comes by; a text that is compared counts each time, as such loops go
   over cases:

       int main(void)
       {
           CHECK(1 + 1 == 2);
           return check_end();
       }

   A test program is one file, so the counts may be static. */

#include <stdio.h>
#include <string.h>

static unsigned long check_passed, check_failed;

/* Places by their line. Two that share it, one of them in a header, count as one. */
static unsigned char check_seen[4096];

#define CHECK(x)                                                               \
    ((x) ? check_well(__LINE__)                                                \
         : (void)(check_failed++,                                              \
                  printf("%s:%d: CHECK(%s)\n", __FILE__, __LINE__, #x)))

static inline void check_well(unsigned line)
{
    unsigned char *seen = &check_seen[line % sizeof check_seen];
    check_passed += !*seen;
    *seen = 1;
}

/* Compares two texts; shows both if they differ. */
#define CHECK_TEXT(found, expected)                                            \
    check_text((found), (expected), __FILE__, __LINE__)

static inline void check_text(const char *found, const char *expected,
                              const char *file, int line)
{
    if (strcmp(found, expected) == 0) {
        check_passed++;
        return;
    }
    check_failed++;
    printf("%s:%d: found\n%s\nexpected\n%s\n", file, line, found, expected);
}

static inline int check_end(void)
{
    printf("%lu passed, %lu failed\n", check_passed, check_failed);
    return check_failed == 0 ? 0 : 1;
}

#endif
