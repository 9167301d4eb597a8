#include "study/replay.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tree.h"
#include "picture/graphs.h"
#include "picture/signals.h"
#include "report/report.h"
#include "stats/number.h"
#include "stats/record.h"
#include "stats/report.h"
#include "stats/reread.h"
#include "stats/summary.h"
#include "stats/value.h"
#include "study/experiment.h"

typedef struct Replay {
    const CosyModel *model;
    const KernelOptions *options;
    Arena arena;
    Fault fault;
    Fault none; // no run has failed now
    OutletShared shared;
    Outlet outlet;
    Stage stage;
    Gallery gallery;
    const Tree *summary;
    uint32_t failed;
} Replay;

/* DIR/NAME; false: it is not there. */
static bool read_stored(Replay *p, const char *name, Buffer *b)
{
    Buffer path = {0};
    Fault unused = {0};
    buffer_format(&path, "%s/%s", p->options->dir, name);
    bool there = access(buffer_string(&path), F_OK) == 0 &&
                 file_read(buffer_string(&path), b, &unused) == STATUS_OK;
    buffer_string(b); // ends with NUL
    buffer_free(&path);
    return there;
}

/* A number with all its digits: EXTENDED and QUAD are texts. */
static real real_of(const Tree *t)
{
    real v;
    if (!t)
        return COSY_NAN;
    return t->kind == TREE_TEXT && number_read(t->text, &v) ? v
                                                            : (real)t->number;
}

/* ---- Rows ------------------------------------------------------------------------ */

static Status refuse_columns(Replay *p, const char *file, Buffer *missing)
{
    const char *names = buffer_string(missing);
    return fault_set(&p->fault, STATUS_USAGE,
                     "%s/%s has no column for %.200s: when these runs were "
                     "made it was neither STOREd nor shown; cosy run records "
                     "what OUTPUT shows now",
                     p->options->dir, file, names);
}

static Status read_rows(Replay *p, const char *file, bool cross, Vector *rows)
{
    Buffer text = {0}, missing = {0};
    Status s = STATUS_OK;
    if (read_stored(p, file, &text))
        s = reread_rows(rows, p->model, cross, (char *)(void *)text.v.bytes,
                        text.v.used, file, &missing, &p->fault);
    if (s == STATUS_OK && missing.v.used)
        s = refuse_columns(p, file, &missing);
    buffer_free(&text);
    buffer_free(&missing);
    return s;
}

/* ---- Runs ------------------------------------------------------------------------ */

static const Tree *runs_of(const Replay *p)
{
    const Tree *list = tree_get(p->summary, "runs");
    return list ? list->first : NULL;
}

static bool is_saved(const Replay *p, uint32_t run)
{
    const Tree *list = tree_get(p->summary, "saved");
    for (const Tree *k = list ? list->first : NULL; k; k = k->next)
        if (k->number == (double)run)
            return true;
    return false;
}

/* X or X[3]; the element is COSY_NONE for all of a variable. */
static bool find_variable(const CosyModel *m, const char *name,
                          RunSetting *found)
{
    size_t n = strcspn(name, "[");
    for (uint32_t k = 0; k < m->n_variables; k++) {
        const CosyVariable *v = &m->variables[k];
        if (strncmp(v->name, name, n) != 0)
            continue;
        *found = (RunSetting){.variable = k, .index = COSY_NONE};
        if (strcmp(v->name, name) == 0)
            return true;
        for (uint32_t i = 0; name[n] && !v->name[n] && i < value_count(v);
             i++) {
            Buffer b = {0};
            value_name(&b, v, i);
            found->index = i;
            bool same = strcmp(buffer_string(&b), name) == 0;
            buffer_free(&b);
            if (same)
                return true;
        }
    }
    return false;
}

static bool is_varied(const Tree *run, const char *name)
{
    const Tree *list = tree_get(run, "varied");
    for (const Tree *k = list ? list->first : NULL; k; k = k->next)
        if (k->kind == TREE_TEXT && strcmp(k->text, name) == 0)
            return true;
    return false;
}

static void put_parameters(Replay *p, const Tree *run, Buffer *b)
{
    const Tree *all = tree_get(run, "parameters");
    RunSetting *s =
        NEW_ARRAY(&p->arena, RunSetting, (all ? all->count : 0) + 1);
    uint32_t n = 0;
    for (const Tree *k = s && all ? all->first : NULL; k; k = k->next)
        if (find_variable(p->model, k->name, &s[n])) {
            s[n].value = real_of(k);
            s[n++].varied = is_varied(run, k->name);
        }
    report_parameters(b, p->model, s, n, 60);
}

static bool read_histogram(const Tree *t, CosyHistogram *h)
{
    const Tree *edges = tree_get(t, "edges"), *counts = tree_get(t, "counts");
    uint32_t k = 0;
    memset(h, 0, sizeof *h);
    if (!edges || !counts || edges->count < 2 ||
        counts->count != edges->count + 1 || counts->count > COSY_CELLS)
        return false;
    h->active = 1;
    h->cells = edges->count - 1;
    h->first = real_of(edges->first);
    h->width = real_of(edges->first->next) - h->first;
    for (const Tree *c = counts->first; c; c = c->next)
        h->count[k++] = (uint64_t)c->number;
    return true;
}

/* Histograms of the run, as the model's table has them. */
static bool take_histograms(Replay *p, const Tree *run, Shown *s)
{
    const CosyModel *m = p->model;
    const Tree *all = tree_get(tree_get(run, "statistics"), "histogram");
    for (uint32_t k = 0; k < m->n_histograms; k++) {
        CosyHistogram h;
        read_histogram(tree_get(all, m->histograms[k].name), &h);
        if (!vector_append(&s->histograms, &h, sizeof h))
            return false;
    }
    return true;
}

/* Times of state events, and where a run slides or rests, from its events. */
static bool take_spans(Replay *p, const Tree *run, Shown *s)
{
    const CosyModel *m = p->model;
    const Tree *all = tree_get(run, "sliding");
    for (const Tree *k = all ? all->first : NULL; k; k = k->next) {
        RunSpan one = {.rest = strcmp(tree_text(k, "kind"), "rest") == 0,
                       .id = COSY_NONE,
                       .from = real_of(tree_get(k, "from")),
                       .to = real_of(tree_get(k, "to"))};
        for (uint32_t i = 0; i < m->n_conditions_info; i++)
            if (strcmp(m->conditions_info[i].name, tree_text(k, "on")) == 0)
                one.id = i;
        if (one.to == one.to && !vector_append(&s->spans, &one, sizeof one))
            return false;
    }
    return true;
}

static bool take_marks(Replay *p, const Tree *run, Shown *s)
{
    enum { MOST = 200 }; // as graphs_keep
    char name[40];
    Buffer text = {0};
    bool ok = true;
    snprintf(name, sizeof name, "events-%04u.csv", s->run);
    if (tree_number(tree_get(run, "counts"), "state_events") <= MOST &&
        read_stored(p, name, &text)) {
        char *rest = NULL;
        char *line = strtok_r((char *)(void *)text.v.bytes, "\n", &rest);
        for (; line; line = strtok_r(NULL, "\n", &rest)) {
            char *comma = strchr(line, ',');
            real t;
            if (!comma || !strstr(comma, ",state,"))
                continue;
            *comma = '\0';
            if (number_read(line, &t))
                ok = ok && vector_append(&s->marks, &t, sizeof t);
        }
    }
    buffer_free(&text);
    return ok;
}

static Status read_run(Replay *p, const Tree *run, bool saved)
{
    Shown s = {.run = (uint32_t)tree_number(run, "run"), .saved = saved};
    char name[40];
    snprintf(name, sizeof name, "run-%04u.csv", s.run);
    Status status = read_rows(p, name, false, &s.rows);
    put_parameters(p, run, &s.parameters);
    if (status == STATUS_OK &&
        !(take_histograms(p, run, &s) && take_marks(p, run, &s) &&
          take_spans(p, run, &s) &&
          (p->model->n_timepers == 0 ||
           vector_append(&s.active, NULL, p->model->n_timepers)) &&
          vector_append(&p->gallery.shown, &s, sizeof s)))
        status = STATUS_MEMORY;
    if (status != STATUS_OK)
        shown_free(&s);
    return status;
}

static bool has_rows(Replay *p, uint32_t run)
{
    Buffer path = {0};
    buffer_format(&path, "%s/run-%04u.csv", p->options->dir, run);
    bool there = access(buffer_string(&path), F_OK) == 0;
    buffer_free(&path);
    return there;
}

/* The runs that OUTPUT may want, as at the end of an experiment. */
static Status read_runs(Replay *p)
{
    uint32_t last = 0;
    for (const Tree *r = runs_of(p); r; r = r->next) {
        uint32_t run = (uint32_t)tree_number(r, "run");
        p->gallery.runs++;
        p->failed += strcmp(tree_text(r, "status"), "finished") != 0;
        if (has_rows(p, run) || p->gallery.runs == 1)
            last = run;
    }
    for (const Tree *r = runs_of(p); r; r = r->next) {
        uint32_t run = (uint32_t)tree_number(r, "run");
        bool saved = is_saved(p, run);
        if ((has_rows(p, run) || run == last) &&
            gallery_wants(&p->gallery, run, COSY_NONE, saved, run == last))
            TRY(read_run(p, r, saved));
    }
    return read_rows(p, "cross.csv", true, &p->gallery.cross);
}

/* Histograms of replications are pooled: a run's own would be something else. */
static void tell_pooled(Replay *p)
{
    const CosyModel *m = p->model;
    size_t n;
    Shown *s = gallery_shown(&p->gallery, &n);
    if (!tree_get(p->summary, "pooled"))
        return;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < s[k].histograms.used / sizeof(CosyHistogram);
             i++)
            ((CosyHistogram *)(void *)s[k].histograms.bytes)[i].active = 0;
    for (uint32_t k = 0; k < m->n_shows; k++)
        if (m->shows[k].kind == COSY_BARS || m->n_histograms)
            outlet_message(&p->outlet, COSY_NOTE, m->shows[k].line,
                           "histograms of replications are drawn by cosy run "
                           "only; summary.json has their counts");
}

/* ---- Files ----------------------------------------------------------------------- */

/* Whether a file is made by a run, and not by OUTPUT. */
static bool is_of_run(const char *name)
{
    static const char *const what[] = {"run-",     "resources-", "eigenvalues-",
                                       "linear-",  "events-",    "final-",
                                       "cross.csv"};
    for (size_t k = 0; k < LENGTH(what); k++)
        if (strncmp(name, what[k], strlen(what[k])) == 0)
            return true;
    return false;
}

/* The same file in the stage: another name for it where the file system has that,
   else a copy. */
static Status carry(Replay *p, const char *name)
{
    Buffer from = {0}, to = {0}, text = {0};
    Status s = STATUS_OK;
    buffer_format(&from, "%s/%s", p->options->dir, name);
    buffer_format(&to, "%s/%s", stage_path(&p->stage), name);
    if (link(buffer_string(&from), buffer_string(&to)) != 0) {
        s = file_read(buffer_string(&from), &text, &p->fault);
        if (s == STATUS_OK)
            s = file_put(buffer_string(&to), text.v.bytes, text.v.used,
                         &p->fault);
    }
    buffer_free(&from);
    buffer_free(&to);
    buffer_free(&text);
    return s;
}

/* A script with OUTPUT has no say in it, and the pictures it has drawn. */
static Status carry_picture(Replay *p, const char *script)
{
    static const char *const ending[] = {".gp", ".svg", ".pdf", ".png"};
    Buffer text = {0}, name = {0};
    Status s = STATUS_OK;
    size_t n = strlen(script);
    buffer_format(&name, "plots/%s", script);
    bool always = n > 3 && strcmp(script + n - 3, ".gp") == 0 &&
                  read_stored(p, buffer_string(&name), &text) &&
                  plot_is_always(buffer_string(&text));
    uint32_t number = (uint32_t)strtoul(script, NULL, 10);
    if (always && !vector_append(&p->gallery.taken, &number, sizeof number))
        s = STATUS_MEMORY;
    for (size_t k = 0; always && s == STATUS_OK && k < LENGTH(ending); k++) {
        Buffer path = {0};
        name.v.used = 0;
        buffer_format(&name, "plots/%.*s%s", (int)(n - 3), script, ending[k]);
        buffer_format(&path, "%s/%s", p->options->dir, buffer_string(&name));
        if (access(buffer_string(&path), F_OK) == 0)
            s = carry(p, buffer_string(&name));
        buffer_free(&path);
    }
    buffer_free(&text);
    buffer_free(&name);
    return s;
}

/* Calls `each` for the plain names in DIR/BELOW that are ours. */
static Status for_files(Replay *p, const char *below,
                        Status (*each)(Replay *p, const char *name))
{
    Buffer path = {0};
    Status s = STATUS_OK;
    struct dirent *e;
    buffer_format(&path, "%s%s", p->options->dir, below);
    DIR *d = opendir(buffer_string(&path));
    while (d && s == STATUS_OK && (e = readdir(d)) != NULL)
        if (below[0] || is_of_run(e->d_name))
            s = each(p, e->d_name);
    if (d)
        closedir(d);
    buffer_free(&path);
    return s;
}

static Status carry_all(Replay *p)
{
    Buffer plots = {0};
    TRY(for_files(p, "", carry));
    if (p->options->no_plots)
        return STATUS_OK;
    buffer_format(&plots, "%s/plots", stage_path(&p->stage));
    Status s = dir_make(buffer_string(&plots), &p->fault);
    if (s == STATUS_OK)
        s = for_files(p, "/plots", carry_picture);
    rmdir(buffer_string(&plots)); // if nothing has been carried
    buffer_free(&plots);
    return s;
}

/* ---- summary.json ---------------------------------------------------------------- */

/* A member of the text: from the quotation mark of its name to after its value. */
typedef struct Member {
    const char *begin, *value, *end;
} Member;

static const char *skip_text(const char *s)
{
    for (s++; *s && *s != '"'; s++)
        s += *s == '\\' && s[1];
    return *s ? s + 1 : s;
}

/* After the value at s; commas and brackets inside it do not count. */
static const char *skip_value(const char *s)
{
    int depth = 0;
    while (*s) {
        if (*s == '"') {
            s = skip_text(s);
            continue;
        }
        depth += (*s == '{' || *s == '[') - (*s == '}' || *s == ']');
        if (depth < 0 || (depth == 0 && *s == ','))
            break;
        s++;
    }
    return s;
}

/* The next member after `s`; false: there is none. Needs: a text that is JSON. */
static bool next_member(const char *s, Member *m)
{
    s += strcspn(s, "\"");
    m->begin = s;
    if (!*s)
        return false;
    s = skip_text(s);
    s += strspn(s, ": \n");
    m->value = s;
    m->end = skip_value(s);
    return true;
}

static bool is_named(const Member *m, const char *name)
{
    size_t n = strlen(name);
    return strncmp(m->begin + 1, name, n) == 0 && m->begin[n + 1] == '"';
}

/* The text of a member's value; NULL: there is none. */
static const char *member_text(Replay *p, const char *name)
{
    Member m = {.end = p->options->stored};
    while (next_member(m.end, &m))
        if (is_named(&m, name))
            return arena_text(&p->arena, m.value, (size_t)(m.end - m.value));
    return NULL;
}

static void put_new(Replay *p, Buffer *b)
{
    if (strcmp(p->model->hash, tree_text(p->summary, "model_sha256")) != 0)
        buffer_format(b, ",\n \"output_sha256\": \"%s\"", p->model->hash);
    size_t before = b->v.used;
    buffer_text(b, ",\n ");
    signals_json(b, &p->gallery);
    if (b->v.used == before + 3)
        b->v.used = before;
}

/* The old text with new members before "verify" and "provenance". */
static void put_summary(Replay *p, Buffer *b)
{
    const char *at = p->options->stored;
    Member m = {.end = at};
    bool done = false;
    while (next_member(m.end, &m)) {
        bool last = is_named(&m, "verify") || is_named(&m, "provenance");
        if (last && !done)
            put_new(p, b);
        done = done || last;
        if (!is_named(&m, "signals") && !is_named(&m, "output_sha256"))
            buffer_bytes(b, at, (size_t)(m.end - at));
        at = m.end;
    }
    if (!done)
        put_new(p, b);
    buffer_text(b, at);
}

static Status write_summary(Replay *p)
{
    Buffer text = {0}, path = {0};
    put_summary(p, &text);
    buffer_format(&path, "%s/summary.json", stage_path(&p->stage));
    Status s = text.broken ? fault_set(&p->fault, STATUS_MEMORY,
                                       "no memory for summary.json")
                           : file_put(buffer_string(&path), text.v.bytes,
                                      text.v.used, &p->fault);
    buffer_free(&text);
    buffer_free(&path);
    return s;
}

/* ---- The report ------------------------------------------------------------------ */

static Status write_report(Replay *p)
{
    const KernelOptions *o = p->options;
    const CosyModel *m = p->model;
    Buffer page = {0}, runs = {0};
    const char *list = member_text(p, "runs");
    size_t n = list ? strlen(list) : 0;
    if (n > 2) // without its brackets
        buffer_bytes(&runs, list + 1, n - 2);
    if (read_stored(p, "report.html", &page))
        report_inherit(&p->shared.report, buffer_string(&page));
    ReportFacts facts = {.program = m->name,
                         .author = m->author,
                         .project = m->project,
                         .release = COSY_RELEASE,
                         .hash = m->hash,
                         .source = m->source,
                         .text = o->text,
                         .length = o->length,
                         .remarks = o->remarks,
                         .pictures = o->pictures,
                         .provenance = member_text(p, "provenance"),
                         .runs = &runs,
                         .buffers = 1,
                         .count = p->gallery.runs,
                         .failed = p->failed,
                         .optimum = member_text(p, "optimum"),
                         .together = member_text(p, "replications"),
                         .compared = member_text(p, "comparisons"),
                         .selected = member_text(p, "selections"),
                         .units = member_text(p, "units"),
                         .verified = member_text(p, "verify")};
    for (uint32_t k = 0; k < plots_count(&p->gallery.plots); k++)
        report_graph(&p->shared.report, plots_get(&p->gallery.plots, k));
    facts.name = experiment_names(m, &p->arena, &facts.names);
    Status s = report_write(&p->shared.report, &facts, stage_path(&p->stage),
                            &p->fault);
    buffer_free(&page);
    buffer_free(&runs);
    return s;
}

/* ---- All of it ------------------------------------------------------------------- */

static Status carry_out(Replay *p)
{
    const KernelOptions *o = p->options;
    TRY(stage_open(&p->stage, o->dir, &p->fault));
    p->summary = tree_read(&p->arena, o->stored);
    if (!p->summary)
        return fault_set(&p->fault, STATUS_MEMORY, "no memory for %s", o->dir);
    TRY(read_runs(p));
    tell_pooled(p);
    gallery_show(&p->gallery);
    TRY(carry_all(p));
    TRY(write_summary(p));
    TRY(signals_write(&p->gallery, stage_path(&p->stage)));
    if (!o->no_plots) {
        TRY(graphs_make(&p->gallery));
        TRY(graphs_draw(&p->gallery, stage_path(&p->stage)));
        TRY(write_report(p));
    }
    return stage_commit(&p->stage, experiment_owns, "summary.json", &p->fault);
}

Status replay_go(const void *model, const KernelOptions *o, KernelOutcome *out)
{
    Replay p = {
        .model = model,
        .options = o,
        .shared = {.options = o, .source = ((const CosyModel *)model)->source}};
    *out = (KernelOutcome){0};
    pthread_mutex_init(&p.shared.lock, NULL);
    outlet_open(&p.outlet, &p.shared, true);
    p.shared.report.output = true;
    p.gallery = (Gallery){.model = model,
                          .options = o,
                          .outlet = &p.outlet,
                          .arena = &p.arena,
                          .fault = &p.fault,
                          .failed = &p.none};
    Status status = carry_out(&p);
    outlet_close(&p.shared, p.gallery.runs);
    if (status != STATUS_OK) {
        stage_discard(&p.stage);
        fault_set(&p.fault, status, "%s", status_words(status));
        out->fault = p.fault;
    }
    out->written = status == STATUS_OK;
    out->runs = p.gallery.runs;
    gallery_clear(&p.gallery);
    outlet_free(&p.outlet);
    outlet_forget(&p.shared);
    report_free(&p.shared.report);
    arena_free(&p.arena);
    pthread_mutex_destroy(&p.shared.lock);
    return status;
}
