#include "grammar/sets.h"

/* ---- Sets ---------------------------------------------------------------- */

#define WORDS (SYMBOL_LIMIT / 64)

void set_add(Set *s, uint32_t symbol)
{
    s->bits[symbol / 64] |= UINT64_C(1) << symbol % 64;
}

bool set_join(Set *s, const Set *from)
{
    bool grown = false;
    for (uint32_t k = 0; k < WORDS; k++) {
        uint64_t sum = s->bits[k] | from->bits[k];
        grown = grown || sum != s->bits[k];
        s->bits[k] = sum;
    }
    return grown;
}

Set set_both(const Set *a, const Set *b)
{
    Set both;
    for (uint32_t k = 0; k < WORDS; k++)
        both.bits[k] = a->bits[k] & b->bits[k];
    return both;
}

bool set_empty(const Set *s)
{
    for (uint32_t k = 0; k < WORDS; k++) {
        if (s->bits[k] != 0)
            return false;
    }
    return true;
}

void set_write(Buffer *b, const Grammar *g, const Set *s, uint32_t most)
{
    uint32_t count = 0, shown = 0;
    for (uint32_t k = 0; k < g->symbols; k++)
        count += set_has(s, k);
    if (most > count)
        most = count;
    for (uint32_t k = 0; k < g->symbols && shown < most; k++) {
        if (!set_has(s, k))
            continue;
        if (shown > 0)
            buffer_text(b, shown + 1 == count ? " and " : ", ");
        symbol_write(b, &g->symbol[k]);
        shown++;
    }
    if (count > most)
        buffer_format(b, " and %u more", count - most);
}

/* ---- Beginnings ---------------------------------------------------------- */

/* Each of these three makes one pass and returns true if anything grew. */
static bool item_begin(Grammar *g, Item *i);

static bool sequence_begin(Grammar *g, Item *i)
{
    bool grown = false, nullable = true;
    for (Item *part = i->first; part != NULL; part = part->next) {
        grown |= item_begin(g, part);
        if (nullable)
            grown |= set_join(&i->begin, &part->begin);
        nullable = nullable && part->nullable;
    }
    grown |= nullable != i->nullable;
    i->nullable = nullable;
    return grown;
}

static bool parts_begin(Grammar *g, Item *i)
{
    bool grown = false, nullable = i->kind != ITEM_CHOICE;
    for (Item *part = i->first; part != NULL; part = part->next) {
        grown |= item_begin(g, part);
        grown |= set_join(&i->begin, &part->begin);
        nullable = nullable || part->nullable;
    }
    grown |= nullable != i->nullable;
    i->nullable = nullable;
    return grown;
}

static bool item_begin(Grammar *g, Item *i)
{
    bool grown;
    switch (i->kind) {
    case ITEM_SYMBOL:
        grown = !set_has(&i->begin, i->index);
        set_add(&i->begin, i->index);
        return grown;
    case ITEM_RULE:
        grown = i->nullable != g->rule[i->index].nullable;
        i->nullable = g->rule[i->index].nullable;
        return set_join(&i->begin, &g->rule[i->index].begin) || grown;
    case ITEM_SEQUENCE: return sequence_begin(g, i);
    default: return parts_begin(g, i);
    }
}

static bool rule_begin(Grammar *g, Rule *rule)
{
    bool grown = item_begin(g, rule->body);
    grown |= set_join(&rule->begin, &rule->body->begin);
    rule->nullable = rule->body->nullable;
    return grown;
}

/* ---- Followers ----------------------------------------------------------- */

static bool item_follow(Grammar *g, Item *i, const Set *follow);

/* For each part, its followers are the beginnings of the next parts, as far as
   those may be empty, and then the followers of the whole. */
static bool sequence_follow(Grammar *g, Item *i)
{
    bool grown = false;
    for (Item *part = i->first; part != NULL; part = part->next) {
        Set follow = {{0}};
        const Item *after = part->next;
        for (; after != NULL; after = after->next) {
            set_join(&follow, &after->begin);
            if (!after->nullable)
                break;
        }
        if (after == NULL)
            set_join(&follow, &i->follow);
        grown |= item_follow(g, part, &follow);
    }
    return grown;
}

static bool item_follow(Grammar *g, Item *i, const Set *follow)
{
    bool grown = set_join(&i->follow, follow);
    Set inner = i->follow;
    switch (i->kind) {
    case ITEM_SYMBOL: break;
    case ITEM_RULE:
        grown |= set_join(&g->rule[i->index].follow, &i->follow);
        break;
    case ITEM_SEQUENCE: grown |= sequence_follow(g, i); break;
    default:
        if (i->kind == ITEM_REPEAT)
            set_join(&inner, &i->begin);
        for (Item *part = i->first; part != NULL; part = part->next)
            grown |= item_follow(g, part, &inner);
    }
    return grown;
}

void sets_make(Grammar *g)
{
    bool grown;
    do {
        grown = false;
        for (uint32_t k = 0; k < g->rules; k++)
            grown |= rule_begin(g, &g->rule[k]);
    } while (grown);
    set_add(&g->rule[0].follow, 0);
    do {
        grown = false;
        for (uint32_t k = 0; k < g->rules; k++)
            grown |= item_follow(g, g->rule[k].body, &g->rule[k].follow);
    } while (grown);
}

Set item_lookahead(const Item *i)
{
    Set s = i->begin;
    if (i->nullable)
        set_join(&s, &i->follow);
    return s;
}
