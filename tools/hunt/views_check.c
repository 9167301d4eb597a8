#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hunt/views.h"

/* Compares the views of a run. Rows of one time are an instant: its first row
   is the side it came from, its last row what holds when everything is done. */

typedef struct Row {
    double time, value[VIEWS_SIGNALS];
    double made;                     // when COMMUNIC was carried out
    double sees[VIEWS_RELATIONS][4]; // IF, LOGIC, COMMUNIC, WAIT; NaN: none
    bool first, last;                // first and last of its instant
    bool near;                       // still the side it came from
} Row;

enum { SEES_IF, SEES_LOGIC, SEES_COMMUNIC, SEES_WAIT, SEES_KINDS };

static const char *const seer[] = {"IF", "LOGIC", "COMMUNIC", "WAIT"};
static const char seer_name[] = "ALCH";

typedef struct Seen {
    const Case *c;
    const Tree *final;
    Row *row;
    uint32_t rows;
    double end; // t_end of the summary
    bool cut;   // FINISH ended it
    Findings *f;
} Seen;

static void found(Findings *f, const char *rule, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* One finding for each rule is enough. */
static void found(Findings *f, const char *rule, const char *format, ...)
{
    va_list list;
    for (uint32_t k = 0; k < f->count; k++)
        if (strcmp(f->one[k].rule, rule) == 0)
            return;
    if (f->count == VIEWS_FINDINGS)
        return;
    va_start(list, format);
    f->one[f->count].rule = rule;
    vsnprintf(f->one[f->count].text, sizeof f->one[0].text, format, list);
    f->count++;
    va_end(list);
}

static const char *rule_name(const char *what, const char *who)
{
    /* Few and short: they live as long as the process. */
    static char names[64][40];
    static uint32_t count;
    char name[40];
    snprintf(name, sizeof name, "%s-%s", what, who);
    for (uint32_t k = 0; k < count; k++)
        if (strcmp(names[k], name) == 0)
            return names[k];
    assert(count < LENGTH(names));
    memcpy(names[count], name, sizeof name);
    return names[count++];
}

/* ---- What the run left ----------------------------------------------------- */

static double element(const Tree *final, const char *name, unsigned index)
{
    const Tree *list = tree_get(final, name);
    const Tree *e = list && list->kind == TREE_LIST ? list->first : NULL;
    while (e && index-- > 0)
        e = e->next;
    return e ? e->number : NAN;
}

/* The column of X, or of "X [km]". */
static int column_of(const char *header, const char *name)
{
    size_t length = strlen(name);
    int k = 0;
    for (const char *s = header; *s && *s != '\n'; k++) {
        size_t n = strcspn(s, ",\n");
        if (n >= length && memcmp(s, name, length) == 0 &&
            (n == length || memcmp(s + length, " [", 2) == 0))
            return k;
        s += n;
        if (*s == ',')
            s++;
    }
    return -1;
}

/* A signal that is not a column follows from TIME. */
static double timed_value(const Signal *s, double t)
{
    if (s->kind == SIGNAL_INT)
        return trunc(t / s->p[1]);
    if (s->kind == SIGNAL_MOD)
        return fmod(t, s->p[1]);
    return t;
}

static char signal_letter(SignalKind kind)
{
    if (kind <= SIGNAL_DECAY)
        return 'X';
    return kind <= SIGNAL_COUNT ? 'V' : 'Y';
}

typedef struct Columns {
    int made, signal[VIEWS_SIGNALS], sees[VIEWS_RELATIONS][SEES_KINDS];
} Columns;

static void find_columns(const Case *c, const char *header, Columns *at)
{
    char name[16];
    at->made = column_of(header, "CTIME");
    for (uint32_t k = 0; k < c->signals; k++) {
        snprintf(name, sizeof name, "%c%u", signal_letter(c->signal[k].kind),
                 k + 1);
        at->signal[k] = column_of(header, name);
    }
    for (uint32_t k = 0; k < c->relations; k++)
        for (int v = 0; v < SEES_KINDS; v++) {
            snprintf(name, sizeof name, "%c%u", seer_name[v], k + 1);
            at->sees[k][v] = column_of(header, name);
        }
}

static void read_row(const Case *c, const Columns *at, const char *line, Row *r)
{
    double value[64];
    int n = 0;
    for (const char *s = line; *s && *s != '\n' && n < 64;) {
        char *end = NULL;
        value[n++] = strtod(s, &end);
        s = *end == ',' ? end + 1 : end;
    }
    r->time = value[0];
    r->made = at->made >= 0 ? value[at->made] : NAN;
    for (uint32_t k = 0; k < c->signals; k++)
        r->value[k] = at->signal[k] >= 0 ? value[at->signal[k]]
                                         : timed_value(&c->signal[k], r->time);
    for (uint32_t k = 0; k < c->relations; k++)
        for (int v = 0; v < SEES_KINDS; v++)
            r->sees[k][v] = at->sees[k][v] >= 0 ? value[at->sees[k][v]] : NAN;
}

/* True if only COMMUNIC values have changed between two rows. */
static bool sees_same(const Row *one, const Row *other)
{
    for (uint32_t k = 0; k < VIEWS_SIGNALS; k++)
        if (one->value[k] != other->value[k])
            return false;
    for (uint32_t k = 0; k < VIEWS_RELATIONS; k++)
        for (int v = 0; v < SEES_KINDS; v++)
            if (v != SEES_COMMUNIC && !isnan(one->sees[k][v]) &&
                one->sees[k][v] != other->sees[k][v])
                return false;
    return true;
}

static void read_rows(Arena *a, const char *text, Seen *s)
{
    Columns at;
    uint32_t lines = 0;
    const char *line = strchr(text, '\n');
    find_columns(s->c, text, &at);
    for (const char *t = text; *t; t++)
        lines += *t == '\n';
    s->row = NEW_ARRAY(a, Row, lines + 1);
    while (line && line[1]) {
        read_row(s->c, &at, line + 1, &s->row[s->rows++]);
        line = strchr(line + 1, '\n');
    }
    for (uint32_t k = 0; k < s->rows; k++) {
        Row *r = &s->row[k];
        r->first = k == 0 || r[-1].time != r->time;
        r->last = k + 1 == s->rows || r[1].time != r->time;
        r->near = !r->last && (r->first || (r[-1].near && sees_same(r - 1, r)));
    }
}

/* ---- Rows ------------------------------------------------------------------ */

static void check_row(const Seen *s, const Row *r)
{
    for (uint32_t k = 0; k < s->c->relations; k++) {
        const double *sees = r->sees[k];
        bool holds = relation_holds(&s->c->relation[k], r->value);
        for (int v = 0; v < SEES_KINDS && !r->near; v++) {
            if (v == SEES_COMMUNIC && !isnan(sees[v]) && r->made != r->time)
                found(s->f, "row-communic-late",
                      "the row of TIME = %.17g has COMMUNIC values of %.17g",
                      r->time, r->made);
            else if (v == SEES_WAIT &&
                     (!r->last || (s->cut && r->time == s->end)))
                continue;
            else if (!isnan(sees[v]) && (sees[v] != 0) != holds)
                found(s->f, rule_name("row", seer[v]),
                      "relation %u is %d by the values of the row of TIME = "
                      "%.17g, %s says %g",
                      k + 1, holds, r->time, seer[v], sees[v]);
        }
        if (r->near && !isnan(sees[SEES_IF]) && !isnan(sees[SEES_LOGIC]) &&
            sees[SEES_IF] != sees[SEES_LOGIC])
            found(s->f, "row-IF-LOGIC",
                  "relation %u on the near side of TIME = %.17g: IF says %g, "
                  "LOGIC %g",
                  k + 1, r->time, sees[SEES_IF], sees[SEES_LOGIC]);
    }
}

/* The first row of an instant is the side it came from. */
static void check_left(const Seen *s, const Row *before, const Row *r)
{
    for (uint32_t k = 0; k < s->c->relations; k++)
        for (int v = 0; v < SEES_KINDS; v++)
            if (v != SEES_COMMUNIC && !isnan(r->sees[k][v]) &&
                r->sees[k][v] != before->sees[k][v])
                found(s->f, rule_name("left", seer[v]),
                      "%s of relation %u is %g before TIME = %.17g and %g in "
                      "its first row",
                      seer[v], k + 1, before->sees[k][v], r->time,
                      r->sees[k][v]);
}

/* How far signals may be from their formulas. */
static double value_room(const Case *c, const Signal *s)
{
    double relerr = c->relerr > 0 ? c->relerr : 1e-6;
    if (s->kind != SIGNAL_DECAY)
        return 1e-9;
    if (c->step > 0)
        return strcmp(c->method, "EULER") == 0 ? 1 : 1e-4;
    if (c->method && strcmp(c->method, "TRAPEZ") == 0)
        return 100 * pow(relerr, 2.0 / 3); // order 2: errors of steps add up
    return 100 * relerr;
}

/* True if a body sets the signal, so that its formula does not hold. */
static bool is_set(const Case *c, uint32_t signal)
{
    return c->act.by != 0 && c->act.signal == signal;
}

static void check_values(const Seen *s, const Row *r)
{
    const Case *c = s->c;
    for (uint32_t k = 0; k < c->signals; k++) {
        const Signal *g = &c->signal[k];
        double room = value_room(c, g);
        double at = signal_value(g, c->from, r->time, AT);
        double before = signal_value(g, c->from, r->time, BEFORE);
        if (g->kind >= SIGNAL_TIME || !views_uses(c, k) || is_set(c, k))
            continue;
        if (!(fabs(r->value[k] - at) <= room) &&
            (r->last || !(fabs(r->value[k] - before) <= room)))
            found(s->f, "value",
                  "signal %u is %.17g at TIME = %.17g, its formula gives %.17g",
                  k + 1, r->value[k], r->time, at);
    }
}

static void check_rows(const Seen *s)
{
    const Row *settled = NULL;
    for (uint32_t k = 0; k < s->rows; k++) {
        const Row *r = &s->row[k];
        check_row(s, r);
        if (!(s->cut && r->time == s->end))
            check_values(s, r);
        if (settled && r->first && !r->last)
            check_left(s, settled, r);
        if (r->last)
            settled = r;
    }
}

/* ---- Bodies ---------------------------------------------------------------- */

/* Values that a body saw: WHAT WHO K, as in TW1. */
static double looked(const Seen *s, char what, const char *who, uint32_t k,
                     uint32_t index)
{
    char name[16];
    snprintf(name, sizeof name, "%c%s%u", what, who, k + 1);
    return element(s->final, name, index);
}

static uint32_t looks(const Seen *s, const char *who, uint32_t k)
{
    char name[16];
    double n = 0;
    snprintf(name, sizeof name, "N%s%u", who, k + 1);
    n = tree_number(s->final, name);
    if (n > VIEWS_LOOKS) {
        found(s->f, rule_name("many", who), "%s%u: %g times", who, k + 1, n);
        return VIEWS_LOOKS;
    }
    return n > 0 ? (uint32_t)n : 0;
}

static void check_looks(const Seen *s, const char *who, uint32_t k)
{
    uint32_t n = looks(s, who, k);
    for (uint32_t i = 0; i < n; i++) {
        double holds = looked(s, 'R', who, k, i);
        double time = looked(s, 'T', who, k, i);
        /* A process that has set something and need not wait continues in the
           same body, with equations as they were when it began. */
        bool stale = who[0] == 'W' && s->c->act.by == VIEW_WAIT && i > 0 &&
                     looked(s, 'T', who, k, i - 1) == time;
        for (int v = SEES_IF; v <= SEES_LOGIC; v++) {
            double sees = looked(s, seer_name[v], who, k, i);
            if (!isnan(sees) && sees != holds && !stale) {
                char name[24];
                snprintf(name, sizeof name, "%s-%s", who, seer[v]);
                found(
                    s->f, rule_name("body", name),
                    "in body %s at TIME = %.17g relation %u is %g, %s says %g",
                    who, time, k + 1, holds, seer[v], sees);
            }
        }
        if (who[0] == 'W' && (holds != 0) != (i % 2 == 0))
            found(
                s->f, "wait-false",
                "after WAIT UNTIL relation %u was %d at TIME = %.17g it is %g",
                k + 1, i % 2 == 0, time, holds);
    }
}

/* ---- Times ----------------------------------------------------------------- */

static bool is_near(const double *list, uint32_t n, double t, double room)
{
    for (uint32_t k = 0; k < n; k++)
        if (fabs(list[k] - t) <= room)
            return true;
    return false;
}

/* Each expected time must be there; any other must be a doubtful one. */
static void check_times(const Seen *s, const char *rule, const double *want,
                        uint32_t wants, const double *have, uint32_t haves,
                        const double *doubt, uint32_t doubts, double room)
{
    uint32_t h = 0;
    for (uint32_t w = 0; w < wants; w++) {
        if (want[w] >= s->end - room) // what happens at the end is examined
                                      // there
            break;
        while (h < haves && have[h] < want[w] - room) {
            if (!is_near(doubt, doubts, have[h], room))
                found(s->f, rule, "there is one at TIME = %.17g, next is %.17g",
                      have[h], want[w]);
            h++;
        }
        if (h == haves || have[h] > want[w] + room) {
            found(s->f, rule, "there is none at TIME = %.17g", want[w]);
            return;
        }
        h++;
    }
    for (; h < haves; h++)
        if (!is_near(doubt, doubts, have[h], room))
            found(s->f, rule, "there is one at TIME = %.17g", have[h]);
}

/* True if a state comes to rest at the threshold: rounding decides on which
   side. */
static bool rests_there(const Case *c, const Atom *a)
{
    Relation alone = {.atom = {*a}, .atoms = 1};
    Crossings x;
    if (signal_exact(&c->signal[a->signal]))
        return false;
    views_crossings(c, &alone, &x);
    return x.flat;
}

/* True if errors of a method may decide how often it changes. */
static bool is_delicate(const Case *c, const Relation *r)
{
    Truth exact, moved;
    for (uint32_t k = 0; k < r->atoms; k++)
        if (r->atom[k].other >= 0 || is_set(c, r->atom[k].signal) ||
            rests_there(c, &r->atom[k]))
            return true;
    for (uint32_t k = 0; k < r->atoms; k++) {
        const Signal *g = &c->signal[r->atom[k].signal];
        Relation other = *r;
        if (g->kind != SIGNAL_DECAY)
            continue;
        if (value_room(c, g) > 0.01)
            return true;
        views_truth(c, r, &exact);
        for (int way = -1; way <= 1; way += 2) {
            other.atom[k].threshold =
                r->atom[k].threshold + way * 10 * value_room(c, g);
            views_truth(c, &other, &moved);
            if (moved.count != exact.count || moved.begins != exact.begins)
                return true;
            for (uint32_t n = 0; n < moved.count; n++)
                if (fabs(moved.time[n] - exact.time[n]) > 0.02)
                    return true;
        }
    }
    return false;
}

static double time_room(const Case *c, const Relation *r)
{
    double room = 1e-9;
    for (uint32_t k = 0; k < r->atoms; k++) {
        SignalKind kind = c->signal[r->atom[k].signal].kind;
        if (kind == SIGNAL_DECAY)
            room = fmax(room, 0.02);
        else if (kind == SIGNAL_PARABOLA) // flat where it touches
            room = fmax(room, 1e-7);
    }
    return room;
}

static void check_wait_times(const Seen *s, uint32_t k)
{
    const Relation *r = &s->c->relation[k];
    double want[VIEWS_CHANGES + 1], have[VIEWS_LOOKS];
    uint32_t wants = 0, haves = looks(s, "W", k);
    Truth t;
    if (haves == VIEWS_LOOKS || is_delicate(s->c, r))
        return;
    views_truth(s->c, r, &t);
    if (t.begins)
        want[wants++] = s->c->from;
    for (uint32_t n = 0; n < t.count; n++)
        want[wants++] = t.time[n];
    for (uint32_t n = 0; n < haves; n++)
        have[n] = looked(s, 'T', "W", k, n);
    check_times(s, "wait-times", want, wants, have, haves, t.unsure, t.doubts,
                time_room(s->c, r));
}

/* Sign of the CONDIT's function as the run ends, by its formula: 0 at zero. */
static int side_at(const Case *c, const Relation *r, double t, Moment m)
{
    double d = signal_value(&c->signal[r->atom[0].signal], c->from, t, m) -
               r->atom[0].threshold;
    return (d > 0) - (d < 0);
}

static void check_end_crossing(const Seen *s, uint32_t k, double last_event)
{
    const Case *c = s->c;
    const Relation *r = &c->relation[k];
    const Signal *g = &c->signal[r->atom[0].signal];
    int near = side_at(c, r, c->to - 0x1p-8, AT);
    int left = side_at(c, r, c->to, BEFORE);
    int at = side_at(c, r, c->to, AT);
    bool crosses = at == -near || (at == 0 && left == 0);
    if (near == 0 || !crosses || g->kind == SIGNAL_DECAY || s->cut)
        return;
    if (g->kind == SIGNAL_PARABOLA && g->p[2] == c->to)
        return; // it only touches
    if (r->direction != 0 && r->direction == near)
        return;
    if (!(fabs(last_event - c->to) <= 1e-9))
        found(s->f, signal_exact(g) ? "condit-at-end" : "condit-at-end-state",
              "E%u does not happen at the end, TIME = %.17g", k + 1, c->to);
}

/* When the IF or LOGIC of a relation changes, according to the rows. */
static void check_switch_times(const Seen *s, uint32_t k, int view)
{
    const Relation *r = &s->c->relation[k];
    double have[VIEWS_CHANGES], last = NAN;
    uint32_t haves = 0;
    Truth t;
    if (isnan(s->row[0].sees[k][view]) || is_delicate(s->c, r))
        return;
    for (uint32_t n = 0; n < s->rows && haves < VIEWS_CHANGES; n++) {
        double now = s->row[n].sees[k][view];
        if (!s->row[n].last)
            continue;
        if (!isnan(last) && now != last)
            have[haves++] = s->row[n].time;
        last = now;
    }
    views_truth(s->c, r, &t);
    check_times(s, rule_name("times", seer[view]), t.time, t.count, have, haves,
                t.unsure, t.doubts, time_room(s->c, r));
}

static void check_condit(const Seen *s, uint32_t k)
{
    const Relation *r = &s->c->relation[k];
    double want[VIEWS_CHANGES], have[VIEWS_LOOKS];
    uint32_t wants = 0, haves = looks(s, "E", k);
    Crossings x;
    Relation alone;
    for (uint32_t n = 0; n < haves; n++) {
        double d = looked(s, 'D', "E", k, n);
        have[n] = looked(s, 'T', "E", k, n);
        if (d * r->direction < 0 && !(have[n] == s->c->to && fabs(d) < 1e-9))
            found(s->f, "condit-side",
                  "E%u at TIME = %.17g is on the near side, at %.17g", k + 1,
                  have[n], d);
    }
    alone = *r;
    alone.atoms = 1;
    views_crossings(s->c, r, &x);
    if (haves == VIEWS_LOOKS || x.flat || is_delicate(s->c, &alone))
        return;
    for (uint32_t n = 0; n < x.count; n++)
        if (r->direction == 0 || r->direction == x.way[n])
            want[wants++] = x.time[n];
    if (signal_exact(&s->c->signal[r->atom[0].signal]))
        x.doubts = 0;
    x.unsure[x.doubts < VIEWS_CHANGES ? x.doubts++ : 0] = s->end;
    check_times(s, "condit-times", want, wants, have, haves, x.unsure, x.doubts,
                time_room(s->c, r));
    check_end_crossing(s, k, haves > 0 ? have[haves - 1] : NAN);
}

/* ---- The end --------------------------------------------------------------- */

static void check_finish(Seen *s)
{
    const Case *c = s->c;
    const Relation *r = &c->relation[0];
    Truth t;
    double first = c->to, value[VIEWS_SIGNALS], room = time_room(c, r);
    if (!(r->views & VIEW_FINISH))
        return;
    for (uint32_t k = 0; k < s->rows; k++)
        if (s->row[k].last && s->row[k].time < s->end &&
            relation_holds(r, s->row[k].value)) {
            found(s->f, "finish-late",
                  "relation 1 holds in the row of TIME = %.17g, FINISH ends at "
                  "%.17g",
                  s->row[k].time, s->end);
            break;
        }
    if (s->end < c->to && tree_number(s->final, "TR1") != 1)
        found(s->f, "finish-false",
              "relation 1 does not hold in TERMINAL where FINISH ended, TIME = "
              "%.17g",
              s->end);
    if (is_delicate(c, r))
        return;
    views_truth(c, r, &t);
    if (t.count > 0)
        first = t.time[0];
    for (uint32_t k = 0; k < c->signals; k++)
        value[k] = signal_value(&c->signal[k], c->from, c->from, AT);
    if (t.begins || relation_holds(r, value))
        first = c->from;
    if (s->end > first + room)
        found(s->f, "finish-time", "FINISH ends at TIME = %.17g, not at %.17g",
              s->end, first);
    if (s->end < first - room && !is_near(t.unsure, t.doubts, s->end, room))
        found(s->f, "finish-time", "FINISH ends at TIME = %.17g, not at %.17g",
              s->end, first);
}

static void check_end(const Seen *s)
{
    const Row *r = &s->row[s->rows - 1];
    char name[16];
    if (r->time != s->end || tree_number(s->final, "ENDTIME") != s->end)
        found(s->f, "end-time",
              "t_end is %.17g, the last row is of %.17g, TERMINAL of %.17g",
              s->end, r->time, tree_number(s->final, "ENDTIME"));
    for (uint32_t k = 0; k < s->c->signals; k++) {
        double value = 0;
        snprintf(name, sizeof name, "%c%u", signal_letter(s->c->signal[k].kind),
                 k + 1);
        value = tree_number(s->final, name);
        if (!isnan(value) && value != r->value[k])
            found(s->f, "end-value", "%s is %.17g at the end, %.17g in the row",
                  name, value, r->value[k]);
    }
    for (uint32_t k = 0; k < s->c->relations; k++) {
        bool holds = relation_holds(&s->c->relation[k], r->value);
        for (int v = -1; v <= SEES_WAIT; v++) {
            double sees = 0;
            if (v == SEES_WAIT && s->cut)
                continue;
            for (int terminal = 0; terminal < 2; terminal++) {
                snprintf(name, sizeof name, "%s%c%u", terminal ? "T" : "",
                         v < 0 ? 'R' : seer_name[v], k + 1);
                sees = tree_number(s->final, name);
                if (!isnan(sees) && (sees != 0) != holds)
                    found(s->f, rule_name("end", v < 0 ? "TERMINAL" : seer[v]),
                          "at the end, TIME = %.17g, relation %u is %d, %s is "
                          "%g",
                          s->end, k + 1, holds, name, sees);
            }
        }
    }
}

/* ---- Everything
   ------------------------------------------------------------ */

static void check_case(Seen *s)
{
    s->cut = s->end < s->c->to || ((s->c->relation[0].views & VIEW_FINISH) &&
                                   tree_number(s->final, "TR1") == 1);
    if (s->end < s->c->to && !(s->c->relation[0].views & VIEW_FINISH))
        found(s->f, "end-early", "the run ends at TIME = %.17g", s->end);
    if (s->rows == 0) {
        found(s->f, "no-rows", "there are no rows");
        return;
    }
    check_rows(s);
    for (uint32_t k = 0; k < s->c->relations; k++) {
        unsigned views = s->c->relation[k].views;
        check_switch_times(s, k, SEES_IF);
        check_switch_times(s, k, SEES_LOGIC);
        check_looks(s, "S", k);
        check_looks(s, "J", k);
        if (views & VIEW_WAIT) {
            check_looks(s, "W", k);
            check_wait_times(s, k);
        }
        if (views & VIEW_CONDIT) {
            check_looks(s, "E", k);
            check_condit(s, k);
        }
    }
    check_end(s);
    check_finish(s);
}

/* How a run failed. */
static const char *run_rule(const HuntRun *run)
{
    if (run->late || strstr(run->errors, "--limit-wall"))
        return "run-hangs";
    if (strstr(run->errors, "limit of 3000 events"))
        return "run-endless";
    if (run->exit >= 128)
        return "run-crashes";
    return run->exit == 1 ? "refused" : "run-fails";
}

bool views_check(const Hunt *h, Arena *a, const Case *c, const char *folder,
                 Findings *f)
{
    static const char *const words[] = {"run",
                                        "views.cosy",
                                        "--backend=tcc",
                                        "--quiet",
                                        "--limit-wall",
                                        "2",
                                        "--threads",
                                        "1",
                                        "--limit-events",
                                        "3000",
                                        NULL};
    Buffer b = {.broken = false};
    HuntRun run;
    Seen s = {.c = c, .f = f};
    const Tree *one = NULL;
    const char *rows = NULL;
    char path[HUNT_PATH];
    f->count = 0;
    views_text(c, &b);
    if (!hunt_write(folder, "views.cosy", buffer_string(&b))) {
        buffer_free(&b);
        return false;
    }
    buffer_free(&b);
    if (!hunt_run(h, a, folder, "views", words, 20, &run))
        return false;
    one = tree_get(run.summary, "runs");
    one = one ? one->first : NULL;
    if (run.exit != 0 || run.late || !one ||
        strcmp(tree_text(one, "status"), "finished") != 0) {
        found(f, run_rule(&run), "exit status %d: %.300s", run.exit,
              run.errors ? run.errors : "");
        return true;
    }
    s.final = tree_get(one, "final");
    s.end = tree_number(one, "t_end");
    snprintf(path, sizeof path, "%.900s/run-0001.csv", run.results);
    rows = hunt_read(a, path);
    if (rows)
        read_rows(a, rows, &s);
    check_case(&s);
    return true;
}
