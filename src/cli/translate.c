#include "cli/translate.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/front.h"
#include "cli/setting.h"
#include "cli/terminal.h"
#include "emit/emit.h"
#include "graph/graph.h"

void show_diags(const Diags *d, const char *path)
{
    Buffer b = {0};
    diags_print(d, &b, terminal_colour(STDERR_FILENO));
    fputs(buffer_string(&b), stderr);
    buffer_free(&b);
    if (d->errors || d->warnings)
        fprintf(stderr, "%s: %u error%s, %u warning%s\n", path, d->errors,
                d->errors == 1 ? "" : "s", d->warnings,
                d->warnings == 1 ? "" : "s");
}

static bool has_variable(const Model *m, const char *name)
{
    for (uint32_t k = 0; k < model_variables(m); k++)
        if (name_same(model_variable(m, k)->name, name))
            return true;
    return false;
}

/* Drops settings that lowering has used: the run need not know about them. */
static void drop_used(const Model *m, RunCommand *r, const LowerSet *set)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < r->kernel.sets; k++)
        if (!set[k].used || has_variable(m, r->set[k].name))
            r->set[kept++] = r->set[k];
    r->kernel.sets = kept;
}

/* True for a name that leads out of the folder it is in. */
static bool leads_out(const char *name)
{
    if (name[0] == '/')
        return true;
    for (const char *s = name; *s; s += strspn(s, "/")) {
        size_t n = strcspn(s, "/");
        if (n == 2 && s[0] == '.' && s[1] == '.')
            return true;
        s += n;
    }
    return false;
}

Status translate_read(void *user, const char *name, const char *path, Buffer *b,
                      Fault *f)
{
    static const char rule[] =
        "with --untrusted a model reads only plain files below its own folder, "
        "and not through links";
    const DataReader *r = user;
    size_t before = b->v.used;
    Fault own = {0};
    if (r->untrusted && leads_out(name))
        return fault_set(f, STATUS_FILE, "%.300s: %s", name, rule);
    Status s = file_read_data(path, b, &own);
    if (s != STATUS_OK)
        return fault_set(f, s, r->untrusted ? "%s; %s" : "%s", own.text, rule);
    if (r->provenance)
        provenance_input(r->provenance, "data", name, b->v.bytes + before,
                         b->v.used - before);
    return STATUS_OK;
}

/* Keeps what translate_again needs. */
static void keep(Translation *t, const RunCommand *r)
{
    KernelSetting *given = NEW_ARRAY(&t->arena, KernelSetting, MOST_SETS);
    for (uint32_t k = 0; given && k < r->kernel.sets; k++)
        given[k] = r->set[k];
    t->given = given;
    t->givens = given ? r->kernel.sets : 0;
    t->regrids = given != NULL;
}

bool translate_again(Translation *t, bool untrusted, int32_t level, Buffer *c)
{
    LowerSet set[MOST_SETS];
    DataReader reader = {.untrusted = untrusted};
    LowerOptions o = {.set = set,
                      .sets = t->givens,
                      .grid_level = level,
                      .read = translate_read,
                      .user = &reader};
    Unit u = t->unit;
    Diags silent = t->diags;
    assert(t->regrids);
    diags_forget(&silent);
    u.diags = &silent;
    for (uint32_t k = 0; k < t->givens; k++)
        set[k] = (LowerSet){t->given[k].name, t->given[k].value, false};
    Model *m = front_model(&u, &o, PASS_DERIVE);
    return m && silent.errors == 0 && emit_model(m, c);
}

static Model *model_of(Unit *u, RunCommand *r, Provenance *p, Translation *t)
{
    LowerSet set[MOST_SETS];
    DataReader reader = {.provenance = p, .untrusted = r && r->untrusted};
    LowerOptions o = {.set = set,
                      .sets = r ? r->kernel.sets : 0,
                      .read = translate_read,
                      .user = &reader};
    for (uint32_t k = 0; k < o.sets; k++)
        set[k] = (LowerSet){r->set[k].name, r->set[k].value, false};
    Model *m = front_model(u, &o, PASS_DERIVE);
    if (m && r && model_fields(m))
        keep(t, r);
    if (m && r)
        drop_used(m, r, set);
    return m;
}

/* Reports a program that should be run but has no EXPERIMENT. */
static void require_experiment(Unit *u, const Model *m)
{
    assert(u->tokens.count > 0);
    const Token *end = &u->tokens.token[u->tokens.count - 1];
    while (end > u->tokens.token && end->kind == TOKEN_END)
        end--;
    if (m->experiment.first == NULL && u->diags->errors == 0)
        unit_error(u, end->at, end->origin,
                   "%s has no EXPERIMENT, so there is nothing to run; write "
                   "for instance EXPERIMENT SIMULATE FROM 0 TO 10 END;",
                   m->name);
}

/* The program, and what INVOKE took from the library. */
static void note_texts(const Diags *d, Provenance *p)
{
    static const char library[] = "library:";
    const char *name, *text;
    size_t length;
    for (uint32_t k = 0; k < d->files; k++) {
        if (!diags_file(d, k, &name, &text, &length))
            continue;
        if (k == 0)
            provenance_input(p, "model", name, text, length);
        else if (strncmp(name, library, sizeof library - 1) == 0)
            provenance_input(p, "macro", name + sizeof library - 1, text,
                             length);
        else if (strchr(name, '.')) // INVOKE "file": texts of lib/ have no dot
            provenance_input(p, "modules", name, text, length);
    }
}

/* Whether the token is in a segment OUTPUT of the program. */
static bool is_in_output(const Unit *u, const Token *t)
{
    for (const Node *n = u->program->last->first; n; n = n->next)
        if (n->kind == NODE_OUTPUT && n->at.file == t->at.file &&
            t->at.start >= n->at.start &&
            t->at.start < n->at.start + n->at.length)
            return true;
    return false;
}

/* The hash of what decides a run: the words of the text, one blank between them,
   without OUTPUT, comments and the `;` that separate segments. */
static void hash_body(const Unit *u, char hash[SHA256_LENGTH])
{
    Sha256 h;
    sha256_begin(&h);
    for (uint32_t k = 0; k < u->tokens.count; k++) {
        const Token *t = &u->tokens.token[k];
        if (t->word == WORD_SEMICOLON || is_in_output(u, t))
            continue;
        sha256_add(&h, u->text + t->at.start, t->at.length);
        sha256_add(&h, " ", 1);
    }
    sha256_end(&h, hash);
}

static Status draw(Translation *t, Model *m, const UnitParts *p,
                   const char *path, Fault *f)
{
    graph_page(&t->pictures, m, p);
    return t->pictures.broken
               ? fault_set(f, STATUS_MEMORY, "no memory to draw %s", path)
               : STATUS_OK;
}

Status translate(const char *path, RunCommand *r, Translation *t, Provenance *p,
                 Fault *f)
{
    *t = (Translation){0};
    Diags *diags = &t->diags;
    Unit *unit = &t->unit;
    LibraryPlan plan;
    const char *name[MOST_SETS], *value[MOST_SETS];
    GivenNames given = {name, value, r ? r->kernel.sets : 0};
    for (uint32_t k = 0; k < given.n; k++) {
        name[k] = r->set[k].name;
        value[k] = r->set[k].value;
    }
    Status status =
        front_read_plan(unit, &t->arena, diags, path, PASS_CHECK,
                        r && r->untrusted, &given, &t->right, &plan, f);
    if (status == STATUS_OK && t->right && r)
        status = settings_convert(unit, r, &t->settings, f);
    if (status == STATUS_OK) {
        if (p)
            note_texts(diags, p);
        Model *m = t->right ? model_of(unit, r, p, t) : NULL;
        if (m && r)
            require_experiment(unit, m);
        t->right = m && diags->errors == 0;
        if (t->right)
            hash_body(unit, t->body);
        if (p && t->right)
            memcpy(p->body, t->body, sizeof p->body);
        diags_print(diags, &t->remarks, false);
        if (t->right && r) // results do not say what was in the library
            status = front_apply_plan(unit, &plan, f);
        show_diags(diags, path);
        buffer_bytes(&t->text, unit->text, unit->length);
        if (status == STATUS_OK && t->right && !emit_model(m, &t->c))
            status =
                fault_set(f, STATUS_MEMORY, "no memory to translate %s", path);
        if (status == STATUS_OK && t->right && r && r->graph)
            status = draw(t, m, &unit->parts, path, f);
        t->precision = m ? m->precision : 1;
    }
    if (!t->regrids)
        arena_free(&t->arena);
    return status;
}

void translation_free(Translation *t)
{
    buffer_free(&t->c);
    buffer_free(&t->text);
    buffer_free(&t->remarks);
    buffer_free(&t->pictures);
    arena_free(&t->settings);
    arena_free(&t->arena);
}
