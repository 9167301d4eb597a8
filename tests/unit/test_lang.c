#include "lang.h"

/* Runs tests/lang: every file is a program with its expectation in place.

       X := Y + 1;      (*! error 6 "`Y` is not declared" *)

   A mark stands in a comment at the end of the line that the message is about:
   severity, column (optional), part of the message. `//! error ...` means the
   same. Several marks in one comment or on one line are several messages. Where
   a comment is impossible, a mark elsewhere names the line: `error 12:6`. A
   file without marks checks clean. Every message must be expected, and every
   expected one must occur.

   With COSY_ACCEPT=1 in the environment lines whose messages are others get new
   marks: look at the difference before it is committed.

   Every file is read again with CRLF at the ends of lines, with a byte order
   mark, and without its final newline: the messages must be the same. */

typedef struct Marks {
    Message v[DIAG_LIMIT];
    unsigned count;
} Marks;

/* ---- Reading the marks --------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
    while (*at == ' ')
        at++;
    return at;
}

/* `severity [[line:]column] "part"`; NULL if there is none. */
static const char *mark_read(const char *at, unsigned line, Message *m)
{
    int n = 0;
    size_t length;
    *m = (Message){.line = line};
    if (sscanf(at, "%7[a-z]%n", m->severity, &n) != 1)
        return NULL;
    at = skip_blanks(at + n);
    if (sscanf(at, "%u:%u%n", &m->line, &m->column, &n) == 2)
        at = skip_blanks(at + n);
    else if (m->line = line, sscanf(at, "%u%n", &m->column, &n) == 1)
        at = skip_blanks(at + n);
    if (*at != '"')
        return NULL;
    length = strcspn(at + 1, "\"\n");
    if (at[length + 1] != '"' || length >= sizeof m->text)
        return NULL;
    memcpy(m->text, at + 1, length);
    return skip_blanks(at + length + 2);
}

static void marks_of_line(const char *path, const char *at, const char *end,
                          unsigned line, Marks *marks)
{
    for (; at + 3 < end; at++) {
        const char *next;
        if (strncmp(at, "(*!", 3) != 0 && strncmp(at, "//!", 3) != 0)
            continue;
        next = skip_blanks(at + 3);
        do {
            next = mark_read(next, line, &marks->v[marks->count]);
            if (next == NULL) {
                check_failed++;
                printf("%s:%u: this mark cannot be read\n", path, line);
                return;
            }
            marks->count++;
        } while (*next >= 'a' && *next <= 'z');
    }
}

static void marks_read(const char *path, const char *text, Marks *marks)
{
    unsigned line = 1;
    marks->count = 0;
    for (const char *end; *text != '\0'; text = end, line++) {
        end = text + strcspn(text, "\n");
        marks_of_line(path, text, end, line, marks);
        end += *end == '\n';
    }
}

/* ---- Comparing ----------------------------------------------------------- */

static bool message_meets(const Message *m, const Message *mark)
{
    return m->line == mark->line &&
           (mark->column == 0 || m->column == mark->column) &&
           strcmp(m->severity, mark->severity) == 0 &&
           strstr(m->text, mark->text) != NULL;
}

static bool take(Messages *m, const Message *mark)
{
    for (unsigned k = 0; k < m->count; k++)
        if (message_meets(&m->v[k], mark)) {
            memmove(&m->v[k], &m->v[k + 1],
                    (m->count - k - 1) * sizeof m->v[0]);
            m->count--;
            return true;
        }
    return false;
}

/* Removes every expected message; what is left was not expected. */
static void compare(const char *path, const char *how, Messages *m,
                    const Marks *marks)
{
    bool wrong = false;
    unsigned missing = 0;
    for (unsigned k = 0; k < marks->count; k++) {
        const Message *mark = &marks->v[k];
        wrong = wrong || strcmp(mark->severity, "error") == 0;
        if (!take(m, mark)) {
            printf("%s:%u:%u: missing%s: %s: %s\n", path, mark->line,
                   mark->column, how, mark->severity, mark->text);
            missing++;
        }
    }
    for (unsigned k = 0; k < m->count; k++)
        printf("%s:%u:%u: not expected%s: %s: %s\n", path, m->v[k].line,
               m->v[k].column, how, m->v[k].severity, m->v[k].text);
    CHECK(m->read && m->right == !wrong);
    if (missing > 0 || m->count > 0)
        check_failed++;
    else
        check_passed++;
}

/* ---- Writing the marks anew ---------------------------------------------- */

/* Whether the messages of this line are those that its marks expect. */
static bool line_agrees(const Messages *m, const Marks *marks, unsigned line)
{
    Messages left = *m;
    for (unsigned k = 0; k < marks->count; k++)
        if (marks->v[k].line == line && !take(&left, &marks->v[k]))
            return false;
    for (unsigned k = 0; k < left.count; k++)
        if (left.v[k].line == line)
            return false;
    return true;
}

/* The line without its marks, which end it, and with those of its messages. A
   mark has the message up to its first quotation mark. */
static void line_accept(Buffer *b, const char *at, size_t n, const Messages *m,
                        unsigned line)
{
    const char *before = "   (*!";
    size_t k = 0;
    while (k < n && strncmp(at + k, "(*!", 3) != 0 &&
           strncmp(at + k, "//!", 3) != 0)
        k++;
    while (k > 0 && at[k - 1] == ' ')
        k--;
    buffer_bytes(b, at, k);
    for (unsigned i = 0; i < m->count; i++) {
        const Message *one = &m->v[i];
        if (one->line != line)
            continue;
        buffer_format(b, "%s %s %u \"%.*s\"", before, one->severity,
                      one->column, (int)strcspn(one->text, "\""), one->text);
        before = "";
    }
    buffer_text(b, *before ? "\n" : " *)\n");
}

/* Marks that name another line, and messages of no line, are left to people. */
static bool can_accept(const char *path, const char *text, const Messages *m)
{
    bool can = true;
    for (unsigned k = 0; k < m->count; k++)
        can = can && m->v[k].line > 0 && strstr(m->v[k].text, "*)") == NULL;
    for (const char *s = text; (s = strstr(s, "*! ")) != NULL; s++) {
        unsigned line, column;
        char severity[8];
        can = can &&
              sscanf(s + 3, "%7[a-z] %u:%u", severity, &line, &column) != 3;
    }
    if (!can)
        printf("%s: its marks are to be written by hand\n", path);
    return can;
}

static void accept_marks(const char *path, const char *text, const Messages *m,
                         const Marks *marks)
{
    Buffer b = {0};
    Fault fault = {0};
    unsigned line = 1;
    if (!can_accept(path, text, m))
        return;
    for (const char *end; *text != '\0'; text = end, line++) {
        size_t n = strcspn(text, "\n");
        end = text + n + (text[n] == '\n');
        if (line_agrees(m, marks, line))
            buffer_bytes(&b, text, (size_t)(end - text));
        else
            line_accept(&b, text, n, m, line);
    }
    CHECK(file_write(path, buffer_string(&b), b.v.used, &fault) == STATUS_OK);
    buffer_free(&b);
}

/* ---- One file, four ways ------------------------------------------------- */

static void dressed(Folder *f, const char *path, Buffer *text,
                    const Marks *marks)
{
    static Messages m;
    Buffer b = {0};
    const char *s = buffer_string(text);
    size_t n = text->v.used;
    for (size_t k = 0; k < n; k++) {
        if (s[k] == '\n')
            buffer_char(&b, '\r');
        buffer_char(&b, s[k]);
    }
    lang_text(f, b.v.bytes, b.v.used, &m);
    compare(path, " with CRLF", &m, marks);
    b.v.used = 0;
    buffer_text(&b, "\xEF\xBB\xBF");
    buffer_bytes(&b, s, n);
    lang_text(f, b.v.bytes, b.v.used, &m);
    compare(path, " with a byte order mark", &m, marks);
    while (n > 0 && s[n - 1] == '\n')
        n--;
    lang_text(f, s, n, &m);
    compare(path, " without final newline", &m, marks);
    buffer_free(&b);
}

static void run_file(const char *path, void *data)
{
    static Messages m;
    static Marks marks;
    Fault fault = {0};
    Buffer text = {0};
    unsigned long failed = check_failed;
    CHECK(file_read(path, &text, &fault) == STATUS_OK);
    marks_read(path, buffer_string(&text), &marks);
    lang_file(path, &m);
    Messages found = m; // compare takes them away
    compare(path, "", &m, &marks);
    if (check_failed > failed && getenv("COSY_ACCEPT") != NULL)
        accept_marks(path, buffer_string(&text), &found, &marks);
    if (check_failed == failed)
        dressed(data, path, &text, &marks);
    buffer_free(&text);
}

/* ---- Examples ------------------------------------------------------------ */

static void run_example(const char *path, void *data)
{
    static Messages m;
    (void)data;
    lang_file(path, &m);
    CHECK(m.read && m.right && m.count == 0);
    if (m.count > 0)
        printf("%s:\n", path);
    messages_show(&m);
}

int main(void)
{
    Folder folder;
    folder_make(&folder);
    setenv("COSY_LIBRARY", folder_file(&folder, "none.db"), 1);
    CHECK(folder_each(lang_folder(), ".cosy", run_file, &folder) >= 150);
    CHECK(examples_each(run_example, NULL) >= 12);
    folder_remove(&folder);
    return check_end();
}
