#include "grammar/ebnf.h"

#include "base/text.h"
#include "grammar/diagram.h"
#include "grammar/ll1.h"
#include "grammar/random.h"
#include "grammar/sets.h"
#include "grammar/table.h"
#include "pass.h"
#include "scarce.h"

/* tests/pass/grammar: a grammar, and what is wrong with it. */
static void run_check(Unit *u, Buffer *b)
{
    Grammar g;
    u->diags->files = 0; // the text is added again, by its reader
    u->diags->first_file = u->diags->last_file = NULL;
    if (!grammar_read(&g, u->arena, u->diags, u->name, u->text, u->length) ||
        !grammar_check_rules(&g, u->diags))
        return;
    sets_make(&g);
    if (grammar_check_ll1(&g, u->diags))
        buffer_text(b, "LL(1)\n");
}

/* tests/pass/diagram: a grammar, and its rules as diagrams. */
static void run_diagram(Unit *u, Buffer *b)
{
    Grammar g;
    if (!grammar_read(&g, u->arena, u->diags, u->name, u->text, u->length))
        return;
    for (uint32_t k = 0; k < g.rules; k++) {
        buffer_format(b, "%s:\n", g.rule[k].name);
        diagram_text(b, &g, &g.rule[k]);
    }
}

typedef struct Fixture {
    Arena arena;
    Diags diags;
    Buffer text;
    Grammar g;
    Table *table;
    Writer *writer;
} Fixture;

static void fixture_free(Fixture *f)
{
    buffer_free(&f->text);
    arena_free(&f->arena);
}

static bool fixture_read(Fixture *f)
{
    const char *text = buffer_string(&f->text);
    f->diags.arena = &f->arena;
    return grammar_read(&f->g, &f->arena, &f->diags, "cosy.ebnf", text,
                        strlen(text)) &&
           grammar_check_rules(&f->g, &f->diags);
}

static bool fixture_make(Fixture *f)
{
    Fault fault = {0};
    if (file_read(getenv("COSY_GRAMMAR"), &f->text, &fault) != STATUS_OK ||
        !fixture_read(f))
        return false;
    sets_make(&f->g);
    f->table = table_make(&f->arena, &f->g);
    f->writer = writer_make(&f->arena, &f->g);
    return f->table != NULL && f->writer != NULL;
}

static void test_language(void)
{
    Fixture f = {0};
    CHECK(fixture_make(&f));
    CHECK(grammar_check_ll1(&f.g, &f.diags));
    CHECK(grammar_check_words(&f.g, &f.diags));
    CHECK(f.diags.errors == 0);
    fixture_free(&f);
}

/* A word that the grammar spells differently is missed on both sides. */
static void test_words(void)
{
    Fixture f = {0};
    Buffer b = {0};
    char *at;
    CHECK(fixture_make(&f));
    at = strstr((char *)f.text.v.bytes, "\"SENDSIG\"");
    CHECK(at != NULL);
    if (at != NULL) {
        memcpy(at, "\"SENDSOG\"", 9);
        CHECK(fixture_read(&f));
        CHECK(!grammar_check_words(&f.g, &f.diags));
        CHECK(f.diags.errors == 2);
        diags_print(&f.diags, &b, false);
        CHECK(strstr(buffer_string(&b), "SENDSOG is not in src/syntax/words"));
        CHECK(strstr(buffer_string(&b), "SENDSIG of src/syntax/words.def"));
    }
    buffer_free(&b);
    fixture_free(&f);
}

/* Index of the first token that does not fit; -1: all do, -2: no tokens. */
static int verdict(const Fixture *f, const char *text)
{
    Arena arena = {0};
    Diags diags = {.arena = &arena};
    Unit u = {.arena = &arena, .diags = &diags, .text = text};
    int at = -2;
    u.length = strlen(text);
    u.file = diags_add_file(&diags, "text", text, u.length);
    if (lex(&u) && diags.errors == 0) {
        Verdict v = recognise(f->table, &u.tokens);
        at = v.ok ? -1 : (int)v.at;
    }
    arena_free(&arena);
    return at;
}

static void test_recogniser(void)
{
    Fixture f = {0};
    CHECK(fixture_make(&f));
    CHECK(verdict(&f, "PROGRAM P; END.") == -1);
    CHECK(verdict(&f, "") == 0);
    CHECK(verdict(&f, "PROGRAM") == 1);
    CHECK(verdict(&f, "PROGRAM P END.") == 2);
    CHECK(verdict(&f, "PROGRAM P; END. END") == 5);
    CHECK(verdict(&f, "PROGRAM P; MACRO END.") == 3);
    // An option word where it is expected, a name elsewhere.
    CHECK(verdict(&f, "PROGRAM AT; STORE AT, BY; END.") == -1);
    CHECK(verdict(&f, "PROGRAM P; EXPERIMENT REMOVE Q LAST END END.") == -1);
    CHECK(verdict(&f, "PROGRAM P; EXPERIMENT REMOVE Q LAST + 1 END END.") == 7);
    CHECK(verdict(&f, "PROGRAM P; EXPERIMENT REMOVE Q (LAST) + 1 END END.") ==
          -1);
    CHECK(verdict(&f, "PROGRAM P; VAR FILE OF N R RANKED FIFO: Q; END.") == -1);
    CHECK(verdict(&f, "PROGRAM P; VAR FILE OF R RANKED FIFO: Q; END.") == -1);
    // ELSE belongs to the nearest IF.
    CHECK(verdict(&f, "PROGRAM P; EXPERIMENT IF A THEN IF B THEN C ELSE D "
                      "ELSE E END END.") == -1);
    CHECK(verdict(&f, "PROGRAM P; EXPERIMENT IF B THEN C ELSE D "
                      "ELSE E END END.") == 10);
    fixture_free(&f);
}

static void test_random(void)
{
    Fixture f = {0};
    Sample s = {0};
    Buffer b = {0}, again = {0};
    CHECK(fixture_make(&f));
    for (uint32_t seed = 0; seed < 100; seed++) {
        Random r = {.state = seed}, same = r;
        b.v.used = again.v.used = 0;
        sample_make(f.writer, &r, 4 * seed, &s);
        sample_write(&s, &b);
        CHECK(verdict(&f, buffer_string(&b)) == -1);
        sample_make(f.writer, &same, 4 * seed, &s);
        sample_write(&s, &again);
        CHECK_TEXT(buffer_string(&again), buffer_string(&b));
    }
    vector_free(&s.v);
    buffer_free(&b);
    buffer_free(&again);
    fixture_free(&f);
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;
    while (*text != '\0') {
        size_t n = strcspn(text, "\n"), count = text_char_count(text, n);
        longest = count > longest ? count : longest;
        text += n + 1;
    }
    return longest;
}

static void test_diagrams(void)
{
    Fixture f = {0};
    Buffer b = {0};
    CHECK(fixture_make(&f));
    for (uint32_t k = 0; k < f.g.rules; k++) {
        b.v.used = 0;
        diagram_text(&b, &f.g, &f.g.rule[k]);
        CHECK(longest_line(buffer_string(&b)) <= TEXT_WIDTH);
    }
    b.v.used = 0;
    diagram_page(&b, &f.g);
    CHECK(strstr(buffer_string(&b), "<h3 id=\"simple_statement\">"));
    CHECK(strstr(buffer_string(&b), "<a href=\"#designator\">"));
    b.v.used = 0;
    diagram_svg(&b, &f.g, &f.g.rule[0]);
    CHECK(strstr(buffer_string(&b), "<a href=\"segment.svg\">"));
    CHECK(!b.broken);
    buffer_free(&b);
    fixture_free(&f);
}

/* Memory that runs out anywhere is noticed. */
static void test_scarce(void)
{
    long refused = 1;
    for (long n = 0; refused > 0; n++) {
        Fixture f = {0};
        Sample s = {0};
        Buffer b = {0};
        Random r = {.state = 1};
        scarce_begin(n);
        bool ok = fixture_make(&f);
        if (ok) {
            sample_make(f.writer, &r, 100, &s);
            sample_write(&s, &b);
            diagram_text(&b, &f.g, &f.g.rule[0]);
            diagram_svg(&b, &f.g, &f.g.rule[0]);
            ok = !s.broken && !b.broken;
        }
        refused = scarce_end();
        CHECK(ok == (refused == 0));
        vector_free(&s.v);
        buffer_free(&b);
        fixture_free(&f);
    }
}

int main(void)
{
    pass_run("grammar", run_check);
    pass_run("diagram", run_diagram);
    test_language();
    test_words();
    test_recogniser();
    test_random();
    test_diagrams();
    test_scarce();
    return check_end();
}
