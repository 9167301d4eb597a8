#ifndef COSY_STUDY_PARCEL_H
#define COSY_STUDY_PARCEL_H

/* What an element of a series has left, as bytes: to be kept in a journal, to be read
   by another process, on another machine of the same kind. Packing and unpacking give
   the same Element, so whoever gathers it notices no difference. Files of its runs are
   not in it: they lie beside the journal.

   Pictures of LINEARIZE and digests of --verify do not travel: parcel_can tells. */

#include "study/series.h"

#define parcel_can    COSY_NAME(parcel_can)
#define parcel_pack   COSY_NAME(parcel_pack)
#define parcel_unpack COSY_NAME(parcel_unpack)
#define parcel_runs   COSY_NAME(parcel_runs)

bool parcel_can(const Element *el);
/* Appends it to b, whose `broken` tells that there was no memory. */
void parcel_pack(Buffer *b, const Element *el);
/* Fills an element that has been opened. False: it is not the same element, or the
   bytes are not those of a parcel, or there is no memory. */
bool parcel_unpack(Element *el, const unsigned char *bytes, size_t n);
/* The runs of an element that has been packed; false: it is none. */
bool parcel_runs(const unsigned char *bytes, size_t n, uint32_t *number,
                 uint32_t *runs);

#endif
