#include "hunt/mutation.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "syntax/unit.h"

/* ---- Dice ---------------------------------------------------------------------- */

uint64_t dice_next(Dice *d)
{
    assert(d->state != 0);
    d->state ^= d->state << 13;
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return d->state * 0x2545F4914F6CDD1Du;
}

/* Splitmix: neighbouring trials begin far from each other. */
Dice dice_new(uint64_t seed, uint64_t trial)
{
    uint64_t z = seed + (trial + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return (Dice){.state = z ? z : 1};
}

size_t dice_below(Dice *d, size_t n)
{
    return n == 0 ? 0 : (size_t)((dice_next(d) >> 11) % n);
}

/* ---- A text as tokens -------------------------------------------------------------- */

typedef struct Lexed {
    Arena arena;
    Diags diags;
    Unit unit;
    const Token *token;
    size_t count; // without the end token
} Lexed;

static void lexed_open(Lexed *p, const Buffer *text)
{
    *p = (Lexed){0};
    p->diags.arena = &p->arena;
    p->unit = (Unit){.arena = &p->arena,
                     .diags = &p->diags,
                     .name = "mutant",
                     .text = (const char *)text->v.bytes,
                     .length = text->v.used};
    p->unit.file =
        diags_add_file(&p->diags, "mutant", p->unit.text, p->unit.length);
    lex(&p->unit);
    p->token = p->unit.tokens.token;
    p->count = p->unit.tokens.count ? p->unit.tokens.count - 1 : 0;
}

static void lexed_close(Lexed *p)
{
    arena_free(&p->arena);
}

/* Token k, or the end. */
static const Token *at(const Lexed *p, size_t k)
{
    assert(p->unit.tokens.count > 0);
    return &p->token[k < p->count ? k : p->count];
}

static bool is_word(const Lexed *p, size_t k, Word w)
{
    return k < p->count && p->token[k].word == w;
}

static bool is_number(const Lexed *p, size_t k)
{
    return at(p, k)->kind == TOKEN_INTEGER || at(p, k)->kind == TOKEN_NUMBER;
}

/* The text of tokens [from, to), including blanks and comments between them. */
static void spelling(const Lexed *p, size_t from, size_t to, Buffer *out)
{
    if (from >= to || to > p->count)
        return;
    const Span a = p->token[from].at, z = p->token[to - 1].at;
    assert(z.start + z.length <= p->unit.length);
    buffer_bytes(out, p->unit.text + a.start, z.start + z.length - a.start);
}

/* Replaces tokens [from, to) by `with`; if from == to, inserts it before token
   `from`. */
static void replace(const Lexed *p, size_t from, size_t to, const char *with,
                    Buffer *out)
{
    size_t begin = at(p, from)->at.start;
    size_t end = from == to
                     ? begin
                     : p->token[to - 1].at.start + p->token[to - 1].at.length;
    assert(begin <= end && end <= p->unit.length);
    buffer_bytes(out, p->unit.text, begin);
    buffer_char(out, ' ');
    buffer_text(out, with);
    buffer_char(out, ' ');
    buffer_bytes(out, p->unit.text + end, p->unit.length - end);
}

/* ---- Pieces of a program ------------------------------------------------------------ */

typedef struct Piece { // tokens [from, to)
    size_t from, to;
} Piece;

static bool opens(Word w)
{
    return w == WORD_LPAREN || w == WORD_LBRACKET || w == WORD_BEGIN ||
           w == WORD_CASE || w == WORD_RECORD;
}

static bool closes(Word w)
{
    return w == WORD_RPAREN || w == WORD_RBRACKET || w == WORD_END;
}

/* The position after the bracket that closes the one at k. */
static size_t after_bracket(const Lexed *p, size_t k)
{
    int depth = 0;
    for (; k < p->count; k++) {
        Word w = p->token[k].word;
        depth += (w == WORD_LPAREN || w == WORD_LBRACKET);
        depth -= (w == WORD_RPAREN || w == WORD_RBRACKET);
        if (depth == 0)
            return k + 1;
    }
    return p->count;
}

/* A number, or a name with what belongs to it, that begins at k. */
static Piece operand_at(const Lexed *p, size_t k)
{
    Piece s = {k, k + 1};
    if (is_number(p, k))
        return s;
    if (is_word(p, s.to, WORD_LPAREN) || is_word(p, s.to, WORD_LBRACKET))
        s.to = after_bracket(p, s.to);
    while (is_word(p, s.to, WORD_PRIME))
        s.to++;
    return s;
}

/* Tokens before which no value begins: declarations, targets. */
static bool follows_operator(const Lexed *p, size_t k)
{
    static const Word word[] = {
        WORD_PLUS,     WORD_MINUS,   WORD_TIMES,      WORD_SLASH,
        WORD_POWER,    WORD_CARET,   WORD_BECOMES,    WORD_EQUAL,
        WORD_LESS,     WORD_GREATER, WORD_LESS_EQUAL, WORD_GREATER_EQUAL,
        WORD_UNEQUAL,  WORD_LPAREN,  WORD_COMMA,      WORD_IF,
        WORD_THEN,     WORD_ELSE,    WORD_CROSSES,    WORD_AND,
        WORD_OR,       WORD_UNTIL,   WORD_WHILE,      WORD_ADVANCE,
        WORD_LBRACKET, WORD_COLON,   WORD_NOT,        WORD_AT,
        WORD_TO,       WORD_DIV,     WORD_MOD};
    for (size_t n = 0; k > 0 && n < LENGTH(word); n++)
        if (p->token[k - 1].word == word[n])
            return true;
    return false;
}

/* Some operand of an expression; an empty piece if none was found. */
static Piece choose_operand(const Lexed *p, Dice *d)
{
    for (int trial = 0; trial < 40; trial++) {
        size_t k = dice_below(d, p->count);
        bool starts = is_number(p, k) || at(p, k)->kind == TOKEN_NAME;
        if (starts && follows_operator(p, k))
            return operand_at(p, k);
    }
    return (Piece){0, 0};
}

/* From just after a semicolon, or another beginning of a list, to the next
   semicolon of the same depth (not included). */
static Piece statement_from(const Lexed *p, size_t k)
{
    Piece s = {k, k};
    int depth = 0;
    for (; s.to < p->count; s.to++) {
        Word w = p->token[s.to].word;
        if (depth == 0 && (w == WORD_SEMICOLON || closes(w)))
            break;
        depth += opens(w);
        depth -= closes(w);
    }
    return s;
}

static bool begins_statement(const Lexed *p, size_t k)
{
    Word w = k > 0 ? p->token[k - 1].word : WORD_NONE;
    return w == WORD_SEMICOLON || w == WORD_BEGIN || w == WORD_CONTINUOUS ||
           w == WORD_INITIAL || w == WORD_COLON || w == WORD_EXPERIMENT ||
           w == WORD_DO || w == WORD_THEN || w == WORD_TERMINAL ||
           w == WORD_VAR;
}

static Piece choose_statement(const Lexed *p, Dice *d)
{
    for (int trial = 0; trial < 40; trial++) {
        size_t k = dice_below(d, p->count);
        if (!begins_statement(p, k))
            continue;
        Piece s = statement_from(p, k);
        if (s.to > s.from && s.to - s.from < 120)
            return s;
    }
    return (Piece){0, 0};
}

/* ---- Changes ------------------------------------------------------------------------ */

/* Each returns false if it found no place. `out` becomes the new text. */
typedef bool (*Change)(const Lexed *p, Dice *d, Buffer *out);

/* Operators that may replace each other, in groups separated by NONE. */
static const Word operators[] = {
    WORD_PLUS,       WORD_MINUS,         WORD_TIMES,   WORD_SLASH,
    WORD_CARET,      WORD_NONE,          WORD_LESS,    WORD_GREATER,
    WORD_LESS_EQUAL, WORD_GREATER_EQUAL, WORD_EQUAL,   WORD_UNEQUAL,
    WORD_NONE,       WORD_AND,           WORD_OR,      WORD_NONE,
    WORD_DIV,        WORD_MOD,           WORD_NONE,    WORD_TO,
    WORD_DOWNTO,     WORD_NONE,          WORD_POS,     WORD_NEG,
    WORD_NONE,       WORD_TRUE,          WORD_FALSE,   WORD_NONE,
    WORD_REAL,       WORD_INTEGER,       WORD_BOOLEAN, WORD_NONE,
    WORD_STATE,      WORD_ALGEBR,        WORD_REAL,    WORD_MEMORY,
    WORD_LOGIC,      WORD_DSTATE,        WORD_NONE,    WORD_SEIZE,
    WORD_RELEASE,    WORD_PREEMPT,       WORD_NONE,    WORD_ENTER,
    WORD_LEAVE,      WORD_NONE,          WORD_FIFO,    WORD_LIFO,
    WORD_NONE,       WORD_LVF,           WORD_HVF,     WORD_NONE,
    WORD_FIRST,      WORD_LAST,          WORD_NONE,    WORD_LINEAR,
    WORD_SPLINE,     WORD_STEP,          WORD_NONE,    WORD_REGULA,
    WORD_IHERMITE,   WORD_BISECT,        WORD_NONE,    WORD_RELERR,
    WORD_ABSERR,     WORD_STEP,          WORD_DTMAX,   WORD_DTMIN,
    WORD_NONE,       WORD_SUSPEND,       WORD_RESUME,  WORD_INTERRUPT,
    WORD_NONE,       WORD_CASE,
};

/* Another word of the group of w; `w` itself if it has none. */
static Word another_word(Word w, Dice *d)
{
    size_t from = 0;
    for (size_t k = 0; k < LENGTH(operators); k++) {
        if (operators[k] == WORD_NONE)
            from = k + 1;
        if (operators[k] != w || w == WORD_NONE)
            continue;
        size_t to = k;
        while (to < LENGTH(operators) && operators[to] != WORD_NONE)
            to++;
        return operators[from + dice_below(d, to - from)];
    }
    return w;
}

static bool exchange_operator(const Lexed *p, Dice *d, Buffer *out)
{
    for (int trial = 0; trial < 60; trial++) {
        size_t k = dice_below(d, p->count);
        Word w = another_word(at(p, k)->word, d);
        if (w == at(p, k)->word)
            continue;
        replace(p, k, k + 1, word_text(w), out);
        return true;
    }
    return false;
}

static const char *const numbers[] = {
    "0",
    "1",
    "-1",
    "2",
    "3",
    "0.0",
    "1.0",
    "-1.0",
    "0.5",
    "1.0E300",
    "1.0E-300",
    "1.0E308",
    "4.9E-324",
    "2147483647",
    "2147483648",
    "9223372036854775807",
    "(-9223372036854775807 - 1)",
    "9007199254740993",
    "1.0E15",
    "1.0E-15",
    "100000",
    "0.1",
    "7",
    "(1/3)",
    "1.0E6",
    "-0.0",
    "4096",
    "65536",
    "(0.0/1.0)",
};

static bool change_number(const Lexed *p, Dice *d, Buffer *out)
{
    for (int trial = 0; trial < 60; trial++) {
        char text[100];
        size_t k = dice_below(d, p->count);
        const Token *t = at(p, k);
        if (!is_number(p, k))
            continue;
        if (dice_below(d, 3) > 0)
            snprintf(text, sizeof text, "%s",
                     numbers[dice_below(d, LENGTH(numbers))]);
        else if (t->kind == TOKEN_INTEGER)
            snprintf(text, sizeof text, "%lld",
                     (long long)t->integer +
                         (t->integer < INT32_MAX
                              ? (long long)dice_below(d, 3) - 1
                              : 0));
        else
            snprintf(text, sizeof text, "%sE%d",
                     strpbrk(t->text, "eE") ? "1.5" : t->text,
                     (int)dice_below(d, 41) - 20);
        replace(p, k, k + 1, text, out);
        return true;
    }
    return false;
}

/* Names followed by the same sign are assumed to be of one kind. */
static Word sign_after(const Lexed *p, size_t k)
{
    Word w = at(p, k + 1)->word;
    return w == WORD_LPAREN || w == WORD_LBRACKET || w == WORD_PRIME
               ? w
               : WORD_NONE;
}

static bool exchange_name(const Lexed *p, Dice *d, Buffer *out)
{
    for (int trial = 0; trial < 100; trial++) {
        size_t k = dice_below(d, p->count), n = dice_below(d, p->count);
        if (at(p, k)->kind != TOKEN_NAME || at(p, n)->kind != TOKEN_NAME ||
            sign_after(p, k) != sign_after(p, n) ||
            name_same(at(p, k)->text, at(p, n)->text))
            continue;
        replace(p, k, k + 1, at(p, n)->text, out);
        return true;
    }
    return false;
}

static bool drop_statement(const Lexed *p, Dice *d, Buffer *out)
{
    Piece s = choose_statement(p, d);
    if (s.from == s.to)
        return false;
    replace(p, s.from, s.to, "", out);
    return true;
}

/* Repeats a statement, directly after itself or somewhere else. */
static bool copy_statement(const Lexed *p, Dice *d, Buffer *out)
{
    Buffer text = {0};
    Piece s = choose_statement(p, d);
    Piece to = dice_below(d, 2) ? s : choose_statement(p, d);
    if (s.from == s.to || to.from == to.to)
        return false;
    spelling(p, s.from, s.to, &text);
    buffer_text(&text, ";");
    replace(p, to.from, to.from, buffer_string(&text), out);
    buffer_free(&text);
    return true;
}

static bool swap_statements(const Lexed *p, Dice *d, Buffer *out)
{
    Buffer text = {0};
    Piece a = choose_statement(p, d);
    if (a.from == a.to || !is_word(p, a.to, WORD_SEMICOLON))
        return false;
    Piece b = statement_from(p, a.to + 1);
    if (b.from == b.to)
        return false;
    spelling(p, b.from, b.to, &text);
    buffer_text(&text, "; ");
    spelling(p, a.from, a.to, &text);
    replace(p, a.from, b.to, buffer_string(&text), out);
    buffer_free(&text);
    return true;
}

/* What may stand around a statement; % is the statement, # an operand. */
static const char *const around_statement[] = {
    "IF # > 0 THEN BEGIN % END",
    "IF # > # THEN BEGIN % END ELSE BEGIN % END",
    "IF # > 0.5 THEN % ELSE %",
    "FOR K9 := 1 TO 3 DO BEGIN % END",
    "FOR K9 := 3 DOWNTO 1 DO %",
    "BEGIN % ; % END",
    "BEGIN % END",
    "WHILE # < 3 DO BEGIN % END",
    "REPEAT % UNTIL # > 0",
    "CASE 2 OF 1: % END; 2: % END END",
    "CASE ROUND(#) OF 1, 2: BEGIN % END END ELSE % END",
    "MODEL M9 (<-); % END",
    "% ; FINISH # > 3",
    "ADVANCE 1.0; %",
    "WAIT UNTIL # > 1; %",
    "% ; # = #",
    "% ; # := #",
    "% ; ERROREXIT 3 \"$\"",
    "WITH FIRST OF # DO BEGIN % END",
    "SPLIT 2; %",
    "WRITELN(#); %",
    "% ; CONDIT E9: # CROSSES 0.5 POS END",
};

/* What may stand around an operand. */
static const char *const around_operand[] = {
    "ABS(%)",
    "(-%)",
    "SIN(%)",
    "EXP(%)",
    "LOG(%)",
    "SQRT(%)",
    "SIGN(%)",
    "INT(%)",
    "FLOAT(ROUND(%))",
    "MOD(%, 3.0)",
    "(1.0/%)",
    "(%^2)",
    "(%^#)",
    "(2.0^%)",
    "(% - %)",
    "(% + #)",
    "(%*#)",
    "(IF # > 0 THEN % ELSE -%)",
    "(IF % > # THEN % ELSE #)",
    "(IF (# > 0) AND NOT (% < 1) THEN % ELSE 0.0)",
    "MIN(%, #)",
    "MAX(%, #, 0)",
    "LIMIT(-1, 1, %)",
    "DELAY(0.5, %)",
    "DELAY(ABS(#), %)",
    "DELAY(%, #)",
    "PIPE(1.0, %, #)",
    "SUM(K8 := 1 TO 3 : %)",
    "SUM(K8 := 1 TO 3 : %*K8)",
    "PROD(K8 := 1 TO 0 : %)",
    "NOEVENT(ABS(%))",
    "NOEVENT(%)",
    "REALPL(0.0, 1.0, %)",
    "LEDLAG(1.0, 2.0, %)",
    "TRANSF(1, 1.0, 2.0, %)",
    "DERIV(0.0, %)",
    "HSTRS(0.0, -1.0, 1.0, %)",
    "ZHOLD(# > 0, %)",
    "DEADSP(-0.5, 0.5, %)",
    "QNTZR(0.1, %)",
    "STEP(%)",
    "RAMP(%)",
    "PULSE(0.3, %)",
    "IMPULS(%, 1.0)",
    "INSW(%, #, 1.0)",
    "FCNSW(%, #, 1.0, %)",
    "HYPOT(%, #)",
    "ATAN2(%, #)",
    "ERF(%)",
    "ASINH(%)",
    "ACOSH(%)",
    "ATANH(%)",
    "FACTORIAL(%)",
    "FLOOR(%)",
    "CEIL(%)",
    "(%)'",
    "%'",
    "#[%]",
    "ROUND(%)",
    "(% DIV 2)",
    "(% MOD #)",
    "(% DIV #)",
    "TIME",
    "#",
};

/* The pattern with the piece for % and random operands for #. */
static void fill_pattern(const Lexed *p, Dice *d, const char *pattern, Piece s,
                         Buffer *out)
{
    for (const char *c = pattern; *c; c++) {
        if (*c == '%') {
            spelling(p, s.from, s.to, out);
        } else if (*c == '#') {
            Piece other = choose_operand(p, d);
            spelling(p, other.from, other.to, out);
        } else {
            buffer_char(out, *c);
        }
    }
}

static bool wrap(const Lexed *p, Dice *d, Piece s, const char *pattern,
                 Buffer *out)
{
    Buffer text = {0};
    if (s.from == s.to)
        return false;
    fill_pattern(p, d, pattern, s, &text);
    replace(p, s.from, s.to, buffer_string(&text), out);
    buffer_free(&text);
    return true;
}

static bool wrap_statement(const Lexed *p, Dice *d, Buffer *out)
{
    Piece s = choose_statement(p, d);
    return wrap(p, d, s,
                around_statement[dice_below(d, LENGTH(around_statement))], out);
}

static bool wrap_operand(const Lexed *p, Dice *d, Buffer *out)
{
    Piece s = choose_operand(p, d);
    return wrap(p, d, s, around_operand[dice_below(d, LENGTH(around_operand))],
                out);
}

/* Indices off by one, or of another variable. */
static bool change_index(const Lexed *p, Dice *d, Buffer *out)
{
    static const char *const pattern[] = {"% + 1", "% - 1", "0",    "1",
                                          "#",     "2*%",   "5 - %"};
    for (int trial = 0; trial < 60; trial++) {
        size_t k = dice_below(d, p->count);
        if (!is_word(p, k, WORD_LBRACKET))
            continue;
        Piece s = {k + 1, after_bracket(p, k) - 1};
        if (s.to > p->count || s.from >= s.to)
            continue;
        return wrap(p, d, s, pattern[dice_below(d, LENGTH(pattern))], out);
    }
    return false;
}

static const char *const methods[] = {
#define METHOD_CHOICE(name, what) #name,
#define METHOD(name, ...)         #name,
#include "base/methods.def"
#undef METHOD
#undef METHOD_CHOICE
};

/* What an experiment can request; inserted before its SIMULATE. */
static const char *const settings[] = {
    "INTEGRAT RELERR = 1.0E-4;",
    "INTEGRAT STEP = 0.1;",
    "INTEGRAT STEP = 1.0E-9;",
    "INTEGRAT RELERR = 1.0E-14 ABSERR = 0;",
    "INTEGRAT DTMIN = 0.1;",
    "INTEGRAT DTMAX = 0.001;",
    "PRECISION EXTENDED;",
    "PRECISION QUAD;",
    "FEATURES;",
    "REPLICATE 3;",
    "INITCOND # = 1;",
    "PARAMETER # = 1, 2;",
};

static bool change_experiment(const Lexed *p, Dice *d, Buffer *out)
{
    char text[200];
    size_t k = 0;
    while (k < p->count && !is_word(p, k, WORD_METHOD))
        k++;
    const char *method = methods[dice_below(d, LENGTH(methods))];
    if (k < p->count && dice_below(d, 2)) {
        replace(p, k + 1, k + 2, method, out);
        return true;
    }
    for (k = 0; k < p->count && !is_word(p, k, WORD_SIMULATE); k++)
        ;
    if (k == p->count)
        return false;
    if (dice_below(d, 2)) {
        snprintf(text, sizeof text, "INTEGRAT METHOD %s;", method);
        replace(p, k, k, text, out);
        return true;
    }
    Buffer setting = {0};
    fill_pattern(p, d, settings[dice_below(d, LENGTH(settings))], (Piece){0, 0},
                 &setting);
    replace(p, k, k, buffer_string(&setting), out);
    buffer_free(&setting);
    return true;
}

/* Those used often come first: they leave most programs valid. */
static const Change changes[] = {
    exchange_operator, change_number,  wrap_operand,      wrap_operand,
    change_number,     exchange_name,  exchange_operator, exchange_name,
    drop_statement,    copy_statement, swap_statements,   wrap_statement,
    change_index,      wrap_operand,   change_experiment,
};

bool mutation_apply(Buffer *text, Dice *d)
{
    Lexed p;
    Buffer anew = {0};
    lexed_open(&p, text);
    bool done =
        p.count > 0 && changes[dice_below(d, LENGTH(changes))](&p, d, &anew);
    lexed_close(&p);
    if (!done || anew.broken) {
        buffer_free(&anew);
        return false;
    }
    buffer_free(text);
    *text = anew;
    return true;
}

size_t mutation_tokens(const Buffer *text)
{
    Lexed p;
    lexed_open(&p, text);
    size_t count = p.count;
    lexed_close(&p);
    return count;
}

bool mutation_cut(const Buffer *text, size_t from, size_t count, Buffer *out)
{
    Lexed p;
    lexed_open(&p, text);
    bool there = from < p.count && count > 0;
    size_t to = from + count < p.count ? from + count : p.count;
    if (there)
        replace(&p, from, to, "", out);
    lexed_close(&p);
    return there && !out->broken;
}
