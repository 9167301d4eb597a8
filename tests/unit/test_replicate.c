#include "stats/replicate.h"

#include "check.h"
#include "scarce.h"
#include "stats/compare.h"
#include "stats/student.h"
#include "tiny.h"

static Tiny tiny;

/* ---- Student's t -------------------------------------------------------------- */

/* mpmath 1.3, 40 digits: the t with 1 - I(v/(v + t^2); v/2, 1/2) = 0.95. */
static const struct {
    uint64_t freedom;
    real t;
} table[] = {
    {1, R(12.70620473617470464602167997884209)},
    {2, R(4.302652729749463852320943892621175)},
    {3, R(3.182446305283709592723225425779868)},
    {4, R(2.776445105197794357803104846748628)},
    {5, R(2.570581835636315514696246217439634)},
    {7, R(2.36462425159278534168090147378049)},
    {9, R(2.262157162798205542607769637943216)},
    {10, R(2.228138851986274748395490663201807)},
    {19, R(2.093024054408309769177315282189993)},
    {24, R(2.063898561628025849245784123676601)},
    {30, R(2.042272456301238309958042232033889)},
    {49, R(2.009575237129239672259792864909403)},
    {99, R(1.984216951586417495104622078463329)},
    {120, R(1.979930405082440846731277070777791)},
    {500, R(1.964719837467367793355971892944306)},
    {999, R(1.962341461133449978662624683821567)},
    {1000, R(1.962339080826408484998580436704793)},
    {1001, R(1.962336705280879918483965699774128)},
    {5000, R(1.960438551706507918589230470017951)},
    {100000, R(1.959987707534609638591882986336377)},
};

static void test_student(void)
{
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        bool exact = table[k].freedom <= STUDENT_EXACT;
        // a sum of so many terms, and a condition number of about 4
        real tol = (real)(4 * table[k].freedom + 20) * COSY_EPSILON;
        tol = exact ? tol : R(1e-15);
        CHECK(cosy_abs(student_95(table[k].freedom) / table[k].t - R(1.0)) <
              tol);
    }
    CHECK(!cosy_finite(student_95(0)));
    for (uint64_t v = 1; v < 1500; v++)
        CHECK(student_95(v + 1) < student_95(v));
}

/* ---- Quantities ------------------------------------------------------------------ */

/* Everything observed: from t = 0 to t = 10. */
static void fill(real wait)
{
    tiny_make(&tiny);
    tiny.population[0] =
        (CosyPopulation){.count = 1, .entries = 3, .stay_sum = R(6.0)};
    tiny.head.t = R(10.0);
    tiny.collect[0] = (CosyCollect){.active = 1, .n = 2, .mean = wait};
    tiny.collect[1] = (CosyCollect){.active = 1};
    tiny.timepers[0] =
        (CosyTimepers){.active = 1, .value = R(3.0), .since = R(5.0)};
    tiny.resource[0] = (CosyResource){.capacity = 1,
                                      .entries = 4,
                                      .used_since = R(10.0),
                                      .used_area = R(4.0),
                                      .wait_since = R(10.0),
                                      .wait_area = R(3.0),
                                      .wait_sum = R(2.0)};
    tiny.resource[2] =
        (CosyResource){.capacity = 10, .used = 5, .used_since = R(0.0)};
    tiny.file[0] = (CosyFile){.count = 1, .entries = 3, .stay_sum = R(5.0)};
}

static const CosySimulate plain = {.replicate = 5};

static void add_run(Replications *r, uint32_t element, real wait)
{
    Vector v = {0};
    fill(wait);
    CHECK(replicate_take(r, &tiny.c, NULL, &v) == STATUS_OK);
    CHECK(v.used == r->width * sizeof(real));
    replicate_add(r, element, (const real *)(const void *)v.bytes);
    vector_free(&v);
}

static bool near(real a, real b)
{
    return cosy_abs(a - b) < R(1e-15);
}

static real number(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    double x = 0.0;
    CHECK(at != NULL);
    if (at != NULL)
        CHECK(sscanf(at + strlen(key), COSY_PRECISION == 1 ? "%lf" : "\"%lf",
                     &x) == 1);
    return (real)x;
}

/* 4, 8, 6, 5, 3, 7: mean 5.5, squares 17.5; the interval from a table of
   Student's t (2.5706 for 5 degrees of freedom). */
static void test_one_group(void)
{
    static const double waits[] = {4.0, 8.0, 6.0, 5.0, 3.0, 7.0};
    Replications r = {0};
    Buffer b = {0};
    fill(R(0.0));
    CHECK(replicate_begin(&r, &tiny.c, &plain, 1) == STATUS_OK);
    CHECK(!cosy_finite(replicate_half(&r, 0, TINY_X, COSY_NONE)));
    for (int k = 0; k < 6; k++)
        add_run(&r, 0, (real)waits[k]);
    replicate_json(&b, &r);
    const char *text = buffer_string(&b);
    CHECK(near(number(text, "\"WAIT\": {\"n\": 6, \"mean\": "), R(5.5)));
    CHECK(cosy_abs(number(strstr(text, "\"WAIT\""), "\"sd\": ") -
                   cosy_sqrt(R(3.5))) < R(1e-15));
    real half = R(2.570581835636315514696) * cosy_sqrt(R(3.5) / R(6.0));
    CHECK(cosy_abs(number(strstr(text, "\"WAIT\""), "\"ci95\": [") -
                   (R(5.5) - half)) < R(1e-14));
    CHECK(strstr(text, "\"NONE\": {\"n\": 0, \"mean\": null, \"sd\": null, "
                       "\"ci95\": null}") != NULL);
    CHECK(near(number(text, "\"LEVEL\": {\"n\": 6, \"mean\": "), R(1.5)));
    CHECK(near(number(text, "\"DESK.utilisation\": {\"n\": 6, \"mean\": "),
               R(0.4)));
    CHECK(near(number(text, "\"DESK.mean_queue\": {\"n\": 6, \"mean\": "),
               R(0.3)));
    CHECK(near(number(text, "\"DESK.mean_wait\": {\"n\": 6, \"mean\": "),
               R(0.5)));
    CHECK(near(number(text, "\"PARK.utilisation\": {\"n\": 6, \"mean\": "),
               R(0.5)));
    CHECK(near(number(text, "\"LINE.mean_stay\": {\"n\": 6, \"mean\": "),
               R(2.5)));
    CHECK(near(number(text, "\"CUSTOMER.mean_stay\": {\"n\": 6, \"mean\": "),
               R(3.0)));
    CHECK(near(number(text, "\"X\": {\"n\": 6, \"mean\": "), R(0.5)));
    CHECK(strstr(text, "DOOR") == NULL && strstr(text, "FLAG") == NULL);
    CHECK(strstr(text, "\"frame\"") == NULL);
    buffer_free(&b);
    replicate_free(&r);
}

static void test_antithetic(void)
{
    const CosySimulate s = {.replicate = 5, .antithetic = true};
    static const double waits[] = {4.0, 8.0, 6.0, 2.0, 3.0};
    Replications r = {0};
    Buffer b = {0};
    fill(R(0.0));
    CHECK(replicate_begin(&r, &tiny.c, &s, 1) == STATUS_OK);
    for (int k = 0; k < 5; k++)
        add_run(&r, 0, (real)waits[k]);
    replicate_json(&b, &r);
    // pairs: 6 and 4; the last has no partner
    CHECK(number(buffer_string(&b), "\"WAIT\": {\"n\": 2, \"mean\": ") ==
          R(5.0));
    buffer_free(&b);
    replicate_free(&r);
}

/* Pairs (1, 2), (2, 4), (4, 5) by hand: differences 1, 2, 1, mean 4/3, variance 1/3;
   both variances are 7/3, so the gain is 14. The t of 2 degrees of freedom is
   4.302653. What one of the two did not observe is left out. */
static void test_compared(void)
{
    static const double wait[2][4] = {{1.0, 2.0, 4.0, 3.0},
                                      {2.0, 4.0, 5.0, 0.0}};
    Replications r = {0};
    Buffer b = {0};
    fill(R(0.0));
    CHECK(replicate_begin(&r, &tiny.c, &plain, 2) == STATUS_OK);
    CHECK(!compare_any(&r));
    CHECK(compare_begin(&r, 2, 0) && compare_any(&r));
    for (int k = 0; k < 3; k++) {
        add_run(&r, 0, (real)wait[0][k]);
        add_run(&r, 1, (real)wait[1][k]);
        compare_round(&r);
    }
    compare_json(&b, &r);
    const char *text = strstr(buffer_string(&b), "\"WAIT\": [{");
    CHECK(text != NULL && strstr(text, "\"n\": 3") != NULL);
    CHECK(near(number(text, "\"mean\": "), R(4.0) / R(3.0)));
    CHECK(near(number(text, "\"sd\": "), cosy_sqrt(R(1.0) / R(3.0))));
    CHECK(cosy_abs(number(text, "\"gain\": ") - R(14.0)) < R(1e-12));
    real half = R(4.302652729749463852320943892621175) / R(3.0);
    CHECK(cosy_abs(number(text, "\"ci95\": [") - (R(4.0) / R(3.0) - half)) <
          R(1e-13));
    buffer_free(&b);
    replicate_free(&r);
}

/* Two elements, then another SIMULATE with one: lists of three. What is named in
   WITHIN but not observed counts with its final value. */
static void test_groups(void)
{
    const CosySimulate s = {.within = R(0.5), .of = TINY_M, .of_at = 2};
    const RunSetting setting = {TINY_K, COSY_NONE, R(0.25), false};
    Replications r = {0};
    Buffer b = {0};
    fill(R(0.0));
    CHECK(replicate_begin(&r, &tiny.c, &plain, 2) == STATUS_OK);
    CHECK(replicate_group(&r, 1, &setting, 1) == STATUS_OK);
    add_run(&r, 0, R(1.0));
    add_run(&r, 1, R(2.0));
    add_run(&r, 1, R(4.0));
    CHECK(replicate_begin(&r, &tiny.c, &s, 1) == STATUS_OK);
    add_run(&r, 0, R(9.0));
    CHECK(!cosy_finite(replicate_half(&r, 0, TINY_M, 2)));
    add_run(&r, 0, R(9.0));
    CHECK(replicate_half(&r, 0, TINY_M, 2) == R(0.0));
    CHECK(!cosy_finite(replicate_half(&r, 0, TINY_M, 1)));
    replicate_json(&b, &r);
    const char *text = buffer_string(&b);
    CHECK(strstr(text, "\"WAIT\": [{\"frame\": 1, \"parameters\": {}, \"n\": 1,"
                       " \"mean\": ") != NULL);
    CHECK(strstr(text, "{\"frame\": 1, \"parameters\": {\"K\": ") != NULL);
    CHECK(strstr(text, "\"M[2,1]\": [{\"frame\": 1, \"parameters\": {}, "
                       "\"n\": 2") != NULL);
    buffer_free(&b);
    replicate_free(&r);
}

/* Lines of at most 80 columns, without blanks at their ends. */
static void test_table(void)
{
    const RunSetting setting = {TINY_K, COSY_NONE, R(0.25), false};
    Replications r = {0};
    Buffer b = {0};
    fill(R(0.0));
    CHECK(replicate_begin(&r, &tiny.c, &plain, 1) == STATUS_OK);
    CHECK(replicate_group(&r, 0, &setting, 1) == STATUS_OK);
    add_run(&r, 0, R(1.0));
    add_run(&r, 0, R(-123456.789));
    replicate_table(&b, &r, 80);
    const char *text = buffer_string(&b);
    CHECK(strstr(text, "2 replications  K=0.25\n") != NULL);
    CHECK(strstr(text, "  WAIT                          2      -61728") !=
          NULL);
    CHECK(strstr(text, "  NONE                          0           -") !=
          NULL);
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
        CHECK(end - text <= 80 && (end == text || end[-1] != ' '));
    buffer_free(&b);
    replicate_free(&r);
}

static void test_no_memory(void)
{
    long refused = 1;
    fill(R(0.0));
    for (long n = 0; refused > 0 && n < 1000; n++) {
        Replications r = {0};
        Vector v = {0};
        scarce_begin(n);
        Status s = replicate_begin(&r, &tiny.c, &plain, 2);
        if (s == STATUS_OK)
            s = replicate_take(&r, &tiny.c, NULL, &v);
        refused = scarce_end();
        CHECK((s == STATUS_OK) == (refused == 0));
        vector_free(&v);
        replicate_free(&r);
    }
}

int main(void)
{
    test_student();
    test_one_group();
    test_antithetic();
    test_compared();
    test_groups();
    test_table();
    test_no_memory();
    return check_end();
}
