#include "topics/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

bool page_error(const Page *p, int line, const char *format, ...)
{
    va_list list;
    fprintf(stderr, "%s:%d: error: ", p->path, line);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    return false;
}

static const char *copy(Arena *a, const char *s, size_t n)
{
    char *to = NEW_ARRAY(a, char, n + 1);
    if (to)
        memcpy(to, s, n);
    return to;
}

/* ---- Lists of names ------------------------------------------------------ */

static bool add_name(Name **list, Arena *a, const char *s, size_t n, int number)
{
    Name *new = NEW(a, Name);
    while (*list)
        list = &(*list)->next;
    if (!new || !(new->text = copy(a, s, n)))
        return false;
    new->number = number;
    *list = new;
    return true;
}

static bool add_names(Page *p, Name **list, Arena *a, const char *s, int number)
{
    while (*s) {
        s += strspn(s, " ");
        size_t n = strcspn(s, ",");
        size_t used = n;
        while (used > 0 && s[used - 1] == ' ')
            used--;
        if (used == 0)
            return page_error(p, number, "a name is missing");
        if (!add_name(list, a, s, used, number))
            return page_error(p, number, "out of memory");
        s += s[n] ? n + 1 : n;
    }
    return true;
}

/* ---- Head ---------------------------------------------------------------- */

static bool read_head(Page *p, Arena *a, const char *line, int number)
{
    const char *colon = strchr(line, ':');
    if (!colon)
        return page_error(p, number, "a head line is NAME: VALUE");
    const char *value = colon + 1 + strspn(colon + 1, " ");
    size_t n = (size_t)(colon - line);
    Name *before = p->name;
    if (n == 5 && memcmp(line, "topic", n) == 0) {
        p->name = NULL;
        if (!add_names(p, &p->name, a, value, number))
            return false;
        p->name->next = before;
    } else if (n == 4 && memcmp(line, "also", n) == 0) {
        return add_names(p, &p->name, a, value, number);
    } else if (n == 5 && memcmp(line, "rules", n) == 0) {
        return add_names(p, &p->rule, a, value, number);
    } else if (n == 5 && memcmp(line, "group", n) == 0) {
        p->group = copy(a, value, strlen(value));
    } else if (n == 5 && memcmp(line, "title", n) == 0) {
        p->title = copy(a, value, strlen(value));
    } else if (n == 6 && memcmp(line, "status", n) == 0) {
        p->status = copy(a, value, strlen(value));
    } else {
        return page_error(p, number,
                          "head lines are topic, group, title, "
                          "also, rules and status");
    }
    return true;
}

/* ---- Text ---------------------------------------------------------------- */

typedef struct Reader {
    Page *page;
    Arena *arena;
    Line *last;
    bool inside, complete; // between backquotes; in a complete program
    bool seeing;           // the list after See also continues
} Reader;

static bool read_fence(Reader *r, const char *line, int number)
{
    Page *p = r->page;
    bool cosy = strcmp(line, "```cosy") == 0;
    if (!cosy && strcmp(line, "```") != 0)
        return page_error(p, number,
                          "three backquotes stand alone or before "
                          "the word cosy");
    if (cosy && r->inside)
        return page_error(p, number, "these backquotes are open already");
    r->inside = !r->inside;
    r->complete = cosy;
    p->programs += cosy;
    return true;
}

static bool read_line(Reader *r, const char *line, int number)
{
    Page *p = r->page;
    size_t width = text_char_count(line, strlen(line));
    if (strncmp(line, "```", 3) == 0)
        return read_fence(r, line, number);
    if (width + (r->inside ? PAGE_INDENT : 0) > PAGE_WIDTH)
        return page_error(p, number, "the line is too long");
    Line *new = NEW(r->arena, Line);
    if (!new || !(new->text = copy(r->arena, line, strlen(line))))
        return page_error(p, number, "out of memory");
    new->number = number;
    new->set_in = r->inside;
    new->program = r->complete ? p->programs : 0;
    if (r->last)
        r->last->next = new;
    else
        p->line = new;
    r->last = new;
    p->lines++;
    if (!r->inside && strncmp(line, "See also:", 9) == 0)
        r->seeing = true;
    if (!r->seeing)
        return true;
    return add_names(p, &p->see, r->arena,
                     strncmp(line, "See also:", 9) == 0 ? line + 9 : line,
                     number);
}

static bool is_complete(const Page *p, const Reader *r, int number)
{
    if (r->inside)
        return page_error(p, number, "backquotes are not closed");
    if (!p->name || !p->group || !p->title)
        return page_error(p, 1, "the head needs topic, group and title");
    if (p->lines < PAGE_LEAST || p->lines > PAGE_MOST)
        return page_error(p, number, "%d lines of text: a page has %d to %d",
                          p->lines, PAGE_LEAST, PAGE_MOST);
    return true;
}

static bool read_text(Page *p, Arena *a, char *text)
{
    Reader r = {.page = p, .arena = a};
    bool head = true, ok = true;
    int number = 0;
    while (*text && ok) {
        char *end = text + strcspn(text, "\n");
        bool more = *end == '\n';
        *end = '\0';
        number++;
        if (end > text && (end[-1] == ' ' || strchr(text, '\t')))
            ok = page_error(p, number, "a tab, or a space at the end");
        else if (head && *text)
            ok = read_head(p, a, text, number);
        else if (!head)
            ok = read_line(&r, text, number);
        head = head && *text;
        text = end + more;
    }
    return ok && is_complete(p, &r, number);
}

bool page_read(Page *p, Arena *a, const char *path)
{
    Buffer b = {0};
    Fault f = {0};
    memset(p, 0, sizeof *p);
    p->path = path;
    if (file_read(path, &b, &f) != STATUS_OK) {
        fprintf(stderr, "topics: %s\n", f.text);
        return false;
    }
    const char *text = buffer_string(&b);
    char *own = b.broken ? NULL : (char *)copy(a, text, strlen(text));
    bool ok = own ? read_text(p, a, own) : page_error(p, 1, "out of memory");
    buffer_free(&b);
    return ok;
}
