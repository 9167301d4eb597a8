#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

typedef enum Severity {
    SEVERITY_ERROR,
    SEVERITY_WARNING,
    SEVERITY_NOTE,  // belongs to the message before it
    SEVERITY_REMARK // a note that stands alone
} Severity;

struct Diag {
    Diag *next;
    Severity severity;
    Span at;
    char *text;
    const char *example; // lines that are shown below it, or NULL
};

struct DiagFile {
    DiagFile *next;
    const char *name, *text;
    size_t length;
};

/* A place as a person reads it: the line it begins on and where in it. */
typedef struct Place {
    size_t line, column;   // from 1
    size_t begin, end;     // bytes of the line in the text
    size_t mark, mark_end; // bytes of the marked part of that line
} Place;

/* ---- Collecting ---------------------------------------------------------- */

uint32_t diags_add_file(Diags *d, const char *name, const char *text,
                        size_t length)
{
    DiagFile *file = NEW(d->arena, DiagFile);
    if (file == NULL)
        return SPAN_NOWHERE;
    *file = (DiagFile){.name = name, .text = text, .length = length};
    if (d->last_file == NULL)
        d->first_file = file;
    else
        d->last_file->next = file;
    d->last_file = file;
    return d->files++;
}

bool diags_file(const Diags *d, uint32_t number, const char **name,
                const char **text, size_t *length)
{
    const DiagFile *file = d->first_file;
    for (; file && number > 0; number--)
        file = file->next;
    if (!file)
        return false;
    *name = file->name;
    *text = file->text;
    *length = file->length;
    return true;
}

static char *format_text(Arena *a, const char *format, va_list args)
{
    va_list again;
    char *text = NULL;
    int n;
    va_copy(again, args);
    n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n >= 0)
        text = NEW_ARRAY(a, char, (size_t)n + 1);
    if (text != NULL)
        vsnprintf(text, (size_t)n + 1, format, args);
    return text;
}

static Diag *new_diag(Diags *d, const char *format, va_list args)
{
    Diag *diag = NULL;
    char *text = NULL;
    if (d->kept < DIAG_LIMIT) {
        diag = NEW(d->arena, Diag);
        text = format_text(d->arena, format, args);
    }
    if (diag == NULL || text == NULL)
        return NULL;
    diag->text = text;
    return diag;
}

static void collect(Diags *d, Severity severity, Span at, const char *format,
                    va_list args)
{
    Diag *diag = new_diag(d, format, args);
    if (severity == SEVERITY_ERROR)
        d->errors++;
    else if (severity == SEVERITY_WARNING)
        d->warnings++;
    if (diag == NULL) {
        d->lost++;
        return;
    }
    diag->severity = severity;
    diag->at = at;
    if (d->last == NULL)
        d->first = diag;
    else
        d->last->next = diag;
    d->last = diag;
    d->kept++;
}

#define COLLECT(severity)                                                      \
    do {                                                                       \
        va_list args;                                                          \
        va_start(args, format);                                                \
        collect(d, (severity), at, format, args);                              \
        va_end(args);                                                          \
    } while (0)

void diag_error(Diags *d, Span at, const char *format, ...)
{
    COLLECT(SEVERITY_ERROR);
}

void diag_warning(Diags *d, Span at, const char *format, ...)
{
    COLLECT(SEVERITY_WARNING);
}

void diag_remark(Diags *d, Span at, const char *format, ...)
{
    COLLECT(SEVERITY_REMARK);
}

void diag_note(Diags *d, Span at, const char *format, ...)
{
    COLLECT(SEVERITY_NOTE);
}

void diag_example(Diags *d, const char *lines)
{
    if (d->last != NULL)
        d->last->example = lines;
}

void diags_forget(Diags *d)
{
    d->first = d->last = NULL;
    d->kept = d->lost = 0;
    d->errors = d->warnings = 0;
}

/* ---- Printing ------------------------------------------------------------ */

static const DiagFile *find_file(const Diags *d, uint32_t number)
{
    const DiagFile *file = d->first_file;
    while (file != NULL && number-- > 0)
        file = file->next;
    return file;
}

static size_t at_most(size_t a, size_t limit)
{
    return a < limit ? a : limit;
}

/* A span may end on a later line, or reach beyond the text (an unexpected end
   of file): only what lies on its first line is marked. */
static Place find_place(const DiagFile *file, Span at)
{
    Place p = {.line = 1};
    const char *newline;
    p.mark = at_most(at.start, file->length);
    for (size_t k = 0; k < p.mark; k++) {
        if (file->text[k] == '\n') {
            p.line++;
            p.begin = k + 1;
        }
    }
    newline = memchr(file->text + p.mark, '\n', file->length - p.mark);
    p.end = newline == NULL ? file->length : (size_t)(newline - file->text);
    p.mark_end = at_most(p.mark + at.length, p.end);
    p.column = 1 + text_char_count(file->text + p.begin, p.mark - p.begin);
    if (p.end > p.mark_end && file->text[p.end - 1] == '\r')
        p.end--;
    return p;
}

/* A long line is shown around its mark only: this many bytes before it, and
   this many of the mark and what follows. */
enum { SHOWN_BEFORE = 100, SHOWN_AFTER = 140 };

/* Start of a character at or before `at`, not before `from`. */
static size_t char_start(const char *text, size_t from, size_t at)
{
    while (at > from && ((unsigned char)text[at] & 0xC0) == 0x80)
        at--;
    return at;
}

static void clip(const char *text, Place *p)
{
    if (p->mark - p->begin > SHOWN_BEFORE)
        p->begin = char_start(text, p->begin, p->mark - SHOWN_BEFORE);
    if (p->end - p->mark > SHOWN_AFTER)
        p->end = char_start(text, p->mark, p->mark + SHOWN_AFTER);
    p->mark_end = at_most(p->mark_end, p->end);
}

/* Bytes of the character at s that may be shown as they are; 0 for control
   characters and bytes that are not UTF-8, which could do anything to a
   terminal. */
static size_t shown_length(const char *s, size_t n)
{
    unsigned char first = (unsigned char)s[0];
    if ((first < ' ' && first != '\t') || first == 0x7F)
        return 0;
    if (n > 1 && first == 0xC2 && (unsigned char)s[1] < 0xA0)
        return 0;
    return text_char_length(s, n);
}

static void print_line(Buffer *b, const char *s, size_t n)
{
    for (size_t at = 0; at < n;) {
        size_t length = shown_length(s + at, n - at);
        if (length == 0)
            buffer_char(b, '?');
        else
            buffer_bytes(b, s + at, length);
        length = length ? length : text_char_length(s + at, n - at);
        at += length == 0 ? 1 : length;
    }
}

/* Prints a blank below each character, but a tab below a tab, so that the caret
   is in the right place at any tab width. */
static void print_indent(Buffer *b, const char *s, size_t n)
{
    for (size_t at = 0; at < n;) {
        size_t length = text_char_length(s + at, n - at);
        buffer_char(b, s[at] == '\t' ? '\t' : ' ');
        at += length == 0 ? 1 : length;
    }
}

static void print_source(Buffer *b, const DiagFile *file, Place p)
{
    const char *text = file->text;
    clip(text, &p);
    size_t width = text_char_count(text + p.mark, p.mark_end - p.mark);
    buffer_text(b, "    ");
    print_line(b, text + p.begin, p.end - p.begin);
    buffer_text(b, "\n    ");
    print_indent(b, text + p.begin, p.mark - p.begin);
    buffer_char(b, '^');
    for (size_t k = 1; k < width; k++)
        buffer_char(b, '~');
    buffer_char(b, '\n');
}

static void print_example(Buffer *b, const char *lines)
{
    while (*lines != '\0') {
        size_t n = strcspn(lines, "\n");
        buffer_text(b, "    ");
        print_line(b, lines, n);
        buffer_char(b, '\n');
        lines += n + (lines[n] == '\n');
    }
}

static void print_severity(Buffer *b, Severity severity, bool colour)
{
    static const char *const word[] = {"error", "warning", "note", "note"};
    static const char *const paint[] = {"\033[1;31m", "\033[1;35m",
                                        "\033[1;36m", "\033[1;36m"};
    if (colour)
        buffer_text(b, paint[severity]);
    buffer_format(b, "%s:", word[severity]);
    if (colour)
        buffer_text(b, "\033[0m");
}

static void print_diag(const Diags *d, const Diag *diag, Buffer *b, bool colour)
{
    const DiagFile *file = find_file(d, diag->at.file);
    Place p = {0};
    if (file != NULL) {
        p = find_place(file, diag->at);
        buffer_format(b, "%s:%zu:%zu: ", file->name, p.line, p.column);
    }
    print_severity(b, diag->severity, colour);
    buffer_char(b, ' ');
    print_line(b, diag->text, strlen(diag->text));
    buffer_char(b, '\n');
    if (diag->example != NULL)
        print_example(b, diag->example);
    else if (file != NULL)
        print_source(b, file, p);
}

/* True if a stands before b in the text. Messages about different files, or
   without a place, keep the order in which they came. */
static bool is_before(const Diag *a, const Diag *b)
{
    return a->at.file == b->at.file && a->at.file != SPAN_NOWHERE &&
           a->at.start < b->at.start;
}

/* Moves the message at `next`, with the notes after it, to its place among the
   first n of `order`. */
static void put_in_order(const Diag **order, size_t n, const Diag *next)
{
    while (n > 0 && is_before(next, order[n - 1])) {
        order[n] = order[n - 1];
        n--;
    }
    order[n] = next;
}

/* A message and its notes. */
static void print_group(const Diags *d, const Diag *diag, Buffer *b,
                        bool colour)
{
    do {
        print_diag(d, diag, b, colour);
        diag = diag->next;
    } while (diag != NULL && diag->severity == SEVERITY_NOTE);
}

void diags_print(const Diags *d, Buffer *b, bool colour)
{
    const Diag *order[DIAG_LIMIT];
    size_t n = 0;
    for (const Diag *k = d->first; k != NULL && n < DIAG_LIMIT; k = k->next)
        if (k == d->first || k->severity != SEVERITY_NOTE)
            put_in_order(order, n++, k);
    for (size_t k = 0; k < n; k++)
        print_group(d, order[k], b, colour);
    if (d->lost > 0)
        buffer_format(b, "%u more messages are not shown\n", (unsigned)d->lost);
}
