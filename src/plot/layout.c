#include "plot/layout.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "plot/pen.h"

enum {
    WIDE = 800, // a picture without FACTOR
    HIGH = 480,
    PAGE_WIDE = 760, // the same in a page
    PAGE_HIGH = 400,
    EDGE = 12,
    BELOW = 56,      // numbers and label of the abscissa
    BESIDE = 46,     // label of an ordinate, and a margin
    BETWEEN = 18,    // between panels
    ABOVE = 22,      // the name of a low panel
    SCALE_GAP = 16,  // between panels and the bar of colours
    SCALE_WIDE = 16, // the bar itself
    ENTRY_LINE = 20,
    ENTRY_GAP = 26
};

/* ---- Texts ---------------------------------------------------------------------- */

/* Widths in thousandths of the size, of the characters from ' ' to '~'
   (Adobe, Helvetica metrics). */
static const short widths[] = {
    278, 278, 355, 556, 556,  889, 667, 191, 333, 333, 389, 584, 278, 333,
    278, 278, 556, 556, 556,  556, 556, 556, 556, 556, 556, 556, 278, 278,
    584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
    500, 667, 556, 833, 722,  778, 667, 778, 722, 667, 611, 722, 667, 944,
    667, 667, 611, 278, 278,  278, 469, 556, 333, 556, 556, 500, 556, 556,
    278, 556, 556, 222, 222,  500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500,  500, 500, 334, 260, 334, 584};

/* Other characters are as wide as most letters, those of East Asia as wide as
   they are high. */
static double char_wide(const char *s, size_t n)
{
    unsigned char c = (unsigned char)*s;
    if (n <= 1)
        return c >= ' ' && c <= '~' ? widths[c - ' '] : 556;
    return n >= 3 && c >= 0xE3 ? 1000 : 600;
}

double layout_measure(const char *text, size_t bytes, double size)
{
    double sum = 0;
    for (size_t k = 0, n; k < bytes; k += n ? n : 1) {
        n = text_char_length(text + k, bytes - k);
        sum += char_wide(text + k, n);
    }
    return sum * size / 1000;
}

size_t layout_fit(const char *text, double size, double room, bool words)
{
    size_t n = 0, blank = 0;
    double used = 0;
    while (text[n]) {
        size_t more = text_char_length(text + n, strnlen(text + n, 4));
        used += char_wide(text + n, more) * size / 1000;
        if (used > room)
            return words && blank > n / 2 ? blank : n;
        if (text[n] == ' ')
            blank = n;
        n += more ? more : 1;
    }
    return n;
}

/* ---- Legend --------------------------------------------------------------------- */

/* Columns as wide as the longest name, and no more of them than the rows need.
   */
static uint32_t make_legend(Layout *l, const Plot *p)
{
    double longest = 0, room = l->wide - 2 * EDGE;
    for (uint32_t k = 0; k < p->n; k++) {
        if (!series_in_legend(p, k))
            continue;
        const char *name = p->series[k].name;
        longest =
            fmax(longest, layout_measure(name, strlen(name), LAYOUT_TEXT));
        l->entries++;
    }
    if (l->entries == 0)
        return 0;
    l->entry_room = fmin(1.05 * longest, room - LAYOUT_SAMPLE - 8);
    l->entry_wide = LAYOUT_SAMPLE + 8 + l->entry_room + ENTRY_GAP;
    uint32_t most = (uint32_t)((room + ENTRY_GAP) / l->entry_wide);
    most = most > 1 ? most : 1;
    uint32_t rows = (l->entries + most - 1) / most;
    l->columns = (l->entries + rows - 1) / rows;
    return rows;
}

void layout_entry(const Layout *l, uint32_t entry, double *x, double *y)
{
    *x = l->entry_left + entry % l->columns * l->entry_wide;
    *y = l->entry_top + (entry / l->columns + 0.5) * ENTRY_LINE;
}

/* ---- Axes ------------------------------------------------------------------------ */

/* How many numbers an axis of that length has. */
static uint32_t numbers_at(double length, bool abscissa)
{
    double n = length / (abscissa ? 85 : 46);
    return n < 2 ? 2 : n > 12 ? 12 : (uint32_t)n;
}

static void take_series(const Plot *p, const PlotSeries *s, AxisRange *x,
                        AxisRange *y)
{
    bool log = plot_ordinate(p, s->panel)->logarithmic;
    for (size_t k = 0; k < s->n; k++) {
        if (s->style != PLOT_TILES && !plot_has(s, k))
            continue;
        axis_take(x, s->x[k], p->x.logarithmic);
        if (s->style == PLOT_RULES)
            continue;
        axis_take(y, s->y[k], log);
        if (plot_is_wide(s))
            axis_take(x, s->x2[k], p->x.logarithmic);
        if (s->y2)
            axis_take(y, s->y2[k], log);
        if (s->style == PLOT_CELLS)
            axis_take(y, 0, log);
    }
}

static bool has_bars(const Plot *p, uint32_t panel)
{
    for (uint32_t k = 0; k < p->n; k++)
        if (p->series[k].panel == panel && p->series[k].style == PLOT_CELLS)
            return true;
    return false;
}

static void find_axes(Layout *l, const Plot *p)
{
    AxisRange x = AXIS_RANGE;
    for (uint32_t panel = 0; panel < l->panels; panel++) {
        AxisRange y = AXIS_RANGE;
        for (uint32_t k = 0; k < p->n; k++)
            if (p->series[k].panel == panel)
                take_series(p, &p->series[k], &x, &y);
        LayoutPanel *one = &l->panel[panel];
        one->any = y.low <= y.high;
        one->y = axis_make(plot_ordinate(p, panel), y, AXIS_ROUND);
        if (!plot_ordinate(p, panel)->tight)
            axis_air(&one->y, y, has_bars(p, panel));
        double zero = axis_share(&one->y, 0);
        one->zero =
            zero > 0.04 && zero < 0.96 && !plot_ordinate(p, panel)->tight;
    }
    l->x = axis_make(&p->x, x, AXIS_AS_DATA);
    if (!p->x.tight)
        axis_air(&l->x, x, false);
    l->over = x.low <= x.high ? x : (AxisRange){l->x.low, l->x.high};
}

/* Whether the panel has steps over a few whole numbers: then its axis shows no
   others. */
static bool is_whole(const Plot *p, uint32_t panel)
{
    double low = INFINITY, high = -INFINITY;
    for (uint32_t k = 0; k < p->n; k++)
        for (size_t i = 0; i < p->series[k].n; i++) {
            double y = p->series[k].y[i];
            if (p->series[k].panel != panel)
                break;
            if (p->series[k].style != PLOT_STEPS || y != floor(y))
                return false;
            low = fmin(low, y);
            high = fmax(high, y);
        }
    return high - low <= 10 && !plot_ordinate(p, panel)->logarithmic;
}

static void mark_ordinates(Layout *l, const Plot *p)
{
    for (uint32_t k = 0; k < l->panels; k++) {
        LayoutPanel *one = &l->panel[k];
        axis_mark(&one->y, numbers_at(one->bottom - one->top, false),
                  plot_ordinate(p, k)->truth                     ? AXIS_TRUTH
                  : plot_ordinate(p, k)->whole || is_whole(p, k) ? AXIS_WHOLE
                                                                 : AXIS_ANY);
    }
}

/* ---- Places ---------------------------------------------------------------------- */

/* A side of the picture, within limits whatever FACTOR says. */
static double side(double size, double factor)
{
    return fmin(fmax(size * (factor > 0 ? factor : 1), 160), 8000);
}

static double share(const Plot *p, uint32_t panel)
{
    double s = plot_ordinate(p, panel)->share;
    return s > 0 ? s : 1;
}

bool layout_is_low(const Plot *p, uint32_t panel)
{
    return plot_panels(p) > 1 && share(p, panel) < 1;
}

/* Places the panels from `top` on; a single one would have the height `area`.
   */
static double place_panels(Layout *l, const Plot *p, double top, double area)
{
    double shares = 0;
    for (uint32_t k = 0; k < l->panels; k++)
        shares += share(p, k);
    double each = l->panels == 1 ? area / shares : 0.62 * area;
    l->title_bottom = top - 8;
    for (uint32_t k = 0; k < l->panels; k++) {
        l->panel[k].top = top + (layout_is_low(p, k) ? ABOVE + (k ? 4 : 0)
                                 : k                 ? BETWEEN
                                                     : 0);
        top = l->panel[k].bottom = l->panel[k].top + each * share(p, k);
    }
    return top;
}

/* The width as drawn, with the power of ten raised, allowing for wider fonts.
   */
static double number_wide(const char *text)
{
    int mantissa, exponent;
    double wide = layout_measure(text, strlen(text), LAYOUT_TEXT);
    if (axis_split(text, &mantissa, &exponent))
        wide += layout_measure("10", 2, LAYOUT_TEXT);
    return 1.3 * wide;
}

static double widest_number(const Axis *a)
{
    double most = 0;
    for (uint32_t i = 0; i < a->n; i++)
        most = fmax(most, number_wide(a->tick[i].text));
    return most;
}

/* The bar of colours beside all panels; returns the room that it takes. */
static double place_scale(Layout *l, const Plot *p)
{
    if (!p->scale)
        return 0;
    l->scale = true;
    l->z = pen_scale(p);
    l->scale_top = l->panel[0].top;
    l->scale_bottom = l->panel[l->panels - 1].bottom;
    axis_mark(&l->z, numbers_at(l->scale_bottom - l->scale_top, false),
              p->z.truth ? AXIS_TRUTH : AXIS_ANY);
    double room = SCALE_GAP + SCALE_WIDE + 8 + widest_number(&l->z) + 26;
    l->scale_left = l->wide - EDGE - room + SCALE_GAP;
    l->scale_right = l->scale_left + SCALE_WIDE;
    return room;
}

/* Room for the numbers on the left, and for half of one on the right. */
static void place_sides(Layout *l, const Plot *p)
{
    AxisNumbers numbers = p->x.truth   ? AXIS_TRUTH
                          : p->x.whole ? AXIS_WHOLE
                                       : AXIS_ANY;
    double left = 24, scale = place_scale(l, p);
    for (uint32_t k = 0; k < l->panels; k++)
        left = fmax(left, widest_number(&l->panel[k].y));
    axis_mark(&l->x, numbers_at(l->wide, true), numbers);
    l->left = p->bare ? EDGE : fmin(BESIDE + left, l->wide / 3);
    l->right = l->wide - EDGE - (scale > 0 ? scale : widest_number(&l->x) / 2);
    axis_mark(&l->x, numbers_at(l->right - l->left, true), numbers);
}

/* Centres the legend below the panels, as far as the sheet allows. */
static void place_legend(Layout *l)
{
    double wide = l->columns * l->entry_wide - ENTRY_GAP;
    double left = (l->left + l->right - wide) / 2;
    l->entry_left = fmax(EDGE, fmin(left, l->wide - EDGE - wide));
}

/* Places title and note above and the legend below; what is left is the height
   of a single panel. */
static double place_words(Layout *l, const Plot *p, uint32_t rows, double *top)
{
    const char *title = p->title ? p->title : "";
    l->title = layout_fit(title, LAYOUT_TITLE, l->wide - 6 * EDGE, true);
    *top +=
        (title[0] ? LAYOUT_TITLE_LINE : 0) + (p->note ? LAYOUT_NOTE_LINE : 0);
    double area =
        l->high - *top - BELOW - EDGE / 2 - (rows ? ENTRY_LINE + EDGE / 2 : 0);
    *top += title[l->title] ? LAYOUT_TITLE_LINE : 0;
    return area;
}

void layout_make(Layout *l, const Plot *p, LayoutKind kind)
{
    bool page = kind == LAYOUT_PAGE;
    *l = (Layout){.wide = side(page ? PAGE_WIDE : WIDE, p->wide),
                  .high = side(page ? PAGE_HIGH : HIGH, p->high),
                  .panels = plot_panels(p)};
    assert(l->panels <= PLOT_PANELS);
    uint32_t rows = page ? 0 : make_legend(l, p);
    double top = page ? EDGE : EDGE + 6;
    double area = page ? l->high - top - BELOW : place_words(l, p, rows, &top);
    double below = p->bare ? EDGE : BELOW;
    find_axes(l, p);
    l->entry_top = place_panels(l, p, top, fmax(area + BELOW - below, 60)) +
                   below + (page ? 0 : EDGE / 2);
    l->high = l->entry_top + rows * ENTRY_LINE + (rows ? EDGE / 2 : 0);
    mark_ordinates(l, p);
    place_sides(l, p);
    place_legend(l);
}
