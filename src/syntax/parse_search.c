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

/* fit_value = start_value [ 'PRIOR' sum 'SD' sum ] . The prior stands before the
   range in the tree. */
static Node *fit_value(Parser *p)
{
    Node *n = start_value(p), *prior, *value = n->first->next;
    if (!at(p, WORD_PRIOR) || value == NULL)
        return n;
    prior = parse_node(p, NODE_PRIOR);
    parse_advance(p);
    node_add(prior, parse_sum(p));
    parse_expect(p, WORD_SD, "and the standard deviation of the prior");
    node_add(prior, parse_sum(p));
    parse_done(p, prior);
    prior->next = value->next;
    value->next = prior;
    return parse_done(p, n);
}

/* fit_column = IDENT | STRING . */
static Node *fit_column(Parser *p)
{
    if (!at_kind(p, TOKEN_STRING))
        return parse_name_node(p, "the name of a column");
    Node *n = parse_string(p, "the name of a column");
    n->kind = NODE_NAME;
    return n;
}

static Node *fit_expression(Parser *p)
{
    Node *n = parse_node(p, NODE_SHOWN);
    node_add(n, parse_sum(p));
    return parse_done(p, n);
}

static bool is_time(const Node *shown)
{
    const Node *n = shown->first;
    return n->kind == NODE_NAME && name_same(n->text, "TIME");
}

/* observed = fit_column "=" sum [ 'LOG' ] [ 'NOISE' sum | 'ERROR' fit_column ] .
   `times` gets the column of the times, if it is that. */
static Node *observed(Parser *p, Node *columns, Node *times)
{
    Node *n = parse_node(p, NODE_OBSERVED), *column = fit_column(p), *value;
    parse_expect(p, WORD_EQUAL, "and the variable");
    value = fit_expression(p);
    node_add(is_time(value) ? times : columns, column);
    node_add(n, value);
    if (parse_accept(p, WORD_LOG))
        n->flags |= FLAG_LOG;
    if (parse_accept(p, WORD_NOISE)) {
        node_add(n, fit_expression(p));
    } else {
        if (parse_accept(p, WORD_ERROR)) {
            n->word = WORD_ERROR;
            node_add(columns, fit_column(p));
        }
        node_add(n, parse_none(p));
    }
    parse_done(p, n);
    if (is_time(value) && (n->word || n->flags || n->last->kind != NODE_NONE))
        parse_beyond(p, n->at, n->origin,
                     "times have neither LOG nor NOISE nor ERROR");
    return n;
}

/* "WHERE" observed { "," observed } */
static void fit_where(Parser *p, Node *list, Node *columns, Node *times)
{
    parse_expect(p, WORD_WHERE, "and column = variable");
    do {
        Node *n = observed(p, columns, times);
        if (!is_time(n->first))
            node_add(list, n);
    } while (parse_accept(p, WORD_COMMA));
}

/* fit_rows = fit_column "=" sum . */
static Node *fit_rows(Parser *p, Node *columns)
{
    Node *n = parse_node(p, NODE_FIT_ROWS), *value;
    node_add(columns, fit_column(p));
    parse_expect(p, WORD_EQUAL, "and the value that it has in these rows");
    value = fit_expression(p);
    node_add(n, value->first->kind == NODE_STRING ? value->first : value);
    return parse_done(p, n);
}

/* All columns of the data in one list. */
static void join_columns(Parser *p, Node *file, Node *times, Node *keys,
                         Node *values)
{
    Node *list = parse_node(p, NODE_LIST), *part[] = {times, keys, values};
    if (times->first == NULL) {
        Node *time = parse_node(p, NODE_NAME);
        time->text = "TIME";
        time->at = file->at;
        node_add(times, time);
    } else if (times->first->next != NULL) {
        parse_beyond(p, times->first->next->at, times->first->next->origin,
                     "the times stand in one column");
        times->first->next = NULL;
    }
    list->at = file->at;
    for (size_t k = 0; k < LENGTH(part); k++)
        for (Node *n = part[k]->first, *next; n != NULL; n = next) {
            next = n->next;
            n->next = NULL;
            node_add(list, n);
        }
    node_add(file, list);
}

/* fit_data = "TO" STRING "WHERE" observed { "," observed }
              [ "WITH" fit_rows { "," fit_rows } ] [ 'WEIGHT' fit_column ]
              [ 'RUN' sum ] . */
static Node *fit_data(Parser *p)
{
    Node *n = parse_node(p, NODE_FIT_DATA), *file, *list, *rows;
    Node *times = parse_node(p, NODE_LIST), *keys = parse_node(p, NODE_LIST);
    Node *values = parse_node(p, NODE_LIST);
    parse_advance(p);
    file = parse_node(p, NODE_FROM_FILE);
    file->text = parse_string(p, "the name of the file in quotes")->text;
    parse_done(p, file);
    list = parse_node(p, NODE_LIST);
    fit_where(p, list, values, times);
    parse_done(p, list);
    rows = parse_node(p, NODE_LIST);
    if (parse_accept(p, WORD_WITH))
        do
            node_add(rows, fit_rows(p, keys));
        while (parse_accept(p, WORD_COMMA));
    parse_done(p, rows);
    if (parse_accept(p, WORD_WEIGHT)) {
        n->word = WORD_WEIGHT;
        node_add(values, fit_column(p));
    }
    join_columns(p, file, times, keys, values);
    node_add(n, file);
    node_add(n, list);
    node_add(n, rows);
    node_add(n, parse_accept(p, WORD_RUN) ? parse_sum(p) : parse_none(p));
    return parse_done(p, n);
}

static bool is_fit_option(const Parser *p)
{
    return at(p, WORD_TOL) || at(p, WORD_MAX) || at(p, WORD_STARTS) ||
           at(p, WORD_GLOBAL) || at(p, WORD_PROFILE);
}

/* fit_option = ( 'TOL' | 'MAX' | 'STARTS' ) "=" sum | 'GLOBAL' | 'PROFILE' . */
static Node *fit_option(Parser *p)
{
    Node *n = parse_node(p, NODE_OPTION);
    n->word = p->token->word;
    parse_advance(p);
    if (n->word != WORD_GLOBAL && n->word != WORD_PROFILE)
        node_add(n, parse_equals_sum(p));
    return parse_done(p, n);
}

/* fit = "FIT" fit_value { "," fit_value } fit_data { fit_data } { fit_option } ";"
         statements "END" . */
static Node *fit(Parser *p)
{
    Node *n = parse_node(p, NODE_FIT), *list;
    const Token *opener = p->token;
    parse_advance(p);
    node_add(n, parse_comma_list(p, fit_value));
    list = parse_node(p, NODE_LIST);
    if (!at(p, WORD_TO))
        parse_expect(p, WORD_TO, "and the file of the data");
    while (at(p, WORD_TO))
        node_add(list, fit_data(p));
    node_add(n, parse_done(p, list));
    list = parse_node(p, NODE_LIST);
    while (is_fit_option(p))
        node_add(list, fit_option(p));
    node_add(n, parse_done(p, list));
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
