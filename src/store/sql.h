#ifndef COSY_STORE_SQL_H
#define COSY_STORE_SQL_H

/* The inside of a Store, for the files of this folder: statements, and what
   SQLite says in words.

   A statement is bound and stepped by one call; its arguments are told by
   letters, its columns are read by sqlite3_column_*:

       i  int64_t    t  const char *    b  const void *, size_t

       sql_get    prepares, binds, makes the first step; *s is NULL if there is
                  no row; ends with sql_done
       sql_next   the next row
       sql_do     a statement without an answer
       sql_done */

#include <sqlite3.h>

#include "store/store.h"

struct Store {
    const char *path;
    sqlite3 *db;
    int wait;
    bool ready; // it has its tables
};

/* What the bytes of a block are. */
typedef enum StoreForm {
    STORE_NUMBERS, // pack_numbers
    STORE_TEXTS,   // texts that end with NUL
    STORE_WORDS    // pack_words
} StoreForm;

Status sql_fault(const Store *s, int code, Fault *f);
Status sql_get(Store *s, sqlite3_stmt **row, Fault *f, const char *sql,
               const char *kinds, ...);
Status sql_next(Store *s, sqlite3_stmt **row, Fault *f);
Status sql_do(Store *s, Fault *f, const char *sql, const char *kinds, ...);
void sql_done(sqlite3_stmt **row);

/* A transaction that writes; sql_end commits if `status` is OK, else takes
   everything back, and returns how it went. */
Status sql_begin(Store *s, Fault *f);
Status sql_end(Store *s, Status status, Fault *f);

/* A copy of a text column; "" for NULL. */
const char *sql_text(Arena *a, sqlite3_stmt *row, int column);

/* Makes the tables if the file is still empty. Inside a transaction. */
Status sql_make_tables(Store *s, Fault *f);

#endif
