#ifndef COSY_OBSERVE_H
#define COSY_OBSERVE_H

/* Random streams and observations (included after cosy/file.h): COLLECT,
   TIMEPERS, HISTOGRAM, and the means of resources, files and processes. */

/* ---- Random streams -------------------------------------------------------- */

/* The next value of a stream. Parameters are checked when the run starts; a
   failure here requests the end of everything and yields NaN. */
static inline real cosy_draw(Cosy *c, uint32_t stream)
{
    CosyStream *s = c->stream + stream;
    if (COSY_RARELY(s->at == COSY_BATCH)) {
        if (c->host->refill(c, stream) != COSY_OK) {
            c->head->request = COSY_STOP_ALL;
            return R(0.0) / (c->head->t - c->head->t);
        }
        s = c->stream + stream;
    }
    return (real)s->shift + (real)s->scale * (real)s->batch[s->at++];
}

/* The same in a statement, which is refused if there is nothing to draw
   from. */
static inline CosyStatus cosy_draw_to(Cosy *c, uint32_t stream, real *value)
{
    CosyStream *s = c->stream + stream;
    if (COSY_RARELY(s->at == COSY_BATCH)) {
        COSY_TRY(c->host->refill(c, stream));
        s = c->stream + stream;
    }
    *value = (real)s->shift + (real)s->scale * (real)s->batch[s->at++];
    return COSY_OK;
}

/* ---- Statistics -------------------------------------------------------------- */

/* Called when a batch is full, or with every value if the host follows them. */
COSY_APART CosyStatus cosy_collect_batch(Cosy *c, uint32_t k, real value)
{
    CosyCollect *s = c->collect + k;
    if (s->followed) {
        COSY_TRY(c->host->collected(c, k, value));
        s->left = 1;
        if (--s->rest > 0)
            return COSY_OK;
    }
    s->batch[s->batches++] = s->sum / (real)s->size;
    s->sum = R(0.0);
    if (s->batches == COSY_BATCHES) {
        for (uint32_t i = 0; i < COSY_BATCHES / 2; i++)
            s->batch[i] = (s->batch[2 * i] + s->batch[2 * i + 1]) / R(2.0);
        s->batches = COSY_BATCHES / 2;
        s->size *= 2;
    }
    s->rest = s->size;
    s->left = s->followed ? 1 : s->size;
    return COSY_OK;
}

static inline CosyStatus cosy_collect(Cosy *c, uint32_t k, real value)
{
    CosyCollect *s = c->collect + k;
    if (COSY_RARELY(!cosy_finite(value)))
        return c->host->refuse(c, COSY_BAD_COLLECT, k, COSY_NONE, value);
    real off = value - s->mean;
    s->n++;
    s->mean += off / (real)s->n;
    s->square += off * (value - s->mean);
    if (s->n == 1 || value < s->min)
        s->min = value;
    if (s->n == 1 || value > s->max)
        s->max = value;
    s->sum += value;
    if (COSY_RARELY(--s->left == 0))
        return cosy_collect_batch(c, k, value);
    return COSY_OK;
}

/* Sets the value at the start of a run. */
static inline void cosy_timepers_begin(Cosy *c, uint32_t k, real value)
{
    CosyTimepers *s = c->timepers + k;
    s->value = s->min = s->max = value;
}

static inline CosyStatus cosy_timepers(Cosy *c, uint32_t k, real value)
{
    CosyTimepers *s = c->timepers + k;
    if (COSY_RARELY(!cosy_finite(value)))
        return c->host->refuse(c, COSY_BAD_TIMEPERS, k, COSY_NONE, value);
    real area = s->value * (c->head->t - s->since);
    s->area += area;
    s->square += area * s->value;
    s->since = c->head->t;
    s->value = value;
    s->min = cosy_min(s->min, value);
    s->max = cosy_max(s->max, value);
    return COSY_OK;
}

static inline void cosy_histogram_count(CosyHistogram *s, real value)
{
    real cells = (value - s->first) / s->width;
    uint32_t cell = 0;
    if (cells > (real)s->cells)
        cell = s->cells + 1;
    else if (cells > R(0.0))
        cell = (uint32_t)cells + 1;
    // the quotient is rounded: the limits decide
    while (cell > 0 && value <= s->first + (real)(cell - 1) * s->width)
        cell--;
    while (cell <= s->cells && value > s->first + (real)cell * s->width)
        cell++;
    s->count[cell]++;
}

/* The smallest of 1, 2 or 5 times a power of ten that is not below `width`. */
static inline real cosy_round_width(real width)
{
    real power = cosy_pow(R(10.0), cosy_floor(cosy_log10(width)));
    if (width <= power)
        return power;
    if (width <= R(2.0) * power)
        return R(2.0) * power;
    return width <= R(5.0) * power ? R(5.0) * power : R(10.0) * power;
}

/* Derives the open limits from the observations kept, and counts these. */
COSY_APART void cosy_histogram_settle(CosyHistogram *s)
{
    real low = s->kept[0], high = low;
    for (uint32_t k = 1; k < s->early; k++) {
        low = cosy_min(low, s->kept[k]);
        high = cosy_max(high, s->kept[k]);
    }
    if (s->open & COSY_OPEN_WIDTH) {
        real span = high - (s->open & COSY_OPEN_FIRST ? low : s->first);
        real least = cosy_max(cosy_abs(high), cosy_abs(low)) * R(1e-9);
        span = cosy_max(span, cosy_max(least, COSY_REAL_MIN * R(1e6)));
        s->width = cosy_round_width(span / (real)s->cells);
    } else {
        s->width = s->wide;
    }
    if (s->open & COSY_OPEN_FIRST) {
        s->first = cosy_floor(low / s->width) * s->width;
        if (s->first + (real)s->cells * s->width < high &&
            s->open & COSY_OPEN_WIDTH) {
            s->width = cosy_round_width(s->width * R(1.5));
            s->first = cosy_floor(low / s->width) * s->width;
        }
    }
    for (uint32_t k = 0; k < s->early; k++)
        cosy_histogram_count(s, s->kept[k]);
    s->early = 0;
    if (!(s->open & COSY_OPEN_WIDTH))
        s->open = 0;
}

/* Doubles the width of the cells, which then reach farther up, or down. The
   first cell is empty except for values on its limit. */
COSY_APART void cosy_histogram_widen(CosyHistogram *s, bool down)
{
    uint64_t old[COSY_CELLS + 2] = {0};
    for (uint32_t k = 0; k < s->cells + 2; k++)
        old[k] = s->count[k];
    for (uint32_t k = 1; k <= s->cells; k++) {
        uint32_t low = 2 * k - 1;
        if (down) {
            s->count[k] = low + 1 < s->cells ? 0 : old[low + 1 - s->cells];
            if (low >= s->cells)
                s->count[k] += old[low - s->cells];
        } else {
            s->count[k] = low > s->cells ? 0 : old[low] + old[low + 1];
        }
    }
    s->count[s->cells + 1] = 0;
    if (down) {
        s->count[0] = 0;
        s->first -= (real)s->cells * s->width;
    }
    s->width *= R(2.0);
}

/* Takes a value into a histogram with open limits; true: the caller counts it
   now. */
COSY_APART bool cosy_histogram_open(CosyHistogram *s, real value)
{
    if (s->width == R(0.0)) {
        s->kept[s->early++] = value;
        if (s->early == COSY_EARLY)
            cosy_histogram_settle(s);
        return false;
    }
    while (value > s->first + (real)s->cells * s->width &&
           s->width < COSY_REAL_MAX / R(1e6))
        cosy_histogram_widen(s, false);
    while (s->open & COSY_OPEN_FIRST && value < s->first &&
           s->width < COSY_REAL_MAX / R(1e6))
        cosy_histogram_widen(s, true);
    return true;
}

static inline CosyStatus cosy_histogram(Cosy *c, uint32_t k, real value)
{
    CosyHistogram *s = c->histogram + k;
    if (COSY_RARELY(!cosy_finite(value)))
        return c->host->refuse(c, COSY_BAD_HISTOGRAM, k, COSY_NONE, value);
    if (COSY_RARELY(s->open) && !cosy_histogram_open(s, value))
        return COSY_OK;
    cosy_histogram_count(s, value);
    return COSY_OK;
}

/* Means up to the present; 0 before time has passed. */

static inline real cosy_mean_over(real area, real span)
{
    return span > R(0.0) ? area / span : R(0.0);
}

/* Standard deviation of a COLLECT, divisor n - 1. */
static inline real cosy_collect_sd(const CosyCollect *s)
{
    return s->n > 1 ? cosy_sqrt(s->square / (real)(s->n - 1)) : R(0.0);
}

static inline real cosy_timepers_mean(const Cosy *c, uint32_t k)
{
    const CosyTimepers *s = c->timepers + k;
    real area = s->area + s->value * (c->head->t - s->since);
    return cosy_mean_over(area, c->head->t - s->start);
}

static inline real cosy_timepers_sd(const Cosy *c, uint32_t k)
{
    const CosyTimepers *s = c->timepers + k;
    real mean = cosy_timepers_mean(c, k);
    real square = s->square + s->value * s->value * (c->head->t - s->since);
    square = cosy_mean_over(square, c->head->t - s->start) - mean * mean;
    return square > R(0.0) ? cosy_sqrt(square) : R(0.0);
}

/* Mean amount in use: the utilisation of a facility. */
static inline real cosy_used_mean(const Cosy *c, uint32_t k)
{
    const CosyResource *r = c->resource + k;
    real area = r->used_area + (real)r->used * (c->head->t - r->used_since);
    return cosy_mean_over(area, c->head->t - c->head->cleared);
}

/* Mean length of a resource's queue. */
static inline real cosy_waiting_mean(const Cosy *c, uint32_t k)
{
    const CosyResource *r = c->resource + k;
    real area = r->wait_area + (real)r->waiting * (c->head->t - r->wait_since);
    return cosy_mean_over(area, c->head->t - c->head->cleared);
}

/* Mean wait of the transactions that were let in or gave up, including those
   that did not have to wait. */
static inline real cosy_wait_mean(const Cosy *c, uint32_t k)
{
    const CosyResource *r = c->resource + k;
    uint64_t n = r->entries + r->gave_up;
    return n ? r->wait_sum / (real)n : R(0.0);
}

/* AVGQ of a file. */
static inline real cosy_file_mean(const Cosy *c, const CosyFile *f)
{
    real area = f->area + (real)f->count * (c->head->t - f->since);
    return cosy_mean_over(area, c->head->t - c->head->cleared);
}

/* AVGQ of a process: counts its transactions that have begun. */
static inline real cosy_population_mean(const Cosy *c, uint32_t process)
{
    real area = c->population[process].stay_sum;
    for (uint32_t id = 0; id < c->head->transaction_used; id++) {
        const CosyTransaction *tr = cosy_transaction(c, id);
        if (cosy_is_there(tr) && cosy_process(tr) == process &&
            tr->gentim < c->head->t)
            area += c->head->t - cosy_max(tr->gentim, c->head->cleared);
    }
    return cosy_mean_over(area, c->head->t - c->head->cleared);
}

/* Copies of a CONTINUOUS PROCESS on average; AVGQ counts one more, the process
   itself. */
static inline real cosy_copy_mean(const Cosy *c, uint32_t process)
{
    const CosyCopies *k = c->copy + process;
    real area = k->area + (real)k->count * (c->head->t - k->since);
    return cosy_mean_over(area, c->head->t - c->head->cleared);
}

#endif
