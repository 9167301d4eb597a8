#include "study/experiment.h"

#include "events/calendar.h"
#include "events/stream.h"
#include "run/copies.h"
#include "solve/block.h"
#include "study/found.h"
#include "study/search.h"

/* The services that a model may call, put together from the folders that do
   the work. */

static CosyStatus grow(Cosy *c, CosySegment segment)
{
    if (segment == COSY_SEGMENT_HEAP && calendar_compact(c))
        return COSY_OK;
    return instance_grow(c, segment);
}

static CosyStatus solve(Cosy *c, const CosyBlock *b, real t, const real *x,
                        const void *point, real *u)
{
    return block_solve_with(c, b, t, x, point, u, &((Instance *)c)->blocks);
}

static Outlet *outlet(const Cosy *c)
{
    const Owner *o = c->run;
    return o->outlet;
}

static void write(Cosy *c, const char *text, size_t length)
{
    outlet_write(outlet(c), text, length);
}

static void message(Cosy *c, CosySeverity severity, uint32_t line,
                    const char *text)
{
    outlet_message(outlet(c), severity, line, text);
}

static CosyStatus print(Cosy *c, const CosyItem *item, uint32_t n, bool end)
{
    outlet_items(outlet(c), item, n, end);
    return COSY_OK;
}

static CosyStatus format(Cosy *c, const char *as, const CosyItem *item,
                         uint32_t n)
{
    outlet_fortran(outlet(c), as, item, n);
    return COSY_OK;
}

static void trace(Cosy *c, uint32_t row, uint32_t transaction,
                  CosyStatus status)
{
    const Owner *o = c->run;
    if (o->tracer)
        trace_statement(o->tracer, c, row, transaction, status);
}

static CosyStatus turn(Cosy *c)
{
    const Owner *o = c->run;
    return o->may_turn(o->user, c) ? COSY_OK
                                   : COSY_FAIL(COSY_STOPPED, COSY_NOWHERE);
}

static CosyStatus collected(Cosy *c, uint32_t k, real value)
{
    const Owner *o = c->run;
    return follow_take(o->follow, c, k, value)
               ? COSY_OK
               : COSY_FAIL(COSY_NO_MEMORY, COSY_NOWHERE);
}

const CosyHost host_table = {
    .grow = grow,
    .refill = stream_refill,
    .cancel = calendar_cancel,
    .refuse = instance_refuse,
    .create = copies_new,
    .solve = solve,
    .delayed = instance_delayed,
    .delayed_rate = instance_delayed_rate,
    .write = write,
    .message = message,
    .print = print,
    .format = format,
    .save = experiment_save,
    .crossplot = experiment_cross,
    .constant = experiment_constant,
    .frame = experiment_frame,
    .list = experiment_list,
    .element = experiment_element,
    .transaction = instance_transaction,
    .trace = trace,
    .span = experiment_span,
    .randomgen = experiment_random,
    .condition = experiment_condition,
    .observe = experiment_observe,
    .collected = collected,
    .turn = turn,
    .simulate = experiment_simulate,
    .search = search_go,
    .found = found_ask,
    .uncertain = sampling_set,
};
