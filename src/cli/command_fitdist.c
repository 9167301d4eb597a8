#include "cli/commands.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/csv.h"
#include "base/text.h"
#include "fit/fit.h"
#include "fit/goodness.h"
#include "fit/picture.h"
#include "stats/json.h"
#include "stats/number.h"
#include "syntax/words.h"

/* cosy fitdist FILE: which distribution of RANDOMGEN a column of numbers may come
   from, and the line to write. */

enum { LEAST = 5, FEW = 30, LINES = 3, NAME = 100 };

typedef struct FitCommand {
    const char *file, *column, *out;
    bool json, continuous;
} FitCommand;

typedef struct Found {
    Fit fit;
    Goodness good;
} Found;

/* All there is to tell. */
typedef struct Study {
    const FitCommand *o;
    Arena arena;
    char name[NAME], unit[NAME]; // of the column
    double *x;
    size_t n;
    Sample sample;
    double lag1, low, high, skewness, tied;
    Found found[DISTRIBUTIONS];
    uint32_t count;
    Fit refused[DISTRIBUTIONS];
    uint32_t refusals;
    Buffer warnings; // lines
} Study;

static bool usage(const char *format, const char *what)
{
    fputs("cosy: error: ", stderr);
    fprintf(stderr, format, what);
    fputs("; see cosy --help\n", stderr);
    return false;
}

static bool options(FitCommand *o, int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        bool last = k + 1 == argc;
        if (strcmp(argv[k], "--json") == 0)
            o->json = true;
        else if (strcmp(argv[k], "--continuous") == 0)
            o->continuous = true;
        else if (strcmp(argv[k], "--column") == 0 && !last)
            o->column = argv[++k];
        else if (strncmp(argv[k], "--column=", 9) == 0)
            o->column = argv[k] + 9;
        else if (strcmp(argv[k], "-o") == 0 && !last)
            o->out = argv[++k];
        else if (strcmp(argv[k], "-o") == 0 || strcmp(argv[k], "--column") == 0)
            return usage("%s needs a name", argv[k]);
        else if (argv[k][0] == '-' && argv[k][1])
            return usage("fitdist has no option %s", argv[k]);
        else if (o->file)
            return usage("%s takes one file", "fitdist");
        else
            o->file = argv[k];
    }
    return o->file || usage("%s needs a file of numbers", "fitdist");
}

/* ---- The column -------------------------------------------------------------- */

/* The names of columns, as the file has them. */
static void head_of(const Csv *c, char *text, size_t size)
{
    size_t n = strcspn(c->head, "\r\n");
    snprintf(text, size, "%.*s", (int)(n < size ? n : size - 1), c->head);
}

/* Without its unit, its quotes and blanks. */
static void plain_name(const char *from, char *name)
{
    size_t n = strcspn(from, "[");
    while (*from && n && strchr(" \t\"", *from))
        from++, n--;
    while (n && strchr(" \t\"", from[n - 1]))
        n--;
    snprintf(name, NAME, "%.*s", (int)(n < NAME ? n : NAME - 1), from);
}

static Status choose_column(Study *s, const Csv *c, CsvWanted *w, Fault *f)
{
    char head[300], *end;
    head_of(c, head, sizeof head);
    if (!s->o->column && c->columns > 1)
        return fault_set(f, STATUS_USAGE,
                         "%s has %u columns: say which with --column NAME (%s)",
                         s->o->file, c->columns, head);
    plain_name(s->o->column ? s->o->column : head, s->name);
    if (!s->o->column && (strtod(head, &end), end != head && !isalpha(*head)))
        return fault_set(f, STATUS_USAGE,
                         "%s begins with the number %s: the first line has to "
                         "name the column",
                         s->o->file, head);
    w->name = s->name;
    TRY(csv_find(c, w, f));
    csv_unit(c, w, s->unit, sizeof s->unit);
    return STATUS_OK;
}

static Status read_rows(Study *s, Csv *c, CsvWanted *w, Fault *f)
{
    Vector v = {0};
    uint32_t line;
    Status status;
    while ((status = csv_row(c, w, 1, &line, f)) == STATUS_OK && line > 0) {
        double x = strtod(w->text, NULL);
        if (!isfinite(x)) {
            status = fault_set(f, STATUS_FILE,
                               "line %u of \"%s\": %s is not a finite number",
                               line, s->o->file, w->text);
            break;
        }
        if (!vector_append(&v, &x, sizeof x))
            status = STATUS_MEMORY;
        if (status != STATUS_OK)
            break;
    }
    s->n = v.used / sizeof(double);
    s->x = NEW_ARRAY(&s->arena, double, s->n + 1);
    if (s->x && v.used)
        memcpy(s->x, v.bytes, v.used);
    vector_free(&v);
    return status != STATUS_OK ? status : s->x ? STATUS_OK : STATUS_MEMORY;
}

static Status read_column(Study *s, Fault *f)
{
    Csv c;
    CsvWanted w = {0};
    Buffer text = {0};
    Status status = file_read_data(s->o->file, &text, f);
    if (status == STATUS_OK)
        status = csv_open(&c, s->o->file, (const char *)text.v.bytes,
                          text.v.used, f);
    if (status == STATUS_OK)
        status = choose_column(s, &c, &w, f);
    if (status == STATUS_OK)
        status = read_rows(s, &c, &w, f);
    buffer_free(&text);
    return status;
}

/* ---- What is known about it ------------------------------------------------------ */

static void warn(Study *s, const char *text)
{
    buffer_format(&s->warnings, "%s\n", text);
}

/* Warns of what makes a RANDOM variable, or a test, doubtful. */
static void doubt(Study *s, bool sorted)
{
    char text[300];
    const Sample *a = &s->sample;
    if (a->n < FEW) {
        snprintf(text, sizeof text,
                 "%zu values are few: many distributions agree with them",
                 a->n);
        warn(s, text);
    }
    if (sorted && a->n > 2) {
        warn(s, "the values are sorted, so nobody can see whether neighbours "
                "depended on each other when they were measured");
    } else if (fabs(s->lag1) > 2.5758 / sqrt((double)a->n)) {
        snprintf(text, sizeof text,
                 "neighbours depend on each other (lag-1 correlation %.2f): a "
                 "RANDOM variable draws independent values",
                 s->lag1);
        warn(s, text);
    }
    if ((!a->whole || s->o->continuous) && s->tied > 0.1) {
        snprintf(text, sizeof text,
                 "%.0f %% of the values occur more than once: are they "
                 "rounded? Tests reject more often then",
                 100.0 * s->tied);
        warn(s, text);
    }
}

static void describe(Study *s)
{
    size_t ties = 0;
    bool sorted = true;
    for (size_t k = 1; k < s->n; k++)
        sorted = sorted && s->x[k] >= s->x[k - 1];
    s->lag1 = goodness_lag1(s->x, s->n);
    s->sample = sample_make(s->x, s->n);
    const Sample *a = &s->sample;
    s->low = a->x[0];
    s->high = a->x[a->n - 1];
    double cube = 0.0, sd = sqrt(a->variance);
    for (size_t k = 0; k < a->n; k++) {
        cube += pow((a->x[k] - a->mean) / sd, 3.0) / (double)a->n;
        ties += k > 0 && a->x[k] == a->x[k - 1];
    }
    s->skewness = a->varies ? cube : 0.0;
    s->tied = (double)ties / (double)a->n;
    doubt(s, sorted);
}

/* ---- Fitting ------------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    const Found *x = a, *y = b;
    if (x->fit.aic != y->fit.aic)
        return x->fit.aic > y->fit.aic ? 1 : -1;
    return x->fit.distribution > y->fit.distribution ? 1 : -1;
}

/* Whole numbers are counts, unless --continuous says that they were measured. */
static void fit_all(Study *s)
{
    bool counts = s->sample.whole && !s->o->continuous;
    for (uint32_t k = 0; k < DISTRIBUTIONS; k++) {
        Found one = {0};
        if (k == DISTRIBUTION_EMPIRIC || fit_counts(k) != counts)
            continue;
        if (fit_make(&one.fit, k, &s->sample)) {
            one.good = goodness_of(&one.fit, &s->sample, &s->arena);
            s->found[s->count++] = one;
        } else {
            s->refused[s->refusals++] = one.fit;
        }
    }
    qsort(s->found, s->count, sizeof *s->found, compare);
}

/* ---- As text --------------------------------------------------------------------------- */

/* In the order of distributions.def: "MEAN = 2.5 SD = 0.3". */
static void put_parameters(Buffer *b, const Fit *f, const char *equals,
                           int digits)
{
    const char *word;
    for (uint32_t k = 0; k < DISTRIBUTION_PARAMETERS &&
                         (word = distribution_word(f->distribution, k));
         k++)
        buffer_format(b, " %s%s%.*g", word, equals, digits, f->p[k] + 0.0);
}

/* Whether a column can be the name of a variable. */
static bool is_variable(const char *column)
{
    WordTable words;
    size_t n = strlen(column);
    words_prepare(&words);
    bool fits = n > 0 && isalpha((unsigned char)column[0]);
    for (size_t k = 0; k < n; k++)
        fits = fits && (isalnum((unsigned char)column[k]) || column[k] == '_');
    Word w = words_find(&words, column, n);
    return fits && (w == WORD_NONE || word_class(w) != WORD_CLASS_RESERVED);
}

static void put_variable(Buffer *b, const char *column)
{
    for (column = is_variable(column) ? column : "X"; *column; column++)
        buffer_char(b, (char)toupper((unsigned char)*column));
}

static void put_line(Buffer *b, const Study *s, const Fit *f)
{
    buffer_text(b, "RANDOMGEN ");
    put_variable(b, s->name);
    buffer_format(b, ": %s", distribution_at(f->distribution)->name);
    put_parameters(b, f, " = ", 6);
    buffer_text(b, " END;");
}

static void put_empiric(Buffer *b, const Study *s)
{
    if (!is_variable(s->name)) {
        buffer_text(b, "(EMPIRIC can read the column itself, if it gets a name "
                       "that a variable may have)\n");
        return;
    }
    buffer_text(b, "RANDOMGEN ");
    put_variable(b, s->name);
    buffer_format(b, ": EMPIRIC FROM \"%s\" COLUMN %s END;\n", s->o->file,
                  s->name);
}

static void put_cell(Buffer *b, double v, const char *format, int width)
{
    char text[40] = "-";
    if (isfinite(v))
        snprintf(text, sizeof text, format, v);
    buffer_format(b, "%*s", width, text);
}

static void put_row(Buffer *b, const Found *f, bool counts)
{
    const Goodness *g = &f->good;
    buffer_format(b, "  %-9s", distribution_at(f->fit.distribution)->name);
    put_cell(b, f->fit.aic, "%.1f", 10);
    if (counts) {
        put_cell(b, g->chi2, "%.3g", 9);
        buffer_format(b, "%5u", g->freedom);
        put_cell(b, g->chi2_p, "%.3f", 8);
    } else {
        put_cell(b, g->ks, "%.3f", 7);
        put_cell(b, g->ks_p, "%.3f", 6);
        put_cell(b, g->ad, "%.3g", 7);
        put_cell(b, g->ad_p, "%.3f", 6);
    }
    buffer_char(b, ' ');
    put_parameters(b, &f->fit, "=", 3);
    buffer_char(b, '\n');
}

static void put_table(Buffer *b, const Study *s)
{
    bool counts = s->count && fit_counts(s->found[0].fit.distribution);
    buffer_format(b, "  %-9s%10s", "", "AIC");
    buffer_format(b, counts ? "%9s%5s%8s" : "%7s%6s%7s%6s",
                  counts ? "chi2" : "KS", counts ? "df" : "p",
                  counts ? "p" : "AD", "p");
    buffer_text(b, "  parameters\n");
    for (uint32_t k = 0; k < s->count; k++)
        put_row(b, &s->found[k], counts);
    for (uint32_t k = 0; k < s->refusals; k++)
        buffer_format(b, "  %-9s         -  %s\n",
                      distribution_at(s->refused[k].distribution)->name,
                      s->refused[k].why);
}

static void put_heading(Buffer *b, const Study *s)
{
    buffer_format(b, s->unit[0] ? "%s [%s]" : "%s", s->name, s->unit);
    buffer_format(b, ": %zu values", s->n);
}

static void put_text(Buffer *b, const Study *s)
{
    put_heading(b, s);
    buffer_format(b,
                  "\n  mean %.5g  sd %.5g  min %.5g  max %.5g  skewness %.3g  "
                  "lag 1 %.2f\n\n",
                  s->sample.mean,
                  sqrt(s->sample.variance * (double)s->n / ((double)s->n - 1)),
                  s->low, s->high, s->skewness, s->lag1);
    put_table(b, s);
    buffer_char(b, '\n');
    for (uint32_t k = 0; k < s->count && k < LINES; k++) {
        put_line(b, s, &s->found[k].fit);
        buffer_char(b, '\n');
    }
    put_empiric(b, s);
}

/* ---- As JSON ----------------------------------------------------------------------------- */

static void put_fit(Buffer *b, const Study *s, const Found *f)
{
    const char *word;
    Buffer line = {0};
    JsonObject o = json_open(b);
    json_text(&o, "distribution", distribution_at(f->fit.distribution)->name);
    json_key(&o, "parameters");
    JsonObject p = json_open(b);
    for (uint32_t k = 0; k < DISTRIBUTION_PARAMETERS &&
                         (word = distribution_word(f->fit.distribution, k));
         k++)
        json_number(&p, word, f->fit.p[k]);
    json_close(&p);
    json_number(&o, "loglik", f->fit.likelihood);
    json_number(&o, "aic", f->fit.aic);
    if (fit_counts(f->fit.distribution)) {
        json_number(&o, "chi2", f->good.chi2);
        json_count(&o, "df", f->good.freedom);
        json_number(&o, "chi2_p", f->good.chi2_p);
    } else {
        json_number(&o, "ks", f->good.ks);
        json_number(&o, "ks_p", f->good.ks_p);
        json_number(&o, "ad", f->good.ad);
        json_number(&o, "ad_p", f->good.ad_p);
    }
    put_line(&line, s, &f->fit);
    json_text(&o, "line", buffer_string(&line));
    buffer_free(&line);
    json_close(&o);
}

static void put_warnings(Buffer *b, const Study *s)
{
    const char *at = buffer_string((Buffer *)&s->warnings);
    bool begun = false;
    buffer_char(b, '[');
    for (const char *end; (end = strchr(at, '\n')); at = end + 1) {
        char text[300];
        snprintf(text, sizeof text, "%.*s", (int)(end - at), at);
        buffer_text(b, begun ? ", " : "");
        buffer_json(b, text);
        begun = true;
    }
    buffer_char(b, ']');
}

static void put_json(Buffer *b, const Study *s)
{
    JsonObject o = json_open(b);
    json_text(&o, "file", s->o->file);
    json_text(&o, "column", s->name);
    json_text(&o, "unit", s->unit);
    json_count(&o, "n", s->n);
    json_number(&o, "mean", s->sample.mean);
    json_number(&o, "sd",
                sqrt(s->sample.variance * (double)s->n / ((double)s->n - 1)));
    json_number(&o, "min", s->low);
    json_number(&o, "max", s->high);
    json_number(&o, "skewness", s->skewness);
    json_number(&o, "lag1", s->lag1);
    json_key(&o, "warnings");
    put_warnings(b, s);
    json_key(&o, "fits");
    for (uint32_t k = 0; k < s->count; k++) {
        buffer_text(b, k == 0 ? "[" : ",\n ");
        put_fit(b, s, &s->found[k]);
    }
    buffer_text(b, s->count ? "]" : "[]");
    json_key(&o, "impossible");
    JsonObject not = json_open(b);
    for (uint32_t k = 0; k < s->refusals; k++)
        json_text(&not, distribution_at(s->refused[k].distribution)->name,
                  s->refused[k].why);
    json_close(&not );
    json_close(&o);
    buffer_char(b, '\n');
}

/* ---- The command --------------------------------------------------------------------------- */

static Status write_picture(const Study *s, Fault *f)
{
    Fit best[PICTURE_FITS];
    Buffer svg = {0}, heading = {0}, label = {0};
    uint32_t n = s->count < PICTURE_FITS ? s->count : PICTURE_FITS;
    for (uint32_t k = 0; k < n; k++)
        best[k] = s->found[k].fit;
    put_heading(&heading, s);
    buffer_format(&label, s->unit[0] ? "%s [%s]" : "%s", s->name, s->unit);
    const Picture p = {.heading = buffer_string(&heading),
                       .label = buffer_string(&label),
                       .sample = &s->sample,
                       .fit = best,
                       .fits = n};
    if (n > 0)
        picture_draw(&svg, &p);
    Status status = svg.broken || heading.broken || label.broken
                        ? STATUS_MEMORY
                        : file_write(s->o->out, svg.v.bytes, svg.v.used, f);
    buffer_free(&svg);
    buffer_free(&heading);
    buffer_free(&label);
    return status;
}

static Status study(Study *s, Fault *f)
{
    TRY(read_column(s, f));
    if (s->n < LEAST)
        return fault_set(
            f, STATUS_USAGE,
            "%s: column %s has %zu value%s: at least %d are needed", s->o->file,
            s->name, s->n, s->n == 1 ? "" : "s", LEAST);
    describe(s);
    if (!s->sample.varies)
        return fault_set(f, STATUS_USAGE,
                         "%s: all values of column %s are %.6g: a constant, "
                         "not a distribution",
                         s->o->file, s->name, s->low);
    if (!(s->sample.variance > 0.0) || isinf(s->sample.variance)) // or NaN
        return fault_set(f, STATUS_USAGE,
                         "%s: the values of column %s are too %s to compute "
                         "with their squares: write them in another unit",
                         s->o->file, s->name,
                         s->sample.variance <= 0.0 ? "small" : "large");
    fit_all(s);
    return s->o->out && s->count ? write_picture(s, f) : STATUS_OK;
}

static void tell(Study *s)
{
    Buffer b = {0};
    if (s->o->json)
        put_json(&b, s);
    else
        put_text(&b, s);
    fwrite(b.v.bytes, 1, b.v.used, stdout);
    buffer_free(&b);
    const char *at = buffer_string(&s->warnings);
    for (const char *end; (end = strchr(at, '\n')); at = end + 1)
        fprintf(stderr, "cosy: warning: %.*s\n", (int)(end - at), at);
}

int command_fitdist(int argc, char **argv)
{
    FitCommand o = {0};
    Fault fault = {0};
    if (!options(&o, argc, argv))
        return EXIT_USAGE;
    Study s = {.o = &o};
    Status status = study(&s, &fault);
    if (status == STATUS_OK)
        tell(&s);
    else
        fprintf(stderr, "cosy: error: %s\n",
                fault.text[0] ? fault.text : status_words(status));
    buffer_free(&s.warnings);
    arena_free(&s.arena);
    return status == STATUS_OK ? EXIT_DONE : EXIT_USAGE;
}
