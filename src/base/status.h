#ifndef COSY_BASE_STATUS_H
#define COSY_BASE_STATUS_H

/* The status of failures caused by numbers or environment, and the fault that
   gives the details: every function that can fail returns a Status, the first
   to notice writes the Fault, all others pass the status up with TRY. */

#include <stdint.h>

#include "base/macros.h"

typedef enum Status {
#define STATUS(name, words) STATUS_##name,
#include "base/status.def"
#undef STATUS
    STATUS_COUNT
} Status;

#define TRY(call)                                                              \
    do {                                                                       \
        Status try_status_ = (call);                                           \
        if (try_status_ != STATUS_OK)                                          \
            return try_status_;                                                \
    } while (0)

#define FAULT_LENGTH 2048

/* What was found, where, and what to try; "" while nothing has failed. */
typedef struct Fault {
    Status status;
    char text[FAULT_LENGTH];
} Fault;

const char *status_words(Status s);

/* Notes a fault unless one is noted already, and returns its status. */
Status fault_set(Fault *f, Status s, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
