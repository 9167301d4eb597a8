/* Better code for a model takes over between two steps. The other code is a
   copy of the description whose functions count their calls and do the same:
   results do not show where it took over, and from then on only it is called. A
   description of another model would be noticed, so one test makes the change
   visible on purpose. */

#include "trial.h"

#include <stdlib.h>

#include "../unit/check.h"
#include "cosy/model.h"

/* What `newest` answers: the first code for this many questions, then the
   second. */
typedef struct Change {
    const CosyModel *first, *second;
    uint64_t after, asked;
} Change;

static const void *newest(void *user)
{
    Change *c = user;
    return c->asked++ < c->after ? c->first : c->second;
}

/* The functions of the second code: those of the model, counted. A test program
   is one thread here, so the counts may be static. */
static const CosyModel *counted;
static uint64_t calls_first, calls_second;
static real error_second; // added to the first derivative

static CosyStatus derivatives_first(Cosy *c, real t, const real *x, real *dx)
{
    calls_first++;
    return counted->derivatives(c, t, x, dx);
}

static CosyStatus derivatives_second(Cosy *c, real t, const real *x, real *dx)
{
    calls_second++;
    CosyStatus status = counted->derivatives(c, t, x, dx);
    dx[0] += error_second;
    return status;
}

static CosyStatus time_event_second(Cosy *c, uint32_t event, uint32_t record)
{
    calls_second++;
    return counted->time_event(c, event, record);
}

static CosyStatus resume_second(Cosy *c, uint32_t transaction)
{
    calls_second++;
    return counted->resume(c, transaction);
}

static CosyStatus discrete_second(Cosy *c, CosyRound *round)
{
    calls_second++;
    return counted->discrete(c, round);
}

static CosyModel second_of(const CosyModel *m)
{
    CosyModel second = *m;
    if (m->derivatives)
        second.derivatives = derivatives_second;
    if (m->time_event)
        second.time_event = time_event_second;
    if (m->resume)
        second.resume = resume_second;
    if (m->discrete)
        second.discrete = discrete_second;
    return second;
}

static void open_model(Loaded *l, const char *name)
{
    const char *folder = getenv("COSY_MODELS");
    char path[4096];
    Fault f = {0};
    snprintf(path, sizeof path, "%s/%s.double.so",
             folder ? folder : "build/models", name);
    CHECK(load_open(l, path, &f) == STATUS_OK);
    counted = l->model;
    calls_first = calls_second = 0;
    error_second = R(0.0);
}

static const KernelSetting few_customers = {"CUSTOMERS", "20000"};

/* The same bytes with the change after `after` questions as without one. */
static void check_same(const char *name, const char *method, uint64_t after)
{
    Loaded l;
    Trial alone, changed;
    open_model(&l, name);
    CosyModel second = second_of(l.model);
    Change change = {l.model, &second, after, 0};
    KernelOptions o = {.method = method,
                       .threads = 1,
                       .set = &few_customers,
                       .sets = strcmp(name, "mm1") == 0};
    const char *folder = trial_folder();
    const char *a = trial_path(folder, "a"), *b = trial_path(folder, "b");
    o.dir = a;
    trial_of(&alone, l.model, 1, &o);
    CHECK(calls_second == 0);
    o.dir = b;
    o.newest = newest;
    o.newest_user = &change;
    trial_of(&changed, l.model, 1, &o);
    CHECK(alone.status == STATUS_OK && changed.status == STATUS_OK);
    CHECK(trial_same(a, b));
    CHECK(change.asked > after);
    CHECK(calls_second > 0);
    trial_end(&alone);
    trial_end(&changed);
    trial_remove(folder);
    load_close(&l);
}

/* From the change on only the second code works. */
static void test_who_works(void)
{
    Loaded l;
    Trial t;
    open_model(&l, "vanderpol");
    CosyModel first = *(const CosyModel *)l.model, second = second_of(&first);
    first.derivatives = derivatives_first;
    Change change = {&first, &second, 21, 0};
    KernelOptions o = {.method = "RK4",
                       .step = "0.1",
                       .newest = newest,
                       .newest_user = &change};
    trial_of(&t, &first, 1, &o);
    CHECK(t.status == STATUS_OK);
    /* One question before the run and one after each of the 200 steps. RK4
       takes 4 evaluations a step and some at the start. */
    printf("%lu questions, %lu calls, then %lu\n", (unsigned long)change.asked,
           (unsigned long)calls_first, (unsigned long)calls_second);
    CHECK(change.asked == 201);
    CHECK(calls_first >= 80 && calls_first <= 120);
    CHECK(calls_second >= 700 && calls_second <= 920);
    trial_end(&t);
    load_close(&l);
}

/* The change is real: a different model as the second code shows. */
static void test_seen(void)
{
    Loaded l;
    Trial same, other;
    open_model(&l, "vanderpol");
    CosyModel second = second_of(l.model);
    Change change = {l.model, &second, 10, 0};
    KernelOptions o = {.newest = newest, .newest_user = &change};
    trial_of(&same, l.model, 1, &o);
    error_second = R(1e-3);
    change.asked = 0;
    trial_of(&other, l.model, 1, &o);
    CHECK(trial_number(&same, "final", "X1", NULL) !=
          trial_number(&other, "final", "X1", NULL));
    trial_end(&same);
    trial_end(&other);
    load_close(&l);
}

int main(void)
{
    static const char *const methods[] = {"DOPRI5", "DOP853", "RADAU5", "GEAR"};
    for (size_t k = 0; k < LENGTH(methods); k++) {
        check_same("vanderpol", methods[k], 0);
        check_same("vanderpol", methods[k], 30);
    }
    check_same("twostate", "RADAU5", 20);
    check_same("heat", "GEAR", 20);
    check_same("domino", "DOPRI5", 7);
    check_same("pendulum", "DOP853", 25);
    check_same("barbershop", NULL, 0);
    check_same("mm1", NULL, 3);
    test_who_works();
    test_seen();
    return check_end();
}
