#include "syntax/parse.h"

/* ---- Leaves -------------------------------------------------------------- */

Node *parse_name_node(Parser *p, const char *what)
{
    const Token *t = parse_name(p, what);
    return parse_leaf(p, NODE_NAME, t);
}

Node *parse_string(Parser *p, const char *what)
{
    Node *n = parse_leaf(p, NODE_STRING, p->token);
    if (at_kind(p, TOKEN_STRING))
        parse_advance(p);
    else
        parse_unexpected(p, what);
    return n;
}

/* A whole number without a unit. */
Node *parse_integer(Parser *p, const char *what)
{
    Node *n = parse_leaf(p, NODE_INTEGER, p->token);
    if (at_kind(p, TOKEN_INTEGER))
        parse_advance(p);
    else
        parse_unexpected(p, what);
    node_add(n, parse_none(p));
    return n;
}

/* number = INTEGER | NUMBER . With its unit, if there is one. */
Node *parse_number(Parser *p)
{
    bool whole = at_kind(p, TOKEN_INTEGER);
    Node *n = parse_leaf(p, whole ? NODE_INTEGER : NODE_NUMBER, p->token);
    if (whole || at_kind(p, TOKEN_NUMBER))
        parse_advance(p);
    else
        parse_unexpected(p, "a number");
    node_add(n, parse_unit(p));
    return parse_done(p, n);
}

static Node *unary(Parser *p, Node *(*operand)(Parser *))
{
    Node *n = parse_node(p, NODE_UNARY);
    n->word = p->token->word;
    parse_advance(p);
    node_add(n, operand(p));
    return parse_done(p, n);
}

/* signed_number = [ "+" | "-" ] number [ unit ] . */
Node *parse_signed_number(Parser *p)
{
    if (at(p, WORD_PLUS) || at(p, WORD_MINUS))
        return unary(p, parse_number);
    return parse_number(p);
}

/* point = "(" signed_number ( "," | "*" ) signed_number ")" . */
Node *parse_point(Parser *p)
{
    Node *n = parse_node(p, NODE_POINT);
    parse_expect(p, WORD_LPAREN, "before a point");
    node_add(n, parse_signed_number(p));
    if (!parse_accept(p, WORD_TIMES))
        parse_expect(p, WORD_COMMA, "between the two numbers of a point");
    node_add(n, parse_signed_number(p));
    parse_expect(p, WORD_RPAREN, "after a point");
    return parse_done(p, n);
}

/* bound = [ "+" | "-" ] primary . */
Node *parse_bound(Parser *p)
{
    if (at(p, WORD_PLUS) || at(p, WORD_MINUS))
        return unary(p, parse_primary);
    return parse_primary(p);
}

/* ---- Units --------------------------------------------------------------- */

static void unit_product(Parser *p);

/* unit_factor = ( IDENT | INTEGER | "%" | "(" unit_product ")" )
                 [ "^" [ "-" ] INTEGER ] . */
static void unit_factor(Parser *p)
{
    if (parse_accept(p, WORD_LPAREN)) {
        unit_product(p);
        parse_expect(p, WORD_RPAREN, "in this unit");
    } else if (at_kind(p, TOKEN_NAME) || at_kind(p, TOKEN_INTEGER) ||
               at(p, WORD_PERCENT)) {
        parse_advance(p);
    } else {
        parse_unexpected(p, "a unit, as in [m/s^2],");
    }
    if (parse_accept(p, WORD_CARET)) {
        parse_accept(p, WORD_MINUS);
        if (at_kind(p, TOKEN_INTEGER))
            parse_advance(p);
        else
            parse_unexpected(p, "a whole number as exponent of the unit");
    }
}

/* unit_product = unit_factor { ( "*" | "/" ) unit_factor } . */
static void unit_product(Parser *p)
{
    if (!parse_enter(p))
        return;
    do {
        unit_factor(p);
    } while (parse_accept(p, WORD_TIMES) || parse_accept(p, WORD_SLASH));
    parse_leave(p);
}

/* The spellings from one token to another, without blanks. */
static const char *joined(Parser *p, const Token *from, const Token *to)
{
    Buffer b = {0};
    char *text;
    const char *s;
    size_t n = 0;
    for (const Token *t = from; t < to; t++) {
        parse_as_name(t); // case matters
        buffer_text(&b, t->text);
    }
    s = buffer_string(&b);
    while (s[n] != '\0')
        n++;
    text = NEW_ARRAY(p->u->arena, char, n + 1);
    for (size_t k = 0; text != NULL && k < n; k++)
        text[k] = s[k];
    buffer_free(&b);
    return text == NULL ? "" : text;
}

/* unit = "[" unit_product "]" . */
Node *parse_unit(Parser *p)
{
    Node *n;
    const Token *from;
    if (!at(p, WORD_LBRACKET))
        return parse_none(p);
    n = parse_node(p, NODE_UNIT);
    parse_advance(p);
    from = p->token;
    unit_product(p);
    n->text = lost(p) || p->stopped ? "" : joined(p, from, p->token);
    parse_expect(p, WORD_RBRACKET,
                 "after the unit (units are multiplied by `*`)");
    return parse_done(p, n);
}

/* ---- Designators --------------------------------------------------------- */

static Node *indices(Parser *p, Node *of)
{
    Node *n = parse_from(p, NODE_INDEX, of), *list;
    parse_advance(p);
    list = parse_node(p, NODE_LIST);
    do {
        node_add(list, parse_expression(p));
    } while (parse_accept(p, WORD_COMMA));
    node_add(n, of);
    node_add(n, parse_done(p, list));
    parse_expect(p, WORD_RBRACKET, "after the index");
    return parse_done(p, n);
}

static Node *selection(Parser *p, Node *of)
{
    Node *n = parse_from(p, NODE_SELECT, of), *which;
    parse_advance(p);
    if (parse_accept(p, WORD_LPAREN)) {
        which = parse_expression(p);
        parse_expect(p, WORD_RPAREN, "after the number of the entry");
    } else if (at_kind(p, TOKEN_INTEGER)) {
        which = parse_integer(p, "");
    } else {
        which = parse_name_node(p, "a name, a number or an expression in "
                                   "parentheses");
    }
    node_add(n, of);
    node_add(n, which);
    return parse_done(p, n);
}

/* designator = IDENT { "[" expression { "," expression } "]"
                      | "." ( IDENT | INTEGER | "(" expression ")" ) } . */
static Node *designator(Parser *p, const char *what)
{
    Node *n = parse_name_node(p, what);
    for (;;) {
        if (at(p, WORD_LBRACKET))
            n = indices(p, n);
        else if (at(p, WORD_DOT))
            n = selection(p, n);
        else
            return n;
        if (n->height > LIMIT_HEIGHT) {
            parse_fail(p, p->token, "this name has too many parts");
            return n;
        }
    }
}

Node *parse_designator(Parser *p)
{
    return designator(p, "a name");
}

Node *parse_path(Parser *p, const char *what)
{
    Node *n = designator(p, what);
    if (n->kind != NODE_NAME)
        p->u->parted = true; // it means something in parts only
    return n;
}

Node *parse_text_path(Parser *p, Node *n, const char *what)
{
    Node *path = parse_path(p, what), *root = path;
    while (root->kind != NODE_NAME)
        root = root->first;
    n->text = root->text;
    return path == root ? NULL : path;
}

void parse_end_path(Node *n, Node *path)
{
    if (!path)
        return;
    n->flags |= FLAG_PATH;
    node_add(n, path);
}

/* The primes after `of`, and the index that may follow them: X'[2] is X[2]'. */
static Node *derivative(Parser *p, Node *of)
{
    Node *n = parse_from(p, NODE_DERIVATIVE, of);
    while (parse_accept(p, WORD_PRIME))
        n->integer++;
    if (at(p, WORD_LBRACKET))
        of = indices(p, of);
    node_add(n, of);
    return parse_done(p, n);
}

/* place = designator [ "'" { "'" } [ "[" expression { "," expression } "]" ] ]
   . */
static Node *place(Parser *p, const char *what)
{
    Node *n = designator(p, what);
    return at(p, WORD_PRIME) ? derivative(p, n) : n;
}

Node *parse_place(Parser *p)
{
    return place(p, "a name");
}

Node *parse_designators(Parser *p)
{
    Node *list = parse_node(p, NODE_LIST);
    do {
        node_add(list, parse_designator(p));
    } while (parse_accept(p, WORD_COMMA));
    return parse_done(p, list);
}

/* ---- Actuals ------------------------------------------------------------- */

static Node *series(Parser *p, Node *variable)
{
    Node *n = parse_from(p, NODE_SERIES, variable);
    if (variable->kind != NODE_NAME)
        parse_beyond(p, variable->at, variable->origin,
                     "the variable of a series is a plain name, as in "
                     "SUM (I := 1 TO N : X[I])");
    parse_advance(p);
    node_add(n, variable);
    node_add(n, parse_expression(p));
    parse_expect(p, WORD_TO, "and the last value");
    node_add(n, parse_expression(p));
    node_add(n, parse_accept(p, WORD_EXCEPT) ? parse_sum(p) : parse_none(p));
    parse_expect(p, WORD_COLON, "before the terms of the series");
    node_add(n, parse_expression(p));
    return parse_done(p, n);
}

/* K IN P : Q[K] */
static Node *gather(Parser *p, Node *variable)
{
    Node *n = parse_from(p, NODE_GATHER, variable);
    if (variable->kind != NODE_NAME)
        parse_beyond(p, variable->at, variable->origin,
                     "the variable of a series is a plain name, as in "
                     "SUM (K IN P : P[K].X)");
    parse_advance(p);
    node_add(n, variable);
    node_add(n, parse_name_node(p, "the CONTINUOUS PROCESS whose copies are "
                                   "gone through"));
    parse_expect(p, WORD_COLON, "before the terms of the series");
    node_add(n, parse_expression(p));
    return parse_done(p, n);
}

/* actual = expression [ ":=" expression "TO" expression [ 'EXCEPT' sum ]
                         ":" expression
                       | 'IN' IDENT ":" expression
                       | ":" sum [ ":" sum ] ]
          | "PREEMPT" . The latter is only a flag of the list. */
static Node *actual(Parser *p)
{
    Node *value = parse_expression(p), *n;
    if (at(p, WORD_BECOMES))
        return series(p, value);
    if (p->token->word == WORD_IN)
        return gather(p, value);
    n = parse_from(p, NODE_ACTUAL, value);
    node_add(n, value);
    if (parse_accept(p, WORD_COLON)) {
        node_add(n, parse_sum(p));
        node_add(n, parse_accept(p, WORD_COLON) ? parse_sum(p) : parse_none(p));
    } else {
        node_add(n, parse_none(p));
        node_add(n, parse_none(p));
    }
    return parse_done(p, n);
}

/* "PREEMPT" in DOWN(f, PREEMPT). */
static uint32_t preempt(Parser *p, bool downs)
{
    if (!downs)
        parse_beyond(p, p->token->at, p->token->origin,
                     "PREEMPT is an argument of DOWN only: DOWN(f, PREEMPT)");
    parse_advance(p);
    return FLAG_PREEMPT;
}

/* actual_list = actual { "," actual } . */
static Node *actual_list(Parser *p)
{
    Node *list = parse_node(p, NODE_LIST);
    bool downs = p->downs;
    p->downs = false;
    if (at(p, WORD_ARROW) || at(p, WORD_RPAREN))
        return list;
    do {
        if (at(p, WORD_PREEMPT))
            list->flags |= preempt(p, downs);
        else
            node_add(list, actual(p));
    } while (parse_accept(p, WORD_COMMA));
    return parse_done(p, list);
}

/* actuals = "(" [ actual_list ] [ "<-" [ actual_list ] ] ")" . */
Node *parse_actuals(Parser *p)
{
    Node *n = parse_node(p, NODE_ACTUALS);
    parse_expect(p, WORD_LPAREN, "before the arguments");
    node_add(n, actual_list(p));
    if (parse_accept(p, WORD_ARROW)) {
        n->flags |= FLAG_ARROW;
        node_add(n, actual_list(p));
    } else {
        node_add(n, parse_node(p, NODE_LIST));
    }
    parse_expect(p, WORD_RPAREN, "or `,` in this list");
    return parse_done(p, n);
}

Node *parse_no_actuals(Parser *p)
{
    Node *n = parse_node(p, NODE_ACTUALS);
    node_add(n, parse_node(p, NODE_LIST));
    node_add(n, parse_node(p, NODE_LIST));
    n->at.length = 0;
    return n;
}

/* ---- Expressions --------------------------------------------------------- */

static Node *atom(Parser *p);

static void field_pair(Parser *p, Node *n)
{
    parse_advance(p);
    node_add(n, parse_expression(p));
    node_add(n,
             parse_accept(p, WORD_COMMA) ? parse_expression(p) : parse_none(p));
    parse_expect(p, WORD_RPAREN, "after the place in the field");
}

/* ['AT' ( 'LEFT' | 'RIGHT' | primary_or_pair )] after a designator. primary_or_pair = "(" expression [
   "," expression ] ")" | atom . */
static Node *field_at(Parser *p, Node *of)
{
    Node *n = parse_from(p, NODE_FIELD_AT, of);
    if (!parse_enter(p))
        return of;
    parse_advance(p);
    node_add(n, of);
    n->word = p->token->word;
    if (parse_accept(p, WORD_LEFT) || parse_accept(p, WORD_RIGHT)) {
        node_add(n, parse_none(p));
        node_add(n, parse_none(p));
        parse_leave(p);
        return parse_done(p, n);
    }
    n->word = WORD_NONE;
    if (at(p, WORD_LPAREN)) {
        field_pair(p, n);
    } else {
        node_add(n, atom(p));
        node_add(n, parse_none(p));
    }
    parse_leave(p);
    return parse_done(p, n);
}

Node *parse_truth(Parser *p)
{
    Node *n = parse_node(p, NODE_BOOLEAN);
    n->integer = at(p, WORD_TRUE);
    parse_advance(p);
    return n;
}

/* "MOD" "(" expression "," expression ")": the operator written as a
   function. */
static Node *mod_function(Parser *p)
{
    Node *n = parse_node(p, NODE_BINARY);
    n->word = WORD_MOD;
    parse_advance(p);
    parse_expect(p, WORD_LPAREN, "and two values");
    node_add(n, parse_expression(p));
    parse_expect(p, WORD_COMMA, "and the divisor");
    node_add(n, parse_expression(p));
    parse_expect(p, WORD_RPAREN, "after the two values of MOD");
    return parse_done(p, n);
}

/* atom = number [ unit ] | STRING | "TRUE" | "FALSE"
        | "MOD" "(" expression "," expression ")"
        | place [ actuals ] [ 'AT' ( 'LEFT' | 'RIGHT' | primary_or_pair ) ] . */
static Node *atom(Parser *p)
{
    Node *n, *call;
    if (at_kind(p, TOKEN_INTEGER) || at_kind(p, TOKEN_NUMBER))
        return parse_number(p);
    if (at_kind(p, TOKEN_STRING))
        return parse_string(p, "");
    if (at(p, WORD_TRUE) || at(p, WORD_FALSE))
        return parse_truth(p);
    if (at(p, WORD_MOD))
        return mod_function(p);
    if (at(p, WORD_IF))
        parse_fail(p, p->token,
                   "IF inside an expression needs parentheses: (IF ... THEN "
                   "... ELSE ...)");
    n = place(p, "a value");
    if (at(p, WORD_LPAREN)) {
        call = parse_from(p, NODE_CALL, n);
        node_add(call, n);
        node_add(call, parse_actuals(p));
        n = parse_done(p, call);
    }
    return at(p, WORD_AT) ? field_at(p, n) : n;
}

/* primary = "(" expression ")" | atom . */
Node *parse_primary(Parser *p)
{
    Node *n;
    const Token *open = p->token;
    if (!parse_accept(p, WORD_LPAREN))
        return atom(p);
    n = parse_expression(p);
    n->flags |= FLAG_PAREN;
    if (!parse_accept(p, WORD_RPAREN)) {
        if (at(p, WORD_BECOMES) || at(p, WORD_ARROW))
            parse_unexpected(p, "`)`");
        else
            parse_fail(p, p->token,
                       "`)` is missing before this: the `(` in line %u is not "
                       "closed",
                       (unsigned)unit_line(p->u, open->at));
    }
    return n;
}

static Node *binary(Parser *p, Node *left, Node *(*operand)(Parser *))
{
    Node *n = parse_from(p, NODE_BINARY, left);
    n->word = p->token->word;
    parse_advance(p);
    node_add(n, left);
    node_add(n, operand(p));
    if (n->height > LIMIT_HEIGHT)
        parse_fail(
            p, p->token,
            "this expression has more than %d nested operations: split it",
            LIMIT_HEIGHT);
    return parse_done(p, n);
}

static Node *power(Parser *p);

/* exponent = [ "+" | "-" ] power . */
static Node *exponent(Parser *p)
{
    Node *n;
    if (!parse_enter(p))
        return parse_none(p);
    n = at(p, WORD_PLUS) || at(p, WORD_MINUS) ? unary(p, power) : power(p);
    parse_leave(p);
    return n;
}

static bool at_power(const Parser *p)
{
    return at(p, WORD_POWER) || at(p, WORD_CARET);
}

/* power = primary [ ( "**" | "^" ) exponent ] . */
static Node *power(Parser *p)
{
    Node *n = parse_primary(p);
    return at_power(p) ? binary(p, n, exponent) : n;
}

static bool at_product(const Parser *p)
{
    return at(p, WORD_TIMES) || at(p, WORD_SLASH) || at(p, WORD_DIV) ||
           at(p, WORD_MOD);
}

/* { ( "*" | "/" | "DIV" | "MOD" ) power } after a power. */
static Node *factors(Parser *p, Node *n)
{
    while (at_product(p))
        n = binary(p, n, power);
    return n;
}

/* term = power { ( "*" | "/" | "DIV" | "MOD" ) power } . */
static Node *term(Parser *p)
{
    return factors(p, power(p));
}

static bool at_sign(const Parser *p)
{
    return at(p, WORD_PLUS) || at(p, WORD_MINUS);
}

static Node *terms(Parser *p, Node *n)
{
    while (at_sign(p))
        n = binary(p, n, term);
    return n;
}

/* sum = [ "+" | "-" ] term { ( "+" | "-" ) term } . */
Node *parse_sum(Parser *p)
{
    return terms(p, at_sign(p) ? unary(p, term) : term(p));
}

/* plain_sum = ( "+" | "-" ) term { ( "+" | "-" ) term }
             | atom [ ( "**" | "^" ) exponent ]
               { ( "*" | "/" | "DIV" | "MOD" ) power } { ( "+" | "-" ) term } .
   A sum that does not begin with `(`. */
Node *parse_plain_sum(Parser *p)
{
    Node *n;
    if (at_sign(p))
        return terms(p, unary(p, term));
    n = atom(p);
    if (at_power(p))
        n = binary(p, n, exponent);
    return terms(p, factors(p, n));
}

static bool at_relation(const Parser *p)
{
    switch (p->token->word) {
    case WORD_EQUAL:
    case WORD_UNEQUAL:
    case WORD_LESS:
    case WORD_LESS_EQUAL:
    case WORD_GREATER:
    case WORD_GREATER_EQUAL: return true;
    default: return false;
    }
}

/* relation = sum [ ( "=" | "<>" | "<" | "<=" | ">" | ">=" ) sum ] . */
static Node *relation(Parser *p)
{
    Node *n = parse_sum(p);
    if (!at_relation(p))
        return n;
    n = binary(p, n, parse_sum);
    if (at_relation(p))
        parse_fail(p, p->token,
                   "two comparisons are joined by AND: `A < B AND B < C`");
    return n;
}

/* negation = "NOT" negation | relation . */
static Node *negation(Parser *p)
{
    Node *n;
    if (!at(p, WORD_NOT))
        return relation(p);
    if (!parse_enter(p))
        return parse_none(p);
    n = unary(p, negation);
    parse_leave(p);
    return n;
}

/* conjunction = negation { "AND" negation } . */
static Node *conjunction(Parser *p)
{
    Node *n = negation(p);
    while (at(p, WORD_AND))
        n = binary(p, n, negation);
    return n;
}

/* disjunction = conjunction { "OR" conjunction } . */
static Node *disjunction(Parser *p)
{
    Node *n = conjunction(p);
    while (at(p, WORD_OR))
        n = binary(p, n, conjunction);
    return n;
}

static Node *choose(Parser *p)
{
    Node *n = parse_node(p, NODE_CHOOSE);
    parse_advance(p);
    node_add(n, parse_expression(p));
    parse_expect(p, WORD_THEN, "after the condition");
    node_add(n, parse_expression(p));
    if (!parse_accept_else(p))
        parse_expect(p, WORD_ELSE, "and a value for the other case");
    node_add(n, parse_expression(p));
    return parse_done(p, n);
}

/* expression = "IF" expression "THEN" expression "ELSE" expression
              | disjunction . */
Node *parse_expression(Parser *p)
{
    Node *n;
    if (!parse_enter(p))
        return parse_none(p);
    n = at(p, WORD_IF) ? choose(p) : disjunction(p);
    parse_leave(p);
    return n;
}

Node *parse_condition(Parser *p)
{
    Node *n = parse_expression(p);
    bool arrow = at(p, WORD_ARROW);
    if (!arrow && (!at(p, WORD_BECOMES) || token_is_reserved(p->before)))
        return n;
    parse_report(p, p->token,
                 arrow ? "`<-` is the arrow between outputs and inputs: to "
                         "compare with a negative number, write `< -`"
                       : "`:=` assigns, but nothing can be assigned here: to "
                         "compare, write `=`");
    n = binary(p, n, parse_sum);
    n->word = arrow ? WORD_LESS : WORD_EQUAL;
    return n;
}
