#include "pass.h"

#include <time.h>

#include "scarce.h"

static void dump(Unit *u, Buffer *b)
{
    if (lex(u))
        tokens_print(&u->tokens, b);
}

/* ---- Bytes that no editor writes ----------------------------------------- */

static void check_bytes(const char *bytes, size_t n, const char *expected)
{
    Buffer out = {0};
    pass_case(dump, bytes, n, &out);
    CHECK_TEXT(buffer_string(&out), expected);
    buffer_free(&out);
}

#define CHECK_BYTES(bytes, expected)                                           \
    check_bytes((bytes), sizeof(bytes) - 1, (expected))

static void test_bytes(void)
{
    CHECK_BYTES("", "end      \n");
    CHECK_BYTES("A", "name     A\nend     +\n");
    CHECK_BYTES("A;\r\nB\r\n",
                "name     A\nsymbol  +;\nname     B\nend      \n");
    CHECK_BYTES("\xEF\xBB\xBF"
                "A",
                "name     A\nend     +\n");
    CHECK_BYTES("A\xC2\xA0"
                "B",
                "name     A\nname     B\nend     +\n");
    CHECK_BYTES("A\0B\0\0C",
                "1:2: error: the text contains a NUL character: is this a "
                "model, or a file of another kind?\n"
                "name     A\nname     B\nname     C\nend     +\n");
    CHECK_BYTES("A\x01\x02\x7F"
                "B\x01",
                "1:2: error: the text contains a control character (01): "
                "remove it\n"
                "name     A\nname     B\nend      \n");
    CHECK_BYTES("A \xFF\xFE\xC3 B \x80",
                "1:3: error: the text is not UTF-8 from here on (byte FF): "
                "save the file as UTF-8\n"
                "name     A\nname     B\nend      \n");
    CHECK_BYTES("\xFF\xFE"
                "A\0B\0",
                "1:1: error: the text is in UTF-16: save the file as UTF-8\n");
    CHECK_BYTES("\"A\0B\"",
                "1:3: error: the text contains a NUL character: is this a "
                "model, or a file of another kind?\n"
                "string   A B\nend     +\n");
}

/* ---- Help ---------------------------------------------------------------- */

static void test_words(void)
{
    CHECK(name_same("Abc_1", "aBC_1") && !name_same("AB", "ABC"));
    CHECK(!name_same("ABC", "AB") && name_same("", ""));
    CHECK_TEXT(word_text(WORD_BECOMES), ":=");
    CHECK_TEXT(word_text(WORD_MACCONTIN), "MACCONTIN");
}

static void test_nearest(void)
{
    static const char *const names[] = {"OMEGA", "Theta", "X", "PHASE", "PH"};
    CHECK_TEXT(nearest_name("OMGEA", names, LENGTH(names)), "OMEGA");
    CHECK_TEXT(nearest_name("tetha", names, LENGTH(names)), "Theta");
    CHECK_TEXT(nearest_name("PHASES", names, LENGTH(names)), "PHASE");
    CHECK(nearest_name("Y", names, LENGTH(names)) == NULL);
    CHECK(nearest_name("VELOCITY", names, LENGTH(names)) == NULL);
    CHECK(nearest_name("ALPHA", NULL, 0) == NULL);
}

static void test_spans(void)
{
    Span a = {0, 10, 3}, b = {0, 20, 2}, c = {1, 20, 2};
    CHECK(span_join(a, b).start == 10 && span_join(a, b).length == 12);
    CHECK(span_join(b, a).start == 20 && span_join(b, a).length == 2);
    CHECK(span_join(a, c).length == 3);
}

/* A message from inside three macros shows every call. */
static void test_chain(void)
{
    static const char text[] = "M3\nM2\nM1\nwrong\n";
    Arena arena = {0};
    Diags diags = {.arena = &arena};
    Origin origin[] = {{{0, 0, 0}, 0, NULL, NULL},
                       {{0, 0, 2}, 0, "M3", NULL},
                       {{0, 3, 2}, 1, "M2", NULL},
                       {{0, 6, 2}, 2, "M1", NULL}};
    Unit u = {.arena = &arena,
              .diags = &diags,
              .origins = {origin, LENGTH(origin), LENGTH(origin)}};
    Buffer out = {0};
    u.file = diags_add_file(&diags, "INPUT", text, strlen(text));
    unit_error(&u, (Span){u.file, 9, 5}, 3, "wrong");
    pass_messages(&diags, &out);
    CHECK_TEXT(buffer_string(&out),
               "4:1: error: wrong\n"
               "3:1: note: in the expansion of `M1`, called here\n"
               "2:1: note: in the expansion of `M2`, called here\n"
               "1:1: note: in the expansion of `M3`, called here\n");
    buffer_free(&out);
    arena_free(&arena);
}

/* Tokens of a part know the place of the part. */
static void test_part(void)
{
    Arena arena = {0};
    Diags diags = {.arena = &arena};
    Unit u = {.arena = &arena, .diags = &diags};
    Tokens t;
    CHECK(lex_part(&u, "N-1", (Span){7, 100, 3}, &t));
    CHECK(t.count == 4 && t.token[2].integer == 1);
    CHECK(t.token[2].at.file == 7 && t.token[2].at.start == 102);
    arena_free(&arena);
}

static void test_memory(void)
{
    static const char text[] = "A := 1.5 + \"text\"; B := 2X;";
    for (long n = 0, refused = 1; refused > 0; n++) {
        Arena arena = {0};
        Diags diags = {.arena = &arena};
        Unit u = {.arena = &arena,
                  .diags = &diags,
                  .text = text,
                  .length = strlen(text)};
        bool done;
        scarce_begin(n);
        done = lex(&u);
        refused = scarce_end();
        CHECK(done == (refused == 0));
        arena_free(&arena);
    }
}

/* ---- Any bytes at all ---------------------------------------------------- */

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Text that looks like a program, with a few bytes that do not. */
static size_t random_text(uint64_t *state, char *to, size_t room)
{
    static const char *const part[] = {
        "PROGRAM ", "END",   "END.",  "FORTRAN\n",
        "\nEND",    "(*",    "*)",    "//",
        "\n",       "\"",    "$",     "{",
        "}",        "..",    "1.",    "1.5E",
        "E-3",      ".5",    "<-",    "->",
        ":=",       "x'",    "]",     "99999999999999999999",
        "\r\n",     "\xC3",  "\xBC",  "\xEF\xBB\xBF",
        "/*",       "CCODE", "1E999", "QF.1.X",
        ";",        " ",
    };
    size_t n = 0, pieces = random_next(state) % 60;
    for (size_t k = 0; k < pieces; k++) {
        uint64_t r = random_next(state);
        const char *p = part[r % LENGTH(part)];
        size_t length = strlen(p);
        if (n + length + 1 > room)
            break;
        if (r >> 32 & 3u) {
            memcpy(to + n, p, length);
            n += length;
        } else {
            to[n++] = (char)(r >> 40);
        }
    }
    return n;
}

static void test_fuzz(double seconds)
{
    clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
    uint64_t state = 88172645463325252u;
    char text[2000];
    bool sound = true;
    while (clock() < end) {
        size_t n = random_text(&state, text, sizeof text);
        Buffer out = {0};
        char *exact = malloc(n > 0 ? n : 1); // so that a sanitizer sees its end
        if (exact == NULL)
            return;
        memcpy(exact, text, n);
        pass_case(dump, exact, n, &out);
        sound = sound && !out.broken;
        buffer_free(&out);
        free(exact);
    }
    CHECK(sound);
}

int main(void)
{
    pass_run("lex", dump);
    test_bytes();
    test_words();
    test_nearest();
    test_spans();
    test_chain();
    test_part();
    test_memory();
    test_fuzz(0.5);
    return check_end();
}
