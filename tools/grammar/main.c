#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "grammar/diagram.h"
#include "grammar/ebnf.h"
#include "grammar/ll1.h"
#include "grammar/random.h"
#include "grammar/sets.h"
#include "grammar/table.h"
#include "syntax/unit.h"

/* Exit status of the program. */
enum { EXIT_DONE = 0, EXIT_WRONG = 1, EXIT_USAGE = 3 };

static const char help[] =
    "grammar: what follows from a grammar in EBNF\n"
    "\n"
    "  grammar check [--alone] FILE        proves that one symbol of "
    "look-ahead\n"
    "                                      decides; --alone: without "
    "comparing\n"
    "                                      with the words of COSY\n"
    "  grammar random FILE [--seed N] [--count N] [--size N]\n"
    "                                      programs by chance, of about N "
    "tokens\n"
    "  grammar accept FILE PROGRAM...      whether programs follow the "
    "grammar\n"
    "                                      (after expansion: without macros)\n"
    "  grammar diagrams FILE DIR           syntax diagrams: DIR/RULE.svg of "
    "each\n"
    "                                      rule, DIR/index.html of all\n"
    "  grammar text FILE RULE...           syntax diagrams as text\n"
    "\n"
    "Exit status: 0 all is well, 1 something is wrong, 3 wrong use.\n";

typedef struct Job {
    Arena arena;
    Diags diags;
    Buffer text; // text of the grammar
    Grammar grammar;
} Job;

static int complain(const char *text)
{
    fprintf(stderr, "grammar: %s\n", text);
    return EXIT_WRONG;
}

static int misused(const char *text)
{
    fprintf(stderr, "grammar: %s; try: grammar --help\n", text);
    return EXIT_USAGE;
}

static void print_messages(const Diags *d)
{
    Buffer b = {0};
    diags_print(d, &b, false);
    fputs(buffer_string(&b), stdout);
    buffer_free(&b);
}

static bool read_grammar(Job *job, const char *path)
{
    Fault f = {0};
    if (file_read(path, &job->text, &f) != STATUS_OK) {
        complain(f.text);
        return false;
    }
    const char *text = buffer_string(&job->text);
    return grammar_read(&job->grammar, &job->arena, &job->diags, path, text,
                        job->text.v.used);
}

/* Reads and proves; false if that failed, with the messages printed. */
static bool prove(Job *job, const char *path, bool alone)
{
    bool ok = read_grammar(job, path) &&
              grammar_check_rules(&job->grammar, &job->diags);
    if (ok) {
        sets_make(&job->grammar);
        ok = grammar_check_ll1(&job->grammar, &job->diags);
        if (!alone)
            ok = grammar_check_words(&job->grammar, &job->diags) && ok;
    }
    if (!ok)
        print_messages(&job->diags);
    return ok;
}

/* ---- Commands ------------------------------------------------------------ */

static int check(Job *job, int count, char **word)
{
    bool alone = count > 0 && strcmp(word[0], "--alone") == 0;
    if (count != (alone ? 2 : 1))
        return misused("check takes one file");
    if (!prove(job, word[alone ? 1 : 0], alone))
        return EXIT_WRONG;
    uint32_t words = 0, options = 0, signs = 0;
    for (uint32_t k = 0; k < job->grammar.symbols; k++) {
        SymbolKind kind = job->grammar.symbol[k].kind;
        words += kind == SYMBOL_WORD;
        options += kind == SYMBOL_OPTION;
        signs += kind == SYMBOL_SIGN;
    }
    printf("LL(1): %u rules, %u words, %u option words, %u signs\n",
           job->grammar.rules, words, options, signs);
    return EXIT_DONE;
}

typedef struct RandomOptions {
    unsigned long seed, count, size;
} RandomOptions;

static bool read_number(const char *text, unsigned long *n)
{
    char *end;
    *n = strtoul(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' &&
           *n <= 1000000000ul;
}

static bool read_random_options(int count, char **word, RandomOptions *o)
{
    for (int k = 0; k < count; k += 2) {
        unsigned long *to = strcmp(word[k], "--seed") == 0    ? &o->seed
                            : strcmp(word[k], "--count") == 0 ? &o->count
                            : strcmp(word[k], "--size") == 0  ? &o->size
                                                              : NULL;
        if (to == NULL || k + 1 == count || !read_number(word[k + 1], to))
            return false;
    }
    return true;
}

static int random_programs(Job *job, int count, char **word)
{
    RandomOptions o = {.seed = 1, .count = 1, .size = 200};
    Sample s = {0};
    Buffer b = {0};
    if (count < 1 || !read_random_options(count - 1, word + 1, &o))
        return misused("random takes a file, --seed N, --count N, --size N");
    if (!prove(job, word[0], true))
        return EXIT_WRONG;
    Writer *w = writer_make(&job->arena, &job->grammar);
    Random r = {.state = o.seed};
    for (unsigned long k = 0; w != NULL && k < o.count && !s.broken; k++) {
        sample_make(w, &r, (uint32_t)o.size, &s);
        b.v.used = 0;
        if (k > 0)
            buffer_char(&b, '\n');
        sample_write(&s, &b);
        fputs(buffer_string(&b), stdout);
    }
    bool failed = w == NULL || s.broken || b.broken;
    vector_free(&s.v);
    buffer_free(&b);
    return failed ? complain("out of memory") : EXIT_DONE;
}

/* ---- Accepting ----------------------------------------------------------- */

static void say_expected(Unit *u, const Grammar *g, const Verdict *v)
{
    const Token *t = &u->tokens.token[v->at];
    Buffer b = {0};
    set_write(&b, g, &v->expected, 12);
    diag_error(u->diags, t->at, "expected is %s", buffer_string(&b));
    buffer_free(&b);
}

static bool accept_text(Job *job, const Table *t, const char *path,
                        const Buffer *program)
{
    Diags d = {.arena = &job->arena};
    Unit u = {.arena = &job->arena, .diags = &d, .name = path};
    Verdict v;
    u.text = (const char *)program->v.bytes;
    u.length = program->v.used;
    u.file = diags_add_file(&d, path, u.text, u.length);
    if (lex(&u)) {
        v = recognise(t, &u.tokens);
        if (v.memory)
            complain("out of memory");
        else if (!v.ok)
            say_expected(&u, &job->grammar, &v);
        else
            printf("%s: follows the grammar\n", path);
        print_messages(&d);
        return v.ok;
    }
    print_messages(&d);
    return false;
}

static int accept(Job *job, int count, char **word)
{
    bool ok = true;
    if (count < 2)
        return misused("accept takes a grammar and programs");
    if (!prove(job, word[0], false))
        return EXIT_WRONG;
    Table *t = table_make(&job->arena, &job->grammar);
    if (t == NULL)
        return complain("out of memory");
    for (int k = 1; k < count; k++) {
        Fault f = {0};
        Buffer program = {0};
        if (file_read(word[k], &program, &f) != STATUS_OK) {
            complain(f.text);
            ok = false;
        } else {
            buffer_string(&program);
            ok = accept_text(job, t, word[k], &program) && ok;
        }
        buffer_free(&program);
    }
    return ok ? EXIT_DONE : EXIT_WRONG;
}

/* ---- Drawing ------------------------------------------------------------- */

static bool write_file(const char *dir, const char *name, const char *end,
                       Buffer *b, Fault *f)
{
    Buffer path = {0};
    buffer_format(&path, "%s/%s%s", dir, name, end);
    bool ok =
        !b->broken && !path.broken &&
        file_write(buffer_string(&path), b->v.bytes, b->v.used, f) == STATUS_OK;
    if (b->broken || path.broken)
        fault_set(f, STATUS_MEMORY, "out of memory");
    buffer_free(&path);
    b->v.used = 0;
    return ok;
}

static int diagrams(Job *job, int count, char **word)
{
    Fault f = {0};
    Buffer b = {0};
    const Grammar *g = &job->grammar;
    if (count != 2)
        return misused("diagrams takes a grammar and a directory");
    if (!prove(job, word[0], true))
        return EXIT_WRONG;
    bool ok = dir_make(word[1], &f) == STATUS_OK;
    for (uint32_t k = 0; ok && k < g->rules; k++) {
        diagram_svg(&b, g, &g->rule[k]);
        ok = write_file(word[1], g->rule[k].name, ".svg", &b, &f);
    }
    if (ok) {
        diagram_page(&b, g);
        ok = write_file(word[1], "index", ".html", &b, &f);
    }
    buffer_free(&b);
    return ok ? EXIT_DONE : complain(f.text);
}

static int text(Job *job, int count, char **word)
{
    Buffer b = {0};
    bool ok = true;
    if (count < 2)
        return misused("text takes a grammar and the names of rules");
    if (!prove(job, word[0], true))
        return EXIT_WRONG;
    for (int k = 1; k < count; k++) {
        int32_t rule = grammar_find_rule(&job->grammar, word[k]);
        if (rule < 0) {
            fprintf(stderr, "grammar: there is no rule %s\n", word[k]);
            ok = false;
            continue;
        }
        buffer_format(&b, "%s%s\n", k > 1 ? "\n" : "", word[k]);
        diagram_text(&b, &job->grammar, &job->grammar.rule[rule]);
    }
    fputs(buffer_string(&b), stdout);
    if (b.broken)
        ok = complain("out of memory") == EXIT_DONE;
    buffer_free(&b);
    return ok ? EXIT_DONE : EXIT_WRONG;
}

/* ---- Which command ------------------------------------------------------- */

typedef struct Command {
    const char *name;
    int (*run)(Job *job, int count, char **word);
} Command;

static const Command commands[] = {
    {"check", check},   {"random", random_programs},
    {"accept", accept}, {"diagrams", diagrams},
    {"text", text},
};

int main(int argc, char **argv)
{
    Job job = {0};
    int status = -1;
    job.diags.arena = &job.arena;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(help, stdout);
        return EXIT_DONE;
    }
    for (size_t k = 0; argc > 1 && k < LENGTH(commands); k++) {
        if (strcmp(argv[1], commands[k].name) == 0)
            status = commands[k].run(&job, argc - 2, argv + 2);
    }
    if (status < 0)
        status = misused("which command?");
    buffer_free(&job.text);
    arena_free(&job.arena);
    return status;
}
