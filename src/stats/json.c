#include "stats/json.h"

#include "stats/number.h"

void json_number(JsonObject *o, const char *name, real value)
{
    json_key(o, name);
    number_json(o->b, value);
}

void json_pair(JsonObject *o, const char *name, real low, real high,
               bool exists)
{
    json_key(o, name);
    if (!exists) {
        buffer_text(o->b, "null");
        return;
    }
    buffer_char(o->b, '[');
    number_json(o->b, low);
    buffer_text(o->b, ", ");
    number_json(o->b, high);
    buffer_char(o->b, ']');
}
