#include "base/method_facts.h"

#include <assert.h>

#include "base/macros.h"
#include "base/text.h"

enum {
    EXPLICIT = false,
    IMPLICIT = true,
    CONTROLLED = false,
    FIXED = true,
    ONE_STEP = false,
    MULTI_STEP = true,
    ALL = false,
    DOUBLE = true
};

static const MethodFacts facts[] = {
#define METHOD_CHOICE(name, what) {#name, true, 0, 0, 0, 0, what},
#define METHOD(name, table, kind, step, reach, precisions, what)               \
    {#name, false, kind, step, reach, precisions, what},
#include "base/methods.def"
#undef METHOD
#undef METHOD_CHOICE
};

const MethodFacts *method_facts_at(size_t k)
{
    return k < LENGTH(facts) ? &facts[k] : NULL;
}

const MethodFacts *method_facts_find(const char *name)
{
    assert(name != NULL);
    for (size_t k = 0; k < LENGTH(facts); k++)
        if (name_same(name, facts[k].name))
            return &facts[k];
    return NULL;
}

void method_facts_list(Buffer *b, const char *between, bool with_double)
{
    const char *before = "";
    for (size_t k = 0; k < LENGTH(facts); k++) {
        if (facts[k].only_double && !with_double)
            continue;
        buffer_format(b, "%s%s", before, facts[k].name);
        before = between;
    }
}
