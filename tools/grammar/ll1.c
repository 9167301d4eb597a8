#include "grammar/ll1.h"

#include <stdio.h>
#include <string.h>

#include "grammar/sets.h"

#define SHOWN 4 // symbols of a conflict that are shown

/* ---- Rules: defined, reached, ending ------------------------------------- */

static bool report_undefined(const Grammar *g, Diags *d)
{
    bool ok = true;
    for (uint32_t k = 0; k < g->rules; k++) {
        if (g->rule[k].body == NULL) {
            diag_error(d, g->rule[k].at, "rule %s is not defined",
                       g->rule[k].name);
            ok = false;
        }
    }
    return ok;
}

static void reach_item(const Grammar *g, const Item *i, bool *reached)
{
    if (i->kind == ITEM_RULE && !reached[i->index]) {
        reached[i->index] = true;
        reach_item(g, g->rule[i->index].body, reached);
    }
    for (const Item *part = i->first; part != NULL; part = part->next)
        reach_item(g, part, reached);
}

static bool report_unused(const Grammar *g, Diags *d)
{
    bool reached[RULE_LIMIT] = {true}, ok = true;
    reach_item(g, g->rule[0].body, reached);
    for (uint32_t k = 0; k < g->rules; k++) {
        if (!reached[k]) {
            diag_error(d, g->rule[k].at, "rule %s is not used from %s",
                       g->rule[k].name, g->rule[0].name);
            ok = false;
        }
    }
    return ok;
}

/* True if the item can produce a text at all, as far as `ends` shows. */
static bool item_ends(const Item *i, const bool *ends)
{
    switch (i->kind) {
    case ITEM_RULE: return ends[i->index];
    case ITEM_SEQUENCE:
        for (const Item *part = i->first; part != NULL; part = part->next) {
            if (!item_ends(part, ends))
                return false;
        }
        return true;
    case ITEM_CHOICE:
        for (const Item *part = i->first; part != NULL; part = part->next) {
            if (item_ends(part, ends))
                return true;
        }
        return false;
    default: return true;
    }
}

static bool report_endless(const Grammar *g, Diags *d)
{
    bool ends[RULE_LIMIT] = {false}, grown = true, ok = true;
    while (grown) {
        grown = false;
        for (uint32_t k = 0; k < g->rules; k++) {
            if (!ends[k] && item_ends(g->rule[k].body, ends))
                grown = ends[k] = true;
        }
    }
    for (uint32_t k = 0; k < g->rules; k++) {
        if (!ends[k]) {
            diag_error(d, g->rule[k].at,
                       "rule %s has no text: every way through it leads back "
                       "to such rules",
                       g->rule[k].name);
            ok = false;
        }
    }
    return ok;
}

/* ---- Left recursion ------------------------------------------------------ */

typedef struct Search {
    const Grammar *g;
    bool nullable[RULE_LIMIT];
    bool seen[RULE_LIMIT];
    uint32_t path[RULE_LIMIT + 1];
    uint32_t length;
    uint32_t goal;
} Search;

static bool item_nullable(const Item *i, const bool *nullable)
{
    switch (i->kind) {
    case ITEM_SYMBOL: return false;
    case ITEM_RULE: return nullable[i->index];
    case ITEM_SEQUENCE:
        for (const Item *part = i->first; part != NULL; part = part->next) {
            if (!item_nullable(part, nullable))
                return false;
        }
        return true;
    case ITEM_CHOICE:
        for (const Item *part = i->first; part != NULL; part = part->next) {
            if (item_nullable(part, nullable))
                return true;
        }
        return false;
    default: return true;
    }
}

/* True if the goal can be the first rule of the item; the way there is then in
   the path. */
static bool leads_back(Search *s, const Item *i)
{
    if (i->kind == ITEM_RULE) {
        if (i->index == s->goal)
            return true;
        if (s->seen[i->index])
            return false;
        s->seen[i->index] = true;
        s->path[s->length++] = i->index;
        if (leads_back(s, s->g->rule[i->index].body))
            return true;
        s->length--;
        return false;
    }
    for (const Item *part = i->first; part != NULL; part = part->next) {
        if (leads_back(s, part))
            return true;
        if (i->kind == ITEM_SEQUENCE && !item_nullable(part, s->nullable))
            return false;
    }
    return false;
}

static void report_circle(const Search *s, Diags *d)
{
    Buffer b = {0};
    const Rule *rule = &s->g->rule[s->goal];
    for (uint32_t k = 0; k < s->length; k++)
        buffer_format(&b, " begins with %s, which",
                      s->g->rule[s->path[k]].name);
    diag_error(d, rule->at, "rule %s is left-recursive: %s%s begins with %s",
               rule->name, rule->name, buffer_string(&b), rule->name);
    buffer_free(&b);
}

static bool report_left_recursion(const Grammar *g, Diags *d)
{
    Search s = {.g = g};
    bool grown = true, ok = true, told[RULE_LIMIT] = {false};
    while (grown) {
        grown = false;
        for (uint32_t k = 0; k < g->rules; k++) {
            if (!s.nullable[k] && item_nullable(g->rule[k].body, s.nullable))
                grown = s.nullable[k] = true;
        }
    }
    for (uint32_t k = 0; k < g->rules; k++) {
        memset(s.seen, 0, sizeof s.seen);
        s.length = 0;
        s.goal = k;
        if (told[k] || !leads_back(&s, g->rule[k].body))
            continue;
        report_circle(&s, d);
        for (uint32_t j = 0; j < s.length; j++)
            told[s.path[j]] = true;
        ok = false;
    }
    return ok;
}

bool grammar_check_rules(const Grammar *g, Diags *d)
{
    bool ok;
    if (!report_undefined(g, d))
        return false;
    ok = report_unused(g, d);
    ok = report_endless(g, d) && ok;
    return report_left_recursion(g, d) && ok;
}

/* ---- One symbol decides -------------------------------------------------- */

typedef struct Check {
    const Grammar *g;
    const Rule *rule;
    Diags *d;
    bool ok;
} Check;

static void report_conflict(Check *c, Span at, const Set *both,
                            const char *what)
{
    Buffer b = {0};
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->g->symbols; k++)
        n += set_has(both, k);
    set_write(&b, c->g, both, SHOWN);
    diag_error(c->d, at, "rule %s: %s %s not decide: %s", c->rule->name,
               buffer_string(&b), n == 1 ? "does" : "do", what);
    buffer_free(&b);
    c->ok = false;
}

/* Collects what follows the target within the item, as far as the item itself
   shows; `after` follows the item. False if the target is not in it. */
static bool follows_in(const Item *i, const Item *target, const Set *after,
                       Set *found)
{
    if (i == target) {
        *found = *after;
        return true;
    }
    for (const Item *part = i->first; part != NULL; part = part->next) {
        Set follow = {{0}};
        const Item *next = i->kind == ITEM_SEQUENCE ? part->next : NULL;
        bool open = true;
        if (i->kind == ITEM_REPEAT)
            follow = i->begin;
        for (; next != NULL && open; next = next->next) {
            set_join(&follow, &next->begin);
            open = next->nullable;
        }
        if (open)
            set_join(&follow, after);
        if (follows_in(part, target, &follow, found))
            return true;
    }
    return false;
}

/* Searches for a mention of `rule` that the symbol may follow, judging by the
   mentioning rule alone. */
static const Item *find_follower(const Item *body, const Item *i, uint32_t rule,
                                 uint32_t symbol)
{
    const Set none = {{0}};
    Set found;
    if (i->kind == ITEM_RULE && i->index == rule &&
        follows_in(body, i, &none, &found) && set_has(&found, symbol))
        return i;
    for (const Item *part = i->first; part != NULL; part = part->next) {
        const Item *there = find_follower(body, part, rule, symbol);
        if (there != NULL)
            return there;
    }
    return NULL;
}

static bool ends_with(const Item *i, uint32_t rule, uint32_t symbol)
{
    if (i->kind == ITEM_RULE)
        return i->index == rule && set_has(&i->follow, symbol);
    for (const Item *part = i->first; part != NULL; part = part->next) {
        if (ends_with(part, rule, symbol))
            return true;
    }
    return false;
}

/* Shows a place that makes the first of these symbols a follower of the item,
   if that is in another rule. */
static void note_follower(Check *c, const Item *item, const Set *both)
{
    const Set none = {{0}};
    uint32_t list[RULE_LIMIT], n = 0, symbol = 0;
    bool seen[RULE_LIMIT] = {false};
    Set found;
    while (!set_has(both, symbol))
        symbol++;
    if (follows_in(c->rule->body, item, &none, &found) &&
        set_has(&found, symbol))
        return;
    list[n++] = (uint32_t)(c->rule - c->g->rule);
    seen[list[0]] = true;
    for (uint32_t at = 0; at < n; at++) {
        for (uint32_t k = 0; k < c->g->rules; k++) {
            const Item *body = c->g->rule[k].body;
            const Item *there = find_follower(body, body, list[at], symbol);
            if (there != NULL) {
                diag_note(c->d, there->at, "it may follow this %s",
                          c->g->rule[list[at]].name);
                return;
            }
            if (!seen[k] && ends_with(body, list[at], symbol)) {
                seen[k] = true;
                list[n++] = k;
            }
        }
    }
}

/* How the alternative comes to be chosen for these symbols. */
static const char *way(const Item *alternative, const Set *both)
{
    Set by_begin = set_both(&alternative->begin, both);
    return set_empty(&by_begin) ? "may be empty and be followed by it"
                                : "may begin with it";
}

static void check_choice(Check *c, const Item *choice)
{
    uint32_t m = 1;
    for (const Item *a = choice->first; a != NULL; a = a->next, m++) {
        Set sa = item_lookahead(a);
        uint32_t n = m + 1;
        for (const Item *b = a->next; b != NULL; b = b->next, n++) {
            Set sb = item_lookahead(b), both = set_both(&sa, &sb);
            char what[60];
            if (a->nullable && b->nullable) {
                diag_error(c->d, choice->at,
                           "rule %s: alternatives %u and %u may both be empty",
                           c->rule->name, m, n);
                c->ok = false;
            } else if (!set_empty(&both)) {
                snprintf(what, sizeof what, "alternatives %u and %u both fit",
                         m, n);
                report_conflict(c, choice->at, &both, what);
                diag_note(c->d, a->at, "alternative %u %s", m, way(a, &both));
                diag_note(c->d, b->at, "alternative %u %s", n, way(b, &both));
            }
        }
    }
}

static void check_bracket(Check *c, const Item *i)
{
    bool option = i->kind == ITEM_OPTION;
    Set both = set_both(&i->begin, &i->follow);
    if (i->first->nullable) {
        diag_error(c->d, i->at, "rule %s: %s may be empty", c->rule->name,
                   option ? "what is optional here anyway"
                          : "what is repeated here");
        c->ok = false;
    } else if (i->nearest && set_empty(&both)) {
        diag_error(c->d, i->at,
                   "rule %s: one symbol decides about this option; the ! after "
                   "it means nothing",
                   c->rule->name);
        c->ok = false;
    } else if (!i->nearest && !set_empty(&both)) {
        report_conflict(c, i->at, &both,
                        option ? "it may begin this option or follow it"
                               : "it may begin one more repetition or follow "
                                 "the last");
        note_follower(c, i, &both);
    }
}

static void check_item(Check *c, const Item *i)
{
    if (i->kind == ITEM_CHOICE)
        check_choice(c, i);
    else if (i->kind == ITEM_OPTION || i->kind == ITEM_REPEAT)
        check_bracket(c, i);
    for (const Item *part = i->first; part != NULL; part = part->next)
        check_item(c, part);
}

bool grammar_check_ll1(const Grammar *g, Diags *d)
{
    Check c = {.g = g, .d = d, .ok = true};
    for (uint32_t k = 0; k < g->rules; k++) {
        c.rule = &g->rule[k];
        check_item(&c, c.rule->body);
    }
    return c.ok;
}

/* ---- The words of the language ------------------------------------------- */

typedef struct Listed {
    SymbolKind kind;
    const char *text;
} Listed;

static const Listed listed[] = {
#define RESERVED(name)     {SYMBOL_WORD, #name},
#define OPTION(name)       {SYMBOL_OPTION, #name},
#define SYMBOL(name, sign) {SYMBOL_SIGN, sign},
#define MACRO_WORD(name)
#include "syntax/words.def"
#undef RESERVED
#undef OPTION
#undef SYMBOL
#undef MACRO_WORD
};

static bool is_listed(const Symbol *s)
{
    for (size_t k = 0; k < LENGTH(listed); k++) {
        if (listed[k].kind == s->kind && strcmp(listed[k].text, s->text) == 0)
            return true;
    }
    return false;
}

bool grammar_check_words(const Grammar *g, Diags *d)
{
    const Span nowhere = {.file = SPAN_NOWHERE};
    bool ok = true;
    for (uint32_t k = 0; k < g->symbols; k++) {
        const Symbol *s = &g->symbol[k];
        if (s->kind != SYMBOL_CLASS && s->kind != SYMBOL_END && !is_listed(s)) {
            diag_error(d, s->at, "%s is not in src/syntax/words.def as %s",
                       s->text,
                       s->kind == SYMBOL_WORD     ? "RESERVED"
                       : s->kind == SYMBOL_OPTION ? "OPTION"
                                                  : "SYMBOL");
            ok = false;
        }
    }
    for (size_t k = 0; k < LENGTH(listed); k++) {
        if (grammar_find_symbol(g, listed[k].kind, listed[k].text) < 0) {
            diag_error(d, nowhere,
                       "%s of src/syntax/words.def is not in the grammar",
                       listed[k].text);
            ok = false;
        }
    }
    return ok;
}
