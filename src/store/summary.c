#include "store/summary.h"

#include <string.h>

typedef struct Place {
    const char *at, *end;
} Place;

static void skip_blanks(Place *p)
{
    while (p->at < p->end && strchr(" \t\r\n", *p->at) && *p->at)
        p->at++;
}

static bool take(Place *p, char ch)
{
    skip_blanks(p);
    if (p->at >= p->end || *p->at != ch)
        return false;
    p->at++;
    return true;
}

/* Reads a value, which lasts until the arena is rewound. */
static const Tree *take_value(Place *p, Arena *a)
{
    size_t used;
    skip_blanks(p);
    const Tree *t = tree_read_part(a, p->at, (size_t)(p->end - p->at), &used);
    p->at += used;
    return t;
}

static bool take_run(Summary *s, Place *p, Arena *a)
{
    ArenaMark m = arena_mark(a);
    skip_blanks(p);
    const char *begin = p->at;
    const Tree *t = take_value(p, a);
    const char *status = tree_text(t, "status");
    SummaryRun r = {.at = (size_t)(begin - s->text),
                    .length = (size_t)(p->at - begin),
                    .number = tree_number(t, "run"),
                    .frame = tree_number(t, "frame"),
                    .stopped = strcmp(status, "stopped") == 0,
                    .failed = strcmp(status, "failed") == 0};
    bool right = t && t->kind == TREE_OBJECT && r.number >= 1 &&
                 r.number < 1e15 && vector_append(&s->run, &r, sizeof r);
    arena_rewind(a, m);
    return right;
}

static bool take_runs(Summary *s, Place *p, Arena *a)
{
    if (!take(p, '['))
        return false;
    s->head = (size_t)(p->at - s->text);
    skip_blanks(p);
    if (p->at < p->end && *p->at == '{') {
        s->head = (size_t)(p->at - s->text);
        do {
            if (!take_run(s, p, a))
                return false;
        } while (take(p, ','));
    }
    s->tail = (size_t)(p->at - s->text);
    return take(p, ']');
}

/* A member of the whole; *runs: it was "runs". */
static bool take_member(Summary *s, Place *p, Arena *a, bool *runs)
{
    ArenaMark m = arena_mark(a);
    const Tree *name = take_value(p, a);
    bool right = name && name->kind == TREE_TEXT && take(p, ':');
    *runs = right && strcmp(name->text, "runs") == 0;
    arena_rewind(a, m);
    if (!right || *runs)
        return right && take_runs(s, p, a);
    right = take_value(p, a) != NULL;
    arena_rewind(a, m);
    return right;
}

bool summary_split(Summary *s, const char *text, size_t length)
{
    Place p = {text, text + length};
    Arena a = {0};
    bool found = false;
    *s = (Summary){.text = text, .length = length};
    bool right = take(&p, '{');
    while (right && !found)
        right = take_member(s, &p, &a, &found) && (found || take(&p, ','));
    arena_free(&a);
    if (!right)
        summary_free(s);
    return right;
}

void summary_free(Summary *s)
{
    vector_free(&s->run);
}

const Tree *summary_frame(Arena *a, const char *head, size_t head_length,
                          const char *tail, size_t tail_length)
{
    char *text = NEW_ARRAY(a, char, head_length + tail_length + 1);
    if (!text)
        return NULL;
    memcpy(text, head, head_length);
    memcpy(text + head_length, tail, tail_length);
    return tree_read(a, text);
}
