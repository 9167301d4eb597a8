#include "hunt/change.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/symbol.h"
#include "syntax/words.h"

const char *change_refuse(Change *c, const char *why)
{
    c->why = why;
    return NULL;
}

const char *change_apply(Change *c, Edits *e)
{
    if (e->count == 0)
        return change_refuse(c, "there is nothing to change");
    const char *text = edits_apply(e, c->arena, c->program->text);
    return text ? text : change_refuse(c, "the changes collide");
}

/* What a walk through the tree collects. */
typedef struct Walk {
    Change *c;
    Edits edits;
    bool wrong; // something is in a place where it cannot be changed
    const Node *segment;
    uint32_t met;
} Walk;

static bool changeable(Walk *w, const Node *n)
{
    if (n->kind == NODE_NONE)
        return false;
    if (!program_wrote(w->c->program, n))
        w->wrong = true;
    return program_wrote(w->c->program, n);
}

/* ---- What is recorded ---------------------------------------------------- */

static void visit_store(const Node *n, const Node *parent, void *context)
{
    Walk *w = context;
    (void)parent;
    if (n->kind == NODE_STORE_PART && changeable(w, n))
        edits_replace(&w->edits, w->c->arena, n->at, " ");
}

static void visit_output(const Node *n, const Node *parent, void *context)
{
    Walk *w = context;
    (void)parent;
    if (n->kind == NODE_OUTPUT && changeable(w, n))
        edits_replace(&w->edits, w->c->arena, n->at, " ");
}

const char *change_store_nothing(Change *c)
{
    Walk w = {.c = c};
    if (program_has(c->program, "REPLICATE"))
        return change_refuse(c, "what is replicated is what is STOREd");
    program_walk(c->program, visit_store, &w);
    program_walk(c->program, visit_output, &w);
    return w.wrong ? change_refuse(c, "STORE is in a macro")
                   : change_apply(c, &w.edits);
}

static bool can_be_stored(const Node *n)
{
    switch (n->word) {
    case WORD_STATE:
    case WORD_ALGEBR:
    case WORD_REAL:
    case WORD_INTEGER:
    case WORD_BOOLEAN:
    case WORD_LOGIC:
    case WORD_DSTATE: return n->kind == NODE_VARIABLE;
    default: return false;
    }
}

typedef struct StoreAll {
    Walk w;
    Buffer list;
} StoreAll;

/* Variables of the program itself: those of routines end with them. */
static void visit_variables(const Node *n, const Node *parent, void *context)
{
    StoreAll *s = context;
    (void)parent;
    if (n->kind != NODE_PROGRAM)
        return;
    for (const Node *l = n->first; l; l = l->next)
        for (const Node *part = l->first; part; part = part->next)
            if (part->kind == NODE_VAR_PART && part->word != WORD_OWN)
                for (const Node *v = part->first ? part->first->first : NULL; v;
                     v = v->next)
                    if (can_be_stored(v) && program_wrote(s->w.c->program, v))
                        buffer_format(&s->list, "%s%s",
                                      s->list.v.used ? ", " : "", v->text);
}

const char *change_store_all(Change *c)
{
    StoreAll s = {.w = {.c = c}};
    const Tokens *t = &c->program->unit.tokens;
    if (program_has(c->program, "REPLICATE"))
        return change_refuse(c, "what is replicated is what is STOREd");
    program_walk(c->program, visit_store, &s.w);
    program_walk(c->program, visit_variables, &s);
    bool any = s.list.v.used > 0;
    const char *list =
        text_format(c->arena, " STORE %s; ", any ? buffer_string(&s.list) : "");
    buffer_free(&s.list);
    if (!any || s.w.wrong)
        return change_refuse(c,
                             "there is nothing to STORE, or it is in a macro");
    for (uint32_t k = 0; k < t->count; k++)
        if (t->token[k].word == WORD_SYSTEM ||
            t->token[k].word == WORD_EXPERIMENT) {
            edits_before(&s.w.edits, c->arena, t->token[k].at, list);
            return change_apply(c, &s.w.edits);
        }
    return change_refuse(c, "there is no SYSTEM");
}

static void visit_features(const Node *n, const Node *parent, void *context)
{
    Walk *w = context;
    if (n->kind == NODE_FEATURES)
        w->met++;
    if (n->kind != NODE_SIMULATE || !changeable(w, n))
        return;
    if (parent->kind != NODE_LIST)
        w->wrong = true;
    edits_before(&w->edits, w->c->arena, n->at, "FEATURES; ");
}

const char *change_features(Change *c)
{
    Walk w = {.c = c};
    program_walk(c->program, visit_features, &w);
    if (w.wrong || w.met > 0)
        return change_refuse(c, "it has FEATURES, or SIMULATE in a statement");
    return change_apply(c, &w.edits);
}

/* ---- Names --------------------------------------------------------------- */

typedef struct Names {
    Walk w;
    const char **name; // declared, each once
    uint32_t count, room;
    Span *closed; // parts of the text in which names mean something else
    uint32_t closed_count, closed_room;
} Names;

static bool predefined(const char *name)
{
    static const char *const list[] = {
#define FUNCTION(name, least, most, result, takes) #name,
#define PROCEDURE(name, most, places)              #name,
#define VALUE(name, type, fixed)                   #name,
#define DISTRIBUTION(name, ...)                    #name,
#define METHOD_CHOICE(name, what)                  #name,
#define METHOD(name, ...)                          #name,
#include "base/distributions.def"
#include "base/methods.def"
#include "check/predefined.def"
#undef FUNCTION
#undef PROCEDURE
#undef VALUE
#undef DISTRIBUTION
#undef METHOD
#undef METHOD_CHOICE
        "PI", "DOUBLE", "EXTENDED", "QUAD", "EVENTFILE", "EVTIME", "EVCODE"};
    for (size_t k = 0; k < LENGTH(list); k++)
        if (name_same(list[k], name))
            return true;
    return false;
}

static void names_add(Names *s, const char *name)
{
    Arena *a = s->w.c->arena;
    if (!name || !*name || predefined(name))
        return;
    for (uint32_t k = 0; k < s->count; k++)
        if (name_same(s->name[k], name))
            return;
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 64;
        const char **more = NEW_ARRAY(a, const char *, s->room);
        if (!more)
            return;
        if (s->count > 0)
            memcpy(more, s->name, s->count * sizeof *more);
        s->name = more;
    }
    s->name[s->count++] = name;
}

static void names_close(Names *s, Span at)
{
    if (s->closed_count == s->closed_room) {
        s->closed_room = s->closed_room ? 2 * s->closed_room : 64;
        Span *more = NEW_ARRAY(s->w.c->arena, Span, s->closed_room);
        if (!more)
            return;
        if (s->closed_count > 0)
            memcpy(more, s->closed, s->closed_count * sizeof *more);
        s->closed = more;
    }
    s->closed[s->closed_count++] = at;
}

static void visit_names(const Node *n, const Node *parent, void *context)
{
    Names *s = context;
    (void)parent;
    switch (n->kind) {
    case NODE_CONST_ITEM:
    case NODE_TYPE_ITEM:
    case NODE_FIELD_ITEM:
    case NODE_VARIABLE:
    case NODE_MODEL_NAME:
    case NODE_FILE_DECL:
    case NODE_PROCESS_NAME:
    case NODE_STORAGE_DECL:
    case NODE_FIELD_DECL:
    case NODE_COORDINATE:
    case NODE_PORT_DECL:
    case NODE_PART_DECL:
    case NODE_FUNCTABLE:
    case NODE_FUNCTION:
    case NODE_PROCEDURE:
    case NODE_DISCRETE_PROCESS:
    case NODE_CONTINUOUS_PROCESS:
    case NODE_FORMAL:
    case NODE_MODULE:
    case NODE_MODEL:
    case NODE_COMMUNIC:
    case NODE_FOR: names_add(s, n->text); break;
    case NODE_UNIT: names_close(s, n->at); break;
    case NODE_EXTERNAL_FUNCTION:
    case NODE_EXTERNAL_PROCESS:
    case NODE_FROM_FILE:
    case NODE_FIT:
    case NODE_LIBRARY: s->w.wrong = true; break;
    default: break;
    }
}

static bool names_open(const Names *s, const Token *t)
{
    for (uint32_t k = 0; k < s->closed_count; k++)
        if (t->at.start >= s->closed[k].start &&
            t->at.start < s->closed[k].start + s->closed[k].length)
            return false;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_new_name(const void *a, const void *b)
{
    const Renamed *x = a, *y = b;
    return strcmp(x->new, y->new);
}

/* Reverses the order of names, makes them longer (some of them much longer),
   and turns upper case into lower case. */
static void make_names(Change *c, Names *s)
{
    c->names = NEW_ARRAY(c->arena, Renamed, s->count + 1);
    if (!c->names)
        return;
    qsort(s->name, s->count, sizeof *s->name, by_name);
    for (uint32_t k = 0; k < s->count; k++) {
        Buffer b = {0};
        buffer_format(&b, "w%04u%s_", s->count - k,
                      k % 3 == 0 ? "_a_rather_long_name_instead" : "");
        for (const char *p = s->name[k]; *p; p++)
            buffer_char(&b, (char)(isupper((unsigned char)*p)
                                       ? tolower((unsigned char)*p)
                                       : toupper((unsigned char)*p)));
        c->names[k] = (Renamed){s->name[k],
                                text_format(c->arena, "%s", buffer_string(&b))};
        buffer_free(&b);
    }
    c->name_count = s->count;
    qsort(c->names, c->name_count, sizeof *c->names, by_new_name);
}

/* Names that generated C or its headers might use as well. Words of COSY cannot
   be names. */
static void make_c_names(Change *c, Names *s)
{
    static const char *const list[] = {
        "x",      "V_x",         "EQ_x",       "EV_x",     "int",
        "V_int",  "c",           "d",          "t",        "dx",
        "real",   "data",        "double",     "return",   "static",
        "states", "STATES_1",    "variables",  "host",     "reset",
        "main",   "derivatives", "equations",  "stored",   "switch",
        "break",  "const_",      "struct",     "typedef",  "void",
        "char",   "long",        "short",      "unsigned", "enum",
        "sizeof", "NULL",        "errno",      "bool",     "isnan",
        "NAN",    "cosy_model",  "Cosy",       "COSY_OK",  "printf",
        "memcpy", "goto",        "register",   "AT_1",     "EQ_2",
        "x_2",    "on_EV_x",     "conditions", "h",        "p",
        "q",      "i",           "j",          "k",        "m"};
    WordTable words;
    words_prepare(&words);
    uint32_t next = (uint32_t)(hunt_random(c->hunt) % LENGTH(list)), round = 0;
    c->names = NEW_ARRAY(c->arena, Renamed, s->count + 1);
    for (uint32_t k = 0; c->names && k < s->count; next++) {
        const char *name = list[next % LENGTH(list)];
        if (next > 0 && next % LENGTH(list) == 0)
            round++;
        if (words_find(&words, name, strlen(name)) != WORD_NONE ||
            predefined(name))
            continue;
        if (k >= LENGTH(list) / 2 || round > 1)
            name = text_format(c->arena, "V_%s_%u", name, k);
        c->names[k] = (Renamed){s->name[k], name};
        k++;
    }
    c->name_count = c->names ? s->count : 0;
    if (c->names)
        qsort(c->names, c->name_count, sizeof *c->names, by_new_name);
}

static const Renamed *renamed_old(const Change *c, const char *name)
{
    for (uint32_t k = 0; k < c->name_count; k++)
        if (name_same(c->names[k].old, name))
            return &c->names[k];
    return NULL;
}

/* True for a name that is also an option word: only the parser knows its
   meaning. */
static bool doubtful_name(const Names *s, const Tokens *t)
{
    for (uint32_t k = 0; k < t->count; k++)
        for (uint32_t i = 0; i < s->count; i++)
            if (t->token[k].kind == TOKEN_NAME &&
                t->token[k].word != WORD_NONE &&
                name_same(t->token[k].text, s->name[i]))
                return true;
    return false;
}

static const char *rename_all(Change *c, void (*make)(Change *c, Names *s))
{
    Names s = {.w = {.c = c}};
    const Tokens *t = &c->program->unit.tokens;
    for (uint32_t k = 0; k < t->count; k++)
        if (t->token[k].kind == TOKEN_RAW || t->token[k].kind == TOKEN_INSERT ||
            (t->token[k].kind == TOKEN_STRING && strchr(t->token[k].text, '{')))
            return change_refuse(c, "names stand in text that is not COSY's");
    program_walk(c->program, visit_names, &s);
    if (s.w.wrong || s.count == 0 || doubtful_name(&s, t))
        return change_refuse(
            c, "names of files or option words are among its names");
    make(c, &s);
    for (uint32_t k = 1; k < t->count; k++) {
        const Token *one = &t->token[k];
        const Renamed *r = one->kind == TOKEN_NAME && names_open(&s, one)
                               ? renamed_old(c, one->text)
                               : NULL;
        if (r && t->token[k - 1].word != WORD_PROGRAM)
            edits_replace(&s.w.edits, c->arena, one->at, r->new);
    }
    return change_apply(c, &s.w.edits);
}

const char *change_names(Change *c)
{
    return rename_all(c, make_names);
}

const char *change_c_names(Change *c)
{
    return rename_all(c, make_c_names);
}

static bool is_letter(char ch)
{
    return isalnum((unsigned char)ch) || ch == '_';
}

/* The old name of the word of n characters at the beginning of a text, or
   NULL. */
static const char *old_name(const Change *c, const char *text, size_t n)
{
    char word[200];
    Renamed key = {NULL, word};
    if (c->name_count == 0 || n >= sizeof word)
        return NULL;
    memcpy(word, text, n);
    word[n] = '\0';
    const Renamed *r =
        bsearch(&key, c->names, c->name_count, sizeof *c->names, by_new_name);
    return r ? r->old : NULL;
}

const char *change_undo(const Change *c, Arena *a, const char *text)
{
    static const char file[] = CHANGE_BEHIND;
    Buffer b = {0};
    while (*text) {
        size_t n = 0;
        while (is_letter(text[n]))
            n++;
        const char *old = n > 0 ? old_name(c, text, n) : NULL;
        if (strncmp(text, file, sizeof file - 1) == 0) {
            old = CHANGE_BEFORE;
            n = sizeof file - 1;
        } else if (strncmp(text, " [", 2) == 0 &&
                   isalpha((unsigned char)text[2])) { // a unit has no names
            n = strcspn(text, "]");
        }
        if (old)
            buffer_text(&b, old);
        else
            buffer_bytes(&b, text, n > 0 ? n : 1);
        text += n > 0 ? n : 1;
    }
    const char *result = text_format(a, "%s", buffer_string(&b));
    buffer_free(&b);
    return result;
}
