#include "solve/pattern.h"

#include <string.h>

/* Places of `from` in the order of their keys; equal keys keep their order. */
static void sort_by(const uint32_t *key, const uint32_t *from, uint32_t count,
                    uint32_t n, uint32_t *first, uint32_t *to)
{
    memset(first, 0, (n + 1) * sizeof *first);
    for (uint32_t p = 0; p < count; p++)
        first[key[p] + 1]++;
    for (uint32_t k = 0; k < n; k++)
        first[k + 1] += first[k];
    for (uint32_t p = 0; p < count; p++) {
        uint32_t at = from ? from[p] : p;
        to[first[key[at]]++] = at;
    }
}

void pattern_compress(uint32_t n, uint32_t count, uint32_t *list,
                      uint32_t *entry, uint32_t *start, uint32_t *row)
{
    uint32_t *column = list, *by_row = list + count, *order = by_row + count;
    uint32_t *place = order + count, *first = place + count, at = 0;
    sort_by(entry, NULL, count, n, first, by_row);
    sort_by(column, by_row, count, n, first, order);
    memset(start, 0, (n + 1) * sizeof *start);
    for (uint32_t p = 0; p < count; p++) {
        uint32_t e = order[p], before = p ? order[p - 1] : 0;
        if (p == 0 || column[e] != column[before] || entry[e] != entry[before])
            row[at++] = entry[e];
        place[e] = at - 1;
        start[column[e] + 1] = at;
    }
    for (uint32_t k = 0; k < n; k++)
        if (start[k + 1] < start[k])
            start[k + 1] = start[k];
    if (count) // a model may have no entries at all
        memcpy(entry, place, count * sizeof *entry);
}
