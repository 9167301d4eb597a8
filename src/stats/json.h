#ifndef COSY_STATS_JSON_H
#define COSY_STATS_JSON_H

/* Writing JSON into a buffer: an object is opened, its members are put one
   after the other, and it is closed. */

#include "base/buffer.h"
#include "cosy/real.h"

#define json_number COSY_NAME(json_number)
#define json_pair   COSY_NAME(json_pair)

/* A comma precedes every member but the first. */
typedef struct JsonObject {
    Buffer *b;
    bool begun;
} JsonObject;

static inline JsonObject json_open(Buffer *b)
{
    buffer_char(b, '{');
    return (JsonObject){.b = b};
}

static inline void json_close(JsonObject *o)
{
    buffer_char(o->b, '}');
}

/* A member whose name the caller writes. */
static inline void json_begin(JsonObject *o)
{
    if (o->begun)
        buffer_bytes(o->b, ", ", 2);
    o->begun = true;
}

static inline void json_key(JsonObject *o, const char *name)
{
    json_begin(o);
    buffer_json(o->b, name);
    buffer_bytes(o->b, ": ", 2);
}

/* A key that begins a line of its own. */
static inline void json_line_key(JsonObject *o, const char *name)
{
    if (o->begun)
        buffer_text(o->b, ",\n ");
    o->begun = false;
    json_key(o, name);
}

static inline void json_text(JsonObject *o, const char *name, const char *text)
{
    json_key(o, name);
    if (text == NULL)
        buffer_text(o->b, "null");
    else
        buffer_json(o->b, text);
}

static inline void json_count(JsonObject *o, const char *name, uint64_t n)
{
    json_key(o, name);
    buffer_count(o->b, n);
}

static inline void json_integer(JsonObject *o, const char *name, int64_t n)
{
    json_key(o, name);
    buffer_integer(o->b, n);
}

/* null if it is not finite. */
void json_number(JsonObject *o, const char *name, real value);
/* [low, high], or null if it does not exist. */
void json_pair(JsonObject *o, const char *name, real low, real high,
               bool exists);

#endif
