#ifndef COSY_STATS_FOLLOW_H
#define COSY_STATS_FOLLOW_H

/* Observations of COLLECT that are looked at one by one: those of which QUANTILES
   are asked, and in a pilot run the one from which CLEAR AUTO finds the warm-up.
   Models that ask for neither pay nothing: cosy_collect calls the host only
   where CosyCollect.followed is set.

       follow_create   with the run
       follow_settle   once its instance knows what is observed
       follow_take     host->collected
       follow_clear    CLEAR
       follow_free

   The course of a pilot run consists of means of FOLLOW_SIZE observations each,
   with the time of the first. When there are FOLLOW_MOST of them, neighbours are
   joined, so memory is bounded; runs of up to FOLLOW_SIZE * FOLLOW_MOST
   observations have means of exactly FOLLOW_SIZE. */

#include "base/image.h"
#include "base/status.h"
#include "cosy/model.h"
#include "stats/sketch.h"

#define Follow          COSY_NAME(Follow)
#define FollowMean      COSY_NAME(FollowMean)
#define follow_create   COSY_NAME(follow_create)
#define follow_settle   COSY_NAME(follow_settle)
#define follow_take     COSY_NAME(follow_take)
#define follow_clear    COSY_NAME(follow_clear)
#define follow_quantile COSY_NAME(follow_quantile)
#define follow_free     COSY_NAME(follow_free)
#define follow_shares   COSY_NAME(follow_shares)

#define FOLLOW_SIZE 5
#define FOLLOW_MOST 32768

enum { FOLLOW_SHARES = 5 };

/* Per cent: the quantiles that are shown. */
extern const uint32_t follow_shares[FOLLOW_SHARES];

typedef struct FollowMean {
    real mean, from; // time of the first observation
} FollowMean;

typedef struct Follow {
    Vector heads;   // SketchHead, one for each COLLECT
    Vector octaves; // of all sketches
    uint32_t warm;  // COLLECT whose course is kept, or COSY_NONE
    uint64_t size;  // observations of a mean
    uint64_t taken; // observations of the mean that is being filled
    real sum, from; // of these
    Vector means;   // FollowMean
} Follow;

Status follow_create(Follow *f, const CosyModel *m, Arena *a, Image *image);
/* `warm`: the COLLECT whose course is kept, or COSY_NONE. */
void follow_settle(Follow *f, Cosy *c, uint32_t warm);
bool follow_take(Follow *f, const Cosy *c, uint32_t collect, real value);
void follow_clear(Follow *f);
/* A quantile of a COLLECT QUANTILES; NaN: nothing was observed. */
real follow_quantile(const Follow *f, uint32_t collect, uint32_t per_cent);
void follow_free(Follow *f);

static inline const SketchHead *follow_sketch(const Follow *f, uint32_t collect)
{
    return (const SketchHead *)(const void *)f->heads.bytes + collect;
}

#endif
