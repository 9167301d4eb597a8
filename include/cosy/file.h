#ifndef COSY_FILE_H
#define COSY_FILE_H

/* FILEs (included after cosy/inline.h): records, which scheduled events have
   too, the order of entries, INSERT, REMOVE and FIND. An entry is a place in
   the pool of records. Within its file it is linked in the file's order; if
   that order is by value it is also a node of a tree. */

/* ---- Records ------------------------------------------------------------ */

static inline CosyRecord *cosy_record(const Cosy *c, uint32_t id)
{
    size_t place = (size_t)id * c->model->record_size;
    COSY_ASSERT(id < c->record_room);
    return (CosyRecord *)(void *)(c->records + place);
}

/* A record whose attributes are set next, for an event to be scheduled or an
   entry to be inserted. */
static inline CosyStatus cosy_record_new(Cosy *c, uint32_t *id)
{
    CosyHead *h = c->head;
    *id = h->record_free;
    if (*id == COSY_NONE) {
        if (COSY_RARELY(h->record_used >= c->record_room))
            COSY_TRY(c->host->grow(c, COSY_SEGMENT_RECORDS));
        *id = h->record_used++;
        cosy_record(c, *id)->turn = 0;
    } else {
        h->record_free = cosy_record(c, *id)->next;
    }
    COSY_ASSERT(*id < h->record_used);
    return COSY_OK;
}

static inline void cosy_record_free(Cosy *c, uint32_t id)
{
    CosyRecord *e = cosy_record(c, id);
    COSY_ASSERT(id < c->head->record_used && id != c->head->record_free);
    e->next = c->head->record_free;
    e->turn++;
    c->head->record_free = id;
}

/* ---- Tree of a ranked file ------------------------------------------------- */

/* The tree has the order of the list and is a heap by a number drawn from each
   place. So it is as deep as a tree of random insertions, whatever the keys (a
   treap: Aragon and Seidel, 1989). */

static inline uint32_t cosy_tree_height(uint32_t id)
{
    id *= 0x9e3779b1u;
    id ^= id >> 15;
    id *= 0x85ebca6bu;
    return id ^ id >> 13;
}

/* Puts `id`, or nothing, in the place of `old` below `up`. */
static inline void cosy_tree_hang(Cosy *c, CosyFile *f, uint32_t up,
                                  uint32_t old, uint32_t id)
{
    if (up == COSY_NONE)
        f->root = id;
    else if (cosy_record(c, up)->left == old)
        cosy_record(c, up)->left = id;
    else
        cosy_record(c, up)->right = id;
    if (id != COSY_NONE)
        cosy_record(c, id)->up = up;
}

/* Exchanges a node with the one above it. */
static inline void cosy_tree_lift(Cosy *c, CosyFile *f, uint32_t id)
{
    CosyRecord *e = cosy_record(c, id);
    uint32_t up = e->up, between;
    CosyRecord *above = cosy_record(c, up);
    cosy_tree_hang(c, f, above->up, up, id);
    if (above->left == id) {
        between = above->left = e->right;
        e->right = up;
    } else {
        between = above->right = e->left;
        e->left = up;
    }
    above->up = id;
    if (between != COSY_NONE)
        cosy_record(c, between)->up = up;
}

/* One of two neighbours in the list has room on the inner side. */
static inline void cosy_tree_add(Cosy *c, CosyFile *f, uint32_t id)
{
    CosyRecord *e = cosy_record(c, id);
    uint32_t before = e->previous, height = cosy_tree_height(id);
    e->left = e->right = COSY_NONE;
    if (before != COSY_NONE && cosy_record(c, before)->right == COSY_NONE) {
        cosy_record(c, before)->right = id;
        e->up = before;
    } else if (e->next != COSY_NONE) {
        cosy_record(c, e->next)->left = id;
        e->up = e->next;
    } else {
        f->root = id;
        e->up = COSY_NONE;
    }
    while (e->up != COSY_NONE && cosy_tree_height(e->up) < height)
        cosy_tree_lift(c, f, id);
}

static inline void cosy_tree_drop(Cosy *c, CosyFile *f, uint32_t id)
{
    const CosyRecord *e = cosy_record(c, id);
    while (e->left != COSY_NONE && e->right != COSY_NONE) {
        bool left = cosy_tree_height(e->left) > cosy_tree_height(e->right);
        cosy_tree_lift(c, f, left ? e->left : e->right);
    }
    cosy_tree_hang(c, f, e->up, id, e->left != COSY_NONE ? e->left : e->right);
}

/* ---- Files ------------------------------------------------------------------ */

static inline void cosy_count_in(CosyFile *f, real t)
{
    f->area += (real)f->count * (t - f->since);
    f->since = t;
    f->entries++;
    if (++f->count > f->most)
        f->most = f->count;
}

static inline void cosy_count_out(CosyFile *f, real t, real since)
{
    real stay = t - since;
    f->area += (real)f->count * (t - f->since);
    f->since = t;
    COSY_ASSERT(f->count > 0);
    f->count--;
    f->stay_sum += stay;
    f->stay_max = cosy_max(f->stay_max, stay);
}

static inline bool cosy_file_is_ranked(const Cosy *c, uint32_t file)
{
    CosyRank rank = c->model->files[file].rank;
    return rank == COSY_LVF || rank == COSY_HVF;
}

/* The entry after which one with this key belongs; COSY_NONE: it comes
   first. */
static inline uint32_t cosy_file_place(const Cosy *c, uint32_t file, real key)
{
    const CosyFile *f = c->file + file;
    CosyRank rank = c->model->files[file].rank;
    uint32_t at = f->root, before = COSY_NONE;
    if (rank == COSY_LIFO || f->count == 0)
        return COSY_NONE;
    if (rank == COSY_FIFO)
        return f->tail;
    real last = cosy_record(c, f->tail)->key;
    if (rank == COSY_LVF ? last <= key : last >= key)
        return f->tail;
    while (at != COSY_NONE) {
        const CosyRecord *e = cosy_record(c, at);
        bool after = rank == COSY_LVF ? e->key <= key : e->key >= key;
        before = after ? at : before;
        at = after ? e->right : e->left;
    }
    return before;
}

/* Links an entry into list and tree; statistics do not notice. */
static inline void cosy_file_link(Cosy *c, uint32_t file, uint32_t id, real key)
{
    CosyFile *f = c->file + file;
    uint32_t before = cosy_file_place(c, file, key);
    uint32_t next =
        before == COSY_NONE ? f->head : cosy_record(c, before)->next;
    CosyRecord *e = cosy_record(c, id);
    e->next = next;
    e->previous = before;
    e->key = key;
    if (before == COSY_NONE)
        f->head = id;
    else
        cosy_record(c, before)->next = id;
    if (next == COSY_NONE)
        f->tail = id;
    else
        cosy_record(c, next)->previous = id;
    if (cosy_file_is_ranked(c, file))
        cosy_tree_add(c, f, id);
}

static inline void cosy_file_unlink(Cosy *c, uint32_t file, uint32_t id)
{
    CosyFile *f = c->file + file;
    const CosyRecord *e = cosy_record(c, id);
    if (cosy_file_is_ranked(c, file))
        cosy_tree_drop(c, f, id);
    if (e->previous == COSY_NONE)
        f->head = e->next;
    else
        cosy_record(c, e->previous)->next = e->next;
    if (e->next == COSY_NONE)
        f->tail = e->previous;
    else
        cosy_record(c, e->next)->previous = e->previous;
}

/* INSERT file; `key` is the attribute the file is ranked by (0 for FIFO and
   LIFO). Entries with equal keys stand in order of arrival. */
static inline CosyStatus cosy_file_insert(Cosy *c, uint32_t file, uint32_t id,
                                          real key)
{
    CosyFile *f = c->file + file;
    uint32_t capacity = c->model->files[file].capacity;
    if (COSY_RARELY(capacity && f->count >= capacity))
        return c->host->refuse(c, COSY_FILE_FULL, file, COSY_NONE,
                               (real)capacity);
    if (COSY_RARELY(key != key))
        return c->host->refuse(c, COSY_BAD_RANK, file, COSY_NONE, key);
    cosy_file_link(c, file, id, key);
    cosy_record(c, id)->since = c->head->t;
    cosy_count_in(f, c->head->t);
    return COSY_OK;
}

/* The attribute that a file is ranked by has changed: the entry moves after
   those with an equal key. */
static inline CosyStatus cosy_file_rerank(Cosy *c, uint32_t file, uint32_t id,
                                          real key)
{
    if (COSY_RARELY(key != key))
        return c->host->refuse(c, COSY_BAD_RANK, file, COSY_NONE, key);
    if (cosy_record(c, id)->key == key)
        return COSY_OK;
    CosyFile *f = c->file + file;
    cosy_file_unlink(c, file, id);
    f->count--; // the new place is searched among the others
    cosy_file_link(c, file, id, key);
    f->count++;
    return COSY_OK;
}

/* Finds the record of entry n, counted from 1. */
static inline CosyStatus cosy_file_entry(Cosy *c, uint32_t file, int64_t n,
                                         uint32_t *id)
{
    const CosyFile *f = c->file + file;
    if (COSY_RARELY(n < 1 || n > f->count))
        return c->host->refuse(c, COSY_NO_ENTRY, file, COSY_NONE, (real)n);
    if (2 * n > f->count) {
        *id = f->tail;
        for (int64_t k = f->count; k > n; k--)
            *id = cosy_record(c, *id)->previous;
    } else {
        *id = f->head;
        for (int64_t k = 1; k < n; k++)
            *id = cosy_record(c, *id)->next;
    }
    return COSY_OK;
}

/* What WITH keeps to find an entry again; the second function returns the entry
   if it is still there. */
static inline int64_t cosy_file_hold(const Cosy *c, uint32_t id)
{
    return (int64_t)((uint64_t)cosy_record(c, id)->turn << 32 | id);
}

static inline CosyStatus cosy_file_held(Cosy *c, uint32_t file, int64_t held,
                                        uint32_t *id)
{
    *id = (uint32_t)held;
    if (COSY_RARELY(cosy_file_hold(c, *id) != held))
        return c->host->refuse(c, COSY_ENTRY_GONE, file, COSY_NONE, R(0.0));
    return COSY_OK;
}

/* REMOVE file n: the first entry is 1, the last is count (1 if the file is
   empty). The record then belongs to the caller, which frees it when it has
   read the attributes. */
static inline CosyStatus cosy_file_remove(Cosy *c, uint32_t file, int64_t n,
                                          uint32_t *id)
{
    COSY_TRY(cosy_file_entry(c, file, n, id));
    cosy_file_unlink(c, file, *id);
    cosy_count_out(c->file + file, c->head->t, cosy_record(c, *id)->since);
    return COSY_OK;
}

/* REMOVE file LAST. */
static inline CosyStatus cosy_file_remove_last(Cosy *c, uint32_t file,
                                               uint32_t *id)
{
    uint32_t n = c->file[file].count;
    return cosy_file_remove(c, file, n ? n : 1, id);
}

/* True if the transaction at a place belongs to the process and has a number
   before `found` (0: any). Used by FIND in the file of a process. */
static inline bool cosy_is_before_in(const Cosy *c, uint32_t process,
                                     uint32_t id, int64_t found)
{
    const CosyTransaction *tr = cosy_transaction(c, id);
    return cosy_is_there(tr) && cosy_process(tr) == process &&
           (found == 0 || tr->number < (uint64_t)found);
}

/* Called when a plain attribute is read or set; `is` is false if no entry is
   current. */
static inline void cosy_current(Cosy *c, bool is)
{
    if (COSY_RARELY(!is) && !c->head->trouble) {
        c->host->refuse(c, COSY_NO_CURRENT, COSY_NONE, COSY_NONE, R(0.0));
        c->head->trouble = COSY_REFUSED;
    }
}

#endif
