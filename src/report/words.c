#include "report/words.h"

#include <math.h>
#include <string.h>

#include "base/html.h"

enum { TOLD_MOST = 5, SPECTRUM_MOST = 200 };

/* An error that has decayed by this many powers of e is gone. */
#define DIES_OUT 3.0

static const char *plural(double n)
{
    return n == 1.0 ? "" : "s";
}

static void put_more(Buffer *b, double more)
{
    if (more > 0.0)
        buffer_format(b, "- and %.0f more\n", more);
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

const char *words_unit(const Tree *units, const char *name)
{
    static const char mean[] = ".timepers";
    size_t n = strcspn(name, "[");
    if (ends_in(name, ".mean_wait") || ends_in(name, ".mean_stay"))
        return words_unit(units, "TIME");
    if (ends_in(name, mean) && name[n] == '\0')
        n -= sizeof mean - 1;
    for (const Tree *k = units ? units->first : NULL; k; k = k->next)
        if (strlen(k->name) == n && strncmp(k->name, name, n) == 0)
            return k->text && strcmp(k->text, "1") != 0 ? k->text : "";
    return "";
}

void words_put_unit(Buffer *b, const Tree *units, const char *name)
{
    const char *unit = words_unit(units, name);
    buffer_format(b, unit[0] ? " %s" : "%s", unit);
}

/* "from 1 to 2 s", "from 1 s to the end" */
static void put_span(Buffer *b, const Tree *span, const Tree *units)
{
    bool ends = isfinite(tree_number(span, "to"));
    buffer_format(b, "from %.6g", tree_number(span, "from"));
    if (ends)
        buffer_format(b, " to %.6g", tree_number(span, "to"));
    words_put_unit(b, units, "TIME");
    buffer_text(b, ends ? "" : " to the end");
}

/* ---- FEATURES ------------------------------------------------------------------ */

static void put_stiffness(Buffer *b, const Tree *f, const Tree *units)
{
    double most = tree_number(f, "stiffness");
    double mean = tree_number(f, "stiffness_mean");
    double fastest = tree_number(f, "fastest");
    double states = tree_number(f, "states");
    if (isfinite(most) && isfinite(mean)) {
        buffer_format(b,
                      "Stiffness: on average %.3g, at most %.3g (at time "
                      "%.6g",
                      mean, most, tree_number(f, "stiffest_at"));
        words_put_unit(b, units, "TIME");
        buffer_text(b, ").\n");
    }
    if (states > SPECTRUM_MOST)
        buffer_format(b,
                      "With %.0f states only the largest eigenvalue was "
                      "estimated; all of them are found up to %d states, so "
                      "stiffness, FF5 and FF6 are not known.\n",
                      states, SPECTRUM_MOST);
    if (fastest > 0.0) {
        buffer_format(b, "The fastest motion decays within %.3g",
                      1.0 / fastest);
        words_put_unit(b, units, "TIME");
        buffer_text(b, ".\n");
    }
    if (tree_number(f, "oscillation") > 0.5)
        buffer_text(
            b, "The fastest motion turns rather than decays: it oscillates.\n");
}

/* Nothing grows, but errors die out only if everything decays, and for long
   enough. An undamped oscillation or an integrator keeps them. */
static void put_stable(Buffer *b, const Tree *f)
{
    double neutral = tree_number(f, "neutral");
    double fading = tree_number(f, "fading");
    buffer_text(b, "No motion grew by itself (FF5 = 0)");
    if (neutral > 0.0)
        buffer_format(
            b,
            ", but during %.0f %% of the time some motion neither grew nor "
            "decayed: errors in it stay, and those of the steps add up.\n",
            100.0 * neutral);
    else if (fading >= DIES_OUT)
        buffer_text(b, ": errors die out.\n");
    else if (fading > 0.0)
        buffer_format(
            b,
            ", but the slowest motion decayed only to %.2g of itself over the "
            "run: errors in it stay, and those of the steps add up.\n",
            exp(-fading));
    else
        buffer_text(b, ".\n");
}

static void put_unstable(Buffer *b, const Tree *f, const Tree *units)
{
    const Tree *list = tree_get(f, "unstable");
    double ff5 = tree_number(f, "ff5");
    uint32_t told = 0;
    if (!isfinite(ff5))
        return;
    if (!list || !list->first) {
        put_stable(b, f);
        return;
    }
    buffer_format(
        b,
        "During %.1f %% of the time (FF5 = %.4g) some motion grew by itself, "
        "at a rate of up to %.3g%s%s: errors grow with it%s\n",
        100.0 * ff5, ff5, tree_number(f, "growth"),
        words_unit(units, "TIME")[0] ? " per " : "", words_unit(units, "TIME"),
        ff5 > 0.5 ? ", and the results deserve a second look, with a "
                    "smaller RELERR."
                  : ".");
    for (const Tree *k = list->first; k && told < TOLD_MOST; k = k->next) {
        buffer_text(b, "- ");
        put_span(b, k, units);
        buffer_char(b, '\n');
        told++;
    }
    put_more(b, list->count - told + tree_number(f, "more_unstable"));
}

/* "-1 + 2i" of a list of two numbers. */
static void put_eigenvalue(Buffer *b, const Tree *pair)
{
    const Tree *im = pair && pair->first ? pair->first->next : NULL;
    if (!im)
        return;
    buffer_format(b, "%.4g", pair->first->number);
    if (im->number != 0.0)
        buffer_format(b, " %c %.4gi", im->number < 0.0 ? '-' : '+',
                      fabs(im->number));
}

/* "X (60 %), V (40 %)"; one state alone without its share. */
static void put_carriers(Buffer *b, const Tree *states)
{
    for (const Tree *k = states ? states->first : NULL; k; k = k->next) {
        buffer_format(b, "%s%s", k == states->first ? "" : ", ", k->name);
        if (states->count > 1)
            buffer_format(b, " (%.0f %%)", 100.0 * k->number);
    }
}

/* "eigenvalue -0.5 (decays within 2 s), carried by SLOW" */
static void put_mode(Buffer *b, const Tree *mode, const Tree *units)
{
    const Tree *pair = tree_get(mode, "eigenvalue");
    double re = pair && pair->first ? pair->first->number : 0.0;
    double within = tree_number(mode, "time_constant");
    buffer_text(b, "- eigenvalue ");
    put_eigenvalue(b, pair);
    if (isfinite(within) && re != 0.0) {
        buffer_format(b, " (%s within %.3g", re < 0.0 ? "decays" : "grows",
                      within);
        words_put_unit(b, units, "TIME");
        buffer_char(b, ')');
    } else {
        buffer_text(b, " (neither decays nor grows)");
    }
    buffer_text(b, ", carried by ");
    put_carriers(b, tree_get(mode, "states"));
    buffer_char(b, '\n');
}

/* Which motions those were when they were most. */
static void put_unsupported(Buffer *b, const Tree *f, const Tree *units)
{
    const Tree *u = tree_get(f, "unsupported"), *modes = tree_get(u, "modes");
    uint32_t told = 0;
    if (!modes || !modes->first)
        return;
    buffer_format(b, "They were most at time %.6g", tree_number(u, "time"));
    words_put_unit(b, units, "TIME");
    buffer_format(
        b, ", where the data say nothing about eigenvalues up to %.3g:\n",
        tree_number(u, "border"));
    for (const Tree *k = modes->first; k && told < TOLD_MOST;
         k = k->next, told++)
        put_mode(b, k, units);
    put_more(b, modes->count - told + tree_number(u, "more"));
}

static void put_invalid(Buffer *b, const Tree *f, const Tree *units)
{
    double ff6 = tree_number(f, "ff6"), e = tree_number(f, "accuracy");
    if (!isfinite(ff6))
        return;
    if (!isfinite(e)) {
        buffer_format(
            b,
            "%.0f %% of its motions are too slow for the accuracy of "
            "the numbers (FF6 = %.4g); with FEATURES ACCURACY = e they are "
            "compared with the accuracy of your data instead.\n",
            100.0 * ff6, ff6);
        return;
    }
    buffer_format(b,
                  "Data with an accuracy of %g say nothing about %.0f %% of "
                  "its motions (FF6 = %.4g)%s\n",
                  e, 100.0 * ff6, ff6,
                  ff6 > 0.5 ? ": consider leaving some out." : ".");
    put_unsupported(b, f, units);
}

static void put_critical(Buffer *b, const Tree *f)
{
    const Tree *critical = tree_get(f, "critical");
    double rejected = tree_number(f, "rejected");
    uint32_t told = 0;
    if (!(rejected > 0.0)) {
        buffer_text(b, "No step was rejected for accuracy: there are no "
                       "critical states.\n");
        return;
    }
    buffer_format(b,
                  "Critical states, by their share in the %.0f step%s rejected "
                  "for accuracy:\n",
                  rejected, plural(rejected));
    for (const Tree *k = critical ? critical->first : NULL;
         k && told < TOLD_MOST; k = k->next, told++)
        buffer_format(b, "- %s: %.0f %%\n", k->name, 100.0 * k->number);
    if (critical && critical->count > told)
        put_more(b, critical->count - told);
}

void words_features(Buffer *b, const Tree *run, const Tree *units)
{
    const Tree *f = tree_get(run, "features");
    if (!f)
        return;
    if (tree_number(f, "states") == 0.0) {
        buffer_text(
            b, "FEATURES found nothing to examine: the model has no states.\n");
        return;
    }
    put_stiffness(b, f, units);
    put_unstable(b, f, units);
    put_invalid(b, f, units);
    put_critical(b, f);
    if (tree_number(f, "missed") > 0.0)
        buffer_format(b,
                      "At %.0f of %.0f points no eigenvalues could be "
                      "found.\n",
                      tree_number(f, "missed"),
                      tree_number(f, "missed") + tree_number(f, "points"));
    if (tree_number(f, "every") > 1.0)
        buffer_format(b,
                      "To save time not all steps were examined: at the end, "
                      "one in %.0f.\n",
                      tree_number(f, "every"));
}

/* ---- RANGE, slides --------------------------------------------------------------- */

void words_ranges(Buffer *b, const Tree *run, const Tree *units)
{
    const Tree *list = tree_get(run, "ranges");
    double more = tree_number(run, "more_ranges");
    uint32_t told = 0;
    if (!list || !list->first)
        return;
    double all = list->count + (more > 0.0 ? more : 0.0);
    buffer_format(b, "A RANGE was left %.0f time%s:\n", all, plural(all));
    for (const Tree *k = list->first; k && told < TOLD_MOST;
         k = k->next, told++) {
        const char *name = tree_text(k, "name");
        buffer_format(b, "- %s was %s %.6g", name, tree_text(k, "side"),
                      tree_number(k, "bound"));
        words_put_unit(b, units, name);
        buffer_char(b, ' ');
        put_span(b, k, units);
        buffer_format(b, ", up to %.6g", tree_number(k, "extreme"));
        words_put_unit(b, units, name);
        buffer_char(b, '\n');
    }
    put_more(b, all - told);
}

void words_sliding(Buffer *b, const Tree *run, const Tree *units)
{
    const Tree *list = tree_get(run, "sliding");
    uint32_t told = 0;
    for (const Tree *k = list ? list->first : NULL; k && told < TOLD_MOST;
         k = k->next, told++) {
        bool rest = strcmp(tree_text(k, "kind"), "rest") == 0;
        buffer_format(b, "It %s %s ", rest ? "rested at" : "slid along",
                      tree_text(k, "on"));
        put_span(b, k, units);
        buffer_text(b, ".\n");
    }
    if (list && list->count > told)
        buffer_format(b, "It slid or rested %u more time%s.\n",
                      list->count - told, plural(list->count - told));
}

bool words_is_point(const Tree *run)
{
    const char *method = tree_text(run, "method");
    return strcmp(method, "STEADYSTATE") == 0 ||
           strcmp(method, "LINEARIZE") == 0;
}

/* "-1 + 2i", the first few. */
static void put_eigenvalues(Buffer *b, const Tree *list)
{
    uint32_t told = 0;
    for (const Tree *k = list ? list->first : NULL; k && told < TOLD_MOST;
         k = k->next, told++) {
        const Tree *re = k->first, *im = re ? re->next : NULL;
        if (!im)
            return;
        buffer_format(b, "%s%.6g", told ? ", " : "Eigenvalues: ", re->number);
        if (im->number != 0.0)
            buffer_format(b, " %c %.6gi", im->number < 0.0 ? '-' : '+',
                          fabs(im->number));
    }
    if (told)
        buffer_text(b, list->count > told ? " ...\n" : ".\n");
}

static bool is_set(const Tree *t, const char *name)
{
    const Tree *k = tree_get(t, name);
    return k && k->kind == TREE_TRUE;
}

/* Of a complex pair, the one with the positive imaginary part stands for both. */
static bool is_second(const Tree *mode)
{
    const Tree *pair = tree_get(mode, "eigenvalue");
    const Tree *im = pair && pair->first ? pair->first->next : NULL;
    return im && im->number < 0.0;
}

/* The modes that the reduced model leaves out, each on a line. */
static void put_left_out(Buffer *b, const Tree *modes)
{
    uint32_t told = 0, more = 0;
    for (const Tree *k = modes ? modes->first : NULL; k; k = k->next) {
        if (is_set(k, "kept") || is_second(k))
            continue;
        if (told >= TOLD_MOST) {
            more++;
            continue;
        }
        buffer_text(b, told++ ? "- " : "These motions are left out:\n- ");
        put_eigenvalue(b, tree_get(k, "eigenvalue"));
        buffer_text(b, ", carried by ");
        put_carriers(b, tree_get(k, "states"));
        buffer_char(b, '\n');
    }
    put_more(b, more);
}

static void put_miss(Buffer *b, const Tree *miss, const char *what)
{
    buffer_format(b, "%s %.2g %% (%s by %s)", what,
                  100.0 * tree_number(miss, "error"), tree_text(miss, "output"),
                  tree_text(miss, "input"));
}

void words_reduced(Buffer *b, const Tree *linear)
{
    const Tree *r = tree_get(linear, "reduced");
    const Tree *all = tree_get(linear, "states");
    double accuracy = tree_number(r, "accuracy");
    double ff6 = tree_number(r, "ff6"), left = tree_number(r, "ff6_reduced");
    if (!r || !all)
        return;
    buffer_format(b, "The linear model was reduced to %.0f of %u state%s",
                  tree_number(r, "states"), all->count, plural(all->count));
    if (accuracy > 0.0)
        buffer_format(b, ", for an accuracy of %g", accuracy);
    put_miss(b, tree_get(r, "gain"),
             ". Compared with the full one, gains differ by up to");
    put_miss(b, tree_get(r, "step"), ", and what follows a step by up to");
    buffer_format(b, "; gains cannot differ by more than %.2g %%.\n",
                  100.0 * tree_number(r, "bound"));
    put_left_out(b, tree_get(r, "modes"));
    if (accuracy > 0.0 && ff6 > 0.0)
        buffer_format(b,
                      "Data with this accuracy say nothing about %.0f %% of "
                      "the motions of the full model (FF6 = %.4g)",
                      100.0 * ff6, ff6);
    if (accuracy > 0.0 && ff6 > 0.0 && left > 0.0)
        buffer_format(b, ", and about %.0f %% of those of the reduced one.\n",
                      100.0 * left);
    else if (accuracy > 0.0 && ff6 > 0.0)
        buffer_text(b, "; they support all of the reduced one.\n");
}

void words_point(Buffer *b, const Tree *run)
{
    const Tree *steady = tree_get(run, "steady_state");
    const Tree *list = tree_get(steady, "solutions");
    if (list && list->first) {
        buffer_format(
            b,
            "%u point%s of rest %s found, by %s; the %s is %s. The "
            "largest derivative there is %.3g.\n",
            list->count, plural(list->count), list->count == 1 ? "was" : "were",
            tree_text(steady, "how"),
            list->count == 1 ? "point" : "first, which was taken,",
            tree_text(steady, "stability"), tree_number(steady, "residual"));
    } else if (steady) {
        buffer_text(b, "No point of rest was found.\n");
    }
    put_eigenvalues(b, tree_get(run, "eigenvalues"));
    words_reduced(b, tree_get(run, "linear"));
}

/* ---- A page ---------------------------------------------------------------------- */

void words_page(Buffer *b, const char *text)
{
    bool list = false;
    while (*text) {
        size_t n = strcspn(text, "\n");
        bool item = strncmp(text, "- ", 2) == 0;
        if (item != list)
            buffer_text(b, item ? "<ul>" : "</ul>\n");
        list = item;
        buffer_text(b, item ? "<li>" : "<p>");
        html_bytes(b, text + (item ? 2 : 0), n - (item ? 2 : 0));
        buffer_text(b, item ? "</li>" : "</p>\n");
        text += n + (text[n] == '\n');
    }
    buffer_text(b, list ? "</ul>\n" : "");
}
