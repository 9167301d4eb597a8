#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hunt/views.h"

/* A Case as a program. Names that belong to relation K or signal K end in K: X1
   or V1 or Y1 is a signal, A1 the IF, L1 the LOGIC, C1 the COMMUNIC value, H1
   what the waiting process knows. A body that looks appends to arrays named
   after it: W (after a wait), E (state event), S (sample), J (jump). */

static void put_number(Buffer *b, double v)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", v);
    if (strtod(text, NULL) != v)
        snprintf(text, sizeof text, "%.17g", v);
    buffer_text(b, text);
}

static void put_signal(Buffer *b, const Case *c, uint32_t k)
{
    const Signal *s = &c->signal[k];
    switch (s->kind) {
    case SIGNAL_RAMP:
    case SIGNAL_SHIFT:
    case SIGNAL_DECAY: buffer_format(b, "X%u", k + 1); break;
    case SIGNAL_STEP:
    case SIGNAL_TICK:
    case SIGNAL_COUNT: buffer_format(b, "V%u", k + 1); break;
    case SIGNAL_LINE:
    case SIGNAL_PARABOLA:
    case SIGNAL_MIXED: buffer_format(b, "Y%u", k + 1); break;
    case SIGNAL_TIME: buffer_text(b, "TIME"); break;
    case SIGNAL_INT:
    case SIGNAL_MOD:
        buffer_text(b, s->kind == SIGNAL_INT ? "INT(TIME/" : "MOD(TIME, ");
        put_number(b, s->p[1]);
        if (s->p[1] == floor(s->p[1]))
            buffer_text(b, ".0");
        buffer_char(b, ')');
        break;
    case SIGNAL_KINDS: assert(false);
    }
}

bool views_uses(const Case *c, uint32_t k)
{
    for (uint32_t r = 0; r < c->relations; r++)
        for (uint32_t n = 0; n < c->relation[r].atoms; n++)
            if (c->relation[r].atom[n].signal == k ||
                c->relation[r].atom[n].other == (int)k)
                return true;
    return c->act.by != 0 && c->act.signal == k;
}

static void put_threshold(Buffer *b, const Case *c, const Atom *a)
{
    if (a->other < 0)
        put_number(b, a->threshold);
    else
        put_signal(b, c, (uint32_t)a->other);
}

static void put_atom(Buffer *b, const Case *c, const Atom *a)
{
    static const char *const is[] = {" < ", " <= ", " > ", " >= "};
    static const char *const turned[] = {" > ", " >= ", " < ", " <= "};
    buffer_text(b, a->denied ? "NOT (" : "(");
    if (a->turned) {
        put_threshold(b, c, a);
        buffer_text(b, turned[a->is]);
        put_signal(b, c, a->signal);
    } else {
        put_signal(b, c, a->signal);
        buffer_text(b, is[a->is]);
        put_threshold(b, c, a);
    }
    buffer_char(b, ')');
}

static void put_relation(Buffer *b, const Case *c, const Relation *r)
{
    if (r->denied)
        buffer_text(b, "NOT (");
    for (uint32_t k = 0; k < r->atoms; k++) {
        if (k > 0)
            buffer_text(b, r->either ? " OR " : " AND ");
        put_atom(b, c, &r->atom[k]);
    }
    if (r->denied)
        buffer_char(b, ')');
}

/* One look of a body at relation k: its values go to the arrays of `who`. */
static void put_look(Buffer *b, const Case *c, const char *who, uint32_t k)
{
    const Relation *r = &c->relation[k];
    unsigned n = k + 1;
    buffer_format(b, "      N%s%u := N%s%u + 1;\n", who, n, who, n);
    buffer_format(b, "      IF N%s%u <= %d THEN BEGIN\n", who, n, VIEWS_LOOKS);
    buffer_format(b, "        T%s%u[N%s%u] := TIME;\n", who, n, who, n);
    buffer_format(b, "        R%s%u[N%s%u] := (IF ", who, n, who, n);
    put_relation(b, c, r);
    buffer_text(b, " THEN 1 ELSE 0)");
    if (r->views & VIEW_IF)
        buffer_format(b, ";\n        A%s%u[N%s%u] := A%u", who, n, who, n, n);
    if (r->views & VIEW_LOGIC)
        buffer_format(b, ";\n        L%s%u[N%s%u] := (IF L%u THEN 1 ELSE 0)",
                      who, n, who, n, n);
    if (r->views & VIEW_CONDIT && who[0] == 'E') {
        buffer_format(b, ";\n        D%s%u[N%s%u] := ", who, n, who, n);
        put_signal(b, c, r->atom[0].signal);
        buffer_text(b, " - (");
        put_threshold(b, c, &r->atom[0]);
        buffer_char(b, ')');
    }
    buffer_text(b, "\n      END;\n");
}

static void put_looks(Buffer *b, const Case *c, const char *who)
{
    for (uint32_t k = 0; k < c->relations; k++)
        put_look(b, c, who, k);
}

/* What a jump of signal k sets. */
static void put_setting(Buffer *b, const Case *c, uint32_t k, double value)
{
    const Signal *s = &c->signal[k];
    char letter = 'V';
    if (s->kind == SIGNAL_SHIFT)
        letter = 'X';
    else if (s->kind == SIGNAL_RAMP || s->kind == SIGNAL_DECAY)
        letter = 'G';
    buffer_format(b, "      %c%u := ", letter, k + 1);
    put_number(b, value);
    buffer_text(b, ";\n");
}

static void put_act(Buffer *b, const Case *c, View by, uint32_t relation)
{
    if (c->act.by == by && relation == 0)
        put_setting(b, c, c->act.signal, c->act.value);
}

static void put_jump(Buffer *b, const Case *c, uint32_t k, uint32_t j)
{
    buffer_format(b, "      J%u_%u:\n", k + 1, j + 1);
    if (c->signal[k].looks)
        put_looks(b, c, "J");
    put_setting(b, c, k, c->signal[k].jump[j].value);
    buffer_text(b, "      END;\n");
}

static bool any_looks(const Case *c)
{
    for (uint32_t k = 0; k < c->signals; k++)
        if (c->signal[k].looks && views_uses(c, k) &&
            (c->signal[k].jumps > 0 || c->signal[k].kind == SIGNAL_TICK ||
             c->signal[k].kind == SIGNAL_COUNT))
            return true;
    return false;
}

static void put_arrays(Buffer *b, const Case *c, const char *who, unsigned n)
{
    const Relation *r = &c->relation[n - 1];
    buffer_format(b, "  INTEGER N%s%u; ARRAY [%d] OF REAL T%s%u, R%s%u", who, n,
                  VIEWS_LOOKS, who, n, who, n);
    if (r->views & VIEW_IF)
        buffer_format(b, ", A%s%u", who, n);
    if (r->views & VIEW_LOGIC)
        buffer_format(b, ", L%s%u", who, n);
    if (r->views & VIEW_CONDIT && who[0] == 'E')
        buffer_format(b, ", D%s%u", who, n);
    buffer_text(b, ";\n");
}

static bool is_state(const Signal *s)
{
    return s->kind == SIGNAL_RAMP || s->kind == SIGNAL_SHIFT ||
           s->kind == SIGNAL_DECAY;
}

static bool is_ticking(const Signal *s)
{
    return s->kind == SIGNAL_TICK || s->kind == SIGNAL_COUNT;
}

static void declare_signal(Buffer *b, const Case *c, uint32_t k)
{
    const Signal *s = &c->signal[k];
    unsigned n = k + 1;
    if (is_state(s))
        buffer_format(b, "  STATE X%u; REAL G%u;\n", n, n);
    else if (s->kind == SIGNAL_STEP)
        buffer_format(b, "  REAL V%u;\n", n);
    else if (is_ticking(s))
        buffer_format(b, "  REAL V%u; SAMPLE Z%u;\n", n, n);
    else if (s->kind == SIGNAL_LINE || s->kind == SIGNAL_PARABOLA)
        buffer_format(b, "  ALGEBR Y%u;\n", n);
    else if (s->kind == SIGNAL_MIXED)
        buffer_format(b, "  ALGEBR Y%u; REAL V%u;\n", n, n);
    for (uint32_t j = 0; j < s->jumps; j++)
        buffer_format(b, "  TEVENT J%u_%u;\n", n, j + 1);
}

static void declare_relation(Buffer *b, const Case *c, uint32_t k)
{
    const Relation *r = &c->relation[k];
    unsigned n = k + 1;
    if (r->views & VIEW_WAIT) {
        buffer_format(b, "  PROCESS P%u; REAL H%u;\n", n, n);
        put_arrays(b, c, "W", n);
    }
    if (r->views & VIEW_CONDIT) {
        buffer_format(b, "  SEVENT E%u;\n", n);
        put_arrays(b, c, "E", n);
    }
    if (r->views & VIEW_IF)
        buffer_format(b, "  ALGEBR A%u; REAL TA%u;\n", n, n);
    if (r->views & VIEW_LOGIC)
        buffer_format(b, "  LOGIC L%u; REAL TL%u;\n", n, n);
    if (r->views & VIEW_COMMUNIC)
        buffer_format(b, "  REAL C%u;\n", n);
    buffer_format(b, "  REAL TR%u;\n", n);
    if (c->period > 0)
        put_arrays(b, c, "S", n);
    if (any_looks(c))
        put_arrays(b, c, "J", n);
}

static bool any_communic(const Case *c)
{
    for (uint32_t k = 0; k < c->relations; k++)
        if (c->relation[k].views & VIEW_COMMUNIC)
            return true;
    return false;
}

static void put_stored(Buffer *b, const Case *c)
{
    buffer_text(b, "STORE ENDTIME");
    for (uint32_t k = 0; k < c->signals; k++)
        if (views_uses(c, k) && c->signal[k].kind < SIGNAL_TIME) {
            buffer_text(b, ", ");
            put_signal(b, c, k);
        }
    if (any_communic(c))
        buffer_text(b, ", CTIME");
    for (uint32_t k = 0; k < c->relations; k++) {
        unsigned views = c->relation[k].views;
        if (views & VIEW_IF)
            buffer_format(b, ", A%u", k + 1);
        if (views & VIEW_LOGIC)
            buffer_format(b, ", L%u", k + 1);
        if (views & VIEW_COMMUNIC)
            buffer_format(b, ", C%u", k + 1);
        if (views & VIEW_WAIT)
            buffer_format(b, ", H%u", k + 1);
    }
    buffer_text(b, ";\n");
}

static void put_processes(Buffer *b, const Case *c)
{
    for (uint32_t k = 0; k < c->relations; k++) {
        const Relation *r = &c->relation[k];
        if (!(r->views & VIEW_WAIT))
            continue;
        buffer_format(
            b, "DISCRETE PROCESS P%u;\nBEGIN\n  WHILE TRUE DO BEGIN\n", k + 1);
        for (int way = 0; way < 2; way++) {
            buffer_text(b, way ? "    WAIT UNTIL NOT (" : "    WAIT UNTIL ");
            put_relation(b, c, r);
            buffer_format(b, "%s;\n    H%u := %d;\n", way ? ")" : "", k + 1,
                          !way);
            put_look(b, c, "W", k);
            if (way == 0)
                put_act(b, c, VIEW_WAIT, k);
        }
        buffer_text(b, "  END\nEND;\n");
    }
}

static void put_experiment(Buffer *b, const Case *c)
{
    buffer_text(b, "EXPERIMENT\n");
    if (c->method || c->relerr > 0 || c->step > 0) {
        buffer_text(b, "  INTEGRAT");
        if (c->method)
            buffer_format(b, " METHOD %s", c->method);
        if (c->relerr > 0)
            buffer_format(b, " RELERR = %g", c->relerr);
        if (c->step > 0) {
            buffer_text(b, " STEP = ");
            put_number(b, c->step);
        }
        buffer_text(b, ";\n");
    }
    for (uint32_t k = 0; k < c->signals; k++)
        if (is_state(&c->signal[k]) && views_uses(c, k)) {
            buffer_format(b, "  INITCOND X%u = ", k + 1);
            put_number(b, c->signal[k].p[0]);
            buffer_text(b, ";\n");
        }
    buffer_text(b, "  SIMULATE FROM ");
    put_number(b, c->from);
    buffer_text(b, " TO ");
    put_number(b, c->to);
    if (c->comint > 0) {
        buffer_text(b, " COMINT = ");
        put_number(b, c->comint);
    }
    buffer_text(b, "\nEND;\n");
}

static void put_initial(Buffer *b, const Case *c)
{
    buffer_text(b, "  INITIAL\n    ENDTIME := 0");
    for (uint32_t k = 0; k < c->signals; k++) {
        const Signal *s = &c->signal[k];
        unsigned n = k + 1;
        if (!views_uses(c, k))
            continue;
        if (is_state(s)) {
            buffer_format(b, ";\n    G%u := ", n);
            put_number(b, s->kind == SIGNAL_DECAY ? s->p[2] : s->p[1]);
        } else if (s->kind == SIGNAL_STEP || is_ticking(s) ||
                   s->kind == SIGNAL_MIXED) {
            buffer_format(b, ";\n    V%u := ", n);
            put_number(b, s->p[0]);
        }
        for (uint32_t j = 0; j < s->jumps; j++) {
            buffer_format(b, ";\n    SCHEDULE J%u_%u AT ", n, j + 1);
            put_number(b, s->jump[j].time);
        }
    }
    buffer_text(b, "\n  END;\n");
}

static void put_equation(Buffer *b, const Case *c, uint32_t k)
{
    const Signal *s = &c->signal[k];
    unsigned n = k + 1;
    switch (s->kind) {
    case SIGNAL_RAMP:
    case SIGNAL_SHIFT: buffer_format(b, "    X%u' = G%u;\n", n, n); return;
    case SIGNAL_DECAY:
        buffer_format(b, "    X%u' = ", n);
        put_number(b, s->p[1]);
        buffer_format(b, "*(G%u - X%u);\n", n, n);
        return;
    case SIGNAL_LINE:
    case SIGNAL_MIXED:
    case SIGNAL_PARABOLA: break;
    default: return;
    }
    buffer_format(b, "    Y%u = ", n);
    if (s->kind == SIGNAL_MIXED)
        buffer_format(b, "V%u", n);
    else
        put_number(b, s->p[0]);
    buffer_text(b, " + (");
    put_number(b, s->p[1]);
    if (s->kind == SIGNAL_PARABOLA) {
        buffer_text(b, ")*((TIME - (");
        put_number(b, s->p[2]);
        buffer_text(b, "))*(TIME - (");
        put_number(b, s->p[2]);
        buffer_text(b, ")));\n");
    } else {
        buffer_text(b, ")*TIME;\n");
    }
}

static void put_views(Buffer *b, const Case *c, uint32_t k)
{
    static const char *const ways[] = {" NEG", "", " POS"};
    const Relation *r = &c->relation[k];
    unsigned n = k + 1;
    if (r->views & VIEW_IF) {
        buffer_format(b, "    A%u = (IF ", n);
        put_relation(b, c, r);
        buffer_text(b, " THEN 1 ELSE 0);\n");
    }
    if (r->views & VIEW_LOGIC) {
        buffer_format(b, "    L%u = (", n);
        put_relation(b, c, r);
        buffer_text(b, ");\n");
    }
    if (r->views & VIEW_CONDIT) {
        buffer_format(b, "    CONDIT E%u: ", n);
        put_signal(b, c, r->atom[0].signal);
        buffer_text(b, " CROSSES ");
        put_threshold(b, c, &r->atom[0]);
        buffer_format(b, "%s END;\n", ways[r->direction + 1]);
    }
    if (r->views & VIEW_FINISH) {
        buffer_text(b, "    FINISH ");
        put_relation(b, c, r);
        buffer_text(b, ";\n");
    }
}

static void put_communic(Buffer *b, const Case *c)
{
    if (!any_communic(c))
        return;
    buffer_text(b, "    COMMUNIC COM (<- TIME");
    for (uint32_t k = 0; k < c->signals; k++)
        if (views_uses(c, k) && c->signal[k].kind < SIGNAL_TIME) {
            buffer_text(b, ", ");
            put_signal(b, c, k);
        }
    buffer_text(b, ");\n      CTIME := TIME;\n");
    for (uint32_t k = 0; k < c->relations; k++)
        if (c->relation[k].views & VIEW_COMMUNIC) {
            buffer_format(b, "      C%u := (IF ", k + 1);
            put_relation(b, c, &c->relation[k]);
            buffer_text(b, " THEN 1 ELSE 0);\n");
        }
    buffer_text(b, "    END;\n");
}

static void put_continuous(Buffer *b, const Case *c)
{
    buffer_text(b, "  CONTINUOUS\n");
    for (uint32_t k = 0; k < c->signals; k++)
        if (views_uses(c, k))
            put_equation(b, c, k);
    for (uint32_t k = 0; k < c->relations; k++)
        put_views(b, c, k);
    put_communic(b, c);
    buffer_text(b, "  END;\n");
}

static uint32_t count_jumps(const Case *c)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->signals; k++)
        n += views_uses(c, k) ? c->signal[k].jumps : 0;
    return n;
}

static bool any_view(const Case *c, unsigned view)
{
    for (uint32_t k = 0; k < c->relations; k++)
        if (c->relation[k].views & view)
            return true;
    return false;
}

static void put_events(Buffer *b, const Case *c)
{
    bool state = any_view(c, VIEW_CONDIT);
    if (!state && count_jumps(c) == 0)
        return;
    buffer_text(b, "  EVENTS\n");
    for (uint32_t k = 0; k < c->relations; k++)
        if (c->relation[k].views & VIEW_CONDIT) {
            buffer_format(b, "    E%u:\n", k + 1);
            put_look(b, c, "E", k);
            put_act(b, c, VIEW_CONDIT, k);
            buffer_text(b, "    END;\n");
        }
    if (count_jumps(c) > 0) {
        buffer_text(b, "    TEVENTS:\n");
        for (uint32_t k = 0; k < c->signals; k++)
            for (uint32_t j = 0; views_uses(c, k) && j < c->signal[k].jumps;
                 j++)
                put_jump(b, c, k, j);
        buffer_text(b, "    END\n");
    }
    buffer_text(b, "  END;\n");
}

static void put_clock(Buffer *b, double period, double offset)
{
    put_number(b, period);
    if (offset != 0) {
        buffer_text(b, " OFFSET ");
        put_number(b, offset);
    }
    buffer_text(b, ":\n");
}

static void put_samples(Buffer *b, const Case *c)
{
    bool any = c->period > 0;
    for (uint32_t k = 0; k < c->signals; k++)
        any = any || (is_ticking(&c->signal[k]) && views_uses(c, k));
    if (!any)
        return;
    buffer_text(b, "  SAMPLES\n");
    if (c->period > 0) {
        buffer_text(b, "    CLOCK EVERY ");
        put_clock(b, c->period, c->offset);
        put_looks(b, c, "S");
        buffer_text(b, "    END;\n");
    }
    for (uint32_t k = 0; k < c->signals; k++) {
        const Signal *s = &c->signal[k];
        if (!is_ticking(s) || !views_uses(c, k))
            continue;
        buffer_format(b, "    Z%u EVERY ", k + 1);
        put_clock(b, s->p[2], s->p[3]);
        if (s->looks)
            put_looks(b, c, "J");
        buffer_format(b, "      V%u := ", k + 1);
        if (s->kind == SIGNAL_COUNT)
            buffer_format(b, "V%u + (", k + 1);
        else
            buffer_text(b, "(");
        put_number(b, s->p[1]);
        if (s->kind == SIGNAL_TICK)
            buffer_format(b, ") - V%u", k + 1);
        else
            buffer_text(b, ")");
        buffer_text(b, "\n    END;\n");
    }
    buffer_text(b, "  END;\n");
}

static void put_discrete(Buffer *b, const Case *c)
{
    buffer_text(b, "  DISCRETE\n");
    put_events(b, c);
    put_samples(b, c);
    if (any_view(c, VIEW_WAIT)) {
        bool first = true;
        buffer_text(b, "  PROCESSES\n");
        for (uint32_t k = 0; k < c->relations; k++)
            if (c->relation[k].views & VIEW_WAIT) {
                buffer_format(b, "%s    P%u", first ? "" : ";\n", k + 1);
                first = false;
            }
        buffer_text(b, "\n  END\n");
    }
    buffer_text(b, "  END;\n");
}

static void put_terminal(Buffer *b, const Case *c)
{
    buffer_text(b, "  TERMINAL\n    ENDTIME := TIME");
    for (uint32_t k = 0; k < c->relations; k++) {
        const Relation *r = &c->relation[k];
        unsigned n = k + 1;
        buffer_format(b, ";\n    TR%u := (IF ", n);
        put_relation(b, c, r);
        buffer_text(b, " THEN 1 ELSE 0)");
        if (r->views & VIEW_IF)
            buffer_format(b, ";\n    TA%u := A%u", n, n);
        if (r->views & VIEW_LOGIC)
            buffer_format(b, ";\n    TL%u := (IF L%u THEN 1 ELSE 0)", n, n);
    }
    buffer_text(b, "\n  END\n");
}

void views_text(const Case *c, Buffer *b)
{
    buffer_text(b, "PROGRAM VIEWS;\nVAR\n");
    for (uint32_t k = 0; k < c->signals; k++)
        if (views_uses(c, k))
            declare_signal(b, c, k);
    if (c->period > 0)
        buffer_text(b, "  SAMPLE CLOCK;\n");
    if (any_communic(c))
        buffer_text(b, "  REAL CTIME;\n");
    for (uint32_t k = 0; k < c->relations; k++)
        declare_relation(b, c, k);
    buffer_text(b, "  REAL ENDTIME;\n");
    put_stored(b, c);
    put_processes(b, c);
    put_experiment(b, c);
    buffer_text(b, "SYSTEM\n");
    put_initial(b, c);
    put_continuous(b, c);
    put_discrete(b, c);
    put_terminal(b, c);
    buffer_text(b, "END;\nEND.\n");
}
