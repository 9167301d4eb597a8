#ifndef COSY_COPIES_H
#define COSY_COPIES_H

/* Copies of CONTINUOUS PROCESSes: how code finds them.

   A copy has a number, which it keeps, and a position, which holds until the
   present body has finished:

       0 .. active - 1         in x, in order of their numbers
       active .. settled - 1   asleep, in order of their numbers
       settled .. count - 1    created by this body, in order of their numbers

   The states of a copy are in x while it is active, and in its bed among its
   attributes otherwise: cosy_copy_states knows. SUSPEND, RESUME and DELETE set
   marks; the kernel acts on them when the body has finished. Copies outside of
   low .. high - 1 bear no marks: those in x go on, those that sleep sleep on,
   new ones will be active. */

/* A copy in a log: its number and, if what is meant has several elements there,
   the element from 1 on in the upper half. */
#define COSY_DETAIL(number, element)                                           \
    ((uint64_t)(number) | ((uint64_t)(element) + 1) << 32)
#define COSY_DETAIL_NUMBER(detail)  ((uint32_t)(detail))
#define COSY_DETAIL_ELEMENT(detail) ((uint32_t)((detail) >> 32)) // 0: none

/* The attributes of a copy begin with its header. */
static inline CosyCopy *cosy_copy(const Cosy *c, uint32_t process,
                                  uint32_t position)
{
    return (CosyCopy *)(void *)(c->attributes[process] +
                                (size_t)position *
                                    c->model->copies[process].size);
}

/* Where its states are, x being the vector of a trial point or c->x. */
static inline const real *cosy_copy_states(const Cosy *c, uint32_t process,
                                           uint32_t position, const real *x)
{
    const CosyCopies *k = c->copy + process;
    const CosyCopyInfo *info = c->model->copies + process;
    if (position < k->active)
        return x + k->first + (size_t)position * info->states;
    return (const real *)(const void *)((const unsigned char *)cosy_copy(
                                            c, process, position) +
                                        info->bed);
}

/* The same for code that may change them: c->x. */
static inline real *cosy_copy_x(Cosy *c, uint32_t process, uint32_t position)
{
    const CosyCopies *k = c->copy + process;
    const CosyCopyInfo *info = c->model->copies + process;
    if (position < k->active)
        return c->x + k->first + (size_t)position * info->states;
    return (real *)(void *)((unsigned char *)cosy_copy(c, process, position) +
                            info->bed);
}

/* State `own` of a copy in an array over x, and its place there: 0 if it is not
   in x, which moves nothing. */
static inline real cosy_copy_part(const Cosy *c, uint32_t process,
                                  uint32_t position, uint32_t own,
                                  const real *v)
{
    const CosyCopies *k = c->copy + process;
    return position < k->active
               ? v[k->first + position * c->model->copies[process].states + own]
               : R(0.0);
}

static inline uint32_t cosy_copy_place(const Cosy *c, uint32_t process,
                                       uint32_t position, uint32_t own)
{
    const CosyCopies *k = c->copy + process;
    return position < k->active
               ? k->first + position * c->model->copies[process].states + own
               : 0;
}

/* Places in branch, those of active copies among them. */
static inline uint32_t cosy_branches(const Cosy *c)
{
    uint32_t n = c->model->branches;
    for (uint32_t p = 0; p < c->model->n_copies; p++)
        n += c->copy[p].active * c->model->copies[p].branches;
    return n;
}

/* Whether SUM, COUNT and FOR ... IN count it: it is neither asleep nor about to
   leave. */
static inline bool cosy_copy_counts(const Cosy *c, uint32_t process,
                                    uint32_t position)
{
    const CosyCopy *copy = cosy_copy(c, process, position);
    return !copy->leaving && !copy->sleeping;
}

/* Position of a number between two positions, or COSY_NONE. Numbers grow with
   positions there, by at least 1, so there are two bounds to begin with; where
   none is missing, they meet. */
static inline uint32_t cosy_copy_among(const Cosy *c, uint32_t process,
                                       uint32_t low, uint32_t high,
                                       uint32_t number)
{
    if (low >= high)
        return COSY_NONE;
    uint32_t first = cosy_copy(c, process, low)->number;
    uint32_t last = cosy_copy(c, process, high - 1)->number;
    if (number < first || number > last)
        return COSY_NONE;
    uint32_t end = high - 1;
    if (number - first < end - low)
        end = low + (number - first);
    if (last - number < high - 1 - low)
        low = high - 1 - (last - number);
    while (low <= end) {
        uint32_t middle = low + (end - low) / 2;
        uint32_t there = cosy_copy(c, process, middle)->number;
        if (there == number)
            return middle;
        if (there < number)
            low = middle + 1;
        else if (middle == low)
            break;
        else
            end = middle - 1;
    }
    return COSY_NONE;
}

/* Position of the copy with that number, or COSY_NONE: one that was never
   created, or has left. A copy that is leaving is still there. */
static inline uint32_t cosy_copy_find(const Cosy *c, uint32_t process,
                                      int64_t number)
{
    const CosyCopies *k = c->copy + process;
    if (number < 1 || number > (int64_t)k->created)
        return COSY_NONE;
    uint32_t n = (uint32_t)number;
    uint32_t at = cosy_copy_among(c, process, 0, k->active, n);
    if (at == COSY_NONE && k->count > k->active) {
        at = cosy_copy_among(c, process, k->active, k->settled, n);
        if (at == COSY_NONE)
            at = cosy_copy_among(c, process, k->settled, k->count, n);
    }
    return at;
}

/* Position of the copy with that number; refused if there is none. `who` is the
   transaction that asks, or COSY_NONE. */
static inline CosyStatus cosy_copy_at(Cosy *c, uint32_t process, int64_t number,
                                      uint32_t who, uint32_t *position)
{
    *position = cosy_copy_find(c, process, number);
    if (COSY_RARELY(*position == COSY_NONE))
        return c->host->refuse(c, COSY_NO_COPY, process, who, (real)number);
    return COSY_OK;
}

/* EXISTS(P[n]): it has been created, and is neither gone nor about to leave. */
static inline bool cosy_copy_exists(const Cosy *c, uint32_t process,
                                    int64_t number)
{
    uint32_t at = cosy_copy_find(c, process, number);
    return at != COSY_NONE && !cosy_copy(c, process, at)->leaving;
}

/* How deep INITIAL sections may create copies one inside the other: the stack is
   limited. */
#define COSY_COPIES_DEEP 1000

/* CREATE P[n]: 0 takes the next number. */
static inline CosyStatus cosy_copy_create(Cosy *c, uint32_t process,
                                          int64_t number, uint32_t who,
                                          uint32_t *position)
{
    if (COSY_RARELY(number < 0 || number >= (int64_t)COSY_NONE))
        return c->host->refuse(c, COSY_COPY_USED, process, who, (real)number);
    if (COSY_RARELY(c->copy[process].nested >= COSY_COPIES_DEEP))
        return c->host->refuse(c, COSY_COPY_DEEP, process, who,
                               (real)COSY_COPIES_DEEP);
    return c->host->create(c, process, (uint32_t)number, position);
}

/* The present body has set a mark on a copy. */
static inline void cosy_copy_mark(Cosy *c, uint32_t process, uint32_t position)
{
    CosyCopies *k = c->copy + process;
    COSY_ASSERT(position < k->count && k->low <= k->high);
    if (k->high == 0 || position < k->low)
        k->low = position;
    if (position >= k->high)
        k->high = position + 1;
}

/* Position of a copy that the present body is to mark: one that is about to leave
   cannot be deleted again, nor sleep or wake up. */
static inline CosyStatus cosy_copy_stays(Cosy *c, uint32_t process,
                                         int64_t number, uint32_t who,
                                         uint32_t *position)
{
    COSY_TRY(cosy_copy_at(c, process, number, who, position));
    if (COSY_RARELY(cosy_copy(c, process, *position)->leaving))
        return c->host->refuse(c, COSY_COPY_LEAVES, process, who, (real)number);
    cosy_copy_mark(c, process, *position);
    return COSY_OK;
}

/* DELETE P[n]. */
static inline CosyStatus cosy_copy_delete(Cosy *c, uint32_t process,
                                          int64_t number, uint32_t who)
{
    uint32_t at;
    COSY_TRY(cosy_copy_stays(c, process, number, who, &at));
    cosy_copy(c, process, at)->leaving = 1;
    return COSY_OK;
}

/* SUSPEND P[n]: nothing happens to a copy that sleeps. */
static inline CosyStatus cosy_copy_suspend(Cosy *c, uint32_t process,
                                           int64_t number, uint32_t who)
{
    uint32_t at;
    COSY_TRY(cosy_copy_stays(c, process, number, who, &at));
    cosy_copy(c, process, at)->sleeping = 1;
    return COSY_OK;
}

/* RESUME P[n]: nothing happens to a copy that is awake. */
static inline CosyStatus cosy_copy_resume(Cosy *c, uint32_t process,
                                          int64_t number, uint32_t who)
{
    uint32_t at;
    COSY_TRY(cosy_copy_stays(c, process, number, who, &at));
    cosy_copy(c, process, at)->sleeping = 0;
    return COSY_OK;
}

/* Entries of the process file but for that of the process itself: a copy has
   left it when its TERMINAL section is over. */
static inline int64_t cosy_copy_entries(const Cosy *c, uint32_t process)
{
    const CosyCopies *k = c->copy + process;
    int64_t n = k->count;
    for (uint32_t at = k->low; at < k->high; at++)
        n -= cosy_copy(c, process, at)->ended;
    return n;
}

/* COUNT(P): active copies, as the present body sees them. */
static inline int64_t cosy_copy_count(const Cosy *c, uint32_t process)
{
    const CosyCopies *k = c->copy + process;
    int64_t n = (int64_t)k->active + (k->count - k->settled);
    for (uint32_t at = k->low; at < k->high; at++)
        n += cosy_copy_counts(c, process, at) -
             (at < k->active || at >= k->settled);
    return n;
}

#endif
