#include "lower/field.h"

#include <string.h>

/* The order of the lowering, and what all its parts use. */

#define TEXT_MOST   160        // length of an equation in messages
#define STATES_MOST 1000000000 // elements

/* ---- Meanings --------------------------------------------------------------- */

static uint32_t slot_of(const MeaningTable *t, const Symbol *s)
{
    uint64_t h = (uint64_t)(uintptr_t)s * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t k = (uint32_t)(h >> 32) & (t->room - 1);
    while (t->symbol[k] && t->symbol[k] != s)
        k = (k + 1) & (t->room - 1);
    return k;
}

static bool table_grow(Lowerer *l)
{
    MeaningTable old = l->meanings, *t = &l->meanings;
    t->room = old.room ? 2 * old.room : 256;
    t->symbol = MODEL_ARRAY(l->m, const Symbol *, t->room);
    t->meaning = MODEL_ARRAY(l->m, Meaning *, t->room);
    if (!t->symbol || !t->meaning) {
        *t = old;
        return false;
    }
    for (uint32_t k = 0; k < old.room; k++)
        if (old.symbol[k]) {
            uint32_t slot = slot_of(t, old.symbol[k]);
            t->symbol[slot] = old.symbol[k];
            t->meaning[slot] = old.meaning[k];
        }
    return true;
}

Meaning *meaning_of(Lowerer *l, const Symbol *s)
{
    MeaningTable *t = &l->meanings;
    if (4 * (t->count + 1) > 3 * t->room && !table_grow(l))
        return &l->lost;
    uint32_t slot = slot_of(t, s);
    if (!t->symbol[slot]) {
        Meaning *fresh = MODEL_NEW(l->m, Meaning);
        if (!fresh)
            return &l->lost;
        *fresh = (Meaning){.number = NONE, .rate = NONE};
        t->symbol[slot] = s;
        t->meaning[slot] = fresh;
        t->count++;
    }
    return t->meaning[slot];
}

bool lower_refused(Lowerer *l, const Node *n)
{
    return n->kind == NODE_NAME && n->symbol &&
           meaning_of(l, n->symbol)->kind == MEANS_REFUSED;
}

const char *lower_set_value(const Lowerer *l, const Symbol *s)
{
    const char *value = NULL;
    for (uint32_t k = 0; l->o && k < l->o->sets; k++)
        if (name_same(l->o->set[k].name, s->name)) {
            l->o->set[k].used = true;
            value = l->o->set[k].value;
        }
    return value;
}

/* ---- Lines and texts ---------------------------------------------------------- */

static bool find_lines(Lowerer *l)
{
    const Unit *u = l->unit;
    uint32_t n = 1, k = 0;
    for (size_t p = 0; p < u->length; p++)
        n += u->text[p] == '\n';
    uint32_t *start = MODEL_ARRAY(l->m, uint32_t, n);
    if (!start)
        return false;
    start[k++] = 0;
    for (size_t p = 0; p < u->length; p++)
        if (u->text[p] == '\n')
            start[k++] = (uint32_t)p + 1;
    l->line_start = start;
    l->lines = n;
    return true;
}

uint32_t lower_line(const Lowerer *l, Span at, uint32_t origin)
{
    const Origins *o = &l->unit->origins;
    while (at.file != l->unit->file && origin != 0 && origin < o->count) {
        at = o->origin[origin].call;
        if (o->origin[origin].parent >= origin)
            break;
        origin = o->origin[origin].parent;
    }
    if (at.file != l->unit->file || !l->lines)
        return 0;
    uint32_t low = 0, high = l->lines; // start[low] <= at.start < start[high]
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (l->line_start[middle] <= at.start)
            low = middle;
        else
            high = middle;
    }
    return low + 1;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The position after a comment that begins at p, or p itself. */
static size_t skip_comment(const char *s, size_t p, size_t n)
{
    if (p + 1 >= n)
        return p;
    if (s[p] == '/' && s[p + 1] == '/') {
        while (p < n && s[p] != '\n')
            p++;
        return p;
    }
    if (s[p] != '(' || s[p + 1] != '*')
        return p;
    for (p += 2; p + 1 < n; p++)
        if (s[p] == '*' && s[p + 1] == ')')
            return p + 2;
    return n;
}

static void squeeze(Buffer *b, const char *s, size_t n)
{
    bool blank = false;
    for (size_t p = 0; p < n;) {
        size_t after = skip_comment(s, p, n);
        if (after > p || is_blank(s[p])) {
            blank = true;
            p = after > p ? after : p + 1;
            continue;
        }
        if (blank && b->v.used > 0)
            buffer_char(b, ' ');
        blank = false;
        buffer_char(b, s[p++]);
    }
}

static bool inside(Span part, Span all)
{
    return part.file == all.file && part.start >= all.start &&
           part.start + part.length <= all.start + all.length;
}

/* For a text that is not the program's: the tokens at that place. */
static void join_tokens(const Unit *u, Span at, Buffer *b)
{
    const Tokens *t = u->flat.count ? &u->flat : &u->tokens;
    bool begun = false;
    for (uint32_t k = 0; k < t->count; k++) {
        const Token *token = &t->token[k];
        if (!inside(token->at, at)) {
            if (begun)
                return;
            continue;
        }
        if (begun && !token->touches)
            buffer_char(b, ' ');
        buffer_text(b, token->text);
        begun = true;
    }
}

const char *lower_text(Lowerer *l, const Node *n)
{
    const Unit *u = l->unit;
    Buffer b = {0};
    if (n->at.file == u->file && n->at.start <= u->length &&
        n->at.length <= u->length - n->at.start)
        squeeze(&b, u->text + n->at.start, n->at.length);
    else
        join_tokens(u, n->at, &b);
    const char *text = buffer_string(&b);
    const char *kept = strlen(text) > TEXT_MOST
                           ? model_format(l->m, "%.*s ...", TEXT_MOST - 4, text)
                           : model_format(l->m, "%s", text);
    if (b.broken)
        l->m->broken = true;
    buffer_free(&b);
    return kept;
}

uint32_t lower_row(Lowerer *l, const Node *n, uint32_t variable, bool statement)
{
    Row row = {.variable = variable,
               .line = lower_line(l, n->at, n->origin),
               .text = lower_text(l, n),
               .statement = statement,
               .joined = n->flags & FLAG_PART};
    const Origin *part = unit_part(l->unit, n->origin);
    if (part) {
        row.part = part->part;
        row.part_at = part->call;
        row.text = model_format(l->m, "%s: %s", row.part, row.text);
    }
    return model_add_row(l->m, &row);
}

/* ---- Hidden things -------------------------------------------------------------- */

typedef struct Numbered { // hidden things of one function in one line
    const char *function;
    uint32_t line, count;
} Numbered;

/* The next number; those searched for are mostly the last ones. */
static uint32_t next_number(Lowerer *l, const char *function, uint32_t line)
{
    Numbered *list = (Numbered *)(void *)l->numbered.bytes;
    Numbered fresh = {function, line, 1};
    for (size_t k = l->numbered.used / sizeof *list; k > 0; k--)
        if (list[k - 1].line == line &&
            strcmp(list[k - 1].function, function) == 0)
            return ++list[k - 1].count;
    if (!vector_append(&l->numbered, &fresh, sizeof fresh))
        l->m->broken = true;
    return 1;
}

const char *lower_hidden_name(Lowerer *l, const char *function, const Node *n)
{
    uint32_t line = lower_line(l, n->at, n->origin);
    uint32_t copy = next_number(l, function, line);
    if (copy == 1)
        return model_format(l->m, "%s@%u", function, (unsigned)line);
    return model_format(l->m, "%s@%u#%u", function, (unsigned)line,
                        (unsigned)copy);
}

uint32_t lower_hidden(Lowerer *l, VariableKind kind, ExprType type,
                      const char *name, const Node *n)
{
    uint32_t k = model_add_hidden(l->m, kind, type, name, n->at,
                                  lower_line(l, n->at, n->origin));
    Variable *v = model_variable(l->m, k);
    if (l->pool && kind >= VARIABLE_STATE && kind <= VARIABLE_MEMORY) {
        v->pool = l->pool; // each copy has its own
        v->rank = 1;
        v->high[0] = POOL_SIDE - 1;
        v->elements = POOL_SIDE;
    }
    return k;
}

/* ---- The whole ------------------------------------------------------------------- */

static void lower_system(Lowerer *l, const Node *system)
{
    for (const Node *k = system->first->first; k; k = k->next)
        if (k->kind == NODE_CONTINUOUS)
            lower_parallel(l, k->first);
}

static void lower_segments(Lowerer *l, const Node *segments)
{
    lower_declarations(l, segments);
    lower_pools(l, segments);
    lower_processes(l, segments);
    lower_headings(l, segments);
    lower_fields(l, segments);
    for (const Node *n = segments->first; n; n = n->next)
        if (n->kind == NODE_SYSTEM)
            lower_system(l, n);
    lower_pool_equations(l, segments);
    lower_communicated(l, &l->m->communic);
    lower_ranges(l);
    lower_routines(l, segments);
    for (const Node *n = segments->first; n; n = n->next)
        if (n->kind == NODE_SYSTEM)
            lower_bodies(l, n);
    lower_pool_bodies(l, segments);
    lower_process_bodies(l, segments);
    for (const Node *n = segments->first; n; n = n->next)
        if (n->kind == NODE_EXPERIMENT)
            lower_experiment(l, n);
    lower_stored_elements(l, segments);
    for (const Node *n = segments->first; n; n = n->next)
        if (n->kind == NODE_OUTPUT)
            lower_output(l, n);
    lower_file_numbers(l);
    lower_overruled(l);
}

/* Places of the states in x, or those of a pool in the block of a copy: in order
   of declaration, hidden ones last. Returns how many there are. */
static uint32_t place_those(Model *m, uint32_t pool)
{
    uint64_t place = 0;
    for (int hidden = 0; hidden < 2; hidden++)
        for (uint32_t k = 0; k < model_variables(m); k++) {
            Variable *v = model_variable(m, k);
            if (v->kind != VARIABLE_STATE || v->hidden != (hidden != 0) ||
                v->pool != pool)
                continue;
            if (place + v->elements > STATES_MOST) {
                diag_error(m->diags, v->at,
                           "all STATEs together have more than %d elements",
                           STATES_MOST);
                return 0;
            }
            v->place = (uint32_t)place;
            place += pool ? v->elements / POOL_SIDE : v->elements;
        }
    return (uint32_t)place;
}

static void place_states(Model *m)
{
    m->states = place_those(m, 0);
    for (uint32_t p = 0; p < model_pools(m); p++)
        model_pool(m, p)->states = place_those(m, p + 1);
    if (m->nneqd != NONE)
        model_variable(m, m->nneqd)->value =
            expr_integer(m, (int64_t)m->states);
}

Model *lower(Unit *u, const LowerOptions *o)
{
    Lowerer l = {.unit = u, .o = o, .block = NONE, .model = NONE};
    l.lost = (Meaning){.number = NONE, .rate = NONE};
    l.routine = l.process = NONE;
    for (size_t k = 0; k < LENGTH(l.stand_in); k++)
        l.stand_in[k] = NONE;
    l.m = model_new(u->arena, u->diags);
    uint32_t errors = u->diags->errors;
    if (l.m && find_lines(&l)) {
        l.m->name = u->program->text;
        if (u->program->first->kind == NODE_PROJECT) {
            l.m->project = (uint64_t)u->program->first->integer;
            l.m->author = u->program->first->text;
        }
        l.m->source = u->name;
        l.m->time_unit = u->time_unit;
        l.m->infinite = lower_mentions_infinity(u->program);
        if (!refuse_all(&l, u->program))
            lower_segments(&l, u->program->last);
        place_states(l.m);
    }
    vector_free(&l.cells);
    vector_free(&l.numbered);
    vector_free(&l.placed);
    vector_free(&l.copied);
    vector_free(&l.fields);
    if (!l.m || l.m->broken)
        diag_error(u->diags, (Span){SPAN_NOWHERE, 0, 0},
                   "there is not enough memory to translate this program");
    return u->diags->errors == errors && !l.refused ? l.m : NULL;
}
