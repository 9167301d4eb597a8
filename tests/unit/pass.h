#ifndef COSY_TESTS_PASS_H
#define COSY_TESTS_PASS_H

/* Runs all .txt files of tests/pass/PASS. A file holds many cases:

       === title of the first case
       input
       ---
       what comes out

       === title of the second
       ...

   A test of a pass prints its result:

       static void run(Unit *u, Buffer *b)
       {
           if (lex(u) && parse(u))
               ast_print(u->program, b);
       }

       int main(void)
       {
           pass_run("parse", run);
           return check_end();
       }

   The messages come before the output, each on one line without the source:
   `line:column: error: ...`, or `file:line:column: ...` if it concerns another
   text. Blank lines at the end of input and output do not count. With
   COSY_ACCEPT=1 in the environment the files are rewritten with the actual
   output: look at the difference before committing it. */

#include <dirent.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "check.h"
#include "syntax/unit.h"

typedef void PassRun(Unit *u, Buffer *b);

/* Messages without source lines; those about the input itself without its
   name. */
static inline void pass_messages(const Diags *d, Buffer *out)
{
    Buffer all = {0};
    const char *line;
    diags_print(d, &all, false);
    line = buffer_string(&all);
    while (*line != '\0') {
        const char *end = strchr(line, '\n');
        size_t n = end == NULL ? strlen(line) : (size_t)(end - line);
        if (n > 6 && strncmp(line, "INPUT:", 6) == 0) {
            buffer_bytes(out, line + 6, n - 6);
            buffer_char(out, '\n');
        } else if (n > 0 && line[0] != ' ') {
            buffer_bytes(out, line, n);
            buffer_char(out, '\n');
        }
        line += end == NULL ? n : n + 1;
    }
    buffer_free(&all);
}

static inline void pass_case(PassRun *run, const char *text, size_t length,
                             Buffer *out)
{
    Arena arena = {0};
    Diags diags = {.arena = &arena};
    Unit u = {.arena = &arena,
              .diags = &diags,
              .name = "INPUT",
              .text = text,
              .length = length};
    Buffer dump = {0};
    u.file = diags_add_file(&diags, u.name, text, length);
    run(&u, &dump);
    pass_messages(&diags, out);
    buffer_text(out, buffer_string(&dump));
    buffer_free(&dump);
    arena_free(&arena);
}

static inline const char *pass_line(const char *at)
{
    const char *end = strchr(at, '\n');
    return end == NULL ? at + strlen(at) : end + 1;
}

/* The first line from `at` on that begins with `mark`, or the end. */
static inline const char *pass_find(const char *at, const char *mark)
{
    while (*at != '\0' && strncmp(at, mark, strlen(mark)) != 0)
        at = pass_line(at);
    return at;
}

static inline size_t pass_trim(const char *s, size_t n)
{
    while (n > 0 && s[n - 1] == '\n')
        n--;
    return n;
}

/* One case, from its title; returns the next. */
static inline const char *pass_one(PassRun *run, const char *path,
                                   const char *title, Buffer *anew)
{
    const char *input = pass_line(title);
    const char *rule = pass_find(input, "---\n");
    const char *expected = pass_line(rule);
    const char *end = pass_find(expected, "=== ");
    size_t n_input = pass_trim(input, (size_t)(rule - input));
    size_t n_expected = pass_trim(expected, (size_t)(end - expected));
    Buffer out = {0};
    char *text = malloc(n_input + 2);
    size_t n;
    const char *found;
    if (text == NULL)
        return end;
    memcpy(text, input, n_input);
    memcpy(text + n_input, "\n", 2);
    pass_case(run, text, n_input + 1, &out);
    free(text);
    found = buffer_string(&out);
    n = pass_trim(found, strlen(found));
    if (n == n_expected && memcmp(found, expected, n) == 0) {
        check_passed++;
    } else {
        check_failed++;
        printf("%s: %.*sfound\n%.*s\nexpected\n%.*s\n\n", path,
               (int)(input - title), title, (int)n, found, (int)n_expected,
               expected);
    }
    buffer_bytes(anew, title, (size_t)(input - title));
    buffer_bytes(anew, input, n_input);
    buffer_text(anew, "\n---\n");
    buffer_bytes(anew, found, n);
    buffer_text(anew, *end == '\0' ? "\n" : "\n\n");
    buffer_free(&out);
    return end;
}

static inline void pass_file(PassRun *run, const char *path)
{
    Fault fault = {0};
    Buffer text = {0}, anew = {0};
    const char *at;
    unsigned long failed = check_failed;
    CHECK(file_read(path, &text, &fault) == STATUS_OK);
    at = pass_find(buffer_string(&text), "=== ");
    buffer_bytes(&anew, buffer_string(&text),
                 (size_t)(at - buffer_string(&text)));
    while (*at != '\0')
        at = pass_one(run, path, at, &anew);
    if (getenv("COSY_ACCEPT") != NULL && check_failed > failed)
        file_write(path, buffer_string(&anew), strlen(buffer_string(&anew)),
                   &fault);
    buffer_free(&text);
    buffer_free(&anew);
}

static inline void pass_run(const char *pass, PassRun *run)
{
    const char *tests = getenv("COSY_TESTS");
    char folder[1000], path[2000];
    DIR *dir;
    const struct dirent *entry;
    snprintf(folder, sizeof folder, "%s/pass/%s",
             tests == NULL ? "tests" : tests, pass);
    dir = opendir(folder);
    CHECK(dir != NULL);
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        size_t n = strlen(entry->d_name);
        if (n < 5 || strcmp(entry->d_name + n - 4, ".txt") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        pass_file(run, path);
    }
    if (dir != NULL)
        closedir(dir);
}

#endif
