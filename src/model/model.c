#include "model/model.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *model_alloc(Model *m, size_t size)
{
    void *memory = arena_alloc(m->arena, size, _Alignof(max_align_t));
    if (!memory)
        m->broken = true;
    return memory;
}

char *model_format(Model *m, const char *format, ...)
{
    static char none[1];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = length < 0 ? NULL : model_alloc(m, (size_t)length + 1);
    if (!text)
        return none;
    va_start(list, format);
    vsnprintf(text, (size_t)length + 1, format, list);
    va_end(list);
    return text;
}

/* The bytes of vectors lie in the model's arena, which frees them; when they
   grow they are copied there. */
static bool table_reserve(Model *m, Vector *v, size_t size)
{
    size_t room = v->room ? 2 * v->room : 16 * size;
    unsigned char *bytes = model_alloc(m, room);
    if (!bytes)
        return false;
    if (v->used)
        memcpy(bytes, v->bytes, v->used);
    v->bytes = bytes;
    v->room = room;
    assert(v->used + size <= v->room);
    return true;
}

static bool table_add(Model *m, Vector *v, const void *row, size_t size)
{
    if (v->used + size > v->room && !table_reserve(m, v, size))
        return false;
    assert(v->used % size == 0);
    memcpy(v->bytes + v->used, row, size);
    v->used += size;
    return true;
}

/* Every table has room from the beginning: row 0, which model_add returns if
   there is no memory, is always there. */
Model *model_new(Arena *a, Diags *d)
{
    Model *m = NEW(a, Model);
    if (!m)
        return NULL;
    m->arena = a;
    m->diags = d;
    m->precision = 1;
    m->calendar_record = m->calendar_code = m->nneqd = m->seed =
        m->tangent_rate = m->delta = m->input_seed = m->output_rate = NONE;
    m->name = m->source = m->hash = m->time_unit = "";
#define TABLE(T, name, names) table_reserve(m, &m->names, sizeof(T));
    MODEL_TABLES(TABLE)
#undef TABLE
    m->simulation.name = "simulation";
    table_reserve(m, &m->simulation.portions, sizeof(Portion));
    return m->broken ? NULL : m;
}

#define TABLE(T, name, names)                                                  \
    uint32_t model_add_##name(Model *m, const T *row)                          \
    {                                                                          \
        uint32_t k = model_##names(m);                                         \
        return table_add(m, &m->names, row, sizeof *row) ? k : 0;              \
    }
MODEL_TABLES(TABLE)
#undef TABLE

Portion equation_portion(const Model *m, uint32_t equation)
{
    const Equation *e = model_equation(m, equation);
    Portion p = {.equation = equation,
                 .left = e->left,
                 .right = e->right,
                 .guard = e->guard,
                 .n_loops = e->n_loops,
                 .block = e->block,
                 .row = e->row,
                 .at = e->at};
    memcpy(p.loops, e->loops, sizeof p.loops);
    return p;
}

uint32_t system_add_portion(Model *m, System *s, const Portion *portion)
{
    uint32_t k = system_portions(s);
    return table_add(m, &s->portions, portion, sizeof *portion) ? k : 0;
}

void system_add_circle(Model *m, System *s, const Circle *circle)
{
    table_add(m, &s->circles, circle, sizeof *circle);
}

bool model_store(Model *m, uint32_t variable)
{
    return table_add(m, &m->stored, &variable, sizeof variable);
}

/* Its place in a list of variables, NONE if it is not there. */
static uint32_t place_in(const Vector *list, uint32_t variable)
{
    const uint32_t *v = (const uint32_t *)(const void *)list->bytes;
    uint32_t n = (uint32_t)(list->used / sizeof *v);
    for (uint32_t k = 0; k < n; k++)
        if (v[k] == variable)
            return k;
    return NONE;
}

bool model_ask(Model *m, uint32_t variable)
{
    return place_in(&m->asked, variable) != NONE ||
           table_add(m, &m->asked, &variable, sizeof variable);
}

bool model_is_stored(const Model *m, uint32_t variable)
{
    return place_in(&m->stored, variable) != NONE;
}

bool model_store_shown(Model *m, uint32_t variable, bool cross)
{
    uint32_t crossed = place_in(&m->crossed, variable);
    if (model_is_stored(m, variable) || (cross && crossed != NONE))
        return true;
    if (!cross && crossed != NONE) { // a run wants it after all
        uint32_t *v = (uint32_t *)(void *)m->crossed.bytes;
        size_t n = m->crossed.used / sizeof *v;
        memmove(v + crossed, v + crossed + 1, (n - crossed - 1) * sizeof *v);
        m->crossed.used -= sizeof *v;
    }
    return table_add(m, cross ? &m->crossed : &m->stored, &variable,
                     sizeof variable);
}

uint32_t model_add_point(Model *m, uint32_t process, uint32_t line,
                         uint32_t row)
{
    Process *p = model_process(m, process);
    assert((p->points == 0) == (row == NONE));
    return table_add(m, &p->lines, &line, sizeof line) &&
                   table_add(m, &p->rows, &row, sizeof row)
               ? p->points++
               : 0;
}

Statement *code_add(Model *m, Code *code, StatementKind kind, Span at,
                    uint32_t line)
{
    Statement *s = MODEL_NEW(m, Statement);
    if (!s)
        return &m->spare_statement;
    s->kind = kind;
    s->at = at;
    s->line = line;
    s->row = NONE;
    assert(!code->first == !code->last);
    assert(!code->last || !code->last->next);
    if (code->last)
        code->last->next = s;
    else
        code->first = s;
    code->last = s;
    return s;
}

Step *steps_add(Model *m, Steps *steps, StepKind kind)
{
    Step *s = MODEL_NEW(m, Step);
    if (!s)
        return &m->spare_step;
    s->kind = kind;
    s->equation = s->portion = s->loop = s->block = NONE;
    assert(!steps->first == !steps->last);
    assert(!steps->last || !steps->last->next);
    if (steps->last)
        steps->last->next = s;
    else
        steps->first = s;
    steps->last = s;
    return s;
}

/* ---- Identifiers --------------------------------------------------------------- */

/* Words of C and of the headers that generated code includes. */
static bool is_c_word(const char *name)
{
    static const char *const words[] = {
        "asm",      "auto",     "bool",     "break",    "char",     "const",
        "continue", "default",  "double",   "enum",     "errno",    "extern",
        "false",    "float",    "inline",   "int",      "linux",    "long",
        "real",     "register", "restrict", "return",   "short",    "signed",
        "sizeof",   "static",   "struct",   "switch",   "true",     "typedef",
        "typeof",   "union",    "unix",     "unsigned", "void",     "volatile",
        "EOF",      "INFINITY", "NAN",      "NULL",     "HUGE_VAL", "M_PI",
        "do",       "goto",     "if",       "case",     "else",     "for",
        "while",    "main",     "stdin",    "stdout",   "stderr"};
    for (size_t k = 0; k < LENGTH(words); k++)
        if (strcmp(words[k], name) == 0)
            return true;
    return false;
}

static uint32_t name_slot(const NameTable *t, const char *name)
{
    uint32_t h = 2166136261u; // Fowler, Noll and Vo
    assert(t->room > 0 && (t->room & (t->room - 1)) == 0);
    assert(t->count < t->room); // the search ends
    for (const char *p = name; *p; p++)
        h = (h ^ (unsigned char)*p) * 16777619u;
    uint32_t k = (h ^ h >> 15) & (t->room - 1);
    while (t->name[k] && strcmp(t->name[k], name) != 0)
        k = (k + 1) & (t->room - 1);
    return k;
}

static bool names_grow(Model *m)
{
    NameTable old = m->c_names, *t = &m->c_names;
    if (4 * (old.count + 1) <= 3 * old.room)
        return true;
    uint32_t room = old.room ? 2 * old.room : 256;
    const char **name = MODEL_ARRAY(m, const char *, room);
    if (!name)
        return false;
    *t = (NameTable){name, room, old.count};
    for (uint32_t k = 0; k < old.room; k++)
        if (old.name[k])
            name[name_slot(t, old.name[k])] = old.name[k];
    return true;
}

/* False if the name is taken already. */
static bool name_take(Model *m, const char *name)
{
    if (!names_grow(m))
        return true; // the model is broken anyhow
    uint32_t k = name_slot(&m->c_names, name);
    if (m->c_names.name[k] || is_c_word(name))
        return false;
    m->c_names.name[k] = name;
    m->c_names.count++;
    return true;
}

const char *model_c_name(Model *m, const char *name)
{
    char *own = model_format(m, "%s%s",
                             isdigit((unsigned char)name[0]) ? "_" : "", name);
    for (char *p = own; *p; p++)
        if (!isalnum((unsigned char)*p))
            *p = '_';
    if (name_take(m, own))
        return own;
    for (uint32_t k = 2;; k++) {
        const char *other = model_format(m, "%s_%u", own, k);
        if (m->broken || name_take(m, other))
            return other;
    }
}

void model_tell_part(const Model *m, uint32_t row)
{
    const Row *r = row == NONE ? NULL : model_row(m, row);
    if (r && r->part)
        diag_note(m->diags, r->part_at, "in the part `%s`, declared here",
                  r->part);
}

void model_tell_flows(const Model *m)
{
    diag_note(
        m->diags, (Span){SPAN_NOWHERE, 0, 0},
        "the flows through ports are not determined where parts that all "
        "give what is across them stand side by side (two voltage "
        "sources), nor what is across where parts that all give their flow "
        "stand in a row (two current sources): put one with a resistance "
        "among them");
}

void model_tell_loose(const Model *m, uint32_t variable)
{
    const Variable *v = model_variable(m, variable);
    const char *dot = v->loose ? strrchr(v->name, '.') : NULL;
    if (dot)
        diag_note(m->diags, v->at,
                  "nothing is connected to the port `%.*s`, and it is not "
                  "closed, because an equation names it: CONNECT it, or close "
                  "it with %s = 0",
                  (int)(dot - v->name), v->name, v->name);
}

uint32_t model_add_hidden(Model *m, VariableKind kind, ExprType type,
                          const char *name, Span at, uint32_t line)
{
    Variable v = {.name = name,
                  .c_name = model_c_name(m, name),
                  .kind = kind,
                  .type = type,
                  .elements = 1,
                  .unit = "",
                  .rate_of = NONE,
                  .routine = NONE,
                  .record = NONE,
                  .hidden = true,
                  .wished = kind == VARIABLE_STATE,
                  .at = at,
                  .line = line};
    return model_add_variable(m, &v);
}

void variable_shaped(Variable *v, const Variable *as)
{
    v->rank = as->rank;
    v->elements = as->elements;
    v->pool = as->pool;
    memcpy(v->low, as->low, sizeof v->low);
    memcpy(v->high, as->high, sizeof v->high);
}

uint32_t model_add_side(Model *m, uint32_t variable, uint32_t k)
{
    const Variable *v = model_variable(m, variable);
    assert(k < v->rank);
    Loop loop = {.name = k == 0 ? "I" : "J",
                 .low = v->low[k],
                 .high = v->high[k],
                 .step = 1,
                 .pool = k == 0 ? v->pool : 0,
                 .line = v->line};
    return model_add_loop(m, &loop);
}

bool guard_within(const Guard *inside, const Guard *outside)
{
    if (!outside)
        return true;
    for (; inside; inside = inside->select->around)
        if (inside->select->number == outside->select->number)
            return inside->branch == outside->branch;
    return false;
}

bool guards_exclude(const Guard *a, const Guard *b)
{
    for (; a; a = a->select->around)
        for (const Guard *other = b; other; other = other->select->around)
            if (other->select->number == a->select->number &&
                other->branch != a->branch)
                return true;
    return false;
}

uint64_t loops_elements(const Model *m, const uint32_t *loops, uint32_t n)
{
    uint64_t elements = 1;
    assert(n <= LOOPS_MOST + 2);
    for (uint32_t k = 0; k < n; k++) {
        const Loop *l = model_loop(m, loops[k]);
        elements *= l->high < l->low ? 0 : (uint64_t)(l->high - l->low) + 1;
    }
    return elements;
}

uint32_t loops_pool(const Model *m, const uint32_t *loops, uint32_t n)
{
    return n ? model_loop(m, loops[0])->pool : 0;
}

uint64_t loops_each(const Model *m, const uint32_t *loops, uint32_t n)
{
    uint64_t elements = 1;
    for (uint32_t k = 0; k < n; k++)
        if (!model_loop(m, loops[k])->pool)
            elements *= loops_elements(m, loops + k, 1);
    return elements;
}

bool model_integrates(const Model *m)
{
    bool any = m->states > 0;
    for (uint32_t p = 0; p < model_pools(m); p++)
        any = any || model_pool(m, p)->states > 0;
    return any;
}
