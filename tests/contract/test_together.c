/* Several experiments in one process do not notice each other: at once in two
   threads they leave the same bytes as one after the other. And integration
   steps allocate nothing: between two accepted steps only the records grow. */

#include "trial.h"

#include <pthread.h>

#include "../unit/check.h"
#include "count.h"

static const char *folder; // folder of this test

/* ---- Two at once --------------------------------------------------------- */

typedef struct Task {
    const char *model, *precision;
    KernelOptions options;
    Status status;
} Task;

static void *work(void *task)
{
    Task *k = task;
    Trial t;
    trial_run(&t, k->model, k->precision, &k->options);
    k->status = t.status;
    trial_end(&t);
    return NULL;
}

static void check_pair(Task a, Task b)
{
    const char *alone[] = {trial_path(folder, "alone-a"),
                           trial_path(folder, "alone-b")};
    const char *both[] = {trial_path(folder, "both-a"),
                          trial_path(folder, "both-b")};
    Task task[] = {a, b};
    pthread_t thread[2];
    for (int k = 0; k < 2; k++) {
        task[k].options.dir = alone[k];
        work(&task[k]);
        CHECK(task[k].status == STATUS_OK);
        task[k].options.dir = both[k];
    }
    for (int k = 0; k < 2; k++)
        CHECK(pthread_create(&thread[k], NULL, work, &task[k]) == 0);
    for (int k = 0; k < 2; k++) {
        pthread_join(thread[k], NULL);
        CHECK(task[k].status == STATUS_OK);
        CHECK(trial_same(alone[k], both[k]));
        trial_remove(alone[k]);
        trial_remove(both[k]);
    }
}

static const KernelSetting five_rounds = {"ROUNDS", "5"};
static const KernelSetting few_customers = {"CUSTOMERS", "5000"};

/* Each of the six next to itself, then next to another. */
static void test_pairs(void)
{
    static const Task tasks[] = {
        {"vanderpol", "double", {.method = "DOP853", .relerr = "1e-13"}, 0},
        {"twostate", "double", {.relerr = "1e-11"}, 0},
        {"barbershop", "double", {.seed = 5}, 0},
        {"domino", "double", {.threads = 1}, 0},
        {"pendulum", "double", {.set = &five_rounds, .sets = 1}, 0},
        {"heat", "double", {.relerr = "1e-7"}, 0},
        {"mm1", "double", {.set = &few_customers, .sets = 1}, 0},
        {"vanderpol", "double", {.method = "GEAR"}, 0},
        {"vanderpol", "quad", {.relerr = "1e-12"}, 0},
        {"twostate", "quad", {.relerr = "1e-12"}, 0},
        {"pendulum", "extended", {.set = &five_rounds, .sets = 1}, 0},
    };
    size_t n = LENGTH(tasks);
    for (size_t k = 0; k < n; k++) {
        check_pair(tasks[k], tasks[k]);
        check_pair(tasks[k], tasks[(k + 1) % n]);
    }
}

/* ---- Allocations --------------------------------------------------------- */

enum { BEGINNING = 3 }; // steps until all scratch memory is there

typedef struct Counter {
    unsigned long last;
    unsigned long steps, events; // as the run reports it
    unsigned long inside;        // allocations in steps without an event
    unsigned long most;          // most of them in one step
} Counter;

static bool count_step(void *user, const KernelProgress *p)
{
    Counter *c = user;
    unsigned long now = count_allocations(), made = now - c->last;
    if (p->steps > BEGINNING && p->events == c->events) {
        c->inside += made;
        c->most = made > c->most ? made : c->most;
    }
    c->steps = (unsigned long)p->steps;
    c->events = (unsigned long)p->events;
    c->last = count_allocations();
    return true;
}

static void no_message(void *user, const char *text)
{
    (void)user;
    printf("%s\n", text);
}

/* Vectors double, so n rows are log2(n) allocations. */
static unsigned long doublings(unsigned long n)
{
    unsigned long k = 0;
    for (; n > 0; n /= 2)
        k++;
    return k;
}

static void check_steps(const char *model, const char *precision,
                        const char *method, const char *step)
{
    Counter c = {0};
    Trial t;
    TRIAL(&t, model, precision, .method = method, .step = step,
          .set = &five_rounds, .sets = strcmp(model, "pendulum") == 0,
          .threads = 1, .progress = count_step, .message = no_message,
          .user = &c);
    CHECK(t.status == STATUS_OK);
    printf("%s %s %s: %lu steps, %lu allocations in them\n", model, precision,
           method, c.steps, c.inside);
    CHECK(c.steps > 20);
    CHECK(c.inside <= doublings(c.steps) + 12);
    CHECK(c.most <= 2);
    trial_end(&t);
}

static void test_allocations(void)
{
    static const char *const precisions[] = {"double", "extended", "quad"};
    for (size_t p = 0; p < LENGTH(precisions); p++) {
        check_steps("vanderpol", precisions[p], "EULER", "0.01");
        check_steps("vanderpol", precisions[p], "RK4", "0.01");
        check_steps("vanderpol", precisions[p], "DOPRI5", NULL);
        check_steps("vanderpol", precisions[p], "DOP853", NULL);
        check_steps("vanderpol", precisions[p], "RADAU5", NULL);
        check_steps("twostate", precisions[p], "RADAU5", NULL);
        check_steps("domino", precisions[p], "DOPRI5", NULL);
        check_steps("domino", precisions[p], "RADAU5", NULL);
        check_steps("pendulum", precisions[p], "DOP853", NULL);
        check_steps("pendulum", precisions[p], "RADAU5", NULL);
    }
    check_steps("heat", "double", "RADAU5", NULL);
    check_steps("heat", "extended", "RADAU5", NULL);
    check_steps("heat", "double", "GEAR", NULL);
    check_steps("vanderpol", "double", "GEAR", NULL);
    check_steps("vanderpol", "double", "ADAMS", NULL);
}

/* Customers come from pools: the number of allocations does not depend on
   theirs. */
static void test_pools(void)
{
    static const KernelSetting few = {"CUSTOMERS", "20000"};
    static const KernelSetting many = {"CUSTOMERS", "320000"};
    unsigned long made[2];
    for (int k = 0; k < 2; k++) {
        Trial t;
        unsigned long before = count_allocations();
        TRIAL(&t, "mm1", "double", .set = k ? &many : &few, .sets = 1);
        made[k] = count_allocations() - before;
        CHECK(t.status == STATUS_OK);
        trial_end(&t);
    }
    printf("mm1: %lu allocations, %lu for sixteen times the customers\n",
           made[0], made[1]);
    /* The log grows sixteenfold, by an eighth at a time where it is large. */
    CHECK(made[1] <= made[0] + 30);
}

int main(void)
{
    folder = trial_folder();
    test_allocations();
    test_pools();
    test_pairs();
    trial_remove(folder);
    return check_end();
}
