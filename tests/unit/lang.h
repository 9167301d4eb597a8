#ifndef COSY_TESTS_LANG_H
#define COSY_TESTS_LANG_H

/* One text through the whole front end, and its messages one by one. */

#include <dirent.h>
#include <stdlib.h>

#include "check.h"
#include "cli/front.h"
#include "folder.h"

typedef struct Message {
    unsigned line, column; // 0: not about a place in this text
    char severity[8];      // error, warning, note
    char text[400];
} Message;

typedef struct Messages {
    Message v[DIAG_LIMIT];
    unsigned count;
    unsigned lost;
    bool right, read;
} Messages;

/* `file:line:column: severity: text`, or without the place. */
static inline void message_read(Messages *m, const char *path, const char *line,
                                size_t n)
{
    Message *one = &m->v[m->count];
    size_t k = strlen(path);
    *one = (Message){0};
    if (n > k && strncmp(line, path, k) == 0 && line[k] == ':' &&
        sscanf(line + k, ":%u:%u:", &one->line, &one->column) == 2) {
        for (int colons = 0; colons < 3; k++)
            colons += line[k] == ':';
        line += k + 1;
        n -= k + 1;
    }
    if (sscanf(line, "%7[a-z]:", one->severity) != 1)
        return;
    k = strlen(one->severity) + 2;
    n = n > k ? n - k : 0;
    n = n < sizeof one->text ? n : sizeof one->text - 1;
    memcpy(one->text, line + k, n);
    m->count++;
}

/* Source lines are indented by four blanks and are skipped. */
static inline void messages_read(Messages *m, const char *path, const char *at)
{
    while (*at != '\0' && m->count < DIAG_LIMIT) {
        const char *end = strchr(at, '\n');
        size_t n = end == NULL ? strlen(at) : (size_t)(end - at);
        if (n > 0 && at[0] != ' ')
            message_read(m, path, at, n);
        at += end == NULL ? n : n + 1;
    }
}

static inline void lang_file(const char *path, Messages *m)
{
    Arena arena = {0};
    Diags diags = {0};
    Unit unit;
    Fault fault = {0};
    Buffer b = {0};
    m->count = 0;
    m->right = false;
    m->read = front_read(&unit, &arena, &diags, path, PASS_CHECK, &m->right,
                         &fault) == STATUS_OK;
    m->lost = diags.lost;
    if (m->read)
        diags_print(&diags, &b, false);
    messages_read(m, path, buffer_string(&b));
    buffer_free(&b);
    arena_free(&arena);
}

/* The same for a text in memory, through a file. */
static inline void lang_text(Folder *f, const void *text, size_t n, Messages *m)
{
    FILE *file = fopen(folder_file(f, "model.cosy"), "wb");
    CHECK(file != NULL);
    if (file == NULL)
        return;
    CHECK(fwrite(text, 1, n, file) == n);
    CHECK(fclose(file) == 0);
    lang_file(folder_file(f, "model.cosy"), m);
}

static inline void messages_show(const Messages *m)
{
    for (unsigned k = 0; k < m->count; k++)
        printf("    %u:%u: %s: %s\n", m->v[k].line, m->v[k].column,
               m->v[k].severity, m->v[k].text);
}

/* Calls `each` for every file of a folder whose name has this ending. */
static inline unsigned folder_each(const char *folder, const char *ending,
                                   void (*each)(const char *path, void *data),
                                   void *data)
{
    struct dirent **entry = NULL;
    int n = scandir(folder, &entry, NULL, alphasort);
    unsigned count = 0;
    char path[2600];
    for (int k = 0; k < n; k++) {
        size_t length = strlen(entry[k]->d_name), tail = strlen(ending);
        snprintf(path, sizeof path, "%s/%s", folder, entry[k]->d_name);
        if (length >= tail &&
            strcmp(entry[k]->d_name + length - tail, ending) == 0) {
            each(path, data);
            count++;
        }
        free(entry[k]);
    }
    free(entry);
    return count;
}

/* tests/lang and the models of examples/. */
static inline const char *lang_folder(void)
{
    static char path[1000];
    const char *tests = getenv("COSY_TESTS");
    snprintf(path, sizeof path, "%s/lang", tests == NULL ? "tests" : tests);
    return path;
}

static inline unsigned examples_each(void (*each)(const char *path, void *data),
                                     void *data)
{
    char folder[1000], path[2000];
    const char *tests = getenv("COSY_TESTS");
    struct dirent **entry = NULL;
    int n;
    unsigned count = 0;
    snprintf(folder, sizeof folder, "%s/../examples",
             tests == NULL ? "tests" : tests);
    n = scandir(folder, &entry, NULL, alphasort);
    for (int k = 0; k < n; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, entry[k]->d_name);
        if (entry[k]->d_name[0] != '.')
            count += folder_each(path, "model.cosy", each, data);
        free(entry[k]);
    }
    free(entry);
    return count;
}

#endif
