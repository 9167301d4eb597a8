#include "load/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buffer.h"

#define ROOM_WANTED ((uint64_t)8 << 20) // free bytes for one compilation
#define STALE       3600                // seconds until a leftover is removed
#define KEY_LENGTH  64

/* ---- Names ----------------------------------------------------------------- */

/* Joins; a name that is too long becomes "", which no file has. */
static void join(char path[PATH_LENGTH], const char *folder, const char *name,
                 const char *end)
{
    int n = snprintf(path, PATH_LENGTH, "%s/%s%s", folder, name, end);
    if (n < 0 || n >= PATH_LENGTH)
        path[0] = '\0';
}

static void usual_folder(char folder[PATH_LENGTH])
{
    const char *own = getenv("COSY_CACHE"), *home = getenv("HOME");
    const char *all = getenv("XDG_CACHE_HOME");
    folder[0] = '\0';
    if (own && *own)
        snprintf(folder, PATH_LENGTH, "%s", own);
    else if (all && *all)
        join(folder, all, "cosy", "");
    else if (home && *home)
        join(folder, home, ".cache/cosy", "");
}

/* The names in the folder; the unfinished ones are of this compilation. */
static void set_names(Place *p)
{
    struct timespec now;
    char unique[200];
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(unique, sizeof unique, "%.16s-%ld-%lx%lx", p->key, (long)getpid(),
             (unsigned long)now.tv_sec, (unsigned long)now.tv_nsec);
    join(p->final, p->folder, p->key, ".so");
    join(p->source, p->folder, unique, ".part.c");
    join(p->object, p->folder, unique, ".part");
}

void cache_place(Place *p, const char *wanted, const char *key)
{
    p->temporary = false;
    snprintf(p->key, sizeof p->key, "%s", key);
    if (wanted)
        snprintf(p->folder, PATH_LENGTH, "%s", wanted);
    else
        usual_folder(p->folder);
    set_names(p);
}

/* ---- Using ------------------------------------------------------------------ */

/* Code of another user is not run, whoever lets him write here. */
bool cache_hit(const Place *p)
{
    struct stat s;
    if (!p->folder[0] || stat(p->final, &s) != 0 || !S_ISREG(s.st_mode))
        return false;
    if (s.st_uid != geteuid() && s.st_uid != 0)
        return false;
    utimensat(AT_FDCWD, p->final, NULL, 0); // if it may not be, it is not
    return true;
}

static bool has_room(const char *folder)
{
    struct statvfs s;
    return statvfs(folder, &s) != 0 ||
           (uint64_t)s.f_bavail * s.f_frsize >= ROOM_WANTED;
}

static bool writable(const char *folder)
{
    Fault ignored = {0};
    return folder[0] && dir_make(folder, &ignored) == STATUS_OK &&
           access(folder, W_OK | X_OK) == 0 && has_room(folder);
}

Status cache_prepare(Place *p, Fault *f)
{
    const char *place = getenv("TMPDIR");
    if (writable(p->folder))
        return STATUS_OK;
    join(p->folder, place && *place ? place : "/tmp", "cosy-XXXXXX", "");
    if (!p->folder[0] || !mkdtemp(p->folder)) {
        p->folder[0] = '\0';
        return fault_set(f, STATUS_FILE,
                         "no place for a compiled model: neither the cache nor "
                         "%s can be written (%s): set COSY_CACHE to a folder "
                         "that can",
                         place && *place ? place : "/tmp", strerror(errno));
    }
    p->temporary = true;
    set_names(p);
    return STATUS_OK;
}

void cache_leave(Place *p)
{
    if (!p->temporary)
        return;
    unlink(p->source);
    unlink(p->object);
    unlink(p->final);
    rmdir(p->folder);
    p->temporary = false;
}

/* ---- Pruning ----------------------------------------------------------------- */

typedef struct Kept {
    char name[KEY_LENGTH + 4]; // KEY.so
    uint64_t size;
    time_t used;
} Kept;

static bool is_key(const char *name)
{
    return strspn(name, "0123456789abcdef") == KEY_LENGTH &&
           strcmp(name + KEY_LENGTH, ".so") == 0;
}

static bool is_part(const char *name)
{
    const char *end = strstr(name, ".part");
    return strspn(name, "0123456789abcdef") == 16 && name[16] == '-' && end &&
           (!end[5] || strcmp(end + 5, ".c") == 0);
}

static int older_first(const void *a, const void *b)
{
    const Kept *x = a, *y = b;
    if (x->used != y->used)
        return x->used < y->used ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Notes a file that is kept, or removes one that was left behind. */
static void look_at(int folder, const char *name, Vector *kept, uint64_t *sum)
{
    struct stat s;
    Kept k = {.size = 0};
    if ((!is_key(name) && !is_part(name)) ||
        fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (is_part(name)) {
        if (time(NULL) - s.st_mtime > STALE)
            unlinkat(folder, name, 0);
        return;
    }
    memcpy(k.name, name, KEY_LENGTH + 4);
    k.size = (uint64_t)s.st_blocks * 512;
    k.used = s.st_mtime;
    *sum += k.size;
    vector_append(kept, &k, sizeof k);
}

static void remove_oldest(int folder, Vector *kept, uint64_t sum, uint64_t most,
                          const atomic_bool *stop)
{
    Kept *k = (Kept *)(void *)kept->bytes;
    size_t n = kept->used / sizeof *k;
    if (sum <= most)
        return;
    qsort(k, n, sizeof *k, older_first);
    for (size_t i = 0; i < n && sum > most && !atomic_load(stop); i++)
        if (unlinkat(folder, k[i].name, 0) == 0)
            sum -= k[i].size;
}

void cache_prune(const char *folder, uint64_t most, const atomic_bool *stop)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    Vector kept = {0};
    uint64_t sum = 0;
    if (!d)
        return;
    while (!atomic_load(stop) && (e = readdir(d)) != NULL)
        look_at(dirfd(d), e->d_name, &kept, &sum);
    if (!atomic_load(stop))
        remove_oldest(dirfd(d), &kept, sum, most, stop);
    vector_free(&kept);
    closedir(d);
}
