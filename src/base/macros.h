#ifndef COSY_BASE_MACROS_H
#define COSY_BASE_MACROS_H

/* Compiler extensions, wrapped. */

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#define NODISCARD                __attribute__((warn_unused_result))
#else
#define PRINTF_LIKE(text, first)
#define NODISCARD
#endif

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

#endif
