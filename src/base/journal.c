#include "base/journal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Every record begins with these twelve bytes. */
typedef struct Head {
    uint32_t mark, length, sum;
} Head;

#define MARK          0x314a5943u // "CYJ1" on the processors that we know
#define PENDING_MOST  ((size_t)1 << 18)
#define SYNC_INTERVAL 1.0

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static Status journal_fault(Fault *f, const char *path, const char *doing)
{
    return fault_set(f, STATUS_FILE, "%s: %s: %s", path, doing,
                     strerror(errno));
}

/* For messages; without memory it has none. */
static const char *path_of(const Journal *j)
{
    return j->path.broken || !j->path.v.bytes ? "the journal"
                                              : (const char *)j->path.v.bytes;
}

/* ---- Writing --------------------------------------------------------------------- */

/* What cannot be written stays, to be tried again from there. */
static Status write_all(const Journal *j, Buffer *b, Fault *f)
{
    size_t done = 0;
    Status s = STATUS_OK;
    while (s == STATUS_OK && done < b->v.used) {
        ssize_t n = write(j->file - 1, b->v.bytes + done, b->v.used - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            s = journal_fault(f, path_of(j), "cannot write");
    }
    b->v.used -= done;
    if (b->v.used)
        memmove(b->v.bytes, b->v.bytes + done, b->v.used);
    return s;
}

static Status sync_file(const Journal *j, Fault *f)
{
    return fdatasync(j->file - 1) == 0 || errno == EINVAL
               ? STATUS_OK
               : journal_fault(f, path_of(j), "cannot be synced");
}

Status journal_open(Journal *j, const char *path, const char *stamp, Fault *f)
{
    *j = (Journal){0};
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return journal_fault(f, path, "cannot be made");
    j->file = file + 1;
    buffer_text(&j->path, path);
    checksum_begin(&j->sum);
    j->synced = seconds();
    buffer_string(&j->path);
    TRY(journal_add(j, stamp, strlen(stamp), f));
    return write_all(j, &j->pending, f);
}

void journal_head(Buffer *record)
{
    const Head none = {0};
    buffer_bytes(record, (const char *)&none, sizeof none);
}

Status journal_seal(const Journal *j, Buffer *record, Fault *f)
{
    if (record->broken)
        return fault_set(f, STATUS_MEMORY, "no memory for the journal");
    assert(record->v.used >= sizeof(Head));
    size_t n = record->v.used - sizeof(Head);
    if (n > UINT32_MAX)
        return fault_set(f, STATUS_LIMIT, "%s: a record of %zu bytes",
                         path_of(j), n);
    const Head head = {MARK, (uint32_t)n,
                       checksum_of(&j->sum, record->v.bytes + sizeof(Head), n)};
    memcpy(record->v.bytes, &head, sizeof head);
    return STATUS_OK;
}

Status journal_append(Journal *j, const Buffer *record, Fault *f)
{
    assert(record->v.used >= sizeof(Head));
    buffer_bytes(&j->pending, (const char *)record->v.bytes, record->v.used);
    return j->pending.broken
               ? fault_set(f, STATUS_MEMORY, "%s: no memory", path_of(j))
               : STATUS_OK;
}

bool journal_take(Journal *j)
{
    double now = seconds();
    if (j->busy || j->pending.v.used == 0 ||
        (now - j->written < JOURNAL_LAZY && j->pending.v.used < PENDING_MOST))
        return false;
    if (j->out.v.used == 0) { // else it could not be written before
        Buffer empty = j->out;
        j->out = j->pending;
        j->pending = empty;
    }
    j->written = now;
    j->busy = true;
    return true;
}

Status journal_carry(Journal *j, Fault *f)
{
    assert(j->busy);
    TRY(write_all(j, &j->out, f));
    double now = seconds();
    if (now - j->synced < SYNC_INTERVAL)
        return STATUS_OK;
    j->synced = now;
    return sync_file(j, f);
}

void journal_done(Journal *j)
{
    assert(j->busy);
    j->busy = false;
}

Status journal_add(Journal *j, const void *bytes, size_t n, Fault *f)
{
    Buffer record = {0};
    journal_head(&record);
    buffer_bytes(&record, bytes, n);
    Status s = journal_seal(j, &record, f);
    if (s == STATUS_OK)
        s = journal_append(j, &record, f);
    buffer_free(&record);
    if (s != STATUS_OK || !journal_take(j))
        return s;
    s = journal_carry(j, f);
    journal_done(j);
    return s;
}

Status journal_flush(Journal *j, Fault *f)
{
    if (!j->file)
        return STATUS_OK;
    assert(!j->busy);
    TRY(write_all(j, &j->out, f));
    TRY(write_all(j, &j->pending, f));
    return sync_file(j, f);
}

void journal_close(Journal *j)
{
    if (j->file)
        close(j->file - 1);
    buffer_free(&j->path);
    buffer_free(&j->pending);
    buffer_free(&j->out);
    *j = (Journal){0};
}

/* ---- Reading --------------------------------------------------------------------- */

/* The records of a mapped file from `at` on; returns where the first begins that is
   not complete. */
static uint64_t read_records(const unsigned char *map, uint64_t size,
                             uint64_t at, JournalEach *each, void *user)
{
    Checksum sum;
    Head head;
    checksum_begin(&sum);
    while (size - at >= sizeof head) {
        memcpy(&head, map + at, sizeof head);
        uint64_t begin = at + sizeof head;
        if (head.mark != MARK || head.length > size - begin ||
            head.sum != checksum_of(&sum, map + begin, head.length) ||
            !each(user, at == 0 ? 0 : begin, map + begin, head.length))
            break;
        at = begin + head.length;
    }
    return at;
}

Status journal_read(const char *path, uint64_t *offset, JournalEach *each,
                    void *user, Fault *f)
{
    struct stat s;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return journal_fault(f, path, "cannot be read");
    if (fstat(file, &s) != 0 || s.st_size < 0 ||
        (uint64_t)s.st_size <= *offset) {
        close(file);
        return STATUS_OK;
    }
    uint64_t size = (uint64_t)s.st_size;
    void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (map == MAP_FAILED)
        return journal_fault(f, path, "cannot be mapped");
    *offset = read_records(map, size, *offset, each, user);
    munmap(map, size);
    return STATUS_OK;
}

Status journal_get(const char *path, uint64_t at, size_t n, Buffer *b, Fault *f)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return journal_fault(f, path, "cannot be read");
    size_t before = b->v.used;
    if (!vector_append(&b->v, NULL, n)) {
        close(file);
        return fault_set(f, STATUS_MEMORY, "%s: no memory", path);
    }
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(file, b->v.bytes + before + done, n - done,
                            (off_t)(at + done));
        if (got <= 0) {
            close(file);
            return journal_fault(f, path, "cannot be read again");
        }
        done += (size_t)got;
    }
    close(file);
    return STATUS_OK;
}
