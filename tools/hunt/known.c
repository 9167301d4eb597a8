#include "hunt/known.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/method_facts.h"

/* The part `known`: programs composed of pieces, each with its answer. */

enum { KNOWN_FIXED = 500 }; // programs of the fixed selection

static const struct {
    const char *name;
    KnownPiece *write;
    bool open;
} pieces[] = {
#define PIECE(name) {#name, piece_##name, false},
#define OPEN(name)  {#name, piece_##name, true},
#include "hunt/known_pieces.def"
#undef PIECE
#undef OPEN
};

/* What a program is made from: everything else follows. */
typedef struct Recipe {
    uint64_t seed;
    uint32_t count;
    uint32_t piece[KNOWN_PIECES];
    uint64_t piece_seed[KNOWN_PIECES];
    double to, end;     // end < to: FINISH
    double slope;       // slope of the ramp that FINISH watches
    const char *method; // NULL: not written
    double relerr, comint;
    bool extended, stores;
} Recipe;

/* ---- For pieces ------------------------------------------------------------ */

static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t known_below(Known *k, uint32_t n)
{
    return (uint32_t)(next(&k->state) % n);
}

/* The number that this text stands for; programs contain the same text. */
static double rounded(double v, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*g", digits, v);
    return strtod(text, NULL);
}

double known_between(Known *k, double low, double high)
{
    double part = (double)(next(&k->state) >> 11) * 0x1p-53;
    double v = rounded(low + (high - low) * part, known_chance(k, 3) ? 1 : 3);
    /* Round numbers coincide with each other, with clock ticks and with ends of
       intervals. */
    return fmin(fmax(v, low), high);
}

bool known_chance(Known *k, uint32_t one_in)
{
    return known_below(k, one_in) == 0;
}

void known_put(Known *k, Section s, const char *format, ...)
{
    char text[1000];
    va_list list;
    int n = 0;
    va_start(list, format);
    n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    assert(n >= 0 && (size_t)n < sizeof text);
    for (const char *c = text; *c; c++)
        if (*c == '@')
            buffer_text(&k->section[s], k->prefix);
        else
            buffer_char(&k->section[s], *c);
}

static Expect *expect(Known *k, ExpectKind kind, const char *name, double value,
                      double room)
{
    Expect *e = &k->expect[k->expected];
    assert(room >= 0 && isfinite(value));
    if (k->expected + 1 < KNOWN_EXPECTED)
        k->expected++;
    *e =
        (Expect){.kind = kind, .value = value, .room = room, .piece = k->piece};
    snprintf(e->name, sizeof e->name, "%s%s", k->prefix, name);
    return e;
}

void known_final(Known *k, const char *name, long double value, double growth)
{
    expect(k, EXPECT_FINAL, name, (double)value, k->room * growth);
}

void known_exact(Known *k, const char *name, double value)
{
    expect(k, EXPECT_FINAL, name, value, 0);
}

void known_events(Known *k, const char *name, uint32_t count)
{
    expect(k, EXPECT_EVENTS, name, count, 0);
}

void known_time(Known *k, const char *name, uint32_t nth, long double value,
                double growth)
{
    expect(k, EXPECT_TIME, name, (double)value, k->room * growth)->nth = nth;
}

void known_statistic(Known *k, const char *group, const char *name,
                     const char *member, double value)
{
    Expect *e = expect(k, EXPECT_STATISTIC, name, value,
                       value == floor(value) ? 1e-12 * fabs(value)
                                             : 1e-11 * (1 + fabs(value)));
    e->group = group;
    e->member = member;
}

/* ---- Programs -------------------------------------------------------------- */

/* How many of the pieces are used: in the fixed selection those that are not
   open. */
static uint32_t pieces_of(const Hunt *h)
{
    uint32_t n = 0;
    while (n < LENGTH(pieces) && (h->seconds > 0 || !pieces[n].open))
        n++;
    return n;
}

static void make_recipe(const Hunt *h, Recipe *r, uint64_t seed)
{
    static const char *const methods[] = {
        NULL, NULL, NULL, NULL, // AUTO
#define CONTROLLED(name) #name,
#define FIXED(name)
#define METHOD(name, table, kind, step, ...) step(name)
#include "base/methods.def"
#undef METHOD
#undef FIXED
#undef CONTROLLED
    };
    static const double relerrs[] = {0, 0, 1e-4, 1e-6, 1e-8};
    static const double comints[] = {0, 0, 0.1, 0.37, 1, 3};
    Known draw = {.state = seed * 0x2545f4914f6cdd1du + 1234567};
    *r = (Recipe){.seed = seed};
    r->count = 1 + known_below(&draw, KNOWN_PIECES);
    for (uint32_t n = 0; n < r->count; n++) {
        r->piece[n] = known_below(&draw, pieces_of(h));
        r->piece_seed[n] = next(&draw.state);
    }
    r->to = r->end = known_between(&draw, 1, 20) + 0.000377;
    r->slope = known_between(&draw, 0.2, 3);
    if (known_chance(&draw, 4))
        r->end = known_between(&draw, 0.3, r->to);
    r->method = methods[known_below(&draw, LENGTH(methods))];
    r->relerr = relerrs[known_below(&draw, LENGTH(relerrs))];
    r->comint = comints[known_below(&draw, LENGTH(comints))];
    r->extended = known_chance(&draw, 8);
    if (r->method && method_facts_find(r->method)->only_double)
        r->extended = false;
    r->stores = known_chance(&draw, 2);
}

/* Names that are not words of the language: they have a digit in the middle. */
static void make_prefix(Known *k, uint32_t n)
{
    uint32_t length = 1 + known_below(k, 3);
    uint32_t at = 0;
    for (; at < length; at++)
        k->prefix[at] = (char)('A' + known_below(k, 26));
    k->prefix[at++] = (char)('1' + n);
    k->prefix[at] = 0;
}

/* The tolerance. Multi-step methods and those of low order are less
   accurate. */
static double method_room(const Recipe *r)
{
    double relerr = r->relerr > 0 ? r->relerr : 1e-6;
    if (!r->method)
        return relerr;
    if (strcmp(r->method, "TRAPEZ") == 0) // order 2: errors of steps add up
        return pow(relerr, 2.0 / 3);
    if (method_facts_find(r->method)->multi_step)
        return 100 * relerr;
    return relerr;
}

static void write_pieces(const Recipe *r, Known *k)
{
    memset(k, 0, sizeof *k);
    k->to = r->to;
    k->end = r->end;
    k->room = method_room(r);
    buffer_text(&k->section[IN_INITIAL], "    COUNTER0 := 0");
    for (uint32_t n = 0; n < r->count; n++) {
        k->piece = n;
        k->state = r->piece_seed[n];
        make_prefix(k, n);
        pieces[r->piece[n]].write(k);
    }
    k->prefix[0] = 0;
    k->piece = r->count;
    if (r->end < r->to) {
        known_put(k, IN_VAR, "  STATE STOP0;\n");
        known_put(k, IN_CONTINUOUS, "    STOP0' = %g; FINISH STOP0 > %.17g;\n",
                  r->slope, r->slope * r->end);
    }
    expect(k, EXPECT_END, "", r->end, r->end < r->to ? k->room : 0);
}

static void put_section(Buffer *b, Known *k, Section s, const char *before,
                        const char *after)
{
    if (k->section[s].v.used == 0)
        return;
    buffer_text(b, before);
    buffer_text(b, buffer_string(&k->section[s]));
    buffer_text(b, after);
}

static void write_experiment(const Recipe *r, Buffer *b, Known *k)
{
    buffer_text(b, "EXPERIMENT\n");
    if (r->method || r->relerr > 0 || r->extended) {
        buffer_text(b, "  INTEGRAT");
        if (r->method)
            buffer_format(b, " METHOD %s", r->method);
        if (r->relerr > 0)
            buffer_format(b, " RELERR = %g", r->relerr);
        if (r->extended)
            buffer_text(b, " PRECISION = EXTENDED");
        buffer_text(b, ";\n");
    }
    put_section(b, k, IN_EXPERIMENT, "", "");
    buffer_format(b, "  SIMULATE FROM 0 TO %.17g", r->to);
    if (r->comint > 0)
        buffer_format(b, " COMINT = %g", r->comint);
    buffer_text(b, "\nEND;\n");
}

static void write_program(const Recipe *r, Known *k, Buffer *b)
{
    bool events = k->section[IN_EVENTS].v.used || k->section[IN_TEVENTS].v.used;
    buffer_text(b, "PROGRAM KNOWN;\n");
    put_section(b, k, IN_VAR, "VAR\n  INTEGER COUNTER0;\n", "");
    buffer_text(b, r->stores ? "STORE COUNTER0;\n" : "");
    put_section(b, k, IN_ROUTINES, "", "");
    write_experiment(r, b, k);
    buffer_text(b, "SYSTEM\n");
    put_section(b, k, IN_INITIAL, "  INITIAL\n", "\n  END;\n");
    put_section(b, k, IN_CONTINUOUS, "  CONTINUOUS\n", "  END;\n");
    buffer_text(b, "  DISCRETE\n");
    if (events) {
        buffer_text(b, "  EVENTS\n");
        put_section(b, k, IN_EVENTS, "", "");
        put_section(b, k, IN_TEVENTS, "    TEVENTS:\n", "    END\n");
        buffer_text(b, "  END;\n");
    }
    put_section(b, k, IN_SAMPLES, "  SAMPLES\n", "  END;\n");
    put_section(b, k, IN_PROCESSES, "  PROCESSES\n", "  END\n");
    buffer_text(b, "  END\nEND;\nEND.\n");
}

/* ---- Answers --------------------------------------------------------------- */

typedef struct Answer {
    const Tree *final, *statistics;
    const char *events;
    double end;
} Answer;

/* The time of the nth line of an event, or how many there are. */
static double event_line(const char *events, const char *name, uint32_t nth,
                         uint32_t *count)
{
    size_t length = strlen(name);
    *count = 0;
    for (const char *line = events; line && *line;) {
        const char *comma = strchr(line, ',');
        const char *end = strchr(line, '\n');
        if (comma && strncmp(comma + 1, name, length) == 0 &&
            comma[1 + length] == ',') {
            if (*count == nth)
                return strtod(line, NULL);
            ++*count;
        }
        line = end ? end + 1 : NULL;
    }
    return NAN;
}

static double answer_of(const Answer *a, const Expect *e)
{
    uint32_t count = 0;
    switch (e->kind) {
    case EXPECT_FINAL: return tree_number(a->final, e->name);
    case EXPECT_EVENTS:
        event_line(a->events, e->name, UINT32_MAX, &count);
        return count;
    case EXPECT_TIME: return event_line(a->events, e->name, e->nth, &count);
    case EXPECT_STATISTIC:
        return tree_number(tree_get(tree_get(a->statistics, e->group), e->name),
                           e->member);
    case EXPECT_END: return a->end;
    }
    return NAN;
}

typedef struct Wrong {
    uint32_t piece; // number in the recipe; its count stands for the run as a
                    // whole
    char text[400];
} Wrong;

static void say(const Recipe *r, const Expect *e, double got, Wrong *w)
{
    const char *kind[] = {"at the end", "events", "time of event", "", "t_end"};
    w->piece = e->piece;
    snprintf(w->text, sizeof w->text,
             "%s: %s %s%s%s%.0u: %.17g, right is %.17g, room %.3g",
             e->piece < r->count ? pieces[r->piece[e->piece]].name : "run",
             e->name, kind[e->kind], e->group ? e->group : "",
             e->member ? e->member : "", e->kind == EXPECT_TIME ? e->nth : 0,
             got, e->value, e->room);
}

/* Runs it. False: nothing is wrong. */
static bool is_wrong(const Hunt *h, const Recipe *r, const char *folder,
                     Wrong *w)
{
    static const char *const words[] = {"run",
                                        "known.cosy",
                                        "--backend=tcc",
                                        "--quiet",
                                        "--limit-wall",
                                        "10",
                                        "--threads",
                                        "1",
                                        "--limit-events",
                                        "300000",
                                        NULL};
    static Known k;
    Arena a = {.block = NULL};
    Buffer b = {.broken = false};
    HuntRun run;
    Answer answer;
    const Tree *one = NULL;
    char path[HUNT_PATH];
    bool wrong = false;
    write_pieces(r, &k);
    write_program(r, &k, &b);
    hunt_write(folder, "known.cosy", buffer_string(&b));
    for (Section s = 0; s < SECTIONS; s++)
        buffer_free(&k.section[s]);
    buffer_free(&b);
    if (!hunt_run(h, &a, folder, "known", words, 30, &run))
        return false;
    one = tree_get(run.summary, "runs");
    one = one ? one->first : NULL;
    if (run.exit != 0 || !one ||
        strcmp(tree_text(one, "status"), "finished") != 0) {
        snprintf(w->text, sizeof w->text, "exit status %d: %.300s", run.exit,
                 run.errors);
        w->piece = r->count;
        arena_free(&a);
        return true;
    }
    snprintf(path, sizeof path, "%.900s/events-0001.csv", run.results);
    answer = (Answer){tree_get(one, "final"), tree_get(one, "statistics"),
                      hunt_read(&a, path), tree_number(one, "t_end")};
    for (uint32_t n = 0; n < k.expected && !wrong; n++) {
        double got = answer_of(&answer, &k.expect[n]);
        wrong = !(fabs(got - k.expect[n].value) <= k.expect[n].room);
        if (wrong)
            say(r, &k.expect[n], got, w);
        else if (h->verbose && k.expect[n].room > 0)
            printf("known: error %s %s %.3g of its room\n",
                   k.expect[n].piece < r->count
                       ? pieces[r->piece[k.expect[n].piece]].name
                       : "run",
                   r->method ? r->method : "AUTO",
                   fabs(got - k.expect[n].value) / k.expect[n].room);
    }
    arena_free(&a);
    return wrong;
}

/* Leaves out the nth thing; false if there are no more. */
static bool leave_out(Recipe *r, uint32_t n)
{
    if (n < KNOWN_PIECES) {
        if (n < r->count && r->count > 1) {
            for (uint32_t k = n; k + 1 < r->count; k++) {
                r->piece[k] = r->piece[k + 1];
                r->piece_seed[k] = r->piece_seed[k + 1];
            }
            r->count--;
        }
        return true;
    }
    switch (n - KNOWN_PIECES) {
    case 0: r->method = NULL; return true;
    case 1: r->relerr = 0; return true;
    case 2: r->comint = 0; return true;
    case 3: r->extended = false; return true;
    case 4: r->stores = false; return true;
    case 5: r->to = r->end; return true;
    default: return false;
    }
}

/* Makes it smaller while the same piece stays wrong. */
static void make_small(const Hunt *h, Recipe *r, const char *folder, Wrong *w)
{
    bool smaller = true;
    while (smaller) {
        smaller = false;
        for (uint32_t n = 0;; n++) {
            Recipe less = *r;
            Wrong now = {.piece = 0};
            size_t same = strcspn(w->text, ":");
            if (!leave_out(&less, n))
                break;
            if (memcmp(&less, r, sizeof less) != 0 &&
                is_wrong(h, &less, folder, &now) &&
                strncmp(now.text, w->text, same) == 0) {
                *r = less;
                *w = now;
                smaller = true;
            }
        }
    }
    is_wrong(h, r, folder, w);
}

void hunt_known(Hunt *h)
{
    uint64_t first = h->only ? strtoull(h->only, NULL, 10) : h->seed * 1000000;
    Arena a = {.block = NULL};
    const char *folder = hunt_folder(h, &a);
    for (uint64_t k = 0; folder && hunt_left(h) > 0; k++) {
        Recipe r;
        Wrong w = {.piece = 0};
        char what[40], again[80];
        if ((h->seconds == 0 && k == KNOWN_FIXED / h->thin) ||
            (h->only && k == 1))
            break;
        make_recipe(h, &r, first + k);
        if (!is_wrong(h, &r, folder, &w)) {
            hunt_tried(h, "known");
            continue;
        }
        make_small(h, &r, folder, &w);
        snprintf(what, sizeof what, "program %llu", (unsigned long long)r.seed);
        snprintf(again, sizeof again, "--only %llu%s known",
                 (unsigned long long)r.seed,
                 h->seconds > 0 ? " --seconds 1" : "");
        hunt_wrong(h, what, folder, again, "%s", w.text);
        folder = hunt_folder(h, &a);
    }
    if (folder)
        hunt_remove(folder);
    arena_free(&a);
}
