/* Completion of command lines. The three shells get small texts that ask

       cosy completion --for WORD...

   with the words after `cosy`, the last of them the one to be completed, and
   get one candidate per line. A line that begins with `@` asks the shell for
   files: `@models` (.cosy, .c, .so, folders), `@folders`, `@files`. Commands
   and options are in commands.def. */

#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "base/method_facts.h"
#include "cli/front.h"
#include "cli/options.h"
#include "cli/texts.h"
#include "cli/topics.h"
#include "expand/library.h"

typedef struct Command {
    const char *name;
    Candidates candidates; // for its arguments
    const char *words;
} Command;

static const Command table[] = {
#define COMMAND(word, arguments, text, candidates, words)                      \
    {#word, CANDIDATES_##candidates, words},
#include "cli/commands.def"
};

/* ---- Candidates ---------------------------------------------------------- */

typedef struct Line {
    int count;
    char **word;
    const char *last; // to be completed
} Line;

/* Offers the words that begin with `last`; `before` is put before each of
   them. */
static void offer(const Line *l, const char *before, const char *word, size_t n)
{
    size_t head = strlen(before), given = strlen(l->last);
    char text[300];
    if (head + n >= sizeof text)
        return;
    memcpy(text, before, head);
    memcpy(text + head, word, n);
    text[head + n] = '\0';
    if (strncmp(text, l->last, given) == 0)
        puts(text);
}

static void offer_words(const Line *l, const char *before, const char *words)
{
    while (*words) {
        size_t n = strcspn(words, " ");
        offer(l, before, words, n);
        words += n + (words[n] == ' ');
    }
}

static uint32_t count_frames(const Node *n)
{
    uint32_t count = n->kind == NODE_FRAME;
    for (const Node *child = n->first; child; child = child->next)
        count += count_frames(child);
    return count;
}

/* Counts the FRAMEs of the model that the line names. A model with mistakes has
   none. */
static void offer_frames(const Line *l)
{
    for (int k = 1; k + 1 < l->count; k++) {
        size_t n = strlen(l->word[k]);
        Arena arena = {0};
        Diags diags = {0};
        Unit u = {0};
        Fault f = {0};
        bool right = false;
        if (n < 6 || strcmp(l->word[k] + n - 5, ".cosy") != 0)
            continue;
        if (front_read(&u, &arena, &diags, l->word[k], PASS_PARSE, &right,
                       &f) == STATUS_OK &&
            right)
            for (uint32_t i = 1, end = count_frames(u.program); i <= end; i++) {
                char number[20];
                snprintf(number, sizeof number, "%u", (unsigned)i);
                offer(l, "", number, strlen(number));
            }
        arena_free(&arena);
    }
}

static void offer_methods(const Line *l)
{
    const MethodFacts *m;
    for (size_t k = 0; (m = method_facts_at(k)); k++)
        offer(l, "", m->name, strlen(m->name));
}

/* Offers topics that are a single word for a shell. */
static void offer_topics(const Line *l)
{
    for (size_t k = 0; k < topic_count; k++)
        offer(l, "", topics[k].name[0], strlen(topics[k].name[0]));
}

static void offer_library(const Line *l, const char *verbs)
{
    Arena arena = {0};
    Library *lib;
    LibraryEntry *entry;
    size_t n = 0;
    Fault f = {0};
    if (l->count == 2) {
        offer_words(l, "", verbs);
        return;
    }
    if (strcmp(l->word[1], "add") == 0)
        puts("@models");
    if (strcmp(l->word[1], "show") != 0 && strcmp(l->word[1], "remove") != 0)
        return;
    lib = library_open(&arena, NULL);
    if (lib && library_list(lib, &arena, &entry, &n, &f) == STATUS_OK)
        for (size_t k = 0; k < n; k++)
            offer(l, "", entry[k].name, strlen(entry[k].name));
    if (lib)
        library_close(lib);
    arena_free(&arena);
}

static void offer_value(const Line *l, Candidates c, const char *words,
                        const char *before)
{
    switch (c) {
    case CANDIDATES_NONE: break;
    case CANDIDATES_WORDS: offer_words(l, before, words); break;
    case CANDIDATES_VERBS:
        if (l->count == 2)
            offer_words(l, before, words);
        else
            puts("@files");
        break;
    case CANDIDATES_MODELS: puts("@models"); break;
    case CANDIDATES_FILES: puts("@files"); break;
    case CANDIDATES_FOLDERS: puts("@folders"); break;
    case CANDIDATES_FRAMES: offer_frames(l); break;
    case CANDIDATES_METHODS: offer_methods(l); break;
    case CANDIDATES_TOPICS: offer_topics(l); break;
    case CANDIDATES_LIBRARY: offer_library(l, words); break;
    }
}

/* ---- The line ------------------------------------------------------------ */

static void complete_argument(const Line *l, const Command *c)
{
    const char *before = l->word[l->count - 2];
    for (const Option *o = NULL; (o = option_next(o, c->name));) {
        size_t n = strlen(o->name);
        bool joined = o->name[n - 1] == '=';
        if (joined && strncmp(l->last, o->name, n) == 0) {
            offer_value(l, o->candidates, o->words, o->name);
            return;
        }
        if (!joined && o->form == OPTION_VALUE &&
            strcmp(before, o->name) == 0) {
            offer_value(l, o->candidates, o->words, "");
            return;
        }
    }
    if (l->last[0] == '-')
        for (const Option *o = NULL; (o = option_next(o, c->name));)
            offer(l, "", o->name, strlen(o->name));
    else
        offer_value(l, c->candidates, c->words, "");
}

static void complete(const Line *l)
{
    if (l->count == 1) {
        for (size_t k = 0; k < LENGTH(table); k++)
            offer(l, "", table[k].name, strlen(table[k].name));
        offer_words(l, "", "--help --version");
    }
    for (size_t k = 0; k < LENGTH(table) && l->count > 1; k++)
        if (strcmp(l->word[0], table[k].name) == 0)
            complete_argument(l, &table[k]);
}

int command_completion(int argc, char **argv)
{
    static const struct {
        const char *shell, *text;
    } shells[] = {{"bash", completion_bash},
                  {"zsh", completion_zsh},
                  {"fish", completion_fish}};
    if (argc > 2 && strcmp(argv[1], "--for") == 0) {
        complete(&(Line){argc - 2, argv + 2, argv[argc - 1]});
        return EXIT_DONE;
    }
    for (size_t k = 0; argc == 2 && k < LENGTH(shells); k++)
        if (strcmp(argv[1], shells[k].shell) == 0) {
            fputs(shells[k].text, stdout);
            return EXIT_DONE;
        }
    fputs("cosy: error: completion is for bash, zsh or fish; see cosy doc "
          "completion\n",
          stderr);
    return EXIT_USAGE;
}
