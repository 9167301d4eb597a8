#include <assert.h>
#include <math.h>

#include "hunt/known.h"

/* Pieces with a discrete part. Times of queues are integers, in thousandths. */

/* A PI controller that samples Y' = -A*Y + B*U; between two ticks U is constant. */
void piece_controller(Known *k)
{
    double a = known_between(k, 0.3, 2), b = known_between(k, 0.5, 2);
    double kp = known_between(k, 0.2, 1), ki = known_between(k, 0.1, 0.6);
    double ref = known_between(k, -2, 2), h = 0.05 * (1 + known_below(k, 10));
    long double e = expl(-a * (long double)h), y = 0, u = 0, sum = 0, rest = 0;
    uint32_t ticks = 0;
    known_put(k, IN_VAR, "  STATE @Y; DSTATE @U, @S; SAMPLE @C; INTEGER @N;\n");
    known_put(k, IN_INITIAL, ";\n    @U := 0; @S := 0; @N := 0");
    known_put(k, IN_CONTINUOUS, "    @Y' = %g*@U - %g*@Y;\n", b, a);
    known_put(k, IN_SAMPLES,
              "    @C EVERY %g: @N := @N + 1; @S := @S + %g*(%g - @Y);\n"
              "      @U := %g*(%g - @Y) + %g*@S END;\n",
              h, h, ref, kp, ref, ki);
    for (; ticks * (long double)h <= k->end; ticks++) {
        if (ticks > 0)
            y = b * u / a + (y - b * u / a) * e;
        sum += h * (ref - y);
        u = kp * (ref - y) + ki * sum;
    }
    rest = k->end - (ticks - 1) * (long double)h;
    if (rest < 1e-3L || h - rest < 1e-3L)
        return; // the last tick is at the end, or nearly so
    known_exact(k, "N", ticks);
    known_events(k, "C", ticks);
    known_final(k, "U", u, 50);
    known_final(k, "Y", b * u / a + (y - b * u / a) * expl(-a * rest), 50);
}

/* A chain of time events that sets the rate of a state; TIMEPERS of the rate. */
void piece_timetable(Known *k)
{
    int gap = 100 + 10 * (int)known_below(k, 120);
    double first = known_between(k, 0, 1), step = known_between(k, -1, 1);
    long double x = 0, rate = 1, t = first, last = 0;
    uint32_t count = 0;
    known_put(k, IN_VAR, "  STATE @X; REAL @R; TEVENT @E; INTEGER @N;\n");
    known_put(k, IN_EXPERIMENT, "  TIMEPERS @R START = 1 END;\n");
    known_put(k, IN_INITIAL, ";\n    @R := 1; @N := 0; SCHEDULE @E AT %g",
              first);
    known_put(k, IN_CONTINUOUS, "    @X' = @R;\n");
    known_put(k, IN_TEVENTS,
              "      @E: @N := @N + 1; @R := @R + (%g); SCHEDULE @E AT TIME + "
              "%g END;\n",
              step, gap / 1000.0);
    for (; t < k->end; t += gap / 1000.0L) {
        x += rate * (t - last);
        last = t;
        rate += step;
        count++;
    }
    if (t - k->end < 1e-6L)
        return;
    x += rate * (k->end - last);
    known_exact(k, "N", count);
    known_events(k, "E", count);
    known_final(k, "X", x, 20);
    known_statistic(k, "timepers", "R", "mean", (double)(x / k->end));
}

/* ---- Queues ---------------------------------------------------------------- */

enum { MOST_CUSTOMERS = 4000, MOST_SERVERS = 5 };

typedef struct Shop {
    int gap, service, more, cycle, servers; // times in thousandths
    bool collects;
} Shop;

/* What happened up to `end`, in thousandths. */
typedef struct Tally {
    long entries, waits, served; // entered the server; left it
    long wait_sum, wait_max;     // for those that entered
    long busy;                   // sum of use
    long queue;                  // integral of the queue
    long queue_max, content;     // content at the end
    bool tied;                   // different kinds of events at one time
} Tally;

/* First come, first served: start = max(arrival, the first free server). */
static void serve(const Shop *s, long end, Tally *t)
{
    static long begin[MOST_CUSTOMERS], leave[MOST_CUSTOMERS];
    long free_at[MOST_SERVERS] = {0};
    long n = 0;
    *t = (Tally){.entries = 0};
    for (; n < MOST_CUSTOMERS && n * s->gap <= end; n++) {
        long arrival = n * s->gap;
        long lasts = s->service + s->more * (n % s->cycle);
        int best = 0;
        for (int k = 1; k < s->servers; k++)
            if (free_at[k] < free_at[best])
                best = k;
        begin[n] = free_at[best] > arrival ? free_at[best] : arrival;
        leave[n] = free_at[best] = begin[n] + lasts;
        if (begin[n] <= end) {
            long wait = begin[n] - arrival;
            t->entries++;
            t->wait_sum += wait;
            t->wait_max = wait > t->wait_max ? wait : t->wait_max;
            t->busy += (leave[n] < end ? leave[n] : end) - begin[n];
            t->served += leave[n] <= end;
        }
        t->waits += begin[n] > arrival; // including those that still wait
        t->queue += (begin[n] < end ? begin[n] : end) - arrival;
    }
    assert(n < MOST_CUSTOMERS);
    t->content = t->entries - t->served;
    for (long k = 0; k < n; k++) {
        long waiting = 0;
        /* Right after arrival k, counting all that were there and had to
           wait. */
        for (long j = 0; j <= k; j++)
            waiting += begin[j] > k * s->gap;
        t->queue_max = waiting > t->queue_max ? waiting : t->queue_max;
        if (leave[k] % s->gap == 0 || leave[k] == end || k * s->gap == end)
            t->tied = true;
    }
}

static void make_shop(Known *k, Shop *s, int servers)
{
    s->servers = servers;
    s->gap = 150 + (int)known_below(k, 400);
    s->cycle = 1 + (int)known_below(k, 4);
    s->more = (int)known_below(k, 120);
    s->service = 60 + (int)known_below(k, 450) * servers;
    s->collects = known_chance(k, 2);
}

static void expect_shop(Known *k, const Shop *s, const char *group)
{
    long end = (long)floor(k->end * 1000);
    Tally t;
    if (k->end * 1000 - (double)end < 1e-3 || (double)end / s->gap > 1000)
        return;
    serve(s, end, &t);
    /* `end` is a little earlier than the run's: integrals continue with what is
       there. */
    {
        double rest = k->end - (double)end / 1000, time = k->end;
        double waiting = (double)(end / s->gap + 1 - t.entries);
        double busy = (double)t.busy / 1000 + (double)t.content * rest;
        double queue = (double)t.queue / 1000 + waiting * rest;
        if (t.tied)
            return;
        known_statistic(k, group, "F", "entries", (double)t.entries);
        known_statistic(k, group, "F", "waits", (double)t.waits);
        known_statistic(k, group, "F", "content", (double)t.content);
        known_statistic(k, group, "F", "queue", waiting);
        known_statistic(k, group, "F", "max_queue", (double)t.queue_max);
        known_statistic(k, group, "F", "max_wait", (double)t.wait_max / 1000);
        known_statistic(k, group, "F", "mean_wait",
                        (double)t.wait_sum / 1000 / (double)t.entries);
        known_statistic(k, group, "F", "mean_content", busy / time);
        known_statistic(k, group, "F", "utilisation", busy / time / s->servers);
        known_statistic(k, group, "F", "mean_queue", queue / time);
        if (s->collects) {
            known_statistic(k, "collect", "W", "n", (double)t.entries);
            known_statistic(k, "collect", "W", "mean",
                            (double)t.wait_sum / 1000 / (double)t.entries);
            known_statistic(k, "collect", "W", "max",
                            (double)t.wait_max / 1000);
        }
        known_exact(k, "N", (double)t.served);
    }
}

static void put_shop(Known *k, const Shop *s, const char *take,
                     const char *give)
{
    known_put(k, IN_VAR, "  PROCESS @P; INTEGER @T, @I, @N; REAL @W;\n");
    known_put(k, IN_INITIAL, ";\n    @N := 0; @I := 0");
    if (s->collects)
        known_put(k, IN_EXPERIMENT, "  COLLECT @W END;\n");
    known_put(k, IN_ROUTINES,
              "DISCRETE PROCESS @P;\n  VAR OWN INTEGER @J;\nBEGIN\n"
              "  @J := @I; @I := @I + 1;\n"
              "  GENERATE @T FOR @P AT FLOAT(@I)*%g;\n  ",
              s->gap / 1000.0);
    known_put(k, IN_ROUTINES, take);
    known_put(k, IN_ROUTINES, ";\n  @W := TIME - GENTIM;\n");
    known_put(k, IN_ROUTINES, "  ADVANCE %g + %g*FLOAT(@J MOD %d);\n  ",
              s->service / 1000.0, s->more / 1000.0, s->cycle);
    known_put(k, IN_ROUTINES, give);
    known_put(k, IN_ROUTINES, ";\n  @N := @N + 1\nEND;\n");
    known_put(k, IN_PROCESSES, "    @P;\n");
}

/* One server: Lindley's recursion. */
void piece_queue(Known *k)
{
    Shop s;
    make_shop(k, &s, 1);
    known_put(k, IN_VAR, "  FACILITY @F;\n");
    put_shop(k, &s, "SEIZE @F", "RELEASE @F");
    expect_shop(k, &s, "facility");
}

/* Several places. */
void piece_storage(Known *k)
{
    Shop s;
    make_shop(k, &s, 1 + (int)known_below(k, MOST_SERVERS));
    known_put(k, IN_VAR, "  STORAGE @F CAPACITY %d;\n", s.servers);
    put_shop(k, &s, "ENTER @F", "LEAVE @F");
    expect_shop(k, &s, "storage");
}

/* A ramp opens a gate at a threshold; those that wait pass, and so do later
   ones. */
void piece_gate(Known *k)
{
    double slope = known_between(k, 0.2, 2), top = known_between(k, 0.5, 4);
    int gap = 100 + (int)known_below(k, 500);
    long double opens = (long double)top / slope;
    long before = (long)floorl(opens * 1000 / gap) + 1;
    long all = (long)floor(k->end * 1000 / gap) + 1;
    known_put(k, IN_VAR,
              "  STATE @X; SEVENT @E; GATE @G; PROCESS @P; INTEGER @T, @I, @N; "
              "REAL @O;\n");
    known_put(k, IN_INITIAL, ";\n    @N := 0; @I := 0; @O := 0");
    known_put(k, IN_CONTINUOUS,
              "    @X' = %g;\n    CONDIT @E: @X CROSSES %g POS END;\n", slope,
              top);
    known_put(k, IN_EVENTS, "    @E: @O := TIME; OPEN @G END;\n");
    known_put(k, IN_ROUTINES,
              "DISCRETE PROCESS @P;\nBEGIN\n  @I := @I + 1;\n"
              "  GENERATE @T FOR @P AT FLOAT(@I)*%g;\n"
              "  PASS @G;\n  @N := @N + 1\nEND;\n",
              gap / 1000.0);
    known_put(k, IN_PROCESSES, "    @P;\n");
    if (fabsl(opens - k->end) < 1e-3L ||
        fabsl(fmodl(opens * 1000, gap) - gap / 2.0L) > gap / 2.0L - 1 ||
        fabs(fmod(k->end * 1000, gap) - gap / 2.0) > gap / 2.0 - 1)
        return;
    known_exact(k, "N", opens < k->end ? (double)all : 0);
    known_final(k, "O", opens < k->end ? opens : 0, 10);
    if (opens < k->end) {
        known_statistic(k, "gate", "G", "entries", (double)all);
        known_statistic(k, "gate", "G", "waits", (double)before);
    }
}
