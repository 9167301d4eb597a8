#include "run/waiting.h"

#include <assert.h>

#include "cosy/unit.h"
#include "events/transaction.h"

/* ---- Transactions and what they wait for ------------------------------------------------------- */

static const CosyTransaction *at(const Run *r, uint32_t id)
{
    return cosy_transaction(r->c, id);
}

/* Whether it is in a queue or at a WAIT UNTIL. */
static bool waits(const Run *r, uint32_t id)
{
    const CosyTransaction *tr = at(r, id);
    return cosy_is_there(tr) && tr->at != COSY_NONE && tr->wake == 0;
}

/* Whether it waits although that is not what its process is meant to do. */
static bool waits_in_vain(const Run *r, uint32_t id)
{
    return waits(r, id) && !r->model->processes[cosy_process(at(r, id))].server;
}

static CosyResourceKind kind_at(const Run *r, uint32_t id)
{
    return r->model->resources[at(r, id)->at].kind;
}

/* Whether it waits for something that another has to give back. */
static bool is_blocked(const Run *r, uint32_t id)
{
    if (!waits(r, id) || at(r, id)->at == COSY_UNTIL)
        return false;
    CosyResourceKind kind = kind_at(r, id);
    return kind == COSY_FACILITY || kind == COSY_STORAGE || kind == COSY_POOL;
}

static uint32_t units_of(const Run *r, uint32_t id, uint32_t storage)
{
    for (uint32_t k = at(r, id)->stays; k != COSY_NONE; k = r->c->stay[k].next)
        if (r->c->stay[k].storage == storage)
            return (uint32_t)r->c->stay[k].units;
    return 0;
}

/* A transaction that holds the facility, or one of a common queue. */
static uint32_t first_holder(const Run *r, uint32_t k)
{
    const CosyResourceInfo *info = &r->model->resources[k];
    bool common = info->kind == COSY_POOL;
    uint32_t first = common ? info->first : k;
    for (uint32_t i = 0; i < (common ? info->members : 1); i++) {
        uint32_t holder = r->c->resource[first + i].holder;
        if (holder != COSY_NONE && holder != COSY_OUT_OF_SERVICE)
            return holder;
    }
    return COSY_NONE;
}

/* A transaction that holds what this one waits for; COSY_NONE if there is none.
   */
static uint32_t who_has(const Run *r, uint32_t id)
{
    uint32_t k = at(r, id)->at;
    if (!is_blocked(r, id))
        return COSY_NONE;
    if (kind_at(r, id) != COSY_STORAGE)
        return first_holder(r, k);
    for (uint32_t i = 0; i < r->c->head->transaction_used; i++)
        if (cosy_is_there(at(r, i)) && units_of(r, i, k))
            return i;
    return COSY_NONE;
}

/* ---- In words -------------------------------------------------------------------- */

/* "(line 14: SEIZE RAMP)": this very statement, whatever else is on its line.
   */
static void say_place(Buffer *b, const Run *r, uint32_t id)
{
    const CosyProcessInfo *p = &r->model->processes[cosy_process(at(r, id))];
    uint32_t point = at(r, id)->point;
    if (!p->lines || point >= p->points)
        return;
    buffer_format(b, " (line %u", p->lines[point]);
    if (p->rows && p->rows[point] < r->model->n_equations)
        buffer_format(b, ": %.60s", r->model->equations[p->rows[point]].text);
    buffer_char(b, ')');
}

static void say_facility(Buffer *b, const Run *r, uint32_t k)
{
    buffer_text(b, r->model->resources[k].name);
    if (r->c->resource[k].holder == COSY_OUT_OF_SERVICE) {
        buffer_format(b, ", out of service since %.15g",
                      (double)r->c->resource[k].down_since);
        return;
    }
    buffer_text(b, ", held by ");
    if (r->c->resource[k].holder == COSY_NONE)
        buffer_text(b, "nobody");
    else
        transaction_name(b, r->c, r->c->resource[k].holder);
}

static void say_pool(Buffer *b, const Run *r, uint32_t k)
{
    const CosyResourceInfo *info = &r->model->resources[k];
    uint32_t down = 0;
    for (uint32_t i = 0; i < info->members; i++)
        down += r->c->resource[info->first + i].holder == COSY_OUT_OF_SERVICE;
    buffer_format(b, "any of %s: of %u, %u %s out of service", info->name,
                  info->members, down, down == 1 ? "is" : "are");
}

static void say_storage(Buffer *b, const Run *r, uint32_t id, uint32_t k)
{
    const CosyResource *s = &r->c->resource[k];
    uint32_t other = who_has(r, id);
    buffer_format(b, "%lld of %s, which has %lld of %lld in use",
                  (long long)at(r, id)->units, r->model->resources[k].name,
                  (long long)s->used, (long long)s->capacity);
    if (other != COSY_NONE) {
        buffer_format(b, ", %u by ", units_of(r, other, k));
        transaction_name(b, r->c, other);
    } else if (s->lost > 0) {
        buffer_text(b, " by transactions that have ended");
    }
}

static void say_aim(Buffer *b, const Run *r, uint32_t id)
{
    uint32_t k = at(r, id)->at;
    if (k == COSY_UNTIL) {
        buffer_text(b, "its condition");
        return;
    }
    const char *name = r->model->resources[k].name;
    switch (kind_at(r, id)) {
    case COSY_FACILITY: say_facility(b, r, k); break;
    case COSY_STORAGE: say_storage(b, r, id, k); break;
    case COSY_GATE: buffer_format(b, "GATE %s to open", name); break;
    case COSY_SIGNAL: buffer_format(b, "SIGNAL %s", name); break;
    case COSY_POOL: say_pool(b, r, k); break;
    case COSY_JOINT:
        buffer_format(b, "its family, %lld members",
                      (long long)at(r, id)->units);
        break;
    }
}

/* "TRUCK 7 (line 14: SEIZE RAMP) has been waiting since 12.5 for RAMP, held by
   TRUCK 3" */
static void say_waiting(Buffer *b, const Run *r, uint32_t id)
{
    transaction_name(b, r->c, id);
    say_place(b, r, id);
    buffer_format(b, " has been waiting since %.15g for ",
                  (double)at(r, id)->since);
    say_aim(b, r, id);
}

/* ---- The circle ------------------------------------------------------------------ */

/* A member of a circle in which each waits for what the next one holds, if the
   way from `id` leads to one. */
static uint32_t circle_from(const Run *r, uint32_t id)
{
    uint32_t slow = id, fast = id;
    do {
        slow = who_has(r, slow);
        for (int k = 0; k < 2 && fast != COSY_NONE; k++)
            fast = who_has(r, fast);
    } while (fast != COSY_NONE && fast != slow);
    return fast;
}

static uint32_t find_circle(const Run *r)
{
    enum { MOST_TRIES = 1000 };
    uint32_t tries = 0;
    for (uint32_t id = 0; id < r->c->head->transaction_used; id++) {
        if (!is_blocked(r, id) || ++tries > MOST_TRIES)
            continue;
        uint32_t one = circle_from(r, id);
        if (one != COSY_NONE)
            return one;
    }
    return COSY_NONE;
}

/* "P 1 -> P 2 -> P 1", from the one with the smallest number. */
static void say_circle(Buffer *b, const Run *r, uint32_t one)
{
    enum { MOST = 12 };
    uint32_t first = one, shown = 0;
    for (uint32_t id = who_has(r, one); id != one; id = who_has(r, id))
        if (at(r, id)->number < at(r, first)->number)
            first = id;
    buffer_text(b, "\n  in a circle: ");
    uint32_t id = first;
    do {
        transaction_name(b, r->c, id);
        buffer_text(b, " -> ");
        id = who_has(r, id);
    } while (id != first && ++shown < MOST);
    if (id == first)
        transaction_name(b, r->c, first);
    else
        buffer_text(b, "...");
}

/* ---- Lists ------------------------------------------------------------------------- */

#define LINES_MOST 10

/* Whether it holds what others may be waiting for. */
static bool holds_something(const Run *r, uint32_t id)
{
    return at(r, id)->held > 0 || at(r, id)->stays != COSY_NONE;
}

/* Whether it waits in vain; `blocked`: for something that another has to give
   back, or with something in hand: then it may be the cause of all. */
static bool is_told(const Run *r, uint32_t id, bool blocked)
{
    return waits_in_vain(r, id) &&
           (!blocked || is_blocked(r, id) || holds_something(r, id));
}

static bool is_any_blocked(const Run *r)
{
    for (uint32_t id = 0; id < r->c->head->transaction_used; id++)
        if (waits_in_vain(r, id) && is_blocked(r, id))
            return true;
    return false;
}

static uint32_t count_waiting(const Run *r, bool blocked)
{
    uint32_t n = 0;
    for (uint32_t id = 0; id < r->c->head->transaction_used; id++)
        n += is_told(r, id, blocked);
    return n;
}

/* Both wait at the same statement for the same thing. */
static bool is_alike(const Run *r, uint32_t one, uint32_t other)
{
    const CosyTransaction *a = at(r, one), *b = at(r, other);
    return cosy_process(a) == cosy_process(b) && a->point == b->point &&
           a->at == b->at;
}

/* The transactions already listed. Each stands for all that wait alike, and is
   the one with the smallest number. */
typedef struct Kinds {
    uint32_t first[LINES_MOST];
    uint32_t n;
} Kinds;

static bool is_known(const Run *r, const Kinds *k, uint32_t id)
{
    for (uint32_t i = 0; i < k->n; i++)
        if (is_alike(r, k->first[i], id))
            return true;
    return false;
}

static uint32_t next_kind(const Run *r, const Kinds *k, bool blocked)
{
    uint32_t best = COSY_NONE;
    for (uint32_t id = 0; id < r->c->head->transaction_used; id++)
        if (is_told(r, id, blocked) &&
            (best == COSY_NONE || at(r, id)->number < at(r, best)->number) &&
            !is_known(r, k, id))
            best = id;
    return best;
}

static uint32_t count_alike(const Run *r, uint32_t one, bool blocked)
{
    uint32_t n = 0;
    for (uint32_t id = 0; id < r->c->head->transaction_used; id++)
        n += is_told(r, id, blocked) && is_alike(r, one, id);
    assert(n > 0);
    return n;
}

/* Lists them in order of their numbers, in at most LINES_MOST lines; those that
   wait alike share a line. */
static void say_list(Buffer *b, const Run *r, bool blocked)
{
    uint32_t left = count_waiting(r, blocked);
    Kinds k = {.n = 0};
    while (left > 0 && k.n < LINES_MOST) {
        uint32_t id = next_kind(r, &k, blocked);
        assert(id != COSY_NONE);
        uint32_t alike = count_alike(r, id, blocked);
        if (k.n == LINES_MOST - 1 && alike < left)
            break; // the last line counts the rest
        k.first[k.n++] = id;
        left -= alike;
        buffer_text(b, "\n  ");
        say_waiting(b, r, id);
        if (alike > 1)
            buffer_format(b, "; %u more %s waiting there too", alike - 1,
                          alike == 2 ? "is" : "are");
    }
    if (left > 0)
        buffer_format(b, "\n  and %u more", left);
}

/* What to write if they are meant to wait. */
static void say_server(Buffer *b, const Run *r)
{
    const Kinds none = {.n = 0};
    uint32_t id = next_kind(r, &none, false);
    if (id != COSY_NONE)
        buffer_format(b,
                      "\n  if that is what %s is for, declare it as PROCESS %s "
                      "SERVER",
                      r->model->processes[cosy_process(at(r, id))].name,
                      r->model->processes[cosy_process(at(r, id))].name);
}

static void say_number(Buffer *b, uint32_t n)
{
    buffer_format(b,
                  n == 1 ? "%u transaction is still waiting"
                         : "%u transactions are still waiting",
                  n);
}

/* ---- What may still happen ------------------------------------------------------- */

/* Whether a state condition can resume a transaction: that of an event, or of a
   transaction that waits; branches of relations may decide a WAIT UNTIL. */
static bool may_be_resumed(const Run *r)
{
    const Watched *w = (const Watched *)(const void *)r->watch.list.bytes;
    for (uint32_t k = 0; k < r->watch.count; k++) {
        CosyConditionKind kind = r->model->conditions_info[w[k].id].kind;
        if (kind == COSY_CONDIT || kind == COSY_WAIT ||
            (kind == COSY_HIDDEN && r->c->head->untils))
            return true;
    }
    return r->model->n_clocks || r->history.delays ||
           (r->model->communicate && !r->options.to_finish);
}

bool run_is_stuck(const Run *r)
{
    return transactions_alive(r->c) > 0 && !may_be_resumed(r) &&
           count_waiting(r, false) > 0;
}

Status run_deadlock(Run *r)
{
    uint32_t n = count_waiting(r, true), one;
    Buffer b = {0};
    if (!is_any_blocked(r))
        return STATUS_OK;
    buffer_format(&b,
                  "time %.15g%s%s: deadlock: nothing is left to happen, and ",
                  (double)r->c->head->t, COSY_IN_TIME(r->model));
    say_number(&b, n);
    say_list(&b, r, true);
    one = find_circle(r);
    if (one != COSY_NONE)
        say_circle(&b, r, one);
    else
        say_server(&b, r);
    fault_set(&r->fault, STATUS_DEADLOCK, "%s", buffer_string(&b));
    buffer_free(&b);
    return STATUS_DEADLOCK;
}

Status run_no_finish(Run *r)
{
    uint32_t n = transactions_alive(r->c) ? count_waiting(r, false) : 0;
    Buffer b = {0};
    if (r->options.line)
        buffer_format(&b, "%s:%u: ", r->model->source, r->options.line);
    buffer_format(&b,
                  "time %.17g%s%s: FINISH was not reached: nothing is left to "
                  "happen",
                  (double)r->c->head->t, COSY_IN_TIME(r->model));
    if (n > 0) {
        buffer_text(&b, ", and ");
        say_number(&b, n);
        say_list(&b, r, false);
    }
    fault_set(&r->fault, STATUS_LIMIT, "%s", buffer_string(&b));
    buffer_free(&b);
    return STATUS_LIMIT;
}

/* ---- At the end of a run ------------------------------------------------------------ */

static void tell(Run *r, CosySeverity severity, uint32_t line, Buffer *b)
{
    r->c->host->message(r->c, severity, line, buffer_string(b));
    buffer_free(b);
}

/* Reports units that nobody can give back. */
static void tell_lost(Run *r)
{
    for (uint32_t k = 0; k < r->model->n_resources; k++) {
        const CosyResourceInfo *info = &r->model->resources[k];
        const CosyResource *s = &r->c->resource[k];
        Buffer b = {0};
        if (info->kind != COSY_STORAGE || s->lost == 0 || s->strange)
            continue;
        buffer_format(&b,
                      "STORAGE %s: %lld of its units were entered by "
                      "transactions that have ended without LEAVE, the first "
                      "of them number %llu: these units stay in use",
                      info->name, (long long)s->lost,
                      (unsigned long long)s->lost_by);
        tell(r, COSY_WARNING, info->line, &b);
    }
}

/* Reports the first in the queue of a JOIN if it wants more members than there
   are. */
static void tell_joints(Run *r)
{
    for (uint32_t k = 0; k < r->model->n_resources; k++) {
        uint32_t id = r->c->resource[k].head, members = 0;
        Buffer b = {0};
        if (r->model->resources[k].kind != COSY_JOINT || id == COSY_NONE ||
            !waits_in_vain(r, id))
            continue;
        for (uint32_t i = 0; i < r->c->head->transaction_used; i++)
            members += cosy_is_there(at(r, i)) &&
                       at(r, i)->family == at(r, id)->family;
        if (members >= at(r, id)->units)
            continue;
        say_waiting(&b, r, id);
        buffer_format(&b, ", but the family has only %u", members);
        tell(r, COSY_NOTE, r->model->resources[k].line, &b);
    }
}

void run_tell_waiting(Run *r, bool stuck)
{
    Buffer b = {0};
    tell_lost(r);
    if (!stuck) {
        tell_joints(r);
        return;
    }
    buffer_text(&b, "at the end of the run ");
    say_number(&b, count_waiting(r, false));
    buffer_text(&b, ", and nothing is left that could resume ");
    buffer_text(&b, count_waiting(r, false) == 1 ? "it" : "them");
    say_list(&b, r, false);
    say_server(&b, r);
    tell(r, COSY_NOTE, 0, &b);
}
