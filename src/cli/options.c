#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static bool option_count(const char *name, const char *text, uint64_t *n)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || *end || end == text || *text == '-')
        return usage("%s needs a whole number", name);
    *n = value;
    return true;
}

static bool option_set(RunCommand *r, char *text)
{
    KernelSetting *s = &r->set[r->kernel.sets];
    char whole[200];
    snprintf(whole, sizeof whole, "%s", text);
    if (r->kernel.sets == MOST_SETS)
        return usage("%s is too often there", "--set");
    if (!setting_split(text, s, &r->unit[r->kernel.sets]))
        return usage("--set wants NAME=VALUE or \"NAME = VALUE [UNIT]\", not "
                     "\"%s\"",
                     whole);
    for (uint32_t k = 0; k < r->kernel.sets; k++)
        if (name_same(r->set[k].name, s->name))
            return usage("--set %s is there twice: a name has one value",
                         s->name);
    r->kernel.sets++;
    return true;
}

/* ---- What is kept with the results --------------------------------------- */

bool options_is_kept(const char *option)
{
    static const char *const kept[] = {
        "--set",        "--method",     "--relerr",    "--abserr",
        "--step",       "--to",         "--seed",      "--trace",
        "--frame",      "--save-at",    "--restore",   "--no-plots",
        "--format",     "--verify",     "--untrusted", "--limit-events",
        "--limit-time", "--limit-wall", "--limit-cpu", "--limit-memory",
    };
    size_t n = strcspn(option, "=");
    for (size_t k = 0; k < LENGTH(kept); k++)
        if (strlen(kept[k]) == n && strncmp(kept[k], option, n) == 0)
            return true;
    return false;
}

bool options_has_value(const char *option)
{
    static const char *const flags[] = {"--trace", "--no-plots", "--verify",
                                        "--untrusted"};
    for (size_t k = 0; k < LENGTH(flags); k++)
        if (strcmp(option, flags[k]) == 0)
            return false;
    return !strchr(option, '=');
}

/* An option, and its value if that follows it. */
static void keep_option(RunCommand *r, const char *option, const char *value)
{
    if (!options_is_kept(option))
        return;
    buffer_text(&r->given, r->given.v.used ? ", " : "");
    buffer_json(&r->given, option);
    if (value) {
        buffer_text(&r->given, ", ");
        buffer_json(&r->given, value);
    }
}

void options_free(RunCommand *r)
{
    buffer_free(&r->given);
}

/* ---- Single options ------------------------------------------------------ */

/* --trace, --trace=FILTER, --trace-file=FILE */
static bool option_trace(RunCommand *r, const char *name)
{
    static const char filter[] = "--trace=", file[] = "--trace-file=";
    if (strncmp(name, filter, strlen(filter)) == 0)
        r->kernel.trace_of = name + strlen(filter);
    else if (strncmp(name, file, strlen(file)) == 0 && name[strlen(file)])
        r->trace_file = name + strlen(file);
    else
        return strcmp(name, "--trace") == 0;
    return true;
}

/* More digits than QUAD has cannot be wanted. */
#define DIGITS_MOST 33

/* --verify, --verify=D */
static bool option_verify(RunCommand *r, const char *name)
{
    const char *text = name + strlen("--verify");
    uint32_t digits = 0;
    size_t n = strspn(text + (*text == '='), "0123456789");
    if (*text == '=') {
        for (size_t k = 1; k <= n && n <= 2; k++)
            digits = 10 * digits + (uint32_t)(text[k] - '0');
        if (text[1 + n] || digits < 1 || digits > DIGITS_MOST)
            return usage("--verify=D: the digits that are wanted are a whole "
                         "number from 1 to 33, not \"%s\"",
                         text + 1);
    }
    r->kernel.verify = true;
    r->kernel.digits = digits;
    return true;
}

static bool option_flag(RunCommand *r, const char *name)
{
    if (strcmp(name, "--quiet") == 0)
        r->quiet = true;
    else if (strcmp(name, "--json") == 0)
        r->json = true;
    else if (strcmp(name, "--no-plots") == 0)
        r->kernel.no_plots = true;
    else if (strcmp(name, "--untrusted") == 0)
        r->untrusted = true;
    else if (option_trace(r, name))
        r->kernel.trace = true;
    else
        return false;
    return true;
}

static bool option_backend(RunCommand *r, const char *name)
{
    static const char *const names[] = {
        [LOAD_AUTO] = "auto", [LOAD_CC] = "cc", [LOAD_TCC] = "tcc"};
    for (size_t k = 0; k < LENGTH(names); k++)
        if (strcmp(name, names[k]) == 0) {
            r->backend = (LoadBackend)k;
            return true;
        }
    return usage("--backend is cc, tcc or auto, not \"%s\"", name);
}

/* svg,pdf,png: one of them or several. */
static bool option_format(RunCommand *r, const char *list)
{
    static const struct {
        const char *name;
        unsigned bit;
    } table[] = {{"svg", PLOT_SVG}, {"pdf", PLOT_PDF}, {"png", PLOT_PNG}};
    for (const char *s = list;; s++) {
        size_t n = strcspn(s, ","), k = 0;
        while (k < LENGTH(table) && (strlen(table[k].name) != n ||
                                     strncmp(table[k].name, s, n) != 0))
            k++;
        if (k == LENGTH(table))
            return usage("--format is a list of svg, pdf and png, not \"%s\"",
                         list);
        r->kernel.formats |= table[k].bit;
        s += n;
        if (!*s)
            return true;
    }
}

/* Options whose value is handed on as text. */
static const char **option_text(RunCommand *r, const char *name)
{
    KernelOptions *k = &r->kernel;
    const struct {
        const char *name;
        const char **at;
    } table[] = {
        {"-o", &r->dir},
        {"--method", &k->method},
        {"--relerr", &k->relerr},
        {"--abserr", &k->abserr},
        {"--step", &k->step},
        {"--to", &k->to},
        {"--save", &k->save_path},
        {"--save-at", &k->save_at},
        {"--restore", &k->restore},
        {"--limit-time", &k->limit_time},
        {"--libraries", &r->libraries},
    };
    for (size_t i = 0; i < LENGTH(table); i++)
        if (strcmp(name, table[i].name) == 0)
            return table[i].at;
    return NULL;
}

/* Seconds. */
static bool option_seconds(const char *name, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || !(*value > 0) || *value > 1e12)
        return usage("%s needs a number of seconds above 0", name);
    return true;
}

/* Bytes, or with K, M, G or T so many thousands, millions ... of them: of 1024,
   as memory is counted. */
static bool option_size(const char *name, const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    char *end;
    double value = strtod(text, &end);
    const char *unit =
        *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    for (const char *u = units; unit && u <= unit; u++)
        value *= 1024;
    if (unit)
        end++;
    if (unit && toupper((unsigned char)*end) == 'B')
        end++;
    if (end == text || *end || !(value >= 1) || value > 1e18)
        return usage("%s needs a size such as 500M or 2G", name);
    *bytes = (uint64_t)value;
    return true;
}

static bool option_small(const char *name, const char *text, uint32_t most,
                         uint32_t *value)
{
    uint64_t n;
    char range[80];
    if (!option_count(name, text, &n))
        return false;
    snprintf(range, sizeof range, "%s is between 1 and %u", name, most);
    if (n < 1 || n > most)
        return usage("%s", range);
    *value = (uint32_t)n;
    return true;
}

static bool option_value(RunCommand *r, const char *name, char *value)
{
    const char **text = option_text(r, name);
    if (text) {
        *text = value;
        return true;
    }
    if (strcmp(name, "--set") == 0)
        return option_set(r, value);
    if (strcmp(name, "--backend") == 0)
        return option_backend(r, value);
    if (strcmp(name, "--format") == 0)
        return option_format(r, value);
    if (strcmp(name, "--seed") == 0)
        return option_count(name, value, &r->kernel.seed);
    if (strcmp(name, "--limit-events") == 0)
        return option_count(name, value, &r->kernel.limit_events) &&
               (r->kernel.limit_events > 0 ||
                usage("%s needs a whole number above 0", name));
    if (strcmp(name, "--limit-wall") == 0)
        return option_seconds(name, value, &r->kernel.limit_wall);
    if (strcmp(name, "--limit-cpu") == 0)
        return option_seconds(name, value, &r->limit_cpu);
    if (strcmp(name, "--limit-memory") == 0)
        return option_size(name, value, &r->limit_memory);
    if (strcmp(name, "--frame") == 0)
        return option_small(name, value, 1000000, &r->kernel.frame);
    if (strcmp(name, "--threads") == 0)
        return option_small(name, value, 256, &r->kernel.threads);
    return usage("unknown option %s", name);
}

/* With --untrusted: what would let a stranger's run reach more than its results.
   A snapshot holds memory as it was, and nobody looks at what it says. */
static bool check_untrusted(const RunCommand *r)
{
    size_t n = strlen(r->model);
    if (n < 6 || strcmp(r->model + n - 5, ".cosy") != 0)
        return usage("--untrusted takes the text of a model (.cosy), no code: "
                     "%s",
                     r->model);
    if (r->kernel.save_path || r->kernel.restore)
        return usage("%s does not go with --untrusted", "a snapshot");
    if (r->trace_file)
        return usage("%s does not go with --untrusted: the trace is told on "
                     "standard error",
                     "--trace-file");
    if (r->kernel.formats)
        return usage("%s does not go with --untrusted: gnuplot is not "
                     "started, and graphs are in report.html",
                     "--format");
    return true;
}

/* --NAME=VALUE; *wrong: it is one of these, but its value is not right. */
static bool option_joined(RunCommand *r, const char *text, bool *wrong)
{
    if (strncmp(text, "--backend=", 10) == 0)
        *wrong = !option_backend(r, text + 10);
    else if (strncmp(text, "--format=", 9) == 0)
        *wrong = !option_format(r, text + 9);
    else if (strcmp(text, "--verify") == 0 ||
             strncmp(text, "--verify=", 9) == 0)
        *wrong = !option_verify(r, text);
    else
        return false;
    return true;
}

bool options_run(RunCommand *r, int argc, char **argv)
{
    bool wrong = false;
    memset(r, 0, sizeof *r);
    r->kernel.set = r->set;
    for (int k = 1; k < argc && !wrong; k++) {
        if (argv[k][0] != '-') {
            if (r->model)
                return usage("one model at a time, not also %s", argv[k]);
            r->model = argv[k];
        } else if (option_joined(r, argv[k], &wrong) ||
                   option_flag(r, argv[k])) {
            keep_option(r, argv[k], NULL);
        } else {
            if (k + 1 == argc)
                return usage("%s is unknown or misses its value", argv[k]);
            keep_option(r, argv[k], argv[k + 1]); // before --set is cut
            wrong = !option_value(r, argv[k], argv[k + 1]);
            k++;
        }
    }
    if (wrong)
        return false;
    if (!r->model)
        return usage("%s needs a model", "run");
    if (!r->kernel.save_path != !r->kernel.save_at)
        return usage("%s belong together", "--save FILE and --save-at TIME");
    if (r->limit_cpu > 0 && !r->untrusted)
        return usage("%s goes with --untrusted", "--limit-cpu");
    return !r->untrusted || check_untrusted(r);
}
