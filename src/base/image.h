#ifndef COSY_BASE_IMAGE_H
#define COSY_BASE_IMAGE_H

/* A snapshot is a list of named pieces of memory without pointers. Whoever owns
   memory that must be saved with a run adds it to the image once, when it is
   allocated; saving and loading walk the list, so nothing can be saved in one
   order and loaded in another.

   A fixed piece never changes its size. A growing one is a Vector: its used
   bytes are saved, and loading makes it as long as it was. Loading into an
   image whose names or fixed sizes differ fails with STATUS_IMAGE and changes
   nothing. */

#include "base/arena.h"
#include "base/status.h"

typedef struct ImagePiece {
    const char *name;
    void *fixed; // or NULL
    size_t size;
    Vector *vector; // or NULL
} ImagePiece;

typedef struct Image {
    ImagePiece *piece; // from the arena given to image_add*
    size_t count, room;
} Image;

Status image_add(Image *i, Arena *a, const char *name, void *fixed,
                 size_t size);
Status image_add_vector(Image *i, Arena *a, const char *name, Vector *v);

/* `stamp` says what the image belongs to (model hash, precision, version); a
   file with another stamp is refused. Saving is atomic: temporary name, sync,
   rename. */
Status image_save(const Image *i, const char *path, const char *stamp,
                  Fault *f);
Status image_load(Image *i, const char *path, const char *stamp, Fault *f);

#endif
