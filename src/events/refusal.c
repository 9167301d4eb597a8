#include "events/refusal.h"

#include <string.h>

#include "cosy/unit.h"
#include "events/stream.h"
#include "events/transaction.h"

CosyStatus refusal_keep(Refusal *r, CosyRefusal what, uint32_t which,
                        uint32_t who, real value)
{
    if (!r->kept)
        *r = (Refusal){true, what, which, who, value};
    return COSY_FAIL(COSY_REFUSED, COSY_NOWHERE);
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

/* Name and line of what the refusal is about. */
static const char *name_subject(const Cosy *c, const Refusal *r, uint32_t *line)
{
    const CosyModel *m = c->model;
    uint32_t k = r->what == COSY_STILL_HOLDS ? held_by(c, r->who) : r->which;
#define NAMED(table)                                                           \
    do {                                                                       \
        if (k >= m->n_##table)                                                 \
            return "";                                                         \
        *line = m->table[k].line;                                              \
        return m->table[k].name;                                               \
    } while (0)
    *line = 0;
    switch (r->what) {
    case COSY_BAD_SCHEDULE:
    case COSY_BAD_PRIORITY: NAMED(time_events);
    case COSY_BAD_GENERATE:
    case COSY_NO_TRANSACTION:
    case COSY_PROCESS_FULL: NAMED(processes);
    case COSY_SEIZES_TWICE:
    case COSY_NOT_HOLDER:
    case COSY_STILL_HOLDS:
    case COSY_BAD_ENTER:
    case COSY_BAD_JOIN:
    case COSY_BAD_LEAVE:
    case COSY_BAD_CAPACITY:
    case COSY_IS_DOWN:
    case COSY_IS_UP: NAMED(resources);
    case COSY_FILE_FULL:
    case COSY_NO_ENTRY:
    case COSY_ENTRY_GONE:
    case COSY_BAD_RANK: NAMED(files);
    case COSY_BAD_STREAM: NAMED(streams);
    case COSY_BAD_COLLECT: NAMED(collects);
    case COSY_BAD_TIMEPERS: NAMED(timepers);
    case COSY_BAD_HISTOGRAM: NAMED(histograms);
    case COSY_NO_COPY:
    case COSY_COPY_FULL:
    case COSY_COPY_LEAVES:
    case COSY_COPY_DEEP:
    case COSY_COPY_ENDLESS:
    case COSY_COPY_USED: NAMED(copies);
    case COSY_BAD_ADVANCE:
    case COSY_BAD_SPLIT:
    case COSY_NO_CURRENT:
    case COSY_BAD_TIMEOUT: break;
    }
#undef NAMED
    return "";
}

uint32_t refusal_line(const Cosy *c, const Refusal *r)
{
    uint32_t line;
    name_subject(c, r, &line);
    if (r->what == COSY_BAD_STREAM && c->stream[r->which].item != COSY_NONE)
        line = c->model->generators[c->stream[r->which].item].line;
    return line;
}

/* The statement, for use if its text is not known; "" if it may be any. */
static const char *verb_of(CosyRefusal what)
{
    switch (what) {
    case COSY_BAD_SCHEDULE: return "SCHEDULE ";
    case COSY_BAD_GENERATE:
    case COSY_PROCESS_FULL: return "GENERATE FOR ";
    case COSY_BAD_PRIORITY: return "PRIORITY";
    case COSY_BAD_ADVANCE: return "ADVANCE";
    case COSY_BAD_TIMEOUT: return "TIMEOUT";
    case COSY_SEIZES_TWICE: return "SEIZE ";
    case COSY_NOT_HOLDER: return "RELEASE ";
    case COSY_STILL_HOLDS: return "END";
    case COSY_BAD_ENTER: return "ENTER ";
    case COSY_BAD_LEAVE: return "LEAVE ";
    case COSY_BAD_CAPACITY: return "CAPACITY of ";
    case COSY_IS_DOWN: return "DOWN of ";
    case COSY_IS_UP: return "UP of ";
    case COSY_BAD_SPLIT: return "SPLIT";
    case COSY_BAD_JOIN: return "JOIN";
    case COSY_FILE_FULL: return "INSERT ";
    case COSY_COPY_FULL:
    case COSY_COPY_DEEP:
    case COSY_COPY_USED: return "CREATE ";
    default: return "";
    }
}

static void say_statement(Buffer *b, const Refusal *r, const char *name)
{
    const char *verb = verb_of(r->what);
    size_t n = strlen(verb);
    if (n == 0)
        return;
    buffer_text(b, verb);
    if (verb[n - 1] == ' ')
        buffer_text(b, name);
    buffer_text(b, ": ");
}

static void say_time(Buffer *b, const Refusal *r)
{
    bool moment = r->what == COSY_BAD_SCHEDULE || r->what == COSY_BAD_GENERATE;
    buffer_format(b, "the %s is ",
                  moment                        ? "time"
                  : r->what == COSY_BAD_ADVANCE ? "delay"
                                                : "TIMEOUT");
    if (r->value == COSY_INFINITY) {
        buffer_format(
            b, "infinite: %s",
            moment ? "what never happens is not scheduled; guard it with IF"
            : r->what == COSY_BAD_ADVANCE ? "WAIT UNTIL FALSE waits for ever"
                                          : "only TIMEOUT INF may be");
        return;
    }
    if (r->value != r->value)
        buffer_text(b, "not a number");
    else
        buffer_format(b, "%.15g", (double)r->value);
    buffer_text(
        b, moment ? ": it must be TIME or later: from now on is AT TIME + ..."
                  : ": it must be 0 or more, as MAX(0, x) is");
}

/* Returns `what` ("the facility"), or the name if the statement does not show
   which one is meant. */
static const char *call_it(const char *what, const char *name,
                           const char *statement)
{
    return statement && !strstr(statement, name) ? name : what;
}

static void say_facility(Buffer *b, const Cosy *c, const Refusal *r,
                         const char *name, const char *statement)
{
    const char *it = call_it("the facility", name, statement);
    if (r->what == COSY_SEIZES_TWICE)
        buffer_format(b, "it already holds %s", it);
    else if (r->what == COSY_STILL_HOLDS)
        buffer_format(b, "it still holds %s: RELEASE it first", name);
    else if (r->what == COSY_IS_UP)
        buffer_format(b, "%s is not out of service: DOWN comes before UP", it);
    else if (r->what == COSY_IS_DOWN &&
             c->resource[r->which].marks & COSY_FAILED)
        buffer_format(b,
                      "%s is out of service already, since %.15g: UP comes "
                      "before the next DOWN",
                      it, (double)c->resource[r->which].down_since);
    else if (r->what == COSY_IS_DOWN)
        buffer_format(b,
                      "%s goes out of service already, when its user has "
                      "finished: UP comes before the next DOWN",
                      it);
    else if (c->resource[r->which].holder == COSY_NONE)
        buffer_format(b, "nobody holds %s", it);
    else if (c->resource[r->which].holder == COSY_OUT_OF_SERVICE)
        buffer_format(b, "nobody holds %s, which is out of service", it);
    else {
        buffer_format(b, "%s is held by ", it);
        transaction_name(b, c, c->resource[r->which].holder);
    }
}

static void say_storage(Buffer *b, const Cosy *c, const Refusal *r,
                        const char *name, const char *statement)
{
    const CosyResource *s = c->resource + r->which;
    const char *it = call_it("the storage", name, statement);
    bool enters = r->what == COSY_BAD_ENTER;
    if (r->what == COSY_BAD_CAPACITY) {
        buffer_format(b, "%.15g units: it must be at least 0",
                      (double)r->value);
        return;
    }
    buffer_format(b, "%.15g unit%s: ", (double)r->value,
                  r->value == R(1.0) ? "" : "s");
    if (r->value < R(1.0))
        buffer_text(b, "it must be at least 1");
    else if (enters)
        buffer_format(b, "%s has %lld in all", it, (long long)s->capacity);
    else
        buffer_format(b, "%lld of %s are in use", (long long)s->used, it);
}

static void say_file(Buffer *b, const Cosy *c, const Refusal *r,
                     const char *name)
{
    switch (r->what) {
    case COSY_FILE_FULL:
        buffer_format(b,
                      "the file is full with %.15g entries; declare a larger "
                      "one, or one without a limit",
                      (double)r->value);
        break;
    case COSY_NO_ENTRY:
        buffer_format(b, "file %s has no entry %.15g, it has %lu", name,
                      (double)r->value, (unsigned long)c->file[r->which].count);
        break;
    case COSY_ENTRY_GONE:
        buffer_format(b,
                      "file %s: the entry that WITH has opened was removed "
                      "meanwhile",
                      name);
        break;
    case COSY_BAD_RANK:
        buffer_format(
            b, "file %s: the attribute it is ranked by is not a number", name);
        break;
    default:
        buffer_text(
            b,
            "an attribute is used, but no entry is current: REMOVE one first");
        break;
    }
}

/* Includes the values of the parameters. */
static void say_stream(Buffer *b, const Cosy *c, uint32_t k, const char *name)
{
    const CosyStream *s = c->stream + k;
    const double value[DISTRIBUTION_PARAMETERS] = {s->a, s->b, s->c};
    char text[DISTRIBUTION_FAULT];
    const char *word;
    buffer_format(b, "random variable %s: %s", name,
                  stream_fault(c->model, s, k, text));
    for (uint32_t i = 0; (word = distribution_word(s->distribution, i)); i++)
        buffer_format(b, "%s%s = %.15g", i ? ", " : " (", word, value[i]);
    if (distribution_word(s->distribution, 0))
        buffer_char(b, ')');
}

static void say_number(Buffer *b, const Cosy *c, const Refusal *r,
                       const char *name)
{
    double v = (double)r->value;
    switch (r->what) {
    case COSY_BAD_PRIORITY:
        buffer_format(b, "the priority is %.15g: it must be a number", v);
        break;
    case COSY_PROCESS_FULL:
        buffer_format(b,
                      "the file of %s is full with %lu transactions; declare a "
                      "larger file, or none",
                      name, (unsigned long)c->population[r->which].count);
        break;
    case COSY_BAD_SPLIT:
        buffer_format(b, "%.15g copies: there must be at least 1", v);
        break;
    case COSY_BAD_JOIN:
        buffer_format(b, "%.15g members: there must be at least 1", v);
        break;
    case COSY_NO_TRANSACTION:
        buffer_format(b, "there is no transaction %.15g%s%s", v,
                      name[0] ? " of " : "", name);
        break;
    case COSY_BAD_STREAM: say_stream(b, c, r->which, name); break;
    default:
        buffer_format(b, "%s becomes %.15g: that cannot be counted", name, v);
        break;
    }
}

/* Copies of a CONTINUOUS PROCESS. */
static void say_copy(Buffer *b, const Cosy *c, const Refusal *r,
                     const char *name)
{
    const CosyCopies *k = c->copy + r->which;
    double v = (double)r->value;
    bool given = r->value >= R(1.0) && r->value <= (real)k->created;
    uint32_t last = COSY_NONE - 1;
    if (r->what == COSY_COPY_FULL)
        buffer_format(b,
                      "the file of %s is full with %lu copies; declare a "
                      "larger file, or none",
                      name, (unsigned long)k->count);
    else if (r->what == COSY_NO_COPY)
        buffer_format(b,
                      "copy %.15g of %s is not there: %s; EXISTS(%s[%.15g]) "
                      "asks",
                      v, name,
                      given ? "it has left, or its number was skipped"
                            : "it was never created",
                      name, v);
    else if (r->what == COSY_COPY_DEEP)
        buffer_format(b,
                      "INITIAL sections of %s create copies one inside the "
                      "other, %.15g deep: a condition has to end that, or an "
                      "event creates them one after the other",
                      name, v);
    else if (r->what == COSY_COPY_ENDLESS)
        buffer_format(b,
                      "%.15g copies have come and gone at this instant, most "
                      "recently of %s, because TERMINAL sections create and "
                      "delete others: a condition has to end that",
                      v, name);
    else if (r->what == COSY_COPY_LEAVES)
        buffer_format(b,
                      "copy %.15g of %s is about to leave: it was deleted at "
                      "this instant; EXISTS(%s[%.15g]) asks",
                      v, name, name, v);
    else if (r->value > (real)last || k->created == last)
        buffer_format(b,
                      "%.15g cannot be the number of a copy: numbers go up to "
                      "%lu, and %lu is the last that was given",
                      v, (unsigned long)last, (unsigned long)k->created);
    else if (given)
        buffer_format(b,
                      "the number %.15g is used, and numbers go up: the next "
                      "is %lu, which CREATE %s[0] takes",
                      v, (unsigned long)k->created + 1, name);
    else
        buffer_format(b,
                      "%.15g cannot be the number of a copy: it must be 1 or "
                      "more; CREATE %s[0] takes the next",
                      v, name);
}

static void say_reason(Buffer *b, const Cosy *c, const Refusal *r,
                       const char *name, const char *statement)
{
    switch (r->what) {
    case COSY_BAD_SCHEDULE:
    case COSY_BAD_GENERATE:
    case COSY_BAD_ADVANCE:
    case COSY_BAD_TIMEOUT: say_time(b, r); break;
    case COSY_SEIZES_TWICE:
    case COSY_NOT_HOLDER:
    case COSY_IS_DOWN:
    case COSY_IS_UP:
    case COSY_STILL_HOLDS: say_facility(b, c, r, name, statement); break;
    case COSY_BAD_CAPACITY:
    case COSY_BAD_ENTER:
    case COSY_BAD_LEAVE: say_storage(b, c, r, name, statement); break;
    case COSY_FILE_FULL:
    case COSY_NO_ENTRY:
    case COSY_ENTRY_GONE:
    case COSY_NO_CURRENT:
    case COSY_BAD_RANK: say_file(b, c, r, name); break;
    case COSY_NO_COPY:
    case COSY_COPY_FULL:
    case COSY_COPY_LEAVES:
    case COSY_COPY_DEEP:
    case COSY_COPY_ENDLESS:
    case COSY_COPY_USED: say_copy(b, c, r, name); break;
    default: say_number(b, c, r, name); break;
    }
}

void refusal_words(Buffer *b, const Cosy *c, const Refusal *r, const char *body,
                   const char *statement)
{
    uint32_t line;
    const char *name = name_subject(c, r, &line);
    buffer_format(b, "time %.15g%s%s", (double)c->head->t,
                  COSY_IN_TIME(c->model));
    if (r->who != COSY_NONE) {
        buffer_text(b, ", ");
        transaction_name(b, c, r->who);
    } else if (body[0]) {
        buffer_format(b, ", %s", body);
    }
    buffer_text(b, ": ");
    if (statement)
        buffer_format(b, "%s: ", statement);
    else
        say_statement(b, r, name);
    say_reason(b, c, r, name, statement);
}
