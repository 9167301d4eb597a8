#ifndef COSY_SOLVE_LINEAR_H
#define COSY_SOLVE_LINEAR_H

/* Systems A y = b that implicit methods solve again and again with one pattern,
   real or complex (numbers then are pairs: real part, imaginary part).

   Order of calls:

       linear_create   once, from the arena of the run
       linear_shape    when n or the pattern changes. Without a pattern (NULL)
                       the matrix is full and lies by columns; with one its
                       entries lie as the pattern lists them
       linear_values   where to write the entries of A, before each factor
       linear_factor   STATUS_SINGULAR with the column (the state) to blame
       linear_solve    any number of times: b becomes y
       linear_attach   after an image was loaded

   linear_prefers_dense advises whether to pass a pattern or not. A pattern that
   is a narrow band is factored as one.

   What a saved run needs is in the image. A shape of the same size keeps the
   factors, so after a load linear_shape may be called again.

   Memory: a full matrix allocates in linear_shape only. A sparse one allocates
   in linear_factor as well when it chooses new pivots (the first time, and when
   the old ones have become bad); this is rare, and nothing else allocates. */

#include "base/arena.h"
#include "base/image.h"
#include "base/status.h"
#include "cosy/real.h"

#define Linear               COSY_NAME(Linear)
#define linear_create        COSY_NAME(linear_create)
#define linear_prefers_dense COSY_NAME(linear_prefers_dense)
#define linear_shape         COSY_NAME(linear_shape)
#define linear_values        COSY_NAME(linear_values)
#define linear_factor        COSY_NAME(linear_factor)
#define linear_solve         COSY_NAME(linear_solve)
#define linear_attach        COSY_NAME(linear_attach)
#define linear_scales        COSY_NAME(linear_scales)
#define linear_weakest       COSY_NAME(linear_weakest)
#define linear_free          COSY_NAME(linear_free)
#define vector_fit           COSY_NAME(vector_fit)
#define image_name           COSY_NAME(image_name)

typedef struct Linear Linear;

/* NULL if there is no memory. `image` may be NULL. */
Linear *linear_create(Arena *a, Image *image, const char *name, bool complex);
bool linear_prefers_dense(uint32_t n, size_t entries);
Status linear_shape(Linear *l, uint32_t n, const uint32_t *start,
                    const uint32_t *row);
real *linear_values(Linear *l);
Status linear_factor(Linear *l, uint32_t *column);
Status linear_solve(Linear *l, real *b);
void linear_attach(Linear *l);
/* Whether the factors of a sparse matrix are those of its rows in proportion to
   their largest entries. If not, rows of very different sizes are the caller's
   business. */
bool linear_scales(const Linear *l);
/* The smallest pivot of a sparse real matrix, each divided by the size of its
   column (NULL: by 1), and that column. */
real linear_weakest(const Linear *l, const real *size, uint32_t *column);
void linear_free(Linear *l);

/* Makes a vector exactly `size` bytes long; what it had is kept, the rest is
   zero. Even for size 0 bytes is not NULL. */
bool vector_fit(Vector *v, size_t size);
/* Adds a vector under "name.part"; does nothing without an image. */
Status image_name(Image *image, Arena *a, const char *name, const char *part,
                  Vector *v);

#endif
