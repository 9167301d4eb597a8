#include "trial.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stats/number.h"

/* ---- Running ------------------------------------------------------------- */

static void keep_message(void *user, const char *text)
{
    Buffer *messages = user;
    buffer_text(messages, text);
    buffer_char(messages, '\n');
}

void trial_of(Trial *t, const void *model, uint32_t precision,
              const KernelOptions *o)
{
    KernelOptions own = *o;
    own.no_plots = true;
    *t = (Trial){0};
    own.json = &t->json;
    if (!own.message) {
        own.message = keep_message;
        if (!own.user)
            own.user = &t->messages;
    }
    t->status = kernel_find(precision)->experiment(model, &own, &t->out);
}

void trial_run(Trial *t, const char *name, const char *precision,
               const KernelOptions *o)
{
    const char *folder = getenv("COSY_MODELS");
    char path[4096];
    Loaded l;
    Fault f = {0};
    snprintf(path, sizeof path, "%s/%s.%s.so", folder ? folder : "build/models",
             name, precision);
    *t = (Trial){0};
    t->status = load_open(&l, path, &f);
    if (t->status == STATUS_OK)
        trial_of(t, l.model, l.precision, o);
    else
        printf("%s\n", f.text);
    load_close(&l);
}

void trial_end(Trial *t)
{
    buffer_free(&t->json);
    buffer_free(&t->messages);
}

/* ---- Looking ------------------------------------------------------------- */

/* The position after `"key": `, or after the key itself if it begins with a
   quote. */
static const char *after_key(const char *text, const char *key)
{
    char quoted[80];
    if (key[0] == '"')
        snprintf(quoted, sizeof quoted, "%s", key);
    else
        snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    text = strstr(text, quoted);
    return text ? text + strlen(quoted) : NULL;
}

static const char *find(Trial *t, va_list keys)
{
    const char *at = buffer_string(&t->json), *key;
    while (at && (key = va_arg(keys, const char *)) != NULL)
        at = after_key(at, key);
    return at;
}

real trial_number(Trial *t, ...)
{
    char text[NUMBER_LENGTH + 8];
    va_list keys;
    real value;
    va_start(keys, t);
    const char *at = find(t, keys);
    va_end(keys);
    if (!at)
        return (real)NAN;
    at += *at == '"';
    snprintf(text, sizeof text, "%.*s", (int)strcspn(at, "\",}] \n"), at);
    return number_read(text, &value) ? value : (real)NAN;
}

const char *trial_text(Trial *t, ...)
{
    static char text[600];
    va_list keys;
    va_start(keys, t);
    const char *at = find(t, keys);
    va_end(keys);
    text[0] = '\0';
    if (at && *at == '"')
        snprintf(text, sizeof text, "%.*s", (int)strcspn(at + 1, "\"\n"),
                 at + 1);
    return text;
}

static bool read_event(const char *line, TrialEvent *e)
{
    char t[NUMBER_LENGTH];
    e->detail[0] = '\0';
    return sscanf(line, "%63[^,],%31[^,],%15[^,],%31[^\n]", t, e->name, e->kind,
                  e->detail) >= 3 &&
           number_read(t, &e->t);
}

size_t trial_events(const char *dir, unsigned run, TrialEvent *list,
                    size_t most)
{
    char path[4096];
    Buffer b = {0};
    Fault f = {0};
    TrialEvent e;
    size_t n = 0;
    snprintf(path, sizeof path, "%s/events-%04u.csv", dir, run);
    if (file_read(path, &b, &f) != STATUS_OK)
        printf("%s\n", f.text);
    for (const char *line = strchr(buffer_string(&b), '\n'); line && line[1];
         line = strchr(line + 1, '\n'))
        if (read_event(line + 1, &e)) {
            if (n < most)
                list[n] = e;
            n++;
        }
    buffer_free(&b);
    return n;
}

/* ---- Folders ------------------------------------------------------------- */

const char *trial_folder(void)
{
    static char folder[4096];
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/cosy-test-XXXXXX",
             place ? place : "/tmp");
    if (!mkdtemp(folder)) {
        perror(folder);
        exit(1);
    }
    return folder;
}

const char *trial_path(const char *folder, const char *name)
{
    enum { RING = 8 };
    static char path[RING][4096];
    static unsigned next;
    char *p = path[next++ % RING];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

void trial_remove(const char *folder)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    char path[4096];
    struct stat s;
    while (d && (e = readdir(d)) != NULL) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (lstat(path, &s) == 0 && S_ISDIR(s.st_mode))
            trial_remove(path);
        else
            unlink(path);
    }
    if (d)
        closedir(d);
    rmdir(folder);
}

/* Cuts lines with "wall_s" down to their beginning. */
static void forget_time(Buffer *b)
{
    char *text = (char *)b->v.bytes, *to = text;
    size_t n = b->v.used;
    for (char *line = text; line < text + n;) {
        char *end = memchr(line, '\n', (size_t)(text + n - line));
        size_t length =
            end ? (size_t)(end + 1 - line) : (size_t)(text + n - line);
        if (length < 10 || memcmp(line, " \"wall_s\": ", 10) != 0) {
            memmove(to, line, length);
            to += length;
        }
        line += length;
    }
    b->v.used = (size_t)(to - text);
}

static bool same_file(const char *a, const char *b)
{
    Buffer one = {0}, two = {0};
    Fault f = {0};
    bool same = file_read(a, &one, &f) == STATUS_OK &&
                file_read(b, &two, &f) == STATUS_OK;
    if (same) {
        forget_time(&one);
        forget_time(&two);
        same = one.v.used == two.v.used &&
               (one.v.used == 0 ||
                memcmp(one.v.bytes, two.v.bytes, one.v.used) == 0);
    }
    buffer_free(&one);
    buffer_free(&two);
    if (!same)
        printf("%s and %s differ\n", a, b);
    return same;
}

/* True if every file of a is in b; *count is their number. */
static bool contained(const char *a, const char *b, size_t *count)
{
    DIR *d = opendir(a);
    struct dirent *e;
    bool same = d != NULL;
    *count = 0;
    while (d && same && (e = readdir(d)) != NULL)
        if (e->d_name[0] != '.') {
            char in_a[4096], in_b[4096];
            snprintf(in_a, sizeof in_a, "%s/%s", a, e->d_name);
            snprintf(in_b, sizeof in_b, "%s/%s", b, e->d_name);
            ++*count;
            same = same_file(in_a, in_b);
        }
    if (d)
        closedir(d);
    return same;
}

bool trial_same(const char *a, const char *b)
{
    size_t in_a = 0, in_b = 0;
    return contained(a, b, &in_a) && contained(b, a, &in_b) && in_a == in_b &&
           in_a > 0;
}
