#include <assert.h>
#include <math.h>

#include "hunt/known.h"

/* Pieces with states. Everything is computed in long double, from formulas that
   are written next to them. */

/* X' = A*(B - X) */
void piece_decay(Known *k)
{
    double a = known_between(k, 0.1, 3), b = known_between(k, -2, 2);
    double x = known_between(k, -3, 3);
    known_put(k, IN_VAR, "  STATE @X;\n");
    known_put(k, IN_EXPERIMENT, "  INITCOND @X = %g;\n", x);
    known_put(k, IN_CONTINUOUS, "    @X' = %g*(%g - @X);\n", a, b);
    known_final(k, "X", b + (x - b) * expl(-(long double)a * k->end), 10);
}

/* X' = -A*X, Y' = A*X - B*Y, Z' = B*Y */
void piece_chain(Known *k)
{
    double a = known_between(k, 0.2, 2), b = a + known_between(k, 0.3, 2);
    double x = known_between(k, 1, 4);
    long double t = k->end, ea = expl(-a * t), eb = expl(-b * t);
    long double y = a * (long double)x / ((long double)b - a) * (ea - eb);
    known_put(k, IN_VAR, "  STATE @Z, @Y, @X;\n");
    known_put(k, IN_EXPERIMENT, "  INITCOND @X = %g;\n", x);
    known_put(k, IN_CONTINUOUS, "    @Z' = %g*@Y;\n", b);
    known_put(k, IN_CONTINUOUS, "    @Y' = %g*@X - %g*@Y;\n", a, b);
    known_put(k, IN_CONTINUOUS, "    @X' = -%g*@X;\n", a);
    known_final(k, "X", x * ea, 10);
    known_final(k, "Y", y, 10);
    known_final(k, "Z", x - x * ea - y, 20);
}

/* X'' = -W^2*(X - C) - 2*D*X' */
void piece_oscillator(Known *k)
{
    double w = known_between(k, 0.5, 6),
           d = known_chance(k, 3) ? 0 : known_between(k, 0.05, 0.4);
    double c = known_between(k, -1, 1), x = known_between(k, -2, 2);
    double v = known_between(k, -2, 2);
    long double t = k->end, u = x - (long double)c;
    long double q = sqrtl((long double)w * w - (long double)d * d);
    long double e = expl(-d * t), cs = cosl(q * t), sn = sinl(q * t);
    long double amplitude = (v + d * u) / q;
    double growth = 10 * (1 + w) * (1 + w * (double)t);
    known_put(k, IN_VAR, "  STATE @X, @V;\n");
    known_put(k, IN_EXPERIMENT, "  INITCOND @X = %g; INITCOND @V = %g;\n", x,
              v);
    known_put(k, IN_CONTINUOUS, "    @X' = @V;\n");
    known_put(k, IN_CONTINUOUS, "    @V' = -%g*%g*(@X - (%g)) - 2*%g*@V;\n", w,
              w, c, d);
    known_final(k, "X", c + e * (u * cs + amplitude * sn), growth);
    known_final(
        k, "V",
        e * ((amplitude * q - d * u) * cs - (u * q + d * amplitude) * sn),
        growth * w);
}

/* X' = -A*X + F*COS(W*TIME) */
void piece_driven(Known *k)
{
    double a = known_between(k, 0.2, 3), f = known_between(k, -3, 3);
    double w = known_between(k, 0.5, 4), x = known_between(k, -1, 1);
    long double t = k->end, d = (long double)a * a + (long double)w * w;
    long double now = f * (a * cosl(w * t) + w * sinl(w * t)) / d;
    known_put(k, IN_VAR, "  STATE @X; ALGEBR @U;\n");
    known_put(k, IN_EXPERIMENT, "  INITCOND @X = %g;\n", x);
    known_put(k, IN_CONTINUOUS, "    @X' = @U - %g*@X;\n", a);
    known_put(k, IN_CONTINUOUS, "    @U = %g*COS(%g*TIME);\n", f, w);
    known_final(k, "X", now + (x - (long double)f * a / d) * expl(-a * t),
                20 * (1 + w));
    known_final(k, "U", f * cosl(w * t), 10);
}

/* A ball that keeps the fraction E of its speed. */
void piece_bounce(Known *k)
{
    static const double parts[] = {0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99};
    double g = known_between(k, 2, 10), h = known_between(k, 0.5, 20);
    double e = parts[known_below(k, 8)];
    long double v = sqrtl(2 * (long double)g * h), t = v / g, end = k->end;
    long double rests = t + 2 * v * e / (g * (1 - (long double)e));
    uint32_t count = 0;
    known_put(k, IN_VAR, "  STATE @H, @V; SEVENT @E; INTEGER @N;\n");
    known_put(k, IN_EXPERIMENT, "  INITCOND @H = %g;\n", h);
    known_put(k, IN_INITIAL, ";\n    @N := 0");
    known_put(k, IN_CONTINUOUS, "    @H' = @V; @V' = -%g;\n", g);
    known_put(k, IN_CONTINUOUS, "    CONDIT @E: @H CROSSES 0 NEG END;\n");
    known_put(k, IN_EVENTS, "    @E: @V := -%g*@V; @N := @N + 1 END;\n", e);
    if (end >= rests) {
        /* It comes to rest in the end; how many of the smallest bounces are
           reported is open. */
        if (end > rests * 1.01L + 0.01L)
            known_final(k, "H", 0, 1e3);
        return;
    }
    while (t < end) {
        /* Later bounces inherit the errors of earlier ones. */
        if (2 * v * e / g < 1e-3L)
            return;
        known_time(k, "E", count, t, 20 + 20 * count);
        count++;
        v *= e;
        t += 2 * v / g;
    }
    if (t - end < 1e-3L || end - (t - 2 * v / g) < 1e-3L)
        return;
    known_exact(k, "N", count);
    known_events(k, "E", count);
    end -= t; // before the next bounce
    known_final(k, "H", -v * end - g * end * end / 2,
                (20 + 20 * count) * (1 + (double)v));
    known_final(k, "V", -v - g * end, (20 + 20 * count) * (1 + g));
}

/* The time that X' = A*(U - X) takes from one value to another. */
static long double exponential(double a, double u, double from, double to)
{
    assert((from - u) * (to - u) > 0);
    return logl(((long double)from - u) / ((long double)to - u)) / a;
}

#define TURN_GROWTH 60 // tolerances that the time of a turn may be off

/* Between two thresholds: the input is `up` until the upper one is reached,
   then `down` until the lower one. States times, count and value at the end. */
static void two_point(Known *k, double a, double up, double down, double low,
                      double high, double x, const char *to_down,
                      const char *to_up)
{
    long double t = 0, at = 0;
    uint32_t downs = 0, ups = 0;
    double from = x, u = up;
    bool sure = true;
    // An event that may lie on either side of the end is not counted.
    long double near = fmax(1e-3, TURN_GROWTH * k->room);
    for (;;) {
        double to = u == up ? high : low;
        t = at + exponential(a, u, from, to);
        sure = sure && fabsl(t - k->end) > near;
        if (t >= k->end)
            break;
        if (u == up && to_down)
            known_time(k, to_down, downs, t, TURN_GROWTH);
        else if (u != up && to_up)
            known_time(k, to_up, ups, t, TURN_GROWTH);
        downs += u == up;
        ups += u != up;
        at = t;
        from = to;
        u = u == up ? down : up;
    }
    if (!sure)
        return;
    known_exact(k, "N", downs + ups);
    if (to_down)
        known_events(k, to_down, downs);
    if (to_up)
        known_events(k, to_up, ups);
    known_final(k, "X", u + ((long double)from - u) * expl(-a * (k->end - at)),
                20 * (fabs(up - down) + fabs(x)) * (1 + a));
}

/* A relay with hysteresis, by state events. */
void piece_relay(Known *k)
{
    double a = known_between(k, 0.3, 3), high = known_between(k, 0.1, 0.8);
    double low = -known_between(k, 0.1, 0.8);
    double x = low + (high - low) * known_between(k, 0.1, 0.9);
    known_put(k, IN_VAR,
              "  STATE @X; REAL @U; SEVENT @ON, @OFF; INTEGER @N;\n");
    known_put(k, IN_EXPERIMENT, "  INITCOND @X = %.17g;\n", x);
    known_put(k, IN_INITIAL, ";\n    @U := 1; @N := 0");
    known_put(k, IN_CONTINUOUS, "    CONDIT @ON: @X CROSSES %g NEG END;\n",
              low);
    known_put(k, IN_CONTINUOUS, "    @X' = %g*(@U - @X);\n", a);
    known_put(k, IN_CONTINUOUS, "    CONDIT @OFF: %g CROSSES @X NEG END;\n",
              high);
    known_put(k, IN_EVENTS, "    @ON: @U := 1; @N := @N + 1 END;\n");
    known_put(k, IN_EVENTS, "    @OFF: @U := -1; @N := @N + 1 END;\n");
    two_point(k, a, 1, -1, low, high, x, "OFF", "ON");
}

/* A thermostat, by a process that waits. */
void piece_thermostat(Known *k)
{
    double a = known_between(k, 0.2, 2), heat = known_between(k, 24, 40);
    double low = known_between(k, 17, 19), high = known_between(k, 20, 23);
    double x = known_between(k, 12, 16);
    bool turned = known_chance(k, 2);
    known_put(k, IN_VAR, "  STATE @X; REAL @U; PROCESS @P; INTEGER @N;\n");
    known_put(k, IN_EXPERIMENT, "  INITCOND @X = %g;\n", x);
    known_put(k, IN_INITIAL, ";\n    @U := %g; @N := 0", heat);
    known_put(k, IN_CONTINUOUS, "    @X' = %g*(@U - @X);\n", a);
    known_put(k, IN_ROUTINES,
              "DISCRETE PROCESS @P;\nBEGIN\n  WHILE TRUE DO BEGIN\n");
    known_put(k, IN_ROUTINES,
              turned ? "    WAIT UNTIL NOT (@X < %g);\n"
                     : "    WAIT UNTIL @X >= %g;\n",
              high);
    known_put(k, IN_ROUTINES, "    @U := 10; @N := @N + 1;\n");
    known_put(k, IN_ROUTINES, "    WAIT UNTIL @X < %g;\n", low);
    known_put(k, IN_ROUTINES, "    @U := %g; @N := @N + 1\n  END\nEND;\n",
              heat);
    known_put(k, IN_PROCESSES, "    @P;\n");
    two_point(k, a, heat, 10, low, high, x, NULL, NULL);
}

/* X' = S, back by K whenever it is reached. */
void piece_saw(Known *k)
{
    double s = known_between(k, 0.3, 4), top = known_between(k, 0.5, 2);
    double x = known_between(k, 0, 0.4);
    bool reset = known_chance(k, 2);
    long double turns = (x + (long double)s * k->end) / top;
    uint32_t count = (uint32_t)floorl(turns);
    known_put(k, IN_VAR, "  STATE @X; SEVENT @E; INTEGER @N;\n");
    known_put(k, IN_EXPERIMENT, "  INITCOND @X = %g;\n", x);
    known_put(k, IN_INITIAL, ";\n    @N := 0");
    known_put(k, IN_CONTINUOUS, "    @X' = %g;\n", s);
    known_put(k, IN_CONTINUOUS, "    CONDIT @E: @X CROSSES %g%s END;\n", top,
              known_chance(k, 2) ? " POS" : "");
    if (reset)
        known_put(k, IN_EVENTS, "    @E: @X := 0; @N := @N + 1 END;\n");
    else
        known_put(k, IN_EVENTS, "    @E: @X := @X - %g; @N := @N + 1 END;\n",
                  top);
    for (uint32_t n = 0; n < count && n < 10; n++)
        known_time(k, "E", n, ((n + 1) * (long double)top - x) / s, 10 + 3 * n);
    if (fabsl(turns - roundl(turns)) < 1e-6L)
        return;
    known_exact(k, "N", count);
    known_events(k, "E", count);
    known_final(k, "X", x + (long double)s * k->end - count * (long double)top,
                10 + 3 * count);
}

/* X' = INT(TIME/P), Y' = MOD(TIME, P): hidden relations. */
void piece_stairs(Known *k)
{
    double p = known_between(k, 0.3, 2);
    long double n = floorl(k->end / (long double)p), rest = k->end - n * p;
    known_put(k, IN_VAR, "  STATE @X, @Y;\n");
    known_put(k, IN_CONTINUOUS, "    @X' = INT(TIME/%g);\n", p);
    known_put(k, IN_CONTINUOUS, "    @Y' = MOD(TIME, %g);\n", p);
    known_final(k, "X", p * n * (n - 1) / 2 + n * rest, 20);
    known_final(k, "Y", n * p * (long double)p / 2 + rest * rest / 2, 20);
}

/* X' is A inside a window of time and B outside; L says which. */
void piece_window(Known *k)
{
    double low = known_between(k, 0, k->to), wide = known_between(k, 0.1, 3);
    double a = known_between(k, -3, 3), b = known_between(k, -3, 3);
    double high = low + wide;
    long double inside = fmaxl(0, fminl(high, k->end) - fminl(low, k->end));
    known_put(k, IN_VAR, "  STATE @X, @Y; LOGIC @L;\n");
    known_put(k, IN_CONTINUOUS,
              "    @X' = (IF @L THEN %g ELSE %g);\n"
              "    @L = (TIME >= %.17g) AND (TIME < %.17g);\n",
              a, b, low, high);
    known_put(k, IN_CONTINUOUS, "    @Y' = LIMIT(-1, 1, TIME - %.17g);\n", low);
    known_final(k, "X", inside * a + (k->end - inside) * b, 10);
    {
        /* The integral of a ramp limited to -1 .. 1. */
        long double t0 = fminl(fmaxl(low - 1.0L, 0), k->end);
        long double t1 = fminl(fmaxl(low + 1.0L, 0), k->end);
        long double d0 = t0 - low, d1 = t1 - low;
        known_final(k, "Y", -t0 + (d1 * d1 - d0 * d0) / 2 + (k->end - t1), 10);
    }
}

/* X' = -K*DELAY(P, X), nothing before 0: the sum of (-K*(t - n*P))^n/n!. */
void piece_lag(Known *k)
{
    double p = known_between(k, 0.4, 3), c = known_between(k, -0.8, 0.8);
    long double x = 0, term = 0;
    double growth = 30;
    for (uint32_t n = 0; n * (long double)p <= k->end; n++) {
        long double s = -c * (k->end - n * (long double)p);
        term = 1;
        for (uint32_t m = 1; m <= n; m++)
            term *= s / m;
        x += term;
        growth += 10 * fabs((double)term);
    }
    known_put(k, IN_VAR, "  STATE @X; MEMORY @D;\n");
    known_put(k, IN_EXPERIMENT, "  INITCOND @X = 1;\n");
    known_put(k, IN_CONTINUOUS, "    @X' = -(%g)*@D;\n", c);
    known_put(k, IN_CONTINUOUS, "    @D = DELAY(%g, @X);\n", p);
    if (fmod(k->end, p) > 1e-3 && p - fmod(k->end, p) > 1e-3)
        known_final(k, "X", x, growth);
}

/* A time function through a delay, integrated. */
void piece_line(Known *k)
{
    double p = known_between(k, 0.2, 4), w = known_between(k, 0.5, 4);
    long double s = k->end - (long double)p;
    known_put(k, IN_VAR, "  STATE @X; MEMORY @D; ALGEBR @U;\n");
    known_put(k, IN_CONTINUOUS, "    @D = DELAY(%g, @U);\n", p);
    known_put(k, IN_CONTINUOUS, "    @U = COS(%g*TIME);\n", w);
    known_put(k, IN_CONTINUOUS, "    @X' = @D;\n");
    if (fabsl(s) < 1e-3L)
        return;
    known_final(k, "X", s > 0 ? sinl(w * s) / w : 0, 100 * (1 + w));
    known_final(k, "D", s > 0 ? cosl(w * s) : 0, 100 * (1 + w));
}
