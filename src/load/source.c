#include "load/source.h"

#include <string.h>

/* Finds the line of the text that begins with `word`; NULL if there is none.
   *number counts from 1. */
static const char *find_line(const char *text, size_t length, const char *word,
                             unsigned *number)
{
    const char *end = text + length;
    size_t n = strlen(word);
    *number = 1;
    for (const char *at = text; at && at < end; (*number)++) {
        if ((size_t)(end - at) >= n && memcmp(at, word, n) == 0)
            return at;
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    return NULL;
}

static const char *line_end(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
}

/* Says that what follows is line `number` of a file. */
static void put_line(Buffer *b, unsigned number, const char *name)
{
    buffer_format(b, "#line %u \"", number);
    for (; *name; name++)
        buffer_char(b, *name == '"' || *name == '\\' || (*name & 0xe0) == 0
                           ? '_'
                           : *name);
    buffer_text(b, "\"");
}

void source_write(Buffer *b, const Source *s, bool bare)
{
    const char *end = s->text + s->length;
    unsigned number;
    const char *include =
        find_line(s->text, s->length, "#include \"cosy/model.h\"", &number);
    buffer_format(b, "#define COSY_PRECISION %u\n", s->precision);
    if (bare)
        buffer_bytes(b, source_bare, source_bare_length);
    put_line(b, 1, s->name);
    buffer_char(b, '\n');
    if (!include) {
        buffer_bytes(b, s->text, s->length);
        return;
    }
    const char *rest = line_end(include, end);
    buffer_bytes(b, s->text, (size_t)(include - s->text));
    put_line(b, 1, "cosy/model.h");
    buffer_char(b, '\n');
    buffer_bytes(b, source_contract, source_contract_length);
    put_line(b, number + 1, s->name);
    buffer_bytes(b, rest, (size_t)(end - rest));
}

uint32_t source_precision(const char *text, size_t length)
{
    static const char word[] = "#define COSY_PRECISION ";
    unsigned number;
    const char *line = find_line(text, length, word, &number);
    const char *digit = line ? line + sizeof word - 1 : NULL;
    bool known =
        digit && digit < text + length && *digit >= '1' && *digit <= '3';
    return known ? (uint32_t)(*digit - '0') : 1;
}
