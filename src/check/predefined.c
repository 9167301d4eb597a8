#include "check/checker.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/distribution.h"
#include "base/method_facts.h"

/* The tables of predefined.def, and the scope that is made of them. */

enum { MOST_NAMES = 100 }; // most methods, or distributions

typedef struct FunctionRow {
    const char *name;
    uint32_t least, most;
    Word result;
    const char *takes;
} FunctionRow;

static const FunctionRow functions[] = {
#define FUNCTION(name, least, most, result, takes)                             \
    {#name, least, most, WORD_##result, takes},
#include "check/predefined.def"
#undef FUNCTION
};

typedef struct ProcedureRow {
    const char *name;
    uint32_t most, places;
} ProcedureRow;

static const ProcedureRow procedures[] = {
#define PROCEDURE(name, most, places) {#name, most, places},
#include "check/predefined.def"
#undef PROCEDURE
};

typedef struct ValueRow {
    const char *name;
    Word type;
    bool fixed;
} ValueRow;

static const ValueRow values[] = {
#define VALUE(name, type, fixed) {#name, WORD_##type, fixed},
#include "check/predefined.def"
#undef VALUE
};

static Symbol *add(Checker *c, const char *name, SymbolKind kind, Word type)
{
    Symbol *other;
    Symbol *s = scope_add(c->predefined, name, kind, type, NULL, &other);
    if (s == NULL)
        c->broken = true;
    return s;
}

static void add_functions(Checker *c)
{
    for (size_t k = 0; k < LENGTH(functions); k++) {
        const FunctionRow *row = &functions[k];
        Symbol *s = add(c, row->name, SYMBOL_FUNCTION, row->result);
        if (s == NULL)
            return;
        s->least = row->least;
        s->most = row->most;
        s->takes = row->takes;
    }
}

static void add_procedures(Checker *c)
{
    for (size_t k = 0; k < LENGTH(procedures); k++) {
        Symbol *s = add(c, procedures[k].name, SYMBOL_PROCEDURE, WORD_NONE);
        if (s != NULL)
            s->most = procedures[k].most;
    }
}

static void add_values(Checker *c)
{
    Symbol *pi = add(c, "PI", SYMBOL_CONST, WORD_REAL);
    for (size_t k = 0; k < LENGTH(values); k++) {
        Symbol *s = add(c, values[k].name, SYMBOL_VARIABLE, values[k].type);
        if (s != NULL)
            s->fixed = values[k].fixed;
    }
    Symbol *inf = add(c, "INF", SYMBOL_CONST, WORD_REAL);
    if (pi != NULL) {
        pi->has_value = true;
        pi->value = 3.14159265358979323846;
    }
    if (inf != NULL) {
        inf->has_value = true;
        inf->value = INFINITY;
    }
}

bool predefined_add(Checker *c)
{
    size_t methods = 0;
    c->predefined = scope_new(c->unit->arena, NULL, NULL);
    if (c->predefined == NULL)
        return false;
    add_functions(c);
    add_procedures(c);
    add_values(c);
    for (uint32_t k = 0; k < DISTRIBUTIONS; k++)
        add(c, distribution_at(k)->name, SYMBOL_DISTRIBUTION, WORD_NONE);
    for (const MethodFacts *m; (m = method_facts_at(methods)) != NULL;
         methods++)
        add(c, m->name, SYMBOL_METHOD, WORD_NONE);
    return !c->broken;
}

uint32_t procedure_places(const Symbol *s)
{
    for (size_t k = 0; k < LENGTH(procedures); k++) {
        if (strcmp(procedures[k].name, s->name) == 0)
            return procedures[k].places;
    }
    return PLACE_ANY;
}

const char *predefined_nearest(const Checker *c, SymbolKind kind,
                               const char *name)
{
    const char *names[MOST_NAMES];
    size_t n = 0;
    for (const Symbol *s = scope_first(c->predefined); s != NULL; s = s->next) {
        if (s->kind == kind) {
            assert(n < LENGTH(names));
            names[n++] = s->name;
        }
    }
    return nearest_name(name, names, n);
}
