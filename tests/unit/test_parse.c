#include "pass.h"

#include <time.h>

#include "scarce.h"

static void dump(Unit *u, Buffer *b)
{
    if (lex(u) && parse(u))
        ast_print(u->program, b);
}

/* ---- Nesting ------------------------------------------------------------- */

#define DEEP 100000

static void check_deep(const char *before, const char *part, const char *after,
                       const char *expected)
{
    Buffer text = {0}, out = {0};
    buffer_text(&text, "PROGRAM P; SYSTEM INITIAL ");
    buffer_text(&text, before);
    for (int k = 0; k < DEEP; k++)
        buffer_text(&text, part);
    buffer_text(&text, after);
    pass_case(dump, buffer_string(&text), strlen(buffer_string(&text)), &out);
    if (strstr(buffer_string(&out), expected) == NULL)
        CHECK_TEXT(buffer_string(&out), expected);
    CHECK(strchr(buffer_string(&out), '\n') + 1 ==
          buffer_string(&out) + strlen(buffer_string(&out)));
    buffer_free(&text);
    buffer_free(&out);
}

/* Refused with one message, without exhausting the stack. */
static void test_deep(void)
{
    static const char many[] =
        "error: more than 1000 constructs are nested here";
    check_deep("A := ", "(", "", many);
    check_deep("A := ", "NOT ", "B", many);
    check_deep("A := 1", "^2", "", many);
    check_deep("A := ", "IF B THEN 1 ELSE ", "2", many);
    check_deep("A := ", "F (", "", many);
    check_deep("A := X", "[X", "", many);
    check_deep("A := U", " AT U", "", many);
    check_deep("", "BEGIN ", "", many);
    check_deep("", "REPEAT ", "", many);
    check_deep("", "IF A THEN ", "", many);
    check_deep("", "CASE N OF 1: ", "", many);
    check_deep("END CONTINUOUS ", "MODEL M (A <- B); ", "", many);
    check_deep("A := 1 [", "(", "", many);
    check_deep("A := 1", "+1", "; B := 2 END END; END.",
               "error: this expression has more than 1500 nested operations");
    check_deep("A := X", ".1", "; B := 2 END END; END.",
               "error: this name has too many parts");
    check_deep("A := ", "-", "1 END END; END.",
               "error: found `-` after `-`, but a value is expected");
}

/* ---- Places -------------------------------------------------------------- */

static const char placed[] = "PROGRAM P;\n"
                             "SYSTEM CONTINUOUS\n"
                             "  X' = A*(B + C[1]) - 2;\n"
                             "  CONDIT E: X CROSSES 0 POS END\n"
                             "END END;\n"
                             "END.\n";

/* The text that a node stands for. */
static void check_place(const Node *n, NodeKind kind, const char *expected)
{
    CHECK(n != NULL && n->kind == kind);
    CHECK(n->at.length == strlen(expected));
    CHECK(strncmp(placed + n->at.start, expected, strlen(expected)) == 0);
}

static void test_places(void)
{
    Arena arena = {0};
    Diags diags = {.arena = &arena};
    Unit u = {.arena = &arena,
              .diags = &diags,
              .text = placed,
              .length = strlen(placed)};
    const Node *list, *equation, *difference;
    u.file = diags_add_file(&diags, "placed", placed, strlen(placed));
    CHECK(lex(&u) && parse(&u));
    list = node_child(u.program, 1)->first->first->first->first;
    equation = node_child(list, 0);
    check_place(equation, NODE_EQUATION, "X' = A*(B + C[1]) - 2");
    check_place(node_child(equation, 0), NODE_DERIVATIVE, "X'");
    difference = node_child(equation, 1);
    check_place(difference, NODE_BINARY, "A*(B + C[1]) - 2");
    check_place(node_child(difference->first, 1), NODE_BINARY, "B + C[1]");
    check_place(node_child(list, 1), NODE_CONDIT,
                "CONDIT E: X CROSSES 0 POS END");
    CHECK(node_count(list) == 2 && node_child(list, 2) == NULL);
    CHECK_TEXT(node_words(NODE_CONDIT), "CONDIT");
    arena_free(&arena);
}

/* ---- Memory -------------------------------------------------------------- */

static void test_memory(void)
{
    Buffer text = {0};
    buffer_text(&text, "PROGRAM P; SYSTEM INITIAL A := 1 [m]");
    for (int k = 0; k < 2000; k++)
        buffer_text(&text, "; IF A > 0 THEN B[1] := F (A, 2*B)");
    buffer_text(&text, " END END; END.");
    for (long n = 0, refused = 1; refused > 0; n++) {
        Arena arena = {0};
        Diags diags = {.arena = &arena};
        Unit u = {.arena = &arena,
                  .diags = &diags,
                  .text = buffer_string(&text),
                  .length = strlen(buffer_string(&text))};
        bool done;
        scarce_begin(n);
        done = lex(&u) && parse(&u);
        refused = scarce_end();
        CHECK(done == (refused == 0));
        CHECK(done || diags.errors > 0);
        arena_free(&arena);
    }
    buffer_free(&text);
}

/* ---- Any order of words -------------------------------------------------- */

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void random_program(uint64_t *state, Buffer *b)
{
    static const char *const piece[] = {
        "PROGRAM P;\n", "SYSTEM\n",   "INITIAL\n",
        "CONTINUOUS\n", "DISCRETE\n", "EVENTS\n",
        "E:",           "END;\n",     "END.\n",
        "A := 1;\n",    "X' = A;\n",  "IF A THEN\n",
        "BEGIN\n",      "1:",         "CASE N OF",
        "2.5",          "(",          ")",
        "\"s\"",        "[",
    };
    size_t n = random_next(state) % 80;
    if (random_next(state) % 4 > 0)
        buffer_text(b, "PROGRAM P; SYSTEM ");
    for (size_t k = 0; k < n; k++) {
        uint64_t r = random_next(state);
        if (r % 3 == 0)
            buffer_text(b, piece[(r >> 8) % LENGTH(piece)]);
        else
            buffer_text(b, word_text((Word)(1 + (r >> 8) % (WORD_COUNT - 1))));
        buffer_char(b, (r >> 40) % 5 == 0 ? '\n' : ' ');
    }
}

/* Never a crash, a hang, or an accepted program without END. */
static void test_fuzz(double seconds)
{
    clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
    uint64_t state = 88172645463325252u;
    bool sound = true;
    while (clock() < end) {
        Buffer text = {0}, out = {0};
        random_program(&state, &text);
        pass_case(dump, buffer_string(&text), strlen(buffer_string(&text)),
                  &out);
        sound = sound && out.v.used > 0 &&
                (strstr(buffer_string(&out), "error: ") != NULL ||
                 strstr(buffer_string(&text), "END.") != NULL);
        buffer_free(&text);
        buffer_free(&out);
    }
    CHECK(sound);
}

int main(void)
{
    pass_run("parse", dump);
    test_deep();
    test_places();
    test_memory();
    test_fuzz(1.0);
    return check_end();
}
