#include "study/snapshot.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "study/depot.h"

/* What stands in the place of an image that cannot be made. */
#define NONE "none: "

static void tell(const Snapshot *s, const char *text)
{
    const KernelOptions *o = s->j->e->options;
    char note[600];
    snprintf(note, sizeof note, "note: run %u: %.500s", s->number, text);
    if (o->message)
        o->message(o->user, note);
}

/* ---- Looking back ----------------------------------------------------------------- */

static void name_image(Buffer *path, const char *folder, const Snapshot *s)
{
    path->v.used = 0;
    buffer_format(path, "%s/" SNAPSHOT_FILE "%u-%u.cosyi", folder, s->j->index,
                  s->element);
}

/* The latest image that a process has left of this run. */
static void find_image(Snapshot *s)
{
    Buffer path = {0};
    struct stat now;
    struct timespec latest = {0};
    const char *folder;
    for (uint32_t k = 1; (folder = depot_folder(s->j->depot, k)); k++) {
        name_image(&path, folder, s);
        if (stat(buffer_string(&path), &now) != 0 ||
            now.st_mtim.tv_sec < latest.tv_sec ||
            (now.st_mtim.tv_sec == latest.tv_sec &&
             now.st_mtim.tv_nsec < latest.tv_nsec))
            continue;
        latest = now.st_mtim;
        s->found.v.used = 0;
        buffer_text(&s->found, buffer_string(&path));
    }
    buffer_free(&path);
}

/* True if there is no image, but a reason for it. */
static bool was_unable(Snapshot *s)
{
    Buffer text = {0};
    Fault f = {0};
    char words[500];
    bool is = file_read(buffer_string(&s->found), &text, &f) == STATUS_OK &&
              strncmp(buffer_string(&text), NONE, strlen(NONE)) == 0;
    if (is) {
        snprintf(words, sizeof words, "--resume: it begins anew: %.400s",
                 buffer_string(&text) + strlen(NONE));
        tell(s, words);
    }
    buffer_free(&text);
    return is;
}

/* ---- Saving ----------------------------------------------------------------------- */

/* The reason is left for --resume, unless there is an image from before. */
static void leave_reason(Snapshot *s, const char *why)
{
    Buffer b = {0};
    Fault f = {0};
    struct stat there;
    if (stat(buffer_string(&s->path), &there) == 0)
        return;
    buffer_format(&b, NONE "%s", why);
    buffer_string(&b);
    if (depot_flush(s->j->depot, &f) == STATUS_OK && !b.broken)
        file_put(buffer_string(&s->path), b.v.bytes, b.v.used, &f);
    buffer_free(&b);
}

static void tell_unable(Snapshot *s, const Fault *f)
{
    char text[600];
    snprintf(text, sizeof text,
             "--snapshot: %.400s; if it is interrupted now, it goes on from %s",
             f->text, s->saved ? "the last snapshot" : "its beginning");
    tell(s, text);
    leave_reason(s, f->text);
    s->unable = true;
}

static void save(Snapshot *s)
{
    Fault f = {0};
    Status status = depot_flush(s->j->depot, &f);
    if (status == STATUS_OK)
        status = run_save(s->run, buffer_string(&s->path), &f);
    if (status == STATUS_OK)
        s->saved = true;
    else
        tell_unable(s, &f);
}

static void tell_from(Snapshot *s)
{
    char text[200];
    if (!s->found.v.used || s->told)
        return;
    s->told = true;
    snprintf(text, sizeof text, "--resume: it goes on at time %.6g",
             (double)s->run->c->head->t);
    tell(s, text);
}

/* Between two steps. */
static void may_save(void *user)
{
    Snapshot *s = user;
    double now = experiment_seconds(), every = s->j->e->options->snapshot;
    tell_from(s);
    if (!(every > 0) || s->unable || now - s->last < every)
        return;
    save(s);
    s->last = experiment_seconds(); // saving may have taken long
}

/* ---- The pieces -------------------------------------------------------------------- */

/* What is not in the run itself, but will be among its results. */
static Status add_pieces(Run *r, Owner *w)
{
    Outlet *o = w->outlet;
    const struct {
        const char *name;
        Vector *vector;
    } list[] = {
        {"outlet.text", &o->text.v},   {"outlet.messages", &o->messages.v},
        {"outlet.line", &o->line.v},   {"outlet.trace", &o->trace.v},
        {"outlet.error", &o->error.v}, {"trial.cross", w->cross}};
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"outlet.after_error", &o->after_error},
                 {"outlet.value", &o->value},
                 {"outlet.written", &o->written},
                 {"outlet.open", &o->open},
                 {"trial.saved", &w->saved}};
    for (size_t k = 0; k < LENGTH(list); k++)
        TRY(image_add_vector(&r->image, &r->arena, list[k].name,
                             list[k].vector));
    for (size_t k = 0; k < LENGTH(flags); k++)
        TRY(image_add(&r->image, &r->arena, flags[k].name, flags[k].flag,
                      sizeof(bool)));
    return STATUS_OK;
}

/* What RERUN and LINEARIZE EVERY have left so far is in no image. */
static bool can_be_saved(const Series *j, const RunOptions *o)
{
    return j->depot && !j->e->quiet && o->task == COSY_SIMULATE &&
           !j->e->model->reruns && !o->along && !o->save_path && !o->restore;
}

Status snapshot_begin(Snapshot *s, const TrialPoint *at, Owner *owner,
                      RunOptions *o)
{
    const KernelOptions *all = s->j->e->options;
    if (!(all->snapshot > 0 || all->resume))
        return STATUS_OK;
    s->element = at->element;
    s->number = at->number;
    s->last = experiment_seconds();
    if (!can_be_saved(s->j, o)) {
        if (all->snapshot > 0 && s->j->e->model->reruns)
            tell(s, "--snapshot: a run that RERUN may repeat is not saved");
        return STATUS_OK;
    }
    TRY(add_pieces(s->run, owner));
    name_image(&s->path,
               s->j->depot->folder.v.used ? buffer_string(&s->j->depot->folder)
                                          : ".",
               s);
    buffer_string(&s->path);
    if (all->resume && !s->damaged)
        find_image(s);
    if (s->found.v.used && was_unable(s))
        s->found.v.used = 0;
    if (s->found.v.used)
        o->restore = buffer_string(&s->found);
    o->between = may_save;
    o->between_user = s;
    s->open = true;
    return s->path.broken || s->found.broken ? STATUS_MEMORY : STATUS_OK;
}

bool snapshot_failed(Snapshot *s, Status status)
{
    if (!s->open || !s->found.v.used || s->told || s->damaged ||
        (status != STATUS_IMAGE && status != STATUS_FILE))
        return false;
    tell(s, "--resume: its snapshot cannot be used: it begins anew");
    s->damaged = true;
    s->found.v.used = 0;
    return true;
}

void snapshot_end(Snapshot *s, Status status)
{
    if (s->open && s->path.v.used && status != STATUS_STOPPED)
        unlink(buffer_string(&s->path));
    buffer_free(&s->path);
    buffer_free(&s->found);
    s->open = false;
}
