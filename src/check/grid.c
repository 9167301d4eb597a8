#include "check/checker.h"

#include <string.h>

/* The coordinates of FIELDs: their bounds, grids and kinds, and how these go with one
   another and with the SCHEME. */

#define MATRIX_MOST    257   // points of a CHEBYSHEV grid
#define RATIO_MOST     1.0e6 // of intervals by STRETCH
#define PIECES_MOST    16    // as in lower/field.h
#define MATERIAL_LEAST 2     // intervals in each

/* Bounds in different units are converted later. */
static bool same_unit(const Node *a, const Node *b)
{
    const char *x =
        a->first && a->first->kind == NODE_UNIT ? a->first->text : "";
    const char *y =
        b->first && b->first->kind == NODE_UNIT ? b->first->text : "";
    return strcmp(x, y) == 0;
}

/* Where it begins and ends, and where materials meet between. */
static void check_bounds(Checker *c, const Node *n)
{
    double before, end;
    bool known =
        constant_number(c, n->first, "the beginning of a coordinate", &before);
    if (known && before < 0.0 &&
        (n->word == WORD_CYLINDRICAL || n->word == WORD_SPHERICAL))
        ERROR(c, n->first,
              "`%s` is a distance from the %s, so it cannot begin at %g",
              n->text, n->word == WORD_SPHERICAL ? "centre" : "axis", before);
    bool begins = true;
    const Node *last = n->first;
    for (Node *k = n->first->next->first; k != NULL; k = k->next) {
        bool number = constant_number(c, k, "the end of a coordinate", &end);
        if (known && number && same_unit(last, k) && before >= end)
            ERROR(c, k,
                  begins && k->next == NULL
                      ? "coordinate `%s` ends at %g, but begins at %g"
                      : "the bounds of coordinate `%s` must rise, but %g comes "
                        "after %g",
                  n->text, end, before);
        known = number;
        before = end;
        last = k;
        begins = false;
    }
}

static bool check_points(Checker *c, Node *n, int64_t most, int64_t *points)
{
    if (!constant_integer(c, n, "the number of points of a GRID", points))
        return false;
    if (*points < 3)
        ERROR(c, n, "a GRID has at least 3 points");
    else if (*points > most)
        ERROR(c, n, "a GRID%s has at most %d points",
              most < LIMIT_ARRAY ? " CHEBYSHEV" : "", (int)most);
    else
        return true;
    return false;
}

/* TOL and the most points of GRID AUTO, whose first grid has that many. */
static void check_automatic(Checker *c, const Node *grid, int64_t first)
{
    Node *tol = grid->first->next, *most = grid->last;
    int64_t points;
    double e;
    if (constant_number(c, tol, "the TOL of a GRID", &e) && !(e > 0.0))
        ERROR(c, tol, "the TOL of a GRID must be above 0");
    if (is_none(most) || !check_points(c, most, LIMIT_ARRAY, &points))
        return;
    if (points < 2 * first - 1)
        ERROR(c, most,
              "GRID AUTO begins with %d points, so MAX must allow at least %d: "
              "twice as many intervals",
              (int)first, (int)(2 * first - 1));
}

static void check_grid(Checker *c, const Node *n, const Node *grid)
{
    int64_t points = 33, ends = node_count(n->first->next);
    int64_t most = grid->word == WORD_CHEBYSHEV ? MATRIX_MOST : LIMIT_ARRAY;
    bool known = is_none(grid->first)
                     ? true
                     : check_points(c, grid->first, most, &points);
    if (grid->word == WORD_AUTO)
        check_automatic(c, grid, points);
    if (known && points - 1 < MATERIAL_LEAST * ends && ends > 1)
        ERROR(c, grid->first,
              "%d pieces of a coordinate need at least %d points: %d intervals "
              "in each",
              (int)ends, (int)(MATERIAL_LEAST * ends + 1), MATERIAL_LEAST);
}

static void check_stretch(Checker *c, Node *n, uint32_t number)
{
    Node *ratio = n->first;
    double r;
    bool across = n->word == WORD_BOTTOM || n->word == WORD_TOP;
    if (n->word != WORD_BOTH && across != (number == 2))
        ERROR(c, n,
              number == 2 ? "the second coordinate runs from BOTTOM to TOP"
                          : "the first coordinate runs from LEFT to RIGHT");
    if (constant_number(c, ratio, "the ratio of STRETCH", &r) &&
        !(r >= 1.0 && r <= RATIO_MOST))
        ERROR(c, ratio,
              "the ratio of STRETCH is that of the widest interval to the "
              "narrowest: from 1 to %.0f",
              RATIO_MOST);
}

/* What cannot stand together. */
static void check_kinds(Checker *c, const Node *n, const Node *grid,
                        Node *stretch)
{
    bool spectral = grid->word == WORD_CHEBYSHEV;
    bool pieces = node_count(n->first->next) > 1;
    Node *second = n->first->next->first;
    if (spectral && !is_none(stretch))
        ERROR(c, stretch,
              "the points of GRID CHEBYSHEV have their places: STRETCH cannot "
              "move them");
    if (spectral && pieces)
        ERROR(c, second->next,
              "GRID CHEBYSHEV is for what is smooth: a coordinate in pieces "
              "needs GRID and a number of points");
    if (pieces && !is_none(stretch))
        ERROR(c, stretch, "a coordinate in pieces cannot be stretched");
    if (node_count(n->first->next) > PIECES_MOST)
        ERROR(c, second, "a coordinate has at most %d pieces", PIECES_MOST);
    if (n->word == WORD_PERIODIC && (spectral || !is_none(stretch)))
        ERROR(c, spectral ? grid : stretch,
              "the points of a PERIODIC coordinate have equal distances");
}

void grid_check(Checker *c, Node *n, uint32_t number)
{
    Node *grid = node_child(n, 2);
    check_bounds(c, n);
    check_grid(c, n, grid);
    if (!is_none(n->last))
        check_stretch(c, n->last, number);
    check_kinds(c, n, grid, n->last);
    if (number > 1 && n->word != WORD_PERIODIC && n->word != WORD_NONE)
        ERROR(c, n, "only the first coordinate of a FIELD can be %s",
              word_text(n->word));
}

/* A distance from a centre goes with no second coordinate. */
static void check_pair(Checker *c, const Node *coordinates)
{
    Node *first = coordinates->first;
    if (first->next != NULL && first->word == WORD_SPHERICAL)
        ERROR(c, first->next,
              "a FIELD over a SPHERICAL coordinate depends on that alone");
}

static void check_words(Checker *c, Node *n)
{
    int64_t k = n->integer;
    if (name_same(n->text, "CENTRAL")) {
        if (k != 3 && k != 5 && k != 7)
            ERROR(c, n, "SCHEME CENTRAL has 3, 5 or 7 points");
    } else if (name_same(n->text, "UPWIND")) {
        if (k != 1 && k != 3 && k != 5)
            ERROR(c, n, "SCHEME UPWIND has order 1, 3 or 5");
    } else if (name_same(n->text, "WENO")) {
        if (k != 5)
            ERROR(c, n, "SCHEME WENO has order 5");
    } else {
        ERROR(c, n, "`%s` is not a SCHEME: use CENTRAL, UPWIND or WENO",
              n->text);
    }
}

/* Formulas of many points must not reach from one material into the next. */
static void check_scheme(Checker *c, const Node *coordinates, Node *n)
{
    bool only = true;
    check_words(c, n);
    for (const Node *k = coordinates->first; k != NULL; k = k->next) {
        only = only && node_child(k, 2)->word == WORD_CHEBYSHEV;
        if (node_count(k->first->next) > 1 && n->integer > 3) {
            ERROR(c, n,
                  "coordinate `%s` is in pieces, between which a FIELD has "
                  "kinks: SCHEME %s %d would reach across, CENTRAL 3 does not",
                  k->text, n->text, (int)n->integer);
            return;
        }
    }
    if (only)
        ERROR(c, n,
              "GRID CHEBYSHEV has formulas of its own, so there is no SCHEME "
              "to choose");
}

void grid_check_all(Checker *c, const Node *coordinates, Node *scheme)
{
    check_pair(c, coordinates);
    if (!is_none(scheme))
        check_scheme(c, coordinates, scheme);
}

void grid_check_side(Checker *c, const Symbol *field, Node *side)
{
    const Node *x = node_child(field->node, 1)->first;
    if (side->word == WORD_BOTTOM || side->word == WORD_TOP)
        x = x->next;
    if (x != NULL && x->word == WORD_PERIODIC)
        ERROR(c, side,
              "coordinate `%s` is PERIODIC: its end is its beginning, so "
              "nothing can be said AT %s",
              x->text, word_text(side->word));
}
