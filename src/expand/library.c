#include "expand/library.h"

#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"

#define APPLICATION 0x434F5359 // "COSY", in the head of the file
#define VERSION     1

struct Library {
    Arena *arena;
    const char *path; // NULL until it is needed
    sqlite3 *db;      // NULL until it is needed
    int wait;
    bool ready; // it is a library of this version, with its table
};

/* ---- Where it is --------------------------------------------------------- */

static const char *join(Arena *a, const char *folder, const char *file,
                        Fault *f)
{
    size_t n = strlen(folder) + strlen(file) + 2;
    char *path = NEW_ARRAY(a, char, n);
    if (path == NULL)
        fault_set(f, STATUS_MEMORY, "memory is exhausted");
    else
        snprintf(path, n, "%s/%s", folder, file);
    return path;
}

const char *library_path(Arena *a, Fault *f)
{
    const char *own = getenv("COSY_LIBRARY");
    const char *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");
    if (own != NULL && own[0] != '\0')
        return own;
    if (data != NULL && data[0] == '/')
        return join(a, data, "cosy/library.db", f);
    if (home != NULL && home[0] == '/')
        return join(a, home, ".local/share/cosy/library.db", f);
    fault_set(f, STATUS_FILE,
              "no home directory is known for the library: set HOME, or name "
              "the file in COSY_LIBRARY");
    return NULL;
}

Library *library_open(Arena *a, const char *path)
{
    Library *l = NEW(a, Library);
    if (l != NULL)
        *l = (Library){.arena = a, .path = path, .wait = LIBRARY_WAIT};
    return l;
}

void library_wait(Library *l, int milliseconds)
{
    l->wait = milliseconds;
}

const char *library_place(const Library *l)
{
    return l->path == NULL ? "" : l->path;
}

static Status find_path(Library *l, Fault *f)
{
    if (l->path == NULL)
        l->path = library_path(l->arena, f);
    return l->path == NULL ? f->status : STATUS_OK;
}

static void close_file(Library *l)
{
    sqlite3_close(l->db);
    l->db = NULL;
    l->ready = false;
}

void library_close(Library *l)
{
    if (l != NULL)
        close_file(l);
}

/* ---- What can go wrong --------------------------------------------------- */

static Status file_fault(const Library *l, int code, Fault *f)
{
    const char *path = l->path;
    switch (code & 0xFF) {
    case SQLITE_NOMEM:
        return fault_set(f, STATUS_MEMORY, "memory is exhausted");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return fault_set(f, STATUS_FILE,
                         "the library %s is in use by another process and was "
                         "not free within %.3g s; nothing was changed: try "
                         "again",
                         path, 0.001 * l->wait);
    case SQLITE_NOTADB:
        return fault_set(f, STATUS_FILE,
                         "%s is not a library: it is not an SQLite file; name "
                         "another in COSY_LIBRARY, or move it away",
                         path);
    case SQLITE_CORRUPT:
        return fault_set(f, STATUS_FILE,
                         "the library %s is damaged; restore it from a copy, "
                         "or move it away and add its sources again",
                         path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return fault_set(f, STATUS_FILE,
                         "the library %s is write-protected; nothing was "
                         "changed",
                         path);
    case SQLITE_FULL:
        return fault_set(f, STATUS_FILE,
                         "no room is left for the library %s; nothing was "
                         "changed",
                         path);
    case SQLITE_CANTOPEN:
        return fault_set(f, STATUS_FILE,
                         "the library %s cannot be opened, or its folder "
                         "cannot be written to",
                         path);
    case SQLITE_TOOBIG:
        return fault_set(f, STATUS_FILE, "the source is too long for %s", path);
    default:
        return fault_set(f, STATUS_FILE, "the library %s cannot be used: %s",
                         path, sqlite3_errstr(code));
    }
}

static Status run_sql(Library *l, const char *sql, Fault *f)
{
    int code = sqlite3_exec(l->db, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? STATUS_OK : file_fault(l, code, f);
}

/* The whole number that a statement returns. */
static Status ask_number(Library *l, const char *sql, int *number, Fault *f)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(l->db, sql, -1, &s, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(s);
    if (code == SQLITE_ROW)
        *number = sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    return code == SQLITE_ROW ? STATUS_OK : file_fault(l, code, f);
}

/* ---- Opening ------------------------------------------------------------- */

/* Anything but a plain file is refused before SQLite sees it: opening a pipe
   would wait for ever. */
static Status look(const Library *l, bool *exists, Fault *f)
{
    struct stat s;
    *exists = false;
    if (stat(l->path, &s) != 0) {
        if (errno == ENOENT)
            return STATUS_OK;
        return fault_set(f, STATUS_FILE, "the library %s cannot be opened: %s",
                         l->path, strerror(errno));
    }
    if (S_ISDIR(s.st_mode))
        return fault_set(
            f, STATUS_FILE,
            "%s is a directory; the library is a file: name it in COSY_LIBRARY",
            l->path);
    if (!S_ISREG(s.st_mode))
        return fault_set(f, STATUS_FILE, "%s is not a plain file", l->path);
    *exists = true;
    return STATUS_OK;
}

static Status make_folder(const Library *l, Fault *f)
{
    const char *slash = strrchr(l->path, '/');
    char folder[PATH_MAX];
    size_t n = slash == NULL ? 0 : (size_t)(slash - l->path);
    if (n == 0)
        return STATUS_OK;
    if (n >= sizeof folder)
        return fault_set(f, STATUS_FILE, "the path of the library is too long");
    memcpy(folder, l->path, n);
    folder[n] = '\0';
    return dir_make(folder, f);
}

typedef struct FileHead {
    int application, version, tables;
} FileHead;

static Status read_head(Library *l, FileHead *h, Fault *f)
{
    TRY(ask_number(l, "PRAGMA application_id", &h->application, f));
    TRY(ask_number(l, "PRAGMA user_version", &h->version, f));
    return ask_number(l, "SELECT count(*) FROM sqlite_schema", &h->tables, f);
}

/* A library is recognised by its header; a file without any table may become
   one. The header is read in one transaction, because another process may be
   making it. */
static Status know_file(Library *l, Fault *f)
{
    FileHead h = {0};
    bool own = sqlite3_get_autocommit(l->db) != 0;
    if (own)
        TRY(run_sql(l, "BEGIN", f));
    Status status = read_head(l, &h, f);
    if (own && sqlite3_get_autocommit(l->db) == 0)
        sqlite3_exec(l->db, "END", NULL, NULL, NULL);
    TRY(status);
    int application = h.application, version = h.version, tables = h.tables;
    if (application == 0 && version == 0 && tables == 0)
        return STATUS_OK;
    if (application != APPLICATION)
        return fault_set(f, STATUS_FILE,
                         "%s is a database of another program, not a library",
                         l->path);
    if (version != VERSION)
        return fault_set(f, STATUS_FILE,
                         "the library %s belongs to another version of COSY "
                         "(%d; this one knows %d)",
                         l->path, version, VERSION);
    l->ready = true;
    return STATUS_OK;
}

/* The file is opened for writing where that is allowed, even if it is only
   read: if a process was killed while writing, the next one repairs the
   file. */
static Status open_file(Library *l, int flags, Fault *f)
{
    int code = sqlite3_open_v2(
        l->path, &l->db, flags | SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE,
        NULL);
    Status status = code == SQLITE_OK ? STATUS_OK : file_fault(l, code, f);
    if (status == STATUS_OK) {
        sqlite3_busy_timeout(l->db, l->wait);
        sqlite3_db_config(l->db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
        sqlite3_db_config(l->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0,
                          (int *)NULL);
        status = know_file(l, f);
    }
    if (status != STATUS_OK)
        close_file(l);
    return status;
}

/* Leaves l->ready false if there is nothing to read yet. */
static Status open_to_read(Library *l, Fault *f)
{
    bool exists;
    if (l->db != NULL)
        return l->ready ? STATUS_OK : know_file(l, f);
    TRY(find_path(l, f));
    TRY(look(l, &exists, f));
    return exists ? open_file(l, 0, f) : STATUS_OK;
}

static Status open_to_write(Library *l, Fault *f)
{
    bool exists;
    if (l->db != NULL)
        return STATUS_OK;
    TRY(find_path(l, f));
    TRY(look(l, &exists, f));
    if (!exists)
        TRY(make_folder(l, f));
    return open_file(l, SQLITE_OPEN_CREATE, f);
}

/* ---- Reading ------------------------------------------------------------- */

static char *copy(Arena *a, const void *bytes, size_t n)
{
    char *text = NEW_ARRAY(a, char, n + 1);
    if (text != NULL && n > 0)
        memcpy(text, bytes, n);
    return text;
}

/* Columns: name, kind and, for a single entry, its text. */
static Status read_entry(Library *l, sqlite3_stmt *s, Arena *a, bool with_text,
                         LibraryEntry *out, Fault *f)
{
    const void *name = sqlite3_column_blob(s, 0);
    int kind = sqlite3_column_int(s, 1);
    *out = (LibraryEntry){.kind = (LibraryKind)kind};
    if (name == NULL || (kind != LIBRARY_MACRO && kind != LIBRARY_MODULE))
        return file_fault(l, SQLITE_CORRUPT, f);
    out->name = copy(a, name, (size_t)sqlite3_column_bytes(s, 0));
    if (with_text) {
        const void *text = sqlite3_column_blob(s, 2);
        out->length = (size_t)sqlite3_column_bytes(s, 2);
        out->text = copy(a, text, out->length);
    }
    if (out->name == NULL || (with_text && out->text == NULL))
        return fault_set(f, STATUS_MEMORY, "memory is exhausted");
    return STATUS_OK;
}

Status library_get(Library *l, Arena *a, const char *name, LibraryEntry *out,
                   Fault *f)
{
    sqlite3_stmt *s = NULL;
    Status status = STATUS_OK;
    *out = (LibraryEntry){0};
    TRY(open_to_read(l, f));
    if (!l->ready)
        return STATUS_OK;
    int code = sqlite3_prepare_v2(
        l->db, "SELECT name, kind, text FROM entry WHERE name = ?", -1, &s,
        NULL);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_step(s);
    if (code == SQLITE_ROW)
        status = read_entry(l, s, a, true, out, f);
    else if (code != SQLITE_DONE)
        status = file_fault(l, code, f);
    sqlite3_finalize(s);
    return status;
}

Status library_list(Library *l, Arena *a, LibraryEntry **out, size_t *n,
                    Fault *f)
{
    sqlite3_stmt *s = NULL;
    Vector list = {0};
    LibraryEntry entry;
    Status status = STATUS_OK;
    *out = NULL;
    *n = 0;
    TRY(open_to_read(l, f));
    if (!l->ready)
        return STATUS_OK;
    int code = sqlite3_prepare_v2(
        l->db, "SELECT name, kind FROM entry ORDER BY name", -1, &s, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(s);
    while (code == SQLITE_ROW && status == STATUS_OK) {
        status = read_entry(l, s, a, false, &entry, f);
        if (status == STATUS_OK && !vector_append(&list, &entry, sizeof entry))
            status = fault_set(f, STATUS_MEMORY, "memory is exhausted");
        code = sqlite3_step(s);
    }
    if (status == STATUS_OK && code != SQLITE_DONE)
        status = file_fault(l, code, f);
    sqlite3_finalize(s);
    if (status == STATUS_OK && list.used > 0) {
        *n = list.used / sizeof entry;
        *out = NEW_ARRAY(a, LibraryEntry, *n);
        if (*out == NULL)
            status = fault_set(f, STATUS_MEMORY, "memory is exhausted");
        else
            memcpy(*out, list.bytes, list.used);
    }
    vector_free(&list);
    return status;
}

/* ---- Changing ------------------------------------------------------------ */

/* Checks again within the transaction: another process may have made the table
   since this one looked. */
static Status make_table(Library *l, Fault *f)
{
    char sql[300];
    TRY(know_file(l, f));
    if (l->ready)
        return STATUS_OK;
    snprintf(sql, sizeof sql,
             "CREATE TABLE entry (name TEXT PRIMARY KEY COLLATE NOCASE NOT "
             "NULL, kind INTEGER NOT NULL, text BLOB NOT NULL) STRICT;"
             "PRAGMA application_id = %d; PRAGMA user_version = %d",
             APPLICATION, VERSION);
    return run_sql(l, sql, f);
}

static Status change_entry(Library *l, LibraryChange *c, Fault *f)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(l->db, "DELETE FROM entry WHERE name = ?", -1,
                                  &s, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(s, 1, c->entry.name, -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_step(s);
    sqlite3_finalize(s);
    if (code != SQLITE_DONE)
        return file_fault(l, code, f);
    c->found = sqlite3_changes(l->db) > 0;
    if (c->remove)
        return STATUS_OK;
    code = sqlite3_prepare_v2(l->db, "INSERT INTO entry VALUES (?, ?, ?)", -1,
                              &s, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(s, 1, c->entry.name, -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_bind_int(s, 2, (int)c->entry.kind);
    if (code == SQLITE_OK)
        code = sqlite3_bind_blob64(s, 3, c->entry.text, c->entry.length,
                                   SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_step(s);
    sqlite3_finalize(s);
    return code == SQLITE_DONE ? STATUS_OK : file_fault(l, code, f);
}

/* The lock for writing is taken at once: two processes that read first and then
   ask to write would block each other. */
Status library_apply(Library *l, LibraryChange *change, size_t n, Fault *f)
{
    Status status;
    if (n == 0)
        return STATUS_OK;
    TRY(open_to_write(l, f));
    TRY(run_sql(l, "BEGIN IMMEDIATE", f));
    status = make_table(l, f);
    for (size_t k = 0; k < n && status == STATUS_OK; k++)
        status = change_entry(l, &change[k], f);
    if (status == STATUS_OK)
        status = run_sql(l, "COMMIT", f);
    if (status == STATUS_OK) {
        l->ready = true;
        return STATUS_OK;
    }
    sqlite3_exec(l->db, "ROLLBACK", NULL, NULL, NULL);
    close_file(l);
    return status;
}

/* Checks the first folder on the way up that exists. */
static Status can_make(const Library *l, Fault *f)
{
    char folder[PATH_MAX];
    struct stat s;
    if (strlen(l->path) >= sizeof folder)
        return fault_set(f, STATUS_FILE, "the path of the library is too long");
    strcpy(folder, l->path);
    for (;;) {
        char *slash = strrchr(folder, '/');
        if (slash == NULL)
            strcpy(folder, ".");
        else
            slash[slash == folder ? 1 : 0] = '\0';
        if (stat(folder, &s) == 0 || slash == NULL || slash == folder)
            break;
    }
    if (stat(folder, &s) == 0 && S_ISDIR(s.st_mode) &&
        access(folder, W_OK | X_OK) == 0)
        return STATUS_OK;
    return fault_set(f, STATUS_FILE,
                     "the library %s cannot be made: %s is not a folder that "
                     "can be written to",
                     l->path, folder);
}

Status library_can_write(Library *l, Fault *f)
{
    bool exists;
    TRY(find_path(l, f));
    TRY(look(l, &exists, f));
    if (!exists)
        return can_make(l, f);
    TRY(open_to_read(l, f));
    if (sqlite3_db_readonly(l->db, "main") == 1 || access(l->path, W_OK) != 0)
        return file_fault(l, SQLITE_READONLY, f);
    return STATUS_OK;
}
