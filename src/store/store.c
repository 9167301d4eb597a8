#include "store/store.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "store/sql.h"

#define APPLICATION 0x434F5352 // "COSR", in the head of the file
#define VERSION     1
#define TEXT_OF(n)  #n
#define TEXT(n)     TEXT_OF(n)

enum { WAIT = 60000 }; // milliseconds

/* ---- The tables ----------------------------------------------------------- */

static const char *const tables[] = {
    "CREATE TABLE model(id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, "
    "text BLOB)",
    "CREATE TABLE study(id INTEGER PRIMARY KEY AUTOINCREMENT, "
    "date TEXT NOT NULL, label TEXT NOT NULL, program TEXT NOT NULL, "
    "source TEXT NOT NULL, cosy TEXT NOT NULL, "
    "model INTEGER NOT NULL REFERENCES model(id), runs INTEGER NOT NULL, "
    "stopped INTEGER NOT NULL, failed INTEGER NOT NULL)",
    "CREATE INDEX study_model ON study(model)",
    "CREATE TABLE summary(study INTEGER PRIMARY KEY REFERENCES study(id), "
    "head TEXT NOT NULL, tail TEXT NOT NULL)",
    "CREATE TABLE run(id INTEGER PRIMARY KEY, "
    "study INTEGER NOT NULL REFERENCES study(id), number INTEGER NOT NULL, "
    "frame INTEGER NOT NULL, status TEXT NOT NULL, json TEXT NOT NULL)",
    "CREATE INDEX run_study ON run(study, number)",
    "CREATE TABLE file(id INTEGER PRIMARY KEY, "
    "study INTEGER NOT NULL REFERENCES study(id), name TEXT NOT NULL, "
    "head TEXT NOT NULL, count INTEGER NOT NULL, step INTEGER NOT NULL, "
    "UNIQUE(study, name))",
    "CREATE TABLE block(file INTEGER NOT NULL REFERENCES file(id), "
    "part INTEGER NOT NULL, number INTEGER NOT NULL, form INTEGER NOT NULL, "
    "bytes BLOB NOT NULL, UNIQUE(file, part, number))",
    "CREATE VIEW parameter AS SELECT study, number AS run, key AS name, value "
    "FROM run, json_each(run.json, '$.parameters')",
    "CREATE VIEW final AS SELECT study, number AS run, key AS name, value "
    "FROM run, json_each(run.json, '$.final')",
    "PRAGMA application_id = " TEXT(APPLICATION),
    "PRAGMA user_version = " TEXT(VERSION),
};

static Status ask(Store *s, const char *sql, int64_t *number, Fault *f)
{
    sqlite3_stmt *row = NULL;
    TRY(sql_get(s, &row, f, sql, ""));
    *number = row ? sqlite3_column_int64(row, 0) : 0;
    sql_done(&row);
    return STATUS_OK;
}

/* A database of results is known by its head; a file without any table may
   become one. */
static Status know_file(Store *s, Fault *f)
{
    int64_t application, version, count;
    TRY(ask(s, "PRAGMA application_id", &application, f));
    TRY(ask(s, "PRAGMA user_version", &version, f));
    TRY(ask(s, "SELECT count(*) FROM sqlite_schema", &count, f));
    if (application == 0 && version == 0 && count == 0)
        return STATUS_OK;
    if (application != APPLICATION)
        return fault_set(f, STATUS_FILE,
                         "%s is a database of another program, not one of "
                         "results: name another file",
                         s->path);
    if (version != VERSION)
        return fault_set(f, STATUS_FILE,
                         "%s was made by another version of COSY: its tables "
                         "are of version %d, and this one knows %d",
                         s->path, (int)version, VERSION);
    s->ready = true;
    return STATUS_OK;
}

/* Another process may have made them since the file was opened. */
Status sql_make_tables(Store *s, Fault *f)
{
    if (!s->ready)
        TRY(know_file(s, f));
    for (size_t k = 0; k < LENGTH(tables) && !s->ready; k++)
        TRY(sql_do(s, f, tables[k], ""));
    return STATUS_OK;
}

/* ---- Opening -------------------------------------------------------------- */

/* Anything but a plain file is refused before SQLite sees it: opening a pipe
   would wait for ever. */
static Status look(const char *path, StoreUse use, Fault *f)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        if (errno == ENOENT && use == STORE_MAKE)
            return STATUS_OK;
        return fault_set(f, STATUS_FILE, "%s: %s%s", path, strerror(errno),
                         errno == ENOENT ? ": cosy run --store FILE.db makes a "
                                           "database of results"
                                         : "");
    }
    if (S_ISDIR(about.st_mode))
        return fault_set(f, STATUS_FILE,
                         "%s is a folder; a database of results is a file",
                         path);
    if (!S_ISREG(about.st_mode))
        return fault_set(f, STATUS_FILE, "%s is not a plain file", path);
    return STATUS_OK;
}

static Status know(Store *s, StoreUse use, Fault *f)
{
    Status status = sql_do(s, f, "BEGIN", "");
    if (status == STATUS_OK)
        status = know_file(s, f);
    if (sqlite3_get_autocommit(s->db) == 0)
        sqlite3_exec(s->db, "END", NULL, NULL, NULL);
    if (status == STATUS_OK && !s->ready && use != STORE_MAKE)
        status = fault_set(f, STATUS_FILE,
                           "%s is empty: cosy run --store FILE.db puts results "
                           "into a database",
                           s->path);
    if (status == STATUS_OK && use != STORE_READ &&
        sqlite3_db_readonly(s->db, "main") == 1)
        status = sql_fault(s, SQLITE_READONLY, f);
    return status;
}

/* It is opened for writing where that is allowed, even if it is only read: if a
   process was killed while it stored, the next one repairs the file. */
Store *store_open(Arena *a, const char *path, StoreUse use, Fault *f)
{
    Store *s = NEW(a, Store);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE |
                (use == STORE_MAKE ? SQLITE_OPEN_CREATE : 0);
    if (!s) {
        fault_set(f, STATUS_MEMORY, "%s: no memory", path);
        return NULL;
    }
    *s = (Store){.path = path};
    if (look(path, use, f) != STATUS_OK)
        return NULL;
    int code = sqlite3_open_v2(path, &s->db, flags, NULL);
    Status status = code == SQLITE_OK ? STATUS_OK : sql_fault(s, code, f);
    if (status == STATUS_OK) {
        store_wait(s, WAIT);
        sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
        sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0,
                          (int *)NULL);
        status = know(s, use, f);
    }
    if (status == STATUS_OK)
        return s;
    store_close(s);
    return NULL;
}

/* A journal is written beside the file. */
static Status look_at_folder(const char *path, Fault *f)
{
    const char *slash = strrchr(path, '/');
    Buffer folder = {0};
    buffer_bytes(&folder, slash ? path : ".",
                 slash ? (size_t)(slash - path) + 1 : 1);
    const char *name = buffer_string(&folder);
    Status s = access(name, W_OK) == 0
                   ? STATUS_OK
                   : fault_set(f, STATUS_FILE,
                               "%s: no database can be written in its folder: "
                               "%s",
                               path, strerror(errno));
    buffer_free(&folder);
    return s;
}

Status store_look(const char *path, Fault *f)
{
    Arena a = {0};
    struct stat about;
    TRY(look_at_folder(path, f));
    if (stat(path, &about) != 0 && errno == ENOENT)
        return STATUS_OK;
    Store *s = store_open(&a, path, STORE_MAKE, f);
    store_close(s);
    arena_free(&a);
    return s ? STATUS_OK : f->status;
}

void store_close(Store *s)
{
    if (!s)
        return;
    sqlite3_close(s->db);
    s->db = NULL;
}

const char *store_path(const Store *s)
{
    return s->path;
}

void store_wait(Store *s, int milliseconds)
{
    s->wait = milliseconds;
    sqlite3_busy_timeout(s->db, milliseconds);
}

/* ---- Studies -------------------------------------------------------------- */

#define STUDY                                                                  \
    "SELECT study.id, date, label, program, source, cosy, sha256, runs, "      \
    "stopped, failed FROM study JOIN model ON model.id = study.model "

static void take_study(Arena *a, sqlite3_stmt *row, StoreStudy *out)
{
    *out = (StoreStudy){
        .number = sqlite3_column_int64(row, 0),
        .date = sql_text(a, row, 1),
        .label = sql_text(a, row, 2),
        .program = sql_text(a, row, 3),
        .source = sql_text(a, row, 4),
        .cosy = sql_text(a, row, 5),
        .sha256 = sql_text(a, row, 6),
        .runs = (uint64_t)sqlite3_column_int64(row, 7),
        .stopped = (uint64_t)sqlite3_column_int64(row, 8),
        .failed = (uint64_t)sqlite3_column_int64(row, 9),
    };
}

static bool is_whole(const StoreStudy *s)
{
    return s->date && s->label && s->program && s->source && s->cosy &&
           s->sha256;
}

Status store_list(Store *s, const char *program,
                  void (*each)(void *user, const StoreStudy *study), void *user,
                  Fault *f)
{
    sqlite3_stmt *row = NULL;
    Arena a = {0};
    Status status = sql_get(
        s, &row, f,
        STUDY "WHERE ?1 IS NULL OR program = ?1 COLLATE NOCASE ORDER BY 1", "t",
        program);
    while (status == STATUS_OK && row) {
        StoreStudy study;
        ArenaMark m = arena_mark(&a);
        take_study(&a, row, &study);
        if (!is_whole(&study))
            status = sql_fault(s, SQLITE_NOMEM, f);
        else
            each(user, &study);
        arena_rewind(&a, m);
        if (status == STATUS_OK)
            status = sql_next(s, &row, f);
    }
    sql_done(&row);
    arena_free(&a);
    return status;
}

static Status no_study(const Store *s, int64_t number, Fault *f)
{
    return fault_set(f, STATUS_USAGE,
                     "%s has no study %lld: cosy results list shows the "
                     "numbers of those it has",
                     s->path, (long long)number);
}

Status store_find(Store *s, Arena *a, int64_t number, StoreStudy *out, Fault *f)
{
    sqlite3_stmt *row = NULL;
    TRY(sql_get(s, &row, f, STUDY "WHERE study.id = ?", "i", number));
    if (!row)
        return no_study(s, number, f);
    take_study(a, row, out);
    sql_done(&row);
    return is_whole(out) ? STATUS_OK : sql_fault(s, SQLITE_NOMEM, f);
}

Status store_model(Store *s, Arena *a, int64_t number, const char **text,
                   size_t *length, Fault *f)
{
    sqlite3_stmt *row = NULL;
    TRY(sql_get(s, &row, f,
                "SELECT text FROM model JOIN study ON model.id = study.model "
                "WHERE study.id = ? AND text IS NOT NULL",
                "i", number));
    *text = NULL;
    *length = 0;
    if (!row)
        return STATUS_OK;
    const void *bytes = sqlite3_column_blob(row, 0);
    *length = (size_t)sqlite3_column_bytes(row, 0);
    *text = arena_text(a, bytes ? bytes : "", *length);
    sql_done(&row);
    return *text ? STATUS_OK : sql_fault(s, SQLITE_NOMEM, f);
}

/* ---- Deleting ------------------------------------------------------------- */

static Status delete_one(Store *s, int64_t number, Fault *f)
{
    static const char *const sql[] = {
        "DELETE FROM block WHERE file IN (SELECT id FROM file WHERE study = ?)",
        "DELETE FROM file WHERE study = ?",
        "DELETE FROM run WHERE study = ?",
        "DELETE FROM summary WHERE study = ?",
        "DELETE FROM study WHERE id = ?",
    };
    for (size_t k = 0; k < LENGTH(sql); k++)
        TRY(sql_do(s, f, sql[k], "i", number));
    return sqlite3_changes(s->db) == 1 ? STATUS_OK : no_study(s, number, f);
}

Status store_delete(Store *s, const int64_t *number, size_t n, bool vacuum,
                    Fault *f)
{
    Status status = sql_begin(s, f);
    for (size_t k = 0; k < n && status == STATUS_OK; k++)
        status = delete_one(s, number[k], f);
    if (status == STATUS_OK)
        status = sql_do(s, f,
                        "DELETE FROM model WHERE id NOT IN "
                        "(SELECT model FROM study)",
                        "");
    TRY(sql_end(s, status, f));
    return vacuum ? sql_do(s, f, "VACUUM", "") : STATUS_OK;
}
