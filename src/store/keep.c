#include "store/store.h"

#include <string.h>
#include <time.h>

#include "base/sha256.h"
#include "store/pack.h"
#include "store/results.h"
#include "store/sql.h"

/* A study on its way into a store. */
typedef struct Keeper {
    Store *store;
    const StoreEntry *entry;
    Results *results;
    int64_t study;
    Fault *f;
} Keeper;

/* ---- The model ------------------------------------------------------------ */

/* The model's hash, "" if it is not known. */
static const char *hash_of(const Tree *head)
{
    const char *hash = tree_text(head, "model_sha256");
    return hash[0] ? hash : tree_text(results_model(head), "sha256");
}

/* A text that is not the one that was run is not kept. */
static bool is_text_of(const StoreEntry *e, const char *hash)
{
    char found[SHA256_LENGTH];
    Sha256 h;
    if (!e->text)
        return false;
    sha256_begin(&h);
    sha256_add(&h, e->text, e->length);
    sha256_end(&h, found);
    return strcmp(found, hash) == 0;
}

/* Finds the model, or puts it in; a text that was not known is added. */
static Status keep_model(Keeper *k, const char *hash, int64_t *model)
{
    sqlite3_stmt *row = NULL;
    const StoreEntry *e = k->entry;
    TRY(sql_do(k->store, k->f,
               "INSERT INTO model(sha256) VALUES(?) ON CONFLICT DO NOTHING",
               "t", hash));
    if (is_text_of(e, hash))
        TRY(sql_do(k->store, k->f,
                   "UPDATE model SET text = ?2 "
                   "WHERE sha256 = ?1 AND text IS NULL",
                   "tb", hash, (const void *)e->text, e->length));
    TRY(sql_get(k->store, &row, k->f, "SELECT id FROM model WHERE sha256 = ?",
                "t", hash));
    *model = row ? sqlite3_column_int64(row, 0) : 0;
    sql_done(&row);
    return STATUS_OK;
}

/* ---- The study ------------------------------------------------------------ */

static void date_now(char text[32])
{
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

static void count_ends(const Results *r, int64_t *stopped, int64_t *failed)
{
    *stopped = *failed = 0;
    for (size_t k = 0; k < summary_runs(&r->summary); k++) {
        *stopped += summary_run(&r->summary, k)->stopped;
        *failed += summary_run(&r->summary, k)->failed;
    }
}

static Status keep_study(Keeper *k, const Tree *head)
{
    const StoreEntry *e = k->entry;
    Results *r = k->results;
    int64_t model, stopped, failed;
    char now[32];
    date_now(now);
    TRY(keep_model(k, hash_of(head), &model));
    count_ends(r, &stopped, &failed);
    TRY(sql_do(k->store, k->f,
               "INSERT INTO study(date, label, program, source, cosy, model, "
               "runs, stopped, failed) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
               "tttttiiii", e->date ? e->date : now, e->label ? e->label : "",
               tree_text(head, "program"),
               tree_text(results_model(head), "name"), tree_text(head, "cosy"),
               model, (int64_t)r->runs, stopped, failed));
    k->study = sqlite3_last_insert_rowid(k->store->db);
    return sql_do(k->store, k->f,
                  "INSERT INTO summary(study, head, tail) "
                  "VALUES(?, CAST(? AS TEXT), CAST(? AS TEXT))",
                  "ibb", k->study, (const void *)r->head, r->head_length,
                  (const void *)r->tail, r->tail_length);
}

static Status keep_run(void *user, const ResultsRun *run)
{
    Keeper *k = user;
    return sql_do(k->store, k->f,
                  "INSERT INTO run(study, number, frame, status, json) "
                  "VALUES(?, ?, ?, ?, CAST(? AS TEXT))",
                  "iiitb", k->study, (int64_t)run->number, (int64_t)run->frame,
                  run->status, (const void *)run->json, run->length);
}

/* ---- Tables --------------------------------------------------------------- */

/* Packs a column; its form. */
static StoreForm pack(Buffer *b, const Table *t, uint32_t column)
{
    const TableColumn *c = &t->column[column];
    if (c->exact) {
        pack_numbers(b, table_values(t, column), t->rows);
        return STORE_NUMBERS;
    }
    if (pack_words(b, &c->cells, t->rows))
        return STORE_WORDS;
    buffer_bytes(b, (const char *)c->cells.v.bytes, c->cells.v.used);
    return STORE_TEXTS;
}

static Status keep_block(Keeper *k, int64_t file, uint64_t part, const Table *t,
                         uint32_t column)
{
    Buffer b = {0};
    StoreForm form = pack(&b, t, column);
    Status s =
        b.broken ? fault_set(k->f, STATUS_MEMORY, "%s: no memory", t->name)
                 : sql_do(k->store, k->f,
                          "INSERT INTO block(file, part, number, form, bytes) "
                          "VALUES(?, ?, ?, ?, ?)",
                          "iiiib", file, (int64_t)part, (int64_t)column,
                          (int64_t)form, (const void *)b.v.bytes, b.v.used);
    buffer_free(&b);
    return s;
}

static Status keep_rows(Keeper *k, int64_t file, Rows *rows)
{
    Table *t = &rows->t;
    for (uint64_t part = 0;; part++) {
        TRY(rows_next(rows, k->f));
        if (t->rows == 0)
            break;
        for (uint32_t column = 0; column < t->columns; column++)
            TRY(keep_block(k, file, part, t, column));
    }
    return sql_do(k->store, k->f, "UPDATE file SET count = ? WHERE id = ?",
                  "ii", (int64_t)t->begin, file);
}

static Status keep_table(Keeper *k, const char *name)
{
    Rows rows;
    bool there;
    TRY(results_table(k->results, name, &rows, &there, k->f));
    if (!there) // it is not a plain file
        return STATUS_OK;
    Status s =
        sql_do(k->store, k->f,
               "INSERT INTO file(study, name, head, count, step) "
               "VALUES(?, ?, ?, 0, ?)",
               "itti", k->study, name, rows.t.head, (int64_t)rows.t.most);
    if (s == STATUS_OK)
        s = keep_rows(k, sqlite3_last_insert_rowid(k->store->db), &rows);
    rows_close(&rows);
    return s;
}

/* ---- All of it ------------------------------------------------------------ */

static Status keep_all(Keeper *k, const Tree *head, const ResultsFiles *files)
{
    TRY(sql_make_tables(k->store, k->f));
    TRY(keep_study(k, head));
    TRY(results_each(k->results, keep_run, k, k->f));
    for (size_t j = 0; j < files->n; j++)
        TRY(keep_table(k, files->name[j]));
    return STATUS_OK;
}

static Status keep(Keeper *k, Arena *a)
{
    ResultsFiles files;
    const Tree *head = results_head(k->results, a);
    if (!head)
        return fault_set(k->f, STATUS_FILE,
                         "%s/summary.json: this is not a whole summary.json of "
                         "cosy run; run the model again",
                         k->entry->folder);
    TRY(results_files(k->results, a, 0, &files, k->f));
    TRY(sql_begin(k->store, k->f));
    return sql_end(k->store, keep_all(k, head, &files), k->f);
}

Status store_keep(Store *s, const StoreEntry *e, int64_t *number, Fault *f)
{
    Arena a = {0};
    Results r;
    Keeper k = {.store = s, .entry = e, .results = &r, .f = f};
    Status status = results_folder(&r, &a, e->folder, f);
    if (status == STATUS_OK) {
        status = keep(&k, &a);
        results_close(&r);
    }
    *number = k.study;
    arena_free(&a);
    return status;
}
