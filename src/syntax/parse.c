#include "syntax/parse.h"

#include <stdio.h>

/* ---- Reading ------------------------------------------------------------- */

void parse_advance(Parser *p)
{
    if (lost(p))
        return;
    p->before = p->token;
    if (p->token != p->last)
        p->token++;
}

bool parse_accept(Parser *p, Word w)
{
    if (p->token->word != w)
        return false;
    parse_advance(p);
    return true;
}

const Token *parse_peek(const Parser *p)
{
    return lost(p) || p->token == p->last ? p->token : p->token + 1;
}

/* Reads a name that is nearly w, with a message. */
static bool misspelt(Parser *p, Word w)
{
    if (!at_kind(p, TOKEN_NAME) || word_class(w) == WORD_CLASS_SYMBOL ||
        parse_meant(p->token->text, &w, 1) != w)
        return false;
    parse_report(p, p->token, "found `%.40s`: did you mean %s?", p->token->text,
                 word_text(w));
    parse_advance(p);
    return true;
}

bool parse_expect(Parser *p, Word w, const char *where)
{
    char expected[SPELLING_ROOM + 100];
    if (parse_accept(p, w) || misspelt(p, w))
        return true;
    snprintf(expected, sizeof expected, "`%s` %s", word_text(w), where);
    parse_unexpected(p, expected);
    return false;
}

void parse_expect_before_statement(Parser *p, Word w, const char *where)
{
    if (lost(p))
        parse_resume(p, w);
    if (parse_accept(p, w) || lost(p) || misspelt(p, w))
        return;
    if (at_kind(p, TOKEN_NAME) || word_is_statement(p->token->word) ||
        word_is_parallel(p->token->word) || at(p, WORD_CASE) ||
        at(p, WORD_ELSE)) {
        parse_missing(p, "%s is missing %s", word_text(w), where);
        return;
    }
    parse_expect(p, w, where);
    parse_resume(p, w);
    parse_accept(p, w);
}

/* Words that shape the text around them: none of them was meant as a name. */
static bool word_is_structure(Word w)
{
    switch (w) {
    case WORD_BEGIN:
    case WORD_CASE:
    case WORD_DO:
    case WORD_DOWNTO:
    case WORD_ELSE:
    case WORD_END:
    case WORD_FOR:
    case WORD_IF:
    case WORD_OF:
    case WORD_REPEAT:
    case WORD_THEN:
    case WORD_TO:
    case WORD_UNTIL:
    case WORD_WHERE:
    case WORD_WHILE:
    case WORD_WITH: return true;
    default: return word_is_outer(w);
    }
}

bool token_is_reserved(const Token *t)
{
    return t->kind == TOKEN_WORD && word_class(t->word) == WORD_CLASS_RESERVED;
}

/* A word where a name is expected was meant as a name, unless it shapes the
   text; in a list of names it does not. */
static bool is_misused_word(const Token *t)
{
    return token_is_reserved(t) &&
           (!word_is_structure(t->word) || t[1].word == WORD_COMMA);
}

/* `INITCOND X = 1, SIMULATE ...`: the list was meant to end there. */
static bool is_after_comma(const Parser *p)
{
    Word w = parse_peek(p)->word;
    return p->before->word == WORD_COMMA && token_is_reserved(p->token) &&
           !word_is_structure(p->token->word) && w != WORD_COMMA &&
           w != WORD_EQUAL && w != WORD_SEMICOLON && w != WORD_LBRACKET &&
           w != WORD_COLON && w != WORD_RPAREN;
}

static const Token *unnamed(Parser *p, const Token *t)
{
    p->unnamed = *t;
    p->unnamed.text = "";
    return &p->unnamed;
}

void parse_as_name(const Token *t)
{
    ((Token *)t)->named = true; // belongs to the unit, which may be changed
}

const Token *parse_name(Parser *p, const char *what)
{
    const Token *t = p->token;
    if (t->kind == TOKEN_NAME) {
        parse_as_name(t);
        parse_advance(p);
    } else if (is_after_comma(p)) {
        parse_fail(p, t,
                   "`,` separates the parts of a list: before %s write `;`",
                   word_text(t->word));
        t = unnamed(p, t);
    } else if (is_misused_word(t)) {
        parse_misused(p, t, what);
        parse_advance(p);
        t = unnamed(p, t);
    } else {
        parse_unexpected(p, what);
        t = unnamed(p, t);
    }
    return t;
}

void parse_remember(Parser *p, struct NameList **list, const char *name)
{
    struct NameList *fresh = NEW(p->u->arena, struct NameList);
    if (fresh == NULL || name == NULL)
        return;
    *fresh = (struct NameList){name, *list};
    *list = fresh;
}

bool parse_remembers(const struct NameList *list, const char *name)
{
    for (; list != NULL; list = list->next)
        if (name_same(list->name, name))
            return true;
    return false;
}

/* ---- Nodes --------------------------------------------------------------- */

void parse_stop(Parser *p)
{
    p->stopped = true;
    p->held = NULL;
    p->token = p->last;
}

static Node *spare(Parser *p)
{
    if (!p->stopped)
        diag_error(p->u->diags, (Span){SPAN_NOWHERE, 0, 0},
                   "there is no memory left to read this program");
    parse_stop(p);
    p->spare = (Node){.text = ""};
    return &p->spare;
}

Node *parse_node(Parser *p, NodeKind kind)
{
    Node *n = node_new(p->u->arena, kind, p->token->at);
    if (n == NULL)
        return spare(p);
    n->origin = p->token->origin;
    return n;
}

Node *parse_from(Parser *p, NodeKind kind, const Node *first)
{
    Node *n = node_new(p->u->arena, kind, first->at);
    if (n == NULL)
        return spare(p);
    n->origin = first->origin;
    return n;
}

Node *parse_done(Parser *p, Node *n)
{
    if (p->before->origin == n->origin)
        n->at = span_join(n->at, p->before->at);
    return n;
}

Node *parse_none(Parser *p)
{
    return parse_node(p, NODE_NONE);
}

Node *parse_leaf(Parser *p, NodeKind kind, const Token *t)
{
    Node *n = node_new(p->u->arena, kind, t->at);
    if (n == NULL)
        return spare(p);
    n->origin = t->origin;
    n->text = t->text;
    n->number = t->number;
    n->integer = t->integer;
    return n;
}

/* ---- Program ------------------------------------------------------------- */

/* heading_file = IDENT | "OUTPUT" . */
static void heading_file(Parser *p)
{
    if (!parse_accept(p, WORD_OUTPUT))
        parse_name(p, "the name of a file");
}

/* project = "PROJECT" INTEGER 'BY' STRING ";" . */
static Node *project(Parser *p)
{
    Node *n = parse_node(p, NODE_PROJECT);
    const Token *number = parse_peek(p);
    parse_advance(p);
    if (at_kind(p, TOKEN_INTEGER)) {
        n->number = number->number;
        n->integer = number->integer;
        parse_advance(p);
    } else {
        parse_unexpected(p, "the number of the project");
    }
    parse_expect(p, WORD_BY, "and the author");
    n->text = parse_string(p, "the author in quotes")->text;
    parse_resume(p, WORD_SEMICOLON);
    parse_expect(p, WORD_SEMICOLON, "after the author");
    parse_recover(p);
    return parse_done(p, n);
}

/* library = "INVOKE" ( IDENT | STRING ) ";"
           | ( "DISPOSE" | "DESTROY" ) IDENT ";" . */
static Node *library(Parser *p)
{
    Node *n = parse_node(p, NODE_LIBRARY);
    n->word = p->token->word;
    parse_advance(p);
    if (n->word == WORD_INVOKE && at_kind(p, TOKEN_STRING))
        n->text = parse_string(p, "")->text;
    else if (n->word == WORD_INVOKE && at_kind(p, TOKEN_STRING)) {
        n->text = p->token->text;
        parse_advance(p);
    } else {
        n->text = parse_name(p, "the name of a macro or module")->text;
    }
    parse_expect(p, WORD_SEMICOLON, "after the name");
    return parse_done(p, n);
}

static const Word segment_words[] = {
    WORD_CONST,    WORD_CONTINUOUS, WORD_DESTROY,  WORD_DISCRETE,
    WORD_DISPOSE,  WORD_EXPERIMENT, WORD_EXTERNAL, WORD_FUNCTABLE,
    WORD_FUNCTION, WORD_INVOKE,     WORD_LABEL,    WORD_MODULE,
    WORD_OUTPUT,   WORD_PROCEDURE,  WORD_STORE,    WORD_SYSTEM,
    WORD_TIMEUNIT, WORD_TYPE,       WORD_VAR,
};

static bool is_final_end(const Parser *p, const Token *t)
{
    return t->word == WORD_END && t < p->last && t[1].word == WORD_DOT;
}

/* True at the last END, followed by the program's name, `;` or nothing. */
static bool is_last_end(const Parser *p, const Token *t)
{
    if (t->word != WORD_END || t == p->last)
        return false;
    t++;
    if (t->kind == TOKEN_NAME && t < p->last)
        t++;
    if ((t->word == WORD_SEMICOLON || t->word == WORD_DOT) && t < p->last)
        t++;
    return t == p->last;
}

/* Skips to the next word that begins a segment. */
static void recover_segment(Parser *p)
{
    const Token *t = p->held;
    if (t == NULL)
        return;
    while (t < p->last && !word_is_outer(t->word) && !is_final_end(p, t) &&
           !is_last_end(p, t))
        t++;
    parse_find_way(p, t);
}

/* A block of SYSTEM outside it: either an extra END has closed SYSTEM, or it
   was never opened. */
static void stray_block(Parser *p, Node *list, Node *system)
{
    Node *n = parse_node(p, NODE_SYSTEM), *blocks = parse_node(p, NODE_LIST);
    if (system == NULL)
        parse_report(p, p->token, "`%s` belongs inside SYSTEM ... END",
                     p->token->text);
    else
        parse_report(p, p->token,
                     "`%s` belongs inside SYSTEM, which was closed above: "
                     "there is one END too many",
                     p->token->text);
    if (!parse_at_block(p)) {
        parse_advance(p);
        parse_get_lost(p);
        recover_segment(p);
        return;
    }
    parse_sections(p, blocks);
    if (at(p, WORD_END) && !is_final_end(p, p->token))
        parse_advance(p);
    node_add(n, blocks);
    node_add(list, parse_done(p, n));
}

/* continuous_routine = "CONTINUOUS" ( function | continuous_process ) . */
static void continuous_routine(Parser *p, Node *list, Node *system)
{
    Word w = parse_peek(p)->word;
    if (w == WORD_FUNCTION) {
        parse_advance(p);
        parse_function(p, list, true);
    } else if (w == WORD_PROCESS) {
        parse_advance(p);
        parse_continuous_process(p, list);
    } else {
        stray_block(p, list, system);
    }
}

/* The segment to which a word belongs, or NULL. */
static const char *home_of(Word w)
{
    switch (w) {
    case WORD_AUTOCORR:
    case WORD_BARS:
    case WORD_COMPARE:
    case WORD_CROSSCORR:
    case WORD_GRAPH:
    case WORD_LIST:
    case WORD_OVERPLOT:
    case WORD_PLOT:
    case WORD_SPECTRUM:
    case WORD_TITLE: return "OUTPUT";
    default: return word_is_experiment(w) ? "EXPERIMENT" : NULL;
    }
}

/* Reports a token that does not begin a segment. */
static void no_segment(Parser *p)
{
    char room[SPELLING_ROOM];
    const Token *t = p->token;
    const char *advice = t->kind == TOKEN_NAME ? advice_word(t->text) : NULL;
    if (advice != NULL)
        parse_fail(p, t, "`%.40s` is not a word of COSY: %s", t->text, advice);
    else if (word_class(t->word) == WORD_CLASS_MACRO || t->kind == TOKEN_INSERT)
        parse_unexpected(p, "");
    else if (home_of(t->word) != NULL)
        parse_fail(p, t, "`%s` belongs inside %s ... END", word_text(t->word),
                   home_of(t->word));
    else if (p->cases != NULL)
        parse_fail(p, t,
                   "found %s after the last END: a CASE (line %u) has no END "
                   "of its own, only its branches do",
                   parse_spelling(t, room),
                   (unsigned)unit_line(p->u, p->cases->at));
    else
        parse_fail(p, t,
                   "found %s, but a segment (CONST, VAR, EXPERIMENT, SYSTEM, "
                   "...) or END is expected",
                   parse_spelling(t, room));
    if (p->held != NULL && word_is_outer(p->held->word))
        p->held++;
    recover_segment(p);
}

Word parse_meant_segment(const char *name)
{
    if (name_same(name, "TABLE"))
        return WORD_FUNCTABLE;
    return parse_meant(name, segment_words, LENGTH(segment_words));
}

static Word segment_word(Parser *p)
{
    Word w = p->token->word;
    if (at_kind(p, TOKEN_NAME)) {
        w = parse_meant_segment(p->token->text);
        if (w != WORD_NONE)
            parse_report(p, p->token,
                         "`%s` does not begin a segment: did you mean %s?",
                         p->token->text, word_text(w));
    }
    return w;
}

/* Reads Modelica's PARAMETER REAL X = 1 as CONST. */
static bool foreign_parameter(Parser *p, Node *list)
{
    if (!word_is_value_type(parse_peek(p)->word))
        return false;
    parse_report(p, p->token,
                 "PARAMETER belongs in EXPERIMENT, where it gives values for "
                 "runs: here, declare constants with CONST");
    parse_declaration(p, WORD_CONST, list);
    return true;
}

/* segment = library | module | declaration | timeunit | routine
           | continuous_routine | discrete_process | external | experiment
           | system | output | ";" */
static void segment(Parser *p, Node *list, Node **system)
{
    Word w = segment_word(p);
    p->suspect = NULL;
    if (word_is_outer(w))
        p->cases = NULL;
    switch (w) {
    case WORD_SEMICOLON: parse_advance(p); break;
    case WORD_INVOKE:
    case WORD_DISPOSE:
    case WORD_DESTROY: node_add(list, library(p)); break;
    case WORD_MODULE: parse_module(p, list); break;
    case WORD_LABEL:
    case WORD_CONST:
    case WORD_TYPE:
    case WORD_VAR:
    case WORD_STORE:
    case WORD_FUNCTABLE: parse_declaration(p, w, list); break;
    case WORD_TIMEUNIT: node_add(list, parse_timeunit(p)); break;
    case WORD_FUNCTION: parse_function(p, list, false); break;
    case WORD_PROCEDURE: parse_procedure(p, list); break;
    case WORD_CONTINUOUS: continuous_routine(p, list, *system); break;
    case WORD_DISCRETE:
        if (parse_peek(p)->word == WORD_PROCESS)
            parse_discrete_process(p, list);
        else
            stray_block(p, list, *system);
        break;
    case WORD_EXTERNAL: parse_external(p, list); break;
    case WORD_EXPERIMENT: node_add(list, parse_experiment(p)); break;
    case WORD_SYSTEM:
        *system = parse_system(p);
        node_add(list, *system);
        break;
    case WORD_OUTPUT: node_add(list, parse_output(p)); break;
    case WORD_INITIAL:
    case WORD_TERMINAL:
    case WORD_EVENTS:
    case WORD_TEVENTS:
    case WORD_SAMPLES:
    case WORD_PROCESSES: stray_block(p, list, *system); break;
    case WORD_PARAMETER:
        if (foreign_parameter(p, list))
            break;
        no_segment(p);
        break;
    default: no_segment(p);
    }
    recover_segment(p);
}

static void segments(Parser *p, Node *list)
{
    Node *system = NULL;
    while (!at_kind(p, TOKEN_END) && !is_final_end(p, p->token)) {
        if (is_last_end(p, p->token))
            return;
        p->closing = false;
        if (at(p, WORD_END)) {
            parse_report(p, p->token,
                         "this END closes nothing: there is one END too many; "
                         "IF, FOR and WHILE have one only with BEGIN, CASE has "
                         "none but those of its branches");
            parse_advance(p);
        } else {
            segment(p, list, &system);
        }
    }
}

static void final_end(Parser *p)
{
    const Token *end;
    if (p->closing || p->stopped)
        return;
    if (!parse_accept(p, WORD_END)) {
        parse_missing(p, "the program is not closed: `END.` is missing");
        return;
    }
    end = p->before;
    if (!at(p, WORD_DOT) && !at_kind(p, TOKEN_END)) {
        parse_fail(
            p, p->token,
            "the last END is followed by a point and nothing else: `END.`");
        return;
    }
    if (!parse_accept(p, WORD_DOT)) {
        parse_missing(p, "`.` is missing after the last END");
        return;
    }
    if (!at_kind(p, TOKEN_END))
        parse_fail(p, p->token,
                   "the program ends with `END.` in line %u: what follows does "
                   "not belong to it",
                   (unsigned)unit_line(p->u, end->at));
}

/* program = "PROGRAM" IDENT [ "(" heading_file { "," heading_file } ")" ] ";"
             [ project ] { segment } "END" "." . */
static Node *program(Parser *p)
{
    Node *n = parse_node(p, NODE_PROGRAM), *list;
    n->text = "";
    if (at_kind(p, TOKEN_NAME) && parse_peek(p)->kind == TOKEN_NAME) {
        static const Word first[] = {WORD_PROGRAM};
        if (parse_meant(p->token->text, first, 1) == WORD_PROGRAM) {
            parse_report(p, p->token,
                         "a program begins with PROGRAM: did you mean that?");
            parse_advance(p);
        }
    }
    if (parse_accept(p, WORD_PROGRAM) || p->token > p->before) {
        n->text = parse_name(p, "the name of the program")->text;
        if (parse_accept(p, WORD_LPAREN)) {
            do {
                heading_file(p);
            } while (parse_accept(p, WORD_COMMA));
            parse_expect(p, WORD_RPAREN, "after the names of files");
        }
        parse_resume(p, WORD_SEMICOLON);
        parse_expect(p, WORD_SEMICOLON, "after the heading of the program");
    } else if (at_kind(p, TOKEN_END)) {
        parse_report(p, p->token,
                     "the text is empty: a program begins with `PROGRAM name;` "
                     "and ends with `END.`");
        parse_stop(p);
    } else {
        parse_fail(p, p->token, "a program begins with `PROGRAM name;`");
    }
    recover_segment(p);
    node_add(n, at(p, WORD_PROJECT) ? project(p) : parse_none(p));
    list = parse_node(p, NODE_LIST);
    segments(p, list);
    node_add(n, parse_done(p, list));
    final_end(p);
    return parse_done(p, n);
}

bool parse(Unit *u)
{
    const Tokens *t = u->flat.token == NULL ? &u->tokens : &u->flat;
    Parser p = {.u = u,
                .token = t->token,
                .before = t->token,
                .last = t->token + t->count - 1};
    u->program = program(&p);
    if (p.stopped)
        u->program =
            NULL; // a limit was reached: there is nothing more to report
    return !p.stopped && u->diags->errors == 0;
}
