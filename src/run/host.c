#include "run/experiment.h"

#include <string.h>

#include "events/calendar.h"
#include "events/refusal.h"
#include "events/stream.h"
#include "solve/block.h"
#include "stats/number.h"

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
    return block_solve_with(c, b, t, x, point, u, &((Instance *)c)->block);
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

static CosyStatus print(Cosy *c, const CosyItem *item, uint32_t n, bool end)
{
    Buffer b = {0};
    for (uint32_t k = 0; k < n; k++)
        switch (item[k].type) {
        case COSY_ITEM_REAL: number_text(&b, item[k].r); break;
        case COSY_ITEM_INTEGER:
            buffer_format(&b, "%lld", (long long)item[k].i);
            break;
        case COSY_ITEM_BOOLEAN:
            buffer_format(&b, "%s", item[k].i ? "TRUE" : "FALSE");
            break;
        case COSY_ITEM_TEXT: buffer_format(&b, "%s", item[k].text); break;
        }
    if (end)
        buffer_format(&b, "\n");
    const char *text = buffer_string(&b);
    c->host->write(c, text, strlen(text));
    buffer_free(&b);
    return COSY_OK;
}

static CosyStatus not_yet(Cosy *c, const char *text)
{
    c->host->message(c, COSY_ERROR, 0, text);
    return COSY_FAIL(COSY_REFUSED, COSY_NOWHERE);
}

static CosyStatus format(Cosy *c, const char *as, const CosyItem *item,
                         uint32_t n)
{
    (void)as;
    (void)item;
    (void)n;
    return not_yet(c, "this kernel does not know FORMAT: use WRITE");
}

static CosyStatus save(Cosy *c)
{
    return not_yet(c, "this kernel does not know SAVE");
}

static CosyStatus crossplot(Cosy *c)
{
    return not_yet(c, "this kernel does not know CROSSPLOT");
}

const CosyHost host_table = {
    .grow = grow,
    .refill = stream_refill,
    .cancel = calendar_cancel,
    .refuse = refusal_tell,
    .create = instance_copy_new,
    .solve = solve,
    .delayed = instance_delayed,
    .delayed_rate = instance_delayed_rate,
    .write = write,
    .message = message,
    .print = print,
    .format = format,
    .save = save,
    .crossplot = crossplot,
    .constant = experiment_constant,
    .frame = experiment_frame,
    .list = experiment_list,
    .element = experiment_element,
    .simulate = experiment_simulate,
};
