#include "study/resume.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "study/depot.h"

/* What makes the elements of two processes elements of one study. */
static const char *stamp_of(const Experiment *e)
{
    const char *p = e->options->stamp;
    return p ? p : e->model->hash;
}

/* ---- Interrupted studies ----------------------------------------------------------- */

/* Such notes are no part of the results, which are the same without them. */
static void tell(Experiment *e, const char *text)
{
    char note[340];
    snprintf(note, sizeof note, "note: %s", text);
    if (e->options->message)
        e->options->message(e->options->user, note);
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
    if (runs == 0 && depot_folder(e->depot, 1))
        snprintf(text, sizeof text,
                 "--resume: an interrupted study goes on, of which no run was "
                 "finished");
    else if (runs > 0)
        snprintf(text, sizeof text, "--resume: %llu run%s of %s %s taken over",
                 (unsigned long long)runs, runs == 1 ? "" : "s",
                 e->options->parts ? "the parts" : "an interrupted study",
                 runs == 1 ? "is" : "are");
    else
        snprintf(text, sizeof text, "--resume: %s: all runs are made",
                 others ? "what an interrupted run has left belongs to another "
                          "text of the model, or to other options"
                        : "no interrupted run has left anything");
    tell(e, text);
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
    tell(e, text);
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

/* "4, 7 to 12": the runs of a series that are in no part; how many they are. */
static uint32_t missing_runs(const Series *j, Buffer *b)
{
    enum { SPANS_SHOWN = 8 };
    uint32_t missing = 0, spans = 0;
    for (uint32_t k = 0, end; k < j->count; k = end) {
        end = k + 1;
        if (depot_has(j->depot, j->index, k))
            continue;
        while (end < j->count && !depot_has(j->depot, j->index, end))
            end++;
        missing += end - k;
        if (++spans > SPANS_SHOWN)
            continue;
        buffer_format(b, "%s%u", spans == 1 ? "" : ", ", j->first + k + 1);
        if (end > k + 1)
            buffer_format(b, " to %u", j->first + end);
    }
    if (spans > SPANS_SHOWN)
        buffer_text(b, ", ...");
    return missing;
}

Status resume_complete(const Series *j)
{
    const KernelOptions *o = j->e->options;
    Buffer runs = {0};
    if (!o->parts || o->resume || j->e->quiet || !j->depot || j->s->is_within ||
        j->s->is_best || j->e->model->reruns)
        return STATUS_OK;
    uint32_t missing = missing_runs(j, &runs);
    if (missing > 0)
        fault_set(&j->e->fault, STATUS_USAGE,
                  "SIMULATE: %u of %u run%s %s in none of the parts: %s %s; "
                  "--resume makes %s here",
                  missing, j->count, j->count == 1 ? "" : "s",
                  missing == 1 ? "is" : "are", missing == 1 ? "run" : "runs",
                  buffer_string(&runs), missing == 1 ? "it" : "them");
    buffer_free(&runs);
    return j->e->fault.status;
}

Status resume_leave_part(Experiment *e)
{
    const KernelOptions *o = e->options;
    Buffer b = {0}, path = {0};
    char text[300];
    if (atomic_load(&e->stop))
        TRY(resume_settle(e));
    else if (o->resume) // what was taken over belongs to this part
        TRY(depot_adopt(e->depot, &e->fault));
    TRY(depot_flush(e->depot, &e->fault));
    bool whole = !atomic_load(&e->stop) && !atomic_load(&e->unkept);
    buffer_format(&b, "{\"part\": %u, \"parts\": %u, \"runs\": %u, ", o->chunk,
                  o->chunks, e->chunk_runs);
    buffer_format(&b, "\"complete\": %s, ", whole ? "true" : "false");
    buffer_format(&b, "\"provenance\": %s}\n",
                  o->provenance ? o->provenance : "null");
    buffer_format(&path, "%s/%s", stage_path(&e->stage), PART_FILE);
    Status s = b.broken ? fault_set(&e->fault, STATUS_MEMORY, "no memory")
                        : file_put(buffer_string(&path), b.v.bytes, b.v.used,
                                   &e->fault);
    buffer_free(&b);
    buffer_free(&path);
    TRY(s);
    if (atomic_load(&e->stop))
        snprintf(text, sizeof text,
                 "part %u of %u is not complete: --resume makes the rest\n",
                 o->chunk, o->chunks);
    else
        snprintf(text, sizeof text,
                 "part %u of %u: %u run%s; cosy collect joins the parts\n",
                 o->chunk, o->chunks, e->chunk_runs,
                 e->chunk_runs == 1 ? "" : "s");
    if (o->write)
        o->write(o->user, text, strlen(text));
    return stage_commit(&e->stage, experiment_owns, PART_FILE, &e->fault);
}

Status resume_settle(Experiment *e)
{
    if (!atomic_load(&e->stop)) {
        depot_drop(e->depot);
        return STATUS_OK;
    }
    e->stage.keeps = !e->options->resume;
    return e->options->resume ? depot_adopt(e->depot, &e->fault) : STATUS_OK;
}

bool resume_keep(Experiment *e)
{
    Fault f = {0};
    if (!e->depot || !e->depot->own.file)
        return false;
    depot_flush(e->depot, &f); // as far as there is room
    tell(e, "the runs that were through are kept: --resume goes on with them");
    stage_leave(&e->stage);
    return true;
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
