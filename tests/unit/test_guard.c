#define _GNU_SOURCE // clone, sethostname
/* Code that has broken out of everything but its cage can only compute, read
   plain files below the folder, and write its results. Each body here is such
   code. */

#include "guard/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "folder.h"
#include "guard/door.h"

static Folder folder;

/* Everything there is ours. */
static bool own_all(const char *name, const char *beginning)
{
    (void)name, (void)beginning;
    return true;
}

/* The bodies report what happened by their status, bit by bit or as a
   number. */
static int run_with(const GuardLimits *l, int (*body)(void *), void *user,
                    Status *how, Fault *f)
{
    static char model[400], results[400];
    int status = -1;
    snprintf(model, sizeof model, "%s/in/m.cosy", folder.path);
    snprintf(results, sizeof results, "%s/out", folder.path);
    GuardPlan g = {
        .model = model, .limits = *l, .results = results, .own = own_all};
    *f = (Fault){0};
    *how = guard_run(&g, body, user, &status, f);
    return status;
}

static int run_body(int (*body)(void *), void *user)
{
    Status how;
    Fault f;
    GuardLimits l = guard_usual;
    l.wall = 20;
    int status = run_with(&l, body, user, &how, &f);
    CHECK(how == STATUS_OK);
    if (how != STATUS_OK)
        printf("%s\n", f.text);
    return how == STATUS_OK ? status : -1;
}

/* ---- What fails ---------------------------------------------------------- */

/* Number of the first attempt that did not fail; 0: all failed. */
#define FAILS(call)                                                            \
    do {                                                                       \
        attempt++;                                                             \
        if ((long)(call) != -1)                                                \
            return attempt;                                                    \
    } while (0)

static int other_process(void *unused)
{
    (void)unused;
    _exit(0);
}

static char stack[65536];

static int break_out(void *user)
{
    pid_t parent = getppid();
    char *none[] = {NULL}, program[] = "/bin/true";
    char *arguments[] = {program, NULL};
    int attempt = 0;
    const char key = 'x';
    (void)user;
    FAILS(socket(AF_INET, SOCK_STREAM, 0));
    FAILS(socket(AF_UNIX, SOCK_STREAM, 0));
    FAILS(syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, &attempt));
    FAILS(syscall(SYS_connect, 3, NULL, 0));
    FAILS(syscall(SYS_sendto, 3, "x", 1, 0, NULL, 0));
    FAILS(execve("/bin/true", arguments, none));
    FAILS(syscall(SYS_execveat, AT_FDCWD, "/bin/true", arguments, none, 0));
    FAILS(fork());
    FAILS(syscall(SYS_vfork));
    FAILS(clone(other_process, stack + sizeof stack, SIGCHLD, NULL));
    FAILS(clone(other_process, stack + sizeof stack,
                CLONE_VM | CLONE_NEWUSER | SIGCHLD, NULL));
    FAILS(syscall(SYS_clone3, NULL, 0));
    FAILS(kill(parent, 0));
    FAILS(kill(getpid(), 0));
    FAILS(syscall(SYS_tgkill, parent, parent, 0));
    FAILS(syscall(SYS_tkill, parent, 0));
    FAILS(syscall(SYS_pidfd_open, parent, 0));
    FAILS(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
    FAILS(syscall(SYS_process_vm_readv, parent, NULL, 0, NULL, 0, 0));
    FAILS(ioctl(1, TIOCSTI, &key));
    FAILS(ioctl(1, TIOCSTI | (1UL << 32), &key));
    FAILS(fcntl(1, F_SETOWN, parent));
    FAILS(fcntl(1, F_SETFL, 0));
    FAILS(prctl(PR_SET_DUMPABLE, 1));
    FAILS(syscall(SYS_seccomp, 0, 0, NULL));
    FAILS(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
               -1, 0));
    FAILS(mmap(NULL, 4096, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0));
    FAILS(syscall(SYS_memfd_create, "x", 0));
    FAILS(syscall(SYS_bpf, 0, NULL, 0));
    FAILS(syscall(SYS_io_uring_setup, 1, NULL));
    FAILS(syscall(SYS_userfaultfd, 0));
    FAILS(syscall(SYS_perf_event_open, NULL, 0, 0, 0, 0));
    FAILS(syscall(SYS_mount, "none", "/", "tmpfs", 0, NULL));
    FAILS(syscall(SYS_unshare, CLONE_NEWUSER));
    FAILS(chdir("/"));
    FAILS(chroot("/"));
    FAILS(syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", NULL, 0));
    FAILS(syscall(SYS_name_to_handle_at, AT_FDCWD, "/", NULL, NULL, 0));
    FAILS(truncate("/etc/passwd", 0));
    FAILS(chmod("/etc/passwd", 0666));
    FAILS(link("/etc/passwd", "x"));
    FAILS(symlink("/etc/passwd", "x"));
    FAILS(sethostname("x", 1));
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    FAILS(setrlimit(RLIMIT_DATA, &all));
    return 0;
}

/* Paths, each of which must fail; the number of the first that does not. */
static int open_paths(void *user)
{
    const char *const *path = user;
    char whole[500];
    for (int k = 0; path[k]; k++) {
        bool absolute = path[k][0] == '/';
        snprintf(whole, sizeof whole, "%s%s%s", absolute ? "" : folder.path,
                 absolute ? "" : "/", path[k]);
        if (open(whole, O_RDONLY) >= 0 || open(whole, O_WRONLY) >= 0 ||
            open(whole, O_RDWR | O_CREAT, 0666) >= 0 ||
            open(whole, O_RDONLY | O_DIRECTORY) >= 0 ||
            open(whole, O_PATH) >= 0 || unlink(whole) == 0 ||
            rename(whole, "x") == 0 || mkdir(whole, 0777) == 0)
            return k + 1;
    }
    return 0;
}

static void test_paths(void)
{
    static const char *paths[] = {"/etc/passwd",
                                  "/etc/shadow",
                                  "/dev/null",
                                  "/dev/zero",
                                  "/dev/tty",
                                  "/proc/self/mem",
                                  "/proc/self/maps",
                                  "/proc/1/environ",
                                  "/",
                                  "in/link",
                                  "in/out/secret",
                                  "in/../secret",
                                  "in/pipe",
                                  "secret",
                                  "in/inner/../../secret",
                                  "in",
                                  "in/inner",
                                  "in/inner/up",
                                  "in/new",
                                  "out/x",
                                  "in//../secret",
                                  "in/./../secret",
                                  "/proc/self/fd/3/x",
                                  NULL};
    CHECK(run_body(open_paths, paths) == 0);
    CHECK(access(folder_file(&folder, "secret"), R_OK) == 0);
    CHECK(access(folder_file(&folder, "in/new"), R_OK) != 0);
}

/* ---- What works ---------------------------------------------------------- */

static bool reads(const char *name)
{
    char path[500], text[20] = "";
    snprintf(path, sizeof path, "%s/%s", folder.path, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool right = fd >= 0 && read(fd, text, sizeof text) > 0 &&
                 write(fd, "x", 1) < 0 && strcmp(text, "data") == 0;
    if (fd >= 0)
        close(fd);
    return right;
}

static int read_files(void *user)
{
    (void)user;
    return (reads("in/m.cosy") ? 1 : 0) | (reads("in/data") ? 2 : 0) |
           (reads("in/inner/data") ? 4 : 0) | (reads("in/./data") ? 8 : 0);
}

static void *add(void *sum)
{
    double *s = sum;
    char path[500];
    snprintf(path, sizeof path, "%s/in/data", folder.path);
    for (int k = 0; k < 200; k++) {
        int fd = open(path, O_RDONLY);
        *s += fd >= 0;
        if (fd >= 0)
            close(fd);
    }
    return NULL;
}

/* Threads, each of which makes requests. */
static int use_threads(void *user)
{
    pthread_t thread[4];
    double sum[4] = {0};
    (void)user;
    for (int k = 0; k < 4; k++)
        if (pthread_create(&thread[k], NULL, add, &sum[k]) != 0)
            return 1;
    for (int k = 0; k < 4; k++)
        pthread_join(thread[k], NULL);
    return sum[0] + sum[1] + sum[2] + sum[3] == 800 ? 0 : 2;
}

static int end_with(void *user)
{
    return *(int *)user;
}

/* ---- Results ------------------------------------------------------------- */

static bool writes(const char *place, const char *name)
{
    char path[1000];
    Fault f = {0};
    snprintf(path, sizeof path, "%s/%s", place, name);
    return file_put(path, "new", 3, &f) == STATUS_OK &&
           file_add(path, "er", 2, &f) == STATUS_OK;
}

static int leave_results(void *user)
{
    Stage s;
    Fault f = {0};
    char path[1000], to[1000];
    (void)user;
    if (stage_borrow(&s, &guard_keeper, &f) != STATUS_OK)
        return 1;
    const char *place = stage_path(&s);
    snprintf(path, sizeof path, "%s/1", place);
    if (!writes(place, "summary.json") || dir_make(place, &f) != STATUS_OK ||
        dir_make(path, &f) != STATUS_OK || !writes(path, "run"))
        return 2;
    snprintf(path, sizeof path, "%s/1/run", place);
    snprintf(to, sizeof to, "%s/run", place);
    if (rename(path, to) != 0)
        return 3;
    if (writes(place, "../evil") || writes(place, "..") ||
        writes(place, "1/../../evil") || writes(folder.path, "evil") ||
        writes(place, "none/x"))
        return 4;
    snprintf(to, sizeof to, "%s/evil", folder.path);
    snprintf(path, sizeof path, "%s/run", place);
    if (rename(path, to) == 0)
        return 5;
    return stage_commit(&s, NULL, "", &f) == STATUS_OK ? 0 : 6;
}

static void test_results(void)
{
    Fault f = {0};
    Buffer text = {0};
    int status = -1;
    char model[400], dir[400];
    snprintf(dir, sizeof dir, "%s/out", folder.path);
    snprintf(model, sizeof model, "%s/in/m.cosy", folder.path);
    GuardPlan g = {
        .model = model, .limits = guard_usual, .results = dir, .own = own_all};
    CHECK(guard_run(&g, leave_results, NULL, &status, &f) == STATUS_OK);
    CHECK(status == 0);
    if (status)
        printf("status %d\n", status);
    CHECK(file_read(folder_file(&folder, "out/run"), &text, &f) == STATUS_OK);
    CHECK_TEXT(buffer_string(&text), "newer");
    CHECK(access(folder_file(&folder, "out/1"), F_OK) != 0);
    CHECK(access(folder_file(&folder, "evil"), F_OK) != 0);
    buffer_free(&text);
}

/* More and more, until it is refused. */
static int fill(void *user)
{
    Stage s;
    Fault f = {0};
    char path[1000];
    static char part[1 << 20];
    if (stage_borrow(&s, &guard_keeper, &f) != STATUS_OK)
        return 1;
    for (int k = 0; k < 1000; k++) {
        snprintf(path, sizeof path, "%s/%d", stage_path(&s),
                 *(int *)user ? k : 0);
        if (file_add(path, part, *(int *)user == 1 ? 1 : sizeof part, &f) !=
            STATUS_OK)
            return 10;
        if (*(int *)user == 2)
            poll(NULL, 0, 30);
    }
    return 2;
}

static void test_full(void)
{
    int many = 0;
    Status how;
    Fault f;
    GuardLimits l = guard_usual;
    l.results = 10 << 20;
    l.files = 100;
    CHECK(run_with(&l, fill, &many, &how, &f) == 10 && how == STATUS_OK);
    many = 1;
    CHECK(run_with(&l, fill, &many, &how, &f) == 10 && how == STATUS_OK);
    many = 2; // files that together are too long
    run_with(&l, fill, &many, &how, &f);
    CHECK(how == STATUS_LIMIT && strstr(f.text, "more room"));
}

/* ---- Ends ---------------------------------------------------------------- */

static int for_ever(void *user)
{
    (void)user;
    for (volatile int k = 0; k >= 0;)
        k = 0;
    return 0;
}

static int sleep_for_ever(void *user)
{
    (void)user;
    while (poll(NULL, 0, 1000) == 0)
        ;
    return 0;
}

/* The door is shut, or half a question is asked, or no answer is read. */
static int shut(void *user)
{
    close(DOOR);
    return sleep_for_ever(user);
}

static int stammer(void *user)
{
    (void)!write(DOOR, "abc", 3);
    return sleep_for_ever(user);
}

static int shout(void *user)
{
    DoorRequest q = {.ask = ASK_STAT};
    while (write(DOOR, &q, sizeof q) > 0)
        ;
    return sleep_for_ever(user);
}

static int ask_nonsense(void *user)
{
    DoorRequest q;
    DoorReply r;
    int fd;
    (void)user;
    for (unsigned k = 0; k < 50; k++) {
        memset(&q, 0xff, sizeof q);
        q.ask = k < 20 && k != ASK_COMPILE && k != ASK_UNPROTECTED ? k : ~k;
        if (!door_write(DOOR, &q, sizeof q) || !door_receive(DOOR, &r, &fd) ||
            fd >= 0)
            return 1;
    }
    q.ask = ASK_COMPILE; // longer than possible
    return door_write(DOOR, &q, sizeof q) && door_receive(DOOR, &r, &fd) &&
                   r.result != STATUS_OK
               ? 0
               : 2;
}

static int die(void *user)
{
    raise(*(int *)user);
    return 0;
}

/* System calls of 32 bits have other numbers: none of them is allowed. */
static int call_old(void *user)
{
    (void)user;
#if defined(__x86_64__)
    long number = 20; // getpid there, writev here
    __asm__ volatile("int $0x80" : "+a"(number) : : "memory");
    return (int)(number & 1);
#else
    raise(SIGSYS);
    return 0;
#endif
}

static int call_other(void *user)
{
    (void)user;
    return syscall(0x40000000 | SYS_getpid) == -1 ? 0 : 1;
}

static int eat(void *user)
{
    (void)user;
    for (int k = 0; k < 100; k++) {
        char *p = mmap(NULL, 10 << 20, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            return k;
        memset(p, 1, 10 << 20);
    }
    return 100;
}

static double wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Ended within seconds, whatever it is doing. */
static void check_ended(int (*body)(void *), const char *why)
{
    GuardLimits l = guard_usual;
    Status how;
    Fault f;
    double begun = wall();
    l.wall = 0.5;
    run_with(&l, body, NULL, &how, &f);
    CHECK(how == STATUS_LIMIT && strstr(f.text, why));
    if (how != STATUS_LIMIT)
        printf("%d: %s\n", (int)how, f.text);
    CHECK(wall() - begun < 5);
}

static void test_ends(void)
{
    Status how;
    Fault f;
    GuardLimits l = guard_usual;
    int seven = 7, user = SIGUSR1, ill = SIGABRT;
    CHECK(run_body(end_with, &seven) == 7);
    check_ended(for_ever, "--limit-wall");
    check_ended(sleep_for_ever, "--limit-wall");
    check_ended(shut, "--limit-wall");
    check_ended(stammer, "--limit-wall");
    check_ended(shout, "");
    CHECK(run_body(ask_nonsense, NULL) == 0);
    run_with(&l, die, &user, &how, &f);
    CHECK(how == STATUS_MODEL && strstr(f.text, "signal 10"));
    run_with(&l, die, &ill, &how, &f);
    CHECK(how == STATUS_MODEL);
    run_with(&l, call_old, NULL, &how, &f);
    CHECK(how == STATUS_MODEL && strstr(f.text, "signal 31"));
    int other = run_with(&l, call_other, NULL, &how, &f);
    CHECK(how == STATUS_MODEL || other == 0); // killed, or refused
    l.cpu = 1;
    run_with(&l, for_ever, NULL, &how, &f);
    CHECK(how == STATUS_LIMIT && strstr(f.text, "--limit-cpu"));
    l = guard_usual;
    l.memory = 100 << 20;
    int had = run_with(&l, eat, NULL, &how, &f);
    CHECK(how == STATUS_OK && had > 2 && had < 11);
}

/* ---- All ----------------------------------------------------------------- */

static void make_files(void)
{
    Fault f = {0};
    static const char *const names[] = {"in/m.cosy", "in/data", "secret",
                                        "in/inner/data"};
    char target[400];
    CHECK(dir_make(folder_file(&folder, "in/inner"), &f) == STATUS_OK);
    for (size_t k = 0; k < LENGTH(names); k++)
        CHECK(file_put(folder_file(&folder, names[k]), "data", 5, &f) ==
              STATUS_OK);
    snprintf(target, sizeof target, "%s/secret", folder.path);
    CHECK(symlink(target, folder_file(&folder, "in/link")) == 0);
    CHECK(symlink("..", folder_file(&folder, "in/out")) == 0);
    CHECK(symlink("../../secret", folder_file(&folder, "in/inner/up")) == 0);
    CHECK(mkfifo(folder_file(&folder, "in/pipe"), 0666) == 0);
}

int main(void)
{
    folder_make(&folder);
    make_files();
    CHECK(run_body(break_out, NULL) == 0);
    test_paths();
    CHECK(run_body(read_files, NULL) == 15);
    CHECK(run_body(use_threads, NULL) == 0);
    test_results();
    test_full();
    test_ends();
    folder_remove(&folder);
    return check_end();
}
