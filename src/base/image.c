#include "base/image.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"

/* The file: magic, version, stamp, number of pieces; for each piece its name,
   its size and its bytes; last a checksum of all this. Numbers are 8 bytes, low
   byte first; a text is its length and its bytes. The pieces themselves are
   copies of memory: the stamp names the machine's number format. */
#define MAGIC        "COSYIMG\n"
#define MAGIC_LENGTH 8
#define FORMAT       1
#define NUMBER       8 // bytes of a number

/* ---- The list ------------------------------------------------------------ */

#define ROOM_FIRST 96 // a plain run has some seventy pieces

static Status grow_list(Image *i, Arena *a)
{
    size_t room = i->room == 0 ? ROOM_FIRST : 2 * i->room;
    ImagePiece *piece = NEW_ARRAY(a, ImagePiece, room);
    if (piece == NULL)
        return STATUS_MEMORY;
    if (i->count > 0)
        memcpy(piece, i->piece, i->count * sizeof *piece);
    i->piece = piece;
    i->room = room;
    return STATUS_OK;
}

static Status add_piece(Image *i, Arena *a, ImagePiece p)
{
    if (i->count == i->room)
        TRY(grow_list(i, a));
    i->piece[i->count++] = p;
    return STATUS_OK;
}

Status image_add(Image *i, Arena *a, const char *name, void *fixed, size_t size)
{
    return add_piece(i, a,
                     (ImagePiece){.name = name, .fixed = fixed, .size = size});
}

Status image_add_vector(Image *i, Arena *a, const char *name, Vector *v)
{
    return add_piece(i, a, (ImagePiece){.name = name, .vector = v});
}

/* Each name occurs once; this is checked when it matters, not whenever a run
   begins. */
static bool names_differ(const Image *i)
{
    for (size_t k = 0; k < i->count; k++)
        for (size_t l = 0; l < k; l++)
            if (strcmp(i->piece[k].name, i->piece[l].name) == 0)
                return false;
    return true;
}

static size_t piece_size(const ImagePiece *p)
{
    return p->vector != NULL ? p->vector->used : p->size;
}

static void *piece_bytes(const ImagePiece *p)
{
    return p->vector != NULL ? p->vector->bytes : p->fixed;
}

/* ---- Saving -------------------------------------------------------------- */

/* FNV-1a: finds damage, does not resist forgery. */
static uint64_t checksum(const unsigned char *bytes, size_t n)
{
    uint64_t sum = UINT64_C(0xCBF29CE484222325);
    for (size_t k = 0; k < n; k++)
        sum = (sum ^ bytes[k]) * UINT64_C(0x100000001B3);
    return sum;
}

static void put_number(Buffer *b, uint64_t value)
{
    for (int k = 0; k < NUMBER; k++)
        buffer_char(b, (char)(unsigned char)(value >> (8 * k)));
}

static void put_text(Buffer *b, const char *s)
{
    put_number(b, strlen(s));
    buffer_text(b, s);
}

static void put_piece(Buffer *b, const ImagePiece *p)
{
    size_t size = piece_size(p);
    put_text(b, p->name);
    put_number(b, size);
    if (size > 0)
        buffer_bytes(b, piece_bytes(p), size);
}

Status image_save(const Image *i, const char *path, const char *stamp, Fault *f)
{
    Buffer b = {0};
    Status s;
    bool good = names_differ(i);
    assert(good);
    (void)good;
    buffer_bytes(&b, MAGIC, MAGIC_LENGTH);
    put_number(&b, FORMAT);
    put_text(&b, stamp);
    put_number(&b, i->count);
    for (size_t k = 0; k < i->count; k++)
        put_piece(&b, &i->piece[k]);
    if (!b.broken)
        put_number(&b, checksum(b.v.bytes, b.v.used));
    if (b.broken)
        s = fault_set(f, STATUS_MEMORY, "%s: no memory to save a snapshot",
                      path);
    else
        s = file_write(path, b.v.bytes, b.v.used, f);
    buffer_free(&b);
    return s;
}

/* ---- Loading ------------------------------------------------------------- */

/* The part still to be read. A read beyond the end sets `short_of`, and
   everything read from then on is empty. */
typedef struct Reader {
    const unsigned char *at;
    size_t left;
    bool short_of;
} Reader;

static const unsigned char *get_bytes(Reader *r, uint64_t n)
{
    const unsigned char *at = r->at;
    if (n > r->left) {
        r->short_of = true;
        r->left = 0;
        return at;
    }
    r->at += n;
    r->left -= (size_t)n;
    return at;
}

static uint64_t get_number(Reader *r)
{
    uint64_t value = 0;
    const unsigned char *p = get_bytes(r, NUMBER);
    for (int k = 0; k < NUMBER && !r->short_of; k++)
        value |= (uint64_t)p[k] << (8 * k);
    return value;
}

static bool get_same_text(Reader *r, const char *expected)
{
    uint64_t n = get_number(r);
    const unsigned char *p = get_bytes(r, n);
    return !r->short_of && n == strlen(expected) &&
           memcmp(p, expected, (size_t)n) == 0;
}

/* The checksum comes first: once it is right, every difference lies in the
   contents and can be named. */
static Status check_whole(Reader *r, const char *path, Fault *f)
{
    const unsigned char *begin = r->at;
    Reader tail;
    if (r->left < MAGIC_LENGTH + NUMBER ||
        memcmp(begin, MAGIC, MAGIC_LENGTH) != 0)
        return fault_set(f, STATUS_IMAGE, "%s: not a COSY snapshot", path);
    r->left -= NUMBER;
    tail = (Reader){.at = begin + r->left, .left = NUMBER};
    if (get_number(&tail) != checksum(begin, r->left))
        return fault_set(f, STATUS_IMAGE,
                         "%s: the snapshot is damaged or cut short", path);
    get_bytes(r, MAGIC_LENGTH);
    return STATUS_OK;
}

static Status check_head(Reader *r, const Image *i, const char *path,
                         const char *stamp, Fault *f)
{
    uint64_t format = get_number(r);
    uint64_t count;
    if (format != FORMAT)
        return fault_set(f, STATUS_IMAGE,
                         "%s: the snapshot has format %llu, but this program "
                         "knows format %d",
                         path, (unsigned long long)format, FORMAT);
    if (!get_same_text(r, stamp))
        return fault_set(f, STATUS_IMAGE,
                         "%s: the snapshot is of another model, precision or "
                         "version of COSY",
                         path);
    count = get_number(r);
    if (r->short_of || count != i->count)
        return fault_set(
            f, STATUS_IMAGE,
            "%s: the snapshot has %llu pieces, but this run has %zu", path,
            (unsigned long long)count, i->count);
    return STATUS_OK;
}

/* Also makes room, because that is the last thing that can fail. */
static Status check_piece(Reader *r, const ImagePiece *p, const char *path,
                          Fault *f)
{
    bool same = get_same_text(r, p->name);
    uint64_t size = get_number(r);
    get_bytes(r, size);
    if (!same || r->short_of)
        return fault_set(f, STATUS_IMAGE,
                         "%s: the snapshot lacks '%s' where it should be", path,
                         p->name);
    if (p->vector == NULL && size != p->size)
        return fault_set(
            f, STATUS_IMAGE,
            "%s: '%s' has %llu bytes in the snapshot, but %zu in this run",
            path, p->name, (unsigned long long)size, p->size);
    if (p->vector != NULL && !vector_reserve(p->vector, (size_t)size))
        return fault_set(f, STATUS_MEMORY, "%s: no memory for '%s'", path,
                         p->name);
    return STATUS_OK;
}

static void copy_piece(Reader *r, const ImagePiece *p)
{
    size_t size;
    const unsigned char *bytes;
    get_bytes(r, get_number(r)); // its name
    size = (size_t)get_number(r);
    bytes = get_bytes(r, size);
    if (p->vector != NULL)
        p->vector->used = size;
    if (size > 0)
        memcpy(piece_bytes(p), bytes, size);
}

static Status load_bytes(Image *i, Reader r, const char *path,
                         const char *stamp, Fault *f)
{
    Reader pieces;
    TRY(check_whole(&r, path, f));
    TRY(check_head(&r, i, path, stamp, f));
    pieces = r;
    for (size_t k = 0; k < i->count; k++)
        TRY(check_piece(&r, &i->piece[k], path, f));
    if (r.left != 0)
        return fault_set(f, STATUS_IMAGE,
                         "%s: the snapshot holds more than this run", path);
    for (size_t k = 0; k < i->count; k++)
        copy_piece(&pieces, &i->piece[k]);
    return STATUS_OK;
}

Status image_load(Image *i, const char *path, const char *stamp, Fault *f)
{
    Buffer b = {0};
    Status s = file_read(path, &b, f);
    if (s == STATUS_OK)
        s = load_bytes(i, (Reader){.at = b.v.bytes, .left = b.v.used}, path,
                       stamp, f);
    buffer_free(&b);
    return s;
}
