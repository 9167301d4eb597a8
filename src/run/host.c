#include "run/experiment.h"

#include "events/calendar.h"
#include "events/refusal.h"
#include "events/stream.h"
#include "solve/block.h"

/* The services that a model may call, put together from the folders that do
   the work. */

static CosyStatus grow(Cosy *c, CosySegment segment)
{
    if (segment == COSY_SEGMENT_HEAP && calendar_compact(c))
        return COSY_OK;
    return instance_grow(c, segment);
}

static CosyStatus solve(Cosy *c, const CosyBlock *b, real t, const real *x,
                        real *u)
{
    return block_solve_with(c, b, t, x, u, &((Instance *)c)->block);
}

static CosyStatus delayed(Cosy *c, uint32_t memory, real t, real *value)
{
    (void)t;
    (void)value;
    c->host->message(c, COSY_ERROR, c->model->memories[memory].line,
                     "delays are not kept by this kernel");
    return COSY_FAIL(COSY_REFUSED, 0);
}

static void write(Cosy *c, const char *text, size_t length)
{
    experiment_write(c->run, text, length);
}

static void message(Cosy *c, CosySeverity severity, uint32_t line,
                    const char *text)
{
    experiment_message(c->run, severity, line, text);
}

const CosyHost host_table = {
    .grow = grow,
    .refill = stream_refill,
    .cancel = calendar_cancel,
    .refuse = refusal_tell,
    .create = instance_copy_new,
    .solve = solve,
    .delayed = delayed,
    .write = write,
    .message = message,
    .simulate = experiment_simulate,
};
