#define _DEFAULT_SOURCE // realpath
#include "study/claims.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "study/depot.h"

/* Chunks per process: enough that none waits long for the last one. */
#define CHUNKS_EACH 16
#define WAIT_MS     50

/* What the file of a rank says. */
typedef struct Rank {
    char host[80];
    long process;
    char stage[4096];
} Rank;

static void wait_shortly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = WAIT_MS * 1000000L}, NULL);
}

static const char *name(Buffer *b, const Claims *c, const char *what,
                        uint32_t k)
{
    b->v.used = 0;
    buffer_format(b, "%s/%s-%u", c->team->folder, what, k);
    return buffer_string(b);
}

static bool read_rank(const char *path, Rank *r)
{
    FILE *f = fopen(path, "r");
    bool read = f && fscanf(f, "%79s %ld %4095[^\n]", r->host, &r->process,
                            r->stage) == 3;
    if (f)
        fclose(f);
    return read;
}

/* ---- Hearts ----------------------------------------------------------------------- */

static void touch(const Claims *c)
{
    utimensat(AT_FDCWD, (const char *)c->own.v.bytes, NULL, 0);
}

static void *beat(void *claims)
{
    const Claims *c = claims;
    for (unsigned k = 0; !atomic_load(&c->over); k++) {
        if (k % (CLAIMS_BEAT * 1000 / WAIT_MS) == 0)
            touch(c);
        wait_shortly();
    }
    return NULL;
}

/* Times are compared on the clock of the file system, which all share. */
static bool is_old(const Claims *c, const char *path)
{
    struct stat own, other;
    touch(c);
    return stat((const char *)c->own.v.bytes, &own) == 0 &&
           stat(path, &other) == 0 &&
           own.st_mtim.tv_sec - other.st_mtim.tv_sec > CLAIMS_STALE;
}

static bool is_dead(const Claims *c, const char *path)
{
    char host[STAGE_HOST];
    Rank r;
    if (!read_rank(path, &r))
        return is_old(c, path);
    stage_host(host);
    if (strcmp(host, r.host) != 0)
        return is_old(c, path);
    return kill((pid_t)r.process, 0) != 0 && errno == ESRCH;
}

static bool is_own(const Claims *c, const char *path)
{
    struct stat own, other;
    return stat((const char *)c->own.v.bytes, &own) == 0 &&
           stat(path, &other) == 0 && own.st_dev == other.st_dev &&
           own.st_ino == other.st_ino;
}

/* ---- Claims ----------------------------------------------------------------------- */

/* Takes what nobody has, or what a dead process had. True too if it is ours. */
static bool take(Claims *c, const char *what)
{
    Buffer last = {0}, next = {0};
    uint32_t generation = 0;
    bool taken = false;
    pthread_mutex_lock(&c->lock);
    while (access(name(&next, c, what, generation), F_OK) == 0) {
        name(&last, c, what, generation);
        generation++;
    }
    if (generation > 0 && is_own(c, buffer_string(&last)))
        taken = true;
    else if (generation == 0 || is_dead(c, buffer_string(&last)))
        taken = link(buffer_string(&c->own), buffer_string(&next)) == 0;
    pthread_mutex_unlock(&c->lock);
    buffer_free(&last);
    buffer_free(&next);
    return taken;
}

bool claims_take(Claims *c, uint32_t series, uint32_t chunk)
{
    char what[60];
    snprintf(what, sizeof what, "claim-%u-%u", series, chunk);
    return take(c, what);
}

bool claims_share(const Series *j)
{
    return j->e->claims && j->depot && j->count > 1 && !j->e->quiet &&
           !j->s->is_within && !j->s->is_best && !j->e->model->reruns &&
           j->s->task != COSY_LINEARIZE;
}

uint32_t claims_count(const Series *j)
{
    uint32_t most = CHUNKS_EACH * j->e->claims->team->ranks, n = j->count;
    return n < most ? n : most;
}

/* ---- The others ------------------------------------------------------------------- */

/* Reads the parts of those that have come meanwhile, and what is new in all. */
static void renew(Claims *c)
{
    Buffer path = {0};
    Fault f = {0};
    Rank r;
    bool ours;
    pthread_mutex_lock(&c->lock);
    for (uint32_t k = 0; k < c->team->ranks; k++)
        if (!c->joined.bytes[k] && read_rank(name(&path, c, "rank", k), &r) &&
            depot_join(c->e->depot, r.stage, &ours, &f) == STATUS_OK)
            c->joined.bytes[k] = 1;
    depot_renew(c->e->depot, &f);
    pthread_mutex_unlock(&c->lock);
    buffer_free(&path);
}

/* How the team's study has ended; false: it has not. */
static bool has_ended(Claims *c)
{
    Buffer path = {0};
    int status = 0;
    FILE *f = fopen(name(&path, c, "written", 0), "r");
    c->elsewhere = f && fscanf(f, "%d", &status) == 1;
    c->status = (Status)status;
    if (f)
        fclose(f);
    buffer_free(&path);
    return c->elsewhere;
}

bool claims_wait(Series *j, uint32_t k, Element *el)
{
    Claims *c = j->e->claims;
    uint32_t chunk =
        (uint32_t)((((uint64_t)k + 1) * claims_count(j) - 1) / j->count);
    for (bool first = true; !element_stop(j, k); first = false) {
        if (!first)
            wait_shortly();
        renew(c);
        if (depot_find(j->depot, j->index, k, el))
            return true;
        if (claims_take(c, j->index, chunk))
            return false;
        if (!first && has_ended(c))
            atomic_store(&j->e->stop, true);
    }
    return false;
}

/* ---- Beginning and end ------------------------------------------------------------ */

static Status make_own(Claims *c, Fault *f)
{
    Buffer b = {0};
    char host[STAGE_HOST];
    char *stage = realpath(stage_path(&c->e->stage), NULL);
    stage_host(host);
    buffer_format(&b, "%s %ld %s\n", host, (long)getpid(), stage ? stage : "");
    free(stage);
    name(&c->own, c, "rank", c->team->rank);
    buffer_string(&b);
    Status s = b.broken || c->own.broken
                   ? fault_set(f, STATUS_MEMORY, "no memory")
                   : file_put(buffer_string(&c->own), b.v.bytes, b.v.used, f);
    buffer_free(&b);
    return s;
}

Status claims_open(Experiment *e)
{
    const KernelTeam *team = e->options->team;
    if (!team)
        return STATUS_OK;
    if (!e->depot)
        return fault_set(&e->fault, STATUS_USAGE,
                         "%s is for one process: start it without mpirun or "
                         "srun",
                         e->options->verify ? "--verify" : "--untrusted");
    Claims *c = NEW(&e->arena, Claims);
    if (!c || !vector_append(&c->joined, NULL, team->ranks) ||
        !depot_reserve(e->depot, team->ranks))
        return fault_set(&e->fault, STATUS_MEMORY, "no memory for the team");
    c->team = team;
    c->e = e;
    pthread_mutex_init(&c->lock, NULL);
    TRY(dir_make(team->folder, &e->fault));
    TRY(depot_flush(e->depot, &e->fault));
    TRY(make_own(c, &e->fault));
    c->beats = pthread_create(&c->heart, NULL, beat, c) == 0;
    e->claims = c;
    return STATUS_OK;
}

/* Rank 0 leads; if it is dead, or has not come for long, another one. */
static bool may_lead(const Claims *c, double begun)
{
    Buffer path = {0};
    const char *first = name(&path, c, "rank", 0);
    bool there = access(first, F_OK) == 0;
    bool may = c->team->rank == 0 ||
               (there ? is_dead(c, first)
                      : experiment_seconds() - begun > CLAIMS_STALE);
    buffer_free(&path);
    return may;
}

bool claims_finish(Claims *c)
{
    double begun = experiment_seconds();
    bool writes = false;
    while (!writes && !has_ended(c)) {
        writes = may_lead(c, begun) && take(c, "writer");
        if (!writes && atomic_load(&c->e->stop))
            break;
        if (!writes)
            wait_shortly();
    }
    return writes;
}

bool claims_lead(Claims *c)
{
    Experiment *e = c->e;
    const Cosy *at = &e->instance.c;
    double begun = experiment_seconds();
    while (experiment_may_turn(e, at) && !has_ended(c)) {
        if (may_lead(c, begun) && take(c, "writer"))
            return true;
        wait_shortly();
    }
    atomic_store(&e->stop, true);
    return false;
}

void claims_done(Claims *c, Status status)
{
    Buffer path = {0};
    char text[20];
    Fault f = {0};
    snprintf(text, sizeof text, "%d\n", (int)status);
    file_put(name(&path, c, "written", 0), text, strlen(text), &f);
    buffer_free(&path);
}

/* Whether a job is over: its processes, which have said so, hold no stage any more. A
   folder in which nobody has said anything may be that of a job that begins. */
static bool is_over(const char *job)
{
    Buffer path = {0};
    DIR *d = opendir(job);
    struct dirent *e;
    bool any = false, works = false;
    Rank r;
    while (d && !works && (e = readdir(d)) != NULL) {
        path.v.used = 0;
        buffer_format(&path, "%s/%s", job, e->d_name);
        if (strncmp(e->d_name, "rank-", 5) != 0 ||
            !read_rank(buffer_string(&path), &r))
            continue;
        any = true;
        works = stage_in_use(r.stage);
    }
    if (d)
        closedir(d);
    buffer_free(&path);
    return any && !works;
}

/* The last one that leaves removes the folder; those that were killed have not left. */
static void clean(const Claims *c)
{
    DIR *d = opendir(c->team->folder);
    struct dirent *e;
    bool others = false;
    while (d && (e = readdir(d)) != NULL)
        others = others || strncmp(e->d_name, "rank-", 5) == 0;
    if (d)
        closedir(d);
    if (others && !is_over(c->team->folder))
        return;
    stage_remove(c->team->folder);
    Buffer above = {0};
    const char *slash = strrchr(c->team->folder, '/');
    buffer_bytes(&above, c->team->folder, (size_t)(slash - c->team->folder));
    rmdir(buffer_string(&above)); // unless there are other jobs
    buffer_free(&above);
}

void claims_tidy(const Experiment *e)
{
    Buffer jobs = {0}, job = {0};
    struct dirent *entry;
    const KernelTeam *team = e->options->team;
    stage_beside(&jobs, e->options->dir, TEAM_JOBS);
    DIR *d = opendir(buffer_string(&jobs));
    while (d && (entry = readdir(d)) != NULL) {
        job.v.used = 0;
        buffer_format(&job, "%s/%s", buffer_string(&jobs), entry->d_name);
        if (entry->d_name[0] != '.' &&
            !(team && strcmp(buffer_string(&job), team->folder) == 0) &&
            is_over(buffer_string(&job)))
            stage_remove(buffer_string(&job));
    }
    if (d) {
        closedir(d);
        rmdir(buffer_string(&jobs)); // unless there are other jobs
    }
    buffer_free(&jobs);
    buffer_free(&job);
}

void claims_close(Claims *c)
{
    atomic_store(&c->over, true);
    if (c->beats)
        pthread_join(c->heart, NULL);
    if (!atomic_load(&c->e->stop) || c->elsewhere) {
        unlink(buffer_string(&c->own));
        clean(c);
    }
    vector_free(&c->joined);
    buffer_free(&c->own);
    pthread_mutex_destroy(&c->lock);
}
