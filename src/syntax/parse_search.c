#include "syntax/parse.h"

/* Statements of the EXPERIMENT that carry out their own statements many times: best
   values, roots, fits; and SENSITIVITY. */

/* start_value = designator ":=" sum [ 'IN' sum ".." sum ] [ 'LOG' ] . */
static Node *start_value(Parser *p)
{
    Node *n = parse_node(p, NODE_START_VALUE), *range;
    node_add(n, parse_designator(p));
    if (at(p, WORD_EQUAL)) {
        parse_report(p, p->token, "a start value is given with `:=`, not `=`");
        parse_advance(p);
    } else {
        parse_expect(p, WORD_BECOMES, "and the start value");
    }
    node_add(n, parse_sum(p));
    if (at(p, WORD_IN)) {
        range = parse_node(p, NODE_RANGE);
        parse_advance(p);
        node_add(range, parse_sum(p));
        parse_expect(p, WORD_DOTDOT, "between the bounds");
        node_add(range, parse_sum(p));
        node_add(n, parse_done(p, range));
    } else {
        node_add(n, parse_none(p));
    }
    if (parse_accept(p, WORD_LOG))
        n->flags |= FLAG_LOG;
    return parse_done(p, n);
}

/* [ 'SUBJECT' "TO" subject "END" ]
   subject = expression { ";" [ expression ] } . */
static Node *subject(Parser *p)
{
    Node *list = parse_node(p, NODE_LIST);
    const Token *opener = p->token;
    if (!parse_accept(p, WORD_SUBJECT))
        return list;
    parse_expect(p, WORD_TO, "and the conditions");
    bool follows = true, end = false;
    while (!end) {
        if (follows)
            node_add(list, parse_expression(p));
        follows = parse_item_follows(p, false, &end);
    }
    parse_done(p, list);
    parse_close(p, opener);
    return list;
}

static bool is_search_option(const Parser *p)
{
    return at(p, WORD_TOL) || at(p, WORD_MAX) || at(p, WORD_METHOD) ||
           at(p, WORD_GLOBAL);
}

/* search_option = ( 'TOL' | 'MAX' ) "=" sum | 'METHOD' IDENT | 'GLOBAL' . */
static Node *search_option(Parser *p)
{
    Node *n = parse_node(p, NODE_OPTION);
    n->word = p->token->word;
    parse_advance(p);
    if (n->word == WORD_METHOD)
        n->text = parse_name(p, "the name of a method")->text;
    else if (n->word != WORD_GLOBAL)
        node_add(n, parse_equals_sum(p));
    return parse_done(p, n);
}

/* search_start = start_value { "," start_value } ";" { search_option } [ ";" ] . */
static void search_start(Parser *p, Node *n)
{
    Node *options;
    parse_expect(p, WORD_COLON, "and the start values");
    node_add(n, parse_comma_list(p, start_value));
    parse_resume(p, WORD_SEMICOLON);
    parse_expect(p, WORD_SEMICOLON, "after the start values");
    options = parse_node(p, NODE_LIST);
    while (is_search_option(p))
        node_add(options, search_option(p));
    node_add(n, parse_done(p, options));
    parse_accept(p, WORD_SEMICOLON);
}

/* "END" ";" statements "END" */
static Node *search_statements(Parser *p, Node *n, const Token *opener)
{
    parse_close(p, opener);
    if (!p->closing)
        parse_expect(p, WORD_SEMICOLON, "and the statements of the search");
    parse_recover(p);
    node_add(n, parse_statements(p));
    parse_close(p, opener);
    return parse_done(p, n);
}

/* optimise = ( "MINIMIZE" | "MAXIMIZE" ) designator ":" search_start
              [ 'SUBJECT' "TO" subject "END" ] "END" ";" statements "END" . */
static Node *optimise(Parser *p)
{
    Node *n = parse_node(p, NODE_SEARCH);
    const Token *opener = p->token;
    n->word = p->token->word;
    parse_advance(p);
    node_add(n, parse_designator(p));
    search_start(p, n);
    node_add(n, subject(p));
    return search_statements(p, n, opener);
}

/* wanted = sum "=" sum . */
static Node *wanted(Parser *p)
{
    Node *n = parse_node(p, NODE_EQUATION);
    node_add(n, parse_sum(p));
    parse_expect(p, WORD_EQUAL, "between a result and the value it shall have");
    node_add(n, parse_sum(p));
    return parse_done(p, n);
}

/* solve = "SOLVE" wanted { "," wanted } ":" search_start "END" ";" statements
           "END" . */
static Node *solve(Parser *p)
{
    Node *n = parse_node(p, NODE_SEARCH);
    const Token *opener = p->token;
    n->word = p->token->word;
    parse_advance(p);
    node_add(n, parse_comma_list(p, wanted));
    search_start(p, n);
    node_add(n, parse_node(p, NODE_LIST));
    return search_statements(p, n, opener);
}

/* IDENT "=" designator */
static Node *column(Parser *p)
{
    Node *n = parse_node(p, NODE_PRESET);
    node_add(n, parse_name_node(p, "the name of a column"));
    parse_expect(p, WORD_EQUAL, "and the variable");
    node_add(n, parse_designator(p));
    return parse_done(p, n);
}

/* fit = "FIT" start_value { "," start_value } "TO" STRING "WHERE" IDENT "="
         designator { "," IDENT "=" designator } [ 'WEIGHT' IDENT ] ";"
         statements "END" . */
static Node *fit(Parser *p)
{
    Node *n = parse_node(p, NODE_FIT);
    const Token *opener = p->token;
    parse_advance(p);
    node_add(n, parse_comma_list(p, start_value));
    parse_expect(p, WORD_TO, "and the file of the data");
    node_add(n, parse_string(p, "the name of the file in quotes"));
    parse_expect(p, WORD_WHERE, "and column = variable");
    node_add(n, parse_comma_list(p, column));
    node_add(n, parse_accept(p, WORD_WEIGHT)
                    ? parse_name_node(p, "the name of a column")
                    : parse_none(p));
    parse_resume(p, WORD_SEMICOLON);
    parse_expect(p, WORD_SEMICOLON, "and the statements of the fit");
    node_add(n, parse_statements(p));
    parse_close(p, opener);
    return parse_done(p, n);
}

/* sensitivity = "SENSITIVITY" designator { "," designator }
                 "WITH" designator { "," designator } . */
static Node *sensitivity(Parser *p)
{
    Node *n = parse_node(p, NODE_SENSITIVITY);
    parse_advance(p);
    node_add(n, parse_designators(p));
    parse_expect(p, WORD_WITH, "and the parameters");
    node_add(n, parse_designators(p));
    return parse_done(p, n);
}

Node *parse_search(Parser *p)
{
    switch (p->token->word) {
    case WORD_SOLVE: return solve(p);
    case WORD_FIT: return fit(p);
    case WORD_SENSITIVITY: return sensitivity(p);
    default: return optimise(p);
    }
}
