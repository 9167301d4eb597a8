#define _GNU_SOURCE // renameat2
#include "base/stage.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macros.h"

#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* ---- Names and files ----------------------------------------------------- */

static Status stage_fault(Fault *f, const char *path, const char *doing)
{
    return fault_set(f, STATUS_FILE, "%s: %s: %s", path, doing,
                     strerror(errno));
}

/* DIR/NAME in b. */
static const char *join(Buffer *b, const char *dir, const char *name)
{
    b->v.used = 0;
    buffer_format(b, "%s/%s", dir, name);
    return buffer_string(b);
}

static bool is_folder(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static bool exists(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0;
}

/* Calls `each` with the names in a folder, except "." and "..", until it
   returns a failure. The names are collected first, so that `each` may remove
   or add some. */
typedef Status Each(void *user, const char *name);

static Status for_names(const char *path, Each *each, void *user, Fault *f)
{
    Buffer names = {0};
    DIR *d = opendir(path);
    struct dirent *e;
    Status s = STATUS_OK;
    if (!d)
        return stage_fault(f, path, "cannot read this folder");
    while ((e = readdir(d)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            buffer_bytes(&names, e->d_name, strlen(e->d_name) + 1);
    closedir(d);
    if (names.broken)
        s = fault_set(f, STATUS_MEMORY, "%s: no memory to read it", path);
    for (size_t at = 0; at < names.v.used && s == STATUS_OK;) {
        const char *name = (const char *)names.v.bytes + at;
        at += strlen(name) + 1;
        s = each(user, name);
    }
    buffer_free(&names);
    return s;
}

/* Removes what is in an open folder, by descriptors, so that nobody can
   redirect it by a symbolic link. Closes the descriptor. */
static void empty_folder(int folder)
{
    DIR *d = fdopendir(folder);
    struct dirent *e;
    if (!d) {
        close(folder);
        return;
    }
    while ((e = readdir(d)) != NULL) {
        int below;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            unlinkat(folder, e->d_name, 0) == 0)
            continue;
        below = openat(folder, e->d_name, OPEN_FOLDER);
        if (below < 0)
            continue;
        empty_folder(below);
        unlinkat(folder, e->d_name, AT_REMOVEDIR);
    }
    closedir(d);
}

void stage_remove(const char *path)
{
    int folder = open(path, OPEN_FOLDER);
    if (folder >= 0)
        empty_folder(folder);
    rmdir(path);
}

/* ---- Leftovers of killed processes
   ---------------------------------------- */

void stage_host(char name[STAGE_HOST])
{
    if (gethostname(name, STAGE_HOST - 1) != 0 || !name[0])
        snprintf(name, STAGE_HOST, "unknown");
    name[STAGE_HOST - 1] = '\0';
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '-' && *at != '.')
            *at = '_';
}

/* The process of a stage's name: NAME<pid>-<k>.<host>.tmp; 0: the name has another
   form. *here: the process is one of this machine, which earlier versions did not
   name. */
static long process_of(const char *text, const char *name, bool *here)
{
    char again[80], host[STAGE_HOST], *end;
    size_t n = strlen(name);
    if (strncmp(text, name, n) != 0)
        return 0;
    text += n;
    long process = strtol(text, &end, 10);
    unsigned long k = *end == '-' ? strtoul(end + 1, &end, 10) : 0;
    int used = snprintf(again, sizeof again, "%ld-%lu.", process, k);
    size_t left = strlen(end);
    if (process <= 0 || strncmp(text, again, (size_t)used) != 0 || left < 4 ||
        strcmp(end + left - 4, ".tmp") != 0)
        return 0;
    stage_host(host);
    *here = left == 4 || (left == strlen(host) + 5 &&
                          strncmp(end + 1, host, strlen(host)) == 0);
    return process;
}

/* A process that has ended keeps its number until its parent has noticed, which may
   take for ever where nobody cares. */
static bool has_ended(long process)
{
    char path[40], state = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = 0;
    fclose(f);
    return state == 'Z' || state == 'X';
}

/* True if no process has that number. Our own number proves nothing: the lock
   decides. */
static bool is_gone(long process)
{
    return process == (long)getpid() ||
           (kill((pid_t)process, 0) != 0 && errno == ESRCH) ||
           has_ended(process);
}

/* True if an open folder is ours and still has that name. */
static bool is_same(int above, const char *name, int folder)
{
    struct stat a, b;
    return fstat(folder, &a) == 0 && a.st_uid == geteuid() &&
           fstatat(above, name, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* A stage in use is locked, even if its process has a number that means nothing
   here (in a container). Where locks are not supported, nothing is removed. */
static void remove_left(int above, const char *name, bool kept_too)
{
    int folder = openat(above, name, OPEN_FOLDER);
    if (folder < 0)
        return;
    if (!kept_too && faccessat(folder, STAGE_KEPT, F_OK, 0) == 0) {
        close(folder);
        return;
    }
    int lock = fcntl(folder, F_DUPFD_CLOEXEC, 0); // shares the lock
    if (lock >= 0 && flock(folder, LOCK_EX | LOCK_NB) == 0 &&
        is_same(above, name, folder)) {
        empty_folder(folder);
        unlinkat(above, name, AT_REMOVEDIR);
    } else {
        close(folder);
    }
    if (lock >= 0)
        close(lock);
}

/* Calls `each` for the stages that killed processes may have left: the number of a
   process of another machine means nothing here, only the lock does. PREFIX is a path: the
   folder, a slash, and the beginning of the names. */
typedef void EachLeft(void *user, int above, const char *path,
                      const char *name);

static void for_left(const char *prefix, EachLeft *each, void *user)
{
    Buffer above = {0};
    const char *slash = strrchr(prefix, '/');
    const char *name = slash ? slash + 1 : prefix;
    struct dirent *e;
    buffer_bytes(&above, slash ? prefix : ".",
                 slash ? (size_t)(slash - prefix) + 1 : 1);
    DIR *d = opendir(buffer_string(&above));
    while (d && (e = readdir(d)) != NULL) {
        bool here = false;
        long process = process_of(e->d_name, name, &here);
        if (process > 0 && (!here || is_gone(process)))
            each(user, dirfd(d), buffer_string(&above), e->d_name);
    }
    if (d)
        closedir(d);
    buffer_free(&above);
}

static void drop_left(void *user, int above, const char *path, const char *name)
{
    (void)path;
    remove_left(above, name, *(const bool *)user);
}

static void remove_all_left(const char *prefix, bool kept_too)
{
    for_left(prefix, drop_left, &kept_too);
}

static void list_left(void *user, int above, const char *path, const char *name)
{
    Buffer *names = user;
    int folder = openat(above, name, OPEN_FOLDER);
    if (folder < 0)
        return;
    bool kept = faccessat(folder, STAGE_KEPT, F_OK, 0) == 0 &&
                flock(folder, LOCK_EX | LOCK_NB) == 0;
    close(folder);
    if (!kept)
        return;
    buffer_format(names, "%s%s%s", path,
                  path[strlen(path) - 1] == '/' ? "" : "/", name);
    buffer_char(names, '\0');
}

void stage_left(Stage *d, Buffer *names)
{
    static const char *const kind[] = {".", "/.cosy-"};
    for (size_t k = 0; k < LENGTH(kind); k++) {
        Buffer prefix = {0};
        buffer_format(&prefix, "%s%s", buffer_string(&d->path), kind[k]);
        for_left(buffer_string(&prefix), list_left, names);
        buffer_free(&prefix);
    }
}

bool stage_in_use(const char *path)
{
    int folder = open(path, OPEN_FOLDER);
    bool used = folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) != 0;
    if (folder >= 0)
        close(folder);
    return used;
}

void stage_beside(Buffer *b, const char *path, const char *ending)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    buffer_format(b, "%.*s%s", (int)n, path, ending);
    buffer_string(b);
}

/* ---- The stage ----------------------------------------------------------- */

/* Marks the stage as in use. False: it vanished before that. Where locks are
   not supported it stays unmarked. */
static bool lock_stage(Stage *d, const char *path)
{
    int folder = open(path, OPEN_FOLDER);
    if (folder < 0)
        return false;
    bool kept = flock(folder, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (kept && is_same(AT_FDCWD, path, folder)) {
        d->lock = folder + 1;
        return true;
    }
    close(folder);
    return false;
}

static void unlock_stage(Stage *d)
{
    if (d->lock)
        close(d->lock - 1);
    d->lock = 0;
}

/* Makes a folder PREFIX<pid>-<k>.<host>.tmp that did not exist. */
static bool make_stage(Stage *d, const char *prefix)
{
    char host[STAGE_HOST];
    stage_host(host);
    remove_all_left(prefix, false);
    for (unsigned k = 0; k < 1000; k++) {
        d->place.v.used = 0;
        buffer_format(&d->place, "%s%ld-%u.%s.tmp", prefix, (long)getpid(), k,
                      host);
        if (d->place.broken) {
            errno = ENOMEM;
            return false;
        }
        if (mkdir(buffer_string(&d->place), 0777) == 0) {
            if (lock_stage(d, buffer_string(&d->place)))
                return true;
        } else if (errno != EEXIST) {
            return false;
        }
    }
    return false;
}

static bool make_beside(Stage *d)
{
    Buffer prefix = {0};
    buffer_format(&prefix, "%s.", buffer_string(&d->path));
    bool made = make_stage(d, buffer_string(&prefix));
    buffer_free(&prefix);
    return made;
}

static bool make_inside(Stage *d)
{
    Buffer prefix = {0};
    buffer_format(&prefix, "%s/.cosy-", buffer_string(&d->path));
    bool made = make_stage(d, buffer_string(&prefix));
    buffer_free(&prefix);
    d->inside = made;
    return made;
}

/* Makes the folders above PATH. */
static Status make_above(const char *path, Fault *f)
{
    Buffer above = {0};
    const char *slash = strrchr(path, '/');
    Status s = STATUS_OK;
    if (slash && slash > path) {
        buffer_bytes(&above, path, (size_t)(slash - path));
        s = dir_make(buffer_string(&above), f);
    }
    buffer_free(&above);
    return s;
}

/* Sets PATH without slashes at its end; if it exists, without symbolic
   links. */
static void set_path(Stage *d, const char *path)
{
    char *real = realpath(path, NULL);
    size_t n;
    if (real)
        path = real;
    n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    buffer_bytes(&d->path, path, n);
    free(real);
}

/* True if the current directory is PATH or below it: the folder must then stay
   the same one. */
static bool stands_in(Stage *d)
{
    const char *path = buffer_string(&d->path);
    char *here = realpath(".", NULL);
    size_t n = strlen(path);
    bool in = here && strncmp(here, path, n) == 0 &&
              (here[n] == '\0' || here[n] == '/');
    free(here);
    return in;
}

Status stage_open(Stage *d, const char *path, Fault *f)
{
    struct stat s;
    *d = (Stage){0};
    if (stat(path, &s) == 0 && !S_ISDIR(s.st_mode))
        return fault_set(f, STATUS_FILE,
                         "%s: a file of this name is in the way of the folder "
                         "for the results: choose another folder with -o",
                         path);
    if (!exists(path))
        TRY(make_above(path, f));
    set_path(d, path);
    if (d->path.broken)
        return fault_set(f, STATUS_MEMORY, "%s: no memory", path);
    d->open = true;
    if (!stands_in(d) && make_beside(d))
        return STATUS_OK;
    int why = errno;
    if (exists(path) && make_inside(d))
        return STATUS_OK;
    errno = why;
    return stage_fault(f, path, "results cannot be written there");
}

Status stage_borrow(Stage *d, const StageKeeper *k, Fault *f)
{
    *d = (Stage){.keeper = k};
    Status s = k->open(&d->place, f);
    if (s == STATUS_OK)
        d->open = true;
    else
        buffer_free(&d->place);
    return s;
}

const char *stage_path(Stage *d)
{
    return buffer_string(&d->place);
}

static void stage_close(Stage *d)
{
    buffer_free(&d->path);
    buffer_free(&d->place);
    unlock_stage(d);
    d->open = false;
}

void stage_discard(Stage *d)
{
    if (d->open && d->keeper)
        d->keeper->discard();
    else if (d->open && d->place.v.used)
        stage_remove(stage_path(d));
    stage_close(d);
}

void stage_leave(Stage *d)
{
    if (d->open && d->keeper)
        d->keeper->discard();
    stage_close(d);
}

/* ---- Taking the place ---------------------------------------------------- */

/* Visits the names in a folder, and FOLDER/NAME for the folders in it that are
   ours by name (FOLDER/). */
typedef struct Deep {
    const char *path, *folder;
    StageOwn *own;
    Status (*each)(void *user, const char *name);
    void *user;
    Fault *f;
} Deep;

static Status each_inside(void *user, const char *name)
{
    const Deep *p = user;
    Buffer whole = {0};
    join(&whole, p->folder, name);
    Status s =
        whole.broken ? STATUS_MEMORY : p->each(p->user, buffer_string(&whole));
    buffer_free(&whole);
    return s;
}

/* True if `path` holds a folder of that name that is ours by name. */
static bool is_own_folder(const char *path, const char *name, StageOwn *own)
{
    Buffer b = {0};
    buffer_text(&b, name);
    buffer_char(&b, '/');
    bool folder = own(buffer_string(&b), "") && !b.broken;
    b.v.used = 0;
    folder = folder && is_folder(join(&b, path, name)); // few have such a name
    buffer_free(&b);
    return folder;
}

static Status each_outside(void *user, const char *name)
{
    const Deep *p = user;
    Deep in = *p;
    Buffer path = {0};
    Status s;
    if (!is_own_folder(p->path, name, p->own))
        return p->each(p->user, name);
    in.path = join(&path, p->path, name);
    in.folder = name;
    s = for_names(in.path, each_inside, &in, p->f);
    buffer_free(&path);
    return s;
}

static Status for_deep(const char *path, StageOwn *own,
                       Status (*each)(void *user, const char *name), void *user,
                       Fault *f)
{
    Deep p = {.path = path, .own = own, .each = each, .user = user, .f = f};
    return for_names(path, each_outside, &p, f);
}

/* Makes the folder that a path is in, if it does not exist. */
static void make_folder_of(const char *path)
{
    Buffer above = {0};
    const char *slash = strrchr(path, '/');
    if (slash && slash > path) {
        buffer_bytes(&above, path, (size_t)(slash - path));
        mkdir(buffer_string(&above), 0777);
    }
    buffer_free(&above);
}

typedef struct Change {
    Stage *d;
    StageOwn *own;
    const char *last;
    bool held; // something in PATH cannot be moved
    Fault *f;
    Buffer a, b; // paths
} Change;

static bool is_own(Change *c, const char *path, const char *name)
{
    char beginning[64] = "";
    struct stat s;
    if (lstat(path, &s) != 0 || !S_ISREG(s.st_mode))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, beginning, sizeof beginning - 1);
    close(fd);
    return n >= 0 && c->own(name, beginning);
}

/* A file that is not ours but has the name of a new one is in the way. */
static Status look_at_old(void *user, const char *name)
{
    Change *c = user;
    const char *old = join(&c->a, buffer_string(&c->d->path), name);
    const char *new = join(&c->b, stage_path(c->d), name);
    if (!exists(new) || is_own(c, old, name))
        return STATUS_OK;
    return fault_set(c->f, STATUS_FILE,
                     "%s is in the way of a new file, and COSY did not write "
                     "it: choose another folder with -o",
                     old);
}

/* What is not ours gets a second name in the stage before the stage takes its
   place. What cannot have a second name (a folder) must not be touched. */
static Status link_foreign(void *user, const char *name)
{
    Change *c = user;
    const char *old = join(&c->a, buffer_string(&c->d->path), name);
    if (is_own(c, old, name))
        return STATUS_OK;
    const char *new = join(&c->b, stage_path(c->d), name);
    make_folder_of(new);
    if (is_folder(old) || link(old, new) != 0)
        c->held = true;
    return STATUS_OK;
}

/* Finds those of our folders that are empty now. */
typedef struct Emptied {
    const char *path;
    StageOwn *own;
} Emptied;

static Status drop_empty(void *user, const char *name)
{
    const Emptied *e = user;
    Buffer path = {0};
    if (is_own_folder(e->path, name, e->own))
        rmdir(join(&path, e->path, name));
    buffer_free(&path);
    return STATUS_OK;
}

static void drop_folders(Change *c, const char *path)
{
    Emptied e = {path, c->own};
    for_names(path, drop_empty, &e, c->f);
}

/* The old folder now has the name of the stage. */
static Status drop_name(void *user, const char *name)
{
    Change *c = user;
    const char *old = join(&c->a, stage_path(c->d), name);
    const char *new = join(&c->b, buffer_string(&c->d->path), name);
    if (exists(new) || is_own(c, old, name))
        unlink(old);
    else // it came while the two were exchanged
        (void)!rename(old, new);
    return STATUS_OK;
}

static Status exchange(Change *c, bool *done)
{
    Stage *d = c->d;
    const char *path = buffer_string(&d->path);
    struct stat s;
    TRY(for_deep(path, c->own, link_foreign, c, c->f));
    if (c->held)
        return STATUS_OK;
    if (stat(path, &s) == 0)
        (void)!chmod(stage_path(d), s.st_mode & 07777);
    *done = renameat2(AT_FDCWD, stage_path(d), AT_FDCWD, path,
                      RENAME_EXCHANGE) == 0;
    if (!*done)
        return STATUS_OK;
    for_deep(stage_path(d), c->own, drop_name, c, c->f);
    drop_folders(c, stage_path(d));
    rmdir(stage_path(d));
    return STATUS_OK;
}

/* Goes name by name: old files without a successor are removed, new ones moved
   in. */
static Status drop_old(void *user, const char *name)
{
    Change *c = user;
    const char *old = join(&c->a, buffer_string(&c->d->path), name);
    const char *new = join(&c->b, stage_path(c->d), name);
    if (is_own(c, old, name) && (!exists(new) || strcmp(name, c->last) == 0))
        unlink(old);
    return STATUS_OK;
}

static Status bring(Change *c, const char *name)
{
    const char *new = join(&c->b, stage_path(c->d), name);
    const char *old = join(&c->a, buffer_string(&c->d->path), name);
    if (!exists(new))
        return STATUS_OK;
    make_folder_of(old);
    if (rename(new, old) != 0)
        return stage_fault(c->f, old, "cannot be replaced");
    return STATUS_OK;
}

static Status bring_new(void *user, const char *name)
{
    Change *c = user;
    return strcmp(name, c->last) == 0 ? STATUS_OK : bring(c, name);
}

static Status one_by_one(Change *c)
{
    TRY(for_deep(buffer_string(&c->d->path), c->own, drop_old, c, c->f));
    drop_folders(c, buffer_string(&c->d->path));
    TRY(for_deep(stage_path(c->d), c->own, bring_new, c, c->f));
    TRY(bring(c, c->last));
    stage_remove(stage_path(c->d));
    return STATUS_OK;
}

static Status take_place(Change *c)
{
    const char *path = buffer_string(&c->d->path);
    bool done = false;
    if (!exists(path)) {
        if (rename(stage_path(c->d), path) != 0)
            return stage_fault(c->f, path, "cannot be made");
        return STATUS_OK;
    }
    TRY(for_deep(path, c->own, look_at_old, c, c->f));
    if (!c->d->inside)
        TRY(exchange(c, &done));
    return done ? STATUS_OK : one_by_one(c);
}

Status stage_commit(Stage *d, StageOwn *own, const char *last, Fault *f)
{
    Change c = {.d = d, .own = own, .last = last, .f = f};
    Buffer beside = {0}, inside = {0};
    if (!d->keeper) {
        buffer_format(&beside, "%s.", buffer_string(&d->path));
        buffer_format(&inside, "%s/.cosy-", buffer_string(&d->path));
    }
    bool kept_too = !d->keeps;
    Status s = d->keeper ? d->keeper->commit(f) : take_place(&c);
    buffer_free(&c.a);
    buffer_free(&c.b);
    if (s == STATUS_OK)
        stage_close(d);
    else
        stage_discard(d);
    if (s == STATUS_OK && beside.v.used) {
        remove_all_left(buffer_string(&beside), kept_too);
        remove_all_left(buffer_string(&inside), kept_too);
    }
    buffer_free(&beside);
    buffer_free(&inside);
    return s;
}
