#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/method_facts.h"
#include "hunt/change.h"
#include "hunt/compare.h"
#include "hunt/program.h"

/* Relations: a program and the same program changed have the same answer. One
   row each: name, change of the text (or none), more words of `cosy run`, how
   the answers are compared, and what is left out of the comparison. */

typedef enum How {
    SAME,     // to the last bit
    NEAR,     // within ten tolerances
    CONTINUE, // a snapshot in the middle, and the run from there: the same
    SHARP     // the same program with smaller errors
} How;

typedef struct Relation {
    const char *name;
    const char *(*change)(Change *c);
    const char *words[3];
    How how;
    unsigned skip;
    unsigned share; // the fixed selection has one in so many programs
    double times;   // this many tolerances count as near
} Relation;

#define AS_STORED (SKIP_CURVES | SKIP_OUTPUT | SKIP_EFFORT)

static const Relation relations[] = {
    {"store-all", change_store_all, {0}, SAME, AS_STORED, 2, 0},
    {"store-nothing", change_store_nothing, {0}, SAME, AS_STORED, 4, 0},
    {"trace", NULL, {"--trace"}, SAME, SKIP_HIDDEN, 4, 0},
    {"features", change_features, {0}, SAME, SKIP_OUTPUT | SKIP_EFFORT, 4, 0},
    {"threads", NULL, {"--threads", "2"}, SAME, 0, 4, 0},
    {"backend", NULL, {"--backend=cc"}, SAME, 0, 32, 0},
    {"names",
     change_names,
     {0},
     SAME,
     SKIP_OUTPUT | SKIP_MESSAGE | SKIP_UNITS,
     4,
     0},
    {"c-names",
     change_c_names,
     {0},
     SAME,
     SKIP_OUTPUT | SKIP_MESSAGE | SKIP_UNITS,
     4,
     0},
    {"snapshot", NULL, {0}, CONTINUE, 0, 4, 0},
    {"tolerance", NULL, {0}, SHARP, 0, 1, 0},
    {"comint", change_comint, {0}, NEAR, 0, 2, 10},
    {"shuffle", change_shuffle, {0}, NEAR, 0, 2, 10},
    {"model", change_model, {0}, NEAR, 0, 2, 10},
    {"macro", change_macro, {0}, NEAR, 0, 2, 10},
    {"units", change_units, {0}, NEAR, SKIP_UNITS, 1, 10},
    {"shift", change_shift, {0}, NEAR, SKIP_STATISTICS, 2, 10},
    {"scale", change_scale, {0}, NEAR, SKIP_STATISTICS, 1, 10},
    {"extended", change_extended, {0}, NEAR, 0, 8, 10},
    {"method DOPRI5", NULL, {"--method", "DOPRI5"}, NEAR, 0, 4, 10},
    {"method DOP853", NULL, {"--method", "DOP853"}, NEAR, 0, 4, 10},
    {"method RKF45", NULL, {"--method", "RKF45"}, NEAR, 0, 8, 10},
    {"method RKF78", NULL, {"--method", "RKF78"}, NEAR, 0, 8, 10},
    {"method RADAU", NULL, {"--method", "RADAU"}, NEAR, 0, 4, 10},
    {"method DIRK", NULL, {"--method", "DIRK"}, NEAR, 0, 4, 10},
    {"method TRAPEZ", NULL, {"--method", "TRAPEZ"}, NEAR, 0, 8, 1000},
    {"method GEAR", NULL, {"--method", "GEAR"}, NEAR, 0, 4, 100},
    {"method ADAMS", NULL, {"--method", "ADAMS"}, NEAR, 0, 4, 100},
    {"method IDA", NULL, {"--method", "IDA"}, NEAR, 0, 8, 100},
};

typedef struct Exempt {
    const char *program, *relation, *why;
} Exempt;

static const Exempt exempts[] = {
#define EXEMPT(program, relation, why) {program, relation, why},
#include "hunt/exempt.def"
#undef EXEMPT
    {NULL, NULL, NULL}};

/* What is known about a program while its relations are tried. */
typedef struct Trial {
    Hunt *h;
    Arena *arena;
    Program *program;
    const char *folder;
    const char *backend; // for all runs but one
    HuntRun plain;       // the unchanged program
    HuntRun near, sharp; // with the errors of NEAR, and a hundredth of them
    bool near_known, near_right;
    bool begun; // the unchanged program has been run
} Trial;

/* CPU seconds for one process, and for an unchanged program of the fixed
   selection: most take a hundredth of that. */
enum { LIMIT = 10, LIMIT_FIXED = 2 };

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ---- Selection ----------------------------------------------------------- */

static const Exempt *exempt(const Program *p, const Relation *r)
{
    for (const Exempt *e = exempts; e->program; e++)
        if (strstr(p->name, e->program) &&
            (strcmp(e->relation, "*") == 0 ||
             (strcmp(e->relation, "near") == 0 && r->how != SAME &&
              r->how != CONTINUE) ||
             strncmp(r->name, e->relation, strlen(e->relation)) == 0))
            return e;
    return NULL;
}

/* The fixed selection takes pairs by a hash of their names: it is always the
   same, and an added program does not affect the rest. Relations that hold
   within tolerances need two more runs to compare with: they are tried on some
   programs only. */
enum { NEAR_SHARE = 4, MOST_WORK = 10000 };

static uint64_t pair_hash(const Program *p, const Relation *r)
{
    uint64_t hash = 1469598103934665603u; // FNV-1a
    for (const char *s = p->name; *s; s++)
        hash = (hash ^ (unsigned char)*s) * 1099511628211u;
    for (const char *s = r ? r->name : ""; *s; s++)
        hash = (hash ^ (unsigned char)*s) * 1099511628211u;
    return hash ^ (hash >> 32);
}

/* True if one of the words between commas is in the name. */
static bool named(const char *list, const char *name)
{
    char word[HUNT_PATH];
    for (const char *s = list; *s; s += *s == ',') {
        size_t n = strcspn(s, ",");
        snprintf(word, sizeof word, "%.*s", (int)n, s);
        s += n;
        if (n > 0 && strstr(name, word))
            return true;
    }
    return false;
}

static bool selected(const Hunt *h, const Program *p, const Relation *r)
{
    if (h->only && !named(h->only, r->name))
        return false;
    if (h->seconds > 0 || h->only)
        return true;
    bool exact = r->how == SAME || r->how == CONTINUE;
    return (exact || pair_hash(p, NULL) % NEAR_SHARE == 0) &&
           pair_hash(p, r) % (r->share * h->thin) == 0;
}

static bool any_selected(const Hunt *h, const Program *p)
{
    for (size_t k = 0; k < LENGTH(relations); k++)
        if (selected(h, p, &relations[k]))
            return true;
    return false;
}

/* Steps and events of all runs: long programs are not in the fixed selection,
   whatever the speed of the machine. */
static double work_of(const HuntRun *r)
{
    double sum = 0;
    const Tree *runs = tree_get(r->summary, "runs");
    for (const Tree *t = runs ? runs->first : NULL; t; t = t->next) {
        const Tree *counts = tree_get(t, "counts");
        for (const Tree *n = counts ? counts->first : NULL; n; n = n->next)
            sum += n->number;
    }
    return sum;
}

/* ---- One relation -------------------------------------------------------- */

static const char *again(const Trial *t, const Relation *r)
{
    return text_format(t->arena,
                       "%s %s %s --seed %llu --only '%s' --program '%s' "
                       "relations",
                       t->h->self, t->h->cosy, t->h->source,
                       (unsigned long long)t->h->seed, r->name,
                       t->program->name);
}

static void judge(Trial *t, const Relation *r, const char *different)
{
    const char *what =
        text_format(t->arena, "%s: %s", t->program->name, r->name);
    if (different)
        hunt_wrong(t->h, what, t->folder, again(t, r), "%s", different);
    else
        hunt_tried(t->h, what);
}

static bool run_as(Trial *t, const char *name, const char *model,
                   const char *const *more, HuntRun *r)
{
    const char *words[HUNT_WORDS] = {"run", model, "--threads", "1",
                                     t->backend};
    size_t n = 5;
    for (; more && *more && n + 1 < HUNT_WORDS; more++)
        words[n++] = *more;
    return hunt_run(t->h, t->arena, t->folder, name, words,
                    t->begun || t->h->seconds > 0 ? LIMIT : LIMIT_FIXED, r);
}

/* Sets the errors for the comparison within tolerances, or a hundredth of
   them. */
static void with_errors(const char **words, bool sharp)
{
    words[0] = "--relerr";
    words[1] = sharp ? "1e-9" : "1e-7";
    words[2] = "--abserr";
    words[3] = sharp ? "1e-11" : "1e-9";
}

static bool fixed_steps(const Program *p)
{
    const MethodFacts *m;
    for (size_t k = 0; (m = method_facts_at(k)); k++)
        if (m->fixed && program_has(p, m->name))
            return true;
    return false;
}

/* The two runs with which everything within tolerances is compared. */
static bool near_runs(Trial *t)
{
    const char *words[5] = {0};
    if (t->near_known)
        return t->near_right;
    t->near_known = true;
    with_errors(words, false);
    if (!run_as(t, "near", CHANGE_BEFORE, words, &t->near))
        return false;
    with_errors(words, true);
    if (!run_as(t, "sharp", CHANGE_BEFORE, words, &t->sharp))
        return false;
    t->near_right = t->near.exit == 0 && t->sharp.exit == 0 && !t->near.late &&
                    !t->sharp.late && t->near.summary && t->sharp.summary;
    return t->near_right;
}

static bool run_changed(Trial *t, const Relation *r, const char *model,
                        HuntRun *b)
{
    const char *words[9] = {0};
    size_t n = 0;
    if (r->how == NEAR) {
        with_errors(words, r->change == NULL);
        n = 4;
    }
    for (size_t k = 0; k < LENGTH(r->words) && r->words[k]; k++)
        words[n++] = r->words[k];
    return run_as(t, "changed", model, words, b);
}

static double span_middle(const HuntRun *r)
{
    const Tree *runs = tree_get(r->summary, "runs");
    double from = tree_number(runs->first, "t_begin");
    double to = tree_number(runs->first, "t_end");
    return from + 0.4371 * (to - from);
}

static bool one_run(const HuntRun *r)
{
    const Tree *runs = tree_get(r->summary, "runs");
    return runs && runs->count == 1;
}

static bool one_step(const HuntRun *r)
{
    const Tree *runs = tree_get(r->summary, "runs");
    const char *took = tree_text(runs ? runs->first : NULL, "method");
    const MethodFacts *m;
    for (size_t k = 0; (m = method_facts_at(k)); k++)
        if (m->multi_step && strstr(took, m->name))
            return false;
    return one_run(r);
}

static void try_continue(Trial *t, const Relation *r)
{
    Change none = {.program = t->program, .arena = t->arena};
    HuntRun saved, restored;
    char middle[40];
    const char *what =
        text_format(t->arena, "%s: %s", t->program->name, r->name);
    if (!one_step(&t->plain)) {
        hunt_skip(t->h, what, "several runs, or no one-step method");
        return;
    }
    snprintf(middle, sizeof middle, "%.17g", span_middle(&t->plain));
    run_as(t, "saved", CHANGE_BEFORE,
           WORDS("--save", "snapshot", "--save-at", middle), &saved);
    const char *different =
        compare_same(t->arena, &t->plain, &saved, &none, r->skip);
    if (!different) {
        run_as(t, "restored", CHANGE_BEFORE, WORDS("--restore", "snapshot"),
               &restored);
        /* What was printed before the snapshot is not printed again. */
        different = compare_same(t->arena, &t->plain, &restored, &none,
                                 r->skip | SKIP_OUTPUT);
    }
    judge(t, r, different);
}

static void try_sharp(Trial *t, const Relation *r)
{
    const char *name, *different = NULL;
    const char *what =
        text_format(t->arena, "%s: %s", t->program->name, r->name);
    if (!near_runs(t)) {
        if (t->near.exit == 0 && t->sharp.exit == 0 && !t->sharp.late)
            hunt_skip(t->h, what, "there is no answer");
        else
            judge(t, r, "fails with smaller errors");
        return;
    }
    double far = compare_distance(&t->near, &t->sharp, &name);
    if (far > 1000)
        different = text_format(
            t->arena,
            "%s is %.3g tolerances off with a hundredth of the errors", name,
            far);
    judge(t, r, different);
}

/* Such a method might run for ever. */
static bool explicit_on_stiff(const Trial *t, const Relation *r)
{
    const MethodFacts *m;
    const Tree *runs = tree_get(t->near.summary, "runs");
    const char *took = tree_text(runs ? runs->first : NULL, "method");
    bool stiff = false;
    for (size_t k = 0; (m = method_facts_at(k)); k++) {
        if (m->implicit && strstr(r->name, m->name))
            return false;
        stiff = stiff || (m->implicit && strstr(took, m->name));
    }
    return stiff && r->words[0];
}

static void try_changed(Trial *t, const Relation *r)
{
    Change c = {.program = t->program, .arena = t->arena, .hunt = t->h};
    HuntRun b;
    const char *model = CHANGE_BEFORE;
    const char *what =
        text_format(t->arena, "%s: %s", t->program->name, r->name);
    if (r->how == NEAR && !near_runs(t)) {
        hunt_skip(t->h, what, "there is no answer to compare with");
        return;
    }
    if (r->change) {
        t->h->state = t->h->seed ^ pair_hash(t->program, r);
        const char *text = r->change(&c);
        Program changed = {.name = CHANGE_BEHIND, .text = text};
        if (text)
            program_read(&changed, t->arena);
        if (!text || !changed.right) {
            if (text)
                hunt_write(t->folder, CHANGE_BEHIND, text);
            hunt_skip(t->h, what, text ? "the change is refused" : c.why);
            return;
        }
        model = CHANGE_BEHIND;
        hunt_write(t->folder, model, text);
    }
    run_changed(t, r, model, &b);
    if ((b.exit == 1 || b.exit == 3) &&
        (!r->change || r->change == change_extended))
        hunt_skip(t->h, what, "it is refused");
    else if (b.late && explicit_on_stiff(t, r))
        hunt_skip(t->h, what, "the model is stiff");
    else
        judge(t, r,
              r->how == SAME
                  ? compare_same(t->arena, &t->plain, &b, &c, r->skip)
                  : compare_near(t->arena, &t->near, &t->sharp, &b, &c, r->skip,
                                 r->times));
}

static void try_relation(Trial *t, const Relation *r)
{
    const Exempt *e = exempt(t->program, r);
    const char *what =
        text_format(t->arena, "%s: %s", t->program->name, r->name);
    if (e)
        hunt_skip(t->h, what, e->why);
    else if (strcmp(r->name, "threads") == 0 && one_run(&t->plain))
        hunt_skip(t->h, what, "there is one run only");
    else if (strcmp(r->name, "trace") == 0 && work_of(&t->plain) > 200000)
        hunt_skip(t->h, what, "the trace is too long");
    else if (t->plain.exit != 0 && r->how != SAME)
        hunt_skip(t->h, what, "its run fails");
    else if (r->how == CONTINUE)
        try_continue(t, r);
    else if (r->how != SAME && fixed_steps(t->program))
        hunt_skip(t->h, what, "its steps do not follow from its errors");
    else if (r->how == SHARP)
        try_sharp(t, r);
    else
        try_changed(t, r);
}

/* ---- One program --------------------------------------------------------- */

/* Links tables and other files that belong to the program. */
static void link_files(const Program *p, const char *folder)
{
    char from[HUNT_PATH], to[HUNT_PATH];
    struct dirent *entry;
    DIR *d = opendir(p->folder);
    if (!d)
        return;
    while ((entry = readdir(d)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');
        if (entry->d_name[0] == '.' || !dot || strcmp(dot, ".cosy") == 0)
            continue;
        snprintf(from, sizeof from, "%.700s/%.255s", p->folder, entry->d_name);
        snprintf(to, sizeof to, "%.700s/%.255s", folder, entry->d_name);
        if (symlink(from, to) != 0)
            break;
    }
    closedir(d);
}

/* tcc makes code in a millisecond; what it cannot make is left to cc. */
static const char *backend_for(const Program *p)
{
    static const char *const words[] = {"EXTENDED", "QUAD", "EXTERNAL",
                                        "CCODE"};
    for (size_t k = 0; k < LENGTH(words); k++)
        if (program_has(p, words[k]))
            return "--backend=cc";
    return "--backend=tcc";
}

static bool begin(Trial *t)
{
    program_read(t->program, t->arena);
    t->backend = backend_for(t->program);
    if (!t->program->right ||
        (t->h->seconds == 0 && strcmp(t->backend, "--backend=cc") == 0))
        return false;
    link_files(t->program, t->folder);
    if (!hunt_write(t->folder, CHANGE_BEFORE, t->program->text))
        return false;
    run_as(t, "plain", CHANGE_BEFORE, NULL, &t->plain);
    t->begun = true;
    if (t->plain.late || !t->plain.summary)
        return false;
    return t->h->seconds > 0 || work_of(&t->plain) < MOST_WORK;
}

static void try_program(Hunt *h, Program *p)
{
    Arena arena = {0};
    Trial t = {.h = h, .arena = &arena, .program = p};
    t.folder = hunt_folder(h, &arena);
    if (!t.folder)
        return;
    if (!begin(&t))
        hunt_skip(h, p->name, "it does not run, or too long");
    else
        for (size_t k = 0; k < LENGTH(relations) && hunt_left(h) > 0; k++)
            if (selected(h, p, &relations[k]))
                try_relation(&t, &relations[k]);
    hunt_remove(t.folder);
    arena_free(&arena);
}

/* In the order of their names, or in one that follows from the seed. */
static void try_all(Hunt *h, Program **list, size_t n)
{
    for (size_t k = n; h->seconds > 0 && k > 1; k--) {
        size_t j = hunt_random(h) % k;
        Program *kept = list[k - 1];
        list[k - 1] = list[j];
        list[j] = kept;
    }
    for (size_t k = 0; k < n && hunt_left(h) > 0; k++)
        if ((!h->program || strstr(list[k]->name, h->program)) &&
            any_selected(h, list[k]))
            try_program(h, list[k]);
}

void hunt_relations(Hunt *h)
{
    Arena arena = {0};
    uint64_t rounds = 0;
    Program *first = programs_find(&arena, h->source, h->from);
    size_t n = 0;
    for (Program *p = first; p; p = p->next)
        n++;
    Program **list = NEW_ARRAY(&arena, Program *, n + 1);
    if (list) {
        n = 0;
        for (Program *p = first; p; p = p->next)
            list[n++] = p;
        try_all(h, list, n);
    }
    /* If time is left: whatever another seed does differently. */
    while (list && h->seconds > 0 && !h->only && !h->program &&
           hunt_left(h) > 0) {
        Hunt more = *h;
        more.seed += ++rounds;
        more.only = "shuffle,shift,c-names";
        try_all(&more, list, n);
        *h = more;
        h->seed -= rounds;
        h->only = NULL;
    }
    arena_free(&arena);
}
