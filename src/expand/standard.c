#include "expand/standard.h"

#include <string.h>

#include "base/text.h"

/* In lib/ a MODULE and its END stand at the beginning of their lines. */

static const char *next_line(const char *s)
{
    s += strcspn(s, "\n");
    return *s ? s + 1 : s;
}

static bool begins(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

static const char *module_at(const StandardText *t, size_t k)
{
    for (const char *line = t->text; *line; line = next_line(line))
        if (begins(line, "MODULE ") && k-- == 0)
            return line;
    return NULL;
}

const char *standard_name(const StandardText *t, size_t k, size_t *length)
{
    const char *line = module_at(t, k);
    if (!line)
        return NULL;
    line += strlen("MODULE ");
    *length = strcspn(line, " (\n");
    return line;
}

static bool is_named(const char *name, const char *other, size_t length)
{
    char room[80];
    if (length >= sizeof room)
        return false;
    memcpy(room, other, length);
    room[length] = '\0';
    return name_same(name, room);
}

static size_t module_number(const StandardText *t, const char *name)
{
    size_t k = 0, length;
    const char *other;
    while ((other = standard_name(t, k, &length)) != NULL &&
           !is_named(name, other, length))
        k++;
    return other ? k : (size_t)-1;
}

const StandardText *standard_find(const char *name)
{
    for (size_t k = 0; k < standard_text_count; k++)
        if (name_same(standard_texts[k].name, name))
            return &standard_texts[k];
    for (size_t k = 0; k < standard_text_count; k++)
        if (module_number(&standard_texts[k], name) != (size_t)-1)
            return &standard_texts[k];
    return NULL;
}

bool standard_module(const StandardText *t, const char *name,
                     const char **begin, size_t *length)
{
    size_t k = module_number(t, name);
    if (k == (size_t)-1)
        return false;
    const char *from = t->text, *module = module_at(t, k), *end = module;
    for (const char *line = t->text; line < module; line = next_line(line))
        if (begins(line, "(*"))
            from = line;
        else if (begins(line, "END") || begins(line, "TYPE "))
            from = next_line(line);
    while (*end && !begins(end, "END;"))
        end = next_line(end);
    end = next_line(end);
    *begin = from;
    *length = (size_t)(end - from);
    return true;
}
