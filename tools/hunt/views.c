#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hunt/views.h"

/* The part `views`: random cases, each made as small as possible while the same
   rule is broken. */

enum { VIEWS_FIXED = 1000 }; // cases of the fixed selection

/* Rules that COSY does not keep yet, in one case or in all; the fixed selection
   leaves them out. */
static const struct {
    const char *rule;
    uint64_t in; // case, or 0
} open_rules[] = {
#define OPEN(rule)        {rule, 0},
#define OPEN_IN(rule, in) {rule, in},
#include "hunt/views_open.def"
#undef OPEN
#undef OPEN_IN
    {NULL, 0}};

static bool is_open(const Hunt *h, const char *rule, uint64_t in)
{
    if (h->seconds > 0 || h->only)
        return false;
    for (uint32_t k = 0; open_rules[k].rule; k++)
        if (strcmp(open_rules[k].rule, rule) == 0 &&
            (open_rules[k].in == 0 || open_rules[k].in == in))
            return true;
    return false;
}

static bool has_rule(const Findings *f, const char *rule)
{
    for (uint32_t k = 0; k < f->count; k++)
        if (strcmp(f->one[k].rule, rule) == 0)
            return true;
    return false;
}

/* The n-th thing that can be left out of a case; false if there are no more. If
   *c stays the same, there is nothing to leave out at n. */
static bool leave_out(Case *c, uint32_t n)
{
    if (n < VIEWS_RELATIONS) {
        if (n >= c->relations || c->relations == 1 || (n == 0 && c->act.by))
            return true;
        for (uint32_t k = n; k + 1 < c->relations; k++)
            c->relation[k] = c->relation[k + 1];
        c->relations--;
        return true;
    }
    n -= VIEWS_RELATIONS;
    if (n < VIEWS_RELATIONS * VIEWS_ATOMS) {
        Relation *r = &c->relation[n / VIEWS_ATOMS];
        uint32_t at = n % VIEWS_ATOMS;
        if (n / VIEWS_ATOMS >= c->relations || at >= r->atoms || r->atoms == 1)
            return true;
        for (uint32_t k = at; k + 1 < r->atoms; k++)
            r->atom[k] = r->atom[k + 1];
        r->atoms--;
        return true;
    }
    n -= VIEWS_RELATIONS * VIEWS_ATOMS;
    if (n < VIEWS_RELATIONS * 6) {
        if (n / 6 < c->relations && !(n / 6 == 0 && c->act.by == 1u << (n % 6)))
            c->relation[n / 6].views &= ~(1u << (n % 6));
        return true;
    }
    n -= VIEWS_RELATIONS * 6;
    if (n < VIEWS_SIGNALS * VIEWS_JUMPS) {
        Signal *s = &c->signal[n / VIEWS_JUMPS];
        uint32_t at = n % VIEWS_JUMPS;
        if (n / VIEWS_JUMPS >= c->signals || at >= s->jumps)
            return true;
        for (uint32_t k = at; k + 1 < s->jumps; k++)
            s->jump[k] = s->jump[k + 1];
        s->jumps--;
        return true;
    }
    n -= VIEWS_SIGNALS * VIEWS_JUMPS;
    if (n < VIEWS_SIGNALS) {
        c->signal[n].looks = false;
        return true;
    }
    n -= VIEWS_SIGNALS;
    switch (n) {
    case 0:
        c->period = 0;
        c->offset = 0;
        return true;
    case 1: c->relerr = 0; return true;
    case 2:
        if (c->step == 0)
            c->method = NULL;
        return true;
    case 3: c->method = NULL, c->step = 0; return true;
    case 4: c->comint = 1; return true;
    case 5: c->act = (Act){.by = 0}; return true;
    case 6:
        for (uint32_t k = 0; k < c->relations; k++)
            for (uint32_t i = 0; i < c->relation[k].atoms; i++)
                c->relation[k].atom[i].turned = false;
        return true;
    case 7:
    case 8:
    case 9:
        if (n - 7 < c->relations) {
            Relation *r = &c->relation[n - 7];
            r->denied = false;
            for (uint32_t i = 0; i < r->atoms; i++)
                r->atom[i].denied = false;
        }
        return true;
    default: return false;
    }
}

static void make_small(const Hunt *h, const char *folder, Case *c,
                       const char *rule)
{
    bool smaller = true;
    while (smaller) {
        smaller = false;
        for (uint32_t n = 0;; n++) {
            Arena a = {.block = NULL};
            Case less = *c;
            Findings f;
            if (!leave_out(&less, n))
                break;
            if (memcmp(&less, c, sizeof less) != 0 &&
                views_check(h, &a, &less, folder, &f) && has_rule(&f, rule)) {
                *c = less;
                smaller = true;
            }
            arena_free(&a);
        }
    }
}

/* Leaves the small case in its folder, with what is wrong at the top. */
static void tell(Hunt *h, const char *folder, Case *c, const char *rule)
{
    Arena a = {.block = NULL};
    Buffer b = {.broken = false};
    Findings f;
    char what[60], again[80];
    const char *text = "";
    make_small(h, folder, c, rule);
    views_check(h, &a, c, folder, &f);
    buffer_text(&b, "(*\n");
    for (uint32_t k = 0; k < f.count; k++) {
        buffer_format(&b, "   %s: %s\n", f.one[k].rule, f.one[k].text);
        if (strcmp(f.one[k].rule, rule) == 0)
            text = f.one[k].text;
    }
    buffer_text(&b, "*)\n");
    views_text(c, &b);
    hunt_write(folder, "views.cosy", buffer_string(&b));
    snprintf(what, sizeof what, "%s (case %llu)", rule,
             (unsigned long long)c->seed);
    snprintf(again, sizeof again, "--only %llu views",
             (unsigned long long)c->seed);
    hunt_wrong(h, what, folder, again, "%s", text);
    buffer_free(&b);
    arena_free(&a);
}

void hunt_views(Hunt *h)
{
    /* Each rule is made small only a few times; after that it is only
       counted. */
    enum { RULES = 64, EACH = 3 };
    const char *rules[RULES];
    uint32_t counts[RULES] = {0}, known = 0;
    uint64_t first = h->only ? strtoull(h->only, NULL, 10) : h->seed * 1000000;
    Arena a = {.block = NULL};
    const char *folder = hunt_folder(h, &a);
    for (uint64_t k = 0; hunt_left(h) > 0; k++) {
        Arena scratch = {.block = NULL};
        Case c;
        Findings f = {.count = 0};
        if ((h->seconds == 0 && k == VIEWS_FIXED / h->thin) ||
            (h->only && k == 1))
            break;
        views_make(&c, first + k);
        if (!views_check(h, &scratch, &c, folder, &f))
            break;
        hunt_tried(h, "views");
        for (uint32_t n = 0; n < f.count; n++) {
            uint32_t at = 0;
            while (at < known && strcmp(rules[at], f.one[n].rule) != 0)
                at++;
            if (at == known && known < RULES)
                rules[known++] = f.one[n].rule;
            if (is_open(h, f.one[n].rule, c.seed)) {
                hunt_skip(h, f.one[n].rule, "this rule is open");
                continue;
            }
            if (at < known && counts[at]++ < EACH) {
                Case small = c;
                tell(h, folder, &small, f.one[n].rule);
                folder = hunt_folder(h, &a);
            }
        }
        arena_free(&scratch);
    }
    for (uint32_t n = 0; n < known; n++)
        if (counts[n] > 0)
            printf("views: %s: %u\n", rules[n], counts[n]);
    hunt_remove(folder);
    arena_free(&a);
}
