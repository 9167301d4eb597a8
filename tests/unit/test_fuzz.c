#include <time.h>

#include "lang.h"

/* Bad input of every kind through the whole front end: never a crash, a hang, a
   leak (the sanitizers see to that) or more than DIAG_LIMIT messages.

   First well-known nasty texts, then mutations of the programs of tests/lang
   and examples/ for a fixed time. The seed is always the same, so that a
   failure can be reproduced: the text is left in a file. COSY_FUZZ_SECONDS and
   COSY_FUZZ_SEED change both for longer runs. Last, how long a program of
   100,000 lines takes. */

#define FUZZ_SECONDS 3
#define FUZZ_SEED    20261115
#define DEEP         100000

#if defined(__SANITIZE_ADDRESS__)
#define SLOWER 20.0
#else
#define SLOWER 1.0
#endif

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static Messages found;

/* Returns how long it took. */
static double run_text(Folder *f, const char *text, size_t n)
{
    double begin = seconds();
    lang_text(f, text, n, &found);
    CHECK(found.read);
    CHECK(found.count <= DIAG_LIMIT);
    CHECK(found.right || found.count > 0);
    return seconds() - begin;
}

/* ---- What people know to be nasty ---------------------------------------- */

static void nasty_bytes(Folder *f)
{
    static const char *const text[] = {"",
                                       "\n",
                                       " ",
                                       "\xEF\xBB\xBF",
                                       "\xEF\xBB",
                                       ";",
                                       "END.",
                                       "END",
                                       "(*",
                                       "\"",
                                       "$",
                                       "{",
                                       "}",
                                       "'",
                                       "PROGRAM",
                                       "PROGRAM P",
                                       "PROGRAM P;",
                                       "PROGRAM P; END.\nmore",
                                       "\xFF\xFE\xFD",
                                       "PROGRAM \xC3\x28; END.",
                                       "PROGRAM P; VAR REAL \xC3\xBC; END.",
                                       "\x1A",
                                       "\r\r\r",
                                       "PROGRAM P;\rEND.",
                                       "PROGRAM P; CONST REAL A = A; END.",
                                       "MACRO",
                                       "MACRO M",
                                       "MACRO M (",
                                       "MACEND",
                                       "PROGRAM P; MACRO M (<-); {",
                                       "FORTRAN",
                                       "PROGRAM P; SYSTEM "
                                       "INITIAL FORTRAN\n",
                                       "INVOKE",
                                       "PROGRAM P; INVOKE X; END."};
    for (size_t k = 0; k < LENGTH(text); k++)
        run_text(f, text[k], strlen(text[k]));
    run_text(f, "\0\0\0", 3);
    run_text(f, "PROGRAM P;\0 END.", 16);
    CHECK(found.count == 1);
    for (int byte = 0; byte < 256; byte++) {
        char one[40];
        int n = snprintf(one, sizeof one, "PROGRAM P; ? END.\n");
        *strchr(one, '?') = (char)byte;
        run_text(f, one, (size_t)n);
    }
}

static void no_model(Folder *f)
{
    lang_file(f->path, &found); // a directory
    CHECK(!found.read);
    lang_file(folder_file(f, "is_not_there.cosy"), &found);
    CHECK(!found.read);
}

/* `before`, then n times `open`, `middle`, n times `close`, `after`. */
static void deep(Folder *f, const char *before, const char *open,
                 const char *middle, const char *close, const char *after)
{
    Buffer b = {0};
    double time;
    buffer_text(&b, before);
    for (int k = 0; k < DEEP; k++)
        buffer_text(&b, open);
    buffer_text(&b, middle);
    for (int k = 0; k < DEEP; k++)
        buffer_text(&b, close);
    buffer_text(&b, after);
    time = run_text(f, buffer_string(&b), b.v.used);
    CHECK(!found.right);
    CHECK(found.count > 0 && found.count <= 4);
    CHECK(time < 2.0 * SLOWER);
    if (found.count == 0 || found.count > 4 || time >= 2.0 * SLOWER) {
        printf("%s... %s: %.1f s\n", before, open, time);
        messages_show(&found);
    }
    buffer_free(&b);
}

static void nesting(Folder *f)
{
    const char *value = "PROGRAM P; VAR REAL X; SYSTEM INITIAL X := ";
    const char *code = "PROGRAM P; VAR REAL X; SYSTEM INITIAL X := 1; ";
    const char *equations = "PROGRAM P; VAR STATE X; SYSTEM CONTINUOUS ";
    const char *end = " END END END.";
    deep(f, value, "(", "1", ")", end);
    deep(f, value, "-(", "1", ")", end);
    deep(f, value, "SIN(", "1", ")", end);
    deep(f,
         "PROGRAM P; VAR ARRAY [9] OF INTEGER X; SYSTEM INITIAL X[1] := ", "X[",
         "1", "]", end);
    deep(f, value, "2^", "1", "", end);
    deep(f, value, "1+", "1", "", end);
    deep(f, value, "IF X > 0 THEN 1 ELSE ", "1", "", end);
    deep(f, value, "X.", "1", "", end);
    deep(f, code, "BEGIN ", "", "END ", end);
    deep(f, code, "IF X > 0 THEN ", "X := 1", "", end);
    deep(f, code, "IF NOT ", "X > 0 THEN X := 1", "", end);
    deep(f, code, "WHILE X > 0 DO ", "X := 1", "", end);
    deep(f, code, "REPEAT ", "X := 1", " UNTIL X > 0", end);
    deep(f, code, "CASE 1 OF 1: ", "X := 1", " END", end);
    deep(f, equations, "BEGIN ", "X' = 1", " END", end);
    deep(f, equations, "MODEL M (<-); ", "X' = 1", " END", end);
    deep(f, equations, "FOR I := 1 TO 2 DO ", "X' = 1", "", end);
    deep(f, "PROGRAM P; VAR REAL X [", "(", "m", ")", "]; END.");
    deep(f, "PROGRAM P; EXPERIMENT ", "FRAME ", "", "END ", "END END.");
    deep(f, "PROGRAM P; MACRO M (<-); ", "MACFOR I := 1 TO 1 DO ", "",
         "MACEND ", "MACEND; SYSTEM CONTINUOUS M (<-) END END END.");
    deep(f, "PROGRAM P; MACRO M (<-); ", "MACIF 1 = 1 THEN MACBEGIN ", "",
         "MACEND ", "MACEND; SYSTEM CONTINUOUS M (<-) END END END.");
}

/* A macro that doubles what the one above it makes. */
static void doubling(Folder *f)
{
    Buffer b = {0};
    buffer_text(&b, "PROGRAM P;\nMACRO M0 (<- X); WRITELN(X); MACEND;\n");
    for (int k = 1; k <= 60; k++)
        buffer_format(&b,
                      "MACRO M%d (<- X); M%d (<- X + X); M%d (<- X*X) "
                      "MACEND;\n",
                      k, k - 1, k - 1);
    buffer_text(&b, "SYSTEM INITIAL M60 (<- 1) END END END.\n");
    CHECK(run_text(f, buffer_string(&b), b.v.used) < 10.0 * SLOWER);
    CHECK(!found.right && found.count > 0);
    buffer_free(&b);
}

/* More mistakes than are shown. */
static void many_mistakes(Folder *f)
{
    Buffer b = {0};
    buffer_text(&b, "PROGRAM P; SYSTEM INITIAL\n");
    for (int k = 0; k < 1000; k++)
        buffer_format(&b, "A%d := B%d;\n", k, k);
    buffer_text(&b, "END END END.\n");
    run_text(f, buffer_string(&b), b.v.used);
    CHECK(found.count == DIAG_LIMIT && found.lost > 0);
    buffer_free(&b);
}

/* ---- Mutations ----------------------------------------------------------- */

#define TEXTS 500

typedef struct Corpus {
    Buffer text[TEXTS];
    unsigned count;
} Corpus;

static void corpus_add(const char *path, void *data)
{
    Corpus *c = data;
    Fault fault = {0};
    if (c->count < TEXTS &&
        file_read(path, &c->text[c->count], &fault) == STATUS_OK)
        c->count++;
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static size_t below(uint64_t *seed, size_t n)
{
    return n == 0 ? 0 : (size_t)(next_random(seed) % n);
}

/* Makes one change to a text: bytes, pieces of other texts, words of the
   language. */
static void mutate(Buffer *b, const Corpus *c, uint64_t *seed)
{
    static const char *const word[] = {" END ",
                                       " BEGIN ",
                                       ";",
                                       ":=",
                                       "=",
                                       "<-",
                                       "(",
                                       ")",
                                       "[",
                                       "]",
                                       "'",
                                       ".",
                                       "\"",
                                       "$",
                                       "(*",
                                       "*)",
                                       "//",
                                       "{",
                                       "}",
                                       " MACRO ",
                                       " MACEND ",
                                       " CASE ",
                                       " OF ",
                                       " IF ",
                                       " THEN ",
                                       " ELSE ",
                                       " FOR ",
                                       " DO ",
                                       " VAR ",
                                       " REAL ",
                                       " FORTRAN\n",
                                       " 1E308 ",
                                       " 99999999999 ",
                                       "\n",
                                       "\r",
                                       "\0",
                                       "\xC3",
                                       " MODEL ",
                                       " SYSTEM ",
                                       " CONTINUOUS ",
                                       " DISCRETE ",
                                       " RECORD ",
                                       "%"};
    const Buffer *other = &c->text[below(seed, c->count)];
    size_t at = below(seed, b->v.used + 1), n = below(seed, 40);
    size_t from = below(seed, other->v.used);
    const char *w = word[below(seed, LENGTH(word))];
    Buffer anew = {0};
    const char *old = (const char *)b->v.bytes;
    buffer_bytes(&anew, old, at);
    switch (below(seed, 6)) {
    case 0: buffer_char(&anew, (char)next_random(seed)); break;
    case 1: at += n < b->v.used - at ? n : b->v.used - at; break;
    case 2: buffer_bytes(&anew, w, *w == '\0' ? 1 : strlen(w)); break;
    case 3:
        n = n < other->v.used - from ? n : other->v.used - from;
        buffer_bytes(&anew, (const char *)other->v.bytes + from, n);
        break;
    case 4:
        buffer_bytes(&anew, w, *w == '\0' ? 1 : strlen(w));
        at += at < b->v.used;
        break;
    default: b->v.used = at; // the rest is lost
    }
    buffer_bytes(&anew, old + at, b->v.used - at);
    buffer_free(b);
    *b = anew;
}

static void keep(const Buffer *b, double time)
{
    Fault fault = {0};
    const char *path = "/tmp/cosy-fuzz-failed.cosy";
    printf("after %.1f s, %u messages; the text is in %s\n", time, found.count,
           path);
    file_write(path, b->v.bytes, b->v.used, &fault);
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);
    return value == NULL ? otherwise : strtoull(value, NULL, 10);
}

static void mutations(Folder *f)
{
    static Corpus c;
    uint64_t seed = setting("COSY_FUZZ_SEED", FUZZ_SEED);
    double limit = (double)setting("COSY_FUZZ_SECONDS", FUZZ_SECONDS);
    double begin = seconds(), worst = 0;
    unsigned long tried = 0;
    folder_each(lang_folder(), ".cosy", corpus_add, &c);
    examples_each(corpus_add, &c);
    CHECK(c.count > 0);
    while (c.count > 0 && seconds() - begin < limit) {
        const Buffer *from = &c.text[below(&seed, c.count)];
        Buffer b = {0};
        unsigned long failed = check_failed;
        double time;
        buffer_bytes(&b, (const char *)from->v.bytes, from->v.used);
        for (size_t k = 1 + below(&seed, 4); k > 0; k--)
            mutate(&b, &c, &seed);
        time = run_text(f, buffer_string(&b), b.v.used);
        CHECK(time < 2.0 * SLOWER);
        if (check_failed > failed)
            keep(&b, time);
        worst = time > worst ? time : worst;
        buffer_free(&b);
        tried++;
    }
    printf("%lu mutations, the slowest took %.4f s\n", tried, worst);
    for (unsigned k = 0; k < c.count; k++)
        buffer_free(&c.text[k]);
}

/* ---- A long program ------------------------------------------------------ */

/* About 100,000 lines of everything that large models contain. */
static void long_program(Buffer *b)
{
    buffer_text(b, "PROGRAM LONG;\n"
                   "MACRO LAG (Y <- U, T);\n  Y' = (U - Y)/T\nMACEND;\n");
    for (int k = 0; k < 6250; k++)
        buffer_format(b,
                      "CONST REAL K%d [1/s] = %d.5;\n"
                      "VAR\n  STATE X%d [m];\n  ALGEBR A%d [m/s];\n"
                      "  REAL R%d [m];\n",
                      k, k, k, k, k);
    buffer_text(b,
                "EXPERIMENT\n  SIMULATE FROM 0 TO 1\nEND;\nSYSTEM\nINITIAL\n");
    for (int k = 0; k < 6250; k++)
        buffer_format(b,
                      "  R%d := %d;\n  IF R%d > 3 [m] THEN\n    R%d := -R%d;\n"
                      "  X%d := 2*R%d;\n",
                      k, k, k, k, k, k, k);
    buffer_text(b, "END\nCONTINUOUS\n");
    for (int k = 0; k < 6250; k++)
        buffer_format(b,
                      "  (* the next of many *)\n  X%d' = A%d\n"
                      "    + K%d*X%d\n    + 1 [m/s];\n"
                      "  A%d = SIN(TIME/1 [s])*K%d*\n    R%d;\n\n",
                      k, k, k, (k + 1) % 6250, k, k, k);
    buffer_text(b, "END\nEND\nEND.\n");
}

static void speed(Folder *f)
{
    Buffer b = {0};
    double best = 1e9;
    size_t lines = 0;
    long_program(&b);
    for (size_t k = 0; k < b.v.used; k++)
        lines += b.v.bytes[k] == '\n';
    CHECK(lines >= 100000);
    for (int k = 0; k < 3; k++) {
        double time = run_text(f, buffer_string(&b), b.v.used);
        best = time < best ? time : best;
    }
    CHECK(found.right && found.count == 0);
    messages_show(&found);
    printf("%zu lines were checked in %.3f s\n", lines, best);
    CHECK(best < 3.0 * SLOWER); // one second on a machine that is idle
    buffer_free(&b);
}

int main(void)
{
    Folder folder;
    folder_make(&folder);
    setenv("COSY_LIBRARY", folder_file(&folder, "none.db"), 1);
    nasty_bytes(&folder);
    no_model(&folder);
    nesting(&folder);
    doubling(&folder);
    many_mistakes(&folder);
    mutations(&folder);
    speed(&folder);
    folder_remove(&folder);
    return check_end();
}
