/* One equation: a change of sign, then Chandrupatla's method (A new hybrid
   quadratic/bisection algorithm for finding the zero of a nonlinear function, Adv.
   Eng. Software 28, 1997). */

#include <assert.h>

#include "search/roots_own.h"

/* A point that was evaluated; f is NaN where the trial failed. */
typedef struct Place {
    real x, f;
} Place;

enum {
    PIECES = 16, // of the range, when its ends do not differ in sign
    ROUNDS = 64, // of steps outwards
    POINT_ROOM = 128
};

static bool good(Place a)
{
    return cosy_finite(a.f);
}

/* A sign change between two good places; a zero is one, unless F has faded away. */
static bool differ(const RootSearch *s, Place a, Place b)
{
    if (!good(a) || !good(b) || (s->faded && (a.f == R(0.0) || b.f == R(0.0))))
        return false;
    return (a.f <= R(0.0) && b.f >= R(0.0)) || (a.f >= R(0.0) && b.f <= R(0.0));
}

/* Evaluates places at the same time. */
static Status look(RootSearch *s, size_t n, Place *place)
{
    real x[PIECES + 1] = {R(0.0)}, f[PIECES + 1];
    Status each[PIECES + 1];
    assert(n <= PIECES + 1);
    for (size_t k = 0; k < n; k++)
        x[k] = place[k].x;
    Status end = ledger_many(&s->ledger, n, x, f, each);
    for (size_t k = 0; k < n; k++)
        place[k].f = end == STATUS_OK && each[k] == STATUS_OK ? f[k] : COSY_NAN;
    return end;
}

/* ---- Between bounds ------------------------------------------------------------- */

static void sort_places(size_t n, Place *place)
{
    for (size_t k = 1; k < n; k++)
        for (size_t j = k; j > 0 && place[j].x < place[j - 1].x; j--) {
            Place kept = place[j];
            place[j] = place[j - 1];
            place[j - 1] = kept;
        }
}

/* The first change of sign among neighbours, or the one nearest to the start. */
static bool find_change(const RootSearch *s, size_t n, const Place *place,
                        Place bracket[2])
{
    real nearest = COSY_INFINITY;
    bool found = false;
    for (size_t k = 0; k + 1 < n; k++) {
        real middle = (place[k].x + place[k + 1].x) / R(2.0);
        real away =
            s->q->start == NULL ? (real)k : cosy_abs(middle - s->q->start[0]);
        if (!differ(s, place[k], place[k + 1]) || !(away < nearest))
            continue;
        nearest = away;
        bracket[0] = place[k];
        bracket[1] = place[k + 1];
        found = true;
    }
    return found;
}

/* "P = 2" */
static void name_point(const RootSearch *s, real x, char text[POINT_ROOM])
{
    char name[NUMBER_ROOM], number[NUMBER_ROOM];
    snprintf(text, POINT_ROOM, "%.60s = %.40s", space_name(&s->space, 0, name),
             search_number(x, number));
}

static void say_none(RootSearch *s, size_t n, const Place *place)
{
    char name[NUMBER_ROOM], p[POINT_ROOM], number[NUMBER_ROOM];
    const char *f = equation_name(s->q, 0, name);
    bool failed = true;
    for (size_t k = 0; k < n; k++)
        failed = failed && !good(place[k]);
    s->answer->end = failed ? ROOT_FAILED : ROOT_NO_SIGN_CHANGE;
    if (s->faded) {
        name_point(s, s->edge, p);
        SAY(s,
            "%s only becomes too small for a number, near %s, and changes its "
            "sign nowhere: that is no root.",
            f, p);
        return;
    }
    if (failed) {
        SAY(s, "All %zu trials failed.", s->answer->history.count);
        return;
    }
    /* Ends at which a trial failed say nothing. */
    size_t from = 0, to = n - 1;
    while (from < to && !good(place[from]))
        from++;
    while (to > from && !good(place[to]))
        to--;
    name_point(s, place[from].x, p);
    SAY(s, "%s is %s at %s", f, search_number(place[from].f, number), p);
    SAY(s, " and %s at %s: it has the same sign at all %zu points that were ",
        search_number(place[to].f, number), search_number(place[to].x, p),
        s->answer->history.count - s->ledger.failures - s->ledger.infinite);
    SAY(s, "tried. Give bounds between which it changes its sign, or MINIMIZE "
           "its square.");
}

static Status between_bounds(RootSearch *s, Place bracket[2], bool *found)
{
    real low = s->q->low[0], high = s->q->high[0];
    Place place[PIECES + 3] = {{low, R(0.0)}, {high, R(0.0)}};
    size_t n = 2;
    if (s->q->start != NULL && s->q->start[0] > low && s->q->start[0] < high)
        place[n++].x = s->q->start[0];
    TRY(look(s, n, place));
    sort_places(n, place);
    *found = find_change(s, n, place, bracket);
    if (*found)
        return STATUS_OK;
    for (size_t k = 1; k < PIECES; k++)
        place[n + k - 1].x = low + (high - low) * (real)k / (real)PIECES;
    TRY(look(s, PIECES - 1, place + n));
    n += PIECES - 1;
    sort_places(n, place);
    *found = find_change(s, n, place, bracket);
    if (!*found)
        say_none(s, n, place);
    return STATUS_OK;
}

/* ---- From the start outwards ------------------------------------------------------- */

/* One of the two ways. */
typedef struct Way {
    Place last, next;
    real step; // signed; 0: the way is over
    real wall; // a bound, or where a trial has failed
} Way;

static void way_next(Way *w)
{
    real next = w->last.x + w->step;
    bool beyond = w->step > R(0.0) ? next >= w->wall : next <= w->wall;
    w->next.x = beyond ? w->wall : next;
    if (w->next.x == w->last.x || !cosy_finite(w->next.x))
        w->step = R(0.0);
}

/* Where a trial has failed steps become shorter instead of longer. */
static void way_take(Way *w)
{
    if (w->step == R(0.0))
        return;
    if (good(w->next)) {
        bool end = w->next.x == w->wall;
        w->last = w->next;
        w->step = end ? R(0.0) : w->step * R(2.0);
        return;
    }
    w->wall = w->next.x;
    w->step = (w->next.x - w->last.x) / R(4.0);
    if (cosy_abs(w->step) <= R(1e-6) * cosy_abs(w->last.x))
        w->step = R(0.0);
}

static Status step_outwards(RootSearch *s, Way way[2])
{
    Place place[2];
    size_t n = 0;
    for (int k = 0; k < 2; k++)
        if (way[k].step != R(0.0))
            way_next(&way[k]);
    for (int k = 0; k < 2; k++)
        if (way[k].step != R(0.0))
            place[n++] = way[k].next;
    if (n == 0)
        return STATUS_OK;
    TRY(look(s, n, place));
    n = 0;
    for (int k = 0; k < 2; k++)
        if (way[k].step != R(0.0))
            way[k].next = place[n++];
    return STATUS_OK;
}

static Status from_start(RootSearch *s, Place bracket[2], bool *found)
{
    Place start = {s->q->start[0], R(0.0)};
    real step = R(0.05) * space_size(&s->space, 0);
    TRY(look(s, 1, &start));
    *found = false;
    if (!good(start)) {
        char p[POINT_ROOM];
        s->answer->end = ROOT_FAILED;
        name_point(s, start.x, p);
        SAY(s, "The trial at the start, %s, fails: begin elsewhere.", p);
        return STATUS_OK;
    }
    Way way[2] = {{start, start, -step, space_low(&s->space, 0)},
                  {start, start, step, space_high(&s->space, 0)}};
    for (int round = 0; round < ROUNDS; round++) {
        TRY(step_outwards(s, way));
        for (int k = 0; k < 2 && !*found; k++) {
            *found =
                way[k].step != R(0.0) && differ(s, way[k].last, way[k].next);
            bracket[0] = way[k].last;
            bracket[1] = way[k].next;
            way_take(&way[k]);
        }
        if (*found)
            return STATUS_OK;
        if (way[0].step == R(0.0) && way[1].step == R(0.0))
            break;
    }
    Place ends[2] = {way[0].last, way[1].last};
    say_none(s, 2, ends);
    return STATUS_OK;
}

/* ---- Zeros that are none --------------------------------------------------------- */

/* Below this F has hardly any digits left to lose. */
#define FADED (COSY_REAL_MIN / COSY_EPSILON)

/* A place where F is not zero: the nearest of those that a few ever longer steps to
   both sides lead to. */
static Status find_some(RootSearch *s, Place none, Place *some)
{
    enum { STEPS = 12 };
    real step = R(0.1) * cosy_max(cosy_abs(none.x), space_size(&s->space, 0));
    for (int k = 0; k < STEPS; k++, step *= R(2.0)) {
        Place side[2] = {
            {cosy_max(none.x - step, space_low(&s->space, 0)), R(0.0)},
            {cosy_min(none.x + step, space_high(&s->space, 0)), R(0.0)}};
        TRY(look(s, 2, side));
        for (int i = 0; i < 2; i++)
            if (good(side[i]) && side[i].f != R(0.0)) {
                *some = side[i];
                return STATUS_OK;
            }
    }
    return STATUS_OK;
}

/* Halves the way to where F becomes zero. Not found: a trial fails, or F changes its sign
   on the way, which is then the bracket. */
static Status find_edge(RootSearch *s, Place bracket[2], Place *some,
                        Place *none, bool *found)
{
    const real floor = R(1e-9) * space_size(&s->space, 0);
    *found = true;
    while (*found && cosy_abs(none->x - some->x) >
                         cosy_max(R(1e-3) * cosy_abs(none->x), floor)) {
        Place middle = {some->x + (none->x - some->x) / R(2.0), R(0.0)};
        TRY(look(s, 1, &middle));
        bool same = (middle.f > R(0.0)) == (some->f > R(0.0));
        *found = good(middle) && (same || middle.f == R(0.0));
        if (good(middle) && !*found) {
            bracket[0] = *some;
            bracket[1] = middle;
        }
        if (middle.f == R(0.0))
            *none = middle;
        else
            *some = middle;
    }
    return STATUS_OK;
}

/* EXP(-P) is zero from P = 745 on, because no number is as small as its value there. Such
   zeros have others beyond them, and what is next to them is hardly a number any more: a
   thousandth away from a root F is not that small, however flat it is. */
static Status has_faded(RootSearch *s, Place bracket[2])
{
    bool first = bracket[0].f == R(0.0), at_edge;
    Place none = bracket[!first], some = bracket[first];
    if (none.f != R(0.0))
        return STATUS_OK;
    if (some.f == R(0.0))
        TRY(find_some(s, none, &some));
    if (some.f == R(0.0))
        return STATUS_OK;
    real x = none.x + (none.x - some.x) / R(2.0);
    Place beyond = {cosy_min(cosy_max(x, space_low(&s->space, 0)),
                             space_high(&s->space, 0)),
                    R(0.0)};
    TRY(look(s, 1, &beyond));
    if (good(beyond) && beyond.f != R(0.0))
        return STATUS_OK;
    TRY(find_edge(s, bracket, &some, &none, &at_edge));
    s->faded = at_edge && cosy_abs(some.f) < FADED;
    s->edge = none.x;
    return STATUS_OK;
}

/* ---- Narrowing ---------------------------------------------------------------------- */

/* The sign changes between a and b; a is the newer one, c the one before. */
typedef struct Narrow {
    Place a, b, c;
} Narrow;

/* Where to go from a towards b, as a share. */
static real share_of(const Narrow *n)
{
    real xi = (n->a.x - n->b.x) / (n->c.x - n->b.x);
    real phi = (n->a.f - n->b.f) / (n->c.f - n->b.f);
    if (!(phi * phi < xi) || !((R(1.0) - phi) * (R(1.0) - phi) < R(1.0) - xi))
        return R(0.5);
    real ab = n->a.f / (n->b.f - n->a.f), cb = n->c.f / (n->b.f - n->c.f);
    real ac = n->a.f / (n->c.f - n->a.f), bc = n->b.f / (n->c.f - n->b.f);
    real t = ab * cb + (n->c.x - n->a.x) / (n->b.x - n->a.x) * ac * bc;
    return cosy_finite(t) ? t : R(0.5);
}

/* Evaluates at the share t, or elsewhere where the trial fails. */
static Status probe(RootSearch *s, const Narrow *n, real t, Place *at)
{
    static const real others[] = {R(0.5), R(0.3), R(0.7), R(0.1), R(0.9)};
    at->x = n->a.x + t * (n->b.x - n->a.x);
    TRY(look(s, 1, at));
    for (size_t k = 0; !good(*at) && k < LENGTH(others); k++) {
        at->x = n->a.x + others[k] * (n->b.x - n->a.x);
        TRY(look(s, 1, at));
    }
    return STATUS_OK;
}

static void take(Narrow *n, Place at)
{
    if ((at.f > R(0.0)) == (n->a.f > R(0.0))) {
        n->c = n->a;
    } else {
        n->c = n->b;
        n->b = n->a;
    }
    n->a = at;
}

static Place smaller(Place a, Place b)
{
    return cosy_abs(a.f) <= cosy_abs(b.f) ? a : b;
}

/* How near both ends have to come. */
static real nearness(const RootSearch *s, const Narrow *n)
{
    real size = R(1e-3) * space_size(&s->space, 0);
    real x = cosy_abs(smaller(n->a, n->b).x);
    return roots_precise(s->q) * cosy_max(x, size);
}

static Status narrow(RootSearch *s, Narrow *n)
{
    real t = R(0.5);
    for (;;) {
        Place at;
        real width = cosy_abs(n->b.x - n->a.x);
        real least = nearness(s, n);
        if (n->a.f == R(0.0) || n->b.f == R(0.0) || width <= least)
            return STATUS_OK;
        real edge = cosy_min(least / (R(2.0) * width), R(0.5));
        t = cosy_min(cosy_max(t, edge), R(1.0) - edge);
        TRY(probe(s, n, t, &at));
        if (!good(at))
            return STATUS_NUMBER;
        if (at.x == n->a.x || at.x == n->b.x)
            return STATUS_OK; // no number lies between
        take(n, at);
        s->answer->steps++;
        t = share_of(n);
    }
}

/* Values at a jump do not shrink with the bracket. The power keeps zeros at which F
   rises steeply, like a cube root. */
static bool is_pole(const Narrow *n, const Place first[2])
{
    real width = cosy_abs(n->b.x - n->a.x);
    real shrunk = width / cosy_abs(first[1].x - first[0].x);
    real least = cosy_abs(smaller(n->a, n->b).f);
    if (least == R(0.0) || shrunk > R(1e-4))
        return false;
    real bound = cosy_pow(shrunk, R(0.125));
    return least > bound * cosy_abs(smaller(first[0], first[1]).f);
}

static void conclude(RootSearch *s, const Narrow *n, const Place first[2])
{
    RootAnswer *answer = s->answer;
    char name[NUMBER_ROOM], x[POINT_ROOM], below[NUMBER_ROOM],
        above[NUMBER_ROOM];
    bool exact = n->a.f == R(0.0) || n->b.f == R(0.0);
    bool up = n->a.x < n->b.x;
    answer->between[0] = cosy_min(n->a.x, n->b.x);
    answer->between[1] = cosy_max(n->a.x, n->b.x);
    answer->condition = R(1.0);
    if (is_pole(n, first)) {
        answer->end = ROOT_POLE;
        name_point(s, n->a.x, x);
        SAY(s,
            "%s changes its sign at %s by a jump from %s to %s, and is zero "
            "nowhere near.",
            equation_name(s->q, 0, name), x,
            search_number(up ? n->a.f : n->b.f, below),
            search_number(up ? n->b.f : n->a.f, above));
        return;
    }
    answer->end = ROOT_FOUND;
    real width = exact ? R(0.0) : answer->between[1] - answer->between[0];
    answer->error[0] =
        cosy_max(width, COSY_EPSILON * cosy_abs(smaller(n->a, n->b).x));
}

static Status find_bracket(RootSearch *s, Place bracket[2], bool *found)
{
    bool both = cosy_finite(space_low(&s->space, 0)) &&
                cosy_finite(space_high(&s->space, 0));
    return both ? between_bounds(s, bracket, found)
                : from_start(s, bracket, found);
}

Status roots_one(RootSearch *s)
{
    Place first[2];
    bool found = false;
    TRY(find_bracket(s, first, &found));
    bool zero = found && (first[0].f == R(0.0) || first[1].f == R(0.0));
    if (zero)
        TRY(has_faded(s, first));
    if (s->faded)
        TRY(find_bracket(s, first, &found));
    if (!found)
        return STATUS_OK;
    if (zero && first[0].f != R(0.0) && first[1].f != R(0.0))
        s->ledger.found = false; // zeros that are none are not the best points
    Narrow n = {first[0], first[1], first[1]};
    Status end = narrow(s, &n);
    if (end == STATUS_NUMBER) {
        char a[POINT_ROOM], b[NUMBER_ROOM], name[NUMBER_ROOM];
        s->answer->end = ROOT_FAILED;
        name_point(s, cosy_min(n.a.x, n.b.x), a);
        SAY(s,
            "%s changes its sign between %s and %s, but the trials there fail.",
            equation_name(s->q, 0, name), a,
            search_number(cosy_max(n.a.x, n.b.x), b));
        return STATUS_OK;
    }
    TRY(end);
    conclude(s, &n, first);
    return STATUS_OK;
}
