#include "grammar/table.h"

#include <string.h>

#include "grammar/sets.h"

/* A cell of the stack: below `symbols` a symbol, from there on a row. A row is
   a construct with its ways; a way is a run of cells. Cells of a way are stored
   backwards, as they are pushed. */
typedef uint16_t Cell;

typedef struct Way {
    uint32_t start, length; // in Table.cell
} Way;

#define NO_WAY UINT16_MAX

struct Table {
    const Grammar *g;
    uint32_t symbols, rows, ways, cells;
    uint16_t *action;  // [row * symbols + symbol]: way, or NO_WAY
    uint16_t *without; // [row]: the way when no symbol says which, or NO_WAY
    Set *begin;        // [row]: symbols it begins with
    Way *way;
    Cell *cell;
    uint16_t by_word[WORD_COUNT]; // symbol of a word; 0: none
    uint16_t by_class[CLASS_COUNT];
};

/* ---- Making -------------------------------------------------------------- */

/* Rows: first one for each rule, in order, then one for each choice, option
   and repetition within. */
typedef struct Count {
    uint32_t rows, ways, cells;
} Count;

static void count_item(const Item *i, Count *c)
{
    uint32_t parts = 0;
    for (const Item *part = i->first; part != NULL; part = part->next) {
        count_item(part, c);
        parts++;
    }
    c->rows++;
    c->ways += parts + 2;
    c->cells += parts + 2;
}

static bool allocate(Table *t, Arena *a, Count c)
{
    t->action = NEW_ARRAY(a, uint16_t, (size_t)c.rows * t->symbols);
    t->without = NEW_ARRAY(a, uint16_t, c.rows);
    t->begin = NEW_ARRAY(a, Set, c.rows);
    t->way = NEW_ARRAY(a, Way, c.ways);
    t->cell = NEW_ARRAY(a, Cell, c.cells);
    if (t->action == NULL || t->without == NULL || t->begin == NULL ||
        t->way == NULL || t->cell == NULL || c.ways >= NO_WAY ||
        c.rows + t->symbols >= UINT16_MAX)
        return false;
    memset(t->action, 0xFF, (size_t)c.rows * t->symbols * sizeof *t->action);
    memset(t->without, 0xFF, c.rows * sizeof *t->without);
    return true;
}

static Cell make_item(Table *t, const Item *i);

static uint16_t new_way(Table *t, const Cell *cells, uint32_t n)
{
    t->way[t->ways] = (Way){t->cells, n};
    for (uint32_t k = n; k-- > 0;)
        t->cell[t->cells++] = cells[k];
    return (uint16_t)t->ways++;
}

static void take_on(Table *t, uint32_t row, const Set *s, uint16_t way)
{
    for (uint32_t k = 0; k < t->symbols; k++) {
        uint16_t *entry = &t->action[row * t->symbols + k];
        if (set_has(s, k) && *entry == NO_WAY)
            *entry = way;
    }
}

/* A way with one cell for each part: its cells are found in reading order,
   after those of inner parts, so they are collected first and stored
   backwards. */
static uint16_t sequence_way(Table *t, const Item *part)
{
    Cell local[64];
    uint32_t n = 0;
    for (; part != NULL && n < LENGTH(local) - 1; part = part->next)
        local[n++] = make_item(t, part);
    if (part != NULL) {
        Item rest = {.kind = ITEM_SEQUENCE, .first = (Item *)part};
        local[n++] = make_item(t, &rest);
    }
    return new_way(t, local, n);
}

static void make_choice(Table *t, uint32_t row, const Item *i)
{
    for (const Item *part = i->first; part != NULL; part = part->next) {
        Cell cell = make_item(t, part);
        uint16_t way = new_way(t, &cell, 1);
        Set s = item_lookahead(part);
        take_on(t, row, &s, way);
        if (part->nullable)
            t->without[row] = way;
    }
}

static void make_bracket(Table *t, uint32_t row, const Item *i)
{
    Cell cells[2] = {make_item(t, i->first), (Cell)(t->symbols + row)};
    uint16_t in = new_way(t, cells, i->kind == ITEM_REPEAT ? 2 : 1);
    uint16_t out = new_way(t, NULL, 0);
    take_on(t, row, &i->begin, in);
    take_on(t, row, &i->follow, out);
    t->without[row] = out;
}

static void fill_row(Table *t, uint32_t row, const Item *i)
{
    t->begin[row] = i->begin;
    if (i->kind == ITEM_CHOICE)
        make_choice(t, row, i);
    else if (i->kind == ITEM_OPTION || i->kind == ITEM_REPEAT)
        make_bracket(t, row, i);
    else
        t->without[row] =
            sequence_way(t, i->kind == ITEM_SEQUENCE ? i->first : i);
}

static Cell make_item(Table *t, const Item *i)
{
    if (i->kind == ITEM_SYMBOL)
        return (Cell)i->index;
    if (i->kind == ITEM_RULE)
        return (Cell)(t->symbols + i->index);
    uint32_t row = t->rows++;
    fill_row(t, row, i);
    return (Cell)(t->symbols + row);
}

static bool same_word(const Grammar *g, uint32_t symbol, SymbolKind kind,
                      const char *text)
{
    return g->symbol[symbol].kind == kind &&
           strcmp(g->symbol[symbol].text, text) == 0;
}

static void map_words(Table *t)
{
    static const struct {
        Word word;
        SymbolKind kind;
        const char *text;
    } words[] = {
#define RESERVED(name)     {WORD_##name, SYMBOL_WORD, #name},
#define OPTION(name)       {WORD_##name, SYMBOL_OPTION, #name},
#define SYMBOL(name, sign) {WORD_##name, SYMBOL_SIGN, sign},
#define MACRO_WORD(name)
#include "syntax/words.def"
#undef RESERVED
#undef OPTION
#undef SYMBOL
#undef MACRO_WORD
    };
    for (uint32_t s = 0; s < t->symbols; s++) {
        for (size_t k = 0; k < LENGTH(words); k++) {
            if (same_word(t->g, s, words[k].kind, words[k].text))
                t->by_word[words[k].word] = (uint16_t)s;
        }
        for (size_t k = 0; k < CLASS_COUNT; k++) {
            if (same_word(t->g, s, SYMBOL_CLASS, class_names[k]))
                t->by_class[k] = (uint16_t)s;
        }
    }
}

Table *table_make(Arena *a, const Grammar *g)
{
    Table *t = NEW(a, Table);
    Count c = {.rows = g->rules};
    if (t == NULL)
        return NULL;
    t->g = g;
    t->symbols = g->symbols;
    for (uint32_t k = 0; k < g->rules; k++)
        count_item(g->rule[k].body, &c);
    if (!allocate(t, a, c))
        return NULL;
    t->rows = g->rules;
    for (uint32_t k = 0; k < g->rules; k++)
        fill_row(t, k, g->rule[k].body);
    map_words(t);
    return t;
}

/* ---- Recognising --------------------------------------------------------- */

/* The symbols a token may stand for, the more specific one first; 0, the end of
   the text, also means none. */
typedef struct Meaning {
    uint16_t word, plain;
    bool known;
} Meaning;

static Meaning token_meaning(const Table *t, const Token *token)
{
    Meaning m = {0, 0, true};
    switch (token->kind) {
    case TOKEN_END: return m;
    case TOKEN_NAME:
        m.word = t->by_word[token->word];
        m.plain = t->by_class[0];
        break;
    case TOKEN_INTEGER: m.plain = t->by_class[1]; break;
    case TOKEN_NUMBER: m.plain = t->by_class[2]; break;
    case TOKEN_STRING: m.plain = t->by_class[3]; break;
    case TOKEN_RAW: m.plain = t->by_class[4]; break;
    case TOKEN_WORD:
    case TOKEN_SYMBOL: m.plain = t->by_word[token->word]; break;
    case TOKEN_INSERT: break;
    }
    m.known = m.word != 0 || m.plain != 0;
    return m;
}

static bool fits(Cell symbol, Meaning m)
{
    return m.known && (symbol == m.plain || (m.word != 0 && symbol == m.word));
}

static uint16_t choose(const Table *t, uint32_t row, Meaning m)
{
    const uint16_t *action = t->action + row * t->symbols;
    if (m.known && m.word != 0 && action[m.word] != NO_WAY)
        return action[m.word];
    if (m.known && action[m.plain] != NO_WAY)
        return action[m.plain];
    return t->without[row];
}

static bool push_way(Vector *stack, const Table *t, uint16_t way)
{
    const Way *w = &t->way[way];
    return vector_append(stack, t->cell + w->start, w->length * sizeof(Cell));
}

static Cell pop(Vector *stack)
{
    Cell top;
    stack->used -= sizeof top;
    memcpy(&top, stack->bytes + stack->used, sizeof top);
    return top;
}

/* Works on the stack until the token is consumed; false if it does not fit. */
static bool take(const Table *t, Vector *stack, const Token *token, Verdict *v)
{
    Meaning m = token_meaning(t, token);
    v->expected = (Set){{0}};
    while (stack->used > 0) {
        Cell top = pop(stack);
        if (top < t->symbols) {
            set_add(&v->expected, top);
            return fits(top, m);
        }
        uint32_t row = top - t->symbols;
        uint16_t way = choose(t, row, m);
        set_join(&v->expected, &t->begin[row]);
        if (way == NO_WAY)
            return false;
        if (!push_way(stack, t, way)) {
            v->memory = true;
            return false;
        }
    }
    return false;
}

Verdict recognise(const Table *t, const Tokens *tokens)
{
    Verdict v = {.ok = true};
    Vector stack = {0};
    Cell start[2] = {0, (Cell)t->symbols}; // the first rule, then the end
    if (!vector_append(&stack, start, sizeof start))
        v = (Verdict){.memory = true};
    for (; v.ok && v.at < tokens->count; v.at++) {
        if (!take(t, &stack, &tokens->token[v.at], &v)) {
            v.ok = false;
            break;
        }
    }
    vector_free(&stack);
    return v;
}
