/* topics table OUT GRAMMAR PAGE... pages and diagrams as a C table (see
                                      src/cli/topics.h)
   topics programs DIR PAGE... complete programs of the pages, each as a
                                      file: DIR/TOPIC-1.cosy

   Exit status: 0 success, 1 something is wrong, 3 wrong use. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "grammar/diagram.h"
#include "grammar/ebnf.h"
#include "syntax/token.h"
#include "topics/page.h"

typedef struct Job {
    Arena arena;
    Buffer text; // text of the grammar
    Grammar grammar;
    Page *page;
    int pages;
} Job;

static bool complain(const char *text)
{
    fprintf(stderr, "topics: %s\n", text);
    return false;
}

/* ---- Reading ------------------------------------------------------------- */

static bool read_grammar(Job *job, const char *path)
{
    Fault f = {0};
    Diags d = {.arena = &job->arena};
    if (file_read(path, &job->text, &f) != STATUS_OK)
        return complain(f.text);
    const char *text = buffer_string(&job->text);
    return grammar_read(&job->grammar, &job->arena, &d, path, text,
                        job->text.v.used) ||
           complain("the grammar has mistakes; grammar check shows them");
}

static bool read_pages(Job *job, int count, char **path)
{
    bool ok = true;
    job->page = NEW_ARRAY(&job->arena, Page, (size_t)count);
    job->pages = count;
    for (int k = 0; job->page && k < count; k++)
        ok = page_read(&job->page[k], &job->arena, path[k]) && ok;
    return job->page ? ok : complain("out of memory");
}

/* The page that has the name, or NULL; *times counts how many have it. */
static const Page *find(const Job *job, const char *name, int *times)
{
    const Page *found = NULL;
    *times = 0;
    for (int k = 0; k < job->pages; k++)
        for (const Name *n = job->page[k].name; n; n = n->next)
            if (name_same(n->text, name)) {
                (*times)++;
                found = &job->page[k];
            }
    return found;
}

/* Checks that rules exist, and that every name finds one page, including those
   in See also. */
static bool agree(const Job *job, const Page *p)
{
    bool ok = true;
    int times;
    for (const Name *n = p->name; n; n = n->next) {
        find(job, n->text, &times);
        if (times != 1)
            ok = page_error(p, n->number, "%s is there %d times", n->text,
                            times);
    }
    for (const Name *n = p->rule; n; n = n->next)
        if (grammar_find_rule(&job->grammar, n->text) < 0)
            ok =
                page_error(p, n->number, "the grammar has no rule %s", n->text);
    for (const Name *n = p->see; n; n = n->next) {
        const Page *q = find(job, n->text, &times);
        if (!q || !name_same(q->name->text, n->text))
            ok = page_error(p, n->number, "there is no topic %s", n->text);
    }
    return ok;
}

/* Pages of one group stand together, or `cosy doc` lists the group twice. */
static bool stands_with_group(const Job *job, const Page *p)
{
    bool left = false;
    for (const Page *q = p; q-- > job->page;) {
        bool same = strcmp(q->group, p->group) == 0;
        if (same && left)
            return page_error(p, 1, "the group %s has ended before this page",
                              p->group);
        left = left || !same;
        if (same)
            break;
    }
    return true;
}

/* ---- Writing ------------------------------------------------------------- */

/* As a C string, indented by at least `indent` columns; bytes above 127 in
   octal, so that the file is plain ASCII. */
static void write_string(Buffer *b, const char *s, size_t n, int indent)
{
    buffer_char(b, '"');
    for (int k = 0; n > 0 && k < indent; k++)
        buffer_char(b, ' ');
    for (size_t k = 0; k < n; k++) {
        unsigned char c = (unsigned char)s[k];
        if (c == '"' || c == '\\' || c == '?')
            buffer_format(b, "\\%c", c);
        else if (c < 32 || c > 126)
            buffer_format(b, "\\%03o", c);
        else
            buffer_char(b, (char)c);
    }
    buffer_text(b, "\",\n");
}

static void write_names(Buffer *b, const Page *p, int k)
{
    buffer_format(b, "static const char *const name_%d[] = {\n", k);
    for (const Name *n = p->name; n; n = n->next)
        write_string(b, n->text, strlen(n->text), 0);
    buffer_text(b, "NULL};\n");
}

static void write_lines(Buffer *b, const Page *p, int k)
{
    buffer_format(b, "static const char *const line_%d[] = {\n", k);
    if (p->status)
        buffer_format(b, "\"Status: %s\", \"\",\n", p->status);
    for (const Line *l = p->line; l; l = l->next)
        write_string(b, l->text, strlen(l->text), l->set_in ? PAGE_INDENT : 0);
    buffer_text(b, "NULL};\n");
}

static void write_diagrams(Buffer *b, const Job *job, const Page *p, int k)
{
    Buffer drawn = {0};
    for (const Name *n = p->rule; n; n = n->next) {
        int32_t rule = grammar_find_rule(&job->grammar, n->text);
        buffer_format(&drawn, "%s%s\n", n == p->rule ? "" : "\n", n->text);
        diagram_text(&drawn, &job->grammar, &job->grammar.rule[rule]);
    }
    buffer_format(b, "static const char *const diagram_%d[] = {\n", k);
    for (const char *s = buffer_string(&drawn); *s;) {
        size_t n = strcspn(s, "\n");
        write_string(b, s, n, 0);
        s += s[n] ? n + 1 : n;
    }
    buffer_text(b, "NULL};\n\n");
    b->broken = b->broken || drawn.broken;
    buffer_free(&drawn);
}

static void write_row(Buffer *b, const Page *p, int k)
{
    buffer_text(b, "{");
    write_string(b, p->group, strlen(p->group), 0);
    write_string(b, p->title, strlen(p->title), 0);
    buffer_format(b, "name_%d, line_%d, diagram_%d},\n", k, k, k);
}

static void write_table(Buffer *b, const Job *job)
{
    buffer_text(b, "/* Made by tools/topics from docs/topics. */\n"
                   "#include \"cli/topics.h\"\n\n");
    for (int k = 0; k < job->pages; k++) {
        write_names(b, &job->page[k], k);
        write_lines(b, &job->page[k], k);
        write_diagrams(b, job, &job->page[k], k);
    }
    buffer_text(b, "const Topic topics[] = {\n");
    for (int k = 0; k < job->pages; k++)
        write_row(b, &job->page[k], k);
    buffer_format(b, "};\nconst size_t topic_count = %d;\n", job->pages);
}

static bool write_file(const char *path, Buffer *b)
{
    Fault f = {0};
    if (b->broken)
        return complain("out of memory");
    return file_write(path, b->v.bytes, b->v.used, &f) == STATUS_OK ||
           complain(f.text);
}

/* ---- Commands ------------------------------------------------------------ */

static bool table(Job *job, int count, char **word)
{
    Buffer b = {0};
    bool read =
        read_grammar(job, word[1]) && read_pages(job, count - 2, word + 2);
    bool ok = read;
    for (int k = 0; read && k < job->pages; k++)
        ok = agree(job, &job->page[k]) &&
             stands_with_group(job, &job->page[k]) && ok;
    if (ok) {
        write_table(&b, job);
        ok = write_file(word[0], &b);
    }
    buffer_free(&b);
    return ok;
}

static bool write_program(const char *dir, const Page *p, int program)
{
    Buffer b = {0}, path = {0};
    for (const Line *l = p->line; l; l = l->next)
        if (l->program == program)
            buffer_format(&b, "%s\n", l->text);
    buffer_format(&path, "%s/%s-%d.cosy", dir, p->name->text, program);
    bool ok = !path.broken && write_file(buffer_string(&path), &b);
    buffer_free(&b);
    buffer_free(&path);
    return ok;
}

static bool programs(Job *job, int count, char **word)
{
    bool ok = read_pages(job, count - 1, word + 1);
    for (int k = 0; ok && k < job->pages; k++)
        for (int n = 1; ok && n <= job->page[k].programs; n++)
            ok = write_program(word[0], &job->page[k], n);
    return ok;
}

int main(int argc, char **argv)
{
    Job job = {0};
    bool ok = false, used = true;
    if (argc > 4 && strcmp(argv[1], "table") == 0)
        ok = table(&job, argc - 2, argv + 2);
    else if (argc > 3 && strcmp(argv[1], "programs") == 0)
        ok = programs(&job, argc - 2, argv + 2);
    else
        used = complain("topics table OUT GRAMMAR PAGE... or "
                        "topics programs DIR PAGE...");
    buffer_free(&job.text);
    arena_free(&job.arena);
    return ok ? 0 : used ? 1 : 3;
}
