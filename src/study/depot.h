#ifndef COSY_STUDY_DEPOT_H
#define COSY_STUDY_DEPOT_H

/* What has been computed of a study already, by this process, by one that was killed,
   or by others that work on the same study. A part is a folder with a journal of
   parcels (parcel.h, base/journal.h) and the files of their runs. The own part of a
   process is the stage of its results.

       depot_open     the own part: what this process computes goes there
       depot_add      reads another part
       depot_renew    reads what others have appended meanwhile
       depot_find     the parcel of an element, if anybody has computed it; the files
                      of its runs are then in the own stage too
       depot_put      an element that has been computed here
       depot_close

   Elements are known by the number of their SIMULATE in the experiment and their
   number in it. Both are the same in every process that carries out the same
   experiment; parts whose stamp differs are not read. */

#include "base/journal.h"
#include "study/series.h"

#define depot_open    COSY_NAME(depot_open)
#define depot_add     COSY_NAME(depot_add)
#define depot_renew   COSY_NAME(depot_renew)
#define depot_find    COSY_NAME(depot_find)
#define depot_has     COSY_NAME(depot_has)
#define depot_put     COSY_NAME(depot_put)
#define depot_join    COSY_NAME(depot_join)
#define depot_reserve COSY_NAME(depot_reserve)
#define depot_adopt   COSY_NAME(depot_adopt)
#define depot_count   COSY_NAME(depot_count)
#define depot_drop    COSY_NAME(depot_drop)
#define depot_flush   COSY_NAME(depot_flush)
#define depot_folder  COSY_NAME(depot_folder)
#define depot_close   COSY_NAME(depot_close)

#define DEPOT_JOURNAL STAGE_KEPT
/* Beginning of the names of images of runs (snapshot.h). */
#define SNAPSHOT_FILE "snapshot-"

struct Depot {
    const char *stamp;
    Journal own;   // made when the first element is kept
    Buffer folder; // of the own part
    Vector parts;  // of other parts: DepotPart
    Vector series; // per SIMULATE a Vector of DepotPlace, by element
    pthread_mutex_t lock;
    pthread_cond_t written; // no thread writes to the own journal any more
};

/* `folder` is the own part. */
Status depot_open(Depot *d, const char *folder, const char *stamp, Fault *f);
/* *matches: its stamp is that of this study, or not written yet. */
Status depot_add(Depot *d, const char *folder, bool *matches, Fault *f);
Status depot_renew(Depot *d, Fault *f);
/* The same as depot_add while other threads look for elements; there must be room, which
   depot_reserve makes. */
Status depot_join(Depot *d, const char *folder, bool *matches, Fault *f);
bool depot_reserve(Depot *d, uint32_t parts);
bool depot_has(Depot *d, uint32_t series, uint32_t element);
/* Fills an element that has been opened; false: it is not there. */
bool depot_find(Depot *d, uint32_t series, uint32_t k, Element *el);
/* What has been put is on the disk. */
Status depot_flush(Depot *d, Fault *f);
Status depot_put(Depot *d, uint32_t series, uint32_t k, const Element *el,
                 Fault *f);
/* The folder of another part, from 1; NULL after the last. */
const char *depot_folder(const Depot *d, uint32_t number);
/* What other parts have is copied into the own one, which takes their place. */
Status depot_adopt(Depot *d, Fault *f);
/* Elements that other parts have. */
uint64_t depot_count(const Depot *d);
/* Its own journal is removed, since the results have all of it. */
void depot_drop(Depot *d);
void depot_close(Depot *d);

#endif
