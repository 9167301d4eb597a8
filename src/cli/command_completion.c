/* Completion of command lines. The three shells get small texts that ask

       cosy completion --for WORD...

   with the words behind `cosy`, the last of them the one to be completed, and
   get one candidate per line. A line that begins with `@` asks the shell for
   files: `@models` (.cosy, .c, .so, folders), `@folders`, `@files`. So what can
   be said is told once, here. */

#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "base/method_facts.h"
#include "cli/front.h"
#include "cli/texts.h"
#include "cli/topics.h"
#include "expand/library.h"

/* What stands behind an option, or a command. */
typedef enum Value {
    VALUE_NONE, // nothing, or what nobody can guess
    VALUE_WORDS,
    VALUE_MODELS,
    VALUE_FILES,
    VALUE_FOLDERS,
    VALUE_FRAMES,
    VALUE_METHODS,
    VALUE_TOPICS,
    VALUE_LIBRARY
} Value;

typedef struct Option {
    const char *name; // ends with `=` if its value follows at once
    bool has_value;
    Value value;
    const char *words; // with blanks between
} Option;

typedef struct Command {
    const char *name;
    Value value; // its arguments
    const char *words;
    const Option *option; // ends with a NULL name
} Command;

static const Option no_options[] = {{NULL, false, VALUE_NONE, NULL}};

static const Option run_options[] = {
    {"--backend=", true, VALUE_WORDS, "auto cc tcc"},
    {"-o", true, VALUE_FOLDERS, NULL},
    {"--set", true, VALUE_NONE, NULL},
    {"--method", true, VALUE_METHODS, NULL},
    {"--relerr", true, VALUE_NONE, NULL},
    {"--abserr", true, VALUE_NONE, NULL},
    {"--step", true, VALUE_NONE, NULL},
    {"--to", true, VALUE_NONE, NULL},
    {"--threads", true, VALUE_NONE, NULL},
    {"--seed", true, VALUE_NONE, NULL},
    {"--trace", false, VALUE_NONE, NULL},
    {"--trace-file=", true, VALUE_NONE, NULL},
    {"--verify", false, VALUE_NONE, NULL},
    {"--frame", true, VALUE_FRAMES, NULL},
    {"--limit-events", true, VALUE_NONE, NULL},
    {"--limit-time", true, VALUE_NONE, NULL},
    {"--limit-wall", true, VALUE_NONE, NULL},
    {"--limit-memory", true, VALUE_WORDS, "500M 1G 2G 4G"},
    {"--limit-cpu", true, VALUE_NONE, NULL},
    {"--untrusted", false, VALUE_NONE, NULL},
    {"--save", true, VALUE_FILES, NULL},
    {"--save-at", true, VALUE_NONE, NULL},
    {"--restore", true, VALUE_FILES, NULL},
    {"--json", false, VALUE_NONE, NULL},
    {"--quiet", false, VALUE_NONE, NULL},
    {"--libraries", true, VALUE_FOLDERS, NULL},
    {"--no-plots", false, VALUE_NONE, NULL},
    {"--format=", true, VALUE_WORDS, "svg pdf png svg,pdf svg,pdf,png"},
    {NULL, false, VALUE_NONE, NULL},
};

static const Option check_options[] = {
    {"--dump=", true, VALUE_WORDS,
     "tokens flat ast model hidden matched sorted derived"},
    {"--untrusted", false, VALUE_NONE, NULL},
    {NULL, false, VALUE_NONE, NULL},
};

static const Option rerun_options[] = {
    {"-o", true, VALUE_FOLDERS, NULL},
    {"--threads", true, VALUE_NONE, NULL},
    {"--libraries", true, VALUE_FOLDERS, NULL},
    {"--untrusted", false, VALUE_NONE, NULL},
    {NULL, false, VALUE_NONE, NULL},
};

static const Option format_options[] = {
    {"-o", true, VALUE_FILES, NULL},
    {"--check", false, VALUE_NONE, NULL},
    {"--write", false, VALUE_NONE, NULL},
    {NULL, false, VALUE_NONE, NULL},
};

static const Option new_options[] = {
    {"--kind", true, VALUE_WORDS, "continuous combined discrete"},
    {NULL, false, VALUE_NONE, NULL},
};

static const Option xref_options[] = {
    {"--json", false, VALUE_NONE, NULL},
    {NULL, false, VALUE_NONE, NULL},
};

static const Option doc_options[] = {
    {"--all", false, VALUE_NONE, NULL},
    {NULL, false, VALUE_NONE, NULL},
};

static const Command table[] = {
    {"run", VALUE_MODELS, NULL, run_options},
    {"new", VALUE_NONE, NULL, new_options},
    {"check", VALUE_MODELS, NULL, check_options},
    {"format", VALUE_MODELS, NULL, format_options},
    {"emit", VALUE_MODELS, NULL, no_options},
    {"xref", VALUE_MODELS, NULL, xref_options},
    {"explain", VALUE_FILES, NULL, no_options},
    {"rerun", VALUE_FILES, NULL, rerun_options},
    {"lib", VALUE_LIBRARY, "list show add remove", no_options},
    {"doc", VALUE_TOPICS, NULL, doc_options},
    {"completion", VALUE_WORDS, "bash zsh fish", no_options},
};

/* ---- Candidates ---------------------------------------------------------- */

typedef struct Line {
    int count;
    char **word;
    const char *last; // to be completed
} Line;

/* Of which `last` is the beginning; `before` stands before all of them. */
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

/* FRAMEs are counted in the model that the line names. A model with mistakes
   has none. */
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

/* Words that a shell takes as one. */
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

static void offer_value(const Line *l, Value v, const char *words,
                        const char *before)
{
    switch (v) {
    case VALUE_NONE: break;
    case VALUE_WORDS: offer_words(l, before, words); break;
    case VALUE_MODELS: puts("@models"); break;
    case VALUE_FILES: puts("@files"); break;
    case VALUE_FOLDERS: puts("@folders"); break;
    case VALUE_FRAMES: offer_frames(l); break;
    case VALUE_METHODS: offer_methods(l); break;
    case VALUE_TOPICS: offer_topics(l); break;
    case VALUE_LIBRARY: offer_library(l, words); break;
    }
}

/* ---- The line ------------------------------------------------------------ */

static void complete_argument(const Line *l, const Command *c)
{
    const char *before = l->word[l->count - 2];
    for (const Option *o = c->option; o->name; o++) {
        size_t n = strlen(o->name);
        bool joined = o->name[n - 1] == '=';
        if (joined && strncmp(l->last, o->name, n) == 0) {
            offer_value(l, o->value, o->words, o->name);
            return;
        }
        if (!joined && o->has_value && strcmp(before, o->name) == 0) {
            offer_value(l, o->value, o->words, "");
            return;
        }
    }
    if (l->last[0] == '-')
        for (const Option *o = c->option; o->name; o++)
            offer(l, "", o->name, strlen(o->name));
    else
        offer_value(l, c->value, c->words, "");
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
