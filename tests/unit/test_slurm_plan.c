/* In how many parts cosy run --slurm cuts a study: what its tasks and places have to do
   follows from the work and the number of places. */

#include "cli/slurm_plan.h"

#include "check.h"

typedef struct Case {
    uint32_t tasks, runs, threads;
    double work;
    uint32_t parts;
} Case;

static uint32_t divide(const Case *c)
{
    const SlurmPlan p = {.tasks = c->tasks, .most = c->runs, .work = c->work};
    return slurm_divide(&p, c->threads);
}

static void test_cases(void)
{
    static const Case cases[] = {
        {8, 1000, 1, 2, 1},         // hardly anything
        {8, 1000, 1, 11, 2},        // tasks of 5 s
        {8, 1000, 1, 39.9, 7},      // not quite one for each place
        {8, 1000, 1, 40, 8},        // one for each
        {8, 1000, 1, 8 * 119.0, 8}, // still
        {8, 1000, 1, 8 * 120.0, 16},
        {8, 1000, 1, 8 * 1000.0, 32},
        {8, 1000, 1, 8 * 7200.0, 32}, // four of half an hour
        {8, 1000, 1, 8 * 7300.0, 40}, // half an hour at most
        {8, 1000, 4, 8 * 480.0, 16},  // four cores
        {8, 20, 1, 8 * 7300.0, 20},   // no more than runs
        {8, 100000, 1, 1e9, 1000},    // the longest array
        {2000, 100000, 1, 1e9, 2000}, // unless more are wanted
        {8, 1000, 1, 0, 32},          // nothing is known
        {8, 1, 1, 1e6, 1},
    };
    for (size_t k = 0; k < LENGTH(cases); k++)
        CHECK(divide(&cases[k]) == cases[k].parts);
}

/* No task is shorter than wanted, and none longer, unless there are limits. */
static void test_lengths(void)
{
    for (double work = 5; work < 1e6; work *= 1.3)
        for (uint32_t tasks = 1; tasks < 100; tasks += 7) {
            const Case c = {tasks, 1000000, 1, work, 0};
            uint32_t parts = divide(&c);
            CHECK(parts >= 1 && work / parts >= SLURM_SHORTEST * 0.999);
            CHECK(parts >= SLURM_ARRAY ||
                  work / parts <= SLURM_LONGEST * 1.001);
            CHECK(parts % tasks == 0 || parts < tasks || parts >= SLURM_ARRAY);
        }
}

static void test_words(void)
{
    static const struct {
        double seconds;
        const char *text;
    } spans[] = {{2e-5, "0.02 ms"}, {0.04, "40 ms"}, {1.24, "1.2 s"},
                 {59, "59 s"},      {120, "2 min"},  {7200, "2 h"},
                 {1e6, "12 days"},  {0.9999, "1 s"}};
    for (size_t k = 0; k < LENGTH(spans); k++) {
        Buffer b = {0};
        slurm_span(&b, spans[k].seconds);
        CHECK(strcmp(buffer_string(&b), spans[k].text) == 0);
        buffer_free(&b);
    }
    SlurmPlan p = {.runs = 100, .work = 120, .whole = true};
    Buffer b = {0};
    slurm_tell_work(&b, &p);
    CHECK(strcmp(buffer_string(&b), "100 runs of about 1.2 s, 2 min in all") ==
          0);
    buffer_free(&b);
}

int main(void)
{
    test_cases();
    test_lengths();
    test_words();
    return check_end();
}
