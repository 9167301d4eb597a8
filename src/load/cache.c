#define _XOPEN_SOURCE 700 // realpath, S_ISVTX
#include "load/cache.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/checksum.h"

#define ROOM_WANTED ((uint64_t)8 << 20) // free bytes needed for one compilation
#define STALE       3600                // seconds until a leftover is removed
#define KEY_LENGTH  64

/* ---- Names ----------------------------------------------------------------- */

/* Joins two names; one that is too long becomes "", which no file has. */
static void join(char path[PATH_LENGTH], const char *folder, const char *name,
                 const char *end)
{
    int n = snprintf(path, PATH_LENGTH, "%s/%s%s", folder, name, end);
    if (n < 0 || n >= PATH_LENGTH)
        path[0] = '\0';
}

static void usual_folder(char folder[PATH_LENGTH])
{
    const char *home = getenv("HOME"), *all = getenv("XDG_CACHE_HOME");
    folder[0] = '\0';
    if (all && *all)
        join(folder, all, "cosy", "");
    else if (home && *home)
        join(folder, home, ".cache/cosy", "");
}

/* Sets the names in the folder; unfinished ones belong to this compilation. */
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
    const char *named = wanted ? wanted : getenv("COSY_CACHE");
    p->temporary = false;
    p->named = named && *named;
    snprintf(p->key, sizeof p->key, "%s", key);
    if (p->named)
        snprintf(p->folder, PATH_LENGTH, "%s", named);
    else
        usual_folder(p->folder);
    set_names(p);
}

/* ---- Whom to trust ----------------------------------------------------------- */

/* True for the group that a user has for himself, by its name and without
   members. */
static bool is_own_group(gid_t group)
{
    const struct passwd *user = getpwuid(geteuid());
    if (!user || user->pw_gid != group)
        return false;
    const struct group *g = getgrgid(group);
    return g && !g->gr_mem[0] && strcmp(g->gr_name, user->pw_name) == 0;
}

/* True if others cannot exchange what is in the folder. In one with the sticky
   bit (such as /tmp) users can move only what is their own. */
static bool is_closed(const struct stat *s)
{
    if (s->st_mode & S_ISVTX)
        return true;
    return !(s->st_mode & S_IWOTH) &&
           (!(s->st_mode & S_IWGRP) || is_own_group(s->st_gid));
}

static Status refuse(const char *cache, const char *folder, const char *why,
                     Fault *f)
{
    return fault_set(f, STATUS_FILE,
                     "the cache of compiled models %.250s is refused, because "
                     "what lies there is run: %.150s %s (COSY_CACHE names "
                     "another folder)",
                     cache, folder, why);
}

/* Checks the folders above one, from the root on; `path` has no symbolic
   links. */
static Status trust_above(const char *cache, char *path, Fault *f)
{
    assert(path[0] == '/');
    for (char *slash = path; slash; slash = strchr(slash + 1, '/')) {
        struct stat s;
        char kept = slash[1];
        slash[1] = '\0'; // including its slash at the end
        if (lstat(path, &s) != 0 || !S_ISDIR(s.st_mode))
            return refuse(cache, path, "is not a folder", f);
        if (s.st_uid != geteuid() && s.st_uid != 0)
            return refuse(cache, path, "belongs to another user", f);
        if (!is_closed(&s))
            return refuse(cache, path, "can be written by others", f);
        slash[1] = kept;
    }
    return STATUS_OK;
}

/* Checks the folder itself, if it exists. The default one is only closed: its
   name was not made by others, and their files in it are not run. */
static Status trust_folder(const Place *p, const char *path, Fault *f)
{
    struct stat s;
    if (lstat(path, &s) != 0)
        return STATUS_OK;
    if (!S_ISDIR(s.st_mode))
        return refuse(p->folder, path, "is not a folder", f);
    if (s.st_uid != geteuid())
        return refuse(p->folder, path, "belongs to another user", f);
    if (p->named && (s.st_mode & (S_IWGRP | S_IWOTH)))
        return refuse(p->folder, path,
                      "can be written by others: chmod 700 closes it", f);
    if ((s.st_mode & 07777) != 0700 && chmod(path, 0700) != 0)
        return refuse(p->folder, path, "cannot be closed to others", f);
    return STATUS_OK;
}

/* The path without symbolic links, as far as it exists; what is missing does
   not matter, since nobody but us will have made it. False: there is none. */
static bool real_path(const char *folder, char real[PATH_LENGTH], bool *whole)
{
    char part[PATH_LENGTH + 2], *slash;
    snprintf(part, sizeof part, "%s%s", folder[0] == '/' ? "" : "./", folder);
    for (*whole = true; !realpath(part, real); *whole = false) {
        slash = strrchr(part, '/');
        if (errno != ENOENT || !slash || slash == part + 1)
            return errno == ENOENT &&
                   realpath(folder[0] == '/' ? "/" : ".", real);
        *slash = '\0';
    }
    return true;
}

static Status trust_path(const Place *p, Fault *f)
{
    char real[PATH_LENGTH + 1];
    bool whole;
    if (!real_path(p->folder, real, &whole))
        return STATUS_OK; // it cannot be made, so it is not used
    size_t n = strlen(real);
    if (!whole && real[n - 1] != '/')
        strcpy(real + n, "/");
    TRY(trust_above(p->folder, real, f));
    return whole ? trust_folder(p, real, f) : STATUS_OK;
}

Status cache_trust(Place *p, Fault *f)
{
    if (!p->folder[0] || trust_path(p, f) == STATUS_OK)
        return STATUS_OK;
    if (p->named)
        return f->status;
    p->folder[0] = '\0';
    return STATUS_OK;
}

/* ---- Using ------------------------------------------------------------------ */

/* The seal of a key and of `length` bytes of an object. */
static void make_seal(char seal[SEAL_LENGTH + 1], const char *key,
                      const unsigned char *bytes, size_t length)
{
    size_t n = strlen(key);
    Checksum c;
    checksum_begin(&c);
    checksum_add(&c, key, n);
    checksum_add(&c, bytes, length);
    snprintf(seal, SEAL_LENGTH + 1, SEAL_FORMAT, (unsigned)checksum_end(&c),
             (unsigned)(n + length));
}

static bool is_sealed(const char *key, const unsigned char *bytes, size_t size)
{
    char seal[SEAL_LENGTH + 1];
    if (size <= SEAL_LENGTH)
        return false;
    make_seal(seal, key, bytes, size - SEAL_LENGTH);
    return memcmp(bytes + size - SEAL_LENGTH, seal, SEAL_LENGTH) == 0;
}

/* Code that belongs to another user, or that others may write, is not run. */
static bool is_private(const struct stat *s)
{
    return S_ISREG(s->st_mode) && s->st_uid == geteuid() &&
           !(s->st_mode & (S_IRWXG | S_IRWXO)) && s->st_size > 0 &&
           s->st_size < INT32_MAX;
}

static bool is_whole(int fd, const char *key)
{
    struct stat s;
    if (fstat(fd, &s) != 0 || !is_private(&s))
        return false;
    size_t size = (size_t)s.st_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return false;
    bool whole = is_sealed(key, bytes, size);
    munmap(bytes, size);
    return whole;
}

int cache_open(const Place *p)
{
    int fd = -1;
    if (p->folder[0])
        fd = open(p->final, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 && !is_whole(fd, p->key)) {
        close(fd);
        return -1;
    }
    if (fd >= 0)
        futimens(fd, NULL); // if that is not allowed, it is left
    return fd;
}

static bool has_room(const char *folder)
{
    struct statvfs s;
    return statvfs(folder, &s) != 0 ||
           (uint64_t)s.f_bavail * s.f_frsize >= ROOM_WANTED;
}

/* Makes the folder and those above it, each for its user only. */
static bool make_private(const char *folder)
{
    char path[PATH_LENGTH];
    struct stat s;
    snprintf(path, sizeof path, "%s", folder);
    for (char *slash = path; slash;) {
        slash = strchr(slash + 1, '/');
        if (slash)
            *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST && stat(path, &s) != 0)
            return false;
        if (slash)
            *slash = '/';
    }
    return true;
}

/* A folder that has just been made is checked like an existing one: somebody
   else may have made it in the meantime. */
static bool writable(Place *p)
{
    Fault ignored = {0};
    return p->folder[0] && make_private(p->folder) &&
           trust_path(p, &ignored) == STATUS_OK &&
           access(p->folder, W_OK | X_OK) == 0 && has_room(p->folder);
}

Status cache_prepare(Place *p, Fault *f)
{
    const char *place = getenv("TMPDIR");
    if (writable(p))
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

/* Notes a file to keep, or removes one that was left over. */
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
