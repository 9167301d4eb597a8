#define _XOPEN_SOURCE 700 // nftw
/* The layout of programs: cases of tests/pass/format, and then every model of
   the repository as it is, squeezed onto one line, and spread over as many
   lines as it has tokens. Whatever the layout was, tokens and comments stay the
   same, in order, and laying out twice gives the same as laying out once. */

#include "format/format.h"

#include <ftw.h>

#include "expand/expand.h"
#include "pass.h"
#include "scarce.h"

static unsigned long models;

static void run(Unit *u, Buffer *b)
{
    if (lex(u) && expand(u, NULL, true) && parse(u) && u->diags->errors == 0)
        format_program(u, b);
}

/* ---- Reading ------------------------------------------------------------- */

typedef struct Text {
    Arena arena;
    Diags diags;
    Unit u;
    bool parses;
} Text;

static void text_open(Text *t, const char *s, size_t n)
{
    *t = (Text){0};
    t->diags.arena = &t->arena;
    t->u = (Unit){.arena = &t->arena,
                  .diags = &t->diags,
                  .name = "INPUT",
                  .text = s,
                  .length = n};
    t->u.file = diags_add_file(&t->diags, "INPUT", s, n);
    t->parses = lex(&t->u) && expand(&t->u, NULL, true) && parse(&t->u) &&
                t->diags.errors == 0;
}

/* What must not change: spellings of tokens (words of the language in upper
   case), then comments without their blanks, then the tree. */
static void essence(const Text *t, Buffer *b)
{
    const Unit *u = &t->u;
    for (uint32_t k = 0; k + 1 < u->tokens.count; k++) {
        const Token *token = &u->tokens.token[k];
        buffer_format(b, "%d ", (int)token->kind);
        if (token->word != WORD_NONE)
            buffer_text(b, word_text(token->word));
        else
            buffer_bytes(b, u->text + token->at.start, token->at.length);
        buffer_char(b, '\n');
    }
    for (uint32_t k = 0; k < u->comments.count; k++) {
        const char *s = u->text + u->comments.at[k].start;
        for (uint32_t i = 0; i < u->comments.at[k].length; i++)
            if (strchr(" \t\r\n", s[i]) == NULL)
                buffer_char(b, s[i]);
        buffer_char(b, '\n');
    }
    if (u->program)
        ast_print(u->program, b);
}

static void check_same(const char *path, const char *what, Buffer *a, Buffer *b)
{
    const char *s = buffer_string(a), *t = buffer_string(b);
    size_t k = 0, from;
    if (strcmp(s, t) == 0) {
        check_passed++;
        return;
    }
    check_failed++;
    while (s[k] == t[k])
        k++;
    from = k > 60 ? k - 60 : 0;
    printf("%s: %s: found\n%.160s\nexpected\n%.160s\n", path, what, t + from,
           s + from);
}

static void print_diags(const char *path, const Diags *d)
{
    Buffer b = {0};
    diags_print(d, &b, false);
    printf("%s:\n%s", path, buffer_string(&b));
    buffer_free(&b);
}

/* ---- One text ------------------------------------------------------------ */

static void check_lines(const char *path, Buffer *b)
{
    const char *s = buffer_string(b);
    size_t n = b->v.used;
    CHECK(n > 0 && s[n - 1] == '\n' && (n < 2 || s[n - 2] != '\n'));
    if (strstr(s, "\n\n\n") != NULL) {
        check_failed++;
        printf("%s: two blank lines\n", path);
    }
    if (strstr(s, "FORTRAN") == NULL && strstr(s, "CCODE") == NULL)
        CHECK(strstr(s, " \n") == NULL && strchr(s, '\t') == NULL);
}

/* Lays out the text; the result is in `out`. */
static void check_text_of(const char *path, const char *s, size_t n,
                          Buffer *out)
{
    Text t, again;
    Buffer before = {0}, after = {0}, twice = {0};
    text_open(&t, s, n);
    CHECK(t.parses);
    essence(&t, &before);
    if (!t.parses || !format_program(&t.u, out)) {
        check_failed++;
        print_diags(path, &t.diags);
    } else {
        check_lines(path, out);
        text_open(&again, buffer_string(out), out->v.used);
        CHECK(again.parses);
        essence(&again, &after);
        check_same(path, "the program", &before, &after);
        CHECK(format_program(&again.u, &twice));
        check_same(path, "a second time", out, &twice);
        arena_free(&again.arena);
    }
    buffer_free(&before);
    buffer_free(&after);
    buffer_free(&twice);
    arena_free(&t.arena);
}

/* ---- Other layouts of the same program ----------------------------------- */

static void put(Buffer *b, const Unit *u, Span at, char apart, bool touches)
{
    const char *s = u->text + at.start;
    if (!touches && b->v.used > 0 && b->v.bytes[b->v.used - 1] != '\n')
        buffer_char(b, apart);
    buffer_bytes(b, s, at.length);
    if (at.length > 1 && s[0] == '/' && s[1] == '/')
        buffer_char(b, '\n');
}

static void relaid(const Unit *u, char apart, Buffer *b)
{
    uint32_t c = 0;
    for (uint32_t k = 0; k + 1 < u->tokens.count; k++) {
        const Token *t = &u->tokens.token[k];
        for (; c < u->comments.count && u->comments.at[c].start < t->at.start;
             c++)
            put(b, u, u->comments.at[c], apart, false);
        put(b, u, t->at, apart, t->touches || t->kind == TOKEN_RAW);
    }
    for (; c < u->comments.count; c++)
        put(b, u, u->comments.at[c], apart, false);
}

static void check_model(const char *path, const char *s, size_t n)
{
    Text t;
    Buffer out = {0};
    text_open(&t, s, n);
    if (t.parses) {
        models++;
        check_text_of(path, s, n, &out);
        for (const char *apart = " \n"; *apart != '\0'; apart++) {
            Buffer other = {0}, ignored = {0};
            relaid(&t.u, *apart, &other);
            check_text_of(path, buffer_string(&other), other.v.used, &ignored);
            buffer_free(&other);
            buffer_free(&ignored);
        }
        if ((strstr(path, "/examples/") || strstr(path, "/start/")) &&
            strcmp(buffer_string(&out), s) != 0) {
            check_failed++;
            printf("%s: not laid out: cosy format --write does it\n", path);
        }
    }
    buffer_free(&out);
    arena_free(&t.arena);
}

/* ---- All files ----------------------------------------------------------- */

static int visit(const char *path, const struct stat *info, int kind,
                 struct FTW *place)
{
    size_t n = strlen(path);
    Buffer text = {0};
    Fault fault = {0};
    (void)info;
    (void)place;
    if (kind != FTW_F || n < 5 || strcmp(path + n - 5, ".cosy") != 0)
        return 0;
    CHECK(file_read(path, &text, &fault) == STATUS_OK);
    check_model(path, buffer_string(&text), text.v.used);
    buffer_free(&text);
    return 0;
}

static void check_folder(const char *folder)
{
    const char *tests = getenv("COSY_TESTS");
    char path[1000];
    snprintf(path, sizeof path, "%s/../%s", tests == NULL ? "tests" : tests,
             folder);
    CHECK(nftw(path, visit, 20, FTW_PHYS) == 0);
}

/* ---- Size ---------------------------------------------------------------- */

/* One line of 20,000 points and as many statements. */
static void check_long(void)
{
    Buffer text = {0}, out = {0};
    buffer_text(&text, "PROGRAM P; VAR REAL X; FUNCTABLE LINEAR F =");
    for (int k = 0; k < 20000; k++)
        buffer_format(&text, " (%d, 1)", k);
    buffer_text(&text, "; SYSTEM INITIAL X := 0");
    for (int k = 0; k < 20000; k++)
        buffer_format(&text, "; X := F(X + %d)", k);
    buffer_text(&text, " END END END.");
    check_text_of("a long line", buffer_string(&text), text.v.used, &out);
    for (const char *s = buffer_string(&out); *s != '\0';
         s += strcspn(s, "\n") + 1)
        if (strcspn(s, "\n") > 80)
            check_failed++;
    buffer_free(&text);
    buffer_free(&out);
}

/* ---- Memory -------------------------------------------------------------- */

static void check_scarce(void)
{
    static const char text[] =
        "PROGRAM P; VAR REAL A; (* c *)\nSYSTEM INITIAL IF TRUE THEN A := 1 "
        "ELSE BEGIN A := 2; // d\nA := 3 END END END END.";
    for (long n = 0, refused = 1; refused > 0; n++) {
        Text t;
        Buffer out = {0};
        bool done;
        text_open(&t, text, sizeof text - 1);
        scarce_begin(n);
        done = format_program(&t.u, &out);
        refused = scarce_end();
        CHECK(done || t.diags.errors > 0);
        CHECK(refused > 0 || done);
        buffer_free(&out);
        arena_free(&t.arena);
    }
}

int main(void)
{
    static const char *const folder[] = {"examples", "tests", "bench", "src"};
    pass_run("format", run);
    for (size_t k = 0; k < sizeof folder / sizeof folder[0]; k++)
        check_folder(folder[k]);
    CHECK(models > 200);
    check_long();
    check_scarce();
    return check_end();
}
