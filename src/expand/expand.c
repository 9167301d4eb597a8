#include "expand/expand.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "expand/block.h"
#include "expand/expander.h"
#include "expand/standard.h"

#define LIMIT_ACTUAL 100000 // words and symbols of one actual

/* A MODULE of the program, for DISPOSE. */
typedef struct Module {
    const char *name, *source;
    size_t length;
} Module;

/* A walk through one text: the program, or a MODULE of the library. */
typedef struct Walk {
    Expander *e;
    const Tokens *t;
    const char *text;
    uint32_t at;
    uint32_t block_end; // that of the routine or MODULE around, or 0
    uint32_t begin;     // its BEGIN, or 0
    Vector undo;        // Undo: constants of the block
    Vector *modules;    // Module
    Names *module_names;
    Vector *changes; // LibraryChange
    Vector *places;  // Span: the place of each of them
    bool has_place;  // e->lift_at is where declarations of the program go
    uint32_t place;
} Walk;

typedef struct Undo {
    const char *name;
    uint32_t number;
} Undo;

static const Token *here(const Walk *w)
{
    return &w->t->token[w->at];
}

static Word word_before(const Walk *w)
{
    return w->at == 0 ? WORD_NONE : here(w)[-1].word;
}

/* ---- What all parts use -------------------------------------------------- */

bool expander_keep(Expander *e, bool ok)
{
    if (!ok && !e->stopped) {
        diag_error(e->u->diags, (Span){.file = SPAN_NOWHERE},
                   "memory is exhausted");
        e->stopped = true;
    }
    return ok;
}

static uint32_t token_count(const Vector *v)
{
    return (uint32_t)(v->used / sizeof(Token));
}

/* Actuals that double in every call are noticed before they fill the memory. */
static bool is_full(Expander *e, const Token *t)
{
    bool is_actual = e->to != &e->out && e->to != &e->declared;
    uint32_t limit = is_actual ? LIMIT_ACTUAL : LIMIT_TOKENS;
    if (token_count(e->to) < limit)
        return false;
    unit_error(e->u, t->at, t->origin,
               is_actual ? "an actual becomes longer than the limit of %u "
                           "words and symbols through the MACROs around it"
                         : "the program becomes longer than the limit of %u "
                           "words and symbols through its MACROs",
               (unsigned)limit);
    e->stopped = true;
    return true;
}

bool expander_emit(Expander *e, const Token *t)
{
    return !e->stopped && !is_full(e, t) &&
           expander_keep(e, vector_append(e->to, t, sizeof *t));
}

Word expander_last(const Expander *e)
{
    uint32_t n = token_count(e->to);
    return n == 0 ? WORD_NONE
                  : ((const Token *)(const void *)e->to->bytes)[n - 1].word;
}

Macro *expander_macro(const Expander *e, const char *name)
{
    uint32_t k = names_find(&e->macro_names, name);
    return k == NAME_UNKNOWN
               ? NULL
               : ((Macro *const *)(const void *)e->macros.bytes)[k];
}

/* Between brackets and operators a name may be a unit, or anything else that is
   left to the parser. */
bool expander_is_call(const Expander *e, const Token *t, Word before)
{
    if (t->kind != TOKEN_NAME || before == WORD_DOT ||
        expander_macro(e, t->text) == NULL)
        return false;
    return t[1].word == WORD_LPAREN || !call_in_expression(before);
}

uint32_t expander_origin(Expander *e, Span call, uint32_t parent,
                         const char *macro)
{
    Origin fresh = {.call = call, .parent = parent, .macro = macro};
    uint32_t number = unit_add_origin(e->u, &fresh);
    expander_keep(e, number != 0);
    return number;
}

/* ---- Constants ----------------------------------------------------------- */

static Finding find_constant(const Expander *e, const char *name, Value *v)
{
    uint32_t k = names_find(&e->constant_names, name);
    if (k == NAME_UNKNOWN)
        return FINDING_UNKNOWN;
    *v = ((const Value *)(const void *)e->constants.bytes)[k];
    return v->kind == VALUE_NONE ? FINDING_LATE : FINDING_VALUE;
}

/* In an expansion: MACFOR variables, then formals, then the program. */
static Finding find_value(void *user, const char *name, Value *v)
{
    const Scope *s = user;
    const Macro *m = s->f == NULL ? NULL : s->f->macro;
    for (const Loop *l = s->f == NULL ? NULL : s->f->loop; l != NULL; l = l->up)
        if (name_same(l->name, name)) {
            *v = l->value;
            return FINDING_VALUE;
        }
    for (uint32_t k = 0; m != NULL && k < m->formals; k++)
        if (name_same(m->formal[k].name, name)) {
            *v = s->f->actual[k].value;
            return m->formal[k].constant ? FINDING_VALUE : FINDING_FORMAL;
        }
    if (m != NULL)
        s->e->steps += m->formals;
    return find_constant(s->e, name, v);
}

/* The CONST formal or MACFOR variable that may have been meant. */
static const char *find_near(void *user, const char *name)
{
    const Scope *s = user;
    const char *known[64];
    size_t n = 0;
    if (s->f == NULL)
        return NULL;
    for (const Loop *l = s->f->loop; l != NULL && n < LENGTH(known); l = l->up)
        known[n++] = l->name;
    for (uint32_t k = 0; k < s->f->macro->formals && n < LENGTH(known); k++)
        if (s->f->macro->formal[k].constant)
            known[n++] = s->f->macro->formal[k].name;
    return nearest_name(name, known, n);
}

Evaluation expander_evaluation(Scope *s, const Token *token, uint32_t count)
{
    return (Evaluation){.unit = s->e->u,
                        .origin = s->f == NULL ? 0 : s->f->origin,
                        .find = find_value,
                        .near = find_near,
                        .user = s,
                        .token = token,
                        .count = count};
}

static void set_constant(Walk *w, const char *name, Value v)
{
    Expander *e = w->e;
    uint32_t number = (uint32_t)(e->constants.used / sizeof v);
    Undo undo = {name, names_find(&e->constant_names, name)};
    bool ok = vector_append(&e->constants, &v, sizeof v) &&
              names_put(&e->constant_names, name, number);
    if (ok && w->block_end > 0)
        ok = vector_append(&w->undo, &undo, sizeof undo);
    expander_keep(e, ok);
}

/* IDENT [unit] = expression; whatever cannot be evaluated here is left to the
   checker, and matters only where its value is needed. */
static uint32_t read_constant(Walk *w, uint32_t at, Word type)
{
    const Token *t = w->t->token;
    const char *name = t[at].text;
    Scope scope = {w->e, NULL};
    Evaluation v = expander_evaluation(&scope, t, w->t->count);
    Value value;
    at++;
    while (t[at].kind != TOKEN_END && t[at].word != WORD_EQUAL &&
           t[at].word != WORD_SEMICOLON)
        at++;
    if (t[at].word != WORD_EQUAL)
        return at;
    v.at = at + 1;
    v.quiet = true;
    if (!constant_read(&v, &value) ||
        (t[v.at].word != WORD_COMMA && t[v.at].word != WORD_SEMICOLON))
        value = (Value){0};
    else if (type == WORD_REAL && value.kind == VALUE_INTEGER)
        value = (Value){.kind = VALUE_REAL, .real = (double)value.integer};
    set_constant(w, name, value);
    for (uint32_t depth = 0; t[at].kind != TOKEN_END; at++) {
        depth += t[at].word == WORD_LPAREN || t[at].word == WORD_LBRACKET;
        if (t[at].word == WORD_RPAREN || t[at].word == WORD_RBRACKET)
            depth -= depth > 0;
        else if (t[at].word == WORD_SEMICOLON ||
                 (depth == 0 && t[at].word == WORD_COMMA))
            break;
    }
    return at;
}

static void read_constants(Walk *w)
{
    const Token *t = w->t->token;
    uint32_t at = w->at + 1;
    while (t[at].word == WORD_REAL || t[at].word == WORD_INTEGER ||
           t[at].word == WORD_BOOLEAN) {
        Word type = t[at].word;
        do {
            at++;
            if (t[at].kind != TOKEN_NAME)
                return;
            at = read_constant(w, at, type);
        } while (t[at].word == WORD_COMMA);
        if (t[at].word != WORD_SEMICOLON)
            return;
        at++;
    }
}

/* ---- Definitions --------------------------------------------------------- */

static void add_macro(Expander *e, Macro *m)
{
    uint32_t number = (uint32_t)(e->macros.used / sizeof m);
    const Macro *before;
    if (m->name == NULL)
        return;
    before = expander_macro(e, m->name);
    if (before != NULL && !m->broken) {
        unit_error(e->u, m->at, 0, "the MACRO `%s` is already defined",
                   m->name);
        unit_note(e->u, before->at, "it is defined here");
        return;
    }
    expander_keep(e, vector_append(&e->macros, &m, sizeof(Macro *)) &&
                         names_put(&e->macro_names, m->name, number));
}

static void define_macro(Walk *w)
{
    Macro *m = macro_define(w->e->u, w->text, w->t, &w->at);
    if (expander_keep(w->e, m != NULL))
        add_macro(w->e, m);
}

static uint32_t text_end(const Walk *w, uint32_t end)
{
    const Token *t = &w->t->token[end];
    if (t[1].word == WORD_SEMICOLON)
        t++;
    return t->at.start + t->at.length;
}

static void note_module(Walk *w)
{
    const Token *t = here(w);
    Module m = {.source = w->text + t->at.start};
    uint32_t number = (uint32_t)(w->modules->used / sizeof m);
    if (t[1].kind != TOKEN_NAME)
        return;
    m.name = t[1].text;
    if (w->block_end < w->t->count)
        m.length = text_end(w, w->block_end) - t->at.start;
    expander_keep(w->e, vector_append(w->modules, &m, sizeof m) &&
                            names_put(w->module_names, m.name, number));
}

/* ---- Library ------------------------------------------------------------- */

static void library_error(Walk *w, const Token *name, const Fault *f)
{
    unit_error(w->e->u, name->at, 0, "%s", f->text);
}

/* The change that the program itself has made to an entry, or NULL. */
static const LibraryChange *pending(const Walk *w, const char *name)
{
    const LibraryChange *c = (const void *)w->changes->bytes;
    size_t n = w->changes->used / sizeof *c;
    while (n-- > 0)
        if (name_same(c[n].entry.name, name))
            return &c[n];
    return NULL;
}

static bool get_entry(Walk *w, const Token *name, LibraryEntry *entry)
{
    Expander *e = w->e;
    const LibraryChange *c = pending(w, name->text);
    Fault f = {0};
    *entry = (LibraryEntry){0};
    if (c != NULL) {
        if (!c->remove)
            *entry = c->entry;
        return true;
    }
    if (library_get(e->library, e->u->arena, name->text, entry, &f) ==
        STATUS_OK)
        return true;
    library_error(w, name, &f);
    return false;
}

static void not_there(Walk *w, const Token *name)
{
    Expander *e = w->e;
    LibraryEntry *list;
    size_t n;
    Fault f = {0};
    const char *near = NULL;
    const char **known;
    if (library_list(e->library, e->u->arena, &list, &n, &f) == STATUS_OK) {
        known = NEW_ARRAY(e->u->arena, const char *, n + 1);
        for (size_t k = 0; k < n && known != NULL; k++)
            known[k] = list[k].name;
        near = known == NULL ? NULL : nearest_name(name->text, known, n);
    }
    if (near != NULL)
        unit_error(e->u, name->at, 0,
                   "there is no `%s` in the library: did you mean `%s`?",
                   name->text, near);
    else
        unit_error(e->u, name->at, 0, "there is no `%s` in the library %s",
                   name->text, library_place(e->library));
}

static void no_library(Walk *w, const Token *t)
{
    unit_error(w->e->u, t->at, 0, "there is no library here for `%s`",
               word_text(here(w)->word));
}

static void walk(Walk *w);

/* A MODULE of the library in place of its INVOKE. */
static void insert_module(Walk *w, const Tokens *t, const char *text)
{
    Walk inner = *w;
    Tokens all = *t;
    inner.t = &all;
    inner.text = text;
    inner.at = 0;
    inner.block_end = 0;
    inner.undo = (Vector){0};
    walk(&inner);
    if (expander_last(w->e) != WORD_SEMICOLON)
        expander_emit(w->e, &here(w)[2]); // INVOKE name;
    vector_free(&inner.undo);
}

static bool has_macro(const Expander *e, const Token *name)
{
    const Macro *m = expander_macro(e, name->text);
    if (m == NULL)
        return false;
    unit_error(e->u, name->at, 0, "the MACRO `%s` is already defined", m->name);
    unit_note(e->u, m->at, "it is defined here");
    return true;
}

static void use_entry(Walk *w, const Token *name, const LibraryEntry *entry)
{
    Expander *e = w->e;
    Tokens t;
    uint32_t at = 0;
    const char *parts[] = {"library:", entry->name};
    char *title = NEW_ARRAY(e->u->arena, char, strlen(entry->name) + 10);
    if (!expander_keep(e, title != NULL))
        return;
    strcpy(title, parts[0]);
    strcat(title, parts[1]);
    uint32_t file =
        diags_add_file(e->u->diags, title, entry->text, entry->length);
    if (!lex_text(e->u, file, entry->text, entry->length, &t))
        return;
    if (entry->kind == LIBRARY_MACRO && t.token[0].word == WORD_MACRO) {
        Macro *m = macro_define(e->u, entry->text, &t, &at);
        if (expander_keep(e, m != NULL))
            add_macro(e, m);
    } else if (entry->kind == LIBRARY_MODULE &&
               t.token[0].word == WORD_MODULE) {
        insert_module(w, &t, entry->text);
        return;
    }
    if (t.token[at].kind != TOKEN_END || at == 0)
        unit_error(
            e->u, name->at, 0,
            "the entry `%s` of the library is not a definition: remove it",
            name->text);
}

/* A text of the standard library, once. */
static void use_standard(Walk *w, const StandardText *s)
{
    Expander *e = w->e;
    Tokens t;
    if (names_find(&e->invoked, s->name) != NAME_UNKNOWN)
        return;
    expander_keep(e, names_put(&e->invoked, s->name, 0));
    uint32_t file = diags_add_file(e->u->diags, s->name, s->text, s->length);
    if (lex_text(e->u, file, s->text, s->length, &t))
        insert_module(w, &t, s->text);
}

static void invoke(Walk *w, const Token *name)
{
    LibraryEntry entry = {0};
    const StandardText *standard = standard_find(name->text);
    if (has_macro(w->e, name) ||
        (w->e->library != NULL && !get_entry(w, name, &entry)))
        return;
    if (entry.text != NULL)
        use_entry(w, name, &entry);
    else if (standard != NULL)
        use_standard(w, standard);
    else if (w->e->library != NULL)
        not_there(w, name);
    else
        no_library(w, here(w));
}

static void add_change(Walk *w, const Token *name, LibraryChange c)
{
    Fault f = {0};
    if (library_can_write(w->e->library, &f) != STATUS_OK)
        library_error(w, name, &f);
    else
        expander_keep(w->e,
                      vector_append(w->changes, &c, sizeof c) &&
                          vector_append(w->places, &name->at, sizeof name->at));
}

/* A definition that is already there unchanged stays: a program may be run
   again. */
static void put_entry(Walk *w, const Token *name, LibraryChange c)
{
    LibraryEntry old;
    if (!get_entry(w, name, &old))
        return;
    c.found = old.text != NULL;
    if (!c.found || old.kind != c.entry.kind || old.length != c.entry.length ||
        memcmp(old.text, c.entry.text, old.length) != 0)
        add_change(w, name, c);
}

/* DISPOSE of a MODULE stays in the stream: for the parser it is a use. */
static bool dispose(Walk *w, const Token *name)
{
    LibraryChange c = {0};
    const Macro *m = expander_macro(w->e, name->text);
    uint32_t k = names_find(w->module_names, name->text);
    if (m != NULL && m->broken)
        return false;
    if (m != NULL) {
        c.entry =
            (LibraryEntry){m->name, LIBRARY_MACRO, m->source, m->source_length};
    } else if (k != NAME_UNKNOWN) {
        const Module *module = (const Module *)(void *)w->modules->bytes + k;
        c.entry = (LibraryEntry){module->name, LIBRARY_MODULE, module->source,
                                 module->length};
    } else {
        unit_error(w->e->u, name->at, 0,
                   "no MACRO or MODULE `%s` is defined above", name->text);
        return false;
    }
    if (c.entry.length == 0)
        unit_error(w->e->u, name->at, 0,
                   "the END of the MODULE `%s` is missing", name->text);
    else
        put_entry(w, name, c);
    return m == NULL;
}

static void destroy(Walk *w, const Token *name)
{
    LibraryEntry entry;
    if (!get_entry(w, name, &entry))
        return;
    if (entry.text == NULL) {
        unit_warning(w->e->u, name->at, 0,
                     "there is no `%s` in the library %s: nothing is removed",
                     name->text, library_place(w->e->library));
        return;
    }
    entry.text = NULL;
    entry.length = 0;
    add_change(w, name,
               (LibraryChange){.remove = true, .entry = entry, .found = true});
}

/* INVOKE "file": its TYPEs and MODULEs, once. */
static void invoke_file(Walk *w, const Token *name)
{
    Expander *e = w->e;
    Buffer text = {0};
    Fault fault = {0};
    Tokens t;
    const char *path = data_path(e->u, name->text);
    if (!expander_keep(e, path != NULL) ||
        names_find(&e->invoked, path) != NAME_UNKNOWN)
        return;
    expander_keep(e, names_put(&e->invoked, path, 0));
    if (file_read_data(path, &text, &fault) != STATUS_OK) {
        unit_error(e->u, name->at, name->origin, "%s", fault.text);
        buffer_free(&text);
        return;
    }
    char *copy = NEW_ARRAY(e->u->arena, char, text.v.used + 1);
    if (expander_keep(e, copy != NULL)) {
        if (text.v.used)
            memcpy(copy, text.v.bytes, text.v.used);
        uint32_t file = diags_add_file(e->u->diags, path, copy, text.v.used);
        if (lex_text(e->u, file, copy, text.v.used, &t))
            insert_module(w, &t, copy);
    }
    buffer_free(&text);
}

/* INVOKE name; anything else is left to the parser. */
static bool library_statement(Walk *w)
{
    const Token *t = here(w);
    bool keep = false;
    bool file = t->word == WORD_INVOKE && t[1].kind == TOKEN_STRING;
    if ((t[1].kind != TOKEN_NAME && !file) || t[2].word != WORD_SEMICOLON)
        return false;
    if (file) {
        invoke_file(w, &t[1]);
    } else if (t->word == WORD_INVOKE) {
        invoke(w, &t[1]);
    } else if (w->e->library == NULL) {
        no_library(w, t);
    } else if (t->word == WORD_DISPOSE) {
        keep = dispose(w, &t[1]);
    } else {
        destroy(w, &t[1]);
    }
    if (keep)
        return false;
    w->at += 3;
    return true;
}

/* ---- The program --------------------------------------------------------- */

/* Declarations of locals may go into the program before the first of these. */
static bool ends_declarations(Word w)
{
    switch (w) {
    case WORD_STORE:
    case WORD_FUNCTION:
    case WORD_PROCEDURE:
    case WORD_CONTINUOUS:
    case WORD_DISCRETE:
    case WORD_EXTERNAL:
    case WORD_EXPERIMENT:
    case WORD_SYSTEM:
    case WORD_OUTPUT: return true;
    default: return false;
    }
}

static bool opens_block(const Walk *w)
{
    switch (here(w)->word) {
    case WORD_MODULE: return true;
    case WORD_FUNCTION:
    case WORD_PROCEDURE: return word_before(w) != WORD_EXTERNAL;
    case WORD_PROCESS:
        return word_before(w) == WORD_CONTINUOUS ||
               word_before(w) == WORD_DISCRETE;
    default: return false;
    }
}

static bool begins_declared_module(const Token *t)
{
    switch (t->word) {
    case WORD_LABEL:
    case WORD_CONST:
    case WORD_TYPE:
    case WORD_VAR:
    case WORD_STORE:
    case WORD_FUNCTABLE:
    case WORD_INITIAL:
    case WORD_CONTINUOUS:
    case WORD_DISCRETE:
    case WORD_TERMINAL: return true;
    default: return false;
    }
}

static void enter_block(Walk *w)
{
    bool is_module = here(w)->word == WORD_MODULE;
    uint32_t end = block_end(w->t->token, w->t->count, w->at);
    w->block_end = end;
    w->begin = 0;
    for (uint32_t k = w->at; k < end && w->begin == 0; k++)
        if (w->t->token[k].word == (is_module ? WORD_SEMICOLON : WORD_BEGIN))
            w->begin = is_module ? k + 1 : k;
    if (is_module) {
        note_module(w);
        if (!begins_declared_module(&w->t->token[w->begin]))
            w->e->cannot_lift =
                "in a MODULE without CONTINUOUS nothing can be declared: write "
                "CONTINUOUS ... END around its equations";
    }
}

static void leave_block(Walk *w)
{
    const Undo *undo = (const Undo *)(void *)w->undo.bytes;
    for (size_t n = w->undo.used / sizeof *undo; n-- > 0;)
        names_put(&w->e->constant_names, undo[n].name, undo[n].number);
    w->undo.used = 0;
    w->block_end = w->begin = 0;
    w->e->lift_at = w->place;
    w->e->cannot_lift = NULL;
}

/* Keeps track of where the walk is. */
static void look_around(Walk *w)
{
    Expander *e = w->e;
    const Token *t = here(w);
    uint32_t out = token_count(&e->out);
    if (w->block_end > 0 && w->at > w->block_end)
        leave_block(w);
    if (!w->has_place && w->block_end == 0) {
        e->lift_at = w->place = out;
        w->has_place =
            ends_declarations(t->word) &&
            (word_before(w) == WORD_SEMICOLON || word_before(w) == WORD_END);
    }
    if (w->block_end == 0 && opens_block(w))
        enter_block(w);
    if (w->begin > 0 && w->at == w->begin)
        e->lift_at = out;
    if (t->word == WORD_CONST)
        read_constants(w);
}

/* A word of the macro language outside any MACRO. */
static bool report_stray(Walk *w)
{
    const Token *t = here(w);
    switch (t->word) {
    case WORD_MACEND:
    case WORD_MACVAR:
    case WORD_MACCONTIN:
    case WORD_MACFOR:
    case WORD_MACIF:
    case WORD_MACELSE:
    case WORD_MACBEGIN:
        unit_error(w->e->u, t->at, 0, "`%s` is allowed only in a MACRO",
                   t->text);
        break;
    default:
        if (t->kind != TOKEN_INSERT)
            return false;
        unit_error(w->e->u, t->at, 0,
                   "`{...}` is allowed only in the body of a MACRO (lists of "
                   "values are written in parentheses, statements in BEGIN "
                   "... END)");
    }
    while (here(w)->kind != TOKEN_END && here(w)->word != WORD_SEMICOLON)
        w->at++; // one message for the statement
    return true;
}

static void carry_out(Walk *w)
{
    const Token *t = here(w);
    if (t->word == WORD_MACRO) {
        define_macro(w);
    } else if ((t->word == WORD_INVOKE || t->word == WORD_DISPOSE ||
                t->word == WORD_DESTROY) &&
               library_statement(w)) {
        return;
    } else if (expander_is_call(w->e, t, word_before(w))) {
        w->at = call_expand(w->e, NULL, w->t->token, w->t->count, w->at);
        if (here(w)->word == WORD_SEMICOLON &&
            expander_last(w->e) == WORD_SEMICOLON)
            w->at++;
    } else if (!report_stray(w)) {
        expander_emit(w->e, t);
        w->at++;
    }
}

static void walk(Walk *w)
{
    while (here(w)->kind != TOKEN_END && !w->e->stopped) {
        look_around(w);
        carry_out(w);
    }
    leave_block(w);
}

/* ---- The result ---------------------------------------------------------- */

static int compare_lifts(const void *a, const void *b)
{
    const Lift *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void copy_tokens(Token **to, const Vector *from, uint32_t at, uint32_t n)
{
    if (n > 0)
        memcpy(*to, (const Token *)(void *)from->bytes + at, n * sizeof **to);
    *to += n;
}

/* Merges the output and the lifted declarations. */
static void merge(Expander *e, const Token *end)
{
    Lift *lift = (Lift *)(void *)e->lifts.bytes;
    size_t lifts = e->lifts.used / sizeof *lift;
    uint32_t done = 0, n = token_count(&e->out);
    size_t count = n + token_count(&e->declared) + lifts + 1;
    Token *to =
        count > UINT32_MAX ? NULL : NEW_ARRAY(e->u->arena, Token, count);
    e->u->flat.token = to;
    if (!expander_keep(e, to != NULL))
        return;
    if (lifts > 0)
        qsort(lift, lifts, sizeof *lift, compare_lifts);
    for (size_t k = 0; k < lifts; k++) {
        copy_tokens(&to, &e->out, done, lift[k].at - done);
        if (k == 0 || lift[k].at != lift[k - 1].at) {
            *to = ((const Token *)(void *)e->declared.bytes)[lift[k].from];
            to->kind = TOKEN_WORD;
            to->word = WORD_VAR;
            to->text = word_text(WORD_VAR);
            to++;
        }
        done = lift[k].at;
        copy_tokens(&to, &e->declared, lift[k].from, lift[k].count);
    }
    copy_tokens(&to, &e->out, done, n - done);
    *to++ = *end;
    e->u->flat.count = (uint32_t)(to - e->u->flat.token);
}

/* Copies the plan into the arena, where its texts are. */
static void keep_plan(Expander *e, const Vector *changes, const Vector *places,
                      LibraryPlan *plan)
{
    size_t n = changes->used / sizeof(LibraryChange);
    assert(n == places->used / sizeof(Span));
    if (n == 0)
        return;
    plan->change = NEW_ARRAY(e->u->arena, LibraryChange, n);
    plan->at = NEW_ARRAY(e->u->arena, Span, n);
    if (!expander_keep(e, plan->change != NULL && plan->at != NULL))
        return;
    memcpy(plan->change, changes->bytes, changes->used);
    memcpy(plan->at, places->bytes, places->used);
    plan->n = n;
}

static void free_expander(Expander *e)
{
    names_free(&e->macro_names);
    names_free(&e->constant_names);
    names_free(&e->program_names);
    names_free(&e->invoked);
    vector_free(&e->macros);
    vector_free(&e->constants);
    vector_free(&e->out);
    vector_free(&e->declared);
    vector_free(&e->lifts);
    path_free(e);
    arena_free(&e->scratch);
}

static bool has_work(const Tokens *t)
{
    for (uint32_t k = 0; k < t->count; k++) {
        switch (t->token[k].word) {
        case WORD_MACRO:
        case WORD_MACEND:
        case WORD_MACVAR:
        case WORD_MACCONTIN:
        case WORD_MACFOR:
        case WORD_MACIF:
        case WORD_MACELSE:
        case WORD_MACBEGIN:
        case WORD_INVOKE:
        case WORD_DISPOSE:
        case WORD_DESTROY: return true;
        default:
            if (t->token[k].kind == TOKEN_INSERT)
                return true;
        }
    }
    return false;
}

bool expand_plan(Unit *u, Library *lib, LibraryPlan *plan)
{
    Expander e = {.u = u, .library = lib};
    Vector modules = {0}, changes = {0}, places = {0};
    Names module_names = {0};
    Walk w = {.e = &e,
              .t = &u->tokens,
              .text = u->text,
              .modules = &modules,
              .module_names = &module_names,
              .changes = &changes,
              .places = &places};
    uint32_t errors = u->diags->errors;
    *plan = (LibraryPlan){0};
    u->flat = u->tokens;
    if (!has_work(&u->tokens))
        return true;
    e.to = &e.out;
    walk(&w);
    if (!e.stopped)
        merge(&e, &u->tokens.token[u->tokens.count - 1]);
    if (!e.stopped && u->diags->errors == errors)
        path_join(&e);
    if (!e.stopped && u->diags->errors == errors)
        keep_plan(&e, &changes, &places, plan);
    vector_free(&w.undo);
    vector_free(&modules);
    vector_free(&changes);
    vector_free(&places);
    names_free(&module_names);
    free_expander(&e);
    return u->diags->errors == errors;
}

bool expand(Unit *u, Library *lib, bool dry)
{
    LibraryPlan plan;
    Fault f = {0};
    if (!expand_plan(u, lib, &plan))
        return false;
    if (dry || u->diags->errors > 0 || plan.n == 0)
        return true;
    if (library_apply(lib, plan.change, plan.n, &f) == STATUS_OK)
        return true;
    diag_error(u->diags, (Span){.file = SPAN_NOWHERE}, "%s", f.text);
    return false;
}
