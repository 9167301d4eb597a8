/* Runs models from their text and compares the results with what is expected.

       simtest COSY CASE...

   A case is a directory with model.cosy and expect, or a single model whose
   lines beginning with //= are the expectation; any other directory stands for all
   models in it. One line is one check:

       # text                             a remark (in expect)
       args --set K=2                     more arguments of cosy run
       exit 2                             exit status; 0 if not given
       runs 11                            number of runs
       run 3 status failed
       run 3 final Y = 1.5 tol 1E-9       also A[2]: its second element
       run 3 count state_events = 62      also <= and >=
       run 3 end time = 1 tol 1E-12       t_end
       run 3 events UP = 5                how often UP happened
       run 3 event 2 UP time = 0.5 tol 0  second time of UP; LAST for the last
       run 3 value Y at 10 = 2 rel 1E-6   from the curve, after an event; Y is
                                          also the column "Y [km]"
       run 3 value Y before 10 = 2        from the curve, before an event
       run 3 points at 10 = 2             rows of the curve at that time
       run 3 json statistics/file/Q/n = 4 anything else in its object
       json replications/X/mean = 4       in the whole summary.json
       json units/X is km                 the same, a text
       sure X = 4.0                       X is one of the replications, and 4.0 in
                                          the 99 % interval of its mean
       run 3 times UP from FILE tol 1E-9  all times of UP, one number per line
       run 3 curve FILE rel 1E-6          all columns of a CSV with TIME
       cross rows = 4
       cross row 2 column Y = 1
       stdout contains "text"             also stderr, and lacks for contains
       run 3 message contains "text"

   A number may be that of another run: "= run 1". tol is an absolute, rel a
   relative tolerance; without either the number must be the same. run 1-5
   stands for each of five. A case that expects exit 0 expects all its runs to
   be finished. */

#include "found.h"

#include <ctype.h>
#include <dirent.h>
#include <quadmath.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 24, LONG = 1024 };

/* How COSY is started, and how it should end. */
typedef struct Command {
    char *words[4 * WORDS];
    size_t count;
    int exit;
} Command;

typedef struct Case {
    Arena arena;
    const char *cosy, *path; // program; directory or model
    char directory[LONG];    // the files of the case
    char results[LONG];      // temporary, with out/, stdout and stderr
    char *summary, *output, *errors;
    char *expect; // the lines, without //=
    Command command;
    int exit;
    int passed, failed, lines;
    const char *line; // being checked
} Case;

/* Words of a line, and those of its comparison. */
typedef struct Line {
    char text[LONG];
    char *words[WORDS + 1];
    size_t count;
} Line;

static void fail(Case *c, const char *format, ...)
{
    va_list arguments;
    printf("%s: %s\n    ", c->path, c->line);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    c->failed++;
}

static bool same(const char *a, const char *b)
{
    return a != NULL && strcmp(a, b) == 0;
}

static void split(Line *line, const char *text, size_t length)
{
    snprintf(line->text, sizeof line->text, "%.*s", (int)length, text);
    line->count = 0;
    for (char *p = line->text; line->count < WORDS;) {
        while (isspace((unsigned char)*p))
            p++;
        if (*p == '\0')
            break;
        bool quoted = *p == '"';
        line->words[line->count++] = quoted ? ++p : p;
        while (*p != '\0' && (quoted ? *p != '"' : !isspace((unsigned char)*p)))
            p++;
        if (*p != '\0')
            *p++ = '\0';
    }
    for (size_t i = line->count; i <= WORDS; i++)
        line->words[i] = NULL;
}

/* ---- What was found -------------------------------------------------------- */

static void file_of(const Case *c, const char *kind, long run, char *path)
{
    snprintf(path, LONG, "%.900s/out/%s-%04ld.csv", c->results, kind, run);
}

static bool read_summary(Case *c, const char *path, Number *number)
{
    char text[256];
    if (c->summary == NULL ||
        !found_json(c->summary, path, text, sizeof text)) {
        fail(c, "no such value in summary.json: %s", path);
        return false;
    }
    if (!found_number(text, number)) {
        fail(c, "found %s, which is not a number", text);
        return false;
    }
    return true;
}

static bool read_json(Case *c, long run, const char *path, Number *number)
{
    char whole[LONG];
    snprintf(whole, sizeof whole, "runs/%ld/%.900s", run - 1, path);
    return read_summary(c, whole, number);
}

static bool read_final(Case *c, long run, const char *name, Number *number)
{
    char path[LONG];
    // in M[1].W the index is part of the name
    const char *bracket = strrchr(name, '[');
    if (bracket == NULL || strchr(bracket, '.') != NULL)
        snprintf(path, sizeof path, "final/%s", name);
    else
        snprintf(path, sizeof path, "final/%.*s/%ld", (int)(bracket - name),
                 name, strtol(bracket + 1, NULL, 10) - 1);
    return read_json(c, run, path, number);
}

static bool read_event(Case *c, long run, const char *which, const char *name,
                       Number *number)
{
    Table t;
    char path[LONG];
    bool last = same(which, "LAST");
    long wanted = last ? 0 : strtol(which, NULL, 10), seen = 0;
    const char *time = NULL;
    file_of(c, "events", run, path);
    if (!found_table(&c->arena, path, &t)) {
        fail(c, "no events of run %ld", run);
        return false;
    }
    for (size_t i = 1; i <= t.rows; i++)
        if (same(found_cell(&t, i, 1), name) && (++seen == wanted || last))
            time = found_cell(&t, i, 0);
    if (time == NULL || !found_number(time, number)) {
        fail(c, "%s happened %ld times", name, seen);
        return false;
    }
    return true;
}

static bool read_events(Case *c, long run, const char *name, Number *number)
{
    Table t;
    char path[LONG];
    file_of(c, "events", run, path);
    *number = 0;
    if (!found_table(&c->arena, path, &t)) {
        // one run of several has no file if nothing happened in it
        Number end;
        if (read_json(c, run, "t_end", &end))
            return true;
        fail(c, "no events of run %ld", run);
        return false;
    }
    for (size_t i = 1; i <= t.rows; i++)
        *number += same(found_cell(&t, i, 1), name);
    return true;
}

/* A time is met by the row whose time is nearest, within 1e-9 of it. */
static size_t row_at(const Table *t, Number time, bool before)
{
    size_t best = 0;
    Number least = (Number)1e-9 * (1 + fabsq(time)), at;
    for (size_t i = 1; i <= t->rows; i++) {
        if (!found_number(found_cell(t, i, 0), &at))
            continue;
        Number off = fabsq(at - time);
        if (off < least || (off == least && !before)) {
            best = i;
            least = off;
        }
    }
    return best;
}

static bool read_curve(Case *c, const Table *t, const char *name, Number time,
                       bool before, Number *number)
{
    char shown[64];
    size_t column = found_column(t, name);
    size_t row = row_at(t, time, before);
    found_show(time, shown, sizeof shown);
    if (column == t->columns || row == 0) {
        fail(c, "no %s at %s in the curve", name, shown);
        return false;
    }
    if (!found_number(found_cell(t, row, column), number)) {
        fail(c, "%s at %s is %s", name, shown, found_cell(t, row, column));
        return false;
    }
    return true;
}

static bool read_value(Case *c, long run, char **w, Number *number)
{
    Table t;
    Number time;
    char path[LONG];
    file_of(c, "run", run, path);
    if (!found_table(&c->arena, path, &t) || !found_number(w[2], &time)) {
        fail(c, "no curve of run %ld, or no time", run);
        return false;
    }
    return read_curve(c, &t, w[0], time, same(w[1], "before"), number);
}

/* points at T: how many rows the curve has at a time. */
static bool read_points(Case *c, long run, const char *when, Number *number)
{
    Table t;
    Number time, at;
    char path[LONG];
    file_of(c, "run", run, path);
    if (when == NULL || !found_number(when, &time) ||
        !found_table(&c->arena, path, &t)) {
        fail(c, "no curve of run %ld, or no time", run);
        return false;
    }
    *number = 0;
    for (size_t i = 1; i <= t.rows; i++)
        if (found_number(found_cell(&t, i, 0), &at) &&
            fabsq(at - time) <= (Number)1e-9 * (1 + fabsq(time)))
            *number += 1;
    return true;
}

/* The quantity that the words after "run N" name; *used counts them. */
static bool read_quantity(Case *c, long run, char **w, size_t *used, Number *x)
{
    char path[LONG];
    *used = 2;
    if (same(w[0], "final"))
        return read_final(c, run, w[1], x);
    if (same(w[0], "count")) {
        snprintf(path, sizeof path, "counts/%s", w[1]);
        return read_json(c, run, path, x);
    }
    if (same(w[0], "parameter")) {
        snprintf(path, sizeof path, "parameters/%s", w[1]);
        return read_json(c, run, path, x);
    }
    if (same(w[0], "json"))
        return read_json(c, run, w[1], x);
    if (same(w[0], "end"))
        return read_json(c, run, "t_end", x);
    if (same(w[0], "events"))
        return read_events(c, run, w[1], x);
    *used = 3;
    if (same(w[0], "points"))
        return read_points(c, run, w[2], x);
    *used = 4;
    if (same(w[0], "event"))
        return read_event(c, run, w[1], w[2], x);
    if (same(w[0], "value"))
        return read_value(c, run, w + 1, x);
    fail(c, "`%s` is not a quantity", w[0]);
    return false;
}

/* ---- Comparison ------------------------------------------------------------ */

static void compare(Case *c, Number found, const char *how, Number wanted,
                    Number tolerance)
{
    char a[64], b[64], d[64];
    bool right = same(how, "<=")   ? found <= wanted
                 : same(how, ">=") ? found >= wanted
                                   : fabsq(found - wanted) <= tolerance;
    if (right) {
        c->passed++;
        return;
    }
    found_show(found, a, sizeof a);
    found_show(wanted, b, sizeof b);
    found_show(found - wanted, d, sizeof d);
    fail(c, "found %s, wanted %s %s, difference %.12s", a, how, b, d);
}

/* Tolerance of "tol x" or "rel x" for a wanted number; negative if it cannot be
   read. */
static Number tolerance_of(char **w, Number wanted)
{
    Number x;
    if (w[0] == NULL)
        return 0;
    if (w[1] == NULL || w[2] != NULL || !found_number(w[1], &x))
        return -1;
    if (same(w[0], "tol"))
        return x;
    return same(w[0], "rel") ? x * fabsq(wanted) : -1;
}

/* Words from the sign on: = 5 tol 1. */
static void check_number(Case *c, Number found, char **w, char **quantity)
{
    Number wanted;
    size_t used;
    char **rest = w + 2;
    if (w[0] == NULL || strspn(w[0], "<>=") == 0 || w[1] == NULL) {
        fail(c, "`=` and a number are missing");
        return;
    }
    if (same(w[1], "run")) {
        if (w[2] == NULL ||
            !read_quantity(c, strtol(w[2], NULL, 10), quantity, &used, &wanted))
            return;
        rest++;
    } else if (!found_number(w[1], &wanted)) {
        fail(c, "`%s` is not a number", w[1]);
        return;
    }
    Number tolerance = tolerance_of(rest, wanted);
    if (tolerance < 0)
        fail(c, "tol or rel and a number are missing");
    else
        compare(c, found, w[0], wanted, tolerance);
}

static void check_text(Case *c, const char *text, char **w)
{
    bool wanted = same(w[0], "contains");
    if (w[1] == NULL || !(wanted || same(w[0], "lacks")))
        fail(c, "contains or lacks and a text are missing");
    else if ((text != NULL && strstr(text, w[1]) != NULL) != wanted)
        fail(c, "found: %.600s", text == NULL ? "nothing" : text);
    else
        c->passed++;
}

/* times NAME from FILE tol x */
static void check_times(Case *c, long run, char **w)
{
    Number found, wanted;
    char path[LONG], number[24];
    size_t n = 0;
    snprintf(path, sizeof path, "%.900s/%s", c->directory, w[3]);
    char *text = found_file(&c->arena, path);
    if (text == NULL) {
        fail(c, "%s cannot be read", path);
        return;
    }
    for (char *p = strtok(text, " \n"); p != NULL; p = strtok(NULL, " \n")) {
        snprintf(number, sizeof number, "%zu", ++n);
        if (!found_number(p, &wanted)) {
            fail(c, "`%s` is not a number", p);
            return;
        }
        if (!read_event(c, run, number, w[1], &found))
            return;
        compare(c, found, "=", wanted, tolerance_of(w + 4, wanted));
    }
    if (read_events(c, run, w[1], &found))
        compare(c, found, "=", (Number)n, 0);
}

/* curve FILE tol x */
static void check_curve(Case *c, long run, char **w)
{
    Table wanted, found;
    Number time, x, y;
    char path[LONG];
    snprintf(path, sizeof path, "%.900s/%s", c->directory, w[1]);
    if (!found_table(&c->arena, path, &wanted) || wanted.columns < 2 ||
        wanted.rows == 0) {
        fail(c, "%s cannot be read", path);
        return;
    }
    file_of(c, "run", run, path);
    if (!found_table(&c->arena, path, &found)) {
        fail(c, "no curve of run %ld", run);
        return;
    }
    for (size_t row = 1; row <= wanted.rows; row++)
        for (size_t k = 1; k < wanted.columns; k++) {
            if (!found_number(found_cell(&wanted, row, 0), &time) ||
                !found_number(found_cell(&wanted, row, k), &x)) {
                fail(c, "row %zu of %s is not a row of numbers", row, w[1]);
                return;
            }
            if (!read_curve(c, &found, found_cell(&wanted, 0, k), time, false,
                            &y))
                return;
            compare(c, y, "=", x, tolerance_of(w + 2, x));
        }
}

static void check_run(Case *c, long run, char **w)
{
    Number found;
    size_t used;
    char path[LONG], text[LONG];
    if (w[0] == NULL || w[1] == NULL) {
        fail(c, "it does not say what to check in run %ld", run);
    } else if (same(w[0], "status")) {
        snprintf(path, sizeof path, "runs/%ld/status", run - 1);
        if (c->summary == NULL ||
            !found_json(c->summary, path, text, sizeof text) ||
            !same(text, w[1]))
            fail(c, "its status differs");
        else
            c->passed++;
    } else if (same(w[0], "message")) {
        snprintf(path, sizeof path, "runs/%ld/message", run - 1);
        bool there = c->summary != NULL &&
                     found_json(c->summary, path, text, sizeof text);
        check_text(c, there ? text : NULL, w + 1);
    } else if (same(w[0], "times")) {
        check_times(c, run, w);
    } else if (same(w[0], "curve")) {
        check_curve(c, run, w);
    } else if (read_quantity(c, run, w, &used, &found)) {
        check_number(c, found, w + used, w);
    }
}

static void check_runs(Case *c, char **w)
{
    char *end;
    long first = w[1] == NULL ? 0 : strtol(w[1], &end, 10), last = first;
    if (first > 0 && *end == '-')
        last = strtol(end + 1, NULL, 10);
    if (first < 1 || last < first)
        fail(c, "the run is missing");
    for (long run = first; first > 0 && run <= last; run++)
        check_run(c, run, w + 2);
}

static void check_cross(Case *c, char **w)
{
    Table t;
    Number found;
    char path[LONG];
    snprintf(path, sizeof path, "%.900s/out/cross.csv", c->results);
    if (!found_table(&c->arena, path, &t)) {
        fail(c, "there is no cross file");
        return;
    }
    if (same(w[1], "rows")) {
        check_number(c, (Number)t.rows, w + 2, NULL);
        return;
    }
    size_t row = w[2] == NULL ? 0 : strtoul(w[2], NULL, 10);
    size_t column = w[4] == NULL ? t.columns : found_column(&t, w[4]);
    if (row < 1 || row > t.rows || column == t.columns)
        fail(c, "no such row or column; %zu rows", t.rows);
    else if (!found_number(found_cell(&t, row, column), &found))
        fail(c, "found %s", found_cell(&t, row, column));
    else
        check_number(c, found, w + 5, NULL);
}

/* Student's t for 99 % and v degrees of freedom, 20 or more: the first terms of
   its expansion about the normal quantile (Abramowitz and Stegun, 26.7.5). */
static Number student(Number v)
{
    const Number z = (Number)2.5758293035489004, y = z * z;
    return z + z * (y + 1) / (4 * v) +
           z * ((5 * y + 16) * y + 3) / (96 * v * v) +
           z * (((3 * y + 19) * y + 17) * y - 15) / (384 * v * v * v);
}

/* sure X = 4.0 */
static void check_sure(Case *c, char **w)
{
    static const char *const keys[] = {"n", "mean", "sd"};
    Number x[3], wanted;
    char path[LONG];
    if (w[1] == NULL || !same(w[2], "=") || w[3] == NULL ||
        !found_number(w[3], &wanted)) {
        fail(c, "a name, `=` and a number are missing");
        return;
    }
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "replications/%.400s/%s", w[1], keys[k]);
        if (!read_summary(c, path, &x[k]))
            return;
    }
    if (x[0] < 21)
        fail(c, "fewer than 21 replications");
    else
        compare(c, x[1], "=", wanted, student(x[0] - 1) * x[2] / sqrtq(x[0]));
}

/* json PATH is "text" */
static void check_is(Case *c, char **w)
{
    char text[256] = "";
    bool there =
        c->summary != NULL && found_json(c->summary, w[1], text, sizeof text);
    if (!there || !same(w[3], text))
        fail(c, "found %s", there ? text : "nothing");
    else
        c->passed++;
}

static void check_whole(Case *c, char **w)
{
    Number found;
    if (w[1] == NULL)
        fail(c, "it does not say what to check in summary.json");
    else if (same(w[2], "is"))
        check_is(c, w);
    else if (read_summary(c, w[1], &found))
        check_number(c, found, w + 2, NULL);
}

static void check_line(Case *c, Line *line)
{
    char **w = line->words;
    c->lines++;
    if (same(w[0], "args") || same(w[0], "exit"))
        return;
    if (same(w[0], "run")) {
        check_runs(c, w);
    } else if (same(w[0], "runs")) {
        char path[64];
        long n = w[1] == NULL ? 0 : strtol(w[1], NULL, 10);
        snprintf(path, sizeof path, "runs/%ld/run", n - 1);
        char more[64], x[16];
        snprintf(more, sizeof more, "runs/%ld/run", n);
        if (c->summary == NULL || n < 1 ||
            !found_json(c->summary, path, x, sizeof x) ||
            found_json(c->summary, more, x, sizeof x))
            fail(c, "the number of runs differs");
        else
            c->passed++;
    } else if (same(w[0], "cross")) {
        check_cross(c, w);
    } else if (same(w[0], "sure")) {
        check_sure(c, w);
    } else if (same(w[0], "json")) {
        check_whole(c, w);
    } else if (same(w[0], "stdout")) {
        check_text(c, c->output, w + 1);
    } else if (same(w[0], "stderr")) {
        check_text(c, c->errors, w + 1);
    } else {
        fail(c, "`%s` is not a check", w[0]);
    }
}

/* ---- A case ---------------------------------------------------------------- */

static void each_line(Case *c, void (*act)(Case *, Line *))
{
    static const char mark[] = "//=";
    Line line;
    char shown[LONG];
    size_t length;
    for (const char *p = c->expect; *p != '\0';
         p += length + (p[length] != 0)) {
        length = strcspn(p, "\n");
        bool single = strcmp(c->directory, c->path) != 0;
        size_t skip = single ? strlen(mark) : 0;
        if (single && strncmp(p, mark, skip) != 0)
            continue;
        if (length < skip)
            continue;
        split(&line, p + skip, length - skip);
        if (line.count == 0 || line.words[0][0] == '#')
            continue;
        snprintf(shown, sizeof shown, "%.*s", (int)(length - skip), p + skip);
        c->line = shown;
        act(c, &line);
    }
}

static char *copy(Case *c, const char *text)
{
    size_t size = strlen(text) + 1;
    char *to = NEW_ARRAY(&c->arena, char, size);
    return to == NULL ? "" : memcpy(to, text, size);
}

static void collect(Case *c, Line *line)
{
    Command *command = &c->command;
    if (same(line->words[0], "exit") && line->count == 2)
        command->exit = (int)strtol(line->words[1], NULL, 10);
    if (same(line->words[0], "args"))
        for (size_t i = 1; i < line->count && command->count < 3 * WORDS; i++)
            command->words[command->count++] = copy(c, line->words[i]);
}

static void be_cosy(Case *c)
{
    char out[LONG], err[LONG];
    snprintf(out, sizeof out, "%.900s/stdout", c->results);
    snprintf(err, sizeof err, "%.900s/stderr", c->results);
    if (freopen(out, "w", stdout) == NULL || freopen(err, "w", stderr) == NULL)
        _exit(127);
    execv(c->cosy, c->command.words);
    _exit(127);
}

static void start(Case *c)
{
    char model[LONG], out[LONG], path[LONG];
    int status = 0;
    snprintf(model, sizeof model, "%.900s%s", c->path,
             strcmp(c->directory, c->path) == 0 ? "/model.cosy" : "");
    snprintf(out, sizeof out, "%.900s/out", c->results);
    char *first[] = {"cosy", "run", model, "-o", out, "--no-plots"};
    c->command = (Command){.count = 6};
    memcpy(c->command.words, first, sizeof first);
    each_line(c, collect);
    c->command.words[c->command.count] = NULL;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        be_cosy(c);
    waitpid(child, &status, 0);
    c->exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    snprintf(path, sizeof path, "%.900s/stdout", c->results);
    c->output = found_file(&c->arena, path);
    snprintf(path, sizeof path, "%.900s/stderr", c->results);
    c->errors = found_file(&c->arena, path);
    snprintf(path, sizeof path, "%.900s/out/summary.json", c->results);
    c->summary = found_file(&c->arena, path);
}

static void check_exit(Case *c)
{
    c->line = "exit";
    if (c->exit != c->command.exit)
        fail(c, "exit status %d, wanted %d; %.2000s", c->exit, c->command.exit,
             c->errors == NULL ? "" : c->errors);
    else
        c->passed++;
    c->line = "all runs are finished";
    if (c->command.exit == 0 &&
        (c->summary == NULL || strstr(c->summary, "\"failed\"") != NULL ||
         strstr(c->summary, "\"stopped\"") != NULL))
        fail(c, "they are not");
}

static void run_case(Case *c)
{
    char path[LONG], remove[LONG];
    snprintf(path, sizeof path, "%.900s/expect", c->path);
    c->expect = found_file(&c->arena, path);
    snprintf(c->directory, sizeof c->directory, "%s", c->path);
    if (c->expect == NULL) {
        char *slash = strrchr(c->directory, '/');
        c->expect = found_file(&c->arena, c->path);
        snprintf(slash == NULL ? c->directory : slash, 2, "%s",
                 slash == NULL ? "." : "");
    }
    snprintf(c->results, sizeof c->results, "/tmp/cosy-sim-XXXXXX");
    c->line = "";
    if (c->expect == NULL || mkdtemp(c->results) == NULL) {
        fail(c, "cannot be read, or there is no room in /tmp");
        return;
    }
    start(c);
    check_exit(c);
    each_line(c, check_line);
    c->line = "";
    if (c->lines == 0)
        fail(c, "nothing was checked");
    snprintf(remove, sizeof remove, "rm -rf '%.900s'", c->results);
    if (getenv("SIMTEST_KEEP") != NULL)
        printf("%s: results in %s\n", c->path, c->results);
    else if (system(remove) != 0)
        printf("%s could not be removed\n", c->results);
}

static int is_model(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end != NULL && strcmp(end, ".cosy") == 0;
}

/* A case, or all models in a folder that is not a case. */
static void run_cases(const char *cosy, const char *path, int *passed,
                      int *failed)
{
    char name[LONG];
    struct dirent **entry = NULL;
    snprintf(name, sizeof name, "%.900s/model.cosy", path);
    int n = access(name, F_OK) == 0
                ? -1
                : scandir(path, &entry, is_model, alphasort);
    for (int k = 0; k < n || (n < 0 && k == 0); k++) {
        Case c = {.cosy = cosy, .path = path};
        if (n >= 0) {
            snprintf(name, sizeof name, "%.600s/%.300s", path,
                     entry[k]->d_name);
            c.path = name;
            free(entry[k]);
        }
        run_case(&c);
        *passed += c.passed;
        *failed += c.failed;
        arena_free(&c.arena);
    }
    free(entry);
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0;
    if (argc < 3) {
        fprintf(stderr, "usage: simtest COSY CASE...\n");
        return 3;
    }
    for (int i = 2; i < argc; i++)
        run_cases(argv[1], argv[i], &passed, &failed);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
