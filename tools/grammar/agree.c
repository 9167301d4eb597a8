/* agree GRAMMAR SECONDS [SEED]

   Compares the parser with the recogniser of the grammar. Both read random
   programs and their mutations (a token deleted, doubled, swapped, inserted or
   replaced); both must accept them, or stumble over the same token. A program
   on which they disagree is cut down as far as the disagreement remains, and
   the smallest of each kind is printed. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "grammar/ebnf.h"
#include "grammar/ll1.h"
#include "grammar/random.h"
#include "grammar/sets.h"
#include "grammar/table.h"
#include "syntax/unit.h"

#define MUTATIONS   24 // mutations of one program
#define ENOUGH      40 // disagreements
#define MOST_TOKENS 400

typedef enum Result {
    BOTH_ACCEPT,
    BOTH_REJECT,   // at the same token
    BLAMES_BEFORE, // the same, but the parser names the previous word
    NO_TOKENS,     // the lexer refused the text
    ONLY_PARSER_ACCEPTS,
    ONLY_GRAMMAR_ACCEPTS,
    OTHER_TOKEN, // both reject, for different tokens
    NO_MEMORY
} Result;

static const char *const result_words[] = {
    "both accept",
    "both reject",
    "both reject, the parser because of the previous word",
    "not tokens",
    "the parser accepts, the grammar does not",
    "the grammar accepts, the parser does not",
    "parser and grammar stumble over different tokens",
    "out of memory"};

typedef struct Trial {
    Arena arena; // for the grammar
    Diags diags;
    Buffer grammar_text;
    Grammar g;
    Table *table;
    Writer *writer;
    unsigned long count[NO_MEMORY + 1];
    Sample smallest[NO_MEMORY]; // smallest for each kind of disagreement
} Trial;

/* ---- Reading one text twice ---------------------------------------------- */

/* Byte offset of a line and column (the texts here are ASCII). */
static size_t offset_of(const char *text, size_t line, size_t column)
{
    const char *at = text;
    while (line > 1 && at != NULL) {
        at = strchr(at, '\n');
        at = at == NULL ? NULL : at + 1;
        line--;
    }
    return at == NULL ? strlen(text) : (size_t)(at - text) + column - 1;
}

/* Where the first error points; false if there is none. */
static bool first_error(const Diags *d, const char *text, size_t *offset)
{
    Buffer b = {0};
    unsigned long line = 0, column = 0;
    diags_print(d, &b, false);
    const char *at = strstr(buffer_string(&b), ": error: ");
    while (at != NULL && at > buffer_string(&b) && at[-1] != '\n')
        at--;
    bool found =
        at != NULL && sscanf(at, "text:%lu:%lu: error", &line, &column) == 2;
    if (found)
        *offset = offset_of(text, line, column);
    buffer_free(&b);
    return found;
}

static bool within(const Token *t, size_t offset)
{
    return offset >= t->at.start && offset <= t->at.start + t->at.length;
}

/* Both stumble over the same token: the parser points at it, or just after the
   previous one, where something is missing. Or it blames the previous word,
   which is shown to be out of place or misspelt by what follows: the END that
   closes too much, `WIHT X DO`. */
static Result judge_places(const Tokens *t, uint32_t at, size_t offset)
{
    const Token *found = &t->token[at], *before = found - 1;
    if (within(found, offset))
        return BOTH_REJECT;
    if (at > 0 && offset == before->at.start + before->at.length)
        return BOTH_REJECT;
    if (at > 0 && within(before, offset) &&
        (before->kind == TOKEN_WORD || before->kind == TOKEN_NAME))
        return BLAMES_BEFORE;
    return OTHER_TOKEN;
}

/* `v` is the verdict of the grammar, taken first, because the parser may
   reclassify tokens. */
static Result compare(const Trial *t, Unit *u, Verdict *v)
{
    size_t offset = 0;
    if (!lex(u) || u->diags->errors > 0)
        return NO_TOKENS;
    *v = recognise(t->table, &u->tokens);
    if (v->memory)
        return NO_MEMORY;
    u->grammar_only = true;
    parse(u);
    if (u->diags->errors == 0)
        return v->ok ? BOTH_ACCEPT : ONLY_PARSER_ACCEPTS;
    if (v->ok)
        return ONLY_GRAMMAR_ACCEPTS;
    if (!first_error(u->diags, u->text, &offset))
        return OTHER_TOKEN;
    return judge_places(&u->tokens, v->at, offset);
}

static void show(const Trial *t, Unit *u, const Verdict *v, Result result)
{
    Diags other = {.arena = u->arena};
    Buffer b = {0}, expected = {0};
    diags_add_file(&other, u->name, u->text, u->length);
    set_write(&expected, &t->g, &v->expected, 12);
    if (!v->ok)
        diag_error(&other, u->tokens.token[v->at].at, "expected is %s",
                   buffer_string(&expected));
    buffer_format(&b, "%s\n\n%s\nParser:\n", result_words[result], u->text);
    diags_print(u->diags, &b, false);
    buffer_text(&b, "\nGrammar:\n");
    diags_print(&other, &b, false);
    puts(buffer_string(&b));
    buffer_free(&b);
    buffer_free(&expected);
}

static Result try_sample(const Trial *t, const Sample *s, bool shown)
{
    Arena arena = {0};
    Diags d = {.arena = &arena};
    Buffer text = {0};
    Verdict v = {.ok = true};
    sample_write(s, &text);
    Unit u = {.arena = &arena, .diags = &d, .name = "text"};
    u.text = buffer_string(&text);
    u.length = strlen(u.text);
    u.file = diags_add_file(&d, u.name, u.text, u.length);
    Result result = compare(t, &u, &v);
    if (shown)
        show(t, &u, &v, result);
    buffer_free(&text);
    arena_free(&arena);
    return result;
}

/* ---- Cutting down -------------------------------------------------------- */

static bool sample_copy(Sample *to, const Sample *from)
{
    to->v.used = 0;
    to->broken = !vector_append(&to->v, from->v.bytes, from->v.used);
    return !to->broken;
}

static void cut(Sample *s, uint32_t at, uint32_t n)
{
    size_t size = sizeof(Spelled);
    memmove(s->v.bytes + at * size, s->v.bytes + (at + n) * size,
            s->v.used - (at + n) * size);
    s->v.used -= n * size;
}

/* Removes runs of tokens, long ones first, while the result stays the same. */
static void shrink(const Trial *t, Sample *s, Result result)
{
    Sample less = {0};
    for (uint32_t n = sample_count(s) / 2; n > 0; n = n > 8 ? n / 2 : n - 1) {
        for (uint32_t at = 0; at + n <= sample_count(s);) {
            if (!sample_copy(&less, s))
                break;
            cut(&less, at, n);
            if (sample_count(&less) > 0 &&
                try_sample(t, &less, false) == result)
                sample_copy(s, &less);
            else
                at++;
        }
    }
    vector_free(&less.v);
}

static void keep_smallest(Trial *t, const Sample *s, Result result)
{
    Sample cut_down = {0}, *smallest = &t->smallest[result];
    if (!sample_copy(&cut_down, s))
        return;
    shrink(t, &cut_down, result);
    if (smallest->v.used == 0 || cut_down.v.used < smallest->v.used)
        sample_copy(smallest, &cut_down);
    vector_free(&cut_down.v);
}

/* ---- Many ---------------------------------------------------------------- */

static unsigned long disagreements(const Trial *t)
{
    return t->count[ONLY_PARSER_ACCEPTS] + t->count[ONLY_GRAMMAR_ACCEPTS] +
           t->count[OTHER_TOKEN] + t->count[NO_MEMORY];
}

static void judge(Trial *t, const Sample *s)
{
    Result result = s->broken ? NO_MEMORY : try_sample(t, s, false);
    t->count[result]++;
    if (result > NO_TOKENS && result < NO_MEMORY)
        keep_smallest(t, s, result);
}

static void try_program(Trial *t, Random *r)
{
    Sample s = {0}, mutated = {0};
    sample_make(t->writer, r, random_below(r, MOST_TOKENS), &s);
    judge(t, &s);
    for (int k = 0; k < MUTATIONS; k++) {
        if (!sample_copy(&mutated, &s))
            break;
        sample_mutate(t->writer, r, &mutated);
        if (k % 8 == 7)
            sample_mutate(t->writer, r, &mutated);
        judge(t, &mutated);
    }
    vector_free(&s.v);
    vector_free(&mutated.v);
}

static bool prepare(Trial *t, const char *path)
{
    Fault f = {0};
    t->diags.arena = &t->arena;
    if (file_read(path, &t->grammar_text, &f) != STATUS_OK)
        return false;
    const char *text = buffer_string(&t->grammar_text);
    if (!grammar_read(&t->g, &t->arena, &t->diags, path, text, strlen(text)) ||
        !grammar_check_rules(&t->g, &t->diags))
        return false;
    sets_make(&t->g);
    t->table = table_make(&t->arena, &t->g);
    t->writer = writer_make(&t->arena, &t->g);
    return t->table != NULL && t->writer != NULL;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void report(const Trial *t)
{
    for (Result k = BOTH_ACCEPT; k < NO_MEMORY; k++) {
        if (t->smallest[k].v.used > 0)
            try_sample(t, &t->smallest[k], true);
    }
    for (Result k = BOTH_ACCEPT; k <= NO_MEMORY; k++) {
        if (t->count[k] > 0)
            printf("%8lu  %s\n", t->count[k], result_words[k]);
    }
    // however many texts there was time for: one case
    printf("%d passed, %lu failed\n", disagreements(t) == 0, disagreements(t));
}

int main(int argc, char **argv)
{
    Trial t = {0};
    if (argc < 3) {
        fputs("usage: agree GRAMMAR SECONDS [SEED]\n", stderr);
        return 3;
    }
    double end = seconds() + strtod(argv[2], NULL);
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    bool ok = prepare(&t, argv[1]);
    for (; ok && seconds() < end && disagreements(&t) < ENOUGH; seed++) {
        Random r = {.state = seed};
        try_program(&t, &r);
    }
    if (ok)
        report(&t);
    else
        fprintf(stderr, "agree: %s: cannot be used\n", argv[1]);
    ok = ok && disagreements(&t) == 0;
    for (Result k = BOTH_ACCEPT; k < NO_MEMORY; k++)
        vector_free(&t.smallest[k].v);
    buffer_free(&t.grammar_text);
    arena_free(&t.arena);
    return ok ? 0 : 1;
}
