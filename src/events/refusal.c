#include "events/refusal.h"

#include "base/buffer.h"
#include "events/stream.h"

/* "transaction 17 of BARBERSHOP". */
static void say_transaction(Buffer *b, const Cosy *c, uint32_t id)
{
    const CosyTransaction *tr = cosy_transaction(c, id);
    buffer_format(b, "transaction %lu of %s", (unsigned long)tr->number,
                  c->model->processes[tr->process].name);
}

/* A facility that the transaction holds. */
static uint32_t held_by(const Cosy *c, uint32_t id)
{
    for (uint32_t k = 0; k < c->model->n_resources; k++)
        if (c->model->resources[k].kind == COSY_FACILITY &&
            c->resource[k].holder == id)
            return k;
    return COSY_NONE;
}

/* What the refusal is about: its name, and its line in the model. */
static const char *name_subject(const Cosy *c, CosyRefusal what, uint32_t k,
                                uint32_t *line)
{
    const CosyModel *m = c->model;
#define NAMED(table)                                                           \
    do {                                                                       \
        if (k >= m->n_##table)                                                 \
            return "";                                                         \
        *line = m->table[k].line;                                              \
        return m->table[k].name;                                               \
    } while (0)
    switch (what) {
    case COSY_BAD_SCHEDULE:
    case COSY_BAD_PRIORITY: NAMED(time_events);
    case COSY_BAD_GENERATE:
    case COSY_NO_TRANSACTION:
    case COSY_PROCESS_FULL: NAMED(processes);
    case COSY_SEIZES_TWICE:
    case COSY_NOT_HOLDER:
    case COSY_STILL_HOLDS:
    case COSY_BAD_ENTER:
    case COSY_BAD_LEAVE: NAMED(resources);
    case COSY_FILE_FULL:
    case COSY_NO_ENTRY:
    case COSY_BAD_RANK:
    case COSY_ENTRY_GONE: NAMED(files);
    case COSY_BAD_STREAM: NAMED(streams);
    case COSY_BAD_COLLECT: NAMED(collects);
    case COSY_BAD_TIMEPERS: NAMED(timeperss);
    case COSY_BAD_HISTOGRAM: NAMED(histograms);
    case COSY_BAD_ADVANCE:
    case COSY_BAD_SPLIT:
    case COSY_BAD_JOIN:
    case COSY_BAD_TIMEOUT:
    case COSY_NO_CURRENT: break;
    }
#undef NAMED
    return "";
}

/* What one transaction may not do. */
static void say_process(Buffer *b, CosyRefusal what, const char *name, double v)
{
    switch (what) {
    case COSY_BAD_ADVANCE:
        buffer_format(b, "ADVANCE %.15g: the delay must be a number, 0 or more",
                      v);
        break;
    case COSY_BAD_TIMEOUT:
        buffer_format(b, "TIMEOUT %.15g: it must be a number, 0 or more", v);
        break;
    case COSY_SEIZES_TWICE:
        buffer_format(b, "SEIZE %s: it holds the facility already", name);
        break;
    case COSY_STILL_HOLDS:
        buffer_format(b, "it ends and still holds %s: RELEASE it before", name);
        break;
    case COSY_BAD_ENTER:
        buffer_format(b, "ENTER %s, %.15g: from 1 to its capacity", name, v);
        break;
    case COSY_BAD_LEAVE:
        buffer_format(b, "LEAVE %s, %.15g: from 1 to what is in use", name, v);
        break;
    case COSY_BAD_SPLIT:
        buffer_format(b, "SPLIT %.15g: it makes at least 1 copy", v);
        break;
    case COSY_BAD_JOIN:
        buffer_format(b, "JOIN %.15g: it brings at least 1 together", v);
        break;
    case COSY_NO_TRANSACTION:
        buffer_format(b, "there is no transaction %.15g%s%s", v,
                      name[0] ? " of " : "", name);
        break;
    default: break;
    }
}

static void say_not_holder(Buffer *b, const Cosy *c, uint32_t f,
                           const char *name)
{
    buffer_format(b, "RELEASE %s: the facility is held by ", name);
    if (c->resource[f].holder == COSY_NONE)
        buffer_text(b, "nobody");
    else
        say_transaction(b, c, c->resource[f].holder);
}

static void say_calendar(Buffer *b, CosyRefusal what, const char *name,
                         double v)
{
    if (what == COSY_BAD_SCHEDULE)
        buffer_format(b, "SCHEDULE %s AT %.15g: events lie at TIME or later",
                      name, v);
    else if (what == COSY_BAD_GENERATE)
        buffer_format(b,
                      "GENERATE FOR %s AT %.15g: transactions begin at TIME "
                      "or later",
                      name, v);
    else
        buffer_format(b, "PRIORITY %.15g%s%s: priorities go from %d to %d", v,
                      name[0] ? " of " : "", name, -COSY_PRIORITY_MAX - 1,
                      COSY_PRIORITY_MAX);
}

static void say_room(Buffer *b, const Cosy *c, CosyRefusal what, uint32_t k,
                     const char *name, double v)
{
    if (what == COSY_PROCESS_FULL)
        buffer_format(b,
                      "GENERATE FOR %s: its file is full with %lu "
                      "transactions; declare a larger one, or none",
                      name, (unsigned long)c->population[k].count);
    else if (what == COSY_FILE_FULL)
        buffer_format(b,
                      "INSERT %s: the file is full with %.15g entries; "
                      "declare a larger one, or one without a number",
                      name, v);
    else if (what == COSY_NO_ENTRY)
        buffer_format(b, "file %s: there is no entry %.15g, it has %lu", name,
                      v, (unsigned long)c->file[k].count);
    else
        buffer_format(
            b, "file %s: the attribute it is ranked on is not a number", name);
}

static void say_entry(Buffer *b, CosyRefusal what, const char *name)
{
    if (what == COSY_ENTRY_GONE)
        buffer_format(b,
                      "file %s: the entry that WITH has opened was removed "
                      "meanwhile",
                      name);
    else
        buffer_text(b, "an attribute is used, and no entry is at hand: REMOVE "
                       "was not carried out before");
}

static void say(Buffer *b, const Cosy *c, CosyRefusal what, uint32_t which,
                const char *name, double v)
{
    switch (what) {
    case COSY_BAD_SCHEDULE:
    case COSY_BAD_GENERATE:
    case COSY_BAD_PRIORITY: say_calendar(b, what, name, v); break;
    case COSY_PROCESS_FULL:
    case COSY_FILE_FULL:
    case COSY_NO_ENTRY:
    case COSY_BAD_RANK: say_room(b, c, what, which, name, v); break;
    case COSY_ENTRY_GONE:
    case COSY_NO_CURRENT: say_entry(b, what, name); break;
    case COSY_NOT_HOLDER: say_not_holder(b, c, which, name); break;
    case COSY_BAD_STREAM:
        buffer_format(
            b, "random variable %s: %s", name,
            stream_fault(c->stream + which, c->model->streams + which));
        break;
    case COSY_BAD_COLLECT:
    case COSY_BAD_TIMEPERS:
    case COSY_BAD_HISTOGRAM:
        buffer_format(b, "%s becomes %.15g: that cannot be counted", name, v);
        break;
    default: say_process(b, what, name, v); break;
    }
}

CosyStatus refusal_tell(Cosy *c, CosyRefusal what, uint32_t which, uint32_t who,
                        real value)
{
    Buffer b = {0};
    uint32_t line = 0;
    if (what == COSY_STILL_HOLDS)
        which = held_by(c, who);
    const char *name = name_subject(c, what, which, &line);
    buffer_format(&b, "at time %.15g", (double)c->head->t);
    if (who != COSY_NONE) {
        buffer_text(&b, ", ");
        say_transaction(&b, c, who);
    }
    buffer_text(&b, ": ");
    say(&b, c, what, which, name, (double)value);
    c->host->message(c, COSY_ERROR, line,
                     b.broken ? "refused, and no memory is left to say what"
                              : buffer_string(&b));
    buffer_free(&b);
    return COSY_FAIL(COSY_REFUSED, 0);
}
