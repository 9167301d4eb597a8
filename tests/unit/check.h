#ifndef COSY_TESTS_CHECK_H
#define COSY_TESTS_CHECK_H

/* CHECK(x) notes whether x holds and goes on either way; check_end prints the
   counts and is the exit status:

       int main(void)
       {
           CHECK(1 + 1 == 2);
           return check_end();
       }

   A test program is one file, so the counts may be static. */

#include <stdio.h>
#include <string.h>

static unsigned long check_passed, check_failed;

#define CHECK(x)                                                               \
    ((x) ? (void)check_passed++                                                \
         : (void)(check_failed++,                                              \
                  printf("%s:%d: CHECK(%s)\n", __FILE__, __LINE__, #x)))

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
