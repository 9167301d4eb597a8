#include "cli/front.h"

#include <string.h>

#include "algebra/algebra.h"
#include "base/buffer.h"
#include "base/sha256.h"
#include "check/check.h"
#include "expand/expand.h"
#include "expand/library.h"
#include "expand/parts.h"
#include "expand/standard.h"
#include "syntax/foreign.h"

/* The reason why an untrusted program may not use a word, or NULL. */
static const char *refused(Word word)
{
    switch (word) {
    case WORD_CCODE: return "holds code that cannot be checked";
    case WORD_EXTERNAL: return "loads compiled code";
    case WORD_INVOKE:
    case WORD_DISPOSE:
    case WORD_DESTROY:
        return "uses the library of whoever runs this: write the MACRO or "
               "MODULE into the program";
    default: return NULL;
    }
}

/* Called before and after macros are expanded: a macro may put words
   together. */
static bool refuse(Unit *u, const Tokens *t)
{
    uint32_t errors = u->diags->errors;
    for (uint32_t k = 0; k < t->count; k++) {
        const Token *token = &t->token[k];
        const char *why = refused(token->word);
        if (token->word == WORD_INVOKE && token[1].kind == TOKEN_NAME &&
            standard_find(token[1].text))
            continue;
        if (why)
            unit_error(u, token->at, token->origin,
                       "%s is refused with --untrusted: it %s", token->text,
                       why);
    }
    return u->diags->errors > errors;
}

/* Every pass, in order. Without `lib` the program is untrusted. */
static bool passes(Unit *u, Library *lib, FrontPass last, LibraryPlan *plan)
{
    bool right = lex(u);
    if (!lib && refuse(u, &u->tokens))
        return false;
    if (last == PASS_LEX)
        return right;
    if (!right || !expand_plan(u, lib, plan) || (!lib && refuse(u, &u->flat)))
        return false;
    if (last == PASS_EXPAND)
        return true;
    right = parse(u);
    if (last == PASS_PARSE || !u->program)
        return right;
    if (u->parted && (!right || !instantiate(u)))
        return false;
    /* A tree whose mistakes were mended is checked too, so that all messages
       come at once. */
    return check(u) && right;
}

Status front_read_plan(Unit *u, Arena *a, Diags *d, const char *path,
                       FrontPass last, bool untrusted, const GivenNames *given,
                       bool *right, LibraryPlan *plan, Fault *f)
{
    Buffer text = {0};
    *plan = (LibraryPlan){0};
    Status status = file_read(path, &text, f);
    if (status != STATUS_OK) {
        buffer_free(&text);
        return status;
    }
    size_t length = text.v.used;
    char *copy = NEW_ARRAY(a, char, length + 1);
    Library *lib = untrusted ? NULL : library_open(a, NULL);
    if (!copy || (!lib && !untrusted)) {
        buffer_free(&text);
        return fault_set(f, STATUS_MEMORY, "no memory to read %s", path);
    }
    if (length)
        memcpy(copy, text.v.bytes, length);
    buffer_free(&text);
    d->arena = a;
    *u = (Unit){
        .arena = a, .diags = d, .name = path, .text = copy, .length = length};
    if (given)
        u->given = *given;
    u->file = diags_add_file(d, path, copy, length);
    *right = passes(u, lib, last, plan) && d->errors == 0;
    foreign_tell(u);
    library_close(lib);
    return STATUS_OK;
}

Status front_read(Unit *u, Arena *a, Diags *d, const char *path, FrontPass last,
                  bool *right, Fault *f)
{
    LibraryPlan unused;
    return front_read_plan(u, a, d, path, last, false, NULL, right, &unused, f);
}

/* ---- Changes of the library ---------------------------------------------- */

/* Writes one note per change; `done`: it has happened. */
static void note_plan(Unit *u, const LibraryPlan *plan, bool done)
{
    Fault f = {0};
    const char *place = plan->n ? library_path(u->arena, &f) : NULL;
    for (size_t k = 0; k < plan->n; k++) {
        const LibraryChange *c = &plan->change[k];
        const char *kind = c->entry.kind == LIBRARY_MACRO ? "MACRO" : "MODULE";
        const char *what = c->remove  ? "removed from"
                           : c->found ? "replaced in"
                                      : "put into";
        unit_note(u, plan->at[k], "the %s `%s` %s %s the library %s", kind,
                  c->entry.name, done ? "was" : "would be", what,
                  place ? place : "");
    }
}

void front_tell_plan(Unit *u, const LibraryPlan *plan)
{
    note_plan(u, plan, false);
}

Status front_apply_plan(Unit *u, const LibraryPlan *plan, Fault *f)
{
    if (plan->n == 0)
        return STATUS_OK;
    Library *lib = library_open(u->arena, NULL);
    Status status = lib ? library_apply(lib, plan->change, plan->n, f)
                        : fault_set(f, STATUS_MEMORY, "no memory");
    library_close(lib);
    if (status == STATUS_OK)
        note_plan(u, plan, true);
    return status;
}

/* SHA-256 of the text in hexadecimal. */
static const char *text_hash(Model *m, const Unit *u)
{
    char hex[SHA256_LENGTH];
    Sha256 h;
    sha256_begin(&h);
    sha256_add(&h, u->text, u->length);
    sha256_end(&h, hex);
    return model_format(m, "%s", hex);
}

Model *front_model(Unit *u, const LowerOptions *o, FrontPass last)
{
    static const AlgebraPass passes_of[] = {
        [PASS_HIDE] = ALGEBRA_HIDE,   [PASS_MATCH] = ALGEBRA_MATCH,
        [PASS_SORT] = ALGEBRA_SORT,   [PASS_DERIVE] = ALGEBRA_DERIVE,
        [PASS_PLAN] = ALGEBRA_DERIVE,
    };
    Model *m = lower(u, o);
    if (m)
        m->hash = text_hash(m, u);
    if (!m || last <= PASS_LOWER)
        return m;
    return algebra(m, passes_of[last]) ? m : NULL;
}
