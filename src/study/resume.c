#include "study/resume.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "study/depot.h"

/* What makes the elements of two processes elements of one study. */
static const char *stamp_of(const Experiment *e)
{
    const char *p = e->options->provenance;
    return p ? p : e->model->hash;
}

/* ---- Interrupted studies ----------------------------------------------------------- */

static void tell(Experiment *e, CosySeverity severity, const char *text)
{
    outlet_message(&e->outlet, severity, 0, text);
}

/* The results of a run that was stopped have a journal too. */
static bool has_journal(const char *dir, Buffer *path)
{
    path->v.used = 0;
    buffer_format(path, "%s/%s", dir, DEPOT_JOURNAL);
    return access(buffer_string(path), R_OK) == 0;
}

static void tell_taken(Experiment *e, uint64_t runs, bool others)
{
    char text[300];
    if (runs > 0)
        snprintf(text, sizeof text,
                 "--resume: %llu run%s of an interrupted study %s taken over",
                 (unsigned long long)runs, runs == 1 ? "" : "s",
                 runs == 1 ? "is" : "are");
    else
        snprintf(text, sizeof text, "--resume: %s: all runs are made",
                 others ? "what an interrupted run has left belongs to another "
                          "text of the model, or to other options"
                        : "no interrupted run has left anything");
    tell(e, COSY_NOTE, text);
}

/* Without --resume nothing is taken over, and nothing is lost until this run is
   through. */
static void tell_left(Experiment *e, uint64_t runs)
{
    char text[300];
    if (runs == 0)
        return;
    snprintf(text, sizeof text,
             "an interrupted run of this study has left %llu finished run%s: "
             "--resume takes them over, this run makes them again",
             (unsigned long long)runs, runs == 1 ? "" : "s");
    tell(e, COSY_NOTE, text);
}

/* Reads what was left; *others: something that belongs to another study. */
static Status add_left(Experiment *e, Depot *d, bool *others)
{
    Buffer names = {0}, path = {0};
    Status s = STATUS_OK;
    bool ours;
    stage_left(&e->stage, &names);
    if (has_journal(e->options->dir, &path)) {
        buffer_text(&names, e->options->dir);
        buffer_char(&names, '\0');
    }
    for (size_t at = 0; s == STATUS_OK && at < names.v.used;) {
        const char *name = (const char *)names.v.bytes + at;
        at += strlen(name) + 1;
        s = depot_add(d, name, &ours, &e->fault);
        *others = *others || (s == STATUS_OK && !ours);
    }
    buffer_free(&names);
    buffer_free(&path);
    return s;
}

static Status resume(Experiment *e)
{
    bool others = false;
    TRY(add_left(e, e->depot, &others));
    tell_taken(e, depot_count(e->depot), others);
    return STATUS_OK;
}

static Status look_back(Experiment *e)
{
    Depot d;
    bool others = false;
    Status s = depot_open(&d, stage_path(&e->stage), stamp_of(e), &e->fault);
    if (s == STATUS_OK)
        s = add_left(e, &d, &others);
    if (s == STATUS_OK)
        tell_left(e, depot_count(&d));
    depot_close(&d);
    e->fault = (Fault){0};
    return s == STATUS_MEMORY ? s : STATUS_OK;
}

/* ---- Parts -------------------------------------------------------------------------- */

static Status add_parts(Experiment *e)
{
    const KernelOptions *o = e->options;
    for (uint32_t k = 0; k < o->parts; k++) {
        bool ours = false;
        TRY(depot_add(e->depot, o->part[k], &ours, &e->fault));
        if (!ours)
            return fault_set(
                &e->fault, STATUS_USAGE,
                "%s: this part belongs to another text of the "
                "model, to other options, or to another version of "
                "COSY",
                o->part[k]);
    }
    return STATUS_OK;
}

Status resume_complete(const Series *j)
{
    const KernelOptions *o = j->e->options;
    uint32_t missing = 0, first = 0;
    if (!o->parts || o->resume || j->e->quiet || !j->depot || j->s->is_within ||
        j->s->is_best || j->e->model->reruns)
        return STATUS_OK;
    for (uint32_t k = 0; k < j->count; k++)
        if (!depot_has(j->depot, j->index, k) && missing++ == 0)
            first = k;
    if (missing == 0)
        return STATUS_OK;
    return fault_set(&j->e->fault, STATUS_USAGE,
                     "SIMULATE: %u of %u runs are in none of the parts, the "
                     "first of them run %u: a part is missing, or was "
                     "interrupted; --resume makes the runs that are missing",
                     missing, j->count, j->first + first + 1);
}

Status resume_leave_part(Experiment *e)
{
    const KernelOptions *o = e->options;
    Buffer b = {0}, path = {0};
    char text[300];
    TRY(depot_flush(e->depot, &e->fault));
    buffer_format(&b, "{\"part\": %u, \"parts\": %u, \"runs\": %u, ", o->chunk,
                  o->chunks, e->chunk_runs);
    buffer_format(&b, "\"provenance\": %s}\n",
                  o->provenance ? o->provenance : "null");
    buffer_format(&path, "%s/%s", stage_path(&e->stage), PART_FILE);
    Status s = b.broken ? fault_set(&e->fault, STATUS_MEMORY, "no memory")
                        : file_put(buffer_string(&path), b.v.bytes, b.v.used,
                                   &e->fault);
    buffer_free(&b);
    buffer_free(&path);
    TRY(s);
    snprintf(text, sizeof text,
             "part %u of %u: %u run%s; cosy collect joins the parts\n",
             o->chunk, o->chunks, e->chunk_runs, e->chunk_runs == 1 ? "" : "s");
    if (o->write)
        o->write(o->user, text, strlen(text));
    return stage_commit(&e->stage, experiment_owns, PART_FILE, &e->fault);
}

/* ---- The depot of an experiment ------------------------------------------------------ */

Status resume_open(Experiment *e)
{
    const KernelOptions *o = e->options;
    bool asked = o->chunks || o->parts || o->resume;
    if (asked && (o->keeper || o->verify))
        return fault_set(
            &e->fault, STATUS_USAGE,
            "--chunk, --part and --resume are not possible with %s",
            o->verify ? "--verify" : "--untrusted");
    if (!e->stage.open || o->keeper || o->verify || o->twin)
        return STATUS_OK;
    Depot *d = NEW(&e->arena, Depot);
    if (!d)
        return fault_set(&e->fault, STATUS_MEMORY, "no memory for the journal");
    TRY(depot_open(d, stage_path(&e->stage), stamp_of(e), &e->fault));
    e->depot = d;
    if (o->parts)
        TRY(add_parts(e));
    if (o->resume)
        return resume(e);
    return o->chunks || o->parts ? STATUS_OK : look_back(e);
}
