#include "store/sql.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

/* ---- What can go wrong ---------------------------------------------------- */

static const char *words_of(int code)
{
    switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "it is in use by another process and did not become free in "
               "time; nothing was changed: try again";
    case SQLITE_NOTADB:
        return "it is not a database of results: it is no SQLite file; name "
               "another file";
    case SQLITE_CORRUPT:
        return "it is damaged; take it from a copy, or move it away and begin "
               "a new one";
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return "it, or its folder, is write-protected; nothing was changed";
    case SQLITE_FULL:
        return "there is no room left for it; nothing was changed";
    case SQLITE_CANTOPEN:
        return "it cannot be opened, or its folder does not exist or cannot be "
               "written to";
    case SQLITE_TOOBIG:
        return "a text or a block is too long for it; nothing was changed";
    case SQLITE_IOERR:
        return "it cannot be read or written: the disk, or a limit on the size "
               "of files, does not allow it; nothing was changed";
    default: return NULL;
    }
}

Status sql_fault(const Store *s, int code, Fault *f)
{
    const char *words = words_of(code);
    if ((code & 0xFF) == SQLITE_NOMEM)
        return fault_set(f, STATUS_MEMORY, "%s: no memory", s->path);
    return fault_set(f, STATUS_FILE, "%s: %s%s", s->path,
                     words ? words : "it cannot be used: ",
                     words ? "" : sqlite3_errstr(code));
}

/* ---- Statements ----------------------------------------------------------- */

static int bind(sqlite3_stmt *row, int at, char kind, va_list *args)
{
    const char *text;
    const void *bytes;
    switch (kind) {
    case 'i': return sqlite3_bind_int64(row, at, va_arg(*args, int64_t));
    case 't':
        text = va_arg(*args, const char *);
        return sqlite3_bind_text(row, at, text, -1, SQLITE_STATIC);
    default:
        assert(kind == 'b');
        bytes = va_arg(*args, const void *);
        return sqlite3_bind_blob64(row, at, bytes, va_arg(*args, size_t),
                                   SQLITE_STATIC);
    }
}

static Status begin(Store *s, sqlite3_stmt **row, Fault *f, const char *sql,
                    const char *kinds, va_list *args)
{
    int code = sqlite3_prepare_v2(s->db, sql, -1, row, NULL);
    for (int k = 0; kinds[k] && code == SQLITE_OK; k++)
        code = bind(*row, k + 1, kinds[k], args);
    if (code == SQLITE_OK)
        return STATUS_OK;
    sql_done(row);
    return sql_fault(s, code, f);
}

Status sql_next(Store *s, sqlite3_stmt **row, Fault *f)
{
    int code = sqlite3_step(*row);
    if (code == SQLITE_ROW)
        return STATUS_OK;
    sql_done(row);
    return code == SQLITE_DONE ? STATUS_OK : sql_fault(s, code, f);
}

Status sql_get(Store *s, sqlite3_stmt **row, Fault *f, const char *sql,
               const char *kinds, ...)
{
    va_list args;
    va_start(args, kinds);
    Status status = begin(s, row, f, sql, kinds, &args);
    va_end(args);
    return status == STATUS_OK ? sql_next(s, row, f) : status;
}

Status sql_do(Store *s, Fault *f, const char *sql, const char *kinds, ...)
{
    sqlite3_stmt *row = NULL;
    va_list args;
    va_start(args, kinds);
    Status status = begin(s, &row, f, sql, kinds, &args);
    va_end(args);
    if (status == STATUS_OK)
        status = sql_next(s, &row, f);
    sql_done(&row);
    return status;
}

void sql_done(sqlite3_stmt **row)
{
    sqlite3_finalize(*row);
    *row = NULL;
}

const char *sql_text(Arena *a, sqlite3_stmt *row, int column)
{
    const unsigned char *text = sqlite3_column_text(row, column);
    size_t n = (size_t)sqlite3_column_bytes(row, column);
    return text ? arena_text(a, (const char *)text, n) : "";
}

/* ---- Transactions --------------------------------------------------------- */

Status sql_begin(Store *s, Fault *f)
{
    return sql_do(s, f, "BEGIN IMMEDIATE", "");
}

Status sql_end(Store *s, Status status, Fault *f)
{
    if (status == STATUS_OK)
        status = sql_do(s, f, "COMMIT", "");
    if (status != STATUS_OK && sqlite3_get_autocommit(s->db) == 0)
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}
