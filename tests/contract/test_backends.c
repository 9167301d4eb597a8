/* cc and tcc give the same bits: every contract model leaves the same files
   with both, in DOUBLE and in EXTENDED, and expressions made at random, with
   constants that can be folded and functions of the library, have the same
   values at ordinary and extraordinary points. */

#include "trial.h"

#include <stdlib.h>

#include "../unit/check.h"
#include "cosy/model.h"
#include "load/source.h"

static const char *folder; // folder of this test
static const char *cache;

/* ---- Compiling -------------------------------------------------------------- */

static Status compile(Loaded *l, const char *text, size_t length,
                      uint32_t precision, LoadBackend backend)
{
    Fault f = {0};
    LoadRequest r = {.name = "test.c",
                     .text = text,
                     .length = length,
                     .precision = precision,
                     .backend = backend,
                     .cache = cache};
    Status status = load_compile(l, &r, &f);
    if (status != STATUS_OK)
        printf("%s\n", f.text);
    return status;
}

static void read_model(const char *name, Buffer *b)
{
    const char *tests = getenv("COSY_TESTS");
    char path[4096];
    Fault f = {0};
    snprintf(path, sizeof path, "%s/contract/%s.c", tests ? tests : "tests",
             name);
    CHECK(file_read(path, b, &f) == STATUS_OK);
}

/* ---- Models ------------------------------------------------------------------ */

static void run_into(const char *dir, const Buffer *text, uint32_t precision,
                     LoadBackend backend, const KernelOptions *o)
{
    Loaded l;
    Trial t;
    KernelOptions own = *o;
    own.dir = dir;
    CHECK(compile(&l, (const char *)text->v.bytes, text->v.used, precision,
                  backend) == STATUS_OK);
    CHECK(l.backend == backend);
    if (l.model) {
        trial_of(&t, l.model, precision, &own);
        CHECK(t.status == STATUS_OK);
        trial_end(&t);
    }
    load_close(&l);
}

static void check_model(const char *name, const KernelOptions *o)
{
    Buffer text = {0};
    read_model(name, &text);
    for (uint32_t precision = 1; precision <= 2; precision++) {
        const char *a = trial_path(folder, "cc"),
                   *b = trial_path(folder, "tcc");
        run_into(a, &text, precision, LOAD_CC, o);
        run_into(b, &text, precision, LOAD_TCC, o);
        CHECK(trial_same(a, b));
        trial_remove(a);
        trial_remove(b);
    }
    buffer_free(&text);
}

static void test_models(void)
{
    static const KernelSetting few = {"CUSTOMERS", "5000"};
    static const KernelSetting rounds = {"ROUNDS", "5"};
    check_model("vanderpol", &(KernelOptions){.method = "DOP853"});
    check_model("twostate", &(KernelOptions){.method = "RADAU5"});
    check_model("heat", &(KernelOptions){.relerr = "1e-5"});
    check_model("domino", &(KernelOptions){.threads = 1});
    check_model("pendulum", &(KernelOptions){.set = &rounds, .sets = 1});
    check_model("barbershop", &(KernelOptions){.seed = 3});
    check_model("mm1", &(KernelOptions){.set = &few, .sets = 1});
}

/* ---- Expressions --------------------------------------------------------------- */

enum { EXPRESSIONS = 1500, ARGUMENTS = 4, TWICE = 40 };

/* A linear congruential generator: the same expressions every time. */
static uint32_t draw(uint32_t n)
{
    static uint64_t seed = 1;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static void put_constant(Buffer *b)
{
    static const char *const special[] = {"0.0",    "1.0",  "0.5", "2.0",
                                          "1e-310", "1e17", "0.1", "3.0",
                                          "-0.0",   "1e300"};
    if (draw(8) == 0)
        buffer_format(b, "R(%s)", special[draw(LENGTH(special))]);
    else
        buffer_format(b, "R(%u.%09u%09ue%d)", draw(10), draw(1000000000),
                      draw(1000000000), (int)draw(9) - 4);
}

#define NAME(f) #f,
#define NONE(f)

static void put_expression(Buffer *b, int depth)
{
    static const char *const one[] = {COSY_LIBM_LIST(NAME, NONE) "abs",
                                      "square"};
    static const char *const two[] = {COSY_LIBM_LIST(NONE, NAME) "min", "max"};
    uint32_t kind = depth == 0 ? draw(2) : 2 + draw(8);
    if (kind == 0) {
        put_constant(b);
    } else if (kind == 1) {
        buffer_format(b, "x[%u]", draw(ARGUMENTS));
    } else if (kind == 2) {
        buffer_format(b, "cosy_%s(", one[draw(LENGTH(one))]);
        put_expression(b, depth - 1);
        buffer_text(b, ")");
    } else if (kind == 3) {
        buffer_format(b, "cosy_%s(", two[draw(LENGTH(two))]);
        put_expression(b, depth - 1);
        buffer_text(b, ", ");
        put_expression(b, depth - 1);
        buffer_text(b, ")");
    } else if (kind == 4) {
        buffer_text(b, "-(");
        put_expression(b, depth - 1);
        buffer_text(b, ")");
    } else if (kind == 5) {
        static const char *const test[] = {"<", "<=", ">", ">=", "==", "!="};
        buffer_text(b, "(");
        put_expression(b, 0);
        buffer_format(b, " %s ", test[draw(6)]);
        put_expression(b, 0);
        buffer_text(b, " ? ");
        put_expression(b, depth - 1);
        buffer_text(b, " : ");
        put_expression(b, depth - 1);
        buffer_text(b, ")");
    } else {
        buffer_text(b, "(");
        put_expression(b, depth - 1);
        buffer_format(b, " %c ", "+-*/"[draw(4)]);
        put_expression(b, depth - 1);
        buffer_text(b, ")");
    }
}

/* Two doubles whose sum, difference, product or quotient is different if it is
   rounded to long double first; found by trial. */
static void put_twice_rounded(Buffer *b, int operation)
{
    for (;;) {
        volatile double p = 1.0 + (double)draw(1u << 30) / 1.1e8;
        volatile double q = (1.0 + (double)draw(1u << 30) / 7.3e8) / 1e5;
        volatile long double u = (long double)p, v = (long double)q;
        volatile double plain = operation == 0   ? p + q
                                : operation == 1 ? p - q
                                : operation == 2 ? p * q
                                                 : p / q;
        volatile long double wide = operation == 0   ? u + v
                                    : operation == 1 ? u - v
                                    : operation == 2 ? u * v
                                                     : u / v;
        if (plain != (double)wide) {
            buffer_format(b, "R(%.17g) %c R(%.17g)", p, "+-*/"[operation], q);
            return;
        }
    }
}

/* A model whose derivatives are the expressions; the first third contains only
   constants. */
static void put_model(Buffer *b)
{
    buffer_text(b, "#include \"cosy/model.h\"\n"
                   "static CosyStatus derivatives(Cosy *c, real t, "
                   "const real *x, real *dx)\n{\n");
    for (int k = 0; k < EXPRESSIONS; k++) {
        buffer_format(b, "dx[%d] = ", k);
        if (k < TWICE) {
            put_twice_rounded(b, k % 4);
        } else if (k < EXPRESSIONS / 3) {
            put_constant(b);
            buffer_format(b, " %c ", "+-*/"[k % 4]);
            put_constant(b);
        } else {
            put_expression(b, (int)draw(4));
        }
        buffer_text(b, ";\n");
    }
    buffer_text(b, "return (CosyStatus)(int64_t)t;\n}\n"
                   "const CosyModel COSY_NAME(cosy_model) = {\n"
                   ".version = COSY_VERSION, .precision = COSY_PRECISION,\n"
                   ".real_size = sizeof(real), .derivatives = derivatives};\n");
}

/* Values of all expressions at a point; in EXTENDED the test calls through a
   pointer of that type. */
static void values_of(const void *model, uint32_t precision,
                      const double x[ARGUMENTS], void *dx)
{
    const CosyModel *m = model; // same layout in all precisions
    if (precision == 1) {
        CHECK(m->derivatives(NULL, 0.0, x, dx) == 0);
        return;
    }
    CosyStatus (*function)(Cosy *, long double, const long double *,
                           long double *);
    long double wide[ARGUMENTS];
    for (int k = 0; k < ARGUMENTS; k++)
        wide[k] = (long double)x[k] * 1.00000000000000000037L;
    memcpy(&function, &m->derivatives, sizeof function);
    CHECK(function(NULL, 0.0L, wide, dx) == 0);
}

/* Same number, same sign of zero; NaN is NaN. */
static int same_bits(const unsigned char *a, const unsigned char *b,
                     uint32_t precision)
{
    long double u, v;
    if (precision == 1) {
        double p, q;
        memcpy(&p, a, sizeof p);
        memcpy(&q, b, sizeof q);
        return memcmp(a, b, sizeof p) == 0 || (isnan(p) && isnan(q));
    }
    memcpy(&u, a, sizeof u);
    memcpy(&v, b, sizeof v);
    return memcmp(a, b, 10) == 0 || (isnan(u) && isnan(v));
}

static void check_values(const Loaded *one, const Loaded *two,
                         uint32_t precision, const double x[ARGUMENTS])
{
    static long double a[EXPRESSIONS], b[EXPRESSIONS];
    size_t size = precision == 1 ? sizeof(double) : sizeof(long double);
    values_of(one->model, precision, x, a);
    values_of(two->model, precision, x, b);
    unsigned wrong = 0, first = 0;
    for (unsigned k = 0; k < EXPRESSIONS; k++)
        if (!same_bits((unsigned char *)a + k * size,
                       (unsigned char *)b + k * size, precision)) {
            first = wrong++ ? first : k;
        }
    if (wrong)
        printf("%u differ, the first is dx[%u]\n", wrong, first);
    CHECK(wrong == 0);
}

static void test_expressions(void)
{
    static const double points[][ARGUMENTS] = {
        {0.0, 1.0, -1.0, 0.5},    {-0.0, 1e-310, 1e300, -1e300},
        {0.1, 3.7, -12.25, 1e-5}, {INFINITY, -INFINITY, 1.0, 0.0},
        {NAN, 0.3, -0.7, 2.0},    {1e17, 123456.789, -1e-17, 7.0},
    };
    Buffer text = {0};
    put_model(&text);
    const char *c_text = buffer_string(&text);
    for (uint32_t precision = 1; precision <= 2; precision++) {
        Loaded cc, tcc;
        CHECK(compile(&cc, c_text, text.v.used, precision, LOAD_CC) ==
              STATUS_OK);
        CHECK(compile(&tcc, c_text, text.v.used, precision, LOAD_TCC) ==
              STATUS_OK);
        for (size_t k = 0; cc.model && tcc.model && k < LENGTH(points); k++)
            check_values(&cc, &tcc, precision, points[k]);
        load_close(&cc);
        load_close(&tcc);
    }
    if (getenv("COSY_KEEP"))
        fputs(c_text, stderr);
    buffer_free(&text);
}

int main(void)
{
    char kept[4096];
    folder = trial_folder();
    snprintf(kept, sizeof kept, "%s/cache", folder);
    cache = kept;
    if (tiny_present()) {
        test_expressions();
        test_models();
    } else {
        printf("built without tcc: nothing to compare\n");
    }
    trial_remove(folder);
    return check_end();
}
