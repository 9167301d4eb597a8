#include "grammar/random.h"

#include <string.h>

#include "grammar/sets.h"

#define DEPTH_LIMIT 60 // nesting of rules, then the shortest way
#define LINE_WIDTH  72
#define INFINITE    1000000

struct Writer {
    const Grammar *g;
    uint32_t least[RULE_LIMIT]; // fewest tokens of the rule
    bool block[RULE_LIMIT];     // the rule closes with END
    uint16_t *distance;         // [goal * rules + rule]: rules in between; FAR
};

#define FAR UINT16_MAX

typedef struct Pool {
    const char *const *text;
    size_t count;
} Pool;

static const char *const names[] = {"X",  "Y",         "ALPHA", "X1",
                                    "Q2", "Long_name", "b",     "OVER"};
static const char *const integers[] = {"0", "1", "7", "42", "100"};
static const char *const numbers[] = {"1.0", "0.5", "1E3", "2.5E-3", "9.81"};
static const char *const strings[] = {"\"a text\"", "$as in 1979$", "\"\"",
                                      "\"say \"\"so\"\"\""};
static const char *const raws[] = {"\n      Y = X + 1\nEND",
                                   "\n      X = 2.0*Y\n     1    + 3.0\nEND",
                                   "\nEND"};

/* In the order of class_names. */
static const Pool pools[CLASS_COUNT] = {{names, LENGTH(names)},
                                        {integers, LENGTH(integers)},
                                        {numbers, LENGTH(numbers)},
                                        {strings, LENGTH(strings)},
                                        {raws, LENGTH(raws)}};

/* ---- Numbers ------------------------------------------------------------- */

/* Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014). */
static uint64_t random_next(Random *r)
{
    uint64_t z = r->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

uint32_t random_below(Random *r, uint32_t n)
{
    return (uint32_t)((random_next(r) >> 32) * n >> 32);
}

static bool random_chance(Random *r, uint32_t percent)
{
    return random_below(r, 100) < percent;
}

/* ---- Shortest ways ------------------------------------------------------- */

static uint32_t item_least(const Item *i, const uint32_t *least)
{
    uint32_t sum = 0, best = INFINITE;
    switch (i->kind) {
    case ITEM_SYMBOL: return 1;
    case ITEM_RULE: return least[i->index];
    case ITEM_SEQUENCE:
        for (const Item *part = i->first; part != NULL; part = part->next)
            sum += item_least(part, least);
        return sum < INFINITE ? sum : INFINITE;
    case ITEM_CHOICE:
        for (const Item *part = i->first; part != NULL; part = part->next) {
            uint32_t n = item_least(part, least);
            best = n < best ? n : best;
        }
        return best;
    default: return 0;
    }
}

static bool has_end(const Grammar *g, const Item *i)
{
    if (i->kind == ITEM_SYMBOL)
        return strcmp(g->symbol[i->index].text, "END") == 0;
    for (const Item *part = i->first; part != NULL; part = part->next) {
        if (has_end(g, part))
            return true;
    }
    return false;
}

/* How many rules lie between an item and the goal; FAR if there is no way. */
static uint16_t item_distance(const Item *i, const uint16_t *distance)
{
    uint16_t best = FAR;
    if (i->kind == ITEM_RULE)
        return distance[i->index];
    for (const Item *part = i->first; part != NULL; part = part->next) {
        uint16_t d = item_distance(part, distance);
        best = d < best ? d : best;
    }
    return best;
}

static void find_distances(const Grammar *g, uint32_t goal, uint16_t *distance)
{
    bool grown = true;
    for (uint32_t k = 0; k < g->rules; k++)
        distance[k] = FAR;
    distance[goal] = 0;
    while (grown) {
        grown = false;
        for (uint32_t k = 0; k < g->rules; k++) {
            uint16_t d = item_distance(g->rule[k].body, distance);
            if (d != FAR && d + 1 < distance[k]) {
                distance[k] = (uint16_t)(d + 1);
                grown = true;
            }
        }
    }
}

Writer *writer_make(Arena *a, const Grammar *g)
{
    Writer *w = NEW(a, Writer);
    bool grown = true;
    if (w == NULL)
        return NULL;
    w->g = g;
    w->distance = NEW_ARRAY(a, uint16_t, (size_t)g->rules * g->rules);
    if (w->distance == NULL)
        return NULL;
    for (uint32_t k = 0; k < g->rules; k++)
        find_distances(g, k, w->distance + (size_t)k * g->rules);
    for (uint32_t k = 0; k < g->rules; k++) {
        w->least[k] = INFINITE;
        w->block[k] = has_end(g, g->rule[k].body);
    }
    while (grown) {
        grown = false;
        for (uint32_t k = 0; k < g->rules; k++) {
            uint32_t n = item_least(g->rule[k].body, w->least);
            grown = grown || n < w->least[k];
            w->least[k] = n;
        }
    }
    return w;
}

/* ---- One program --------------------------------------------------------- */

typedef struct Making {
    const Writer *w;
    Random *r;
    Sample *s;
    uint32_t size;  // tokens after which only the shortest way is open
    uint32_t depth; // nesting of rules
    uint32_t level; // nesting of blocks
    /* A rule that the present part of the program must contain, so that rare
       constructs occur as often as others. */
    uint32_t goal;
    const uint16_t *distance; // from each rule to the goal
    uint16_t nearest;         // that of the present rule
    bool reached;
    uint32_t goal_depth; // while in the goal itself; else 0
} Making;

uint32_t sample_count(const Sample *s)
{
    return (uint32_t)(s->v.used / sizeof(Spelled));
}

static Spelled *tokens(const Sample *s)
{
    return (Spelled *)(void *)s->v.bytes;
}

/* Spells a symbol at random. */
static Spelled spell(const Grammar *g, uint32_t symbol, Random *r)
{
    const Symbol *s = &g->symbol[symbol];
    Spelled spelled = {s->kind, s->text, 0};
    for (size_t k = 0; k < CLASS_COUNT; k++) {
        if (s->kind == SYMBOL_CLASS && strcmp(s->text, class_names[k]) == 0)
            spelled.text =
                pools[k].text[random_below(r, (uint32_t)pools[k].count)];
    }
    return spelled;
}

static bool is_end(const Spelled *t)
{
    return t->kind == SYMBOL_WORD && strcmp(t->text, "END") == 0;
}

static void make_symbol(Making *m, uint32_t symbol)
{
    Spelled t = spell(m->w->g, symbol, m->r);
    t.level = m->level;
    if (is_end(&t) && t.level > 0)
        t.level--;
    if (!vector_append(&m->s->v, &t, sizeof t))
        m->s->broken = true;
}

static bool must_end(const Making *m)
{
    return sample_count(m->s) >= m->size || m->depth > DEPTH_LIMIT;
}

/* The greater the depth, the likelier the shortest way, so that no single
   expression uses up the size. */
static bool likes_short(Making *m)
{
    uint32_t over = m->depth > 8 ? m->depth - 8 : 0;
    if (m->depth == m->goal_depth)
        over = 0;
    return must_end(m) || random_chance(m->r, over * 8);
}

/* An alternative that is itself a long choice is picked more often. */
static uint32_t weight(const Grammar *g, const Item *alternative)
{
    uint32_t parts = 0;
    if (alternative->kind == ITEM_RULE)
        alternative = g->rule[alternative->index].body;
    if (alternative->kind == ITEM_CHOICE) {
        for (const Item *p = alternative->first; p != NULL; p = p->next)
            parts++;
    }
    return 2 + parts;
}

static bool leads_to_goal(Making *m, const Item *i)
{
    uint16_t d = item_distance(i, m->distance);
    return !m->reached && d < m->nearest && !must_end(m) &&
           random_chance(m->r, 90);
}

/* Picks one of the shortest alternatives, or any. */
static const Item *pick(Making *m, const Item *choice)
{
    for (const Item *part = choice->first; part != NULL; part = part->next) {
        if (leads_to_goal(m, part))
            return part;
    }
    uint32_t best = item_least(choice, m->w->least), n = 0;
    const Item *picked = NULL;
    bool shortest = likes_short(m);
    for (const Item *part = choice->first; part != NULL; part = part->next) {
        if (shortest && item_least(part, m->w->least) > best)
            continue;
        uint32_t own = weight(m->w->g, part);
        n += own;
        if (random_below(m->r, n) < own)
            picked = part;
    }
    return picked;
}

/* Options and repetitions grow rarer with depth. */
static bool wants_more(Making *m, const Item *i)
{
    if (must_end(m))
        return false;
    if (leads_to_goal(m, i))
        return true;
    if (m->depth == m->goal_depth)
        return random_chance(m->r, 60);
    return random_chance(m->r, m->depth < 12 ? 25 : 15);
}

static void make_item(Making *m, const Item *i);

/* Everything in a block is a level deeper, except its first token and END. */
static void make_rule(Making *m, uint32_t rule)
{
    uint32_t start = sample_count(m->s), level = m->level;
    uint32_t goal_depth = m->goal_depth;
    uint16_t nearest = m->nearest;
    m->depth++;
    m->nearest = m->distance[rule];
    if (rule == m->goal) {
        m->reached = true;
        m->goal_depth = m->depth;
    }
    m->level += m->w->block[rule] ? 1 : 0;
    make_item(m, m->w->g->rule[rule].body);
    m->level = level;
    m->depth--;
    m->goal_depth = goal_depth;
    m->nearest = nearest;
    if (start < sample_count(m->s))
        tokens(m->s)[start].level = level;
}

static void make_item(Making *m, const Item *i)
{
    if (m->s->broken)
        return;
    switch (i->kind) {
    case ITEM_SYMBOL: make_symbol(m, i->index); break;
    case ITEM_RULE: make_rule(m, i->index); break;
    case ITEM_SEQUENCE:
        for (const Item *part = i->first; part != NULL; part = part->next)
            make_item(m, part);
        break;
    case ITEM_CHOICE: make_item(m, pick(m, i)); break;
    case ITEM_OPTION:
        if (wants_more(m, i))
            make_item(m, i->first);
        break;
    case ITEM_REPEAT:
        while (wants_more(m, i))
            make_item(m, i->first);
        break;
    }
}

static void choose_goal(Making *m)
{
    uint32_t rules = m->w->g->rules;
    m->goal = random_below(m->r, rules);
    m->distance = m->w->distance + (size_t)m->goal * rules;
    m->nearest = FAR;
    m->reached = false;
}

/* The first rule repeats the large parts of a program: each gets a share of the
   size, until all of it is used. */
static void make_parts(Making *m, const Item *part, uint32_t size)
{
    while (sample_count(m->s) < size && !m->s->broken) {
        m->size = sample_count(m->s) + 8 + random_below(m->r, size / 2 + 1);
        if (m->size > size)
            m->size = size;
        choose_goal(m);
        make_item(m, part);
    }
    m->size = size;
}

void sample_make(const Writer *w, Random *r, uint32_t size, Sample *s)
{
    Making m = {.w = w, .r = r, .s = s};
    const Item *body = w->g->rule[0].body;
    s->v.used = 0;
    s->broken = false;
    m.level = 1;
    m.size = size;
    choose_goal(&m);
    if (body->kind != ITEM_SEQUENCE) {
        make_item(&m, body);
        return;
    }
    for (const Item *part = body->first; part != NULL; part = part->next) {
        m.size = sample_count(s) + size / 8;
        if (part->kind == ITEM_REPEAT)
            make_parts(&m, part->first, size);
        else
            make_item(&m, part);
    }
}

/* ---- Changing one token -------------------------------------------------- */

static void delete_token(Sample *s, uint32_t at)
{
    Spelled *t = tokens(s);
    uint32_t n = sample_count(s);
    memmove(t + at, t + at + 1, (n - at - 1) * sizeof *t);
    s->v.used -= sizeof *t;
}

static void insert_token(Sample *s, uint32_t at, Spelled token)
{
    uint32_t n = sample_count(s);
    if (!vector_append(&s->v, &token, sizeof token)) {
        s->broken = true;
        return;
    }
    Spelled *t = tokens(s);
    memmove(t + at + 1, t + at, (n - at) * sizeof *t);
    t[at] = token;
}

static Spelled any_token(const Writer *w, Random *r)
{
    if (w->g->symbols < 2)
        return (Spelled){SYMBOL_CLASS, names[0], 0};
    return spell(w->g, 1 + random_below(r, w->g->symbols - 1), r);
}

/* Another token; half the time one that the program has elsewhere, so that it
   is likelier to fit. */
static Spelled other_token(const Writer *w, Random *r, const Sample *s)
{
    if (random_chance(r, 50))
        return tokens(s)[random_below(r, sample_count(s))];
    return any_token(w, r);
}

void sample_mutate(const Writer *w, Random *r, Sample *s)
{
    uint32_t n = sample_count(s);
    if (n < 2 || s->broken)
        return;
    uint32_t at = random_below(r, n - 1);
    Spelled *t = tokens(s), swapped = t[at], other = other_token(w, r, s);
    other.level = swapped.level;
    switch (random_below(r, 5)) {
    case 0: delete_token(s, at); break;
    case 1: insert_token(s, at, swapped); break;
    case 2:
        t[at] = t[at + 1];
        t[at + 1] = swapped;
        break;
    case 3: insert_token(s, at, other); break;
    default: t[at] = other;
    }
}

/* ---- Its text ------------------------------------------------------------ */

typedef struct Page {
    Buffer *b;
    uint32_t column;
    const Spelled *before;
} Page;

static bool is_one_of(const Spelled *t, const char *signs)
{
    return t->kind == SYMBOL_SIGN && t->text[1] == '\0' &&
           strchr(signs, t->text[0]) != NULL;
}

static bool is_plain(const Spelled *t)
{
    return t->kind == SYMBOL_WORD || t->kind == SYMBOL_OPTION ||
           (t->kind == SYMBOL_CLASS && t->text[0] != '"' && t->text[0] != '$' &&
            t->text[0] != '\n');
}

/* True if no blank stands between the two: only if they cannot merge into one
   token or open a comment. */
static bool touches(const Spelled *a, const Spelled *b)
{
    if (is_end(a) && is_one_of(b, "."))
        return true;
    if (is_plain(a) || is_one_of(a, ")]"))
        return is_one_of(b, ",;)]'");
    if (is_one_of(a, "(["))
        return is_plain(b) || is_one_of(b, "([");
    return false;
}

static void new_line(Page *p, uint32_t level)
{
    buffer_char(p->b, '\n');
    for (uint32_t k = 0; k < level && k < 12; k++)
        buffer_text(p->b, "  ");
    p->column = 2 * (level < 12 ? level : 12);
    p->before = NULL;
}

static bool breaks_before(const Page *p, const Spelled *t)
{
    size_t width = strlen(t->text);
    if (p->before == NULL)
        return false;
    return is_one_of(p->before, ";") || p->before->text[0] == '\n' ||
           (is_end(t) && !is_end(p->before)) ||
           (is_end(p->before) && t->kind != SYMBOL_SIGN) ||
           p->column + width > LINE_WIDTH;
}

void sample_write(const Sample *s, Buffer *b)
{
    Page p = {.b = b};
    const Spelled *t = tokens(s);
    for (uint32_t k = 0; k < sample_count(s); k++, t++) {
        if (breaks_before(&p, t))
            new_line(&p, t->level);
        else if (p.before != NULL && !touches(p.before, t)) {
            buffer_char(b, ' ');
            p.column++;
        }
        buffer_text(b, t->text);
        p.column += (uint32_t)strlen(t->text);
        p.before = t;
    }
    buffer_char(b, '\n');
}
