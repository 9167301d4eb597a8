/* METHOD AUTO, the default: an explicit method that hands over to RADAU when
   the model is stiff, and the warning if it was requested by name; the first
   choice; a snapshot before, at and after a change. The words about decisions
   are tested in tests/sim/auto. */

#include "check.h"
#include "folder.h"
#include "scarce.h"
#include "solve/auto.h"
#include "stiff.h"

/* ---- Problems ------------------------------------------------------------- */

/* Van der Pol, e y'' = (1 - y^2) y' - y with e = 1e-6: the test set for IVP
   solvers (CWI, Bari) gives y(2) and y'(2). */
static CosyStatus relax(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = x[1];
    dx[1] = ((R(1.0) - x[0] * x[0]) * x[1] - x[0]) * R(1e6);
    return COSY_OK;
}

static const CosyModel relaxation = {STIFF_MODEL("RELAXATION", 2),
                                     .derivatives = relax};
static const real relaxation_begin[] = {R(2.0), R(0.0)};
static const real relaxation_end[] = {R(1.706167732170483),
                                      R(-0.8928097010247975)};

/* The same with e = 1: not stiff. */
static CosyStatus oscillate(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = x[1];
    dx[1] = (R(1.0) - x[0] * x[0]) * x[1] - x[0];
    return COSY_OK;
}

static const CosyModel oscillation = {STIFF_MODEL("OSCILLATION", 2),
                                      .derivatives = oscillate};

/* Y1' = -Y1 slowly, Y2 a fast circle: only its accuracy makes steps short. */
static CosyStatus spin(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = -x[0];
    dx[1] = R(500.0) * x[2];
    dx[2] = R(-500.0) * x[1];
    return COSY_OK;
}

static const CosyModel spinning = {STIFF_MODEL("SPINNING", 3),
                                   .derivatives = spin};
static const real spinning_begin[] = {R(1.0), R(0.0), R(1.0)};

/* ---- What is said --------------------------------------------------------- */

typedef struct Said {
    unsigned notes, warnings;
    char text[200];
} Said;

static void hear(Cosy *c, CosySeverity severity, uint32_t line,
                 const char *text)
{
    Said *said = c->run;
    (void)line;
    *(severity == COSY_NOTE ? &said->notes : &said->warnings) += 1;
    snprintf(said->text, sizeof said->text, "%s", text);
}

static const CosyHost host = {.message = hear};

static Status open_heard(Drive *d, Said *said, const CosyModel *m,
                         const SolverOptions *o, const real *x)
{
    memset(said, 0, sizeof *said);
    Status status = drive_open(d, m, o, x);
    d->c.host = &host;
    d->c.run = said;
    return status;
}

/* ---- Stiff models --------------------------------------------------------- */

static void check_handed(const CosyModel *m, const real *begin, real t_end,
                         const real *end, double most)
{
    Drive d;
    Said said;
    // Robertson's states end at 2E-8 and 8E-14, below the usual ABSERR
    SolverOptions o = {.relerr = R(1e-7), .abserr = R(1e-14)};
    CHECK(open_heard(&d, &said, m, &o, begin) == STATUS_OK);
    CHECK_TEXT(solver_methods(&d.s), "DOP853");
    CHECK(drive_to(&d, t_end) == STATUS_OK);
    CHECK(said.notes == 0 && said.warnings == 0);
    CHECK(strstr(auto_words(&d.s), "on RADAU (stiff)") != NULL);
    CHECK_TEXT(solver_methods(&d.s), "DOP853, RADAU");
    CHECK_TEXT(d.s.method->name, "RADAU");
    drive_tell(&d, m->name, drive_error(&d, end));
    CHECK(drive_error(&d, end) < most);
    CHECK(d.s.counts.steps < 3000);
    drive_close(&d);
}

/* Y' = -1000 (Y - COS(t)), Z' = Y: the steps of explicit methods stay inside the
   limit of stability. Closed form: Y = (1000^2 COS(t) + 1000 SIN(t)) / (1000^2 +
   1) when the start is forgotten. */
static CosyStatus follow(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    dx[0] = R(-1000.0) * (x[0] - cosy_cos(t));
    dx[1] = x[0];
    return COSY_OK;
}

static const CosyModel following = {STIFF_MODEL("FOLLOWING", 2),
                                    .derivatives = follow};

static void test_inside(void)
{
    static const char *const names[] = {NULL,    "RKS",    "RKE",   "RKF45",
                                        "RKF78", "DOPRI5", "DOP853"};
    const real begin[] = {R(1.0), R(0.0)}, t = R(1.0);
    real y = (R(1e6) * cosy_cos(t) + R(1e3) * cosy_sin(t)) / (R(1e6) + R(1.0));
    for (size_t k = 0; k < LENGTH(names); k++) {
        Drive d;
        Said said;
        SolverOptions o = {.method = names[k]};
        CHECK(open_heard(&d, &said, &following, &o, begin) == STATUS_OK);
        CHECK(drive_to(&d, t) == STATUS_OK);
        CHECK((d.s.stiffness == SOLVER_HANDED) == (names[k] == NULL));
        CHECK(said.warnings == (names[k] != NULL));
        CHECK(cosy_abs(d.s.x[0] - y) < R(1e-5));
        drive_close(&d);
    }
}

/* Y' = 1e4 (Y - COS(t)) - SIN(t) is stiff on the way back. */
static CosyStatus mirrored(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    dx[0] = R(1e4) * (x[0] - cosy_cos(t)) - cosy_sin(t);
    return COSY_OK;
}

static const CosyModel mirror = {STIFF_MODEL("MIRROR", 1),
                                 .derivatives = mirrored};

static void test_backward(void)
{
    Drive d;
    Said said;
    const real begin[] = {R(2.0)};
    CHECK(open_heard(&d, &said, &mirror, &(SolverOptions){0}, begin) ==
          STATUS_OK);
    d.s.direction = -1;
    CHECK(d.s.method->start(&d.s) == STATUS_OK);
    CHECK(drive_to(&d, R(-2.0)) == STATUS_OK);
    CHECK(d.s.stiffness == SOLVER_HANDED && d.s.counts.steps < 200);
    CHECK(cosy_abs(d.s.x[0] - cosy_cos(R(2.0))) < R(1e-6));
    drive_close(&d);
}

/* Whoever asks for DOPRI5 gets it, and is told once. */
static void test_asked(void)
{
    Drive d;
    Said said;
    SolverOptions o = {.method = "DOPRI5"};
    CHECK(open_heard(&d, &said, &robertson, &o, robertson_begin) == STATUS_OK);
    CHECK(drive_to(&d, R(2.0)) == STATUS_OK);
    CHECK(said.notes == 0 && said.warnings == 1);
    CHECK(strstr(said.text, "RADAU") != NULL);
    CHECK((strstr(said.text, "GEAR") != NULL) == (COSY_PRECISION == 1));
    CHECK_TEXT(solver_methods(&d.s), "DOPRI5");
    CHECK_TEXT(d.s.method->name, "DOPRI5");
    drive_close(&d);
}

/* All methods that choose their step notice it. */
static void test_others(void)
{
    static const char *const names[] = {"RKS", "RKE", "RKF45", "RKF78",
                                        "DOP853"};
    for (size_t k = 0; k < LENGTH(names); k++) {
        Drive d;
        Said said;
        SolverOptions o = {.method = names[k]};
        CHECK(open_heard(&d, &said, &robertson, &o, robertson_begin) ==
              STATUS_OK);
        CHECK(drive_to(&d, R(2.0)) == STATUS_OK);
        CHECK(said.warnings == 1 && strstr(said.text, names[k]) != NULL);
        drive_close(&d);
    }
}

/* ---- Models that are not ---------------------------------------------------- */

static void check_kept(const CosyModel *m, const real *begin, real t_end,
                       real relerr)
{
    static const char *const names[] = {NULL,    "RKS",    "RKE",   "RKF45",
                                        "RKF78", "DOPRI5", "DOP853"};
    for (size_t k = 0; k < LENGTH(names); k++) {
        Drive d;
        Said said;
        SolverOptions o = {.method = names[k], .relerr = relerr};
        CHECK(open_heard(&d, &said, m, &o, begin) == STATUS_OK);
        CHECK(drive_to(&d, t_end) == STATUS_OK);
        if (said.notes + said.warnings > 0)
            printf("%s: %s\n", m->name, said.text);
        CHECK(d.s.stiffness == SOLVER_NOT_STIFF && said.warnings == 0);
        CHECK(d.s.counts.steps > 40); // enough to be examined
        drive_close(&d);
    }
}

static void test_kept(void)
{
    static const real relerr[] = {R(1e-3), R(1e-5), R(1e-8), R(1e-12)};
    for (size_t k = 0; k < LENGTH(relerr); k++) {
        check_kept(&oscillation, relaxation_begin, R(200.0), relerr[k]);
        check_kept(&spinning, spinning_begin, R(1.0), relerr[k]);
    }
}

/* At rest, except for rounding: the derivatives are noise. */
static CosyStatus tremble(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    for (int i = 0; i < 2; i++)
        dx[i] = R(100.0) * ((x[i] + R(1e4) + t) - (R(1e4) + t) - x[i]);
    return COSY_OK;
}

static const CosyModel trembling = {STIFF_MODEL("TREMBLING", 2),
                                    .derivatives = tremble};

static void test_noise(void)
{
    Drive d;
    Said said;
    const real begin[] = {R(1.0) / R(3.0), R(1.0) / R(7.0)};
    SolverOptions o = {.dtmax = R(1.0)};
    CHECK(open_heard(&d, &said, &trembling, &o, begin) == STATUS_OK);
    CHECK(drive_to(&d, R(500.0)) == STATUS_OK);
    CHECK(d.s.stiffness == SOLVER_NOT_STIFF && d.s.counts.steps >= 500);
    drive_close(&d);
}

/* Events do not make the watch forget: a start every ten steps. */
static void test_events(void)
{
    Drive d;
    Said said;
    CHECK(open_heard(&d, &said, &robertson, &(SolverOptions){0},
                     robertson_begin) == STATUS_OK);
    for (unsigned k = 0; k < 400 && d.s.stiffness != SOLVER_HANDED; k++) {
        if (k % 10 == 9)
            CHECK(d.s.method->start(&d.s) == STATUS_OK);
        CHECK(d.s.method->step(&d.s, R(1e11)) == STATUS_OK);
    }
    CHECK(d.s.stiffness == SOLVER_HANDED);
    drive_close(&d);
}

/* A fixed step is not handed over. */
static void test_fixed(void)
{
    Drive d;
    Said said;
    SolverOptions o = {.step = R(1e-4)};
    CHECK(open_heard(&d, &said, &robertson, &o, robertson_begin) == STATUS_OK);
    CHECK(drive_to(&d, R(0.5)) == STATUS_OK);
    CHECK(d.s.stiffness != SOLVER_HANDED && d.s.counts.steps == 5000);
    drive_close(&d);
}

/* ---- The first choice -------------------------------------------------------- */

static void check_chosen(const CosyModel *m, const real *begin, real relerr,
                         int direction, const char *name)
{
    Drive d;
    SolverOptions o = {.relerr = relerr};
    CHECK(drive_open(&d, m, &o, begin) == STATUS_OK);
    d.s.direction = direction;
    CHECK(auto_start(&d.s, (real)direction * R(10.0)) == STATUS_OK);
    CHECK_TEXT(d.s.method->name, name);
    CHECK_TEXT(solver_methods(&d.s), name);
    CHECK_TEXT(solver_stamp(&d.s), "AUTO");
    drive_close(&d);
}

/* What is stiff one way is unstable the other way. */
static void test_choice(void)
{
    const real one[] = {R(1.0)}, two[] = {R(1.0), R(0.0)};
    check_chosen(&following, two, R(1e-3), 1, "DIRK");
    check_chosen(&following, two, R(1e-6), 1, "RADAU");
    check_chosen(&following, two, R(1e-9), 1, "RADAU");
    check_chosen(&following, two, R(1e-6), -1, "DOP853");
    check_chosen(&mirror, one, R(1e-6), -1, "RADAU");
    check_chosen(&mirror, one, R(1e-6), 1, "DOP853");
    check_chosen(&spinning, spinning_begin, R(1e-3), 1, "DOP853");
    check_chosen(&spinning, spinning_begin, R(1e-9), 1, "DOP853");
    check_chosen(&relaxation, relaxation_begin, R(1e-6), 1, "RADAU");
    check_chosen(&oscillation, relaxation_begin, R(1e-6), 1, "DOP853");
}

/* ---- Mass matrices ---------------------------------------------------------- */

static void test_mass(void)
{
    Drive d;
    CHECK(drive_open(&d, &akzo, &(SolverOptions){0}, akzo_begin) == STATUS_OK);
    CHECK_TEXT(d.s.method->name, "RADAU");
    drive_close(&d);
    CHECK(drive_open(&d, &akzo, &(SolverOptions){.method = "DOPRI5"},
                     akzo_begin) == STATUS_USAGE);
    CHECK(strstr(d.fault.text, "RADAU") != NULL);
    drive_close(&d);
}

/* ---- Memory ------------------------------------------------------------------ */

static void steps(Drive *d, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        CHECK(d->s.method->step(&d->s, R(1e11)) == STATUS_OK);
}

static bool alike(const Drive *a, const Drive *b)
{
    return a->s.t == b->s.t && a->s.h == b->s.h &&
           a->s.counts.rhs == b->s.counts.rhs &&
           memcmp(a->s.x, b->s.x, a->s.n * sizeof(real)) == 0;
}

/* Saved after `early` steps: before, during and after the handover; the step in
   `handing` is the first of RADAU. */
static void test_snapshot(unsigned early, unsigned later)
{
    Folder folder;
    Drive first, second;
    Said said;
    SolverOptions o = {0};
    folder_make(&folder);
    CHECK(open_heard(&first, &said, &robertson, &o, robertson_begin) ==
          STATUS_OK);
    steps(&first, early);
    CHECK(solver_complete(&first.s) == STATUS_OK);
    CHECK(image_save(&first.image, folder_file(&folder, "run"), "x",
                     &first.fault) == STATUS_OK);
    steps(&first, later);

    CHECK(open_heard(&second, &said, &robertson, &o, robertson_begin) ==
          STATUS_OK);
    CHECK(solver_complete(&second.s) == STATUS_OK);
    CHECK(image_load(&second.image, folder_file(&folder, "run"), "x",
                     &second.fault) == STATUS_OK);
    CHECK(solver_attach(&second.s) == STATUS_OK);
    steps(&second, later);
    CHECK(alike(&first, &second));
    CHECK_TEXT(solver_methods(&second.s), solver_methods(&first.s));
    CHECK_TEXT(solver_stamp(&second.s), solver_stamp(&first.s));
    drive_close(&first);
    drive_close(&second);
    folder_remove(&folder);
}

/* The number of steps after which the next one hands over. */
static unsigned handing(void)
{
    Drive d;
    Said said;
    unsigned count = 0;
    CHECK(open_heard(&d, &said, &robertson, &(SolverOptions){0},
                     robertson_begin) == STATUS_OK);
    while (d.s.stiffness == SOLVER_NOT_STIFF && count < 10000) {
        steps(&d, 1);
        count++;
    }
    CHECK(d.s.stiffness == SOLVER_HANDS_OVER);
    steps(&d, 1);
    CHECK(d.s.stiffness == SOLVER_HANDED);
    drive_close(&d);
    return count;
}

static void test_no_memory(void)
{
    for (long n = 0, refused = 1; refused > 0; n++) {
        Drive d;
        SolverOptions o = {0};
        scarce_begin(n);
        Status status = drive_open(&d, &robertson, &o, robertson_begin);
        if (status == STATUS_OK)
            status = drive_to(&d, R(10.0));
        refused = scarce_end();
        CHECK(status == (refused > 0 ? STATUS_MEMORY : STATUS_OK));
        drive_close(&d);
    }
}

int main(void)
{
    check_handed(&robertson, robertson_begin, R(1e11), robertson_end, 1e-4);
    check_handed(&relaxation, relaxation_begin, R(2.0), relaxation_end, 1e-5);
    check_handed(&hires, hires_begin, R(321.8122), hires_end, 1e-4);
    test_inside();
    test_backward();
    test_asked();
    test_others();
    test_kept();
    test_noise();
    test_events();
    test_fixed();
    test_choice();
    test_mass();
    unsigned last = handing();
    test_snapshot(last - 5, 100);
    test_snapshot(last, 100);
    test_snapshot(last + 1, 100);
    test_snapshot(last + 20, 100);
    test_no_memory();
    return check_end();
}
