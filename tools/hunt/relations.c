#include "hunt/hunt.h"

void hunt_relations(Hunt *h)
{
    (void)h;
}
