#include "store/results.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/pack.h"
#include "store/sql.h"

enum { PATH_MOST = 4096 };

static Status no_memory(const Results *r, Fault *f)
{
    return fault_set(f, STATUS_MEMORY, "%s: no memory", r->name);
}

/* ---- Names of tables ------------------------------------------------------ */

/* Tables of one run; their number is that of the run. */
static const char *const of_run[] = {"run-",    "events-",      "final-",
                                     "linear-", "eigenvalues-", "resources-"};
/* Tables of all runs: there may be several, or one. */
static const char *const of_all[] = {
    "search-",   "fit-",         "fit-residuals-", "fit-profiles-",
    "spectrum-", "correlation-", "comparison-"};
static const char *const single[] = {"cross.csv", "sweep.csv"};

/* Whether it is NNNN.csv after one of these beginnings. */
static bool is_numbered(const char *name, const char *const *beginning,
                        size_t count, uint64_t *number)
{
    for (size_t k = 0; k < count; k++) {
        size_t n = strlen(beginning[k]);
        if (strncmp(name, beginning[k], n) != 0)
            continue;
        size_t digits = strspn(name + n, "0123456789");
        *number = strtoull(name + n, NULL, 10);
        if (digits >= 4 && digits < 18 &&
            strcmp(name + n + digits, ".csv") == 0)
            return true;
    }
    return false;
}

/* The number of the run that a table belongs to; 0: to all. */
static bool run_of(const char *name, uint64_t *run)
{
    if (is_numbered(name, of_run, LENGTH(of_run), run))
        return true;
    bool all = is_numbered(name, of_all, LENGTH(of_all), run);
    for (size_t k = 0; k < LENGTH(single); k++)
        all = all || strcmp(name, single[k]) == 0;
    *run = 0;
    return all;
}

bool results_is_table(const char *name)
{
    uint64_t run;
    return run_of(name, &run);
}

const char *results_table_name(Arena *a, const char *what, uint64_t run)
{
    char text[80];
    int n = snprintf(text, sizeof text, "%s-%04llu.csv", what,
                     (unsigned long long)run);
    return arena_text(a, text, (size_t)n);
}

/* ---- Opening -------------------------------------------------------------- */

static Status not_results(const char *folder, const char *why, Fault *f)
{
    return fault_set(f, STATUS_FILE, "%s: %s", folder, why);
}

static Status read_summary(Results *r, Fault *f)
{
    char path[PATH_MOST];
    struct stat about;
    int n = snprintf(path, sizeof path, "%s/summary.json", r->folder);
    if (n < 0 || (size_t)n >= sizeof path)
        return not_results(r->folder, "this name is too long", f);
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return not_results(r->folder,
                           "there are no results of cosy run here: the folder "
                           "has no summary.json",
                           f);
    TRY(file_read(path, &r->text, f));
    if (!summary_split(&r->summary, buffer_string(&r->text), r->text.v.used))
        return not_results(path,
                           "this is not a whole summary.json of cosy run; run "
                           "the model again",
                           f);
    return STATUS_OK;
}

Status results_folder(Results *r, Arena *a, const char *folder, Fault *f)
{
    *r = (Results){.name = folder, .arena = a, .folder = folder};
    Status s = read_summary(r, f);
    if (s != STATUS_OK) {
        results_close(r);
        return s;
    }
    r->head = r->summary.text;
    r->head_length = r->summary.head;
    r->tail = r->summary.text + r->summary.tail;
    r->tail_length = r->summary.length - r->summary.tail;
    r->runs = summary_runs(&r->summary);
    return STATUS_OK;
}

static Status read_frame(Results *r, int64_t number, Fault *f)
{
    sqlite3_stmt *row = NULL;
    TRY(sql_get(r->store, &row, f,
                "SELECT head, tail FROM summary WHERE study = ?", "i", number));
    if (!row)
        return sql_fault(r->store, SQLITE_CORRUPT, f);
    r->head_length = (size_t)sqlite3_column_bytes(row, 0);
    r->head = sql_text(r->arena, row, 0);
    r->tail_length = (size_t)sqlite3_column_bytes(row, 1);
    r->tail = sql_text(r->arena, row, 1);
    sql_done(&row);
    return r->head && r->tail ? STATUS_OK : no_memory(r, f);
}

Status results_study(Results *r, Arena *a, Store *s, int64_t number, Fault *f)
{
    Buffer name = {0};
    *r = (Results){.name = store_path(s), .arena = a, .store = s};
    TRY(store_find(s, a, number, &r->study, f));
    buffer_format(&name, "study %lld of %s", (long long)number, store_path(s));
    r->name = arena_text(a, buffer_string(&name), name.v.used);
    buffer_free(&name);
    if (!r->name) {
        r->name = store_path(s);
        return no_memory(r, f);
    }
    r->runs = r->study.runs;
    return read_frame(r, number, f);
}

void results_close(Results *r)
{
    summary_free(&r->summary);
    buffer_free(&r->text);
}

const Tree *results_head(const Results *r, Arena *a)
{
    return summary_frame(a, r->head, r->head_length, r->tail, r->tail_length);
}

const Tree *results_model(const Tree *head)
{
    const Tree *inputs = tree_get(tree_get(head, "provenance"), "inputs");
    for (const Tree *i = inputs ? inputs->first : NULL; i; i = i->next)
        if (strcmp(tree_text(i, "kind"), "model") == 0)
            return i;
    return NULL;
}

/* ---- Runs ----------------------------------------------------------------- */

static Status each_of_folder(Results *r, ResultsEach *each, void *user)
{
    for (size_t k = 0; k < summary_runs(&r->summary); k++) {
        const SummaryRun *s = summary_run(&r->summary, k);
        ResultsRun run = {(uint64_t)s->number,
                          s->frame >= 0 && s->frame < 1e15 ? (uint64_t)s->frame
                                                           : 0,
                          s->failed    ? "failed"
                          : s->stopped ? "stopped"
                                       : "finished",
                          r->summary.text + s->at, s->length};
        TRY(each(user, &run));
    }
    return STATUS_OK;
}

static Status each_of_study(Results *r, ResultsEach *each, void *user, Fault *f)
{
    sqlite3_stmt *row = NULL;
    Status s = sql_get(r->store, &row, f,
                       "SELECT number, frame, status, json FROM run "
                       "WHERE study = ? ORDER BY id",
                       "i", r->study.number);
    while (s == STATUS_OK && row) {
        ResultsRun run = {(uint64_t)sqlite3_column_int64(row, 0),
                          (uint64_t)sqlite3_column_int64(row, 1),
                          (const char *)sqlite3_column_text(row, 2),
                          (const char *)sqlite3_column_text(row, 3),
                          (size_t)sqlite3_column_bytes(row, 3)};
        s = run.status && run.json ? each(user, &run) : no_memory(r, f);
        if (s == STATUS_OK)
            s = sql_next(r->store, &row, f);
    }
    sql_done(&row);
    return s;
}

Status results_each(Results *r, ResultsEach *each, void *user, Fault *f)
{
    return r->folder ? each_of_folder(r, each, user)
                     : each_of_study(r, each, user, f);
}

/* The text of the run; NULL: there is no such run. */
static Status find_run(Results *r, uint64_t number, const char **json,
                       size_t *length, Fault *f)
{
    sqlite3_stmt *row = NULL;
    *json = NULL;
    for (size_t k = 0; r->folder && k < summary_runs(&r->summary); k++)
        if ((uint64_t)summary_run(&r->summary, k)->number == number) {
            *json = r->summary.text + summary_run(&r->summary, k)->at;
            *length = summary_run(&r->summary, k)->length;
        }
    if (r->folder)
        return STATUS_OK;
    TRY(sql_get(r->store, &row, f,
                "SELECT json FROM run WHERE study = ? AND number = ?", "ii",
                r->study.number, (int64_t)number));
    if (!row)
        return STATUS_OK;
    *length = (size_t)sqlite3_column_bytes(row, 0);
    *json = sql_text(r->arena, row, 0);
    sql_done(&row);
    return *json ? STATUS_OK : no_memory(r, f);
}

Status results_run(Results *r, Arena *a, uint64_t number, const Tree **run,
                   Fault *f)
{
    const char *json;
    size_t length = 0, used;
    TRY(find_run(r, number, &json, &length, f));
    if (!json)
        return fault_set(f, STATUS_USAGE,
                         "%s has no run %llu: it has %llu run%s", r->name,
                         (unsigned long long)number,
                         (unsigned long long)r->runs, r->runs == 1 ? "" : "s");
    *run = tree_read_part(a, json, length, &used);
    return *run ? STATUS_OK : no_memory(r, f);
}

/* ---- Tables --------------------------------------------------------------- */

/* Names that end with NUL, gathered in a buffer. */
static void note_file(Buffer *names, const char *name, uint64_t run)
{
    uint64_t own;
    if (run_of(name, &own) && (run == 0 || own == run))
        buffer_bytes(names, name, strlen(name) + 1);
}

static Status files_of_folder(const Results *r, uint64_t run, Buffer *names,
                              Fault *f)
{
    DIR *d = opendir(r->folder);
    struct dirent *e;
    if (!d)
        return fault_set(f, STATUS_FILE, "%s: cannot be read: %s", r->folder,
                         strerror(errno));
    while ((e = readdir(d)) != NULL)
        note_file(names, e->d_name, run);
    closedir(d);
    return STATUS_OK;
}

static Status files_of_study(const Results *r, uint64_t run, Buffer *names,
                             Fault *f)
{
    sqlite3_stmt *row = NULL;
    Status s =
        sql_get(r->store, &row, f, "SELECT name FROM file WHERE study = ?", "i",
                r->study.number);
    while (s == STATUS_OK && row) {
        const unsigned char *name = sqlite3_column_text(row, 0);
        if (name)
            note_file(names, (const char *)name, run);
        s = sql_next(r->store, &row, f);
    }
    return s;
}

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

static Status sort_files(const Results *r, Arena *a, const Buffer *names,
                         ResultsFiles *files, Fault *f)
{
    const char *all = arena_text(
        a, names->v.used ? (const char *)names->v.bytes : "", names->v.used);
    size_t count = 0;
    for (size_t k = 0; k < names->v.used; k++)
        count += names->v.bytes[k] == '\0';
    files->name = NEW_ARRAY(a, const char *, count + 1);
    if (!all || !files->name || names->broken)
        return no_memory(r, f);
    for (files->n = 0; files->n < count; all += strlen(all) + 1)
        files->name[files->n++] = all;
    qsort(files->name, files->n, sizeof *files->name, by_name);
    return STATUS_OK;
}

Status results_files(Results *r, Arena *a, uint64_t run, ResultsFiles *files,
                     Fault *f)
{
    Buffer names = {0};
    *files = (ResultsFiles){0};
    Status s = r->folder ? files_of_folder(r, run, &names, f)
                         : files_of_study(r, run, &names, f);
    if (s == STATUS_OK)
        s = sort_files(r, a, &names, files, f);
    buffer_free(&names);
    return s;
}

static Status open_file(const Results *r, const char *name, Rows *rows,
                        bool *there, Fault *f)
{
    char path[PATH_MOST];
    struct stat about;
    int n = snprintf(path, sizeof path, "%s/%s", r->folder, name);
    if (n < 0 || (size_t)n >= sizeof path)
        return not_results(r->folder, "this name is too long", f);
    *there = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    return *there ? table_open(&rows->t, path, name, f) : STATUS_OK;
}

static Status open_stored(const Results *r, const char *name, Rows *rows,
                          bool *there, Fault *f)
{
    sqlite3_stmt *row = NULL;
    rows->store = r->store;
    TRY(sql_get(r->store, &row, f,
                "SELECT id, head, count, step FROM file "
                "WHERE study = ? AND name = ?",
                "it", r->study.number, name));
    *there = row != NULL;
    if (!row)
        return STATUS_OK;
    rows->file = sqlite3_column_int64(row, 0);
    const unsigned char *head = sqlite3_column_text(row, 1);
    rows->count = (uint64_t)sqlite3_column_int64(row, 2);
    rows->step = (uint64_t)sqlite3_column_int64(row, 3);
    Status s = head && rows->step > 0 && rows->step <= UINT32_MAX
                   ? table_begin(&rows->t, name, (const char *)head,
                                 (size_t)sqlite3_column_bytes(row, 1), f)
                   : sql_fault(r->store, SQLITE_CORRUPT, f);
    sql_done(&row);
    return s;
}

Status results_table(Results *r, const char *name, Rows *rows, bool *there,
                     Fault *f)
{
    *rows = (Rows){0};
    return r->folder ? open_file(r, name, rows, there, f)
                     : open_stored(r, name, rows, there, f);
}

/* Texts have values too, if they are numbers. */
static bool find_values(TableColumn *c, uint32_t rows)
{
    const char *at = (const char *)c->cells.v.bytes;
    const char *end = at + c->cells.v.used;
    for (uint32_t k = 0; k < rows; k++) {
        const char *stop = memchr(at, '\0', (size_t)(end - at));
        char *last;
        if (!stop)
            return false;
        double value = strtod(at, &last);
        if (last != stop || last == at)
            value = NAN;
        if (!vector_append(&c->value, &value, sizeof value))
            return false;
        at = stop + 1;
    }
    return at == end;
}

static bool take_block(TableColumn *c, uint32_t rows, sqlite3_stmt *row)
{
    const void *bytes = sqlite3_column_blob(row, 2);
    size_t size = (size_t)sqlite3_column_bytes(row, 2);
    StoreForm form = (StoreForm)sqlite3_column_int(row, 1);
    if (!bytes)
        return false;
    c->exact = form == STORE_NUMBERS;
    if (c->exact)
        return vector_append(&c->value, NULL, rows * sizeof(double)) &&
               pack_read((double *)(void *)c->value.bytes, rows, bytes, size);
    if (form == STORE_TEXTS)
        buffer_bytes(&c->cells, bytes, size);
    return (form == STORE_TEXTS ||
            (form == STORE_WORDS &&
             pack_read_words(&c->cells, rows, bytes, size))) &&
           !c->cells.broken && find_values(c, rows);
}

static Status stored_next(Rows *rows, Fault *f)
{
    Table *t = &rows->t;
    sqlite3_stmt *row = NULL;
    table_clear(t);
    uint64_t left = rows->count - t->begin;
    if (left == 0)
        return STATUS_OK;
    uint32_t n = (uint32_t)(left < rows->step ? left : rows->step), column = 0;
    Status s = sql_get(rows->store, &row, f,
                       "SELECT number, form, bytes FROM block "
                       "WHERE file = ? AND part = ? ORDER BY number",
                       "ii", rows->file, (int64_t)rows->part);
    for (; s == STATUS_OK && row && column < t->columns; column++) {
        if (sqlite3_column_int64(row, 0) != column ||
            !take_block(&t->column[column], n, row))
            break;
        s = sql_next(rows->store, &row, f);
    }
    sql_done(&row);
    if (s == STATUS_OK && column < t->columns)
        s = sql_fault(rows->store, SQLITE_CORRUPT, f);
    t->rows = n;
    rows->part++;
    return s;
}

Status rows_next(Rows *rows, Fault *f)
{
    return rows->store ? stored_next(rows, f) : table_next(&rows->t, f);
}

void rows_close(Rows *rows)
{
    table_close(&rows->t);
}
