/* Judges what COSY says about FIELDs by problems whose solutions are known.

       judge COSY FOLDER [--orders] [NAME...]

   FOLDER is that of open or apart; all its problems are run, or those named. A line is
   printed for each variable: the largest error of all output times, in the maximum
   norm or, for shocks, in the mean. With --orders every problem is run with two finer
   grids, too, each with half the steps of the one before, and exact in time, and the
   order in which the errors fall is shown.

   Where the results hold estimates of the error (errors-0001.csv, norms-0001.csv) they
   are compared with the true one, at each output time, in the norm that they are for:

     met       of those called reliable, the estimate is within 1/3 and 3 of the error
     covered   of all points of those in the maximum norm, at most 3 estimates are the
               error
     trusted   of those of smooth problems, called reliable

   The exit status is 1 if a run failed, an error is larger than the table of profiles
   allows, an order is lower by half than it should be, or, where all problems of the
   folder were run, a share misses its aim. */

#include "exact.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "sim/found.h"

enum { LONG = 1024, GRIDS = 3 };

/* How many of how many. */
typedef struct Share {
    const char *name;
    double wanted;
    size_t good, all;
} Share;

typedef enum ShareKind { MET, COVERED, TRUSTED, SHARES } ShareKind;

typedef struct Judge {
    Arena arena; // of one run
    const char *cosy, *folder;
    char work[LONG]; // temporary
    Profiles profiles;
    bool orders;
    Share shares[SHARES];
    size_t wrong;
} Judge;

/* Results of one run. */
typedef struct Results {
    Table values, errors, norms;
    bool estimated;
} Results;

/* What one variable came to in one run. */
typedef struct Verdict {
    size_t points[2];
    double error;    // the largest of all times
    double estimate; // at that time
    bool estimated;
    size_t reliable, times;
} Verdict;

/* ---- Running --------------------------------------------------------------- */

static bool run_program(const Judge *j, const char *model, bool exact)
{
    char out[LONG], said[LONG];
    snprintf(out, sizeof out, "%.900s/out", j->work);
    snprintf(said, sizeof said, "%.900s/said", j->work);
    const char *words[] = {j->cosy,    "run",   model,      "-o",    out,
                           "--relerr", "1E-10", "--abserr", "1E-11", NULL};
    if (!exact)
        words[5] = NULL;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (freopen(said, "w", stdout) && dup2(fileno(stdout), 2) >= 0)
            execv(j->cosy, (char *const *)words);
        _exit(127);
    }
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child &&
           WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void show_said(Judge *j)
{
    char path[LONG];
    snprintf(path, sizeof path, "%.900s/said", j->work);
    char *said = found_file(&j->arena, path);
    printf("%.1200s\n", said ? said : "");
}

static bool read_results(Judge *j, Results *r)
{
    char path[LONG];
    snprintf(path, sizeof path, "%.900s/out/errors-0001.csv", j->work);
    r->estimated = found_table(&j->arena, path, &r->errors);
    snprintf(path, sizeof path, "%.900s/out/norms-0001.csv", j->work);
    r->estimated = r->estimated && found_table(&j->arena, path, &r->norms);
    snprintf(path, sizeof path, "%.900s/out/run-0001.csv", j->work);
    return found_table(&j->arena, path, &r->values);
}

/* The text of a model with `times` as many steps on each axis, and without the trials
   that estimate its error. */
static char *refined(Judge *j, const char *text, int times)
{
    Buffer out = {0};
    const char *p = text, *grid;
    while ((grid = strstr(p, " GRID ")) != NULL) {
        char *end;
        long n = strtol(grid + 6, &end, 10);
        bool ring = strncmp(end, " PERIODIC", 9) == 0;
        buffer_bytes(&out, p, (size_t)(grid + 6 - p));
        buffer_integer(&out, ring ? n * times : (n - 1) * times + 1);
        p = end;
    }
    const char *begin = strstr(p, "EXPERIMENT");
    if (begin) {
        buffer_bytes(&out, p, (size_t)(begin - p));
        buffer_text(&out, "EXPERIMENT\n  GRIDCHECK OFF;");
        p = begin + strlen("EXPERIMENT");
    }
    buffer_text(&out, p);
    const char *whole = buffer_string(&out);
    char *copy = arena_text(&j->arena, whole, strlen(whole));
    buffer_free(&out);
    return copy;
}

static bool write_refined(Judge *j, const char *model, int times, char *path)
{
    char *text = found_file(&j->arena, model);
    snprintf(path, LONG, "%.900s/finer.cosy", j->work);
    FILE *f = text ? fopen(path, "w") : NULL;
    if (!f)
        return false;
    fputs(refined(j, text, times), f);
    return fclose(f) == 0;
}

/* ---- Looking --------------------------------------------------------------- */

/* The element of `variable` that a column holds: its indices, 1 where it has none.
   False: the column belongs to something else. */
static bool element(const char *head, const char *variable, size_t index[2])
{
    size_t n = strlen(variable);
    index[0] = index[1] = 1;
    if (strncmp(head, variable, n) != 0)
        return false;
    if (head[n] == '[') {
        char *end;
        index[0] = strtoul(head + n + 1, &end, 10);
        if (*end == ',')
            index[1] = strtoul(end + 1, NULL, 10);
        return true;
    }
    return head[n] == '\0' || head[n] == ' ';
}

static void count_points(const Table *t, const char *variable, size_t points[2])
{
    size_t index[2];
    points[0] = points[1] = 0;
    for (size_t k = 1; k < t->columns; k++)
        if (element(found_cell(t, 0, k), variable, index))
            for (int a = 0; a < 2; a++)
                if (index[a] > points[a])
                    points[a] = index[a];
}

static double place(const Profile *p, const Verdict *v, int axis, size_t index)
{
    size_t steps = v->points[axis] - (p->periodic ? 0 : 1);
    double share = steps ? (double)(index - 1) / (double)steps : 0;
    return p->from[axis] + share * (p->to[axis] - p->from[axis]);
}

static double cell(const Table *t, size_t row, size_t column)
{
    Number x;
    if (row > t->rows || column >= t->columns ||
        !found_number(found_cell(t, row, column), &x))
        return NAN;
    return (double)x;
}

/* What is true and what is said at one output time. */
typedef struct Moment {
    double error, estimate; // in the norm that counts
    bool reliable, in_mean;
    size_t covered, points;
} Moment;

/* What the results say about a FIELD in a row. Variables that are no FIELDs are not
   in norms-0001.csv; the estimate of theirs is a cell. */
static void hear(const Results *r, const Profile *p, size_t row, Moment *m)
{
    char head[64];
    snprintf(head, sizeof head, "%s.reliable", p->variable);
    m->in_mean = p->kind == PROFILE_SHOCK;
    m->estimate = NAN;
    if (!r->estimated)
        return;
    size_t column = found_column(&r->norms, head);
    if (column < r->norms.columns && row <= r->norms.rows) {
        const char *word = found_cell(&r->norms, row, column);
        m->reliable = strcmp(word, "max") == 0 || strcmp(word, "l1") == 0;
        m->in_mean = m->reliable ? strcmp(word, "l1") == 0 : m->in_mean;
        m->estimate = cell(&r->norms, row, column - (m->in_mean ? 2 : 3));
    } else {
        m->estimate =
            cell(&r->errors, row, found_column(&r->errors, p->variable));
    }
}

static Moment look(const Results *r, const Profile *p, const Verdict *v,
                   size_t row)
{
    Moment m = {0};
    double time = cell(&r->values, row, 0);
    hear(r, p, row, &m);
    for (size_t k = 1; k < r->values.columns; k++) {
        size_t index[2];
        if (!element(found_cell(&r->values, 0, k), p->variable, index))
            continue;
        double x = place(p, v, 0, index[0]), y = place(p, v, 1, index[1]);
        double error = fabs(cell(&r->values, row, k) - p->value(x, y, time));
        if (isnan(error))
            error = DBL_MAX;
        m.error = m.in_mean ? m.error + error : fmax(m.error, error);
        m.points++;
        if (r->estimated)
            m.covered += error <= 3 * fabs(cell(&r->errors, row, k));
    }
    if (m.in_mean && m.points)
        m.error /= (double)m.points;
    return m;
}

static void count(Share *s, size_t good, size_t all)
{
    s->good += good;
    s->all += all;
}

static void count_moment(Judge *j, const Profile *p, const Moment *m)
{
    if (p->from[0] >= p->to[0])
        return; // no FIELD
    if (p->kind == PROFILE_SMOOTH)
        count(&j->shares[TRUSTED], m->reliable, 1);
    if (!m->reliable)
        return;
    count(&j->shares[MET],
          m->estimate >= m->error / 3 && m->estimate <= 3 * m->error, 1);
    if (!m->in_mean)
        count(&j->shares[COVERED], m->covered, m->points);
}

/* What a run says about a profile; `counts`: it counts in the shares. */
static Verdict judge_profile(Judge *j, const Results *r, const Profile *p,
                             bool counts)
{
    Verdict v = {.estimated = r->estimated};
    count_points(&r->values, p->variable, v.points);
    double last = cell(&r->values, 1, 0);
    for (size_t row = 2; row <= r->values.rows && v.points[0]; row++) {
        double time = cell(&r->values, row, 0);
        // at the start, and after an event, nothing new is to be seen
        if (time <= last)
            continue;
        last = time;
        Moment m = look(r, p, &v, row);
        if (counts && r->estimated)
            count_moment(j, p, &m);
        v.times++;
        v.reliable += m.reliable;
        if (m.error >= v.error) {
            v.error = m.error;
            v.estimate = m.estimate;
        }
    }
    if (v.points[0] == 0)
        v.error = DBL_MAX;
    return v;
}

/* ---- Telling --------------------------------------------------------------- */

static void tell(Judge *j, const Profile *p, const Verdict *v, bool orders)
{
    const char *mark = "";
    printf("%-14s %-2s %4zu", p->problem, p->variable, v->points[0]);
    if (v->points[1] > 1)
        printf("x%-3zu", v->points[1]);
    else
        printf("    ");
    printf("  %8.2e", v->error);
    if (v->estimated)
        printf("  estimate %8.2e %5.2f reliable %zu of %zu", v->estimate,
               v->estimate / v->error, v->reliable, v->times);
    if (orders) {
        double first = log2(v[0].error / v[1].error);
        double second = log2(v[1].error / v[2].error);
        printf("  order %5.2f %5.2f", first, second);
        if (p->order > 0 && !(second > p->order - 0.5))
            mark = "  ORDER";
    }
    if (!(v->error <= p->most))
        mark = "  ERROR";
    j->wrong += *mark != '\0';
    printf("%s\n", mark);
}

static bool same_problem(const Profile *a, const Profile *b)
{
    return strcmp(a->problem, b->problem) == 0;
}

/* Judges the profiles of one problem, which stand together. */
static void judge_problem(Judge *j, const Profile *first, size_t n)
{
    char model[LONG], finer[LONG];
    int grids = j->orders ? GRIDS : 1;
    Verdict verdicts[8][GRIDS] = {0};
    snprintf(model, sizeof model, "%.700s/%.200s.cosy", j->folder,
             first->problem);
    for (int g = 0; g < grids; g++) {
        Results r = {0};
        if ((g > 0 && !write_refined(j, model, 1 << g, finer)) ||
            !run_program(j, g ? finer : model, j->orders) ||
            !read_results(j, &r)) {
            printf("%-14s FAILED\n", first->problem);
            show_said(j);
            j->wrong++;
            return;
        }
        for (size_t i = 0; i < n; i++)
            verdicts[i][g] = judge_profile(j, &r, first + i, g == 0);
    }
    for (size_t i = 0; i < n; i++)
        tell(j, first + i, verdicts[i], j->orders);
}

static bool wanted(const Profile *p, char **names)
{
    for (char **n = names; *n; n++)
        if (strcmp(*n, p->problem) == 0)
            return true;
    return *names == NULL;
}

static void judge_all(Judge *j, char **names)
{
    for (size_t i = 0, n; i < j->profiles.count; i += n) {
        const Profile *p = j->profiles.all + i;
        for (n = 1; i + n < j->profiles.count && same_problem(p, p + n);)
            n++;
        if (wanted(p, names))
            judge_problem(j, p, n);
        arena_free(&j->arena);
        j->arena = (Arena){0};
        fflush(stdout);
    }
}

static void tell_shares(Judge *j, bool all)
{
    for (Share *s = j->shares; s < j->shares + SHARES; s++) {
        double share = s->all ? (double)s->good / (double)s->all : 1;
        if (s->all)
            printf("%-8s %5.1f %% of %zu, wanted %.0f %%\n", s->name,
                   100 * share, s->all, 100 * s->wanted);
        if (all && share < s->wanted)
            j->wrong++;
    }
}

static void clear_away(const Judge *j)
{
    char command[LONG + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", j->work);
    if (system(command) != 0)
        fprintf(stderr, "%s is left behind\n", j->work);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "judge COSY FOLDER [--orders] [NAME...]\n");
        return 2;
    }
    Judge j = {.cosy = argv[1],
               .folder = argv[2],
               .shares = {{"met", 0.95, 0, 0},
                          {"covered", 0.95, 0, 0},
                          {"trusted", 0.8, 0, 0}}};
    char **names = argv + 3;
    const char *slash = strrchr(j.folder, '/');
    j.profiles = strcmp(slash ? slash + 1 : j.folder, "apart") == 0
                     ? exact_apart()
                     : exact_open();
    if (*names && strcmp(*names, "--orders") == 0) {
        j.orders = true;
        names++;
    }
    const char *parent = getenv("TMPDIR");
    snprintf(j.work, sizeof j.work, "%.800s/cosy-fields-XXXXXX",
             parent ? parent : "/tmp");
    if (!mkdtemp(j.work)) {
        perror(j.work);
        return 2;
    }
    judge_all(&j, names);
    tell_shares(&j, *names == NULL);
    clear_away(&j);
    return j.wrong > 0;
}
