#define _GNU_SOURCE // O_PATH, pipe2
#include "guard/guard.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guard/cage.h"
#include "guard/door.h"

#define TICK  200  // milliseconds between two checks
#define GRACE 10.0 // seconds to write results after the time for runs is over

const GuardLimits guard_usual = {.wall = 300,
                                 .cpu = 300,
                                 .memory = UINT64_C(2) << 30,
                                 .results = UINT64_C(1) << 30,
                                 .files = 20000};

/* The parent's side of one child. */
typedef struct Keeper {
    const GuardPlan *g;
    pid_t child;
    int door;
    int folder;    // folder of the model; -1: none
    Buffer before; // beginning of the paths of its files
    Stage stage;
    int results;    // the stage; -1: none
    uint32_t files; // files made in it
    bool compiled;  // the model has been translated
    bool committed;
    double begun, looked; // `looked`: when the size of the results was checked
    int unprotected;      // errno of a child without a cage; 0: it has one
    const char *why;      // why it was ended; NULL: it was not
} Keeper;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Paths --------------------------------------------------------------- */

/* Finds the folder of the last part of a path, step by step from a descriptor,
   never through a link or upwards; -1 with errno. */
static int walk(int from, const char *path, char last[NAME_MAX + 1])
{
    int at = fcntl(from, F_DUPFD_CLOEXEC, 0);
    for (;;) {
        size_t n = strcspn(path, "/");
        bool dots = (n == 1 && path[0] == '.' && !path[1]) ||
                    (n == 2 && path[0] == '.' && path[1] == '.');
        if (at < 0)
            return -1;
        if (n == 1 && path[0] == '.' && path[1]) { // here
            path += 2;
            continue;
        }
        if (n == 0 || n > NAME_MAX || dots) {
            close(at);
            errno = n > NAME_MAX ? ENAMETOOLONG : EACCES;
            return -1;
        }
        memcpy(last, path, n);
        last[n] = '\0';
        if (!path[n])
            return at;
        int next =
            openat(at, last, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int why = errno;
        close(at);
        errno = why;
        at = next;
        path += n + 1;
    }
}

/* The part of a path after `before`; NULL: it begins differently. */
static const char *below(const char *path, const char *before)
{
    size_t n = strlen(before);
    if (strncmp(path, before, n) != 0)
        return NULL;
    return path[n] && path[n] != '/' ? path + n : NULL;
}

/* Accepts a plain file only, and nothing that was put in its place
   meanwhile. */
static int check_plain(int fd)
{
    struct stat s;
    if (fd >= 0 && (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode))) {
        close(fd);
        errno = EACCES;
        return -1;
    }
    return fd;
}

#define OPEN_PLAIN (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/* A device is not even opened, because that may have effects. */
static int open_below(int folder, const char *path)
{
    char last[NAME_MAX + 1];
    struct stat s;
    int at = walk(folder, path, last), fd = -1;
    if (at < 0)
        return -1;
    if (fstatat(at, last, &s, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EACCES;
        if (S_ISREG(s.st_mode))
            fd = check_plain(openat(at, last, OPEN_PLAIN));
    }
    int why = errno;
    close(at);
    errno = why;
    return fd;
}

static int open_data(Keeper *k, const char *path)
{
    const char *rest = below(path, buffer_string(&k->before));
    if (strcmp(path, k->g->model) == 0) // the user has named it
        return check_plain(
            open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (rest && k->folder >= 0)
        return open_below(k->folder, rest);
    errno = EACCES;
    return -1;
}

/* ---- Results ------------------------------------------------------------- */

static const char *in_results(Keeper *k, const char *path)
{
    Buffer before = {0};
    if (k->results < 0)
        return NULL;
    buffer_format(&before, "%s/", stage_path(&k->stage));
    const char *rest = below(path, buffer_string(&before));
    buffer_free(&before);
    return rest;
}

enum {
    WRITE_FLAGS = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_EXCL | O_CLOEXEC,
    LOOK_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK |
                 O_LARGEFILE
};

/* A file to write, or a folder to read. */
static int open_result(Keeper *k, const char *path, int flags)
{
    char last[NAME_MAX + 1];
    bool look = (flags & O_DIRECTORY) && !(flags & ~LOOK_FLAGS);
    if (!look && ((flags & ~WRITE_FLAGS) || (flags & O_ACCMODE) != O_WRONLY)) {
        errno = EACCES;
        return -1;
    }
    if ((flags & O_CREAT) && k->files >= k->g->limits.files) {
        errno = EDQUOT;
        return -1;
    }
    int at = walk(k->results, path, last);
    if (at < 0)
        return -1;
    bool new = faccessat(at, last, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
    int fd = openat(
        at, last, look ? LOOK_FLAGS : flags | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC,
        0666);
    if (!look)
        fd = check_plain(fd);
    int why = errno;
    k->files += new &&fd >= 0;
    close(at);
    errno = why;
    return fd;
}

/* 0, or -errno. */
static int change_result(Keeper *k, const DoorRequest *q, DoorReply *r)
{
    char last[NAME_MAX + 1], other[NAME_MAX + 1];
    const char *path = in_results(k, q->path), *to = NULL;
    int bad = -1, at, there = -1;
    if (q->ask == ASK_RENAME)
        to = in_results(k, q->to);
    if (!path || (q->ask == ASK_RENAME && !to))
        return -EACCES;
    at = walk(k->results, path, last);
    if (at < 0)
        return -errno;
    if (to)
        there = walk(k->results, to, other);
    if (q->ask == ASK_STAT)
        bad = fstatat(at, last, &r->about, AT_SYMLINK_NOFOLLOW);
    else if (q->ask == ASK_FOLDER)
        bad = mkdirat(at, last, 0777);
    else if (q->ask == ASK_REMOVE)
        bad = unlinkat(at, last, q->flags ? AT_REMOVEDIR : 0);
    else if (there >= 0)
        bad = renameat(at, last, there, other);
    int why = errno;
    close(at);
    if (there >= 0)
        close(there);
    return bad == 0 ? 0 : -why;
}

/* The stage is a folder, and so is everything above it in its path: nothing
   more is revealed about these. */
static int stat_stage(Keeper *k, const char *path, DoorReply *r)
{
    const char *stage = k->results < 0 ? "" : stage_path(&k->stage);
    size_t n = strlen(path);
    if (!stage[0] || strncmp(path, stage, n) != 0 ||
        (stage[n] && stage[n] != '/'))
        return -EACCES;
    return fstat(k->results, &r->about) == 0 ? 0 : -errno;
}

/* Bytes of all files below an open folder, which is closed. */
static uint64_t size_below(int folder, unsigned depth)
{
    DIR *d = fdopendir(folder);
    struct dirent *e;
    uint64_t sum = 0;
    if (!d) {
        close(folder);
        return 0;
    }
    while ((e = readdir(d)) != NULL) {
        struct stat s;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            fstatat(folder, e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISREG(s.st_mode))
            sum += (uint64_t)s.st_size;
        int inner = S_ISDIR(s.st_mode) && depth < 3
                        ? openat(folder, e->d_name, LOOK_FLAGS)
                        : -1;
        if (inner >= 0)
            sum += size_below(inner, depth + 1);
    }
    closedir(d);
    return sum;
}

static bool is_too_much(Keeper *k)
{
    k->looked = seconds();
    int folder = k->results < 0 ? -1 : openat(k->results, ".", LOOK_FLAGS);
    return folder >= 0 && size_below(folder, 0) > k->g->limits.results;
}

static void end_stage(Keeper *k)
{
    if (k->results >= 0)
        close(k->results);
    k->results = -1;
    if (k->stage.open)
        stage_discard(&k->stage);
}

static Status begin_stage(Keeper *k, DoorReply *r, Fault *f)
{
    struct stat s;
    if (k->stage.open || k->committed || !k->g->results)
        return fault_set(f, STATUS_FILE, "there are no results here");
    /* The model's author may have put it there. */
    if (lstat(k->g->results, &s) == 0 && S_ISLNK(s.st_mode))
        return fault_set(
            f, STATUS_FILE,
            "%.300s is a symbolic link, through which results of a stranger "
            "are not written: choose another folder with -o",
            k->g->results);
    TRY(stage_open(&k->stage, k->g->results, f));
    const char *place = stage_path(&k->stage);
    k->results = open(place, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (k->results < 0 || strlen(place) >= DOOR_PATH - 300) {
        end_stage(k);
        return fault_set(f, STATUS_FILE,
                         "%.300s: results cannot be written "
                         "there",
                         k->g->results);
    }
    snprintf(r->text, sizeof r->text, "%s", place);
    return STATUS_OK;
}

/* Removes folders that the child has left. */
static void drop_folders(Keeper *k)
{
    int folder = openat(k->results, ".", LOOK_FLAGS);
    DIR *d = folder < 0 ? NULL : fdopendir(folder);
    struct dirent *e;
    Buffer path = {0};
    while (d && (e = readdir(d)) != NULL) {
        struct stat s;
        if (e->d_name[0] == '.' ||
            fstatat(folder, e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISDIR(s.st_mode))
            continue;
        path.v.used = 0;
        buffer_format(&path, "%s/%s", stage_path(&k->stage), e->d_name);
        stage_remove(buffer_string(&path));
    }
    if (d)
        closedir(d);
    buffer_free(&path);
}

static Status commit(Keeper *k, Fault *f)
{
    if (!k->stage.open || k->results < 0)
        return fault_set(f, STATUS_FILE, "there are no results here");
    if (is_too_much(k)) {
        end_stage(k);
        return fault_set(f, STATUS_LIMIT, "the results take more than %llu MB",
                         (unsigned long long)k->g->limits.results >> 20);
    }
    drop_folders(k);
    close(k->results);
    k->results = -1;
    k->committed = true;
    return stage_commit(&k->stage, k->g->own, "summary.json", f);
}

/* ---- Time --------------------------------------------------------------- */

/* Why the child must end now, or NULL. */
static const char *is_over(Keeper *k)
{
    double used = seconds() - k->begun, most = k->g->limits.wall;
    if (used > most + (k->compiled ? GRACE : 0))
        return k->compiled ? "the time of --limit-wall is over"
                           : "the time of --limit-wall was over before the "
                             "model was translated";
    if (seconds() - k->looked > 1 && is_too_much(k))
        return "its results take more room than they may";
    return NULL;
}

/* Reads from the child, which may stop in the middle: then its time limit ends
   this. */
static bool hear(Keeper *k, void *bytes, size_t n)
{
    struct pollfd p = {.fd = k->door, .events = POLLIN};
    char *at = bytes;
    while (n > 0) {
        int ready = poll(&p, 1, TICK);
        k->why = is_over(k);
        if (k->why)
            return false;
        if (ready <= 0)
            continue;
        ssize_t got = read(k->door, at, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

/* ---- Requests ------------------------------------------------------------ */

static Status compile(Keeper *k, const DoorRequest *q, int *fd, Fault *f)
{
    Buffer text = {0};
    Status s;
    if (q->length > DOOR_TEXT_MOST ||
        !vector_append(&text.v, NULL, (size_t)q->length) ||
        !hear(k, text.v.bytes, (size_t)q->length)) {
        buffer_free(&text);
        return fault_set(f, STATUS_MEMORY, "no memory for the C of this model");
    }
    k->compiled = true;
    if (q->precision < 1 || q->precision > 3 || !k->g->compile)
        s = fault_set(f, STATUS_UNSUPPORTED, "there is no compiler here");
    else
        s = k->g->compile(k->g->user, buffer_string(&text), (size_t)q->length,
                          q->precision, fd, f);
    buffer_free(&text);
    return s;
}

static int open_any(Keeper *k, const DoorRequest *q)
{
    const char *result = in_results(k, q->path);
    int look = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_LARGEFILE | O_NOFOLLOW;
    if (result)
        return open_result(k, result, q->flags & ~O_LARGEFILE);
    errno = EACCES;
    return q->flags & ~look ? -1 : open_data(k, q->path);
}

/* False: the child does not listen. */
static bool serve(Keeper *k, DoorRequest *q)
{
    DoorReply r = {0};
    Fault f = {0};
    int fd = -1;
    q->path[DOOR_PATH - 1] = q->to[DOOR_PATH - 1] = '\0';
    switch (q->ask) {
    case ASK_OPEN:
        fd = open_any(k, q);
        r.result = fd < 0 ? -errno : 0;
        break;
    case ASK_STAT:
        r.result = stat_stage(k, q->path, &r);
        if (r.result != 0)
            r.result = change_result(k, q, &r);
        break;
    case ASK_FOLDER:
    case ASK_RENAME:
    case ASK_REMOVE: r.result = change_result(k, q, &r); break;
    case ASK_COMPILE: r.result = (int32_t)compile(k, q, &fd, &f); break;
    case ASK_STAGE: r.result = (int32_t)begin_stage(k, &r, &f); break;
    case ASK_COMMIT: r.result = (int32_t)commit(k, &f); break;
    case ASK_DISCARD: end_stage(k); break;
    case ASK_UNPROTECTED: k->unprotected = q->flags ? q->flags : EINVAL; break;
    default: r.result = -EINVAL;
    }
    if (f.status != STATUS_OK)
        memcpy(r.text, f.text, sizeof r.text);
    r.has_fd = fd >= 0;
    bool heard = door_send(k->door, &r, fd);
    if (fd >= 0)
        close(fd);
    return heard;
}

/* ---- Parent and child ---------------------------------------------------- */

/* Serves until the child closes the door, by its end or otherwise. */
static void attend(Keeper *k)
{
    DoorRequest *q = calloc(1, sizeof *q);
    bool served = q != NULL;
    while (served && hear(k, q, sizeof *q))
        served = serve(k, q);
    free(q);
    if (k->why || !served)
        kill(k->child, SIGKILL);
}

/* A child that has closed the door but goes on has no more time than others. */
static int await(Keeper *k)
{
    int status = 0;
    for (;;) {
        pid_t ended = waitpid(k->child, &status, WNOHANG);
        if (ended == k->child || (ended < 0 && errno != EINTR))
            return status;
        if (!k->why)
            k->why = is_over(k);
        if (k->why)
            kill(k->child, SIGKILL);
        poll(NULL, 0, 2);
    }
}

static _Noreturn void live(const GuardPlan *g, int door,
                           int (*body)(void *user), void *user)
{
    int bad = door == DOOR ? 0 : dup2(door, DOOR) < 0 ? errno : 0;
    if (!bad)
        bad = cage_close(&g->limits);
    if (bad) {
        DoorRequest q = {.ask = ASK_UNPROTECTED, .flags = bad};
        door_write(DOOR, &q, sizeof q);
        _exit(127);
    }
    int status = body(user);
    if ((fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE && !status)
        status = 3;
    fflush(stderr);
    _exit(status);
}

/* Finds the folder of the model, and how paths below it begin. */
static void find_folder(Keeper *k)
{
    const char *slash = strrchr(k->g->model, '/');
    if (slash)
        buffer_bytes(&k->before, k->g->model,
                     (size_t)(slash - k->g->model) + 1);
    k->folder = open(slash ? buffer_string(&k->before) : ".",
                     O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static Status verdict(const Keeper *k, int ended, int *status, Fault *f)
{
    int cause = WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 0;
    if (k->unprotected)
        return fault_set(f, STATUS_UNSUPPORTED,
                         "--untrusted: this system does not let a process give "
                         "up its rights (seccomp: %s), as in some containers; "
                         "nothing was run",
                         strerror(k->unprotected));
    if (k->why)
        return fault_set(f, STATUS_LIMIT, "stopped: %s", k->why);
    if (cause == SIGXCPU || (cause == SIGKILL && k->g->limits.cpu < 1e9))
        return fault_set(f, STATUS_LIMIT,
                         cause == SIGXCPU
                             ? "stopped: more than %.0f s of processor time "
                               "were used (--limit-cpu)"
                             : "stopped: it was killed from outside, or after "
                               "%.0f s of processor time",
                         k->g->limits.cpu);
    if (cause == SIGINT || cause == SIGTERM)
        return fault_set(f, STATUS_STOPPED, "stopped from outside");
    if (cause)
        return fault_set(f, STATUS_MODEL,
                         "the run died of signal %d (%s); nothing of it is "
                         "kept",
                         cause, strsignal(cause));
    return STATUS_OK;
}

Status guard_run(const GuardPlan *g, int (*body)(void *user), void *user,
                 int *status, Fault *f)
{
    Keeper k = {.g = g, .folder = -1, .results = -1, .begun = seconds()};
    int ends[2];
    assert(g->model && g->limits.wall > 0 && g->limits.cpu > 0);
    assert(!g->results || g->own);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return fault_set(f, STATUS_FILE, "no descriptors: %s", strerror(errno));
    find_folder(&k);
    fflush(stdout);
    fflush(stderr);
    k.child = fork();
    if (k.child == 0) {
        close(ends[0]);
        live(g, ends[1], body, user);
    }
    close(ends[1]);
    k.door = ends[0];
    Status s = STATUS_OK;
    if (k.child < 0) {
        s = fault_set(f, STATUS_FILE, "no process: %s", strerror(errno));
    } else {
        if (g->started)
            g->started(g->user, k.child);
        attend(&k);
        close(k.door);
        s = verdict(&k, await(&k), status, f);
        if (g->started)
            g->started(g->user, 0);
    }
    if (k.child < 0)
        close(k.door);
    end_stage(&k);
    if (k.folder >= 0)
        close(k.folder);
    buffer_free(&k.before);
    return s;
}
