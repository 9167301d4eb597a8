#include "cli/options.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/setting.h"
#include "plot/plot.h"
#include "syntax/token.h"

static bool usage(const char *format, const char *what)
{
    fputs("cosy: error: ", stderr);
    fprintf(stderr, format, what);
    fputs("; see cosy --help\n", stderr);
    return false;
}

/* ---- Values ---------------------------------------------------------------

   take_KIND(r, name, value, at): puts the value of an option into the member
   `at`; false: it is not such a value, as reported already. */

#define TAKE(kind)                                                             \
    static bool take_##kind(RunCommand *r, const char *name, char *value,      \
                            void *at)

TAKE(flag)
{
    (void)r, (void)name, (void)value;
    *(bool *)at = true;
    return true;
}

TAKE(text)
{
    (void)r, (void)name;
    *(const char **)at = value;
    return true;
}

TAKE(count)
{
    char *end;
    (void)r;
    errno = 0;
    unsigned long long n = strtoull(value, &end, 10);
    if (errno || *end || end == value || *value == '-')
        return usage("%s needs a whole number", name);
    *(uint64_t *)at = n;
    return true;
}

TAKE(events)
{
    uint64_t *n = at;
    return take_count(r, name, value, n) &&
           (*n > 0 || usage("%s needs a whole number above 0", name));
}

static bool take_small(RunCommand *r, const char *name, char *value,
                       uint32_t most, void *at)
{
    uint64_t n;
    char range[80];
    if (!take_count(r, name, value, &n))
        return false;
    snprintf(range, sizeof range, "%s must be between 1 and %u", name, most);
    if (n < 1 || n > most)
        return usage("%s", range);
    *(uint32_t *)at = (uint32_t)n;
    return true;
}

TAKE(frame)
{
    return take_small(r, name, value, 1000000, at);
}

TAKE(threads)
{
    return take_small(r, name, value, 256, at);
}

TAKE(seconds)
{
    char *end;
    double *s = at;
    (void)r;
    *s = strtod(value, &end);
    if (end == value || *end || !(*s > 0) || *s > 1e12)
        return usage("%s needs a number of seconds above 0", name);
    return true;
}

/* 60s, 5m, 1h; a number alone is seconds. */
TAKE(span)
{
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'\0', 1}, {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    char *end;
    double n = strtod(value, &end);
    (void)r;
    for (size_t k = 0; end != value && k < LENGTH(units); k++)
        if (*end == units[k].unit && (!*end || !end[1]) && n > 0 && n <= 1e6) {
            *(double *)at = n * units[k].seconds;
            return true;
        }
    return usage("%s needs a time such as 60s, 5m or 1h", name);
}

/* Bytes, or with K, M, G or T multiples of 1024, as memory is counted. */
TAKE(size)
{
    static const char units[] = "KMGT";
    char *end;
    double bytes = strtod(value, &end);
    const char *unit =
        *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    (void)r;
    for (const char *u = units; unit && u <= unit; u++)
        bytes *= 1024;
    if (unit)
        end++;
    if (unit && toupper((unsigned char)*end) == 'B')
        end++;
    if (end == value || *end || !(bytes >= 1) || bytes > 1e18)
        return usage("%s needs a size such as 500M or 2G", name);
    *(uint64_t *)at = (uint64_t)bytes;
    return true;
}

TAKE(set)
{
    KernelSetting *s = &r->set[r->kernel.sets];
    char whole[200];
    (void)name, (void)at;
    snprintf(whole, sizeof whole, "%s", value);
    if (r->kernel.sets == MOST_SETS)
        return usage("%s is given too often", "--set");
    if (!setting_split(value, s, &r->unit[r->kernel.sets]))
        return usage(
            "--set needs NAME=VALUE or \"NAME = VALUE [UNIT]\", not \"%s\"",
            whole);
    for (uint32_t k = 0; k < r->kernel.sets; k++)
        if (name_same(r->set[k].name, s->name))
            return usage("--set %s is given twice: a name has one value",
                         s->name);
    r->kernel.sets++;
    return true;
}

/* K/N */
TAKE(chunk)
{
    char *end;
    unsigned long k = strtoul(value, &end, 10), n = 0;
    (void)at;
    if (end != value && *end == '/')
        n = strtoul(end + 1, &end, 10);
    if (*end || k < 1 || n < k || n > 1000000)
        return usage("%s needs K/N, part K of N: 1/8 to 8/8 for eight parts",
                     name);
    r->kernel.chunk = (uint32_t)k;
    r->kernel.chunks = (uint32_t)n;
    return true;
}

TAKE(part)
{
    (void)at;
    if (r->kernel.parts == MOST_PARTS)
        return usage("%s is given too often", name);
    r->part[r->kernel.parts++] = value;
    r->kernel.part = r->part;
    return true;
}

/* N or N/PARTS */
TAKE(slurm)
{
    SlurmWish *w = at;
    char *end;
    unsigned long n = strtoul(value, &end, 10), parts = 0;
    bool cut = end != value && *end == '/';
    (void)r;
    if (cut)
        parts = strtoul(end + 1, &end, 10);
    if (*end || !isdigit((unsigned char)*value) || n < 1 || n > MOST_PARTS ||
        (cut && parts < 1) || parts > MOST_PARTS)
        return usage("%s needs the number of tasks at once, N, or N/PARTS: "
                     "--slurm 8, --slurm 8/40",
                     name);
    *w = (SlurmWish){(uint32_t)n, (uint32_t)parts};
    return true;
}

TAKE(backend)
{
    static const char *const names[] = {
        [LOAD_AUTO] = "auto", [LOAD_CC] = "cc", [LOAD_TCC] = "tcc"};
    (void)r, (void)name;
    for (size_t k = 0; k < LENGTH(names); k++)
        if (strcmp(value, names[k]) == 0) {
            *(LoadBackend *)at = (LoadBackend)k;
            return true;
        }
    return usage("--backend is cc, tcc or auto, not \"%s\"", value);
}

/* svg,pdf,png: one of them or several. */
TAKE(format)
{
    static const struct {
        const char *name;
        unsigned bit;
    } table[] = {{"svg", PLOT_SVG}, {"pdf", PLOT_PDF}, {"png", PLOT_PNG}};
    (void)r, (void)name;
    for (const char *s = value;; s++) {
        size_t n = strcspn(s, ","), k = 0;
        while (k < LENGTH(table) && (strlen(table[k].name) != n ||
                                     strncmp(table[k].name, s, n) != 0))
            k++;
        if (k == LENGTH(table))
            return usage("--format is a list of svg, pdf and png, not \"%s\"",
                         value);
        *(unsigned *)at |= table[k].bit;
        s += n;
        if (!*s)
            return true;
    }
}

/* The list of what is traced, or the file it goes to. */
TAKE(trace)
{
    if (value && !*value)
        return usage("%s= needs a value after it", name);
    *(const char **)at = value;
    r->kernel.trace = true;
    return true;
}

/* More digits than QUAD has cannot be checked. */
#define DIGITS_MOST 33

TAKE(verify)
{
    uint32_t digits = 0;
    size_t n = value ? strspn(value, "0123456789") : 0;
    (void)name;
    for (size_t k = 0; k < n && n <= 2; k++)
        digits = 10 * digits + (uint32_t)(value[k] - '0');
    if (value && (value[n] || digits < 1 || digits > DIGITS_MOST))
        return usage("--verify=D: the number of digits is a whole number from "
                     "1 to 33, not \"%s\"",
                     value);
    r->kernel.verify = true;
    *(uint32_t *)at = digits;
    return true;
}

/* ---- The table ------------------------------------------------------------- */

enum { NOT_KEPT, PASSED, KEPT };

static const Option options[] = {
#define OPTION(word, name, form, value, text, candidates, words)               \
    {#word, name,  OPTION_##form, value, text, CANDIDATES_##candidates,        \
     words, false, false,         NULL,  0},
#define RUN_OPTION(name, form, value, text, candidates, words, kept, take,     \
                   member)                                                     \
    {"run",                                                                    \
     name,                                                                     \
     OPTION_##form,                                                            \
     value,                                                                    \
     text,                                                                     \
     CANDIDATES_##candidates,                                                  \
     words,                                                                    \
     kept == KEPT,                                                             \
     kept != NOT_KEPT,                                                         \
     take_##take,                                                              \
     offsetof(RunCommand, member)},
#include "cli/commands.def"
};

const Option *option_next(const Option *o, const char *command)
{
    o = o ? o + 1 : options;
    while (o < options + LENGTH(options) && strcmp(o->command, command) != 0)
        o++;
    return o < options + LENGTH(options) ? o : NULL;
}

size_t option_length(const Option *o)
{
    size_t n = strlen(o->name);
    assert(n > 1);
    return o->name[n - 1] == '=' ? n - 1 : n;
}

const Option *option_find(const char *command, const char *text)
{
    size_t n = strcspn(text, "=");
    for (const Option *o = NULL; (o = option_next(o, command));)
        if (option_length(o) == n && strncmp(o->name, text, n) == 0)
            return text[n] && (o->form == OPTION_FLAG || text[1] != '-') ? NULL
                                                                         : o;
    return NULL;
}

bool options_is_kept(const char *option)
{
    const Option *o = option_find("run", option);
    return o && o->kept;
}

bool options_has_value(const char *option)
{
    const Option *o = option_find("run", option);
    return o && o->form == OPTION_VALUE && !strchr(option, '=');
}

/* An option, and its value if that follows it. */
static void keep_option(RunCommand *r, const char *option, const char *value)
{
    buffer_text(&r->given, r->given.v.used ? ", " : "");
    buffer_json(&r->given, option);
    if (value) {
        buffer_text(&r->given, ", ");
        buffer_json(&r->given, value);
    }
}

/* What the tasks of --slurm get, and the whole line for messages. */
static void keep_words(RunCommand *r, char **argv, int used, bool passed)
{
    for (int k = 0; k < used; k++) {
        buffer_bytes(&r->words, argv[k], strlen(argv[k]) + 1);
        if (passed)
            buffer_bytes(&r->task, argv[k], strlen(argv[k]) + 1);
    }
}

void options_free(RunCommand *r)
{
    buffer_free(&r->words);
    buffer_free(&r->task);
    buffer_free(&r->given);
}

/* ---- The results ----------------------------------------------------------- */

void options_default_dir(const char *model, char *dir, size_t size)
{
    const char *name = strrchr(model, '/');
    name = name ? name + 1 : model;
    size_t length = strlen(name);
    const char *dot = strrchr(name, '.');
    if (dot && dot > name)
        length = (size_t)(dot - name);
    snprintf(dir, size, "%.*s.out", (int)length, name);
}

/* ---- The command line ------------------------------------------------------ */

static bool unknown_option(const char *text)
{
    const char *names[LENGTH(options)], *near;
    size_t n = 0;
    char said[200];
    for (const Option *o = NULL; (o = option_next(o, "run"));)
        names[n++] = o->name;
    near = nearest_name(text, names, n);
    snprintf(said, sizeof said, "unknown option %.80s%s%s%s", text,
             near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
    return usage("%s", said);
}

/* The option argv[0], and its value, which may be argv[1]: *used words. */
static bool take_option(RunCommand *r, char **argv, int count, int *used)
{
    const Option *o = option_find("run", argv[0]);
    char *value = strchr(argv[0], '='), name[40], said[120];
    if (!o)
        return unknown_option(argv[0]);
    value = value ? value + 1 : NULL;
    snprintf(name, sizeof name, "%.*s", (int)option_length(o), o->name);
    if (o->form == OPTION_VALUE && !value) {
        snprintf(said, sizeof said, "%s needs a value: %s %s", name, name,
                 o->value);
        if (count < 2)
            return usage("%s", said);
        value = argv[1];
        *used = 2;
    }
    keep_words(r, argv, *used, o->passed); // before --set is cut into its parts
    if (o->kept)
        keep_option(r, argv[0], *used == 2 ? value : NULL);
    return o->take(r, name, value, (char *)r + o->member);
}

/* With --untrusted: refuses what would let a run reach more than its results. A
   snapshot holds memory as it was, and its contents are not checked. */
static bool check_untrusted(const RunCommand *r)
{
    size_t n = strlen(r->model);
    if (n < 6 || strcmp(r->model + n - 5, ".cosy") != 0)
        return usage(
            "--untrusted takes the text of a model (.cosy), not code: %s",
            r->model);
    if (r->kernel.save_path || r->kernel.restore)
        return usage("%s cannot be used with --untrusted", "a snapshot");
    if (r->trace_file)
        return usage("%s cannot be used with --untrusted: the trace goes to "
                     "standard error",
                     "--trace-file");
    if (r->store)
        return usage("%s cannot be used with --untrusted: cosy results add DIR "
                     "puts finished results into a database",
                     "--store");
    if (r->kernel.formats)
        return usage("%s cannot be used with --untrusted: gnuplot is not "
                     "started, and graphs are in report.html",
                     "--format");
    return true;
}

/* What belongs to one process, or to parts that somebody makes by hand. */
static bool check_slurm(const RunCommand *r)
{
    const char *other = r->kernel.chunks   ? "--chunk"
                        : r->kernel.parts  ? "--part"
                        : r->untrusted     ? "--untrusted"
                        : r->kernel.verify ? "--verify"
                        : r->trace_file    ? "--trace-file"
                                           : NULL;
    if (r->slurm_options && !r->slurm.tasks)
        return usage("%s belongs to --slurm N", "--slurm-options");
    return !r->slurm.tasks || !other ||
           usage("--slurm and %s do not go together", other);
}

bool options_run(RunCommand *r, int argc, char **argv)
{
    memset(r, 0, sizeof *r);
    r->kernel.set = r->set;
    for (int k = 1, used; k < argc; k += used) {
        used = 1;
        if (argv[k][0] == '-') {
            if (!take_option(r, argv + k, argc - k, &used))
                return false;
        } else if (r->model) {
            return usage("one model at a time, not also %s", argv[k]);
        } else {
            r->model = argv[k];
            keep_words(r, argv + k, 1, true);
        }
    }
    if (!r->model)
        return usage("%s needs a model", "run");
    if (!r->kernel.save_path != !r->kernel.save_at)
        return usage("%s belong together", "--save FILE and --save-at TIME");
    if (r->kernel.snapshot > 0 &&
        (r->kernel.save_path || r->kernel.restore || r->untrusted))
        return usage("--snapshot and %s do not go together",
                     r->untrusted ? "--untrusted" : "--save or --restore");
    if (r->limit_cpu > 0 && !r->untrusted)
        return usage("%s can only be used with --untrusted", "--limit-cpu");
    if (r->label && !r->store)
        return usage("%s names a study that is kept with --store FILE",
                     "--label");
    return check_slurm(r) && (!r->untrusted || check_untrusted(r));
}
