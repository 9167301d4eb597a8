/* Everything that the kernel does for an EXPERIMENT: lists, frames, RERUN and
   CONTN, records, texts in the order of the runs, limits, --set. The model is

       X' = -K*X; Y = 2*X; N counts runs, A is an array

   so that X(t) = X0 exp(-K t) is known everywhere. Each test has its own
   EXPERIMENT, INITIAL and TERMINAL. */

#include "trial.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../unit/check.h"
#include "cosy/model.h"

typedef struct Data {
    real K, G, G2, A[3];
    int64_t N;
    uint8_t FLAG;
    real Y;
} Data;

enum { V_X, V_K, V_G, V_G2, V_A, V_N, V_FLAG, V_Y, VARIABLES };

static const CosyVariable variables[VARIABLES] = {
    [V_X] = COSY_STATES("X", 0, 1, "m", 2),
    [V_K] = COSY_DATA(Data, K, REAL, REAL, "1/s", 3),
    [V_G] = COSY_DATA(Data, G, CONST, REAL, "", 4),
    [V_G2] = COSY_DATA(Data, G2, CONST, REAL, "", 4),
    [V_A] = COSY_ROW("A", "", COSY_REAL, COSY_TYPE_REAL, offsetof(Data, A), 3,
                     COSY_NONE, 5),
    [V_N] = COSY_DATA(Data, N, REAL, INTEGER, "", 6),
    [V_FLAG] = COSY_DATA(Data, FLAG, REAL, BOOLEAN, "", 7),
    [V_Y] = COSY_DATA(Data, Y, ALGEBR, REAL, "", 8),
};

static const uint32_t stored[] = {V_X, V_Y};

/* CONST G = 1.5, G2 = 2*G */
static CosyStatus reset(Cosy *c)
{
    Data *d = c->data;
    *d = (Data){.K = R(1.0)};
    d->G = c->host->constant(c, V_G, R(1.5));
    d->G2 = c->host->constant(c, V_G2, R(2.0) * d->G);
    return COSY_OK;
}

static CosyStatus derivatives(Cosy *c, real t, const real *x, real *dx)
{
    const Data *d = c->data;
    (void)t;
    dx[0] = -d->K * x[0];
    return COSY_OK;
}

static CosyStatus outputs(Cosy *c, real t, const real *x)
{
    Data *d = c->data;
    (void)t;
    d->Y = R(2.0) * x[0];
    return COSY_OK;
}

#define MODEL(...)                                                             \
    {                                                                          \
        .version = COSY_VERSION, .precision = COSY_PRECISION,                  \
        .real_size = sizeof(real), .name = "STUDY", .source = "study.cosy",    \
        .hash = "", .data_size = sizeof(Data), .states = 1,                    \
        .n_variables = VARIABLES, .variables = variables, .n_stored = 2,       \
        .stored = stored, .reset = reset, .derivatives = derivatives,          \
        .outputs = outputs, __VA_ARGS__                                        \
    }

static const CosySimulate to_one = {.to = R(1.0),
                                    .comint = R(0.25),
                                    .method = "DOPRI5",
                                    .relerr = R(1e-9),
                                    .frame = 1};

/* PARAMETER or INITCOND of a scalar: value * count % increment. */
static CosyStatus list(Cosy *c, CosyList which, uint32_t v, real value,
                       int64_t count, real increment)
{
    COSY_TRY(c->host->list(c, which, v, COSY_NONE));
    return c->host->element(c, value, count, increment);
}

/* ---- Running and looking -------------------------------------------------- */

typedef struct Talk {
    Buffer text, messages;
} Talk;

static void hear_text(void *user, const char *text, size_t length)
{
    Talk *t = user;
    buffer_bytes(&t->text, text, length);
}

static void hear_message(void *user, const char *text)
{
    Talk *t = user;
    buffer_text(&t->messages, text);
    buffer_char(&t->messages, '\n');
}

static Talk talk;

static void go(Trial *t, const CosyModel *m, KernelOptions o)
{
    buffer_free(&talk.text);
    buffer_free(&talk.messages);
    o.user = &talk;
    o.write = hear_text;
    o.message = hear_message;
    trial_of(t, m, COSY_PRECISION, &o);
}

#define GO(t, m, ...) go((t), (m), (KernelOptions){__VA_ARGS__})

static bool says(const char *text)
{
    bool found = strstr(buffer_string(&talk.messages), text) != NULL;
    if (!found)
        printf("no \"%s\" in:\n%s", text, buffer_string(&talk.messages));
    return found;
}

static bool near(real a, real b)
{
    return cosy_abs(a - b) <= R(1e-8) * cosy_max(cosy_abs(b), R(1.0));
}

static real of_run(Trial *t, unsigned run, const char *group, const char *name)
{
    char key[30];
    snprintf(key, sizeof key, "\"run\": %u,", run);
    return trial_number(t, key, group, name, NULL);
}

static void check_file(const char *folder, const char *name,
                       const char *expected)
{
    Buffer b = {0};
    Fault f = {0};
    bool there = file_read(trial_path(folder, name), &b, &f) == STATUS_OK;
    if (expected == NULL)
        CHECK(!there);
    else
        CHECK_TEXT(there ? buffer_string(&b) : f.text, expected);
    buffer_free(&b);
}

static bool exists(const char *folder, const char *name)
{
    return access(trial_path(folder, name), F_OK) == 0;
}

/* ---- Lists and frames ------------------------------------------------------ */

/* PARAMETER K = (0.5, 1.0*2, 2.0*2%0.5); INITCOND X = (1, 3) */
static CosyStatus lists(Cosy *c)
{
    COSY_TRY(list(c, COSY_LIST_PARAMETER, V_K, R(9.0), 7, R(1.0))); // replaced
    COSY_TRY(list(c, COSY_LIST_PARAMETER, V_K, R(0.5), 1, R(0.0)));
    COSY_TRY(c->host->element(c, R(1.0), 2, R(0.0)));
    COSY_TRY(c->host->element(c, R(2.0), 2, R(0.5)));
    COSY_TRY(list(c, COSY_LIST_INITCOND, V_X, R(1.0), 1, R(0.0)));
    COSY_TRY(c->host->element(c, R(3.0), 1, R(0.0)));
    COSY_TRY(c->host->simulate(c, &to_one));
    /* The last run's values: X = 3 exp(-2.5), K = 2.5 */
    Data *d = c->data;
    d->A[0] = c->x[0];
    d->A[1] = d->K;
    d->A[2] = c->head->t;
    const CosyItem items[] = {
        {.type = COSY_ITEM_REAL, .r = d->A[1], .width = -1, .decimals = -1},
        {.type = COSY_ITEM_REAL, .r = d->A[2], .width = -1, .decimals = -1}};
    return c->host->print(c, items, 2, true);
}

static const CosyModel with_lists = MODEL(.experiment = lists);

static void test_lists(void)
{
    static const double k[] = {0.5, 1.0, 1.0, 2.0, 2.5};
    Trial t;
    GO(&t, &with_lists, .threads = 2);
    CHECK(t.status == STATUS_OK && t.out.runs == 5 && t.out.failed == 0);
    for (unsigned run = 1; run <= 5; run++) {
        real x0 = run == 1 ? R(1.0) : R(3.0), rate = (real)k[run - 1];
        CHECK(of_run(&t, run, "parameters", "K") == rate);
        CHECK(near(of_run(&t, run, "final", "X"), x0 * cosy_exp(-rate)));
        CHECK(
            near(of_run(&t, run, "final", "Y"), R(2.0) * x0 * cosy_exp(-rate)));
    }
    CHECK(strstr(buffer_string(&talk.text), "2.5 1\n") != NULL);
    trial_end(&t);
}

static CosyStatus too_long(Cosy *c)
{
    return list(c, COSY_LIST_PARAMETER, V_K, R(1.0), 200000, R(0.0));
}

static CosyStatus no_times(Cosy *c)
{
    return list(c, COSY_LIST_PARAMETER, V_K, R(1.0), 0, R(0.0));
}

static void test_bad_lists(void)
{
    static const CosyModel a = MODEL(.experiment = too_long);
    static const CosyModel b = MODEL(.experiment = no_times);
    Trial t;
    GO(&t, &a, .threads = 1);
    CHECK(t.status == STATUS_USER && says("at most 100000 elements"));
    trial_end(&t);
    GO(&t, &b, .threads = 1);
    CHECK(t.status == STATUS_USER && says("0 times"));
    trial_end(&t);
}

/* Lists end with their frame, and so do the values they have set. */
static CosyStatus frames(Cosy *c)
{
    CosySimulate s = to_one;
    if (c->host->frame(c, 1)) {
        COSY_TRY(list(c, COSY_LIST_PARAMETER, V_K, R(1.0), 3, R(1.0)));
        COSY_TRY(list(c, COSY_LIST_INITCOND, V_X, R(1.0), 1, R(0.0)));
        COSY_TRY(c->host->simulate(c, &s));
    }
    if (c->host->frame(c, 2)) {
        s.frame = 2;
        COSY_TRY(list(c, COSY_LIST_INITCOND, V_X, R(5.0), 2, R(1.0)));
        COSY_TRY(c->host->simulate(c, &s));
    }
    return COSY_OK;
}

static void test_frames(void)
{
    static const CosyModel m = MODEL(.experiment = frames);
    Trial t;
    GO(&t, &m, .threads = 2);
    CHECK(t.status == STATUS_OK && t.out.runs == 5);
    CHECK(of_run(&t, 4, "frame", NULL) == R(2.0));
    CHECK(near(of_run(&t, 4, "final", "X"), R(5.0) * cosy_exp(R(-1.0))));
    trial_end(&t);
    GO(&t, &m, .frame = 2);
    CHECK(t.status == STATUS_OK && t.out.runs == 2);
    CHECK(of_run(&t, 1, "frame", NULL) == R(2.0));
    CHECK(near(of_run(&t, 2, "final", "X"), R(6.0) * cosy_exp(R(-1.0))));
    trial_end(&t);
    GO(&t, &m, .frame = 3);
    CHECK(t.status == STATUS_USAGE && t.out.runs == 0);
    CHECK(strstr(t.out.fault.text, "2 FRAMEs") != NULL);
    trial_end(&t);
}

/* ---- --set ------------------------------------------------------------------ */

static void check_refused(const CosyModel *m, const char *name,
                          const char *value, const char *text)
{
    const KernelSetting set[] = {{name, value}};
    Trial t;
    GO(&t, m, .set = set, .sets = 1);
    CHECK(t.status == STATUS_USAGE && t.out.runs == 0);
    CHECK(strstr(t.out.fault.text, text) != NULL);
    if (!strstr(t.out.fault.text, text))
        printf("no \"%s\" in: %s\n", text, t.out.fault.text);
    trial_end(&t);
}

static void test_set(void)
{
    const KernelSetting set[] = {{"g", "2.5"}, {"K", "0.25"},    {"A[2]", "7"},
                                 {"N", "12"},  {"FLAG", "true"}, {"x", "8"}};
    Trial t;
    GO(&t, &with_lists, .set = set, .sets = 6);
    CHECK(t.status == STATUS_OK && t.out.runs == 1); // both lists are set
    CHECK(of_run(&t, 1, "final", "G") == R(2.5));
    CHECK(of_run(&t, 1, "final", "G2") == R(5.0)); // follows from it
    CHECK(of_run(&t, 1, "parameters", "K") == R(0.25));
    CHECK(of_run(&t, 1, "parameters", "A[2]") == R(7.0));
    CHECK(of_run(&t, 1, "final", "N") == R(12.0));
    CHECK(of_run(&t, 1, "final", "FLAG") == R(1.0));
    CHECK(near(of_run(&t, 1, "final", "X"), R(8.0) * cosy_exp(R(-0.25))));
    CHECK(strstr(buffer_string(&t.json), "\"A\": [0, 7, 0]") != NULL);
    trial_end(&t);
    check_refused(&with_lists, "FLAP", "1", "did you mean FLAG?");
    check_refused(&with_lists, "QQQ", "1", "no variable of that name");
    check_refused(&with_lists, "Y", "1", "computed by an equation");
    check_refused(&with_lists, "A[4]", "1", "3 elements");
    check_refused(&with_lists, "A[0]", "1", "counted from 1");
    check_refused(&with_lists, "A[1,2]", "1", "one index");
    check_refused(&with_lists, "K[1]", "1", "not an array");
    check_refused(&with_lists, "N", "1.5", "INTEGER");
    check_refused(&with_lists, "FLAG", "2", "BOOLEAN");
    check_refused(&with_lists, "K", "fast", "not a number");
}

/* ---- RERUN ------------------------------------------------------------------- */

static CosyStatus start_at_two(Cosy *c)
{
    Data *d = c->data;
    d->N++;
    return COSY_OK;
}

static void put_line(Cosy *c, const char *text, int64_t n)
{
    const CosyItem items[] = {
        {.type = COSY_ITEM_TEXT, .text = text, .width = -1, .decimals = -1},
        {.type = COSY_ITEM_INTEGER, .i = n, .width = -1, .decimals = -1}};
    c->host->print(c, items, 2, true);
}

/* K grows by 1 until it is 3: discrete variables keep their values, INITCOND
   applies again. The second run is SAVEd. */
static CosyStatus rerun_terminal(Cosy *c)
{
    Data *d = c->data;
    put_line(c, "run ", c->head->run);
    COSY_TRY(c->host->crossplot(c));
    if (d->K == R(2.0))
        COSY_TRY(c->host->save(c));
    if (d->K < R(3.0)) {
        d->K += R(1.0);
        c->head->again = COSY_RERUN;
    }
    return COSY_OK;
}

static CosyStatus rerun_experiment(Cosy *c)
{
    Data *d = c->data;
    d->K = R(1.0);
    COSY_TRY(list(c, COSY_LIST_INITCOND, V_X, R(2.0), 1, R(0.0)));
    return c->host->simulate(c, &to_one);
}

static void test_rerun(const char *folder)
{
    static const CosyModel m =
        MODEL(.initial = start_at_two, .reruns = true,
              .terminal = rerun_terminal, .experiment = rerun_experiment);
    Trial t;
    GO(&t, &m, .dir = trial_path(folder, "rerun"));
    CHECK(t.status == STATUS_OK && t.out.runs == 3);
    for (unsigned run = 1; run <= 3; run++) {
        CHECK(
            near(of_run(&t, run, "final", "X"), R(2.0) * cosy_exp(-(real)run)));
        CHECK(of_run(&t, run, "final", "N") == (real)run);
    }
    CHECK(strstr(buffer_string(&talk.text), "run 1\nrun 2\nrun 3\n") != NULL);
    folder = trial_path(folder, "rerun");
    CHECK(!exists(folder, "run-0001.csv")); // not shown: not SAVEd
    CHECK(exists(folder, "run-0002.csv") && exists(folder, "run-0003.csv"));
    CHECK(!exists(folder, "events-0001.csv"));
    CHECK(exists(folder, "cross.csv") && exists(folder, "summary.json"));
    trial_end(&t);
}

/* Without an end. */
static CosyStatus again_terminal(Cosy *c)
{
    c->head->again = COSY_RERUN;
    return COSY_OK;
}

static CosyStatus short_experiment(Cosy *c)
{
    const CosySimulate s = {.to = R(1.0), .method = "EULER", .step = R(1.0)};
    return c->host->simulate(c, &s);
}

static void test_endless_rerun(void)
{
    static const CosyModel m = MODEL(.reruns = true, .terminal = again_terminal,
                                     .experiment = short_experiment);
    Trial t;
    GO(&t, &m, .threads = 1);
    CHECK(t.status == STATUS_LIMIT && t.out.runs == 100001);
    CHECK(says("RERUN has made 100000 runs"));
    trial_end(&t);
}

/* RERUN within the elements of a list: runs are numbered in order, and
   everything is the same for any number of threads. */
static CosyStatus rerun_lists(Cosy *c)
{
    COSY_TRY(list(c, COSY_LIST_PARAMETER, V_K, R(1.0), 6, R(0.5)));
    COSY_TRY(list(c, COSY_LIST_INITCOND, V_X, R(2.0), 1, R(0.0)));
    return c->host->simulate(c, &to_one);
}

static void test_rerun_lists(const char *folder)
{
    static const CosyModel m =
        MODEL(.initial = start_at_two, .reruns = true,
              .terminal = rerun_terminal, .experiment = rerun_lists);
    Trial t;
    Buffer first = {0};
    GO(&t, &m, .threads = 1, .dir = trial_path(folder, "one"));
    /* 1, 2, 3 | 1.5, 2.5, 3.5 | 2, 3 | 2.5, 3.5 | 3 | 3.5 */
    CHECK(t.status == STATUS_OK && t.out.runs == 12);
    CHECK(near(of_run(&t, 6, "final", "K"), R(3.5)));
    CHECK(near(of_run(&t, 11, "final", "K"), R(3.0)));
    CHECK(exists(trial_path(folder, "one"), "run-0012.csv"));
    CHECK(!exists(trial_path(folder, "one"), "run-0009.csv"));
    buffer_text(&first, buffer_string(&talk.text));
    trial_end(&t);
    for (uint32_t threads = 2; threads <= 6; threads += 2) {
        GO(&t, &m, .threads = threads, .dir = trial_path(folder, "more"));
        CHECK(t.out.runs == 12);
        CHECK_TEXT(buffer_string(&talk.text), buffer_string(&first));
        CHECK(
            trial_same(trial_path(folder, "one"), trial_path(folder, "more")));
        trial_end(&t);
    }
    buffer_free(&first);
}

/* ---- CONTN -------------------------------------------------------------------- */

/* Twice more, each time from where it ended; the rate doubles. */
static CosyStatus contn_terminal(Cosy *c)
{
    Data *d = c->data;
    put_line(c, "leg ", ++d->N);
    if (d->N < 3) {
        d->K *= R(2.0);
        c->head->again = COSY_CONTN;
    }
    return COSY_OK;
}

static real contn_comint;

static CosyStatus contn_experiment(Cosy *c)
{
    const CosySimulate s = {.from = R(1.0),
                            .to = R(2.0),
                            .comint = contn_comint,
                            .method = "DOPRI5",
                            .relerr = R(1e-9)};
    COSY_TRY(list(c, COSY_LIST_INITCOND, V_X, R(1.0), 1, R(0.0)));
    return c->host->simulate(c, &s);
}

static void test_contn(const char *folder)
{
    static const CosyModel m =
        MODEL(.terminal = contn_terminal, .experiment = contn_experiment);
    Trial t;
    Buffer b = {0};
    Fault f = {0};
    contn_comint = R(0.5);
    GO(&t, &m, .dir = trial_path(folder, "contn"));
    CHECK(t.status == STATUS_OK && t.out.runs == 1);
    CHECK(of_run(&t, 1, "t_begin", NULL) == R(1.0));
    CHECK(of_run(&t, 1, "t_end", NULL) == R(4.0));
    CHECK(near(of_run(&t, 1, "final", "X"), cosy_exp(R(-7.0))));
    CHECK(strncmp(buffer_string(&talk.text), "leg 1\nleg 2\nleg 3\n\nSTUDY\n",
                  25) == 0);
    CHECK(file_read(trial_path(folder, "contn/run-0001.csv"), &b, &f) ==
          STATUS_OK);
    static const char *const times[] = {"\n1,", "\n1.5,", "\n2,", "\n2.5,",
                                        "\n3,", "\n3.5,", "\n4,"};
    const char *at = buffer_string(&b);
    for (size_t k = 0; at && k < LENGTH(times); k++)
        at = strstr(at, times[k]);
    CHECK(at != NULL);
    trial_end(&t);
    /* 500 intervals each; the joints have two sides. */
    contn_comint = R(0.0);
    GO(&t, &m, .dir = trial_path(folder, "contn"));
    b.v.used = 0;
    file_read(trial_path(folder, "contn/run-0001.csv"), &b, &f);
    size_t lines = 0;
    for (const char *line = buffer_string(&b); *line; line++)
        lines += *line == '\n';
    CHECK(lines == 1 + 501 + 501 + 501);
    buffer_free(&b);
    trial_end(&t);
}

/* ---- Recording ------------------------------------------------------------------ */

/* STOREOFF in the experiment, STOREON in the middle of the second run. */
static CosyStatus store_communicate(Cosy *c)
{
    if (c->head->run == 2 && c->head->t == R(0.5))
        c->head->storing = 1;
    return COSY_OK;
}

static CosyStatus store_experiment(Cosy *c)
{
    c->head->storing = 0;
    COSY_TRY(list(c, COSY_LIST_INITCOND, V_X, R(0.0), 2, R(0.0)));
    return c->host->simulate(c, &to_one);
}

static void test_storing(const char *folder)
{
    static const CosyModel m =
        MODEL(.communicate = store_communicate, .experiment = store_experiment);
    Trial t;
    GO(&t, &m, .dir = trial_path(folder, "store"));
    CHECK(t.status == STATUS_OK && t.out.runs == 2);
    folder = trial_path(folder, "store");
    check_file(folder, "run-0001.csv", NULL);
    check_file(folder, "run-0002.csv",
               "TIME,X [m],Y\n0.5,0,0\n0.75,0,0\n1,0,0\n");
    trial_end(&t);
}

static CosyStatus cross_terminal(Cosy *c)
{
    return c->host->crossplot(c);
}

static CosyStatus cross_experiment(Cosy *c)
{
    COSY_TRY(list(c, COSY_LIST_PARAMETER, V_K, R(0.0), 1, R(0.0)));
    COSY_TRY(list(c, COSY_LIST_INITCOND, V_X, R(1.0), 3, R(1.0)));
    return c->host->simulate(c, &to_one);
}

static void test_cross(const char *folder)
{
    static const CosyModel m =
        MODEL(.terminal = cross_terminal, .experiment = cross_experiment);
    Trial t;
    GO(&t, &m, .dir = trial_path(folder, "cross"), .threads = 2);
    CHECK(t.status == STATUS_OK);
    check_file(trial_path(folder, "cross"), "cross.csv",
               "TIME,X [m],Y\n1,1,2\n1,2,4\n1,3,6\n");
    trial_end(&t);
}

/* ---- Communication points -------------------------------------------------------- */

static CosySimulate points; // folder of the present test

static CosyStatus points_experiment(Cosy *c)
{
    COSY_TRY(list(c, COSY_LIST_PARAMETER, V_K, R(0.0), 1, R(0.0)));
    return c->host->simulate(c, &points);
}

/* TIME column of run-0001.csv, separated by blanks. */
static const char *times(const char *folder, CosySimulate s)
{
    static const CosyModel m = MODEL(.experiment = points_experiment);
    static char text[20000];
    Trial t;
    Buffer b = {0};
    Fault f = {0};
    size_t used = 0;
    points = s;
    points.method = "DOPRI5";
    GO(&t, &m, .dir = trial_path(folder, "points"));
    CHECK(t.status == STATUS_OK);
    trial_end(&t);
    file_read(trial_path(folder, "points/run-0001.csv"), &b, &f);
    for (const char *line = strchr(buffer_string(&b), '\n'); line && line[1];
         line = strchr(line + 1, '\n'))
        used += (size_t)snprintf(text + used, sizeof text - used, "%.*s ",
                                 (int)strcspn(line + 1, ","), line + 1);
    buffer_free(&b);
    return text;
}

static size_t count_blanks(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += *s == ' ';
    return n;
}

static void test_points(const char *folder)
{
    CHECK_TEXT(times(folder, (CosySimulate){.to = R(0.5), .comint = R(0.1)}),
               "0 0.1 0.2 0.3 0.4 0.5 ");
    CHECK_TEXT(times(folder, (CosySimulate){.to = R(1.0), .comint = R(0.3)}),
               "0 0.3 0.6 0.9 1 ");
    CHECK_TEXT(
        times(folder,
              (CosySimulate){.from = R(0.7), .to = R(0.1), .comint = R(0.2)}),
        "0.7 0.5 0.3 0.1 ");
    CHECK_TEXT(
        times(folder,
              (CosySimulate){.from = R(1.0), .to = R(2.0), .log_points = 4}),
        "1 1.000001 1.0001 1.01 2 ");
    CHECK_TEXT(times(folder, (CosySimulate){.to = R(2.0), .log_points = 1}),
               "0 2 ");
    /* 49 times 1/49 is a little less than 1, and counts as 1. */
    CHECK(count_blanks(
              times(folder, (CosySimulate){.to = R(1.0),
                                           .comint = R(1.0) / R(49.0)})) == 50);
    const char *all = times(folder, (CosySimulate){.to = R(5.0)});
    CHECK(count_blanks(all) == 501);
    CHECK(strncmp(all, "0 0.01 0.02 0.03 ", 17) == 0);
}

/* FINISH in a COMMUNIC block: the run ends at that point. */
static CosyStatus finish_communicate(Cosy *c)
{
    if (c->head->t >= R(0.5))
        c->head->request = COSY_FINISH_RUN;
    return COSY_OK;
}

static CosyStatus one_experiment(Cosy *c)
{
    COSY_TRY(list(c, COSY_LIST_INITCOND, V_X, R(1.0), 1, R(0.0)));
    return c->host->simulate(c, &to_one);
}

static void test_finish(void)
{
    static const CosyModel m =
        MODEL(.communicate = finish_communicate, .experiment = one_experiment);
    Trial t;
    GO(&t, &m, .threads = 1);
    CHECK(t.status == STATUS_OK);
    CHECK_TEXT(trial_text(&t, "status", NULL), "finished");
    CHECK(of_run(&t, 1, "t_end", NULL) == R(0.5));
    CHECK(near(of_run(&t, 1, "final", "X"), cosy_exp(R(-0.5))));
    trial_end(&t);
}

/* ---- Ends before the end ----------------------------------------------------------- */

static void check_stopped(Trial *t, const char *text)
{
    CHECK(t->status == STATUS_STOPPED && t->out.failed >= 1);
    CHECK_TEXT(trial_text(t, "status", NULL), "stopped");
    CHECK(says(text));
    trial_end(t);
}

static bool patience(void *user, const KernelProgress *p)
{
    (void)user;
    return p->run < 2 || p->t < 0.5;
}

static CosyStatus slow_experiment(Cosy *c)
{
    CosySimulate s = {.to = R(1e9), .method = "EULER", .step = R(1e-3)};
    COSY_TRY(c->host->simulate(c, &s));
    return c->host->simulate(c, &to_one); // never reached
}

static void test_limits(const char *folder)
{
    static const CosyModel one = MODEL(.experiment = one_experiment);
    static const CosyModel slow = MODEL(.experiment = slow_experiment);
    Trial t;
    GO(&t, &one, .limit_time = "0.6", .dir = trial_path(folder, "limit"));
    CHECK(of_run(&t, 1, "t_end", NULL) == R(0.6));
    CHECK(near(of_run(&t, 1, "final", "X"), cosy_exp(R(-0.6))));
    check_stopped(&t, "--limit-time");
    CHECK(exists(trial_path(folder, "limit"), "run-0001.csv"));
    GO(&t, &one, .limit_time = "2");
    CHECK(t.status == STATUS_OK);
    trial_end(&t);
    GO(&t, &one, .limit_time = "soon");
    CHECK(t.status == STATUS_USAGE);
    trial_end(&t);
    GO(&t, &slow, .limit_wall = 0.05);
    CHECK(t.out.runs == 1);
    check_stopped(&t, "--limit-wall");
    GO(&t, &with_lists, .progress = patience, .threads = 1);
    CHECK(t.out.runs == 2 && t.out.failed == 1); // nothing after it
    CHECK(t.status == STATUS_STOPPED && says("stopped: from outside"));
    trial_end(&t);
}

/* ERROREXIT 7 in the third of five runs: what follows does not happen. */
static CosyStatus error_initial(Cosy *c)
{
    const Data *d = c->data;
    put_line(c, "begins ", c->head->run);
    if (d->K == R(3.0)) {
        c->host->message(c, COSY_ERROR, 12, "no such thing");
        c->head->error_code = 7;
        c->head->request = COSY_STOP_ALL;
    }
    return COSY_OK;
}

static CosyStatus error_terminal(Cosy *c)
{
    put_line(c, "ends ", c->head->run);
    return COSY_OK;
}

static CosyStatus error_experiment(Cosy *c)
{
    COSY_TRY(list(c, COSY_LIST_PARAMETER, V_K, R(1.0), 5, R(1.0)));
    COSY_TRY(c->host->simulate(c, &to_one));
    put_line(c, "never ", 0);
    return COSY_OK;
}

static void test_errorexit(void)
{
    static const CosyModel m =
        MODEL(.initial = error_initial, .terminal = error_terminal,
              .experiment = error_experiment);
    for (uint32_t threads = 1; threads <= 4; threads++) {
        Trial t;
        GO(&t, &m, .threads = threads);
        CHECK(t.status == STATUS_USER && t.out.runs == 3 && t.out.failed == 1);
        static const char texts[] =
            "begins 1\nends 1\nbegins 2\nends 2\nbegins 3\n\nSTUDY";
        CHECK(strncmp(buffer_string(&talk.text), texts, strlen(texts)) == 0);
        CHECK(says("study.cosy:12: error: run 3: no such thing"));
        CHECK(says("ERROREXIT 7"));
        const char *said = trial_text(&t, "\"run\": 3,", "message", NULL);
        CHECK(strstr(said, "no such thing") && strstr(said, "ERROREXIT 7"));
        trial_end(&t);
    }
}

/* ---- Order of texts ------------------------------------------------------------------- */

static CosyStatus busy_terminal(Cosy *c)
{
    const Data *d = c->data;
    const struct timespec moment = {.tv_nsec = 5000000};
    if (d->K == R(1.0) || d->K == R(10.0)) // others are done before
        nanosleep(&moment, NULL);
    for (int k = 0; k < 20; k++)
        put_line(c, "line of ", (int64_t)d->K);
    c->host->message(c, COSY_WARNING, (uint32_t)d->K, "done");
    c->host->message(c, COSY_NOTE, (uint32_t)d->K, "so to say");
    c->host->message(c, COSY_NOTE, 0, "as all do");
    return COSY_OK;
}

static CosyStatus busy_experiment(Cosy *c)
{
    COSY_TRY(list(c, COSY_LIST_PARAMETER, V_K, R(1.0), 40, R(1.0)));
    return c->host->simulate(c, &to_one);
}

static void test_order(void)
{
    static const CosyModel m =
        MODEL(.terminal = busy_terminal, .experiment = busy_experiment);
    Trial t;
    Buffer text = {0}, messages = {0};
    GO(&t, &m, .threads = 1);
    buffer_text(&text, buffer_string(&talk.text));
    buffer_text(&messages, buffer_string(&talk.messages));
    trial_end(&t);
    CHECK(strncmp(buffer_string(&text), "line of 1\nline of 1\n", 20) == 0);
    CHECK(says("note: in 40 of 40 runs, first in run 1: as all do\n"));
    CHECK(says("note: run 19: so to say\n")); // twenty notes are enough
    CHECK(says("note: further notes are not shown\n"));
    CHECK(strstr(buffer_string(&messages), "run 20: so to say") == NULL);
    for (int k = 0; k < 5; k++) {
        GO(&t, &m, .threads = 4);
        CHECK_TEXT(buffer_string(&talk.text), buffer_string(&text));
        CHECK_TEXT(buffer_string(&talk.messages), buffer_string(&messages));
        trial_end(&t);
    }
    buffer_free(&text);
    buffer_free(&messages);
}

/* Carriage control, and WRITE between FORMATs. */
static CosyStatus format_terminal(Cosy *c)
{
    const CosyItem one[] = {{.type = COSY_ITEM_REAL, .r = R(0.5)}};
    c->host->format(c, "('1TITLE')", NULL, 0);
    c->host->format(c, "(' A = ',F5.2,'     B')", one, 1);
    c->host->format(c, "('+             ___')", NULL, 0);
    c->host->format(c, "('0SPACED')", NULL, 0);
    put_line(c, "plain ", 1);
    c->host->format(c, "('1PAGE'/' NEXT')", NULL, 0);
    return COSY_OK;
}

static void test_carriage(void)
{
    static const CosyModel m =
        MODEL(.terminal = format_terminal, .experiment = one_experiment);
    static const char expected[] =
        "TITLE\nA =  0.50    ___\n\nSPACED\nplain 1\n"
        "\nPAGE\nNEXT\n\nSTUDY\n";
    Trial t;
    GO(&t, &m, .threads = 1);
    CHECK(strncmp(buffer_string(&talk.text), expected, strlen(expected)) == 0);
    if (strncmp(buffer_string(&talk.text), expected, strlen(expected)) != 0)
        printf("%s", buffer_string(&talk.text));
    trial_end(&t);
}

/* ---- Results ----------------------------------------------------------------------------- */

/* Fewer runs than before, and someone else's file. */
static void test_results(const char *folder)
{
    static const CosyModel one = MODEL(.experiment = one_experiment);
    static const CosyModel bad = MODEL(.experiment = no_times);
    const char *dir = trial_path(folder, "results");
    Fault f = {0};
    Trial t;
    GO(&t, &with_lists, .dir = dir);
    CHECK(exists(dir, "run-0005.csv") && t.out.written);
    trial_end(&t);
    CHECK(file_write(trial_path(dir, "notes"), "mine", 4, &f) == STATUS_OK);
    GO(&t, &bad, .dir = dir);
    CHECK(!t.out.written && exists(dir, "run-0005.csv")); // nothing new
    trial_end(&t);
    GO(&t, &one, .dir = dir);
    CHECK(t.status == STATUS_OK && exists(dir, "run-0001.csv"));
    CHECK(!exists(dir, "run-0002.csv") && !exists(dir, "events-0005.csv"));
    check_file(dir, "notes", "mine");
    trial_end(&t);
}

/* ---- OUTPUT -------------------------------------------------------------------------------- */

static const uint32_t show_x[] = {V_X, V_Y}, first[] = {COSY_NONE, 0};

#define LINE(k, r, head, over, many, what, at)                                 \
    {                                                                          \
        .kind = COSY_##k, .run = (r), .title = (head), .versus = (over),       \
        .n = (many), .variable = (what), .element = first, .line = (at)        \
    }

static const CosyShow shows[] = {
    LINE(LIST, COSY_TIMEF, "ALL OF IT", COSY_NONE, 2, show_x, 40),
    LINE(LIST, 1, "", COSY_NONE, 1, show_x, 41),
    LINE(LIST, COSY_CROSSF, "", V_X, 1, show_x + 1, 42),
    LINE(LIST, 2, "", COSY_NONE, 1, show_x, 43),
    LINE(GRAPH, COSY_TIMEF, "", COSY_NONE, 1, show_x, 44),
    LINE(GRAPH, COSY_TIMEF, "", COSY_NONE, 1, show_x, 45),
};

/* The second of three runs is SAVEd. */
static CosyStatus show_terminal(Cosy *c)
{
    if (c->head->run == 2)
        COSY_TRY(c->host->save(c));
    return c->host->crossplot(c);
}

static void test_output(void)
{
    static const CosyModel m =
        MODEL(.terminal = show_terminal, .experiment = cross_experiment,
              .n_shows = LENGTH(shows), .shows = shows, .time_unit = "s");
    static const char expected[] =
        "\nALL OF IT                                                        "
        "          run 3\n\n"
        "          TIME             X             Y\n"
        "           [s]           [m]\n"
        "             0             3             6\n"
        "          0.25             3             6\n"
        "           0.5             3             6\n"
        "          0.75             3             6\n"
        "             1             3             6\n"
        "\nrun 2\n\n"
        "          TIME             X\n"
        "           [s]           [m]\n"
        "             0             2\n"
        "          0.25             2\n"
        "           0.5             2\n"
        "          0.75             2\n"
        "             1             2\n"
        "\ncross file\n\n"
        "             X             Y\n"
        "           [m]\n"
        "             1             2\n"
        "             2             4\n"
        "             3             6\n";
    Trial t;
    GO(&t, &m, .threads = 2);
    const char *found = strstr(buffer_string(&talk.text), "\nALL");
    CHECK_TEXT(found ? found : buffer_string(&talk.text), expected);
    CHECK(says("study.cosy:43: warning: there are no records of run (2)"));
    CHECK(strstr(buffer_string(&talk.messages), "GRAPH") == NULL);
    trial_end(&t);
}

int main(void)
{
    const char *folder = trial_folder();
    test_lists();
    test_bad_lists();
    test_frames();
    test_set();
    test_rerun(folder);
    test_rerun_lists(folder);
    test_endless_rerun();
    test_contn(folder);
    test_storing(folder);
    test_cross(folder);
    test_points(folder);
    test_finish();
    test_limits(folder);
    test_errorexit();
    test_order();
    test_carriage();
    test_results(folder);
    test_output();
    buffer_free(&talk.text);
    buffer_free(&talk.messages);
    trial_remove(folder);
    return check_end();
}
