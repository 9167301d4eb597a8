#include "stats/sketch.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* The upper 12 bits of a double are its key, the next 7 its cell. */
enum { KEY_SHIFT = 52, CELL_SHIFT = 45, KEY_SIGN = 0x800, KEYS = 0x1000 };

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static SketchOctave *octave_at(const Vector *octaves, uint32_t number)
{
    assert(number > 0 && number * sizeof(SketchOctave) <= octaves->used);
    return (SketchOctave *)(void *)octaves->bytes + (number - 1);
}

/* The octave with that key, which is made if there is none. */
static SketchOctave *find_far(SketchHead *h, Vector *octaves, uint32_t key)
{
    for (uint32_t k = h->octave; k > 0;) {
        SketchOctave *o = octave_at(octaves, k);
        h->near[key % SKETCH_NEAR] = k;
        if (o->key == key)
            return o;
        k = o->next;
    }
    if (!vector_append(octaves, NULL, sizeof(SketchOctave)))
        return NULL;
    uint32_t number = (uint32_t)(octaves->used / sizeof(SketchOctave));
    SketchOctave *o = octave_at(octaves, number);
    *o = (SketchOctave){.key = key, .next = h->octave};
    h->octave = h->near[key % SKETCH_NEAR] = number;
    return o;
}

static SketchOctave *find(SketchHead *h, Vector *octaves, uint32_t key)
{
    uint32_t k = h->near[key % SKETCH_NEAR];
    if (k > 0 && octave_at(octaves, k)->key == key)
        return octave_at(octaves, k);
    return find_far(h, octaves, key);
}

static void take_ends(SketchHead *h, double low, double high)
{
    h->min = h->n == 0 || low < h->min ? low : h->min;
    h->max = h->n == 0 || high > h->max ? high : h->max;
}

bool sketch_add(SketchHead *h, Vector *octaves, double value)
{
    value = fmax(fmin(value, DBL_MAX), -DBL_MAX);
    if (fabs(value) < DBL_MIN)
        value = 0.0;
    uint64_t bits = bits_of(value);
    SketchOctave *o = find(h, octaves, (uint32_t)(bits >> KEY_SHIFT));
    if (!o)
        return false;
    o->count[bits >> CELL_SHIFT & (SKETCH_CELLS - 1)]++;
    take_ends(h, value, value);
    h->broken |= floor(value) != value;
    h->n++;
    return true;
}

bool sketch_merge(SketchHead *to, Vector *octaves, const SketchHead *from,
                  const Vector *others)
{
    for (uint32_t k = from->octave; k > 0;) {
        const SketchOctave *o = octave_at(others, k);
        SketchOctave *own = find(to, octaves, o->key);
        if (!own)
            return false;
        for (uint32_t i = 0; i < SKETCH_CELLS; i++)
            own->count[i] += o->count[i];
        k = o->next;
    }
    if (from->n > 0)
        take_ends(to, from->min, from->max);
    to->broken |= from->broken;
    to->n += from->n;
    return true;
}

/* The octave whose values come next after those of the place before, in the
   order of their values; NULL: there is none. */
static const SketchOctave *next_octave(const SketchHead *h,
                                       const Vector *octaves, int32_t *place)
{
    const SketchOctave *best = NULL;
    int32_t least = KEYS;
    for (uint32_t k = h->octave; k > 0;) {
        const SketchOctave *o = octave_at(octaves, k);
        int32_t own = (int32_t)(o->key & (KEY_SIGN - 1));
        own = o->key & KEY_SIGN ? -own : own;
        if (own > *place && own < least) {
            least = own;
            best = o;
        }
        k = o->next;
    }
    *place = least;
    return best;
}

/* The value at a share `part` of a cell, from its lower end. */
static double inside(const SketchHead *h, const SketchOctave *o, uint32_t cell,
                     double part)
{
    bool negative = o->key & KEY_SIGN;
    uint64_t bits = (uint64_t)(o->key & (KEY_SIGN - 1)) << KEY_SHIFT |
                    (uint64_t)cell << CELL_SHIFT;
    double low = from_bits(bits);
    double width = bits ? from_bits(bits + (1ull << CELL_SHIFT)) - low : 0.0;
    width = width <= DBL_MAX ? width : 0.0;
    double value = negative ? -low - width * (1.0 - part) : low + width * part;
    if (!h->broken)
        value = negative ? ceil(value) : floor(value);
    return fmax(fmin(value, h->max), h->min);
}

double sketch_quantile(const SketchHead *h, const Vector *octaves, double share)
{
    uint64_t sum = 0, rank = (uint64_t)ceil(share * (double)h->n);
    int32_t place = -KEYS;
    assert(share > 0.0 && share <= 1.0);
    rank = rank < 1 ? 1 : rank > h->n ? h->n : rank;
    for (const SketchOctave *o; (o = next_octave(h, octaves, &place));)
        for (uint32_t k = 0; k < SKETCH_CELLS; k++) {
            uint32_t cell = o->key & KEY_SIGN ? SKETCH_CELLS - 1 - k : k;
            uint64_t n = o->count[cell];
            if (sum + n >= rank)
                return inside(h, o, cell,
                              ((double)(rank - sum) - 0.5) / (double)n);
            sum += n;
        }
    return (double)NAN;
}
