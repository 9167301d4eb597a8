#include "base/buffer.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

/* ---- Text ---------------------------------------------------------------- */

/* The first room of a text: most are not longer. */
#define ROOM_FIRST 240

/* Where n more bytes go, which the text then has; NULL: there is no memory. */
static unsigned char *more(Buffer *b, size_t n)
{
    Vector *v = &b->v;
    assert(v->used <= v->room);
    if (n > v->room - v->used) {
        size_t least = v->room == 0 && n < ROOM_FIRST ? ROOM_FIRST : n;
        b->broken = b->broken || n > SIZE_MAX - v->used ||
                    !vector_reserve(v, v->used + least);
    }
    if (b->broken)
        return NULL;
    v->used += n;
    return v->bytes + v->used - n;
}

void buffer_bytes(Buffer *b, const char *s, size_t n)
{
    unsigned char *to = n > 0 ? more(b, n) : NULL;
    if (to != NULL)
        memcpy(to, s, n);
}

void buffer_char(Buffer *b, char ch)
{
    unsigned char *to = more(b, 1);
    if (to != NULL)
        *to = (unsigned char)ch;
}

void buffer_text(Buffer *b, const char *s)
{
    buffer_bytes(b, s, strlen(s));
}

/* Prints into the room that is left; only if that was too little, prints again
   into enough. */
void buffer_format(Buffer *b, const char *format, ...)
{
    va_list args;
    int n;
    for (int round = 0; round < 2 && !b->broken; round++) {
        assert(b->v.used <= b->v.room);
        size_t left = b->v.room - b->v.used;
        char *end = left == 0 ? NULL : (char *)b->v.bytes + b->v.used;
        va_start(args, format);
        n = vsnprintf(end, left, format, args);
        va_end(args);
        if (n >= 0 && (size_t)n < left) {
            b->v.used += (size_t)n;
            assert(b->v.used < b->v.room && b->v.bytes[b->v.used] == '\0');
            return;
        }
        b->broken = n < 0 || !vector_reserve(&b->v, b->v.used + (size_t)n + 1);
    }
}

static void json_char(Buffer *b, unsigned char ch)
{
    switch (ch) {
    case '"': buffer_text(b, "\\\""); break;
    case '\\': buffer_text(b, "\\\\"); break;
    case '\n': buffer_text(b, "\\n"); break;
    case '\t': buffer_text(b, "\\t"); break;
    default:
        if (ch < 0x20 || ch == 0x7F)
            buffer_format(b, "\\u%04x", (unsigned)ch);
        else
            buffer_char(b, (char)ch);
    }
}

void buffer_count(Buffer *b, unsigned long long n)
{
    char text[24], *at = text + sizeof text;
    do
        *--at = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    buffer_bytes(b, at, (size_t)(text + sizeof text - at));
}

void buffer_integer(Buffer *b, long long n)
{
    if (n < 0)
        buffer_char(b, '-');
    buffer_count(b, n < 0 ? 0 - (unsigned long long)n : (unsigned long long)n);
}

/* How many characters of s stand for themselves in JSON. */
static size_t plain_length(const char *s)
{
    size_t n = 0;
    while ((unsigned char)s[n] >= ' ' && (unsigned char)s[n] < 127 &&
           s[n] != '"' && s[n] != '\\')
        n++;
    return n;
}

/* What follows the plain beginning of a string. A malformed byte becomes U+FFFD:
   one bad name must not make the whole file unreadable. */
static void json_rest(Buffer *b, const char *s)
{
    size_t n = strlen(s);
    for (size_t at = 0; at < n;) {
        size_t length = text_char_length(s + at, n - at);
        if (length == 0)
            buffer_text(b, "\xEF\xBF\xBD");
        else if (length == 1)
            json_char(b, (unsigned char)s[at]);
        else
            buffer_bytes(b, s + at, length);
        at += length == 0 ? 1 : length;
    }
}

void buffer_json(Buffer *b, const char *s)
{
    size_t plain = plain_length(s);
    unsigned char *to = more(b, plain + 1);
    if (to != NULL) {
        to[0] = '"';
        memcpy(to + 1, s, plain);
    }
    if (s[plain] != '\0')
        json_rest(b, s + plain);
    buffer_char(b, '"');
}

void buffer_cell(Buffer *b, const char *s)
{
    bool quoted = s[strcspn(s, ",\"\r\n")] != '\0';
    buffer_text(b, quoted ? "\"" : "");
    for (; *s != '\0'; s++) {
        buffer_text(b, *s == '"' ? "\"" : "");
        buffer_char(b, *s);
    }
    buffer_text(b, quoted ? "\"" : "");
}

/* Writes only where there is no end yet: threads may read a text that is whole. */
const char *buffer_string(Buffer *b)
{
    const Vector *v = &b->v;
    if (!b->broken && (v->used == v->room || v->bytes[v->used] != '\0')) {
        unsigned char *end = more(b, 1);
        if (end != NULL) {
            *end = '\0';
            b->v.used--;
        }
    }
    return b->broken ? "" : (const char *)b->v.bytes;
}

void buffer_free(Buffer *b)
{
    vector_free(&b->v);
    b->broken = false;
}

/* ---- Files --------------------------------------------------------------- */

static Status file_fault(Fault *f, const char *path, const char *doing)
{
    return fault_set(f, STATUS_FILE, "%s: %s: %s", path, doing,
                     strerror(errno));
}

static Status write_all(int fd, const char *path, const unsigned char *bytes,
                        size_t n, Fault *f)
{
    while (n > 0) {
        ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return file_fault(f, path, "cannot write");
        bytes += done;
        n -= (size_t)done;
    }
    return STATUS_OK;
}

/* A device or a pipe cannot be replaced by renaming, and must not be. */
static Status write_in_place(const char *path, const void *bytes, size_t n,
                             Fault *f)
{
    Status s;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return file_fault(f, path, "cannot open for writing");
    s = write_all(fd, path, bytes, n, f);
    if (close(fd) != 0 && s == STATUS_OK)
        s = file_fault(f, path, "cannot close");
    return s;
}

/* Opens a file that did not exist, beside `path`. The number keeps threads
   apart and avoids files left by a killed process. */
static int open_temporary(const char *path, Buffer *name)
{
    int fd = -1;
    for (unsigned k = 0; k < 1000 && fd < 0; k++) {
        name->v.used = 0;
        buffer_format(name, "%s.%ld-%u.tmp", path, (long)getpid(), k);
        if (name->broken) {
            errno = ENOMEM;
            return -1;
        }
        fd = open(buffer_string(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                  0666);
        if (fd < 0 && errno != EEXIST)
            return -1;
    }
    return fd;
}

/* Some errors of fsync only mean that this file system has none. */
static bool sync_failed(int fd)
{
    return fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP;
}

static Status fill_and_rename(int fd, const char *temporary, const char *path,
                              const void *bytes, size_t n, Fault *f)
{
    Status s = write_all(fd, path, bytes, n, f);
    if (s == STATUS_OK && sync_failed(fd))
        s = file_fault(f, path, "cannot sync to disk");
    if (close(fd) != 0 && s == STATUS_OK)
        s = file_fault(f, path, "cannot close");
    if (s == STATUS_OK && rename(temporary, path) != 0)
        s = file_fault(f, path, "cannot rename the finished file");
    if (s != STATUS_OK)
        unlink(temporary);
    return s;
}

Status file_write(const char *path, const void *bytes, size_t n, Fault *f)
{
    struct stat old;
    Buffer temporary = {0};
    Status s;
    int fd;
    if (stat(path, &old) == 0 && S_ISDIR(old.st_mode))
        return fault_set(f, STATUS_FILE,
                         "%s: a directory is in the way of this file", path);
    if (stat(path, &old) == 0 && !S_ISREG(old.st_mode))
        return write_in_place(path, bytes, n, f);
    fd = open_temporary(path, &temporary);
    if (fd < 0)
        s = file_fault(f, path, "cannot create a file there");
    else
        s = fill_and_rename(fd, buffer_string(&temporary), path, bytes, n, f);
    buffer_free(&temporary);
    return s;
}

static Status put_with(int flag, const char *path, const void *bytes, size_t n,
                       Fault *f)
{
    Status s;
    int fd = open(path, O_WRONLY | O_CREAT | flag | O_CLOEXEC, 0666);
    if (fd < 0)
        return file_fault(f, path, "cannot create a file there");
    s = write_all(fd, path, bytes, n, f);
    if (close(fd) != 0 && s == STATUS_OK)
        s = file_fault(f, path, "cannot close");
    if (s != STATUS_OK)
        unlink(path);
    return s;
}

Status file_put(const char *path, const void *bytes, size_t n, Fault *f)
{
    return put_with(O_TRUNC, path, bytes, n, f);
}

Status file_add(const char *path, const void *bytes, size_t n, Fault *f)
{
    return put_with(O_APPEND, path, bytes, n, f);
}

/* Most bytes read from a data file, or from a source without a length of its
   own. */
#define READ_MOST ((size_t)256 << 20)

static Status too_long(const char *path, Fault *f)
{
    return fault_set(f, STATUS_FILE,
                     "%s: longer than %zu MB, the limit for a data file", path,
                     READ_MOST >> 20);
}

static Status read_all(int fd, const char *path, size_t most, Buffer *b,
                       Fault *f)
{
    size_t before = b->v.used;
    for (;;) {
        ssize_t got;
        if (b->v.used - before > most)
            return too_long(path, f);
        if (!vector_reserve(&b->v, b->v.used + 4096))
            return fault_set(f, STATUS_MEMORY, "%s: no memory to read it",
                             path);
        got = read(fd, b->v.bytes + b->v.used, b->v.room - b->v.used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return file_fault(f, path, "cannot read");
        if (got == 0)
            return STATUS_OK;
        b->v.used += (size_t)got;
    }
}

/* Checks that the open file can be read to its end. Pipes and terminals have an
   end; other devices may not. */
static Status check_kind(int fd, const char *path, bool data, size_t *most,
                         Fault *f)
{
    struct stat s;
    *most = READ_MOST;
    if (fstat(fd, &s) != 0)
        return file_fault(f, path, "cannot examine it");
    if (S_ISREG(s.st_mode)) {
        *most = data ? READ_MOST : SIZE_MAX;
        return (size_t)s.st_size > *most ? too_long(path, f) : STATUS_OK;
    }
    if (S_ISDIR(s.st_mode)) {
        errno = EISDIR;
        return file_fault(f, path, "cannot read");
    }
    if (data || S_ISBLK(s.st_mode) || (S_ISCHR(s.st_mode) && !isatty(fd)))
        return fault_set(
            f, STATUS_FILE,
            "%s: this is a device or a pipe, not a file: name a file", path);
    return STATUS_OK;
}

/* A pipe to which nobody writes must not block us where only a file will do. */
static Status read_kind(const char *path, bool data, Buffer *b, Fault *f)
{
    size_t before = b->v.used, most;
    int fd = open(path, O_RDONLY | O_CLOEXEC | (data ? O_NONBLOCK : 0));
    if (fd < 0)
        return file_fault(f, path, "cannot open");
    Status s = check_kind(fd, path, data, &most, f);
    if (s == STATUS_OK)
        s = read_all(fd, path, most, b, f);
    close(fd);
    if (s != STATUS_OK)
        b->v.used = before;
    return s;
}

Status file_read(const char *path, Buffer *b, Fault *f)
{
    return read_kind(path, false, b, f);
}

Status file_read_data(const char *path, Buffer *b, Fault *f)
{
    return read_kind(path, true, b, f);
}

static bool is_directory(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* `path` cut short at each slash in turn: the parents before the children. */
static Status make_each(char *path, Fault *f)
{
    for (char *p = path + 1;; p++) {
        char end = *p;
        if (end != '/' && end != '\0')
            continue;
        *p = '\0';
        if (mkdir(path, 0777) != 0 && !is_directory(path))
            return file_fault(f, path, "cannot make this directory");
        *p = end;
        if (end == '\0')
            return STATUS_OK;
    }
}

Status dir_make(const char *path, Fault *f)
{
    Buffer copy = {0};
    Status s;
    if (path[0] == '\0' || is_directory(path))
        return STATUS_OK;
    buffer_text(&copy, path);
    buffer_char(&copy, '\0');
    if (copy.broken)
        s = fault_set(f, STATUS_MEMORY, "%s: no memory to make it", path);
    else
        s = make_each((char *)copy.v.bytes, f);
    buffer_free(&copy);
    return s;
}
