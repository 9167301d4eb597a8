#include "expand/instance.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/whole.h"

/* Whole numbers that are known before the program is checked: sizes of arrays of
   parts, indices in CONNECT. */

#define DEPTH_MOST 200 // of CONSTs of CONSTs

static bool find(Flattener *f, Instance *i, const Known *known, const Node *n,
                 uint32_t depth, int64_t *value);

static bool both(int64_t a, Word op, int64_t b, int64_t *value)
{
    switch (op) {
    case WORD_PLUS: return !__builtin_add_overflow(a, b, value);
    case WORD_MINUS: return !__builtin_sub_overflow(a, b, value);
    case WORD_TIMES: return !__builtin_mul_overflow(a, b, value);
    case WORD_DIV:
        if (b == 0 || (a == INT64_MIN && b == -1))
            return false;
        *value = a / b;
        return true;
    case WORD_MOD:
        if (b == 0 || (a == INT64_MIN && b == -1))
            return false;
        *value = a % b;
        return true;
    case WORD_POWER: return b >= 0 && whole_power(a, b, value);
    case WORD_EQUAL: *value = a == b; return true;
    case WORD_UNEQUAL: *value = a != b; return true;
    case WORD_LESS: *value = a < b; return true;
    case WORD_LESS_EQUAL: *value = a <= b; return true;
    case WORD_GREATER: *value = a > b; return true;
    case WORD_GREATER_EQUAL: *value = a >= b; return true;
    case WORD_AND: *value = a && b; return true;
    case WORD_OR: *value = a || b; return true;
    default: return false;
    }
}

/* What --set gives for this name. */
static bool given(const Flattener *f, const char *name, int64_t *value)
{
    const GivenNames *g = &f->u->given;
    for (uint32_t k = 0; k < g->n; k++) {
        char *end;
        if (!g->value || !name_same(g->name[k], name))
            continue;
        *value = strtoll(g->value[k], &end, 10);
        return end != g->value[k] && *end == '\0';
    }
    return false;
}

/* No warning that nothing uses it. */
static void mark_read(const Instance *i, const Node *n)
{
    uint32_t k;
    const Slot *s = template_slot(i->template, n->text, &k);
    if (s && s->kind == SLOT_NAME && s->node->kind == NODE_CONST_ITEM)
        s->node->flags |= FLAG_READ;
}

static bool of_name(Flattener *f, Instance *i, const Node *n, uint32_t depth,
                    int64_t *value)
{
    uint32_t k;
    const Slot *s = template_slot(i->template, n->text, &k);
    if (!s)
        return i->around && find(f, f->program, NULL, n, depth, value);
    const Held *h = &i->held[k];
    if (s->kind == SLOT_FORMAL && h->actual)
        return find(f, f->program, NULL, h->actual, depth, value);
    if (given(f, h->text, value))
        return true;
    if (s->kind == SLOT_NAME && s->node->kind == NODE_CONST_ITEM &&
        s->node->word == WORD_INTEGER)
        return find(f, i, NULL, s->node->last, depth, value);
    if (s->kind == SLOT_FORMAL && h->value)
        return find(f, f->program, NULL, h->value, depth, value);
    return false;
}

/* A CONST of a part, in what another part was given. */
static bool of_path(Flattener *f, const char *path, uint32_t depth,
                    int64_t *value)
{
    uint32_t k = names_find(&f->constants, path);
    const Node *const *item = (const Node *const *)(void *)f->values.bytes;
    if (k == NAME_UNKNOWN || !item[k])
        return false;
    return given(f, path, value) ||
           find(f, f->program, NULL, item[k], depth, value);
}

static bool find(Flattener *f, Instance *i, const Known *known, const Node *n,
                 uint32_t depth, int64_t *value)
{
    int64_t a, b;
    if (depth > DEPTH_MOST)
        return false;
    switch (n->kind) {
    case NODE_INTEGER: *value = n->integer; return flat_absent(n->first);
    case NODE_NAME:
        for (const Known *k = known; k; k = k->around)
            if (name_same(k->name, n->text)) {
                *value = k->value;
                return true;
            }
        if (bound_find(f, n->text))
            return false;
        mark_read(i, n);
        return of_path(f, n->text, depth + 1, value) ||
               of_name(f, i, n, depth + 1, value);
    case NODE_SELECT: {
        Ref r = reference(f, i, node_copy(f, n));
        return r.kind == REF_NODE && r.node->kind == NODE_NAME &&
               of_path(f, r.node->text, depth + 1, value);
    }
    case NODE_UNARY:
        if (!find(f, i, known, n->first, depth, &a))
            return false;
        if (n->word == WORD_MINUS && a == INT64_MIN)
            return false;
        *value = n->word == WORD_MINUS ? -a : n->word == WORD_NOT ? !a : a;
        return true;
    case NODE_BINARY:
        return find(f, i, known, n->first, depth, &a) &&
               find(f, i, known, n->last, depth, &b) &&
               both(a, n->word, b, value);
    default: return false;
    }
}

bool whole_value(Flattener *f, Instance *i, const Known *known, const Node *n,
                 int64_t *value)
{
    return find(f, i, known, n, 0, value);
}

bool whole_bounds(Flattener *f, Instance *i, const Node *extents,
                  const char *what, uint32_t *rank, int64_t *low, int64_t *high)
{
    uint64_t elements = 1;
    *rank = 0;
    if (flat_absent(extents))
        return true;
    for (const Node *e = extents->first; e; e = e->next) {
        if (*rank == RANK_MOST) {
            FLAT_ERROR(f, e, "`%s` has at most %d indices", what, RANK_MOST);
            return false;
        }
        int64_t *l = &low[*rank], *h = &high[*rank];
        *l = 1;
        if ((!flat_absent(e->first) && !whole_value(f, i, NULL, e->first, l)) ||
            !whole_value(f, i, NULL, e->last, h)) {
            FLAT_ERROR(
                f, e,
                "the size of `%s` must be a whole number made of INTEGER "
                "CONSTs",
                what);
            return false;
        }
        if (*h < *l) {
            FLAT_ERROR(f, e,
                       "`%s` would have no elements: its last index %" PRId64
                       " is below the first, %" PRId64,
                       what, *h, *l);
            return false;
        }
        uint64_t size = (uint64_t)*h - (uint64_t)*l + 1;
        if (!whole_is_bound(*l) || !whole_is_bound(*h) ||
            size > LIMIT_ARRAY / elements) {
            FLAT_ERROR(f, e, "an array has at most %d elements", LIMIT_ARRAY);
            return false;
        }
        elements *= size;
        ++*rank;
    }
    return true;
}
