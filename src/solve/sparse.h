#ifndef COSY_SOLVE_SPARSE_H
#define COSY_SOLVE_SPARSE_H

/* Sparse LU by columns, through one table; called only by linear.c.

   Three kinds: `sparse_band` for narrow bands, if band_prefers says so;
   `sparse_klu` (SuiteSparse KLU, double only) and `sparse_own` (left-looking,
   any precision) for everything else. The last two have a full factorisation,
   which chooses pivots, and a cheaper one that keeps the pivots of the last
   full one as long as they are healthy. Real or complex (pairs) is decided at
   create.

   The numbers that a saved run needs lie in Vectors of the image. */

#include <string.h>

#include "base/arena.h"
#include "base/image.h"
#include "base/status.h"
#include "cosy/real.h"

#define sparse_own   COSY_NAME(sparse_own)
#define sparse_klu   COSY_NAME(sparse_klu)
#define sparse_band  COSY_NAME(sparse_band)
#define band_prefers COSY_NAME(band_prefers)
#define band_width   COSY_NAME(band_width)
#define SparseKind   COSY_NAME(SparseKind)

typedef struct SparseKind {
    const char *name;
    /* NULL if there is no memory. `name` begins the names in the image. */
    void *(*create)(Arena *a, Image *image, const char *name, bool complex);
    /* The pattern has rising rows in each column; the kind reorders it. */
    Status (*shape)(void *sparse, uint32_t n, const uint32_t *start,
                    const uint32_t *row);
    /* STATUS_SINGULAR with the column to blame, or STATUS_MEMORY. */
    Status (*factor)(void *sparse, const real *value, uint32_t *column);
    /* `value` is what was factored: after a load, KLU starts from it again. */
    Status (*solve)(void *sparse, const real *value, real *b);
    /* Called after the image was loaded: what does not lie in it is out of
       date. NULL: nothing is. */
    void (*attach)(void *sparse);
    void (*free)(void *sparse);
    /* Real: the smallest pivot, each divided by the size of its column (NULL: by
       1), and that column. */
    real (*weakest)(const void *sparse, const real *size, uint32_t *column);
    bool scales; // rows are factored in proportion to their largest entries
} SparseKind;

/* One pivot more in a search for the weakest. */
static inline void sparse_weaker(real pivot, uint32_t k, const real *size,
                                 real *least, uint32_t *column)
{
    real part = size && size[k] > R(0.0) ? pivot / size[k] : pivot;
    if (part < *least) {
        *least = part;
        *column = k;
    }
}

extern const SparseKind sparse_own;
extern const SparseKind sparse_klu; // not in EXTENDED and QUAD
extern const SparseKind sparse_band;

/* Diagonals of a pattern below and above the main one. */
void band_width(uint32_t n, const uint32_t *start, const uint32_t *row,
                uint32_t *kl, uint32_t *ku);
/* True if a band has not many more places than there are entries. */
bool band_prefers(uint32_t n, const uint32_t *start, const uint32_t *row);

/* Distinguishes sequences of bytes (FNV-1a over 8 at a time); `sum` is that of
   the preceding bytes. */
static inline uint64_t sparse_sum(uint64_t sum, const void *from, size_t size)
{
    const unsigned char *bytes = from;
    for (size_t k = 0; k < size; k += sizeof sum) {
        uint64_t word = 0;
        memcpy(&word, bytes + k,
               size - k < sizeof word ? size - k : sizeof word);
        sum = (sum ^ word) * UINT64_C(0x100000001B3);
        sum ^= sum >> 29;
    }
    return sum;
}

/* The stamp of a pattern; never 0. */
static inline uint64_t sparse_stamp(uint32_t n, const uint32_t *start,
                                    const uint32_t *row)
{
    uint64_t sum = sparse_sum(UINT64_C(0xCBF29CE484222325), start,
                              ((size_t)n + 1) * sizeof *start);
    return sparse_sum(sum, row, start[n] * sizeof *row) | 1;
}

#if COSY_PRECISION == 1
#define SPARSE_DEFAULT sparse_klu
#else
#define SPARSE_DEFAULT sparse_own
#endif

#endif
