#include "study/depot.h"

#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "study/parcel.h"

/* Which parcel a record holds. */
typedef struct Tag {
    uint32_t series, element;
} Tag;

typedef struct DepotPart {
    Buffer folder, journal;
    uint64_t offset; // of what has not been read yet
} DepotPart;

/* Where a parcel is; part 0: nowhere, otherwise its number, from 1. */
typedef struct DepotPlace {
    uint32_t part, length;
    uint64_t at;
} DepotPlace;

static DepotPart *part_of(const Depot *d, uint32_t number)
{
    assert(number >= 1 && number <= d->parts.used / sizeof(DepotPart));
    return (DepotPart *)(void *)d->parts.bytes + (number - 1);
}

static Vector *places(const Depot *d, uint32_t series)
{
    return series < d->series.used / sizeof(Vector)
               ? (Vector *)(void *)d->series.bytes + series
               : NULL;
}

/* The place of an element; NULL: nothing is known of it. */
static DepotPlace *place_of(const Depot *d, uint32_t series, uint32_t element)
{
    const Vector *v = places(d, series);
    if (!v || element >= v->used / sizeof(DepotPlace))
        return NULL;
    DepotPlace *p = (DepotPlace *)(void *)v->bytes + element;
    return p->part ? p : NULL;
}

/* ---- Reading ---------------------------------------------------------------------- */

typedef struct Reading {
    Depot *d;
    uint32_t part;
    bool fresh;   // the stamp is still to come
    bool matches; // it is ours
    bool broken;  // no memory
} Reading;

static bool note_place(Reading *r, Tag tag, DepotPlace where)
{
    enum { SERIES_MOST = 100000, ELEMENTS_MOST = 10000000 };
    Depot *d = r->d;
    if (tag.series > SERIES_MOST || tag.element > ELEMENTS_MOST)
        return false;
    while (tag.series >= d->series.used / sizeof(Vector)) {
        Vector none = {0};
        if (!vector_append(&d->series, &none, sizeof none))
            return false;
    }
    Vector *v = places(d, tag.series);
    size_t n = v->used / sizeof where;
    if (tag.element >= n &&
        !vector_append(v, NULL, (tag.element + 1 - n) * sizeof where))
        return false;
    DepotPlace *p = (DepotPlace *)(void *)v->bytes + tag.element;
    if (!p->part)
        *p = where;
    return true;
}

static bool take_record(void *user, uint64_t at, const unsigned char *bytes,
                        size_t n)
{
    Reading *r = user;
    Tag tag;
    if (r->fresh) {
        r->fresh = false;
        r->matches =
            n == strlen(r->d->stamp) && memcmp(bytes, r->d->stamp, n) == 0;
        return r->matches;
    }
    if (n < sizeof tag)
        return false;
    memcpy(&tag, bytes, sizeof tag);
    const DepotPlace where = {r->part, (uint32_t)(n - sizeof tag),
                              at + sizeof tag};
    r->broken = r->broken || !note_place(r, tag, where);
    return !r->broken;
}

static Status read_part(Depot *d, uint32_t number, bool *matches, Fault *f)
{
    DepotPart *p = part_of(d, number);
    Reading r = {.d = d,
                 .part = number,
                 .fresh = p->offset == 0,
                 .matches = p->offset != 0};
    Status s = journal_read(buffer_string(&p->journal), &p->offset, take_record,
                            &r, f);
    if (matches) // of what has no stamp yet nothing is known, and nothing used
        *matches = r.matches || r.fresh;
    return r.broken ? fault_set(f, STATUS_MEMORY,
                                "no memory for the parts of "
                                "the study")
                    : s;
}

static void part_free(DepotPart *p)
{
    buffer_free(&p->folder);
    buffer_free(&p->journal);
}

Status depot_add(Depot *d, const char *folder, bool *matches, Fault *f)
{
    DepotPart part = {0};
    *matches = false;
    buffer_text(&part.folder, folder);
    buffer_format(&part.journal, "%s/%s", folder, DEPOT_JOURNAL);
    buffer_string(&part.folder);
    if (part.folder.broken || part.journal.broken ||
        !vector_append(&d->parts, &part, sizeof part)) {
        part_free(&part);
        return fault_set(f, STATUS_MEMORY, "%s: no memory", folder);
    }
    uint32_t number = (uint32_t)(d->parts.used / sizeof part);
    Status s = read_part(d, number, matches, f);
    if (s != STATUS_OK || !*matches) {
        part_free(part_of(d, number));
        d->parts.used -= sizeof part;
    }
    return s;
}

Status depot_join(Depot *d, const char *folder, bool *matches, Fault *f)
{
    pthread_mutex_lock(&d->lock);
    Status s = depot_add(d, folder, matches, f);
    pthread_mutex_unlock(&d->lock);
    return s;
}

bool depot_reserve(Depot *d, uint32_t parts)
{
    size_t used = d->parts.used;
    bool done = vector_append(&d->parts, NULL, parts * sizeof(DepotPart));
    d->parts.used = used;
    return done;
}

Status depot_renew(Depot *d, Fault *f)
{
    pthread_mutex_lock(&d->lock);
    Status s = STATUS_OK;
    uint32_t n = (uint32_t)(d->parts.used / sizeof(DepotPart));
    for (uint32_t k = 1; s == STATUS_OK && k <= n; k++)
        s = read_part(d, k, NULL, f);
    pthread_mutex_unlock(&d->lock);
    return s;
}

bool depot_has(Depot *d, uint32_t series, uint32_t element)
{
    pthread_mutex_lock(&d->lock);
    bool has = place_of(d, series, element) != NULL;
    pthread_mutex_unlock(&d->lock);
    return has;
}

uint64_t depot_count(const Depot *d)
{
    uint64_t n = 0;
    for (uint32_t s = 0; s < d->series.used / sizeof(Vector); s++) {
        const Vector *v = places(d, s);
        const DepotPlace *p = (const DepotPlace *)(const void *)v->bytes;
        for (size_t k = 0; k < v->used / sizeof *p; k++)
            n += p[k].part != 0;
    }
    return n;
}

/* ---- Files of runs ------------------------------------------------------------------ */

/* A second name for the same file, or a copy on another file system. */
static bool link_file(const char *from, const char *to)
{
    Buffer text = {0};
    Fault f = {0};
    if (link(from, to) == 0)
        return true;
    if (access(from, R_OK) != 0)
        return true; // the run had no such file
    bool ok = file_read(from, &text, &f) == STATUS_OK &&
              file_put(to, text.v.bytes, text.v.used, &f) == STATUS_OK;
    buffer_free(&text);
    return ok;
}

static bool link_files(const Depot *d, const DepotPart *p, uint32_t first,
                       uint32_t runs)
{
    Buffer from = {0}, to = {0};
    struct stat one, other;
    bool ok = true;
    if (stat((const char *)p->folder.v.bytes, &one) == 0 &&
        stat((const char *)d->folder.v.bytes, &other) == 0 &&
        one.st_dev == other.st_dev && one.st_ino == other.st_ino)
        return true; // they are its own
    for (uint32_t n = first; ok && n < first + runs; n++)
        for (size_t k = 0; ok && k < SERIES_FILES; k++) {
            from.v.used = to.v.used = 0;
            buffer_format(&from, "%s/%s-%04u.csv",
                          (const char *)p->folder.v.bytes, series_file[k], n);
            buffer_format(&to, "%s/%s-%04u.csv",
                          (const char *)d->folder.v.bytes, series_file[k], n);
            ok = link_file(buffer_string(&from), buffer_string(&to));
        }
    buffer_free(&from);
    buffer_free(&to);
    return ok;
}

/* ---- Elements ----------------------------------------------------------------------- */

/* With the lock held. */
static Status open_journal(Depot *d, Fault *f)
{
    Buffer path = {0};
    if (d->own.file)
        return STATUS_OK;
    buffer_format(&path, "%s/%s", buffer_string(&d->folder), DEPOT_JOURNAL);
    Status s = journal_open(&d->own, buffer_string(&path), d->stamp, f);
    buffer_free(&path);
    return s;
}

bool depot_find(Depot *d, uint32_t series, uint32_t k, Element *el)
{
    Buffer b = {0};
    Fault f = {0};
    pthread_mutex_lock(&d->lock);
    const DepotPlace *p = place_of(d, series, k);
    const DepotPlace where = p ? *p : (DepotPlace){0};
    DepotPart *part = p ? part_of(d, where.part) : NULL;
    bool found = part && journal_get(buffer_string(&part->journal), where.at,
                                     where.length, &b, &f) == STATUS_OK;
    pthread_mutex_unlock(&d->lock);
    if (!found) {
        buffer_free(&b);
        return false;
    }
    Element kept = *el;
    found = parcel_unpack(el, b.v.bytes, b.v.used) &&
            link_files(d, part, el->number, el->runs);
    buffer_free(&b);
    if (!found) {
        outlet_free(
            &el->outlet); // `kept` has just been opened: it holds nothing
        element_empty(el);
        *el = kept;
    }
    return found;
}

static Status ready_journal(Depot *d, Fault *f)
{
    pthread_mutex_lock(&d->lock);
    Status s = open_journal(d, f);
    pthread_mutex_unlock(&d->lock);
    return s;
}

/* Adds a record, and writes what is due without the lock: the disk may take its
   time. What has become due meanwhile is written as well. */
static Status add_record(Depot *d, const Buffer *record, Fault *f)
{
    pthread_mutex_lock(&d->lock);
    Status s = journal_append(&d->own, record, f);
    while (s == STATUS_OK && journal_take(&d->own)) {
        pthread_mutex_unlock(&d->lock);
        s = journal_carry(&d->own, f);
        pthread_mutex_lock(&d->lock);
        journal_done(&d->own);
        pthread_cond_broadcast(&d->written);
    }
    pthread_mutex_unlock(&d->lock);
    return s;
}

Status depot_put(Depot *d, uint32_t series, uint32_t k, const Element *el,
                 Fault *f)
{
    Buffer b = {0};
    const Tag tag = {series, k};
    if (!parcel_can(el))
        return STATUS_OK;
    journal_head(&b);
    buffer_bytes(&b, (const char *)&tag, sizeof tag);
    parcel_pack(&b, el);
    Status s = ready_journal(d, f);
    if (s == STATUS_OK)
        s = journal_seal(&d->own, &b, f);
    if (s == STATUS_OK)
        s = add_record(d, &b, f);
    buffer_free(&b);
    return s;
}

/* An element of another part becomes one of the own part. */
static Status adopt(Depot *d, Tag tag, const DepotPlace *p, Fault *f)
{
    Buffer b = {0};
    uint32_t number, runs;
    const DepotPart *part = part_of(d, p->part);
    buffer_bytes(&b, (const char *)&tag, sizeof tag);
    Status s = journal_get((const char *)part->journal.v.bytes, p->at,
                           p->length, &b, f);
    bool whole = s == STATUS_OK && !b.broken &&
                 parcel_runs(b.v.bytes + sizeof tag, b.v.used - sizeof tag,
                             &number, &runs) &&
                 link_files(d, part, number, runs);
    if (whole)
        s = journal_add(&d->own, b.v.bytes, b.v.used, f);
    buffer_free(&b);
    return s;
}

/* Images of runs that other parts have and the own one has not. */
static void adopt_images(const Depot *d, const DepotPart *part)
{
    Buffer from = {0}, to = {0};
    DIR *folder = opendir((const char *)part->folder.v.bytes);
    struct dirent *e;
    while (folder && (e = readdir(folder)) != NULL) {
        if (strncmp(e->d_name, SNAPSHOT_FILE, strlen(SNAPSHOT_FILE)) != 0)
            continue;
        from.v.used = to.v.used = 0;
        buffer_format(&from, "%s/%s", (const char *)part->folder.v.bytes,
                      e->d_name);
        buffer_format(&to, "%s/%s", (const char *)d->folder.v.bytes, e->d_name);
        if (access(buffer_string(&to), F_OK) != 0)
            link_file(buffer_string(&from), buffer_string(&to));
    }
    if (folder)
        closedir(folder);
    buffer_free(&from);
    buffer_free(&to);
}

Status depot_adopt(Depot *d, Fault *f)
{
    pthread_mutex_lock(&d->lock);
    for (uint32_t k = 1; k <= d->parts.used / sizeof(DepotPart); k++)
        adopt_images(d, part_of(d, k));
    Status s = d->parts.used ? open_journal(d, f) : STATUS_OK;
    for (uint32_t i = 0; i < d->series.used / sizeof(Vector); i++) {
        const Vector *v = places(d, i);
        const DepotPlace *p = (const DepotPlace *)(const void *)v->bytes;
        for (uint32_t k = 0; k < v->used / sizeof *p && s == STATUS_OK; k++)
            if (p[k].part)
                s = adopt(d, (Tag){i, k}, &p[k], f);
    }
    pthread_mutex_unlock(&d->lock);
    return s;
}

/* ---- The depot ---------------------------------------------------------------------- */

Status depot_open(Depot *d, const char *folder, const char *stamp, Fault *f)
{
    *d = (Depot){.stamp = stamp};
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->written, NULL);
    buffer_text(&d->folder, folder);
    buffer_string(&d->folder);
    return d->folder.broken
               ? fault_set(f, STATUS_MEMORY, "no memory for the journal")
               : STATUS_OK;
}

/* A part without runs has a journal too: with its stamp alone. */
Status depot_flush(Depot *d, Fault *f)
{
    pthread_mutex_lock(&d->lock);
    Status s = open_journal(d, f);
    while (d->own.busy)
        pthread_cond_wait(&d->written, &d->lock);
    if (s == STATUS_OK)
        s = journal_flush(&d->own, f);
    pthread_mutex_unlock(&d->lock);
    return s;
}

const char *depot_folder(const Depot *d, uint32_t number)
{
    return number <= d->parts.used / sizeof(DepotPart)
               ? (const char *)part_of(d, number)->folder.v.bytes
               : NULL;
}

void depot_drop(Depot *d)
{
    if (d->own.file)
        unlink(buffer_string(&d->own.path));
    journal_close(&d->own);
}

void depot_close(Depot *d)
{
    if (!d->stamp)
        return;
    for (uint32_t k = 1; k <= d->parts.used / sizeof(DepotPart); k++)
        part_free(part_of(d, k));
    for (uint32_t s = 0; s < d->series.used / sizeof(Vector); s++)
        vector_free(places(d, s));
    vector_free(&d->parts);
    vector_free(&d->series);
    buffer_free(&d->folder);
    journal_close(&d->own);
    pthread_cond_destroy(&d->written);
    pthread_mutex_destroy(&d->lock);
    *d = (Depot){0};
}
