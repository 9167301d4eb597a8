#ifndef COSY_PICTURE_PANELS_H
#define COSY_PICTURE_PANELS_H

/* Which curves of a graph go into which panel: those with the same unit and
   about the same size share one, every BOOLEAN has its own. An array that is
   named as a whole stays together, and so does a variable in several runs. On a
   logarithmic scale sizes do not matter.

       panels_note     every variable that is named
       panels_measure  its values
       panels_divide
       panels_find     for every curve */

#include "base/arena.h"
#include "plot/plot.h"
#include "stats/show.h"

#define Panel          COSY_NAME(Panel)
#define PanelName      COSY_NAME(PanelName)
#define Panels         COSY_NAME(Panels)
#define panels_note    COSY_NAME(panels_note)
#define panels_measure COSY_NAME(panels_measure)
#define panels_divide  COSY_NAME(panels_divide)
#define panels_find    COSY_NAME(panels_find)

/* A variable as it is named: an element, or COSY_NONE for all of them. */
typedef struct PanelName {
    ShowColumn what;
    double size; // its largest value
    uint32_t panel;
} PanelName;

typedef struct Panel {
    const char *unit;
    bool truth;         // BOOLEANs
    bool mixed;         // several units, for want of panels
    double least, most; // sizes; 0: everything is zero
    bool any;           // low and high are known
    double low, high;   // range of what is drawn
} Panel;

typedef struct Panels {
    Vector names; // PanelName, in the order of the names
    Panel panel[PLOT_PANELS];
    uint32_t n;
    bool broken; // no memory
} Panels;

void panels_note(Panels *p, uint32_t variable, uint32_t element);
/* All elements that the line names, from its records. */
void panels_measure(Panels *p, const CosyShow *line, const ShowSource *from);
void panels_divide(Panels *p, const CosyModel *m, bool logarithmic);
/* The panel of an element. */
uint32_t panels_find(const Panels *p, uint32_t variable, uint32_t element);

static inline const PanelName *panels_names(const Panels *p, uint32_t *n)
{
    *n = (uint32_t)(p->names.used / sizeof(PanelName));
    return (const PanelName *)(const void *)p->names.bytes;
}

#endif
