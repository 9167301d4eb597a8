/* Loading: what compilers get, the cache, cc and tcc failing or missing, cc in
   the background, libraries of EXTERNAL functions. The bits that both compilers
   give are compared in tests/contract/test_backends.c. */

#include "load/load.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/buffer.h"
#include "check.h"
#include "cosy/model.h"
#include "folder.h"
#include "load/cache.h"
#include "load/source.h"

/* dx = 2 x + 1, and whatever `more` holds. */
#define MODEL(more)                                                            \
    "#include \"cosy/model.h\"\n" more                                         \
    "static CosyStatus derivatives(Cosy *c, real t, const real *x, "           \
    "real *dx)\n"                                                              \
    "{\n"                                                                      \
    "    dx[0] = R(2.0) * x[0] + R(1.0);\n"                                    \
    "    return COSY_OK;\n"                                                    \
    "}\n"                                                                      \
    "const CosyModel COSY_NAME(cosy_model) = {\n"                              \
    "    .version = COSY_VERSION, .precision = COSY_PRECISION,\n"              \
    "    .real_size = sizeof(real), .derivatives = derivatives};\n"

static const char plain[] = MODEL("");

static Folder folder;
static char cache[200]; // in the folder

static LoadRequest request(const char *text, LoadBackend backend)
{
    return (LoadRequest){.name = "model.c",
                         .text = text,
                         .length = strlen(text),
                         .precision = 1,
                         .backend = backend,
                         .cache = cache,
                         .patience = -1};
}

/* Value of the model at 3: 7. */
static double value_of(const void *model)
{
    const CosyModel *m = model;
    double x = 3.0, dx = 0.0;
    if (m && m->derivatives)
        m->derivatives(NULL, 0.0, &x, &dx);
    return dx;
}

static Status compile(Loaded *l, const LoadRequest *r, Fault *f)
{
    *f = (Fault){0};
    return load_compile(l, r, f);
}

static bool holds(const char *text, const char *part)
{
    if (strstr(text, part))
        return true;
    printf("no \"%s\" in: %s\n", part, text);
    return false;
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Files in the cache whose names have this ending. */
static int count_files(const char *end)
{
    DIR *d = opendir(cache);
    struct dirent *e;
    int n = 0;
    while (d && (e = readdir(d)) != NULL) {
        size_t length = strlen(e->d_name), tail = strlen(end);
        n += length >= tail && strcmp(e->d_name + length - tail, end) == 0 &&
             e->d_name[0] != '.';
    }
    if (d)
        closedir(d);
    return n;
}

/* Name of the only .so in the cache, static. */
static const char *only_file(void)
{
    static char path[600];
    DIR *d = opendir(cache);
    struct dirent *e;
    path[0] = '\0';
    while (d && (e = readdir(d)) != NULL)
        if (strstr(e->d_name, ".so"))
            snprintf(path, sizeof path, "%s/%.255s", cache, e->d_name);
    if (d)
        closedir(d);
    return path;
}

static void write_bytes(const char *path, const char *text, size_t n)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(text, 1, n, file) == n);
    if (file)
        fclose(file);
}

static void empty_cache(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", cache);
    CHECK(system(command) == 0);
}

/* A compiler that is a script: its path, static. */
static const char *compiler(const char *name, const char *script)
{
    static char path[600];
    Buffer b = {0};
    snprintf(path, sizeof path, "%s/%s", folder.path, name);
    buffer_format(&b, "#!/bin/sh\n%s\n", script);
    write_bytes(path, buffer_string(&b), b.v.used);
    buffer_free(&b);
    CHECK(chmod(path, 0755) == 0);
    return path;
}

/* ---- What compilers get --------------------------------------------------- */

static void test_source(void)
{
    static const char text[] = "int before;\n#include \"cosy/model.h\"\n"
                               "int after;";
    Buffer b = {0};
    Source s = {"a\"b.c", text, sizeof text - 1, 2};
    source_write(&b, &s, false);
    const char *all = buffer_string(&b);
    CHECK(strncmp(all, "#define COSY_PRECISION 2\n#line 1 \"a_b.c\"\nint",
                  43) == 0);
    CHECK(strstr(all, "#include \"cosy/model.h\"") == NULL);
    CHECK(strstr(all, "struct CosyModel {") != NULL);
    CHECK(strstr(all, "#line 3 \"a_b.c\"\nint after;") != NULL);
    CHECK(strstr(all, "define COSY_BARE") == NULL);
    buffer_free(&b);
    source_write(&b, &s, true);
    CHECK(strstr(buffer_string(&b), "define COSY_BARE") != NULL);
    buffer_free(&b);
    CHECK(source_precision("x\n#define COSY_PRECISION 3\n", 26) == 3);
    CHECK(source_precision("x\n#define COSY_PRECISION 4\n", 26) == 1);
    CHECK(source_precision("x\n#define COSY_PRECISION ", 24) == 1);
    CHECK(source_precision("", 0) == 1);
}

/* A mistake is reported at its line of the generated C. */
static void test_lines(void)
{
    static const char text[] =
        "int a;\n#include \"cosy/model.h\"\n\nint b = c;";
    Loaded l;
    Fault f;
    for (int k = 0; k < 2; k++) {
        LoadRequest r = request(text, k ? LOAD_TCC : LOAD_CC);
        if (k && !tiny_present())
            continue;
        CHECK(compile(&l, &r, &f) != STATUS_OK);
        CHECK(holds(f.text, "model.c:4"));
        load_close(&l);
    }
    CHECK(count_files("") == 0);
}

/* ---- Cache ------------------------------------------------------------------ */

static void check_cc(const LoadRequest *r, bool cached)
{
    Loaded l;
    Fault f;
    CHECK(compile(&l, r, &f) == STATUS_OK);
    CHECK(l.backend == LOAD_CC && l.cached == cached);
    CHECK(value_of(l.model) == 7.0);
    CHECK(l.note[0] == '\0');
    load_close(&l);
    CHECK(count_files(".part") == 0 && count_files(".c") == 0);
}

static void test_cache(void)
{
    LoadRequest r = request(plain, LOAD_CC);
    empty_cache();
    check_cc(&r, false);
    CHECK(count_files(".so") == 1);
    check_cc(&r, true);
    r.backend = LOAD_AUTO;
    check_cc(&r, true);
    r = request(MODEL("int more;\n"), LOAD_CC);
    check_cc(&r, false);
    CHECK(count_files(".so") == 2);
    r = request(plain, LOAD_CC);
    r.cc = "  cc\t-g ";
    check_cc(&r, false);
    check_cc(&r, true);
    CHECK(count_files(".so") == 3);
}

static void test_precisions(void)
{
    Loaded l;
    Fault f;
    for (uint32_t p = 2; p <= 3; p++) {
        LoadRequest r = request(plain, LOAD_CC);
        int before = count_files(".so");
        r.precision = p;
        CHECK(compile(&l, &r, &f) == STATUS_OK && l.precision == p);
        CHECK(count_files(".so") == before + 1);
        load_close(&l);
    }
}

/* Whatever has the name, it is compiled again if it is not the model. */
static void test_damaged(void)
{
    LoadRequest r = request(plain, LOAD_CC);
    Buffer whole = {0}, other = {0};
    Fault f = {0};
    empty_cache();
    check_cc(&r, false);
    CHECK(file_read(only_file(), &whole, &f) == STATUS_OK);
    CHECK(file_read("/bin/true", &other, &f) == STATUS_OK);
    size_t lengths[] = {0, 4, 100, whole.v.used / 2, whole.v.used - 1};
    for (size_t k = 0; k < LENGTH(lengths); k++) {
        write_bytes(only_file(), (const char *)whole.v.bytes, lengths[k]);
        check_cc(&r, false);
        check_cc(&r, true);
    }
    write_bytes(only_file(), plain, sizeof plain);
    check_cc(&r, false);
    write_bytes(only_file(), (const char *)other.v.bytes, other.v.used);
    check_cc(&r, false);
    CHECK(count_files(".so") == 1);
    buffer_free(&whole);
    buffer_free(&other);
}

static mode_t mode_of(const char *path)
{
    struct stat s = {0};
    CHECK(stat(path, &s) == 0);
    return s.st_mode & 07777;
}

/* Changes one byte of the only file. */
static void damage(const Buffer *whole, size_t at)
{
    Buffer copy = {0};
    buffer_bytes(&copy, (const char *)whole->v.bytes, whole->v.used);
    copy.v.bytes[at] ^= 0x10;
    write_bytes(only_file(), (const char *)copy.v.bytes, copy.v.used);
    buffer_free(&copy);
}

/* A file with a changed byte is not used, wherever the byte is: it would be
   run, not noticed. */
static void test_flipped(void)
{
    LoadRequest r = request(plain, LOAD_CC);
    Buffer whole = {0};
    Fault f = {0};
    empty_cache();
    check_cc(&r, false);
    CHECK(file_read(only_file(), &whole, &f) == STATUS_OK);
    for (size_t k = 0; k < 7; k++) {
        damage(&whole, k * (whole.v.used - 1) / 6);
        check_cc(&r, false);
    }
    check_cc(&r, true);
    buffer_free(&whole);
}

/* Nobody else can write or read the files in the cache, whatever the umask, and
   what somebody else could have written is not run. */
static void test_private(void)
{
    static const mode_t masks[] = {0, 002, 022, 077};
    LoadRequest r = request(plain, LOAD_CC);
    for (size_t k = 0; k < LENGTH(masks); k++) {
        empty_cache();
        mode_t before = umask(masks[k]);
        check_cc(&r, false);
        umask(before);
        CHECK(mode_of(cache) == 0700);
        CHECK(mode_of(only_file()) == 0600);
    }
    CHECK(chmod(only_file(), 0644) == 0);
    check_cc(&r, false);
    CHECK(mode_of(only_file()) == 0600);
    CHECK(chmod(cache, 0755) == 0);
    check_cc(&r, true);
    CHECK(mode_of(cache) == 0700);
    if (geteuid() == 0) {
        CHECK(chown(only_file(), 1234, 1234) == 0);
        check_cc(&r, false);
    }
}

/* Complete, but under the name of another model. */
static void test_exchanged(void)
{
    char first[600];
    LoadRequest r = request(plain, LOAD_CC);
    LoadRequest other = request(MODEL("int more;\n"), LOAD_CC);
    Buffer whole = {0};
    Fault f = {0};
    empty_cache();
    check_cc(&r, false);
    CHECK(file_read(only_file(), &whole, &f) == STATUS_OK);
    snprintf(first, sizeof first, "%s", only_file());
    CHECK(unlink(first) == 0);
    check_cc(&other, false);
    write_bytes(only_file(), (const char *)whole.v.bytes, whole.v.used);
    check_cc(&other, false);
    /* A link to it does not count, and neither does a folder. */
    CHECK(rename(only_file(), first) == 0);
    CHECK(rename(first, folder_file(&folder, "moved")) == 0);
    CHECK(symlink(folder_file(&folder, "moved"), first) == 0);
    check_cc(&r, false);
    check_cc(&r, true);
    buffer_free(&whole);
}

static void check_refused(const LoadRequest *r, const char *said)
{
    Loaded l;
    Fault f;
    CHECK(compile(&l, r, &f) == STATUS_FILE);
    CHECK(holds(f.text, said) && holds(f.text, "COSY_CACHE"));
    load_close(&l);
}

/* Where others may write, nothing is kept and nothing is run. */
static void test_open_places(void)
{
    char above[300], below[400];
    LoadRequest r = request(plain, LOAD_CC);
    snprintf(above, sizeof above, "%s/above", folder.path);
    snprintf(below, sizeof below, "%s/new/cache", above);
    empty_cache();
    check_cc(&r, false);
    CHECK(chmod(cache, 0777) == 0);
    check_refused(&r, "can be written by others");
    CHECK(chmod(cache, 0770) == 0);
    check_refused(&r, "can be written by others");
    CHECK(mkdir(above, 0777) == 0 && chmod(above, 0777) == 0);
    r.cache = below;
    check_refused(&r, "above/ can be written by others");
    CHECK(access(below, F_OK) != 0);
    CHECK(chmod(above, 01777) == 0);
    CHECK(setenv("COSY_CACHE", below, 1) == 0);
    r.cache = NULL;
    for (int k = 0; k < 2; k++) {
        Loaded l;
        Fault f;
        CHECK(compile(&l, &r, &f) == STATUS_OK && l.cached == (k > 0));
        load_close(&l);
    }
    CHECK(mode_of(below) == 0700);
    if (geteuid() == 0) {
        CHECK(chown(below, 1234, 1234) == 0);
        check_refused(&r, "belongs to another user");
        CHECK(chown(below, 0, 0) == 0 && chown(above, 1234, 1234) == 0);
        check_refused(&r, "belongs to another user");
    }
    unsetenv("COSY_CACHE");
}

/* The default folder is not used, and this is reported; if only the folder
   itself is open it is closed. */
static void test_usual_place(void)
{
    char home[300], kept[400];
    Loaded l;
    Fault f;
    LoadRequest r = request(plain, LOAD_CC);
    r.cache = NULL;
    snprintf(home, sizeof home, "%s/home", folder.path);
    snprintf(kept, sizeof kept, "%s/cosy", home);
    unsetenv("COSY_CACHE");
    setenv("XDG_CACHE_HOME", home, 1);
    CHECK(mkdir(home, 0700) == 0 && mkdir(kept, 0700) == 0);
    CHECK(chmod(kept, 0777) == 0);
    CHECK(compile(&l, &r, &f) == STATUS_OK && l.note[0] == '\0');
    load_close(&l);
    CHECK(mode_of(kept) == 0700);
    CHECK(chmod(home, 0777) == 0);
    CHECK(compile(&l, &r, &f) == STATUS_OK && !l.cached);
    CHECK(value_of(l.model) == 7.0);
    CHECK(holds(l.note, "can be written by others"));
    load_close(&l);
    unsetenv("XDG_CACHE_HOME");
}

/* An impossible cache: a temporary folder is used, and nothing is left. */
static void test_no_cache(void)
{
    Loaded l;
    Fault f;
    Folder place;
    LoadRequest r = request(plain, LOAD_CC);
    folder_make(&place);
    setenv("TMPDIR", place.path, 1);
    r.cache = "/dev/null/cache";
    CHECK(compile(&l, &r, &f) == STATUS_OK && value_of(l.model) == 7.0);
    CHECK(holds(l.note, "COSY_CACHE"));
    CHECK(folder_count(&place) == 0);
    load_close(&l);
    r.backend = LOAD_AUTO;
    CHECK(compile(&l, &r, &f) == STATUS_OK && value_of(l.model) == 7.0);
    while (load_waiting(&l))
        pause_ms(5);
    CHECK(value_of(load_newest(&l)) == 7.0);
    CHECK(folder_count(&place) == 0);
    load_close(&l);
    setenv("TMPDIR", "/dev/null", 1);
    r.backend = LOAD_CC;
    CHECK(compile(&l, &r, &f) == STATUS_FILE);
    CHECK(holds(f.text, "COSY_CACHE"));
    load_close(&l);
    unsetenv("TMPDIR");
    folder_remove(&place);
}

static void make_file(const char *name, size_t size, time_t age)
{
    char path[600], bytes[4096] = {0};
    snprintf(path, sizeof path, "%s/%s", cache, name);
    FILE *file = fopen(path, "wb");
    for (size_t k = 0; file && k < size; k += sizeof bytes)
        fwrite(bytes, 1, sizeof bytes, file);
    if (file)
        fclose(file);
    struct timespec t[2] = {{time(NULL) - age, 0}, {time(NULL) - age, 0}};
    CHECK(utimensat(AT_FDCWD, path, t, 0) == 0);
}

static bool is_there(const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", cache, name);
    return access(path, F_OK) == 0;
}

/* The least recently used files go first; what is not the cache's stays. */
static void test_prune(void)
{
#define KEY(digit) digit digit digit digit digit digit digit digit
#define NAME(d)    KEY(d d d d d d d d) ".so"
    static const char *const name[] = {NAME("a"), NAME("b"), NAME("c")};
    const atomic_bool never = false;
    empty_cache();
    CHECK(mkdir(cache, 0700) == 0);
    make_file(name[0], 1 << 20, 300);
    make_file(name[1], 1 << 20, 500);
    make_file(name[2], 1 << 20, 400);
    make_file("mine.so", 1 << 20, 9999);
    make_file("0123456789abcdef-1-2.part", 10, 9999);
    make_file("0123456789abcdef-1-2.part.c", 10, 9999);
    make_file("0123456789abcdef-1-3.part.c", 10, 60);
    cache_prune(cache, 4 << 20, &never);
    CHECK(is_there(name[0]) && is_there(name[1]) && is_there(name[2]));
    CHECK(!is_there("0123456789abcdef-1-2.part"));
    CHECK(!is_there("0123456789abcdef-1-2.part.c"));
    CHECK(is_there("0123456789abcdef-1-3.part.c"));
    cache_prune(cache, 5 << 19, &never);
    CHECK(is_there(name[0]) && !is_there(name[1]) && is_there(name[2]));
    cache_prune(cache, 0, &never);
    CHECK(!is_there(name[0]) && !is_there(name[2]) && is_there("mine.so"));
    empty_cache();
}

/* The environment says where. */
static void test_places(void)
{
    static Place p;
    setenv("HOME", "/home/x", 1);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("COSY_CACHE");
    cache_place(&p, NULL, "k");
    CHECK_TEXT(p.final, "/home/x/.cache/cosy/k.so");
    setenv("XDG_CACHE_HOME", "/y", 1);
    cache_place(&p, NULL, "k");
    CHECK_TEXT(p.final, "/y/cosy/k.so");
    setenv("COSY_CACHE", "/z", 1);
    cache_place(&p, NULL, "k");
    CHECK_TEXT(p.final, "/z/k.so");
    cache_place(&p, "/w", "k");
    CHECK_TEXT(p.final, "/w/k.so");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("COSY_CACHE");
}

/* Many at once with one cache: all get their code, one file stays. */
static void test_at_once(void)
{
    enum { PROCESSES = 6 };
    pid_t child[PROCESSES];
    int good = 0;
    empty_cache();
    for (int k = 0; k < PROCESSES; k++) {
        child[k] = fork();
        if (child[k] == 0) {
            Loaded l;
            Fault f = {0};
            LoadRequest r = request(plain, LOAD_CC);
            bool ok = load_compile(&l, &r, &f) == STATUS_OK &&
                      value_of(l.model) == 7.0;
            _exit(ok ? 0 : 1);
        }
    }
    for (int k = 0; k < PROCESSES; k++) {
        int status = 1;
        good += waitpid(child[k], &status, 0) == child[k] && status == 0;
    }
    CHECK(good == PROCESSES);
    CHECK(count_files("") == 1 && count_files(".so") == 1);
}

/* ---- Compilers that are missing or fail ------------------------------------- */

static void test_no_compiler(void)
{
    Loaded l;
    Fault f;
    LoadRequest r = request(plain, LOAD_CC);
    r.cc = "no-such-compiler -O";
    CHECK(compile(&l, &r, &f) == STATUS_FILE);
    CHECK(holds(f.text, "no-such-compiler"));
    CHECK(holds(f.text, "CC"));
    if (tiny_present())
        CHECK(holds(f.text, "--backend=tcc"));
    load_close(&l);
    r.backend = LOAD_AUTO;
    if (tiny_present()) {
        CHECK(compile(&l, &r, &f) == STATUS_OK && value_of(l.model) == 7.0);
        CHECK(l.backend == LOAD_TCC && !load_waiting(&l));
        load_settle(&l);
        CHECK(l.note[0] == '\0');
    } else {
        CHECK(compile(&l, &r, &f) != STATUS_OK);
        CHECK(holds(f.text, "built without tcc"));
    }
    load_close(&l);
    r.precision = 3;
    CHECK(compile(&l, &r, &f) != STATUS_OK);
    CHECK(holds(f.text, "no-such-compiler"));
    load_close(&l);
}

/* cc fails: an error if it was requested, else a note. */
static void check_failing(const char *cc, const char *said)
{
    Loaded l;
    Fault f;
    LoadRequest r = request(plain, LOAD_CC);
    empty_cache();
    r.cc = cc;
    CHECK(compile(&l, &r, &f) == STATUS_UNSUPPORTED);
    CHECK(holds(f.text, said));
    load_close(&l);
    CHECK(count_files("") == 0);
    if (!tiny_present())
        return;
    r.backend = LOAD_AUTO;
    CHECK(compile(&l, &r, &f) == STATUS_OK);
    while (load_waiting(&l))
        pause_ms(5);
    CHECK(load_newest(&l) == l.model && value_of(l.model) == 7.0);
    load_settle(&l);
    CHECK(holds(l.note, said));
    CHECK(holds(l.note, "tcc"));
    load_close(&l);
    CHECK(count_files("") == 0);
}

static void test_failing(void)
{
    check_failing(compiler("bad", "echo strange flag >&2; exit 3"),
                  "exit status 3: strange flag");
    check_failing(compiler("killed", "kill -9 $$"), "signal 9");
    check_failing(compiler("lazy", "exit 0"), "exit status 1");
    check_failing(compiler("wrong", "while [ \"$1\" != -o ]; do shift; done\n"
                                    "echo nonsense >\"$2\""),
                  "is not a compiled model");
}

/* ---- tcc ----------------------------------------------------------------------- */

static void check_tcc(const char *text, Status expected, const char *said)
{
    Loaded l;
    Fault f;
    LoadRequest r = request(text, LOAD_TCC);
    CHECK(compile(&l, &r, &f) == expected);
    if (expected == STATUS_OK)
        CHECK(l.backend == LOAD_TCC && value_of(l.model) == 7.0);
    else
        CHECK(holds(f.text, said));
    load_close(&l);
}

static void test_tcc(void)
{
    Loaded l;
    Fault f;
    LoadRequest r = request(plain, LOAD_TCC);
    check_tcc(plain, STATUS_OK, "");
    /* Declared, but not usually there: found in the libraries. */
    check_tcc(MODEL("double lgamma(double);\n"
                    "double (*const used)(double) = lgamma;\n"),
              STATUS_OK, "");
    check_tcc(MODEL("int a_function_of_nobody(int);\n"
                    "int used(void) { return a_function_of_nobody(1); }\n"),
              STATUS_MODEL, "a_function_of_nobody");
    check_tcc(MODEL("int used(void) { return usleep(1); }\n"), STATUS_MODEL,
              "implicit declaration");
    check_tcc("int a;\n", STATUS_MODEL, "");
    r.precision = 3;
    CHECK(compile(&l, &r, &f) == STATUS_UNSUPPORTED);
    CHECK(holds(f.text, "QUAD"));
    load_close(&l);
    /* What tcc refuses cc may accept. */
    r = request(MODEL("__extension__ typedef __float128 wide;\n"
                      "wide used(wide a) { return a * 2; }\n"),
                LOAD_AUTO);
    CHECK(compile(&l, &r, &f) == STATUS_OK && l.backend == LOAD_CC);
    load_close(&l);
}

/* ---- cc in the background ---------------------------------------------------- */

static void test_background(void)
{
    Loaded l;
    Fault f;
    LoadRequest r = request(plain, LOAD_AUTO);
    empty_cache();
    CHECK(compile(&l, &r, &f) == STATUS_OK && l.backend == LOAD_TCC);
    CHECK(!l.cached && value_of(l.model) == 7.0);
    while (load_waiting(&l))
        pause_ms(5);
    CHECK(load_newest(&l) != l.model);
    CHECK(value_of(load_newest(&l)) == 7.0);
    CHECK(value_of(l.model) == 7.0); // the old code is still there
    load_settle(&l);
    CHECK(l.note[0] == '\0' && value_of(load_newest(&l)) == 7.0);
    load_close(&l);
    CHECK(count_files(".so") == 1 && count_files("") == 1);
    check_cc(&r, true);
}

/* The program does not wait for cc, and cc goes on regardless. */
static void test_left_alone(void)
{
    Loaded l;
    Fault f;
    LoadRequest r = request(plain, LOAD_AUTO);
    empty_cache();
    r.cc = compiler("slow", "sleep 1.5; exec cc \"$@\"");
    CHECK(compile(&l, &r, &f) == STATUS_OK && l.backend == LOAD_TCC);
    while (count_files(".part.c") == 0)
        pause_ms(5);
    pause_ms(100);
    double begun = seconds();
    load_close(&l);
    CHECK(seconds() - begun < 1.0);
    for (int k = 0; k < 2000 && count_files(".so") == 0; k++)
        pause_ms(10);
    pause_ms(200);
    CHECK(count_files(".so") == 1 && count_files("") == 1);
    check_cc(&r, true);
}

/* In a temporary folder nobody would find the code: cc is stopped. */
static void test_stopped(void)
{
    Loaded l;
    Fault f;
    Folder place;
    LoadRequest r = request(plain, LOAD_AUTO);
    folder_make(&place);
    setenv("TMPDIR", place.path, 1);
    r.cache = "/dev/null/cache";
    r.cc = compiler("slow", "sleep 20; exec cc \"$@\"");
    CHECK(compile(&l, &r, &f) == STATUS_OK);
    while (folder_count(&place) == 0)
        pause_ms(5);
    pause_ms(100);
    double begun = seconds();
    load_close(&l);
    CHECK(seconds() - begun < 5.0);
    CHECK(folder_count(&place) == 0);
    unsetenv("TMPDIR");
    folder_remove(&place);
}

/* A compiler that hangs, with a child that hangs, and ignores signals. Both
   write down their process numbers. */
static const char *hanging(void)
{
    static Buffer script;
    script.v.used = 0;
    buffer_format(&script,
                  "trap '' HUP INT TERM\n"
                  "sleep 60 & echo $! >>'%s/pids'; echo $$ >>'%s/pids'\n"
                  "sleep 61 & echo $! >>'%s/pids'; wait\n",
                  folder.path, folder.path, folder.path);
    unlink(folder_file(&folder, "pids"));
    return compiler("hanging", buffer_string(&script));
}

/* How many of them are left; -1 before all have begun. */
static int hanging_left(void)
{
    FILE *file = fopen(folder_file(&folder, "pids"), "r");
    int pid, left = 0, all = 0;
    for (; file && fscanf(file, "%d", &pid) == 1; all++) {
        char path[60], state = 'Z';
        snprintf(path, sizeof path, "/proc/%d/stat", pid);
        FILE *about = fopen(path, "r");
        if (about && fscanf(about, "%*d %*s %c", &state) != 1)
            state = 'Z';
        if (about)
            fclose(about);
        left += state != 'Z';
    }
    if (file)
        fclose(file);
    return all < 3 ? -1 : left;
}

static void wait_hanging(int wanted)
{
    for (int k = 0; k < 1000 && hanging_left() != wanted; k++)
        pause_ms(5);
    CHECK(hanging_left() == wanted);
}

static bool stop_hanging(void *user)
{
    (void)user;
    return hanging_left() >= 0;
}

/* Whoever waits for it can stop it, with all its children. */
static void test_hanging(void)
{
    Loaded l;
    Fault f;
    LoadRequest r = request(plain, LOAD_CC);
    empty_cache();
    r.cc = hanging();
    r.stop = stop_hanging;
    double begun = seconds();
    CHECK(compile(&l, &r, &f) == STATUS_STOPPED);
    CHECK(seconds() - begun < 20);
    wait_hanging(0);
    CHECK(count_files("") == 0);
    load_close(&l);
    /* Nor does one in the background go on if it is not wanted. */
    r = request(plain, LOAD_AUTO);
    r.cc = hanging();
    CHECK(compile(&l, &r, &f) == STATUS_OK);
    wait_hanging(3);
    load_drop(&l);
    load_close(&l);
    wait_hanging(0);
    CHECK(count_files("") == 0);
}

/* It ends with a program that is killed, in the foreground and in the
   background. */
static void test_orphaned(void)
{
    static const LoadBackend backends[] = {LOAD_CC, LOAD_AUTO};
    for (size_t k = 0; k < LENGTH(backends); k++) {
        LoadRequest r = request(plain, backends[k]);
        empty_cache();
        r.cc = hanging();
        pid_t child = fork();
        if (child == 0) {
            Loaded l;
            Fault f = {0};
            load_compile(&l, &r, &f);
            pause_ms(60000);
            _exit(0);
        }
        wait_hanging(3);
        CHECK(kill(child, SIGKILL) == 0);
        CHECK(waitpid(child, NULL, 0) == child);
        wait_hanging(0);
        CHECK(count_files("") == 0);
    }
}

/* A short run never starts cc. */
static void test_patience(void)
{
    Loaded l;
    Fault f;
    LoadRequest r = request(plain, LOAD_AUTO);
    Buffer script = {0};
    empty_cache();
    buffer_format(&script, "touch '%s/asked'", folder.path);
    r.cc = compiler("asked-cc", buffer_string(&script));
    r.patience = 60000;
    CHECK(compile(&l, &r, &f) == STATUS_OK);
    CHECK(value_of(load_newest(&l)) == 7.0);
    CHECK(load_waiting(&l));
    load_settle(&l);
    CHECK(!load_waiting(&l) && l.note[0] == '\0');
    load_close(&l);
    CHECK(access(folder_file(&folder, "asked"), F_OK) != 0);
    buffer_free(&script);
}

/* ---- EXTERNAL ------------------------------------------------------------------ */

static void check_external(Loaded *l, const char *name, const char *library)
{
    Fault f = {0};
    LoadFunction function;
    double (*well)(double);
    CHECK(load_external(l, name, library, folder.path, &function, &f) ==
          STATUS_OK);
    if (f.status != STATUS_OK) {
        printf("%s\n", f.text);
        return;
    }
    memcpy(&well, &function, sizeof well);
    CHECK(well(2.0) == 4.0);
}

/* Only declared folders count: not the current directory, not where the system
   looks, and no empty entry between two colons. */
static void test_declared(void)
{
    Loaded l = {0};
    Fault f = {0};
    LoadFunction function;
    char here[4096], places[600];
    const LoadLibrary *found;
    CHECK(getcwd(here, sizeof here) && chdir(folder.path) == 0);
    CHECK(load_external(&l, "Well", "wells", NULL, &function, &f) ==
          STATUS_FILE);
    CHECK(holds(f.text, "--libraries") && holds(f.text, "COSY_LIBRARIES"));
    f = (Fault){0};
    CHECK(load_external(&l, "Well", "wells", "::/none:", &function, &f) ==
          STATUS_FILE);
    CHECK(holds(f.text, "libwells.so"));
    f = (Fault){0};
    CHECK(load_external(&l, "sin", "m", folder.path, &function, &f) ==
          STATUS_FILE);
    f = (Fault){0};
    CHECK(load_external(&l, "sin", "..", folder.path, &function, &f) ==
          STATUS_MODEL);
    f = (Fault){0};
    CHECK(chdir(here) == 0);
    snprintf(places, sizeof places, "/none::%s", folder.path);
    f = (Fault){0};
    CHECK(load_external(&l, "Well", "wells", places, &function, &f) ==
          STATUS_OK);
    CHECK(load_libraries(&l, &found) == 1 &&
          strcmp(found[0].name, "wells") == 0 &&
          holds(found[0].path, "/libwells.so"));
    load_close(&l);
}

static void test_external(void)
{
    char command[600], library[300];
    Loaded l = {0};
    Fault f = {0};
    LoadFunction function;
    snprintf(command, sizeof command,
             "cd '%s' && printf 'double well(double x) { return x * x; }\n"
             "double DEEP(double x) { return x + 2; }\n"
             "double Both(double x) { return x * 2; }\n' >wells.c && "
             "cc -shared -fPIC -o libwells.so wells.c",
             folder.path);
    CHECK(system(command) == 0);
    /* A library is not loaded by its path: nothing of it runs. */
    snprintf(library, sizeof library, "%s/libwells.so", folder.path);
    CHECK(load_external(&l, "WELL", library, folder.path, &function, &f) ==
          STATUS_MODEL);
    CHECK(holds(f.text, "without its path"));
    f = (Fault){0};
    CHECK(load_external(&l, "puts", "", folder.path, &function, &f) ==
          STATUS_MODEL);
    f = (Fault){0};
    check_external(&l, "Well", "wells");
    check_external(&l, "deep", "libwells.so");
    check_external(&l, "Both", "wells");
    CHECK(load_external(&l, "both", "wells", folder.path, &function, &f) ==
          STATUS_MODEL);
    CHECK(holds(f.text, "both") && holds(f.text, "wells"));
    f = (Fault){0};
    CHECK(load_external(&l, "WELL", "harbour", folder.path, &function, &f) ==
          STATUS_FILE);
    CHECK(holds(f.text, "harbour"));
    f = (Fault){0};
    test_declared();
    load_close(&l);
}

/* The table of a model, in the form of c->external. */
static void test_externals(void)
{
    Buffer text = {0};
    char here[4096];
    Loaded l;
    Fault f;
    const LoadFunction *table = NULL;
    double (*well)(double) = NULL;
    buffer_format(&text,
                  "#include \"cosy/model.h\"\n"
                  "static const CosyExternal externals[] = {"
                  "{\"DEEP\", \"wells\", 1}, "
                  "{\"WELL\", \"libwells.so\", 2}};\n"
                  "const CosyModel COSY_NAME(cosy_model) = {\n"
                  ".version = COSY_VERSION, .precision = COSY_PRECISION,\n"
                  ".real_size = sizeof(real), .n_externals = 2,\n"
                  ".externals = externals};\n");
    CHECK(getcwd(here, sizeof here) && chdir(folder.path) == 0);
    LoadRequest r = request(buffer_string(&text), LOAD_CC);
    CHECK(compile(&l, &r, &f) == STATUS_OK);
    CHECK(load_externals(&l, folder.path, &table, &f) == STATUS_OK && table);
    CHECK(chdir(here) == 0);
    if (table)
        memcpy(&well, &table[1], sizeof well);
    CHECK(well && well(3.0) == 9.0);
    load_close(&l);
    r = request(plain, LOAD_CC);
    CHECK(compile(&l, &r, &f) == STATUS_OK);
    CHECK(load_externals(&l, folder.path, &table, &f) == STATUS_OK && !table);
    load_close(&l);
    buffer_free(&text);
}

int main(void)
{
    folder_make(&folder);
    snprintf(cache, sizeof cache, "%s/cache", folder.path);
    test_source();
    test_lines();
    test_cache();
    test_precisions();
    test_damaged();
    test_flipped();
    test_private();
    test_exchanged();
    test_open_places();
    test_usual_place();
    test_no_cache();
    test_prune();
    test_places();
    test_at_once();
    test_no_compiler();
    test_failing();
    if (tiny_present()) {
        test_tcc();
        test_background();
        test_left_alone();
        test_stopped();
        test_hanging();
        test_orphaned();
        test_patience();
    }
    test_external();
    test_externals();
    folder_remove(&folder);
    return check_end();
}
