#include "picture/panels.h"

#include <math.h>
#include <string.h>

#include "stats/record.h"
#include "stats/value.h"

/* The largest ratio between the sizes of two curves in a panel. */
enum { SIZE_MOST = 50 };

static PanelName *find(const Panels *p, uint32_t variable, uint32_t element)
{
    PanelName *name = (PanelName *)(void *)p->names.bytes;
    size_t n = p->names.used / sizeof *name;
    for (size_t k = 0; k < n; k++)
        if (name[k].what.variable == variable &&
            name[k].what.element == element)
            return &name[k];
    return NULL;
}

void panels_note(Panels *p, uint32_t variable, uint32_t element)
{
    const PanelName one = {.what = {.variable = variable, .element = element}};
    if (!find(p, variable, element))
        p->broken = p->broken || !vector_append(&p->names, &one, sizeof one);
}

static double largest(const ShowSource *from, uint32_t column)
{
    double most = 0;
    for (size_t k = 0; column && k < show_count(from); k++) {
        double v = fabs((double)show_value(from, k, column));
        if (isfinite(v) && v > most)
            most = v;
    }
    return most;
}

void panels_measure(Panels *p, const CosyShow *line, const ShowSource *from)
{
    const CosyModel *m = from->model;
    for (uint32_t k = 0; k < line->n; k++) {
        uint32_t variable = line->variable[k], at = line->element[k];
        PanelName *name = find(p, variable, at);
        ValueSpan s = value_span(&m->variables[variable], at);
        for (uint32_t i = s.from; name && i < s.end; i++)
            name->size =
                fmax(name->size, largest(from, record_column(m, variable, i)));
    }
}

static bool fits(const Panel *p, const CosyVariable *v, double size,
                 bool logarithmic)
{
    bool near = logarithmic || p->most <= 0 || size <= 0 ||
                fmax(size, p->most) <= SIZE_MOST * fmin(size, p->least);
    /* Two BOOLEANs in one panel would hide each other. */
    return near && !p->truth && v->type != COSY_TYPE_BOOLEAN &&
           strcmp(p->unit, value_shown_unit(v->unit)) == 0;
}

static void take(Panel *p, const CosyVariable *v, double size)
{
    p->mixed = p->mixed || strcmp(p->unit, value_shown_unit(v->unit)) != 0;
    p->truth = p->truth && v->type == COSY_TYPE_BOOLEAN;
    if (size > 0)
        p->least = p->most > 0 ? fmin(p->least, size) : size;
    p->most = fmax(p->most, size);
}

void panels_divide(Panels *p, const CosyModel *m, bool logarithmic)
{
    PanelName *name = (PanelName *)(void *)p->names.bytes;
    size_t n = p->names.used / sizeof *name;
    for (size_t i = 0; i < n; i++) {
        const CosyVariable *v = &m->variables[name[i].what.variable];
        uint32_t k = 0;
        while (k < p->n && !fits(&p->panel[k], v, name[i].size, logarithmic))
            k++;
        if (k == PLOT_PANELS)
            k--;
        else if (k == p->n)
            p->panel[p->n++] = (Panel){.unit = value_shown_unit(v->unit),
                                       .truth = v->type == COSY_TYPE_BOOLEAN};
        take(&p->panel[k], v, name[i].size);
        name[i].panel = k;
    }
}

uint32_t panels_find(const Panels *p, uint32_t variable, uint32_t element)
{
    const PanelName *name = find(p, variable, element);
    if (!name)
        name = find(p, variable, COSY_NONE);
    return name ? name->panel : 0;
}
