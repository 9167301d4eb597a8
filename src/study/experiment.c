#include "study/experiment.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cosy/unit.h"
#include "picture/graphs.h"
#include "picture/signals.h"
#include "report/report.h"
#include "stats/compare.h"
#include "stats/observe.h"
#include "stats/report.h"
#include "stats/selected.h"
#include "stats/summary.h"
#include "stats/tables.h"
#include "stats/uncertain.h"
#include "stats/value.h"
#include "study/claims.h"
#include "study/depot.h"
#include "study/gridcheck.h"
#include "study/probe.h"
#include "study/resume.h"
#include "study/verify.h"

double experiment_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static Experiment *experiment_of(const Cosy *c)
{
    const Owner *o = c->run;
    return o->e;
}

/* ---- Frames and lists ------------------------------------------------------------ */

/* Restores the values from before the frame. */
static void leave_frame(Experiment *e)
{
    Cosy *c = &e->instance.c;
    sampling_clear(e);
    lists_clear(&e->lists);
    present_clear(&e->present);
    e->generators.used = e->conditions.used = 0;
    if (!e->before.used)
        return;
    size_t data = e->model->data_size;
    memcpy(c->data, e->before.bytes, data);
    memcpy(c->x, e->before.bytes + data, e->before.used - data);
    c->head->storing = e->storing_before;
    e->before.used = 0;
}

/* Frames are experiments of their own: each begins with the values that its
   EXPERIMENT had outside all frames. A frame that --frame leaves out is not
   carried out. */
bool experiment_frame(Cosy *c, uint32_t number)
{
    Experiment *e = experiment_of(c);
    uint32_t only = e->options->frame;
    leave_frame(e);
    if (number > e->frames)
        e->frames = number;
    if (number == 0 || (only && only != number))
        return false;
    e->storing_before = c->head->storing;
    e->asked.state = ASKED_EARLY;
    if (!vector_append(&e->before, c->data, e->model->data_size) ||
        !vector_append(&e->before, c->x, e->model->states * sizeof(real))) {
        instance_too_large(e->model, &e->fault);
        return false;
    }
    return true;
}

static CosyStatus refused(Cosy *c, const char *text)
{
    c->host->message(c, COSY_ERROR, 0, text);
    return COSY_FAIL(COSY_REFUSED, COSY_NOWHERE);
}

/* An index that is computed when the statement is carried out. */
static CosyStatus outside(Cosy *c, uint32_t variable)
{
    const CosyVariable *v = &c->model->variables[variable];
    char text[200];
    snprintf(text, sizeof text,
             "an index of %.80s is outside of the array, which has %u elements",
             v->name, value_count(v));
    return refused(c, text);
}

CosyStatus experiment_list(Cosy *c, CosyList which, uint32_t variable,
                           uint32_t index)
{
    Experiment *e = experiment_of(c);
    if (index != COSY_NONE &&
        index >= value_count(&e->model->variables[variable]))
        return outside(c, variable);
    return lists_begin(&e->lists, which, variable, index)
               ? COSY_OK
               : COSY_FAIL(COSY_NO_MEMORY, COSY_NOWHERE);
}

/* An INTEGER needs whole numbers: value, value + step ... */
static CosyStatus whole(Cosy *c, uint32_t n)
{
    const Lists *l = &experiment_of(c)->lists;
    const CosyVariable *v = lists_variable(l);
    char text[200];
    for (uint32_t k = 0; v->type == COSY_TYPE_INTEGER && k < n; k++) {
        real value = lists_from_last(l, n - k);
        if (cosy_abs(value) < R(9.2e18) && (real)(int64_t)value == value)
            continue;
        snprintf(
            text, sizeof text,
            "%.60s is INTEGER, and %.10g in its list is not a whole number",
            v->name, (double)value);
        return refused(c, text);
    }
    return COSY_OK;
}

static CosyStatus add_element(Cosy *c, real value, uint32_t count,
                              real increment)
{
    Experiment *e = experiment_of(c);
    bool first = lists_last(&e->lists) == 0;
    if (!lists_add(&e->lists, value, count, increment))
        return COSY_FAIL(COSY_NO_MEMORY, COSY_NOWHERE);
    COSY_TRY(whole(c, count));
    if (first)
        lists_show(&e->lists, c);
    return COSY_OK;
}

CosyStatus experiment_element(Cosy *c, real value, int64_t count,
                              real increment)
{
    Experiment *e = experiment_of(c);
    char text[200];
    uint32_t before = lists_last(&e->lists);
    if (count >= 1 && count <= LIST_MOST - (int64_t)before)
        return add_element(c, value, (uint32_t)count, increment);
    if (count < 1)
        snprintf(text, sizeof text,
                 "a list has a value at least once, not %lld times",
                 (long long)count);
    else
        snprintf(text, sizeof text, "a list has at most %d elements, not %lld",
                 LIST_MOST, (long long)before + (long long)count);
    return refused(c, text);
}

/* Both ends are included. */
CosyStatus experiment_span(Cosy *c, real a, real b, int64_t points, bool log)
{
    Experiment *e = experiment_of(c);
    char text[200];
    snprintf(
        text, sizeof text, "SWEEP %s %.15g TO %.15g POINTS %lld: %s",
        log ? "LOG" : "LIN", (double)a, (double)b, (long long)points,
        log ? "it takes at least 2 points, and ends of the same sign, neither "
              "of them 0"
            : "it takes at least 2 points, and ends that are finite numbers");
    bool ends =
        cosy_finite(a) && cosy_finite(b) &&
        (!log || (a > R(0.0) && b > R(0.0)) || (a < R(0.0) && b < R(0.0)));
    if (!ends || points < 2 || points > LIST_MOST)
        return refused(c, text);
    return lists_span(&e->lists, a, b, (uint32_t)points, log)
               ? whole(c, (uint32_t)points)
               : COSY_FAIL(COSY_NO_MEMORY, COSY_NOWHERE);
}

/* A later item for the same variable takes the place of the earlier one. */
CosyStatus experiment_random(Cosy *c, uint32_t g)
{
    Experiment *e = experiment_of(c);
    const CosyGenerator *all = e->model->generators;
    uint32_t *item = (uint32_t *)(void *)e->generators.bytes, kept = 0;
    for (uint32_t k = 0; k < e->generators.used / sizeof *item; k++)
        if (all[item[k]].first != all[g].first)
            item[kept++] = item[k];
    e->generators.used = kept * sizeof *item;
    return vector_append(&e->generators, &g, sizeof g)
               ? COSY_OK
               : COSY_FAIL(COSY_NO_MEMORY, COSY_NOWHERE);
}

CosyStatus experiment_condition(Cosy *c, uint32_t k)
{
    Experiment *e = experiment_of(c);
    const uint32_t *old = (const uint32_t *)(const void *)e->conditions.bytes;
    for (size_t i = 0; i < e->conditions.used / sizeof k; i++)
        if (old[i] == k)
            return COSY_OK;
    return vector_append(&e->conditions, &k, sizeof k)
               ? COSY_OK
               : COSY_FAIL(COSY_NO_MEMORY, COSY_NOWHERE);
}

CosyStatus experiment_observe(Cosy *c, CosyStatistic kind, uint32_t first,
                              uint32_t count, real a, real b, real w)
{
    if (count > 0)
        return observe_set(c, kind, first, count, a, b, w);
    observe_none(c);
    return COSY_OK;
}

real experiment_constant(Cosy *c, uint32_t variable, real value)
{
    return lists_constant(&experiment_of(c)->lists, variable, value);
}

/* ---- Records --------------------------------------------------------------------- */

/* SAVE after a SIMULATE means its last run. */
CosyStatus experiment_save(Cosy *c)
{
    Owner *o = c->run;
    size_t n;
    Shown *s = gallery_shown(&o->e->gallery, &n);
    if (o == &o->e->owner && n > 0) {
        s[n - 1].saved = true;
        if (!vector_append(&o->e->gallery.saves, &s[n - 1].run,
                           sizeof s[n - 1].run))
            return COSY_FAIL(COSY_NO_MEMORY, COSY_NOWHERE);
    }
    o->saved = true;
    return COSY_OK;
}

CosyStatus experiment_cross(Cosy *c)
{
    const Owner *o = c->run;
    bool rung = false;
    switch (record_append(o->cross, record_width(c->model, true), c, c->head->t,
                          true, &rung)) {
    case STATUS_OK: return COSY_OK;
    case STATUS_STOPPED: return COSY_FAIL(COSY_STOPPED, COSY_NOWHERE);
    default: return COSY_FAIL(COSY_NO_MEMORY, COSY_NOWHERE);
    }
}

/* ---- The experiment ------------------------------------------------------------------ */

CosyStatus experiment_simulate(Cosy *c, const CosySimulate *s)
{
    Experiment *e = experiment_of(c);
    uint32_t frame = s->frame ? s->frame : 1, only = e->options->frame;
    if (frame > e->frames)
        e->frames = frame;
    if (only && only != frame)
        return COSY_OK;
    e->frame_found = true;
    outlet_flush(&e->outlet);
    return series_go(e, s) == STATUS_OK ? COSY_OK
                                        : COSY_FAIL(COSY_REFUSED, COSY_NOWHERE);
}

static bool all_blank(const char *s)
{
    return s[strspn(s, " ")] == '\0';
}

/* A fault of a SIMULATE gets its line. */
static void name_line(Experiment *e, uint32_t row)
{
    const CosyModel *m = e->model;
    Fault own = e->fault;
    if (row < m->n_equations && (strncmp(own.text, "SIMULATE", 8) == 0 ||
                                 strncmp(own.text, "STEADYSTATE", 11) == 0 ||
                                 strncmp(own.text, "LINEARIZE", 9) == 0 ||
                                 strncmp(own.text, "MEAN(", 5) == 0 ||
                                 strncmp(own.text, "SDEV(", 5) == 0))
        snprintf(e->fault.text, sizeof e->fault.text, "%.100s:%u: %.400s",
                 m->source, m->equations[row].line, own.text);
}

static Status experiment_refused(Experiment *e, uint32_t row)
{
    const CosyModel *m = e->model;
    const Refusal *r = &e->instance.refused;
    bool known = row < m->n_equations && m->equations[row].statement;
    Buffer b = {0};
    refusal_words(&b, &e->instance.c, r, "",
                  known ? m->equations[row].text : NULL);
    fault_set(&e->fault, STATUS_USER, "%s:%u: in the EXPERIMENT, %.400s",
              m->source,
              known ? m->equations[row].line : refusal_line(&e->instance.c, r),
              buffer_string(&b));
    buffer_free(&b);
    return STATUS_USER;
}

Status experiment_failed(Experiment *e, CosyStatus status)
{
    const CosyModel *m = e->model;
    const CosyHead *h = e->instance.c.head;
    uint32_t k = COSY_WHERE(status);
    if (e->fault.status != STATUS_OK)
        name_line(e, k);
    if (e->fault.status != STATUS_OK || e->outcome->fault.status != STATUS_OK)
        return e->fault.status; // already reported
    if (e->instance.refused.kept)
        return experiment_refused(e, k);
    if (h->request == COSY_STOP_ALL)
        return fault_set(&e->fault, STATUS_USER,
                         "the EXPERIMENT ended with ERROREXIT %d",
                         h->error_code);
    if (status == COSY_OK)
        return STATUS_OK;
    if (COSY_REASON(status) == COSY_NO_MEMORY)
        return fault_set(&e->fault, STATUS_MEMORY,
                         "no memory for the EXPERIMENT");
    if (COSY_REASON(status) == COSY_STOPPED && k < m->n_equations)
        return fault_set(&e->fault, STATUS_STOPPED,
                         "%s:%u: the EXPERIMENT was stopped in the loop %s",
                         m->source, m->equations[k].line, m->equations[k].text);
    if (k < m->n_equations && !all_blank(m->equations[k].text))
        return fault_set(&e->fault, STATUS_NUMBER,
                         "%s:%u: the EXPERIMENT stopped in %s", m->source,
                         m->equations[k].line, m->equations[k].text);
    return fault_set(&e->fault, STATUS_USER, "%s: the EXPERIMENT stopped",
                     m->source);
}

static Status no_frame(Experiment *e)
{
    if (!e->options->frame || e->frame_found)
        return STATUS_OK;
    return fault_set(&e->fault, STATUS_USAGE,
                     "--frame %u: the EXPERIMENT has %u FRAME%s",
                     e->options->frame, e->frames, e->frames == 1 ? "" : "s");
}

static Status carry_out(Experiment *e)
{
    const CosyModel *m = e->model;
    const KernelOptions *o = e->options;
    TRY(trace_filter(&e->filter, m, o->trace_of, &e->fault));
    TRY(lists_open(&e->lists, m, o->set, o->sets, &e->fault));
    TRY(instance_create(&e->instance, m, &host_table, &e->owner, &e->arena,
                        &e->image, &e->fault));
    e->instance.c.external = o->external;
    for (uint32_t k = 0; k < m->n_streams; k++)
        stream_close(&e->instance.c, k);
    lists_apply_sets(&e->lists, &e->instance.c, LISTS_START);
    if (m->n_externals && !o->external)
        return fault_set(&e->fault, STATUS_USAGE,
                         "%s calls EXTERNAL functions, which were not given",
                         m->name);
    if (!m->experiment)
        return fault_set(
            &e->fault, STATUS_MODEL,
            "%s: the model has no EXPERIMENT, so nothing says what to run",
            m->name);
    if (o->dir)
        TRY(o->keeper ? stage_borrow(&e->stage, o->keeper, &e->fault)
                      : stage_open(&e->stage, o->dir, &e->fault));
    TRY(resume_open(e));
    TRY(claims_open(e));
    TRY(experiment_failed(e, m->experiment(&e->instance.c)));
    return no_frame(e);
}

/* ---- Results -------------------------------------------------------------------------- */

/* WHAT-NNNN.csv */
static bool is_numbered(const char *name, const char *what)
{
    size_t n = strlen(what),
           digits = strspn(name + strnlen(name, n), "0123456789");
    return strncmp(name, what, n) == 0 && digits >= 4 &&
           strcmp(name + n + digits, ".csv") == 0;
}

bool experiment_owns(const char *name, const char *beginning)
{
    static const struct {
        const char *what, *beginning;
    } files[] = {{"run-", "TIME"},
                 {"resources-", "TIME"},
                 {"eigenvalues-", "TIME"},
                 {"search-", "trial,status,best"},
                 {"fit-", "trial,status,best"},
                 {"fit-residuals-", "file,line,run,TIME"},
                 {"fit-profiles-", "parameter,held,rise"},
                 {"linear-", "matrix,row,column,value"},
                 {"events-", "time,event,kind,detail"},
                 {"final-", "variable,row,column,value"},
                 {"spectrum-", "run,variable,frequency"},
                 {"correlation-", "run,variable,lag"},
                 {"errors-", "TIME"},
                 {"norms-", "TIME"},
                 {"comparison-", "run,variable,TIME"}};
    for (size_t k = 0; k < LENGTH(files); k++)
        if (is_numbered(name, files[k].what))
            return strncmp(beginning, files[k].beginning,
                           strlen(files[k].beginning)) == 0;
    if (strncmp(name, "plots/", 6) == 0)
        return name[6] == '\0' || plot_is_own(name + 6, beginning);
    if (strcmp(name, DEPOT_JOURNAL) == 0)
        return strncmp(beginning, "CYJ1", 4) == 0;
    if (strncmp(name, SNAPSHOT_FILE, strlen(SNAPSHOT_FILE)) == 0)
        return strncmp(beginning, "COSYIMG\n", 8) == 0 ||
               strncmp(beginning, "none: ", 6) == 0;
    if (strcmp(name, PART_FILE) == 0)
        return strncmp(beginning, "{\"part\": ", 9) == 0;
    if (strcmp(name, "sweep.csv") == 0)
        return strncmp(beginning, "run,frame,", 10) == 0;
    if (strcmp(name, "cross.csv") == 0)
        return strncmp(beginning, "TIME", 4) == 0;
    if (strcmp(name, "report.html") == 0)
        return strncmp(beginning, REPORT_HEAD, strlen(REPORT_HEAD)) == 0;
    return strcmp(name, "summary.json") == 0 &&
           strncmp(beginning, "{\"program\": ", 12) == 0;
}

const ReportName *experiment_names(const CosyModel *m, Arena *a,
                                   uint32_t *count)
{
    ReportName *name = NEW_ARRAY(a, ReportName, m->n_variables);
    *count = name ? m->n_variables : 0;
    for (uint32_t k = 0; k < *count; k++) {
        const CosyVariable *v = &m->variables[k];
        name[k] = (ReportName){v->name, value_shown_unit(v->unit), v->comment,
                               v->line, v->type == COSY_TYPE_BOOLEAN};
    }
    return name;
}

static Status write_report(Experiment *e, const char *dir)
{
    const KernelOptions *o = e->options;
    Buffer together = {0}, units = {0}, compared = {0}, selected = {0},
           swept = {0}, uncertain = {0}, optimum = {0};
    ReportFacts facts = {
        .program = e->model->name,
        .author = e->model->author,
        .project = e->model->project,
        .release = COSY_RELEASE,
        .hash = e->model->hash,
        .source = e->model->source,
        .text = o->text,
        .length = o->length,
        .remarks = o->remarks,
        .pictures = o->pictures,
        .provenance = o->provenance,
        .runs = (const Buffer *)(const void *)e->summaries.bytes,
        .buffers = (uint32_t)(e->summaries.used / sizeof(Buffer)),
        .count = e->gallery.runs,
        .failed = e->outcome->failed};
    for (uint32_t k = 0; k < plots_count(&e->gallery.plots); k++)
        report_graph(&e->shared.report, plots_get(&e->gallery.plots, k));
    facts.name = experiment_names(e->model, &e->arena, &facts.names);
    if (sweep_any(&e->gallery.sweep)) {
        sweep_json(&swept, &e->gallery.sweep);
        facts.swept = buffer_string(&swept);
    }
    if (e->gallery.uncertain.used) {
        uncertain_json(&uncertain, &e->gallery.uncertain, &e->gallery.sweep);
        facts.uncertain = buffer_string(&uncertain);
    }
    if (e->optima.v.used) {
        buffer_format(&optimum, "[%s]", buffer_string(&e->optima));
        facts.optimum = buffer_string(&optimum);
    }
    if (replicate_any(&e->gallery.replications)) {
        replicate_json(&together, &e->gallery.replications);
        facts.together = buffer_string(&together);
    }
    if (compare_any(&e->gallery.replications)) {
        compare_json(&compared, &e->gallery.replications);
        facts.compared = buffer_string(&compared);
    }
    if (selected_any(&e->gallery.replications)) {
        selected_json(&selected, &e->gallery.replications);
        facts.selected = buffer_string(&selected);
    }
    if (summary_has_units(e->model)) {
        summary_units(&units, e->model);
        facts.units = buffer_string(&units);
    }
    if (e->verified.v.used)
        facts.verified = buffer_string(&e->verified);
    Status s = together.broken || units.broken || compared.broken ||
                       selected.broken || swept.broken || uncertain.broken ||
                       optimum.broken
                   ? STATUS_MEMORY
                   : report_write(&e->shared.report, &facts, dir, &e->fault);
    buffer_free(&together);
    buffer_free(&units);
    buffer_free(&compared);
    buffer_free(&selected);
    buffer_free(&swept);
    buffer_free(&uncertain);
    buffer_free(&optimum);
    return s;
}

static Status write_results(Experiment *e)
{
    const KernelOptions *o = e->options;
    const char *dir = e->stage.open ? stage_path(&e->stage) : NULL;
    const Buffer *runs = (const Buffer *)(const void *)e->summaries.bytes;
    if (o->chunks)
        return resume_leave_part(e);
    if (dir && e->gallery.cross.used)
        TRY(record_cross(e->model, &e->gallery.cross, dir, &e->fault));
    Buffer output = {0}, uncertain = {0}, studies = {0};
    e->shared.report.output = true;
    gallery_json(&output, &e->gallery);
    if (e->gallery.uncertain.used)
        uncertain_json(&uncertain, &e->gallery.uncertain, &e->gallery.sweep);
    if (sweep_any(&e->gallery.sweep))
        sweep_studies(&studies, &e->gallery.sweep);
    const SummaryMore more = {.studies = &studies,
                              .optimum = e->optima.v.used ? &e->optima : NULL,
                              .uncertain = &uncertain,
                              .output = &output,
                              .verified = &e->verified,
                              .provenance = o->provenance};
    Status s = summary_write(
        dir, e->model, runs, (uint32_t)(e->summaries.used / sizeof *runs),
        &e->gallery.replications, &more, o->json, &e->fault);
    buffer_free(&output);
    buffer_free(&uncertain);
    buffer_free(&studies);
    if (!dir || s != STATUS_OK)
        return s;
    TRY(signals_write(&e->gallery, dir));
    TRY(sweep_write(&e->gallery.sweep, dir, &e->fault));
    if (!o->no_plots) {
        TRY(graphs_make(&e->gallery));
        if (!o->no_programs)
            TRY(graphs_draw(&e->gallery, dir));
        TRY(write_report(e, dir));
    }
    if (e->depot)
        TRY(resume_settle(e));
    TRY(stage_commit(&e->stage, experiment_owns, "summary.json", &e->fault));
    if (!o->keeper && !e->stage.keeps)
        claims_tidy(e);
    return STATUS_OK;
}

/* Older results are never replaced by nothing, or by a part. */
static Status leave(Experiment *e, Status status)
{
    if (e->claims && !claims_finish(e->claims)) {
        if (e->claims->elsewhere || !resume_keep(e))
            stage_discard(&e->stage);
        return status;
    }
    if (atomic_load(&e->unwritten) ||
        (e->gallery.runs + e->searches == 0 && status != STATUS_OK)) {
        if (!resume_keep(e))
            stage_discard(&e->stage);
        return status;
    }
    if (status != STATUS_OK && e->fault.text[0])
        report_message(&e->shared.report, e->fault.text);
    Status written = write_results(e);
    if (written != STATUS_OK) {
        if (!resume_keep(e))
            stage_discard(&e->stage);
        atomic_store(&e->unwritten, true);
    }
    return status == STATUS_OK ? written : status;
}

void experiment_forget(Experiment *e)
{
    Buffer *b = (Buffer *)(void *)e->summaries.bytes;
    for (size_t k = 0; k < e->summaries.used / sizeof *b; k++)
        buffer_free(&b[k]);
    e->summaries.used = 0;
    gallery_clear(&e->gallery);
    digest_forget(&e->digests);
    vector_free(&e->oneway);
    outlet_forget(&e->shared);
    buffer_free(&e->report);
    e->told = 0;
}

void experiment_free(Experiment *e)
{
    experiment_forget(e);
    present_free(&e->present);
    if (e->claims)
        claims_close(e->claims);
    if (e->depot)
        depot_close(e->depot);
    buffer_free(&e->verified);
    buffer_free(&e->optima);
    buffer_free(&e->found);
    vector_free(&e->summaries);
    lists_free(&e->lists);
    sampling_free(&e->sampling);
    vector_free(&e->before);
    vector_free(&e->asked.quantities);
    vector_free(&e->asked.figures);
    vector_free(&e->generators);
    vector_free(&e->conditions);
    outlet_free(&e->outlet);
    trace_free(&e->filter);
    report_free(&e->shared.report);
    if (e->instance.c.model)
        instance_free(&e->instance);
    arena_free(&e->arena);
    pthread_mutex_destroy(&e->shared.lock);
}

/* Shows the table of the runs, after what the model has written. */
static void show_report(Experiment *e)
{
    Buffer head = {0};
    bool swept = sweep_any(&e->gallery.sweep);
    if (e->options->chunks || !e->options->write ||
        (!e->report.v.used && !e->found.v.used && !swept))
        return;
    outlet_end_line(&e->outlet);
    if (e->outlet.written)
        buffer_char(&head, '\n');
    uint32_t wide =
        e->options->sketch > TABLE_WIDTH ? e->options->sketch : TABLE_WIDTH;
    if (e->report.v.used || swept)
        report_table(&head, e->model, buffer_string(&e->report), wide);
    sweep_show(&head, &e->gallery.sweep, wide, e->stage.open);
    uncertain_show(&head, &e->gallery.uncertain, &e->gallery.sweep);
    const char *found = buffer_string(&e->found);
    const char *tail = buffer_string(&head);
    size_t used = head.v.used; // one empty line is enough
    bool empty = used > 1 && strcmp(tail + used - 2, "\n\n") == 0;
    buffer_text(&head, found + (empty && *found == '\n'));
    replicate_table(&head, &e->gallery.replications, wide);
    compare_table(&head, &e->gallery.replications, wide);
    selected_table(&head, &e->gallery.replications, wide);
    outlet_write(&e->outlet, (const char *)head.v.bytes, head.v.used);
    buffer_free(&head);
}

KernelOptions experiment_again(const KernelOptions *of)
{
    KernelOptions o = *of;
    o.dir = o.trace_of = o.save_path = o.save_at = NULL;
    o.json = NULL;
    o.verify = false;
    o.trace = false;
    o.no_plots = true;
    o.sketch = 0;
    o.write = NULL;
    o.message = NULL;
    o.traced = NULL;
    return o;
}

/* A loop of the EXPERIMENT itself, between runs. */
bool experiment_may_turn(void *user, const Cosy *c)
{
    Experiment *e = user;
    const KernelOptions *o = e->options;
    const KernelProgress p = {.run = e->gallery.runs,
                              .all = 1,
                              .share = -1,
                              .t = (double)c->head->t,
                              .time_unit = cosy_time_unit(c->model),
                              .begun = e->begun};
    bool over =
        o->limit_wall > 0 && experiment_seconds() - e->begun > o->limit_wall;
    if (over || (o->progress && !o->progress(o->user, &p)))
        atomic_store(&e->stop, true);
    return !atomic_load(&e->stop);
}

Status experiment_go(const void *model, const KernelOptions *o,
                     KernelOutcome *out)
{
    Experiment e = {
        .model = model,
        .options = o,
        .outcome = out,
        .shared = {.options = o, .source = ((const CosyModel *)model)->source},
        .begun = experiment_seconds()};
    *out = (KernelOutcome){0};
    pthread_mutex_init(&e.shared.lock, NULL);
    outlet_open(&e.outlet, &e.shared, true);
    e.gallery = (Gallery){.model = model,
                          .options = o,
                          .outlet = &e.outlet,
                          .arena = &e.arena,
                          .fault = &e.fault,
                          .failed = &out->fault};
    e.owner = (Owner){.e = &e,
                      .outlet = &e.outlet,
                      .cross = &e.gallery.cross,
                      .may_turn = experiment_may_turn,
                      .user = &e};
    Status status = carry_out(&e);
    if (o->probe)
        return probe_end(&e, status);
    outlet_close(&e.shared, e.gallery.runs);
    oneway_tell(&e.oneway, e.model, &e.outlet);
    show_report(&e);
    e.shared.report.output = true;
    if (!o->chunks) // a part has none to show
        gallery_show(&e.gallery);
    e.shared.report.output = false;
    verify_go(&e);
    verify_leave(&e);
    gridcheck_leave(&e);
    status = leave(&e, status);
    out->elsewhere = e.claims && e.claims->elsewhere;
    if (e.claims && !out->elsewhere)
        claims_done(e.claims, status != STATUS_OK ? status : out->fault.status);
    if (out->elsewhere) {
        status = e.claims->status;
    } else if (status != STATUS_OK) {
        fault_set(&e.fault, status, "%s", status_words(status));
        out->fault = e.fault;
        out->told = false;
    } else {
        status = out->fault.status;
        out->told = true;
    }
    out->written = !out->elsewhere && !atomic_load(&e.unwritten) && o->dir &&
                   e.gallery.runs + e.searches > 0;
    out->runs = e.gallery.runs;
    experiment_free(&e);
    return status;
}
