#include "syntax/parse.h"

/* ---- Formals ------------------------------------------------------------- */

static bool is_formal_type(Word w)
{
    return w == WORD_FILE || w == WORD_STORAGE || word_is_plain_type(w);
}

static uint32_t formal_flags(Parser *p)
{
    uint32_t flags = 0;
    for (;;) {
        if (parse_accept(p, WORD_COLLECT))
            flags |= FLAG_COLLECT;
        else if (parse_accept(p, WORD_HISTOGRAM))
            flags |= FLAG_HISTOGRAM;
        else if (parse_accept(p, WORD_TIMEPERS))
            flags |= FLAG_TIMEPERS;
        else
            return flags;
    }
}

/* After a `,` among formals a name follows; a type is reported, and begins the
   next group. */
static bool another_formal(Parser *p)
{
    Word w = parse_peek(p)->word;
    if (!p->u->grammar_only && at(p, WORD_COMMA) &&
        (w == WORD_VAR || is_formal_type(w))) {
        parse_report(
            p, p->token,
            "another type needs `;` before it, as in (REAL A, B; INTEGER K)");
        ((Token *)p->token)->word = WORD_SEMICOLON; // belongs to the unit
        return false;
    }
    return parse_accept(p, WORD_COMMA);
}

/* formal_group = [ "VAR" ] formal_type
                  { "COLLECT" | "HISTOGRAM" | "TIMEPERS" } IDENT
                  { "," IDENT } . */
static void formal_group(Parser *p, Node *list)
{
    uint32_t flags = parse_accept(p, WORD_VAR) ? FLAG_VAR : 0;
    Word type = parse_type(p, is_formal_type, "the type of a formal");
    flags |= formal_flags(p);
    do {
        const Token *t = parse_name(p, "the name of a formal");
        Node *n = parse_leaf(p, NODE_FORMAL, t);
        n->word = type;
        n->flags = flags;
        node_add(list, n);
    } while (another_formal(p));
}

/* formal_list = formal_group { ";" formal_group } . */
static Node *formal_list(Parser *p)
{
    Node *list = parse_node(p, NODE_LIST);
    if (at(p, WORD_ARROW) || at(p, WORD_RPAREN))
        return list;
    do {
        formal_group(p, list);
    } while (parse_accept(p, WORD_SEMICOLON));
    return parse_done(p, list);
}

/* If lost inside formals: continues at their `)`, past any `;`. */
static void resume_formals(Parser *p)
{
    while (lost(p)) {
        parse_resume(p, WORD_RPAREN);
        if (!lost(p))
            return;
        parse_resume(p, WORD_SEMICOLON);
        if (lost(p) || parse_peek(p)->word == WORD_BEGIN ||
            word_is_outer(parse_peek(p)->word))
            return;
        p->held = p->token + 1; // lost again, after the `;`
        p->token = &p->nothing;
    }
}

/* formals = "(" [ formal_list ] [ "<-" [ formal_list ] ] ")" . */
static Node *formals(Parser *p)
{
    Node *n = parse_node(p, NODE_FORMALS);
    parse_expect(p, WORD_LPAREN, "and the formals");
    node_add(n, formal_list(p));
    if (parse_accept(p, WORD_ARROW)) {
        n->flags |= FLAG_ARROW;
        node_add(n, formal_list(p));
    } else {
        node_add(n, parse_node(p, NODE_LIST));
    }
    if (!lost(p))
        parse_expect(p, WORD_RPAREN, "or `;` among the formals");
    if (lost(p)) {
        resume_formals(p);
        parse_accept(p, WORD_RPAREN);
    }
    return parse_done(p, n);
}

static Node *optional_formals(Parser *p)
{
    Node *n;
    if (at(p, WORD_LPAREN))
        return formals(p);
    n = parse_node(p, NODE_FORMALS);
    n->at.length = 0;
    node_add(n, parse_node(p, NODE_LIST));
    node_add(n, parse_node(p, NODE_LIST));
    return n;
}

static void heading_end(Parser *p)
{
    parse_resume(p, WORD_SEMICOLON);
    if (!lost(p) && !at(p, WORD_SEMICOLON) &&
        (parse_at_declaration(p) || at(p, WORD_BEGIN)))
        parse_missing(p, "`;` is missing after this heading");
    else
        parse_expect(p, WORD_SEMICOLON, "after this heading");
    if (lost(p)) {
        parse_recover(p);
        parse_accept(p, WORD_SEMICOLON);
    }
}

static Node *declarations(Parser *p)
{
    Node *list = parse_node(p, NODE_LIST);
    while (parse_at_declaration(p))
        parse_declaration(p, p->token->word, list);
    return parse_done(p, list);
}

/* { declaration | routine } */
static Node *process_declarations(Parser *p)
{
    Node *list = parse_node(p, NODE_LIST);
    for (;;) {
        if (parse_at_declaration(p))
            parse_declaration(p, p->token->word, list);
        else if (at(p, WORD_FUNCTION))
            parse_function(p, list, false);
        else if (at(p, WORD_PROCEDURE))
            parse_procedure(p, list);
        else
            return parse_done(p, list);
    }
}

/* The `;` after the END of a routine. */
static void routine_end(Parser *p)
{
    const Token *cases = p->cases;
    if (p->closing)
        return;
    if (at(p, WORD_END) && cases != NULL && !lost(p)) {
        parse_report(p, p->token,
                     "one END too many: a CASE (line %u) has none of its own, "
                     "only its branches do",
                     (unsigned)unit_line(p->u, cases->at));
        parse_advance(p);
        parse_accept(p, WORD_SEMICOLON);
    } else if (!at(p, WORD_SEMICOLON) && !lost(p) &&
               (word_is_outer(p->token->word) || at(p, WORD_END)))
        parse_missing(p, "`;` is missing after this END");
    else
        parse_expect(p, WORD_SEMICOLON, "after this END");
}

static void begin(Parser *p, Node *n, const char *of)
{
    const Token *opener = p->token;
    parse_expect(p, WORD_BEGIN, of);
    if (lost(p)) {
        node_add(n, parse_node(p, NODE_LIST));
        return;
    }
    node_add(n, parse_statements(p));
    parse_close(p, opener);
    routine_end(p);
}

/* body = { declaration } "BEGIN" statements "END" ";" . */
static void body(Parser *p, Node *n, const char *of)
{
    node_add(n, declarations(p));
    begin(p, n, of);
}

/* function y = f(x), or FUNCTION F(X): what other languages have between FUNCTION
   and END is read over, with one message. */
static bool foreign_function(Parser *p)
{
    const Token *t = p->token, *name = t;
    bool result = t + 2 < p->last && t[1].word == WORD_EQUAL;
    bool typeless = t + 3 < p->last && t[1].word == WORD_LPAREN &&
                    t[2].kind == TOKEN_NAME &&
                    (t[3].word == WORD_COMMA || t[3].word == WORD_RPAREN);
    if (p->u->grammar_only || t->kind != TOKEN_NAME || !(result || typeless))
        return false;
    if (result && t[2].kind == TOKEN_NAME)
        name = t + 2;
    parse_report(
        p, t,
        "a function is written FUNCTION %.40s (REAL A, B): REAL; BEGIN "
        "%.40s := ... END;",
        name->text, name->text);
    p->u->names_lost = true;
    while (!at(p, WORD_END) && !at_kind(p, TOKEN_END) &&
           !word_is_outer(p->token->word))
        parse_advance(p);
    parse_accept(p, WORD_END);
    parse_accept(p, WORD_SEMICOLON);
    return true;
}

/* function = "FUNCTION" IDENT formals ":" value_type ";" body . */
void parse_function(Parser *p, Node *list, bool continuous)
{
    Node *n = parse_node(p, NODE_FUNCTION);
    parse_advance(p);
    if (foreign_function(p))
        return;
    if (continuous)
        n->flags |= FLAG_CONTINUOUS;
    n->text = parse_name(p, "the name of the function")->text;
    node_add(n, formals(p));
    parse_expect(p, WORD_COLON, "and the type of the result");
    n->word = parse_type(p, word_is_value_type, "REAL, INTEGER or BOOLEAN");
    heading_end(p);
    body(p, n, "and the statements of the function");
    node_add(list, parse_done(p, n));
}

/* procedure = "PROCEDURE" IDENT [ formals ] ";" body . */
void parse_procedure(Parser *p, Node *list)
{
    Node *n = parse_node(p, NODE_PROCEDURE);
    parse_advance(p);
    n->text = parse_name(p, "the name of the procedure")->text;
    node_add(n, optional_formals(p));
    heading_end(p);
    body(p, n, "and the statements of the procedure");
    node_add(list, parse_done(p, n));
}

/* discrete_process = "DISCRETE" "PROCESS" IDENT [ formals ] ";" life .
   life = { declaration | routine } "BEGIN" statements "END" ";" . */
void parse_discrete_process(Parser *p, Node *list)
{
    Node *n = parse_node(p, NODE_DISCRETE_PROCESS);
    parse_advance(p);
    parse_advance(p);
    n->text = parse_name(p, "the name of the process")->text;
    node_add(n, optional_formals(p));
    heading_end(p);
    node_add(n, process_declarations(p));
    begin(p, n, "and the statements of the process");
    node_add(list, parse_done(p, n));
}

/* continuous_process = "PROCESS" IDENT [ formals ] ";" { declaration | routine }
                        "BEGIN" { section } "END" ";" . */
void parse_continuous_process(Parser *p, Node *list)
{
    Node *n = parse_node(p, NODE_CONTINUOUS_PROCESS), *blocks;
    const Token *opener;
    parse_advance(p);
    n->text = parse_name(p, "the name of the process")->text;
    node_add(n, optional_formals(p));
    heading_end(p);
    node_add(n, process_declarations(p));
    opener = p->token;
    parse_expect(p, WORD_BEGIN, "and the blocks of the process");
    blocks = parse_node(p, NODE_LIST);
    if (!lost(p)) {
        parse_sections(p, blocks);
        parse_close(p, opener);
        routine_end(p);
    }
    node_add(n, parse_done(p, blocks));
    node_add(list, parse_done(p, n));
}

static void external_function(Parser *p, Node *list)
{
    Node *n = parse_node(p, NODE_EXTERNAL_FUNCTION);
    parse_advance(p);
    n->text = parse_name(p, "the name of the function")->text;
    node_add(n, formals(p));
    parse_expect(p, WORD_COLON, "and the type of the result");
    n->word = parse_type(p, word_is_value_type, "REAL, INTEGER or BOOLEAN");
    parse_expect(p, WORD_IN, "and the library");
    node_add(n, parse_string(p, "the name of the library in quotes"));
    node_add(n, parse_accept(p, WORD_DERIVATIVE)
                    ? parse_name_node(p, "the name of a function")
                    : parse_none(p));
    heading_end(p);
    node_add(list, parse_done(p, n));
}

/* external = "EXTERNAL" ( "FUNCTION" IDENT formals ":" value_type 'IN' STRING
                           [ 'DERIVATIVE' IDENT ] ";"
                         | "PROCESS" IDENT [ formals ] 'IN' STRING ";" ) . */
void parse_external(Parser *p, Node *list)
{
    Node *n;
    parse_advance(p);
    if (at(p, WORD_FUNCTION)) {
        external_function(p, list);
        return;
    }
    n = parse_node(p, NODE_EXTERNAL_PROCESS);
    parse_expect(p, WORD_PROCESS, "or FUNCTION");
    n->text = parse_name(p, "the name of the process")->text;
    node_add(n, optional_formals(p));
    parse_expect(p, WORD_IN, "and the library");
    node_add(n, parse_string(p, "the name of the library in quotes"));
    heading_end(p);
    node_add(list, parse_done(p, n));
}

/* ---- MODULE -------------------------------------------------------------- */

/* A routine or process among the sections of a MODULE. */
static bool module_routine(Parser *p, Node *list)
{
    Word next = parse_peek(p)->word;
    if (at(p, WORD_FUNCTION)) {
        parse_function(p, list, false);
    } else if (at(p, WORD_PROCEDURE)) {
        parse_procedure(p, list);
    } else if (at(p, WORD_DISCRETE) && next == WORD_PROCESS) {
        parse_discrete_process(p, list);
    } else if (at(p, WORD_CONTINUOUS) && next == WORD_FUNCTION) {
        parse_advance(p);
        parse_function(p, list, true);
    } else if (at(p, WORD_CONTINUOUS) && next == WORD_PROCESS) {
        parse_report(
            p, p->token,
            "a CONTINUOUS PROCESS stands in the program, beside its "
            "MODULEs, whose parts may CREATE its copies and read them");
        parse_advance(p);
        parse_continuous_process(p, list);
    } else {
        return false;
    }
    return true;
}

/* module_body = module_item { module_item | ";" } | parallel . */
static void module_body(Parser *p, Node *n)
{
    Node *list = parse_node(p, NODE_LIST), *blocks = parse_node(p, NODE_LIST);
    const Token *before;
    do {
        before = p->token;
        while (parse_at_declaration(p) || module_routine(p, list))
            if (parse_at_declaration(p))
                parse_declaration(p, p->token->word, list);
        if (parse_at_block(p))
            parse_sections(p, blocks);
        while (list->first != NULL && parse_accept(p, WORD_SEMICOLON))
            ;
    } while (p->token != before && !lost(p));
    if (list->first == NULL && blocks->first == NULL) {
        Node *equations = parse_node(p, NODE_CONTINUOUS);
        node_add(equations, parse_parallel(p));
        node_add(blocks, parse_done(p, equations));
    }
    node_add(n, parse_done(p, list));
    node_add(n, parse_done(p, blocks));
}

/* module_formal = IDENT [ unit ] [ "=" expression ] . */
static Node *module_formal(Parser *p, Word type)
{
    Node *n = parse_node(p, NODE_FORMAL);
    n->text = parse_name(p, "the name of a formal")->text;
    n->word = type;
    node_add(n, parse_unit(p));
    node_add(n,
             parse_accept(p, WORD_EQUAL) ? parse_expression(p) : parse_none(p));
    return parse_done(p, n);
}

/* module_group = [ plain_type ] module_formal { "," module_formal } . */
static void module_group(Parser *p, Node *list)
{
    Word type = WORD_NONE;
    if (word_is_plain_type(p->token->word)) {
        type = p->token->word;
        parse_advance(p);
    }
    do {
        node_add(list, module_formal(p, type));
    } while (another_formal(p));
}

/* module = "MODULE" IDENT "(" [ module_group { ";" module_group } ] ")" ";"
            module_body "END" ";" . */
void parse_module(Parser *p, Node *list)
{
    Node *n = parse_node(p, NODE_MODULE), *names;
    const Token *opener = p->token;
    p->u->parted = true;
    parse_advance(p);
    n->text = parse_name(p, "the name of the module")->text;
    parse_remember(p, &p->modules, n->text);
    parse_expect(p, WORD_LPAREN, "and the formals of the module");
    names = parse_node(p, NODE_LIST);
    if (!at(p, WORD_RPAREN)) {
        do {
            module_group(p, names);
        } while (parse_accept(p, WORD_SEMICOLON));
    }
    if (at(p, WORD_ARROW))
        parse_fail(p, p->token,
                   "a MODULE has no inputs or outputs: list its formals with "
                   "`,` between them");
    parse_expect(p, WORD_RPAREN, "or `,` among the formals");
    node_add(n, parse_done(p, names));
    heading_end(p);
    module_body(p, n);
    parse_close(p, opener);
    routine_end(p);
    node_add(list, parse_done(p, n));
}
