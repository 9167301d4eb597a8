#include "study/replay.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tree.h"
#include "picture/families.h"
#include "picture/signals.h"
#include "picture/swept.h"
#include "report/report.h"
#include "stats/number.h"
#include "stats/record.h"
#include "stats/report.h"
#include "stats/reread.h"
#include "stats/summary.h"
#include "stats/value.h"
#include "study/depot.h"
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
    bool *spare;         // of the model's `stored`: no curve needs it
    uint32_t table, row; // see find_place
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
        s = reread_rows(rows, p->model, cross, p->spare,
                        (char *)(void *)text.v.bytes, text.v.used, file,
                        &missing, &p->fault);
    if (s == STATUS_OK && missing.v.used)
        s = refuse_columns(p, file, &missing);
    buffer_free(&text);
    buffer_free(&missing);
    return s;
}

/* ---- Studies --------------------------------------------------------------------- */

static bool is_in(const CosyShow *line, uint32_t variable)
{
    bool any = line->versus == variable || line->along == variable;
    for (uint32_t k = 0; k < line->n; k++)
        any = any || line->variable[k] == variable;
    return any;
}

/* What only lines about studies show needs no column in the records of runs. */
static bool find_spare(Replay *p)
{
    const CosyModel *m = p->model;
    uint32_t n = m->n_crossed ? m->n_crossed : m->n_stored; // of all files
    p->spare = NEW_ARRAY(&p->arena, bool, n + 1);
    for (uint32_t k = 0; p->spare && k < n; k++) {
        bool study = false, other = false;
        for (uint32_t i = 0; i < m->n_shows; i++)
            if (is_in(&m->shows[i], m->stored[k])) {
                bool one = m->shows[i].run == COSY_MEAN ||
                           swept_is(&p->gallery, &m->shows[i]);
                study = study || one;
                other = other || !one;
            }
        p->spare[k] = study && !other;
    }
    return p->spare != NULL;
}

static Status read_sweep(Replay *p)
{
    const Tree *studies = tree_get(p->summary, "studies");
    Buffer text = {0}, missing = {0};
    Status s = STATUS_OK;
    if (studies && read_stored(p, "sweep.csv", &text))
        s = sweep_reread(&p->gallery.sweep, p->model, studies,
                         (char *)(void *)text.v.bytes, text.v.used, &missing,
                         &p->fault);
    if (s == STATUS_OK && missing.v.used)
        s = refuse_columns(p, "sweep.csv", &missing);
    buffer_free(&text);
    buffer_free(&missing);
    return s != STATUS_OK || find_spare(p) ? s : STATUS_MEMORY;
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

static bool is_varied(const Tree *run, const char *name)
{
    const Tree *list = tree_get(run, "varied");
    for (const Tree *k = list ? list->first : NULL; k; k = k->next)
        if (k->kind == TREE_TEXT && strcmp(k->text, name) == 0)
            return true;
    return false;
}

/* What the experiment has set in a run; *n: how much. */
static RunSetting *read_settings(Replay *p, const Tree *run, uint32_t *n)
{
    const Tree *all = tree_get(run, "parameters");
    RunSetting *s =
        NEW_ARRAY(&p->arena, RunSetting, (all ? all->count : 0) + 1);
    *n = 0;
    for (const Tree *k = s && all ? all->first : NULL; k; k = k->next)
        if (reread_variable(p->model, k->name, &s[*n])) {
            s[*n].value = real_of(k);
            s[(*n)++].varied = is_varied(run, k->name);
        }
    return s;
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

/* The histograms of a replication were shown with those of all others, which are not
   here; its own would be something else. */
static bool is_pooled(const Replay *p, const Tree *run)
{
    const Tree *all = tree_get(p->summary, "pooled");
    for (const Tree *h = all ? all->first : NULL; h; h = h->next)
        for (const Tree *k = h->first; k; k = k->next)
            if (tree_number(k, "frame") == tree_number(run, "frame"))
                return true;
    return false;
}

static Status read_run(Replay *p, const Tree *run, bool saved)
{
    Shown s = {.run = (uint32_t)tree_number(run, "run"),
               .saved = saved,
               .pooled = is_pooled(p, run)};
    char name[40];
    uint32_t settings;
    const RunSetting *setting = read_settings(p, run, &settings);
    snprintf(name, sizeof name, "run-%04u.csv", s.run);
    Status status =
        setting ? read_rows(p, name, false, &s.rows) : STATUS_MEMORY;
    if (status == STATUS_OK) {
        report_parameters(&s.parameters, p->model, setting, settings, 60);
        family_take(&p->gallery, &s, setting, settings);
    }
    if (status == STATUS_OK &&
        !((s.pooled || take_histograms(p, run, &s)) && take_marks(p, run, &s) &&
          take_spans(p, run, &s) &&
          (p->model->n_timepers == 0 ||
           vector_append(&s.active, NULL, p->model->n_timepers)) &&
          vector_append(&p->gallery.shown, &s, sizeof s)))
        status = STATUS_MEMORY;
    if (status != STATUS_OK)
        shown_free(&s);
    return status;
}

static bool has_file(Replay *p, const char *what, uint32_t run)
{
    Buffer path = {0};
    buffer_format(&path, "%s/%s-%04u.csv", p->options->dir, what, run);
    bool there = access(buffer_string(&path), F_OK) == 0;
    buffer_free(&path);
    return there;
}

/* The last run that was recorded: replications after the first are not. */
static uint32_t find_last(Replay *p)
{
    bool replicated = tree_get(p->summary, "replications") != NULL;
    uint32_t last = 0, recorded = 0;
    for (const Tree *r = runs_of(p); r; r = r->next) {
        uint32_t run = (uint32_t)tree_number(r, "run");
        last = last && replicated ? last : run;
        if (has_file(p, "run", run) || has_file(p, "events", run))
            recorded = run;
    }
    return recorded ? recorded : last;
}

/* Whether a run belongs to a study; beside its rows there are replications. */
static bool is_of(const SweepTable *t, uint32_t run)
{
    uint64_t runs = 0;
    for (uint32_t k = 0; k < t->elements; k++)
        runs += sweep_row(t, k)->runs;
    return run < t->first + runs;
}

/* The element of the lists that a run stands for, COSY_NONE if for none; the study it
   belongs to is then the present one. To be asked in the order of the runs. With RERUN
   a row is that of the last run of its element. */
static uint32_t find_place(Replay *p, uint32_t run)
{
    Sweep *s = &p->gallery.sweep;
    uint32_t n;
    const SweepTable *t = sweep_tables(s, &n) + p->table;
    s->present = 0;
    if (p->table == n || run < t->first)
        return COSY_NONE;
    if (p->table + 1 < n && run >= t[1].first) {
        p->table++;
        p->row = 0;
        return find_place(p, run);
    }
    while (p->row < t->elements && sweep_row(t, p->row)->run < run)
        p->row++;
    if (p->row < t->elements || is_of(t, run))
        s->present = p->table + 1;
    return p->row < t->elements ? p->row : COSY_NONE;
}

/* The runs that OUTPUT may want, as at the end of an experiment. */
static Status read_runs(Replay *p)
{
    uint32_t last = find_last(p);
    for (const Tree *r = runs_of(p); r; r = r->next) {
        p->gallery.runs++;
        p->failed += strcmp(tree_text(r, "status"), "finished") != 0;
    }
    for (const Tree *r = runs_of(p); r; r = r->next) {
        uint32_t run = (uint32_t)tree_number(r, "run");
        bool saved = is_saved(p, run);
        uint32_t place = find_place(p, run);
        if ((run == last || has_file(p, "run", run)) &&
            gallery_wants(&p->gallery, run, place, saved, run == last))
            TRY(read_run(p, r, saved));
    }
    return read_rows(p, "cross.csv", true, &p->gallery.cross);
}

/* ---- Files ----------------------------------------------------------------------- */

/* Whether a file is made by a run, and not by OUTPUT. */
static bool is_of_run(const char *name)
{
    static const char *const what[] = {
        "run-",      "resources-", "eigenvalues-", "linear-",
        "events-",   "final-",     "search-",      "fit-",
        "cross.csv", "sweep.csv",  DEPOT_JOURNAL};
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

/* Notes a script whose pictures stay, or may stay. */
static Status note_picture(Replay *p, const char *script)
{
    Buffer text = {0}, name = {0};
    const char *asked;
    size_t length = 0, n = strlen(script);
    Status s = STATUS_OK;
    buffer_format(&name, "plots/%s", script);
    if (n > 3 && strcmp(script + n - 3, ".gp") == 0 &&
        read_stored(p, buffer_string(&name), &text) &&
        plot_is_kept(buffer_string(&text), &asked, &length)) {
        GalleryKept k = {.number = (uint32_t)strtoul(script, NULL, 10),
                         .asked = arena_text(&p->arena, asked, length),
                         .stays = length == 0};
        if (!k.asked || !vector_append(&p->gallery.kept, &k, sizeof k))
            s = STATUS_MEMORY;
    }
    buffer_free(&text);
    buffer_free(&name);
    return s;
}

/* A script or a picture, if that graph stays. */
static Status carry_picture(Replay *p, const char *file)
{
    const GalleryKept *k =
        (const GalleryKept *)(const void *)p->gallery.kept.bytes;
    uint32_t number = (uint32_t)strtoul(file, NULL, 10);
    Buffer name = {0};
    bool stays = false;
    for (size_t i = 0; i < p->gallery.kept.used / sizeof *k; i++)
        stays = stays || (k[i].stays && k[i].number == number);
    buffer_format(&name, "plots/%s", file);
    Status s = stays ? carry(p, buffer_string(&name)) : STATUS_OK;
    buffer_free(&name);
    return s;
}

static int by_number(const void *a, const void *b)
{
    const GalleryKept *p = a, *q = b;
    return (p->number > q->number) - (p->number < q->number);
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
        if (below[0] ? e->d_name[0] != '.' : is_of_run(e->d_name))
            s = each(p, e->d_name);
    if (d)
        closedir(d);
    buffer_free(&path);
    return s;
}

/* In the order of their numbers, whatever that of the folder is. */
static Status note_pictures(Replay *p)
{
    Vector *v = &p->gallery.kept;
    TRY(for_files(p, "/plots", note_picture));
    if (v->used)
        qsort(v->bytes, v->used / sizeof(GalleryKept), sizeof(GalleryKept),
              by_number);
    return STATUS_OK;
}

/* After graphs_make, which says what stays. */
static Status carry_pictures(Replay *p)
{
    Buffer plots = {0};
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
    Buffer page = {0}, runs = {0}, swept = {0};
    const GalleryKept *kept =
        (const GalleryKept *)(const void *)p->gallery.kept.bytes;
    const char *list = member_text(p, "runs");
    size_t n = list ? strlen(list) : 0;
    if (n > 2) // without its brackets
        buffer_bytes(&runs, list + 1, n - 2);
    read_stored(p, "report.html", &page);
    report_inherit(&p->shared.report, buffer_string(&page));
    for (size_t k = 0; k < p->gallery.kept.used / sizeof *kept; k++)
        if (kept[k].stays)
            report_keep(&p->shared.report, buffer_string(&page),
                        kept[k].number);
    if (sweep_any(&p->gallery.sweep))
        sweep_json(&swept, &p->gallery.sweep);
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
                         .swept = swept.v.used ? buffer_string(&swept) : NULL,
                         .optimum = member_text(p, "optimum"),
                         .uncertain = member_text(p, "uncertainty"),
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
    buffer_free(&swept);
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
    TRY(read_sweep(p));
    TRY(read_runs(p));
    gallery_show(&p->gallery);
    TRY(for_files(p, "", carry));
    TRY(write_summary(p));
    TRY(signals_write(&p->gallery, stage_path(&p->stage)));
    if (!o->no_plots) {
        TRY(note_pictures(p));
        TRY(graphs_make(&p->gallery));
        TRY(carry_pictures(p));
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
                          .failed = &p.none,
                          .again = true};
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
