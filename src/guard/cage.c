#define _GNU_SOURCE // CLONE_THREAD, ucontext
#include "guard/cage.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "base/macros.h"
#include "guard/door.h"
#include "guard/registers.h"

/* ---- Questions ----------------------------------------------------------- */

/* One thread speaks at a time. A signal handler cannot be passed what it
   shares. */
static atomic_flag speaking = ATOMIC_FLAG_INIT;

/* Sends a request, followed by `n` bytes of text, and receives the reply. */
static bool ask(const DoorRequest *q, const char *text, size_t n, DoorReply *r,
                int *fd)
{
    while (atomic_flag_test_and_set_explicit(&speaking, memory_order_acquire))
        sched_yield();
    bool heard = door_write(DOOR, q, sizeof *q) &&
                 (n == 0 || door_write(DOOR, text, n)) &&
                 door_receive(DOOR, r, fd);
    atomic_flag_clear_explicit(&speaking, memory_order_release);
    return heard;
}

Status guard_compile(const char *text, size_t n, uint32_t precision, int *fd,
                     Fault *f)
{
    DoorRequest q = {.ask = ASK_COMPILE, .precision = precision, .length = n};
    DoorReply r;
    if (n > DOOR_TEXT_MOST)
        return fault_set(f, STATUS_LIMIT,
                         "the C of this model has more than %d MB",
                         DOOR_TEXT_MOST >> 20);
    if (!ask(&q, text, n, &r, fd))
        return fault_set(f, STATUS_STOPPED, "the compiler is gone");
    if (r.result == STATUS_OK && *fd < 0)
        return fault_set(f, STATUS_MEMORY, "no room for another descriptor");
    r.text[sizeof r.text - 1] = '\0';
    return r.result == STATUS_OK ? STATUS_OK
                                 : fault_set(f, (Status)r.result, "%s", r.text);
}

static Status ask_stage(DoorAsk what, DoorReply *r, Fault *f)
{
    DoorRequest q = {.ask = what};
    int fd;
    if (!ask(&q, NULL, 0, r, &fd))
        return fault_set(f, STATUS_STOPPED, "the results cannot be written");
    r->text[sizeof r->text - 1] = '\0';
    return r->result == STATUS_OK
               ? STATUS_OK
               : fault_set(f, (Status)r->result, "%s", r->text);
}

static Status keeper_open(Buffer *place, Fault *f)
{
    DoorReply r;
    TRY(ask_stage(ASK_STAGE, &r, f));
    buffer_text(place, r.text);
    return place->broken ? STATUS_MEMORY : STATUS_OK;
}

static Status keeper_commit(Fault *f)
{
    DoorReply r;
    return ask_stage(ASK_COMMIT, &r, f);
}

static void keeper_discard(void)
{
    DoorReply r;
    Fault ignored = {0};
    ask_stage(ASK_DISCARD, &r, &ignored);
}

const StageKeeper guard_keeper = {keeper_open, keeper_commit, keeper_discard};

/* ---- System calls that become questions ---------------------------------- */

/* The calls with a path, and which argument it is. `folder` is the argument
   with the descriptor of a folder; -1: there is none. */
typedef struct Call {
    int number;
    DoorAsk what;
    int folder, path, to;
    int flags, mode; // arguments; -1: none
} Call;

static const Call calls[] = {
#ifdef SYS_open
    {SYS_open, ASK_OPEN, -1, 0, -1, 1, 2},
    {SYS_creat, ASK_OPEN, -1, 0, -1, -1, 1},
    {SYS_stat, ASK_STAT, -1, 0, -1, -1, -1},
    {SYS_lstat, ASK_STAT, -1, 0, -1, -1, -1},
    {SYS_access, ASK_STAT, -1, 0, -1, -1, -1},
    {SYS_mkdir, ASK_FOLDER, -1, 0, -1, -1, 1},
    {SYS_rename, ASK_RENAME, -1, 0, 1, -1, -1},
    {SYS_unlink, ASK_REMOVE, -1, 0, -1, -1, -1},
    {SYS_rmdir, ASK_REMOVE, -1, 0, -1, -1, -1},
#endif
    {SYS_openat, ASK_OPEN, 0, 1, -1, 2, 3},
    {SYS_newfstatat, ASK_STAT, 0, 1, -1, 3, -1},
    {SYS_faccessat, ASK_STAT, 0, 1, -1, -1, -1},
    {SYS_faccessat2, ASK_STAT, 0, 1, -1, -1, -1},
    {SYS_mkdirat, ASK_FOLDER, 0, 1, -1, -1, 2},
    {SYS_renameat, ASK_RENAME, 0, 1, 3, -1, -1},
    {SYS_renameat2, ASK_RENAME, 0, 1, 3, -1, -1},
    {SYS_unlinkat, ASK_REMOVE, 0, 1, -1, 2, -1},
};

static bool copy_path(char to[DOOR_PATH], uint64_t address)
{
    const char *from = (const char *)(uintptr_t)address;
    size_t n = from ? strnlen(from, DOOR_PATH) : DOOR_PATH;
    if (n == DOOR_PATH)
        return false;
    memcpy(to, from, n + 1);
    return true;
}

/* The loader uses this name to open a descriptor that it was given: no question
   is needed. */
static int own_descriptor(const char *path)
{
    static const char own[] = "/proc/self/fd/";
    int n = 0;
    if (strncmp(path, own, sizeof own - 1) != 0 || !path[sizeof own - 1])
        return -1;
    for (const char *s = path + sizeof own - 1; *s; s++) {
        if (*s < '0' || *s > '9' || n > 10000)
            return -1;
        n = 10 * n + (*s - '0');
    }
    return n;
}

static int64_t open_own(int n)
{
    int fd = fcntl(n, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    lseek(fd, 0, SEEK_SET);
    return fd;
}

static bool is_access(int number)
{
#ifdef SYS_access
    if (number == SYS_access)
        return true;
#endif
    return number == SYS_faccessat || number == SYS_faccessat2;
}

/* Where stat stores its result. */
static struct stat *stat_place(const Call *c, const ucontext_t *u)
{
    return (struct stat *)(uintptr_t)call_argument(u, (unsigned)c->path + 1);
}

static void set_flags(DoorRequest *q, const Call *c, const ucontext_t *u)
{
    if (c->flags >= 0)
        q->flags = (int32_t)call_argument(u, (unsigned)c->flags);
    if (c->mode >= 0)
        q->mode = (uint32_t)call_argument(u, (unsigned)c->mode);
#ifdef SYS_open
    if (c->number == SYS_creat)
        q->flags = O_CREAT | O_WRONLY | O_TRUNC;
    if (c->number == SYS_rmdir)
        q->flags = 1;
#endif
    if (c->number == SYS_unlinkat)
        q->flags = (q->flags & AT_REMOVEDIR) != 0;
}

static int64_t answer(const Call *c, const ucontext_t *u)
{
    DoorRequest q = {.ask = (uint32_t)c->what};
    DoorReply r;
    int fd = -1, own;
    int folder =
        c->folder < 0 ? AT_FDCWD : (int)call_argument(u, (unsigned)c->folder);
    if (!copy_path(q.path, call_argument(u, (unsigned)c->path)) ||
        (c->to >= 0 && !copy_path(q.to, call_argument(u, (unsigned)c->to))))
        return -ENAMETOOLONG;
    set_flags(&q, c, u);
    if (c->number == SYS_newfstatat && !q.path[0] &&
        (q.flags & AT_EMPTY_PATH)) // fstat, for a descriptor that is open
        return syscall(SYS_fstat, folder, stat_place(c, u)) == 0 ? 0 : -errno;
    own = own_descriptor(q.path);
    if (own >= 0 && c->what == ASK_OPEN)
        return open_own(own);
    if (own >= 0 && is_access(c->number))
        return fcntl(own, F_GETFD) >= 0 ? 0 : -ENOENT;
    if (folder != AT_FDCWD && q.path[0] != '/')
        return -EACCES;
    if (!ask(&q, NULL, 0, &r, &fd))
        return -EIO;
    if (r.result == 0 && c->what == ASK_STAT && !is_access(c->number))
        *stat_place(c, u) = r.about;
    return r.result == 0 && c->what == ASK_OPEN ? (fd < 0 ? -EMFILE : fd)
                                                : r.result;
}

static void on_call(int signal_number, siginfo_t *info, void *context)
{
    int before = errno;
    int64_t result = -EACCES;
    (void)signal_number;
    for (size_t k = 0; k < LENGTH(calls); k++)
        if (calls[k].number == info->si_syscall)
            result = answer(&calls[k], context);
    call_result(context, result);
    errno = before;
}

/* ---- What may be done ---------------------------------------------------- */

/* Calls that touch nothing but this process and what it has open. */
static const int harmless[] = {
    SYS_read,
    SYS_write,
    SYS_readv,
    SYS_writev,
    SYS_pread64,
    SYS_pwrite64,
    SYS_close,
    SYS_fstat,
    SYS_lseek,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_mprotect,
    SYS_futex,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_set_robust_list,
    SYS_set_tid_address,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_getpid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getppid,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_times,
    SYS_getrusage,
    SYS_ppoll,
    SYS_getcwd,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrandom,
    SYS_exit,
    SYS_exit_group,
    SYS_restart_syscall,
    SYS_fsync,
    SYS_fdatasync,
    SYS_getdents64,
    SYS_dup,
    SYS_setitimer,
    SYS_getitimer,
#ifdef SYS_rseq
    SYS_rseq,
#endif
#ifdef SYS_alarm
    SYS_alarm,
#endif
#ifdef SYS_poll
    SYS_poll,
#endif
#ifdef SYS_time
    SYS_time,
#endif
#ifdef SYS_arch_prctl
    SYS_arch_prctl,
#endif
};

/* What ioctl may ask a terminal: nothing that feigns its user's input. */
static const unsigned long looks[] = {TCGETS, TIOCGWINSZ};
static const int handles[] = {F_GETFD, F_SETFD, F_GETFL, F_DUPFD,
                              F_DUPFD_CLOEXEC};

#define ALLOW(f, call, ...)                                                    \
    seccomp_rule_add(f, SCMP_ACT_ALLOW, call, __VA_ARGS__)

/* Calls whose arguments matter. */
static int add_conditions(scmp_filter_ctx f)
{
    const scmp_datum_t others = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                                CLONE_NEWNET | CLONE_PTRACE | CLONE_VFORK;
    const scmp_datum_t thread = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND;
    int bad = 0;
    /* Threads, not processes. The flags of clone3 cannot be examined: the C
       library uses clone if clone3 is missing. */
    bad |= ALLOW(f, SYS_clone, 1,
                 SCMP_A0(SCMP_CMP_MASKED_EQ, others | thread, thread));
    bad |= seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SYS_clone3, 0);
    /* Neither shared memory nor growing stacks count towards the memory
       limit. */
    bad |= ALLOW(f, SYS_mmap, 1,
                 SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_SHARED | MAP_GROWSDOWN, 0));
    bad |=
        ALLOW(f, SYS_tgkill, 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));
    bad |= ALLOW(f, SYS_recvmsg, 1, SCMP_A0(SCMP_CMP_EQ, DOOR));
    /* Limits can be read. */
    bad |= ALLOW(f, SYS_prlimit64, 2, SCMP_A0(SCMP_CMP_EQ, 0),
                 SCMP_A2(SCMP_CMP_EQ, 0));
    for (size_t k = 0; k < LENGTH(looks); k++)
        bad |= ALLOW(f, SYS_ioctl, 1, SCMP_A1(SCMP_CMP_EQ, looks[k]));
    for (size_t k = 0; k < LENGTH(handles); k++)
        bad |= ALLOW(f, SYS_fcntl, 1,
                     SCMP_A1(SCMP_CMP_EQ, (scmp_datum_t)handles[k]));
    return bad;
}

/* Everything else fails with EPERM; calls of another architecture end the
   process. */
static int load_filter(void)
{
    scmp_filter_ctx f = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int bad = 0;
    if (!f)
        return ENOMEM;
    bad |= seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    for (size_t k = 0; k < LENGTH(harmless); k++)
        bad |= ALLOW(f, harmless[k], 0);
    for (size_t k = 0; k < LENGTH(calls); k++)
        bad |= seccomp_rule_add(f, SCMP_ACT_TRAP, calls[k].number, 0);
    bad |= add_conditions(f);
    int loaded = bad ? -EINVAL : seccomp_load(f);
    seccomp_release(f);
    return loaded < 0 ? -loaded : 0;
}

/* ---- Limits -------------------------------------------------------------- */

/* Bytes of private memory that this process has; 0: not known. */
static uint64_t has_memory(void)
{
    char text[200];
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    uint64_t pages = 0;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *s = text;
    for (int k = 0; k < 5 && *s; k++) // the sixth number
        s += strcspn(s, " ") + 1;
    for (; *s >= '0' && *s <= '9'; s++)
        pages = 10 * pages + (uint64_t)(*s - '0');
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The soft limit: programs that are started may set their own. */
static int limit_memory(uint64_t bytes, bool hard)
{
    struct rlimit l;
    uint64_t all = has_memory() + bytes;
    if (getrlimit(RLIMIT_DATA, &l) != 0)
        return errno;
    if (l.rlim_max == RLIM_INFINITY || all < l.rlim_max)
        l.rlim_cur = all;
    if (hard)
        l.rlim_max = l.rlim_cur;
    return setrlimit(RLIMIT_DATA, &l) == 0 ? 0 : errno;
}

Status guard_memory(uint64_t bytes, Fault *f)
{
    int bad = limit_memory(bytes, false);
    return !bad ? STATUS_OK
                : fault_set(f, STATUS_FILE,
                            "--limit-memory: memory cannot be limited here: %s",
                            strerror(bad));
}

static int set_limit(int which, rlim_t soft, rlim_t hard)
{
    struct rlimit l = {soft, hard}, now;
    if (getrlimit((__rlimit_resource_t)which, &now) != 0)
        return errno;
    if (now.rlim_max != RLIM_INFINITY && l.rlim_max > now.rlim_max)
        l.rlim_max = now.rlim_max;
    if (l.rlim_cur > l.rlim_max)
        l.rlim_cur = l.rlim_max;
    return setrlimit((__rlimit_resource_t)which, &l) == 0 ? 0 : errno;
}

enum { STACK_MOST = 64 << 20, THREADS_MOST = 8192 };

static int set_limits(const GuardLimits *l)
{
    rlim_t cpu = (rlim_t)(l->cpu < 1 ? 1 : l->cpu > 1e9 ? 1e9 : l->cpu + 0.5);
    int bad = set_limit(RLIMIT_CPU, cpu, cpu + 5);
    if (!bad)
        bad = set_limit(RLIMIT_FSIZE, l->results, l->results);
    if (!bad)
        bad = set_limit(RLIMIT_CORE, 0, 0);
    if (!bad)
        bad = set_limit(RLIMIT_NOFILE, 256, 256);
    if (!bad)
        bad = set_limit(RLIMIT_STACK, STACK_MOST, STACK_MOST);
    if (!bad) // threads, counting all of this user's
        bad = set_limit(RLIMIT_NPROC, THREADS_MOST, THREADS_MOST);
    return bad ? bad : limit_memory(l->memory, true);
}

/* ---- The cage ------------------------------------------------------------ */

/* Nothing of the parent's is inherited. The input is empty. */
static int close_rest(void)
{
    int none = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (none < 0 || dup2(none, STDIN_FILENO) < 0)
        return errno;
    if (syscall(SYS_close_range, DOOR + 1, ~0U, 0) == 0)
        return 0;
    for (int fd = DOOR + 1, end = (int)sysconf(_SC_OPEN_MAX); fd < end; fd++)
        close(fd);
    return 0;
}

/* A file that grows too long is a write error, not a signal. */
static int set_signals(void)
{
    struct sigaction call = {.sa_sigaction = on_call,
                             .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    struct sigaction none = {.sa_handler = SIG_IGN};
    return sigaction(SIGSYS, &call, NULL) == 0 &&
                   sigaction(SIGXFSZ, &none, NULL) == 0
               ? 0
               : errno;
}

int cage_close(const GuardLimits *l)
{
    if (!GUARD_KNOWN)
        return ENOSYS;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return errno;
    int bad = close_rest();
    if (!bad)
        bad = set_signals();
    if (!bad)
        bad = set_limits(l);
    return bad ? bad : load_filter();
}
