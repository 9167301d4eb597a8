#include "base/diag.h"

#include "check.h"
#include "scarce.h"

static const char text[] = "MODEL m;\n"
                           "\tx' = y + 1;\n"
                           "na\xC3\xAFve := 2;\r\n"
                           "END";

/* The span of the first occurrence of `word`. */
static Span span_of(uint32_t file, const char *word)
{
    const char *at = strstr(text, word);
    CHECK(at != NULL);
    return (Span){file, (uint32_t)(at - text), (uint32_t)strlen(word)};
}

static void check_printed(Diags *d, bool colour, const char *expected)
{
    Buffer b = {0};
    diags_print(d, &b, colour);
    CHECK_TEXT(buffer_string(&b), expected);
    buffer_free(&b);
}

static void test_layout(void)
{
    Arena a = {0};
    Diags d = {.arena = &a};
    uint32_t m = diags_add_file(&d, "m.cosy", text, strlen(text));
    diag_error(&d, span_of(m, "y +"), "`%s` is not declared", "y");
    diag_note(&d, span_of(m, "MODEL"), "in this model");
    diag_warning(&d, span_of(m, ":= 2"), "odd");
    check_printed(&d, false,
                  "m.cosy:2:7: error: `y` is not declared\n"
                  "    \tx' = y + 1;\n"
                  "    \t     ^~~\n"
                  "m.cosy:1:1: note: in this model\n"
                  "    MODEL m;\n"
                  "    ^~~~~\n"
                  "m.cosy:3:7: warning: odd\n"
                  "    na\xC3\xAFve := 2;\n"
                  "          ^~~~\n");
    CHECK(d.errors == 1 && d.warnings == 1 && d.kept == 3 && d.lost == 0);
    arena_free(&a);
}

/* Spans at the end, beyond it, over lines, of nothing, and of no file; printed
   in the order of the text. */
static void test_odd_places(void)
{
    Arena a = {0};
    Diags d = {.arena = &a};
    uint32_t other = diags_add_file(&d, "other", "", 0);
    uint32_t m = diags_add_file(&d, "m", text, strlen(text));
    diag_error(&d, (Span){m, (uint32_t)strlen(text), 0}, "more expected");
    diag_error(&d, (Span){m, 4000000000u, 4000000000u}, "far");
    diag_error(&d, (Span){m, 6, 1000}, "long");
    diag_error(&d, (Span){m, 8, 1}, "newline");
    diag_error(&d, (Span){other, 0, 0}, "empty");
    diag_error(&d, (Span){SPAN_NOWHERE, 0, 0}, "nowhere");
    diag_error(&d, (Span){77, 0, 0}, "unknown");
    check_printed(&d, false,
                  "m:1:7: error: long\n    MODEL m;\n          ^~\n"
                  "m:1:9: error: newline\n    MODEL m;\n            ^\n"
                  "m:4:4: error: more expected\n    END\n       ^\n"
                  "m:4:4: error: far\n    END\n       ^\n"
                  "other:1:1: error: empty\n    \n    ^\n"
                  "error: nowhere\n"
                  "error: unknown\n");
    arena_free(&a);
}

/* What a terminal might obey is not shown, and only a part of a long line. */
static void test_wild_text(void)
{
    static const char wild[] = "a\033[2J\xff\x7f b";
    static char line[2000];
    Arena a = {0};
    Diags d = {.arena = &a};
    Buffer b = {0};
    uint32_t w = diags_add_file(&d, "w", wild, sizeof wild - 1);
    diag_error(&d, (Span){w, 8, 1}, "here\033");
    check_printed(&d, false,
                  "w:1:9: error: here?\n    a?[2J?? b\n"
                  "            ^\n");
    memset(line, 'x', sizeof line - 1);
    d = (Diags){.arena = &a};
    w = diags_add_file(&d, "w", line, sizeof line - 1);
    diag_error(&d, (Span){w, 1000, 900}, "long");
    diags_print(&d, &b, false);
    CHECK(strstr(buffer_string(&b), "w:1:1001: error: long\n") != NULL);
    CHECK(b.v.used < 600);
    buffer_free(&b);
    arena_free(&a);
}

static void test_colour(void)
{
    Arena a = {0};
    Diags d = {.arena = &a};
    diag_warning(&d, (Span){SPAN_NOWHERE, 0, 0}, "w");
    check_printed(&d, true, "\033[1;35mwarning:\033[0m w\n");
    arena_free(&a);
}

static void test_limit(void)
{
    Arena a = {0};
    Diags d = {.arena = &a};
    Buffer b = {0};
    for (int k = 1; k <= 103; k++)
        diag_error(&d, (Span){SPAN_NOWHERE, 0, 0}, "number %d", k);
    CHECK(d.errors == 103 && d.kept == DIAG_LIMIT && d.lost == 3);
    diags_print(&d, &b, false);
    CHECK(strstr(buffer_string(&b), "error: number 100\n") != NULL);
    CHECK(strstr(buffer_string(&b), "number 101") == NULL);
    CHECK(strstr(buffer_string(&b), "\n3 more messages") != NULL);
    buffer_free(&b);
    arena_free(&a);
}

/* An error for which there was no memory still counts: nothing goes on after
   it. */
static void test_no_memory(void)
{
    Arena a = {0};
    Diags d = {.arena = &a};
    scarce_begin(0);
    CHECK(diags_add_file(&d, "m", "", 0) == SPAN_NOWHERE);
    diag_error(&d, (Span){0, 0, 0}, "lost");
    CHECK(scarce_end() > 0);
    CHECK(d.errors == 1 && d.kept == 0 && d.lost == 1 && d.files == 0);
    diag_error(&d, (Span){SPAN_NOWHERE, 0, 0}, "kept");
    check_printed(&d, false, "error: kept\n1 more messages are not shown\n");
    arena_free(&a);
}

int main(void)
{
    test_layout();
    test_odd_places();
    test_wild_text();
    test_colour();
    test_limit();
    test_no_memory();
    return check_end();
}
