#ifndef COSY_BASE_JOURNAL_H
#define COSY_BASE_JOURNAL_H

/* A file that only grows: records of any bytes, each with its length and a checksum.
   One process writes it, any number of others may read it meanwhile.

       journal_open     makes the file; its first record is a stamp, which says what
                        the others belong to
       journal_add      appends a record
       journal_close

   Threads that share a journal add their records in pieces, so that none waits while
   another computes a checksum or writes; all but journal_seal and journal_carry are
   guarded by a lock of theirs:

       journal_seal     makes a record of the bytes after journal_head
       journal_append   adds it
       journal_take     true: it is time to write, and the caller is to do it, with
       journal_carry    and then
       journal_done

       journal_read     calls `each` for the records from *offset on, and moves it

   A process that is killed loses nothing that was added more than JOURNAL_LAZY seconds
   earlier, and what it adds less often than that not at all; a loss of power costs at
   most the last second or two, since the file is synced no more often than once a
   second. What a process has written in part ends the journal for its readers until
   the rest is there: a record counts only when its checksum is right. */

#include "base/buffer.h"
#include "base/checksum.h"
#include "base/status.h"

#define JOURNAL_LAZY 0.02 // seconds

typedef struct Journal {
    int file; // 1 + a descriptor; 0: closed
    Buffer path;
    Buffer pending;         // not written yet
    Buffer out;             // being written
    bool busy;              // by some thread
    double written, synced; // when that was last done
    Checksum sum;
} Journal;

Status journal_open(Journal *j, const char *path, const char *stamp, Fault *f);
Status journal_add(Journal *j, const void *bytes, size_t n, Fault *f);
/* Room for what journal_seal puts before the bytes of a record. */
void journal_head(Buffer *record);
Status journal_seal(const Journal *j, Buffer *record, Fault *f);
Status journal_append(Journal *j, const Buffer *record, Fault *f);
bool journal_take(Journal *j);
Status journal_carry(Journal *j, Fault *f);
void journal_done(Journal *j);
/* Writes and syncs what is pending; no thread is busy. */
Status journal_flush(Journal *j, Fault *f);
void journal_close(Journal *j);

/* Where the bytes of a record are: journal_get reads them again. */
typedef bool JournalEach(void *user, uint64_t at, const unsigned char *bytes,
                         size_t n);

/* With *offset 0 the stamp comes first, with at = 0. STATUS_FILE if the file cannot
   be read, or is no journal; what follows damage is not seen. */
Status journal_read(const char *path, uint64_t *offset, JournalEach *each,
                    void *user, Fault *f);
/* The bytes of a record that `each` has seen, appended to b. */
Status journal_get(const char *path, uint64_t at, size_t n, Buffer *b,
                   Fault *f);

#endif
