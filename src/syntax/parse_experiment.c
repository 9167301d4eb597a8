#include "syntax/parse.h"

#include <stdio.h>

#include "base/distribution.h"

/* ---- Help ---------------------------------------------------------------- */

Node *parse_equals_sum(Parser *p)
{
    if (at(p, WORD_BECOMES)) {
        parse_report(p, p->token, "options are written with `=`, not `:=`");
        parse_advance(p);
    } else {
        parse_expect(p, WORD_EQUAL, "and a value");
    }
    return parse_sum(p);
}

/* [ w "=" sum ] */
static Node *option_sum(Parser *p, Word w)
{
    return parse_accept(p, w) ? parse_equals_sum(p) : parse_none(p);
}

/* [ w designator { "," designator } ] */
static Node *option_designators(Parser *p, Word w)
{
    return parse_accept(p, w) ? parse_designators(p) : parse_node(p, NODE_LIST);
}

Node *parse_comma_list(Parser *p, Node *(*item)(Parser *))
{
    Node *list = parse_node(p, NODE_LIST);
    do {
        node_add(list, item(p));
    } while (parse_accept(p, WORD_COMMA));
    return parse_done(p, list);
}

bool parse_item_follows(Parser *p, bool commas, bool *end)
{
    bool semicolon = parse_accept(p, WORD_SEMICOLON);
    *end = !semicolon && !(commas && parse_accept(p, WORD_COMMA));
    if (*end)
        return false;
    return !semicolon || !(at(p, WORD_END) || at(p, WORD_SEMICOLON) ||
                           (commas && at(p, WORD_COMMA)));
}

/* item { ";" [ item ] } "END", or with "," as well. One that is wrong does not
   hide the others. */
static bool begins_statement(const Token *t)
{
    return token_is_reserved(t) && word_is_statement(t->word) &&
           t[1].word != WORD_COLON;
}

/* Reports that the END of this list is missing if the next statement of
   EXPERIMENT begins here. A `;` before it stays unread. */
static bool end_is_missing(Parser *p, const Token *opener)
{
    const Token *t = at(p, WORD_SEMICOLON) ? parse_peek(p) : p->token;
    if (lost(p) || t >= p->last || !begins_statement(t))
        return false;
    parse_report(p, t, "the END of `%s` (line %u) is missing before this",
                 opener->text, (unsigned)unit_line(p->u, opener->at));
    return true;
}

static Node *item_list(Parser *p, Node *(*item)(Parser *), bool commas,
                       const Token *opener)
{
    Node *list = parse_node(p, NODE_LIST);
    bool follows = true, end = false;
    while (!end) {
        if (follows) {
            node_add(list, item(p));
            parse_recover(p);
        }
        if (end_is_missing(p, opener))
            return parse_done(p, list);
        follows = parse_item_follows(p, commas, &end);
    }
    parse_done(p, list);
    if (!at(p, WORD_END) && at_kind(p, TOKEN_NAME))
        parse_unexpected(p, commas ? "`,`, `;` or END" : "`;` or END");
    parse_close(p, opener);
    return list;
}

/* ---- Settings ------------------------------------------------------------ */

static Node *expression_list(Parser *p)
{
    Node *first = parse_expression(p), *list;
    if (!at(p, WORD_COMMA))
        return first;
    list = parse_from(p, NODE_LIST, first);
    node_add(list, first);
    while (parse_accept(p, WORD_COMMA))
        node_add(list, parse_expression(p));
    return parse_done(p, list);
}

/* number [ unit ] | designator */
static Node *value(Parser *p)
{
    if (at_kind(p, TOKEN_INTEGER) || at_kind(p, TOKEN_NUMBER))
        return parse_number(p);
    if (at_kind(p, TOKEN_NAME))
        return parse_designator(p);
    parse_unexpected(p, "a number, a name or an expression in parentheses");
    return parse_none(p);
}

static Node *element_value(Parser *p)
{
    Node *n;
    if (parse_accept(p, WORD_LPAREN)) {
        n = expression_list(p);
        parse_expect(p, WORD_RPAREN, "after these values");
        return n;
    }
    if (at(p, WORD_TRUE) || at(p, WORD_FALSE))
        return parse_truth(p);
    if (!at(p, WORD_PLUS) && !at(p, WORD_MINUS))
        return value(p);
    n = parse_node(p, NODE_UNARY);
    n->word = p->token->word;
    parse_advance(p);
    node_add(n, value(p));
    return parse_done(p, n);
}

/* list_element = ( [ "+" | "-" ] ( number [ unit ] | designator )
                  | "TRUE" | "FALSE" | "(" expression { "," expression } ")" )
                  [ "*" INTEGER [ "%" signed_number ] ] | choice . */
static Node *list_element(Parser *p)
{
    Node *n = parse_node(p, NODE_ELEMENT);
    bool choice = at(p, WORD_IF);
    node_add(n, choice ? parse_expression(p) : element_value(p));
    if (!choice && parse_accept(p, WORD_TIMES)) {
        node_add(n, parse_integer(p, "how many times the value is repeated"));
        node_add(n, parse_accept(p, WORD_PERCENT) ? parse_signed_number(p)
                                                  : parse_none(p));
    } else {
        node_add(n, parse_none(p));
        node_add(n, parse_none(p));
    }
    return parse_done(p, n);
}

/* value_list = "(" list_element { "," list_element } ")" . */
static Node *value_list(Parser *p)
{
    Node *n = parse_node(p, NODE_VALUES);
    parse_advance(p);
    node_add(n, parse_comma_list(p, list_element));
    parse_expect(
        p, WORD_RPAREN,
        "or `,` in this list (an expression in a list needs parentheses)");
    return parse_done(p, n);
}

static void equals(Parser *p, const char *where)
{
    if (at(p, WORD_BECOMES)) {
        parse_report(p, p->token,
                     "a value is set with `=` here, not with "
                     "`:=`");
        parse_advance(p);
    } else {
        parse_expect(p, WORD_EQUAL, where);
    }
}

/* [1, 2] and 1:3 of other languages: here a list is in parentheses. */
static void no_list(Parser *p, const Node *name)
{
    const char *text = name->text == NULL ? "X" : name->text;
    if (at(p, WORD_LBRACKET))
        parse_fail(
            p, p->token,
            "a list of values is written in parentheses: %.40s = (a, b, ...)",
            text);
    else if (at(p, WORD_COLON))
        parse_fail(p, p->token,
                   "values at equal distances are written (first*number%%step) "
                   "here, or SWEEP %.40s = LIN a TO b POINTS n",
                   text);
}

/* X(0) = 1 is a start value elsewhere, and X(1) = 1 an element. */
static void no_argument(Parser *p, const Node *name)
{
    const char *text = name->text == NULL ? "X" : name->text;
    if (!at(p, WORD_LPAREN))
        return;
    parse_report(p, p->token,
                 "what %.40s starts with is set by `%.40s = ...`; an element "
                 "of an array stands in brackets, `%.40s[1] = ...`",
                 text, text, text);
    parse_advance(p);
    parse_sum(p);
    parse_expect(p, WORD_RPAREN, "after the argument");
}

/* setting = place "=" ( value_list | plain_sum ) . */
static Node *setting(Parser *p)
{
    Node *n = parse_node(p, NODE_SETTING);
    node_add(n, parse_place(p));
    no_argument(p, n->first);
    equals(p, "and the value");
    no_list(p, n->first);
    node_add(n, at(p, WORD_LPAREN) ? value_list(p) : parse_plain_sum(p));
    no_list(p, n->first);
    return parse_done(p, n);
}

/* start_item = setting | "(" sum "=" expression ")" . */
static Node *start_item(Parser *p)
{
    Node *n;
    if (!at(p, WORD_LPAREN))
        return setting(p);
    n = parse_node(p, NODE_EQUATION);
    parse_advance(p);
    node_add(n, parse_sum(p));
    equals(p, "and the other side of the condition");
    node_add(n, parse_expression(p));
    parse_expect(p, WORD_RPAREN, "after the condition");
    return parse_done(p, n);
}

/* After a `,` another name follows; a number belongs in the list before it. */
static bool another_setting(Parser *p, const Node *before)
{
    const Token *t = parse_peek(p);
    const Node *name = before->first;
    if (at(p, WORD_COMMA) && (t->kind == TOKEN_INTEGER ||
                              t->kind == TOKEN_NUMBER || t->word == WORD_MINUS))
        parse_fail(
            p, t,
            "several values are written in parentheses: %.40s = (a, b, ...)",
            name->text == NULL ? "X" : name->text);
    return parse_accept(p, WORD_COMMA);
}

/* parameter = "PARAMETER" setting { "," setting } .
   initcond = ( "INITCOND" | "GUESS" ) start_item { "," start_item } . */
static Node *settings(Parser *p)
{
    Node *n = parse_node(p, NODE_SETTINGS), *list;
    bool parameter = at(p, WORD_PARAMETER);
    n->word = p->token->word;
    parse_advance(p);
    list = parse_node(p, NODE_LIST);
    do {
        node_add(list, parameter ? setting(p) : start_item(p));
    } while (another_setting(p, list->last));
    node_add(n, parse_done(p, list));
    return parse_done(p, n);
}

/* sweep_item = designator "=" ( ( 'LIN' | 'LOG' ) sum "TO" sum 'POINTS' primary
                               | value_list ) . */
static Node *sweep_item(Parser *p)
{
    Node *n = parse_node(p, NODE_SWEEP_ITEM);
    node_add(n, parse_designator(p));
    equals(p, "and LIN, LOG or a list");
    if (at(p, WORD_LPAREN)) {
        node_add(n, value_list(p));
        return parse_done(p, n);
    }
    n->word = p->token->word;
    if (!parse_accept(p, WORD_LIN) && !parse_accept(p, WORD_LOG)) {
        n->word = WORD_LIN;
        parse_unexpected(p, "LIN a TO b POINTS n, LOG or a list in "
                            "parentheses");
    }
    node_add(n, parse_sum(p));
    parse_expect(p, WORD_TO, "and the last value");
    node_add(n, parse_sum(p));
    parse_expect(p, WORD_POINTS, "and the number of values");
    node_add(n, parse_primary(p));
    return parse_done(p, n);
}

/* sweep = "SWEEP" sweep_item { "," sweep_item } . */
static Node *sweep(Parser *p)
{
    Node *n = parse_node(p, NODE_SWEEP);
    parse_advance(p);
    node_add(n, parse_comma_list(p, sweep_item));
    return parse_done(p, n);
}

/* [ 'ANTITHETIC' ] [ 'COMMON' ] */
static void partners(Parser *p, Node *n)
{
    if (parse_accept(p, WORD_ANTITHETIC))
        n->flags |= FLAG_ANTITHETIC;
    if (parse_accept(p, WORD_COMMON))
        n->flags |= FLAG_COMMON;
}

/* [ w sum ] */
static Node *word_sum(Parser *p, Word w)
{
    return parse_accept(p, w) ? parse_sum(p) : parse_none(p);
}

/* best = ( 'MIN' | 'MAX' ) "OF" designator 'DELTA' sum [ 'CONFIDENCE' sum ]
          [ 'FIRST' sum ] [ 'MAX' sum ] . */
static void best(Parser *p, Node *n)
{
    n->word = WORD_MIN;
    if (at(p, WORD_MIN) || at(p, WORD_MAX)) {
        n->word = p->token->word;
        parse_advance(p);
    } else {
        parse_unexpected(p, "MIN or MAX after BEST");
    }
    parse_expect(p, WORD_OF, "and the variable");
    node_add(n, parse_designator(p));
    parse_expect(p, WORD_DELTA, "and the least difference that matters");
    node_add(n, parse_sum(p));
    node_add(n, word_sum(p, WORD_CONFIDENCE));
    node_add(n, word_sum(p, WORD_FIRST));
    node_add(n, word_sum(p, WORD_MAX));
}

/* replicate = "REPLICATE" ( 'WITHIN' sum "OF" designator [ 'MAX' sum ]
                           | 'BEST' best | sum )
               [ 'ANTITHETIC' ] [ 'COMMON' ] [ 'BASE' sum ] . */
static Node *replicate(Parser *p)
{
    Node *n = parse_node(p, NODE_REPLICATE);
    parse_advance(p);
    if (parse_accept(p, WORD_WITHIN)) {
        n->word = WORD_WITHIN;
        node_add(n, parse_sum(p));
        parse_expect(p, WORD_OF, "and the variable");
        node_add(n, parse_designator(p));
        node_add(n, word_sum(p, WORD_MAX));
    } else if (parse_accept(p, WORD_BEST)) {
        best(p, n);
    } else {
        node_add(n, parse_sum(p));
    }
    partners(p, n);
    node_add(n, word_sum(p, WORD_BASE));
    return parse_done(p, n);
}

/* ---- INTEGRAT ------------------------------------------------------------ */

static bool is_integrat_option(Word w)
{
    switch (w) {
    case WORD_ABSERR:
    case WORD_DTMAX:
    case WORD_DTMIN:
    case WORD_METHOD:
    case WORD_PRECISION:
    case WORD_RELERR:
    case WORD_STEP: return true;
    default: return false;
    }
}

/* integrat_option = 'METHOD' IDENT | 'PRECISION' "=" IDENT
     | ( 'RELERR' | 'ABSERR' | 'DTMIN' | 'DTMAX' | 'STEP' ) "=" sum . */
static Node *integrat_option(Parser *p)
{
    Node *n = parse_node(p, NODE_OPTION);
    n->word = p->token->word;
    if (!is_integrat_option(n->word)) {
        parse_unexpected(p, "METHOD, RELERR, ABSERR, DTMIN, DTMAX, STEP or "
                            "PRECISION");
        n->word = WORD_STEP;
        node_add(n, parse_none(p));
        return n;
    }
    parse_advance(p);
    if (n->word == WORD_METHOD) {
        if (at(p, WORD_EQUAL)) {
            parse_report(p, p->token, "METHOD is written without `=`");
            parse_advance(p);
        }
        n->text = parse_name(p, "the name of a method")->text;
    } else if (n->word == WORD_PRECISION) {
        parse_expect(p, WORD_EQUAL, "and DOUBLE, EXTENDED or QUAD");
        n->text = parse_name(p, "DOUBLE, EXTENDED or QUAD")->text;
    } else {
        node_add(n, parse_equals_sum(p));
    }
    return parse_done(p, n);
}

bool word_is_experiment(Word w)
{
    switch (w) {
    case WORD_COLLECT:
    case WORD_GUESS:
    case WORD_HISTOGRAM:
    case WORD_INITCOND:
    case WORD_INTEGRAT:
    case WORD_PARAMETER:
    case WORD_RANDOMGEN:
    case WORD_REPLICATE:
    case WORD_SIMULATE:
    case WORD_SWEEP:
    case WORD_TIMEPERS:
    case WORD_UNCERTAIN: return true;
    default: return false;
    }
}

/* INTEGRAT ... END with more of the EXPERIMENT after it: the END is skipped,
   with a message. */
static void stray_end(Parser *p)
{
    const Token *next = parse_peek(p);
    if (next != p->last && next->word == WORD_SEMICOLON)
        next++;
    if (lost(p) || p->u->grammar_only || !at(p, WORD_END) ||
        !word_is_experiment(next->word))
        return;
    parse_report(p, p->token, "INTEGRAT has no END of its own");
    parse_advance(p);
}

/* A comma between two options, `METHOD RADAU, RELERR = 1E-6`: skipped, with a
   message. */
static void stray_comma(Parser *p, bool (*is_option)(Word))
{
    if (lost(p) || !at(p, WORD_COMMA) || !is_option(parse_peek(p)->word))
        return;
    parse_report(p, p->token,
                 "options are written side by side, without `,` between them");
    parse_advance(p);
}

/* integrat = "INTEGRAT" integrat_option { integrat_option } . */
static Node *integrat(Parser *p)
{
    Node *n = parse_node(p, NODE_INTEGRAT), *list;
    parse_advance(p);
    list = parse_node(p, NODE_LIST);
    do {
        node_add(list, integrat_option(p));
        stray_comma(p, is_integrat_option);
    } while (is_integrat_option(p->token->word));
    stray_end(p);
    node_add(n, parse_done(p, list));
    return parse_done(p, n);
}

/* ---- Statistics ---------------------------------------------------------- */

static Node *collect_item(Parser *p)
{
    return parse_path(p, "the name of a variable");
}

/* timepers_item = designator [ 'START' "=" expression ] . */
static Node *timepers_item(Parser *p)
{
    Node *n = parse_node(p, NODE_TIMEPERS_ITEM);
    Node *path = parse_text_path(p, n, "the name of a variable");
    if (parse_accept(p, WORD_START)) {
        equals(p, "and the value at the start");
        node_add(n, parse_expression(p));
    } else {
        node_add(n, parse_none(p));
    }
    parse_end_path(n, path);
    return parse_done(p, n);
}

/* histogram_item = designator ":" sum 'CELLS' [ 'WIDTH' "=" sum ]
                    [ 'FUPLIM' "=" sum ] . */
static Node *histogram_item(Parser *p)
{
    Node *n = parse_node(p, NODE_HISTOGRAM_ITEM);
    Node *path = parse_text_path(p, n, "the name of a variable");
    parse_expect(p, WORD_COLON, "and the number of cells");
    node_add(n, parse_sum(p));
    parse_expect(p, WORD_CELLS, "after their number");
    node_add(n, option_sum(p, WORD_WIDTH));
    node_add(n, option_sum(p, WORD_FUPLIM));
    parse_end_path(n, path);
    return parse_done(p, n);
}

/* collect = "COLLECT" [ 'QUANTILES' ]
             designator { "," designator | ";" [ designator ] } "END" .
   timepers = "TIMEPERS" timepers_item
              { "," timepers_item | ";" [ timepers_item ] } "END" .
   histogram = "HISTOGRAM" histogram_item { ";" [ histogram_item ] } "END" . */
static Node *statistics(Parser *p, NodeKind kind, Node *(*item)(Parser *),
                        bool commas)
{
    Node *n = parse_node(p, kind);
    const Token *opener = p->token;
    parse_advance(p);
    if (kind == NODE_COLLECT && parse_accept(p, WORD_QUANTILES))
        n->flags |= FLAG_QUANTILES;
    node_add(n, item_list(p, item, commas, opener));
    return parse_done(p, n);
}

/* ---- RANDOMGEN ----------------------------------------------------------- */

static bool is_random_option(Word w)
{
    switch (w) {
    case WORD_ALPHA:
    case WORD_AVTIM:
    case WORD_BETA:
    case WORD_CHANCE:
    case WORD_MAX:
    case WORD_MEAN:
    case WORD_MIN:
    case WORD_MODE:
    case WORD_SCALE:
    case WORD_SD:
    case WORD_SEED:
    case WORD_SHAPE:
    case WORD_STAGES:
    case WORD_TRIALS: return true;
    default: return false;
    }
}

/* random_option = ( 'AVTIM' | 'MIN' | ... ) "=" sum . */
static Node *random_option(Parser *p)
{
    Node *n = parse_node(p, NODE_OPTION);
    n->word = p->token->word;
    parse_advance(p);
    node_add(n, parse_equals_sum(p));
    return parse_done(p, n);
}

static Node *from_column(Parser *p)
{
    Node *n = parse_node(p, NODE_FROM_FILE), *list;
    parse_advance(p);
    n->text = parse_string(p, "the name of the file in quotes")->text;
    parse_expect(p, WORD_COLUMN, "and the name of a column");
    list = parse_node(p, NODE_LIST);
    node_add(list, parse_name_node(p, "the name of a column"));
    node_add(n, parse_done(p, list));
    return parse_done(p, n);
}

/* empirical = ( point { point } | 'FROM' STRING 'COLUMN' IDENT )
               [ 'SEED' "=" sum ] . */
static void empirical(Parser *p, Node *n)
{
    Node *options, *points;
    if (at(p, WORD_FROM)) {
        points = from_column(p);
    } else {
        points = parse_node(p, NODE_LIST);
        do {
            node_add(points, parse_point(p));
        } while (at(p, WORD_LPAREN));
        parse_done(p, points);
    }
    options = parse_node(p, NODE_LIST);
    if (at(p, WORD_SEED))
        node_add(options, random_option(p));
    node_add(n, parse_done(p, options));
    node_add(n, points);
}

#define WRITTEN_ROOM 200

/* The plain numbers of `(1, 4)`, `1, -4` or `2`, at most `most`. Returns how
   many; 0 if there are more, or if anything else is among them, as in 2*K. */
static uint32_t plain_values(const Token *t, const Token **value, uint32_t most)
{
    bool open = t->word == WORD_LPAREN, more = true;
    uint32_t n = 0;
    for (t += open; more && n < most; t += more) {
        value[n++] = t;
        t += t->word == WORD_MINUS;
        if (t->kind != TOKEN_INTEGER && t->kind != TOKEN_NUMBER)
            return 0;
        t++;
        more = t->word == WORD_COMMA;
    }
    if (open && t->word != WORD_RPAREN)
        return 0;
    t += open;
    return more || (t->kind == TOKEN_SYMBOL && t->word != WORD_SEMICOLON) ? 0
                                                                          : n;
}

/* Writes a distribution in full, as in UNIFORMD MIN = 1 MAX = 4: with the
   values at t, if there is one for each parameter, otherwise with `...`. NULL
   if the name is not that of a distribution, here or in another system. */
static const char *distribution_written(const char *name, const Token *t,
                                        char room[WRITTEN_ROOM])
{
    const char *ours = advice_distribution(name);
    uint32_t number = distribution_find(ours == NULL ? name : ours), n = 0;
    const Token *value[DISTRIBUTION_PARAMETERS];
    int length;
    if (number == DISTRIBUTIONS || number == DISTRIBUTION_EMPIRIC)
        return NULL;
    while (n < DISTRIBUTION_PARAMETERS && distribution_word(number, n) != NULL)
        n++;
    bool given = plain_values(t, value, n) == n;
    length = snprintf(room, WRITTEN_ROOM, "%s", distribution_at(number)->name);
    for (uint32_t k = 0; k < n && length < WRITTEN_ROOM; k++) {
        bool minus = given && value[k]->word == WORD_MINUS;
        length +=
            snprintf(room + length, (size_t)(WRITTEN_ROOM - length),
                     " %s = %s%.20s", distribution_word(number, k),
                     minus ? "-" : "", given ? value[k][minus].text : "...");
    }
    return room;
}

static bool at_plain_value(const Token *t)
{
    return t->word == WORD_LPAREN || t->word == WORD_MINUS ||
           t->kind == TOKEN_INTEGER || t->kind == TOKEN_NUMBER;
}

/* NORMALD (0, 1) and SIGMA = 1: what is missing then is not reported again. */
static void no_random_option(Parser *p, Node *name)
{
    char room[WRITTEN_ROOM];
    const char *written;
    if (at_plain_value(p->token)) {
        written = distribution_written(name->text, p->token, room);
        parse_fail(p, p->token,
                   "the values of `%.40s` have names%s %s (cosy doc randomgen)",
                   name->text, written == NULL ? ", as in" : ": write",
                   written == NULL ? "MEAN = 2" : written);
    } else if (at_kind(p, TOKEN_NAME) && parse_peek(p)->word == WORD_EQUAL) {
        parse_unexpected(p, "an option of the distribution (cosy doc "
                            "randomgen)");
    } else {
        return;
    }
    name->text = "";
}

/* `X = EXPOND MEAN = 2`, or with `:=`: read as `:`, with a message. Values
   without names belong to the same message. */
static bool misplaced_equals(Parser *p, const char *variable)
{
    const Token *name = parse_peek(p);
    char room[WRITTEN_ROOM];
    const char *written;
    if ((!at(p, WORD_EQUAL) && !at(p, WORD_BECOMES)) ||
        name->kind != TOKEN_NAME)
        return false;
    written = distribution_written(name->text, name + 1, room);
    if (written == NULL)
        return false;
    if (at_plain_value(name + 1)) {
        parse_fail(p, p->token,
                   "a distribution follows `:`: write %.40s: %s (cosy doc "
                   "randomgen)",
                   variable, written);
    } else {
        parse_report(p, p->token,
                     "a distribution follows `:`, not `%s`: write %.40s: %s",
                     word_text(p->token->word), variable, written);
        parse_advance(p);
    }
    return true;
}

/* distribution = 'EMPIRIC' empirical | IDENT { random_option } . */
static void distribution(Parser *p, Node *n, const char *variable)
{
    Node *options, *name;
    bool is_empirical;
    if (!misplaced_equals(p, variable))
        parse_expect(p, WORD_COLON, "and the distribution");
    is_empirical = at(p, WORD_EMPIRIC);
    name = parse_name_node(p, "the name of a distribution");
    node_add(n, name);
    if (is_empirical) {
        empirical(p, n);
        return;
    }
    options = parse_node(p, NODE_LIST);
    while (is_random_option(p->token->word))
        node_add(options, random_option(p));
    no_random_option(p, name);
    node_add(n, parse_done(p, options));
    node_add(n, parse_none(p));
}

/* random_item = designator ":" distribution [ 'ANTITHETIC' ] [ 'COMMON' ] . */
static Node *random_item(Parser *p)
{
    Node *n = parse_node(p, NODE_RANDOM_ITEM);
    Node *path = parse_text_path(p, n, "the name of a RANDOM variable");
    distribution(p, n, n->text);
    partners(p, n);
    parse_end_path(n, path);
    return parse_done(p, n);
}

/* ---- UNCERTAIN ----------------------------------------------------------- */

/* uncertain_item = designator ":" distribution . */
static Node *uncertain_item(Parser *p)
{
    Node *n = parse_node(p, NODE_UNCERTAIN_ITEM);
    const Token *name = p->token;
    node_add(n, parse_designator(p));
    distribution(p, n, name->kind == TOKEN_NAME ? name->text : "X");
    return parse_done(p, n);
}

/* uncertain = "UNCERTAIN" sum [ 'LATIN' | 'SOBOL' | 'PLAIN' ] [ 'INDICES' ]
               [ 'SEED' "=" sum ] ":" uncertain_item { ";" [ uncertain_item ] }
               "END" . */
static Node *uncertain(Parser *p)
{
    Node *n = parse_node(p, NODE_UNCERTAIN);
    const Token *opener = p->token;
    parse_advance(p);
    node_add(n, parse_sum(p));
    if (at(p, WORD_LATIN) || at(p, WORD_SOBOL) || at(p, WORD_PLAIN)) {
        n->word = p->token->word;
        parse_advance(p);
    }
    if (parse_accept(p, WORD_INDICES))
        n->flags |= FLAG_INDICES;
    node_add(n,
             parse_accept(p, WORD_SEED) ? parse_equals_sum(p) : parse_none(p));
    parse_expect(p, WORD_COLON, "and the uncertain parameters");
    node_add(n, item_list(p, uncertain_item, false, opener));
    return parse_done(p, n);
}

/* ---- Running ------------------------------------------------------------- */

/* [ 'COMINT' "=" ( 'LOG' sum | sum ) ] */
static Node *comint(Parser *p, Node *simulate)
{
    if (!parse_accept(p, WORD_COMINT))
        return parse_none(p);
    equals(p, "and the communication interval");
    if (parse_accept(p, WORD_LOG))
        simulate->flags |= FLAG_LOG;
    return parse_sum(p);
}

/* simulate = "SIMULATE" 'FROM' sum "TO" ( "FINISH" | sum )
              [ 'COMINT' "=" ( 'LOG' sum | sum ) ]
              [ 'REALTIME' [ 'FACTOR' "=" sum ] ] . */
static bool is_comint(Word w)
{
    return w == WORD_COMINT;
}

static Node *simulate(Parser *p)
{
    Node *n = parse_node(p, NODE_SIMULATE), *factor;
    parse_advance(p);
    parse_expect(p, WORD_FROM, "and the start time");
    node_add(n, parse_sum(p));
    parse_expect(p, WORD_TO, "and the end time, or FINISH");
    node_add(n, parse_accept(p, WORD_FINISH) ? parse_none(p) : parse_sum(p));
    stray_comma(p, is_comint);
    node_add(n, comint(p, n));
    if (parse_accept(p, WORD_REALTIME)) {
        n->flags |= FLAG_REALTIME;
        factor = option_sum(p, WORD_FACTOR);
    } else {
        factor = parse_none(p);
    }
    node_add(n, factor);
    return parse_done(p, n);
}

/* steadystate = "STEADYSTATE" [ 'TOL' "=" sum ] .
   features = "FEATURES" [ 'ACCURACY' "=" sum ] . */
static Node *one_option(Parser *p, NodeKind kind, Word w)
{
    Node *n = parse_node(p, kind);
    parse_advance(p);
    node_add(n, option_sum(p, w));
    return parse_done(p, n);
}

/* reduction = 'REDUCE' [ "TO" sum ] [ 'ACCURACY' "=" sum ] . */
static Node *reduction(Parser *p)
{
    Node *n = parse_node(p, NODE_REDUCTION);
    parse_advance(p);
    node_add(n, parse_accept(p, WORD_TO) ? parse_sum(p) : parse_none(p));
    node_add(n, option_sum(p, WORD_ACCURACY));
    return parse_done(p, n);
}

/* linearize = "LINEARIZE" [ "EVERY" sum ]
               [ 'INPUTS' designator { "," designator } ]
               [ 'OUTPUTS' designator { "," designator } ]
               [ reduction ] . */
static Node *linearize(Parser *p)
{
    Node *n = parse_node(p, NODE_LINEARIZE);
    parse_advance(p);
    node_add(n, parse_accept(p, WORD_EVERY) ? parse_sum(p) : parse_none(p));
    node_add(n, option_designators(p, WORD_INPUTS));
    node_add(n, option_designators(p, WORD_OUTPUTS));
    if (at(p, WORD_REDUCE))
        node_add(n, reduction(p));
    return parse_done(p, n);
}

/* gridcheck = "GRIDCHECK" [ 'OFF' | designator { "," designator } ] . */
static Node *gridcheck(Parser *p)
{
    Node *n = parse_node(p, NODE_GRIDCHECK);
    parse_advance(p);
    bool off = parse_accept(p, WORD_OFF);
    if (off)
        n->word = WORD_OFF;
    node_add(n, !off && at_kind(p, TOKEN_NAME) ? parse_designators(p)
                                               : parse_node(p, NODE_LIST));
    return parse_done(p, n);
}

/* clear = "CLEAR" ( 'AT' expression | 'AUTO' "OF" designator ) . */
static Node *clear(Parser *p)
{
    Node *n = parse_node(p, NODE_CLEAR);
    parse_advance(p);
    if (parse_accept(p, WORD_AUTO)) {
        n->word = WORD_AUTO;
        parse_expect(p, WORD_OF, "and what the warm-up is found from");
        node_add(n, parse_designator(p));
        return parse_done(p, n);
    }
    parse_expect(p, WORD_AT, "and the time at which statistics start again");
    node_add(n, parse_expression(p));
    return parse_done(p, n);
}

/* experiment = "EXPERIMENT" statements "END" .
   frame = "FRAME" statements "END" . */
static Node *statements_block(Parser *p, NodeKind kind)
{
    Node *n = parse_node(p, kind);
    const Token *opener = p->token;
    parse_advance(p);
    node_add(n, parse_statements(p));
    parse_close(p, opener);
    return parse_done(p, n);
}

Node *parse_experiment(Parser *p)
{
    return statements_block(p, NODE_EXPERIMENT);
}

Node *parse_experiment_statement(Parser *p)
{
    switch (p->token->word) {
    case WORD_FRAME: return statements_block(p, NODE_FRAME);
    case WORD_PARAMETER:
    case WORD_INITCOND:
    case WORD_GUESS: return settings(p);
    case WORD_SWEEP: return sweep(p);
    case WORD_REPLICATE: return replicate(p);
    case WORD_INTEGRAT: return integrat(p);
    case WORD_COLLECT: return statistics(p, NODE_COLLECT, collect_item, true);
    case WORD_TIMEPERS:
        return statistics(p, NODE_TIMEPERS, timepers_item, true);
    case WORD_HISTOGRAM:
        return statistics(p, NODE_HISTOGRAM, histogram_item, false);
    case WORD_RANDOMGEN:
        return statistics(p, NODE_RANDOMGEN, random_item, false);
    case WORD_UNCERTAIN: return uncertain(p);
    case WORD_SIMULATE: return simulate(p);
    case WORD_STEADYSTATE: return one_option(p, NODE_STEADYSTATE, WORD_TOL);
    case WORD_LINEARIZE: return linearize(p);
    case WORD_MINIMIZE:
    case WORD_MAXIMIZE:
    case WORD_SOLVE:
    case WORD_FIT:
    case WORD_SENSITIVITY: return parse_search(p);
    case WORD_FEATURES: return one_option(p, NODE_FEATURES, WORD_ACCURACY);
    case WORD_GRIDCHECK: return gridcheck(p);
    default: return clear(p);
    }
}

/* ---- OUTPUT -------------------------------------------------------------- */

/* [ "(" ( 'ALL' | 'CROSSF' | 'TIMEF' | 'MEAN' | sum ) ")" ] */
static Node *run_number(Parser *p)
{
    Node *n;
    if (!parse_accept(p, WORD_LPAREN))
        return parse_none(p);
    if (at(p, WORD_ALL) || at(p, WORD_CROSSF) || at(p, WORD_TIMEF) ||
        at(p, WORD_MEAN)) {
        n = parse_leaf(p, NODE_NAME, p->token);
        n->word = p->token->word;
        parse_advance(p);
    } else {
        n = parse_sum(p);
    }
    parse_expect(p, WORD_RPAREN, "after the number of the run");
    return n;
}

/* A designator stays as it is; an expression becomes SHOWN. */
static Node *shown(Parser *p)
{
    Node *n = parse_node(p, NODE_SHOWN), *e = parse_expression(p);
    if (e->kind == NODE_NAME || e->kind == NODE_INDEX || e->kind == NODE_SELECT)
        return e;
    node_add(n, e);
    return parse_done(p, n);
}

static Node *shown_list(Parser *p)
{
    Node *list = parse_node(p, NODE_LIST);
    do
        node_add(list, shown(p));
    while (parse_accept(p, WORD_COMMA));
    return parse_done(p, list);
}

/* PLOT(X, V): after the number of a run comes `:` or VERSUS. */
static bool is_called(const Parser *p)
{
    const Token *t = p->token;
    uint32_t depth = 0;
    if (p->u->grammar_only || !at(p, WORD_LPAREN))
        return false;
    for (; t < p->last && t->word != WORD_SEMICOLON && t->word != WORD_END;
         t++) {
        if (t->word == WORD_LPAREN)
            depth++;
        else if (t->word == WORD_RPAREN && --depth == 0)
            return t[1].word == WORD_SEMICOLON || t[1].word == WORD_END;
    }
    return false;
}

/* With so many children before the list. */
static Node *called(Parser *p, Node *n, uint32_t children)
{
    parse_report(p, p->token,
                 "what is shown stands after a colon: %s: X, Y; in parentheses "
                 "stands the number of a run",
                 word_text(n->word));
    parse_advance(p);
    for (uint32_t k = 0; k < children; k++)
        node_add(n, parse_none(p));
    node_add(n, shown_list(p));
    parse_expect(p, WORD_RPAREN, "after what is shown");
    return parse_done(p, n);
}

static bool is_named_time(const Token *t)
{
    return t->kind == TOKEN_NAME && name_same(t->text, "TIME");
}

/* Whether the line ends with AT TIME = (...), after a colon that does not belong
   there. */
static bool has_times(const Parser *p)
{
    const Token *t = p->token;
    while (t < p->last && t->word != WORD_SEMICOLON && t->word != WORD_END &&
           !(t->word == WORD_AT && is_named_time(t + 1)))
        t++;
    return !p->u->grammar_only && t < p->last && t->word == WORD_AT;
}

/* [ at_times ] ; at_times = 'AT' IDENT "=" value_list . The name is TIME. */
static Node *times(Parser *p)
{
    if (!parse_accept(p, WORD_AT))
        return parse_none(p);
    if (!at_kind(p, TOKEN_NAME) ||
        !(p->u->grammar_only || is_named_time(p->token))) {
        parse_unexpected(p, "TIME and a list of times: AT TIME = (0, 1, 2)");
        return parse_none(p);
    }
    parse_advance(p);
    parse_expect(p, WORD_EQUAL, "and a list of times in parentheses");
    if (at(p, WORD_LPAREN))
        return value_list(p);
    parse_unexpected(p, "times in parentheses: AT TIME = (0, 1, 2)");
    return parse_none(p);
}

/* designators [ 'VIEW' signed_number "," signed_number ] [ at_times ], after the
   run and the form. */
static Node *field_lines(Parser *p, Node *n, bool pictures, bool must)
{
    Node *list = parse_node(p, NODE_LIST), *azimuth, *elevation, *at_times;
    do
        node_add(list, parse_designator(p));
    while (parse_accept(p, WORD_COMMA));
    list = parse_done(p, list);
    bool view = pictures && parse_accept(p, WORD_VIEW);
    azimuth = view ? parse_signed_number(p) : parse_none(p);
    if (view)
        parse_expect(p, WORD_COMMA, "and the elevation");
    elevation = view ? parse_signed_number(p) : parse_none(p);
    if (must && !at(p, WORD_AT))
        parse_unexpected(p, "`:` before what is shown over time, or AT TIME = "
                            "(0, 1, 2) after an array that is shown over its "
                            "index");
    at_times = times(p);
    node_add(n, azimuth);
    node_add(n, elevation);
    node_add(n, at_times);
    node_add(n, list);
    return parse_done(p, n);
}

/* over_index = designators at_times | 'SHADE' designators [ at_times ] . */
static Node *over_index(Parser *p, Node *n)
{
    bool shades = at(p, WORD_SHADE);
    n->kind = NODE_SHOW_FIELD;
    if (shades) {
        Node *form = parse_leaf(p, NODE_NAME, p->token);
        form->word = WORD_SHADE;
        parse_advance(p);
        node_add(n, form);
    } else {
        node_add(n, parse_none(p));
    }
    return field_lines(p, n, false, !shades);
}

static Node *show(Parser *p)
{
    Node *n = parse_node(p, NODE_SHOW);
    n->word = p->token->word;
    parse_advance(p);
    if (is_called(p))
        return called(p, n, 3);
    node_add(n, run_number(p));
    if (at_kind(p, TOKEN_NAME) && !at(p, WORD_VERSUS))
        return over_index(p, n);
    bool versus = parse_accept(p, WORD_VERSUS);
    node_add(n, versus ? shown(p) : parse_none(p));
    node_add(n,
             versus && parse_accept(p, WORD_COMMA) ? shown(p) : parse_none(p));
    if (at(p, WORD_COLON) && has_times(p))
        parse_fail(p, p->token,
                   "what is shown AT TIME = (...) stands without a colon: %s "
                   "U AT TIME = (0, 1, 2)",
                   word_text(n->word));
    parse_expect(p, WORD_COLON, "and what is to be shown");
    node_add(n, shown_list(p));
    return parse_done(p, n);
}

/* ---- Operations on data ---- */

/* The number of another run, of which there may be no word. */
static Node *signal_run(Parser *p, bool two, Node **other)
{
    Node *n;
    *other = parse_none(p);
    if (!parse_accept(p, WORD_LPAREN))
        return parse_none(p);
    if (at(p, WORD_ALL) || at(p, WORD_TIMEF)) {
        n = parse_leaf(p, NODE_NAME, p->token);
        n->word = p->token->word;
        parse_advance(p);
    } else {
        if (at(p, WORD_CROSSF) && !p->u->grammar_only)
            parse_fail(p, p->token,
                       "the cross file has one point per run, and no course "
                       "over time: name a run by its number");
        n = parse_sum(p);
    }
    if (two && parse_accept(p, WORD_COMMA))
        *other = parse_sum(p);
    parse_expect(p, WORD_RPAREN, "after the number of the run");
    return n;
}

/* [ "WITH" STRING 'COLUMNS' IDENT "," IDENT { "," IDENT } ] */
static Node *compared_data(Parser *p)
{
    Node *n, *list;
    if (!at(p, WORD_WITH))
        return parse_none(p);
    n = parse_node(p, NODE_FROM_FILE);
    parse_advance(p);
    n->text = parse_string(p, "the name of the file in quotes")->text;
    if (at(p, WORD_COLUMN) && !p->u->grammar_only) {
        parse_report(p, p->token,
                     "there are at least two columns: write COLUMNS, the "
                     "column of the times, and one for each variable");
        parse_advance(p);
    } else {
        parse_expect(p, WORD_COLUMNS, "and the column of the times");
    }
    list = parse_node(p, NODE_LIST);
    node_add(list, parse_name_node(p, "the name of the column of the times"));
    parse_expect(p, WORD_COMMA, "and the column of the values");
    do
        node_add(list, parse_name_node(p, "the name of a column"));
    while (parse_accept(p, WORD_COMMA));
    node_add(n, parse_done(p, list));
    return parse_done(p, n);
}

/* What follows the word: [run], NONE, [other run], [lag], [FROM_FILE], LIST. The
   data are written last, and are no variables, which a list is. */
static Node *signal_line(Parser *p, bool two)
{
    Node *n = parse_node(p, NODE_SHOW), *other, *lag, *list;
    n->word = p->token->word;
    parse_advance(p);
    if (is_called(p))
        return called(p, n, 5);
    node_add(n, signal_run(p, two, &other));
    node_add(n, parse_none(p));
    node_add(n, other);
    if (n->word == WORD_SPECTRUM && parse_accept(p, WORD_HANN))
        n->flags |= FLAG_HANN;
    else if (n->word == WORD_SPECTRUM && parse_accept(p, WORD_DENSITY))
        n->flags |= FLAG_DENSITY;
    bool lags = n->word == WORD_AUTOCORR || n->word == WORD_CROSSCORR;
    lag =
        lags && parse_accept(p, WORD_LAG) ? parse_equals_sum(p) : parse_none(p);
    parse_expect(p, WORD_COLON, "and what is to be shown");
    list = shown_list(p);
    node_add(n, lag);
    node_add(n, two ? compared_data(p) : parse_none(p));
    node_add(n, list);
    return parse_done(p, n);
}

/* spectrum = 'SPECTRUM' [ "(" ( 'ALL' | 'TIMEF' | sum ) ")" ]
              [ 'HANN' | 'DENSITY' ] ":" expression { "," expression } . */
static Node *spectrum(Parser *p)
{
    return signal_line(p, false);
}

/* correlation = ( 'AUTOCORR' | 'CROSSCORR' ) [ "(" ( 'ALL' | 'TIMEF' | sum ) ")" ]
                 [ 'LAG' "=" sum ] ":" expression { "," expression } . */
static Node *correlation(Parser *p)
{
    return signal_line(p, false);
}

/* comparison = 'COMPARE' [ "(" ( 'ALL' | 'TIMEF' | sum ) [ "," sum ] ")" ]
                ":" expression { "," expression }
                [ "WITH" STRING 'COLUMNS' IDENT "," IDENT { "," IDENT } ] . */
static Node *comparison(Parser *p)
{
    return signal_line(p, true);
}

/* 'FACTOR' factor { factor } ; factor = ( 'XFAK' | 'YFAK' ) "=" sum . */
static Node *factors(Parser *p)
{
    Node *n = parse_node(p, NODE_FACTOR), *list;
    parse_advance(p);
    list = parse_node(p, NODE_LIST);
    if (!at(p, WORD_XFAK) && !at(p, WORD_YFAK))
        parse_unexpected(p, "XFAK or YFAK");
    while (at(p, WORD_XFAK) || at(p, WORD_YFAK))
        node_add(list, random_option(p));
    node_add(n, parse_done(p, list));
    return parse_done(p, n);
}

static bool scale_word(Parser *p, Node *n)
{
    if (parse_accept(p, WORD_LOGX))
        n->flags |= FLAG_LOGX;
    else if (parse_accept(p, WORD_LOGY))
        n->flags |= FLAG_LOGY;
    else
        return false;
    return true;
}

/* 'SCALE' ( 'LOGX' | 'LOGY' ) [ 'LOGX' | 'LOGY' ] */
static Node *scale(Parser *p)
{
    Node *n = parse_node(p, NODE_SCALE);
    parse_advance(p);
    if (!scale_word(p, n))
        parse_unexpected(p, "LOGX or LOGY");
    scale_word(p, n);
    return parse_done(p, n);
}

/* field_picture = [ "(" ( 'ALL' | 'TIMEF' | sum ) ")" ] designators
                   [ 'VIEW' signed_number "," signed_number ] [ at_times ] . */
static Node *show_field(Parser *p)
{
    Node *n = parse_node(p, NODE_SHOW_FIELD), *other;
    n->word = p->token->word;
    parse_advance(p);
    if (at(p, WORD_COLON) && !p->u->grammar_only) {
        parse_report(p, p->token, "%s U stands without a colon",
                     word_text(n->word));
        parse_advance(p);
    }
    node_add(n, signal_run(p, false, &other));
    node_add(n, parse_none(p));
    return field_lines(p, n, true, false);
}

static Node *title(Parser *p)
{
    Node *n = parse_node(p, NODE_TITLE);
    parse_advance(p);
    n->text = parse_string(p, "the title in quotes")->text;
    return parse_done(p, n);
}

static void no_output_item(Parser *p)
{
    static const Word words[] = {WORD_TITLE,    WORD_LIST,      WORD_PLOT,
                                 WORD_GRAPH,    WORD_OVERPLOT,  WORD_BARS,
                                 WORD_FACTOR,   WORD_SCALE,     WORD_CONTOUR,
                                 WORD_SHADE,    WORD_SURFACE,   WORD_SPECTRUM,
                                 WORD_AUTOCORR, WORD_CROSSCORR, WORD_COMPARE};
    Word meant = at_kind(p, TOKEN_NAME)
                     ? parse_meant(p->token->text, words, LENGTH(words))
                     : WORD_NONE;
    if (at_kind(p, TOKEN_NAME) && name_same(p->token->text, "TABLE"))
        meant = WORD_LIST;
    if (meant != WORD_NONE)
        parse_fail(p, p->token,
                   "`%.40s` is not an item of OUTPUT: did you mean %s?",
                   p->token->text, word_text(meant));
    else if (at(p, WORD_HISTOGRAM))
        parse_fail(p, p->token,
                   "HISTOGRAM stands in EXPERIMENT, and BARS shows it here");
    else
        parse_unexpected(p, "TITLE, LIST, PLOT, GRAPH or another word of "
                            "OUTPUT");
}

/* output_item = 'TITLE' STRING | ( 'LIST' | ... ) ... | spectrum | correlation
                 | comparison | 'FACTOR' ... | 'SCALE' ...
                 | ( 'CONTOUR' | 'SHADE' | 'SURFACE' ) field_picture . */
static void output_item(Parser *p, Node *list)
{
    switch (p->token->word) {
    case WORD_TITLE: node_add(list, title(p)); break;
    case WORD_LIST:
    case WORD_PLOT:
    case WORD_GRAPH:
    case WORD_OVERPLOT:
    case WORD_BARS: node_add(list, show(p)); break;
    case WORD_SPECTRUM: node_add(list, spectrum(p)); break;
    case WORD_AUTOCORR:
    case WORD_CROSSCORR: node_add(list, correlation(p)); break;
    case WORD_COMPARE: node_add(list, comparison(p)); break;
    case WORD_FACTOR: node_add(list, factors(p)); break;
    case WORD_SCALE: node_add(list, scale(p)); break;
    case WORD_CONTOUR:
    case WORD_SHADE:
    case WORD_SURFACE: node_add(list, show_field(p)); break;
    default: no_output_item(p);
    }
}

/* Reads the `;` after an item; reports one that is missing at the end of a
   line. */
static bool next_item(Parser *p)
{
    parse_recover(p);
    if (parse_accept(p, WORD_SEMICOLON))
        return true;
    if (at(p, WORD_END) || at_kind(p, TOKEN_END) || p->stopped ||
        word_is_outer(p->token->word))
        return false;
    if (at_kind(p, TOKEN_NAME) && parse_on_new_line(p, p->token)) {
        parse_missing(p, "`;` is missing between two items");
        return true;
    }
    parse_unexpected(p, "`;` or END");
    parse_recover(p);
    return parse_accept(p, WORD_SEMICOLON);
}

/* output = "OUTPUT" [ output_item ] { ";" [ output_item ] } "END" . */
Node *parse_output(Parser *p)
{
    Node *n = parse_node(p, NODE_OUTPUT), *list;
    const Token *opener = p->token;
    parse_advance(p);
    list = parse_node(p, NODE_LIST);
    do {
        if (!at(p, WORD_SEMICOLON) && !at(p, WORD_END) &&
            !at_kind(p, TOKEN_END) && !word_is_outer(p->token->word))
            output_item(p, list);
    } while (next_item(p));
    node_add(n, parse_done(p, list));
    parse_close(p, opener);
    return parse_done(p, n);
}
