#include "expand/names.h"

#include "syntax/token.h"

typedef struct NameSlot {
    const char *name; // NULL: free
    uint32_t number;
} NameSlot;

static uint32_t hash(const char *name)
{
    uint32_t h = 2166136261u;
    for (; *name != '\0'; name++) {
        unsigned char c = (unsigned char)*name;
        h = (h ^ (c >= 'a' && c <= 'z' ? c - 32u : c)) * 16777619u;
    }
    return h;
}

static NameSlot *find_slot(const Names *n, const char *name)
{
    NameSlot *slot = (NameSlot *)(void *)n->slots.bytes;
    uint32_t k = hash(name) & (n->room - 1);
    while (slot[k].name != NULL && !name_same(slot[k].name, name))
        k = (k + 1) & (n->room - 1);
    return &slot[k];
}

static bool grow(Names *n)
{
    Names larger = {.room = n->room == 0 ? 64 : 2 * n->room, .count = n->count};
    const NameSlot *old = (const NameSlot *)(const void *)n->slots.bytes;
    if (!vector_append(&larger.slots, NULL, larger.room * sizeof *old))
        return false;
    for (uint32_t k = 0; k < n->room; k++)
        if (old[k].name != NULL)
            *find_slot(&larger, old[k].name) = old[k];
    vector_free(&n->slots);
    *n = larger;
    return true;
}

bool names_put(Names *n, const char *name, uint32_t number)
{
    NameSlot *slot;
    if (2 * (n->count + 1) > n->room && !grow(n))
        return false;
    slot = find_slot(n, name);
    if (slot->name == NULL)
        n->count++;
    *slot = (NameSlot){name, number};
    return true;
}

uint32_t names_find(const Names *n, const char *name)
{
    const NameSlot *slot;
    if (n->room == 0)
        return NAME_UNKNOWN;
    slot = find_slot(n, name);
    return slot->name == NULL ? NAME_UNKNOWN : slot->number;
}

void names_free(Names *n)
{
    vector_free(&n->slots);
    *n = (Names){0};
}
