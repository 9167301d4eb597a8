#include <math.h>

#include "report/words.h"

/* Whether a model is richer than its data: what FIT says of its parameters, and
   FEATURES of its motions, as one statement. */

enum { NAMED_MOST = 8 };

static void put_names(Buffer *b, const Tree *list)
{
    uint32_t n = 0;
    for (const Tree *k = list->first; k && n < NAMED_MOST; k = k->next, n++)
        buffer_format(b, "%s%s", n ? ", " : " ",
                      k->kind == TREE_TEXT ? k->text
                      : k->name            ? k->name
                                           : "");
    if (list->count > n)
        buffer_format(b, " and %u more", list->count - n);
}

/* "; of A, B only a combination is known" */
static void put_directions(Buffer *b, const Tree *list)
{
    uint32_t told = 0;
    for (const Tree *d = list ? list->first : NULL; d; d = d->next) {
        const Tree *p = tree_get(d, "parameters");
        if (!p || p->count < 2 || told++ >= NAMED_MOST)
            continue;
        buffer_text(b, "; of");
        put_names(b, p);
        buffer_text(b, " only a combination is known");
    }
}

static void put_fit(Buffer *b, const Tree *o)
{
    const Tree *u = tree_get(o, "unsupported");
    const Tree *names = tree_get(u, "parameters");
    if (names) {
        buffer_format(b, "- FIT (line %.0f): ", tree_number(o, "line"));
        if (names->first) {
            buffer_text(b,
                        names->count == 1 ? "the parameter" : "the parameters");
            put_names(b, names);
        } else {
            buffer_text(b, "each parameter is known");
        }
        put_directions(b, tree_get(u, "directions"));
        buffer_char(b, '\n');
    }
}

/* One alone is an object. */
void words_unsupported_fits(Buffer *b, const Tree *optima)
{
    if (optima && optima->kind == TREE_OBJECT) {
        put_fit(b, optima);
        return;
    }
    for (const Tree *o = optima ? optima->first : NULL; o; o = o->next)
        put_fit(b, o);
}

/* States that carry the most of each motion, each named once. */
static void put_carriers(Buffer *b, const Tree *modes)
{
    uint32_t told = 0;
    for (const Tree *m = modes->first; m && told < NAMED_MOST; m = m->next) {
        const Tree *own = tree_get(m, "states");
        bool before = false;
        if (!own || !own->first)
            continue;
        for (const Tree *k = modes->first; k != m; k = k->next) {
            const Tree *other = tree_get(k, "states");
            before =
                before ||
                (other && tree_get(other, own->first->name) == other->first &&
                 other->first);
        }
        if (before)
            continue;
        buffer_format(b, "%s%s", told++ ? ", " : " ", own->first->name);
    }
}

void words_unsupported_run(Buffer *b, const Tree *run)
{
    const Tree *f = tree_get(run, "features");
    const Tree *u = tree_get(f, "unsupported"), *modes = tree_get(u, "modes");
    if (!modes || !modes->first)
        return;
    buffer_format(b,
                  "- run %.0f (FEATURES ACCURACY = %g): %.0f %% of the "
                  "motions, over time; they are carried by",
                  tree_number(run, "run"), tree_number(f, "accuracy"),
                  100.0 * tree_number(f, "ff6"));
    put_carriers(b, modes);
    buffer_char(b, '\n');
}

void words_richer(Buffer *b, Buffer *lines)
{
    if (!lines->v.used)
        return;
    buffer_text(b,
                "The model is richer than its data, which do not support:\n");
    buffer_text(b, buffer_string(lines));
    buffer_text(b, "Simplify the model, take these from elsewhere, or measure "
                   "something that tells them; until then no result should "
                   "rest on them.\n");
    b->broken = b->broken || lines->broken;
}
