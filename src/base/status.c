#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

const char *status_words(Status s)
{
    static const char *const words[] = {
#define STATUS(name, text) text,
#include "base/status.def"
#undef STATUS
    };
    return (unsigned)s < STATUS_COUNT ? words[s] : "unknown status";
}

Status fault_set(Fault *f, Status s, const char *format, ...)
{
    if (f->status == STATUS_OK) {
        va_list args;
        f->status = s;
        va_start(args, format);
        vsnprintf(f->text, sizeof f->text, format, args);
        va_end(args);
    }
    return s;
}
