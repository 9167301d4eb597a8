#include "base/journal.h"

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

/* The tables of c are made once. */
static uint32_t sum_of(Checksum *c, const void *bytes, size_t n)
{
    c->rest = 0;
    c->length = 0;
    checksum_add(c, bytes, n);
    return checksum_end(c);
}

/* ---- Writing --------------------------------------------------------------------- */

static Status write_all(Journal *j, Fault *f)
{
    const unsigned char *at = j->pending.v.bytes;
    size_t left = j->pending.v.used;
    while (left > 0) {
        ssize_t n = write(j->file - 1, at, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return journal_fault(f, buffer_string(&j->path), "cannot write");
        at += n;
        left -= (size_t)n;
    }
    j->pending.v.used = 0;
    return STATUS_OK;
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
    TRY(journal_add(j, stamp, strlen(stamp), f));
    return write_all(j, f);
}

Status journal_add(Journal *j, const void *bytes, size_t n, Fault *f)
{
    const Head head = {MARK, (uint32_t)n, sum_of(&j->sum, bytes, n)};
    if (n > UINT32_MAX)
        return fault_set(f, STATUS_LIMIT, "%s: a record of %zu bytes",
                         buffer_string(&j->path), n);
    buffer_bytes(&j->pending, (const char *)&head, sizeof head);
    buffer_bytes(&j->pending, bytes, n);
    if (j->pending.broken)
        return fault_set(f, STATUS_MEMORY, "%s: no memory",
                         buffer_string(&j->path));
    double now = seconds();
    if (now - j->written < JOURNAL_LAZY && j->pending.v.used < PENDING_MOST)
        return STATUS_OK;
    TRY(write_all(j, f));
    j->written = now;
    if (now - j->synced < SYNC_INTERVAL)
        return STATUS_OK;
    j->synced = now;
    return fdatasync(j->file - 1) == 0 || errno == EINVAL
               ? STATUS_OK
               : journal_fault(f, buffer_string(&j->path), "cannot be synced");
}

Status journal_flush(Journal *j, Fault *f)
{
    if (!j->file)
        return STATUS_OK;
    TRY(write_all(j, f));
    return fdatasync(j->file - 1) == 0 || errno == EINVAL
               ? STATUS_OK
               : journal_fault(f, buffer_string(&j->path), "cannot be synced");
}

void journal_close(Journal *j)
{
    if (j->file)
        close(j->file - 1);
    buffer_free(&j->path);
    buffer_free(&j->pending);
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
            head.sum != sum_of(&sum, map + begin, head.length) ||
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
