#include "cli/library_pages.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "expand/standard.h"

enum { NAME_MOST = 80, WIDTH = 78 };

/* "RESISTOR - Ohm's law." of the comment before a MODULE. */
static void print_title(const StandardText *t, const char *name, size_t n)
{
    const char *begin, *dash;
    size_t length;
    char room[NAME_MOST];
    snprintf(room, sizeof room, "%.*s", (int)n, name);
    if (!standard_module(t, room, &begin, &length))
        return;
    size_t line = strcspn(begin, "\n");
    dash = strncmp(begin, "(* ", 3) == 0 ? strstr(begin, " - ") : NULL;
    if (dash && (size_t)(dash - begin) < line)
        printf("  %-22s%.*s\n", room, (int)(line - (size_t)(dash - begin) - 3),
               dash + 3);
    else
        printf("  %s\n", room);
}

/* A comment without its marks, then the heading. */
static void print_module(const StandardText *t, const char *begin, size_t n)
{
    const char *end = begin + n, *module = strstr(begin, "\nMODULE ");
    const char *text = begin;
    if (strncmp(text, "(* ", 3) == 0 && module && module < end) {
        const char *close = strstr(text, "*)");
        size_t length = (size_t)(close - text) - 3;
        printf("%.*s\n\n", (int)length, text + 3);
        text = module + 1;
    }
    const char *heading = strstr(text, ");");
    if (heading && heading < end)
        printf("%.*s\n\n", (int)(heading - text) + 2, text);
    printf("INVOKE %s makes it known. Its text is in lib/%s.cosy.\n", t->name,
           t->name);
}

static void print_text(const StandardText *t)
{
    size_t length;
    const char *name;
    printf("%s - a text of the standard library\n\n", t->name);
    for (const char *line = t->text; *line;) {
        size_t n = strcspn(line, "\n");
        if (strncmp(line, "TYPE ", 5) == 0 || strncmp(line, "INVOKE ", 7) == 0)
            printf("  %.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
    puts("");
    for (size_t k = 0; (name = standard_name(t, k, &length)) != NULL; k++)
        print_title(t, name, length);
    printf("\nINVOKE %s makes all of them known; cosy doc %s.NAME shows one.\n",
           t->name, t->name);
}

/* The text before a dot, and the MODULE after it. */
static const StandardText *find(const char *name, const char **module)
{
    char room[NAME_MOST];
    const char *dot = strchr(name, '.');
    *module = dot ? dot + 1 : name;
    if (dot && (size_t)(dot - name) < sizeof room) {
        snprintf(room, sizeof room, "%.*s", (int)(dot - name), name);
        for (size_t k = 0; k < standard_text_count; k++)
            if (name_same(standard_texts[k].name, room))
                return &standard_texts[k];
        return NULL;
    }
    return dot ? NULL : standard_find(name);
}

bool library_page(const char *name)
{
    const char *module, *begin;
    size_t length;
    const StandardText *t = find(name, &module);
    if (!t)
        return false;
    if (name_same(t->name, module))
        print_text(t);
    else if (standard_module(t, module, &begin, &length))
        print_module(t, begin, length);
    else
        return false;
    return true;
}

void library_page_list(void)
{
    int at = 2;
    printf("\nStandard library\n  ");
    for (size_t k = 0; k < standard_text_count; k++) {
        const char *name = standard_texts[k].name;
        int n = (int)strlen(name);
        if (k > 0 && at + n + 2 > WIDTH) {
            printf("\n  ");
            at = 2;
        } else if (k > 0) {
            printf("  ");
            at += 2;
        }
        printf("%s", name);
        at += n;
    }
    puts("");
}

size_t library_names(const char **known, size_t n, size_t most)
{
    for (size_t k = 0; k < standard_text_count && n < most; k++)
        known[n++] = standard_texts[k].name;
    return n;
}
