#include "syntax/parse.h"

/* ---- Types --------------------------------------------------------------- */

bool word_is_value_type(Word w)
{
    return w == WORD_REAL || w == WORD_INTEGER || w == WORD_BOOLEAN;
}

bool word_is_plain_type(Word w)
{
    switch (w) {
    case WORD_ALGEBR:
    case WORD_DSTATE:
    case WORD_FACILITY:
    case WORD_GATE:
    case WORD_LOGIC:
    case WORD_MEMORY:
    case WORD_RANDOM:
    case WORD_SAMPLE:
    case WORD_SEVENT:
    case WORD_SIGNAL:
    case WORD_STATE:
    case WORD_TEVENT: return true;
    default: return word_is_value_type(w);
    }
}

static bool is_field_type(Word w)
{
    switch (w) {
    case WORD_ALGEBR:
    case WORD_DSTATE:
    case WORD_SEVENT:
    case WORD_STATE:
    case WORD_TEVENT: return true;
    default: return word_is_value_type(w);
    }
}

bool word_is_group(Word w)
{
    switch (w) {
    case WORD_ARRAY:
    case WORD_FIELD:
    case WORD_FILE:
    case WORD_MODEL:
    case WORD_PART:
    case WORD_PORT:
    case WORD_PROCESS:
    case WORD_STORAGE: return true;
    default: return word_is_plain_type(w);
    }
}

/* The type that another language calls `name`. */
static Word foreign_type(const char *name)
{
    static const struct {
        const char *name;
        Word type;
    } table[] = {
        {"BOOL", WORD_BOOLEAN},    {"DOUBLE", WORD_REAL},
        {"FLOAT", WORD_REAL},      {"FLOATING", WORD_REAL},
        {"INT", WORD_INTEGER},     {"LONG", WORD_INTEGER},
        {"LOGICAL", WORD_BOOLEAN},
    };
    for (size_t k = 0; k < LENGTH(table); k++)
        if (name_same(name, table[k].name))
            return table[k].type;
    return WORD_NONE;
}

static Word meant_type(const Token *t, bool (*fits)(Word))
{
    Word words[WORD_COUNT], foreign = WORD_NONE;
    size_t n = 0;
    if (t->kind == TOKEN_NAME)
        foreign = foreign_type(t->text);
    if (foreign != WORD_NONE && fits(foreign))
        return foreign;
    for (Word w = 1; w < WORD_COUNT; w++) {
        if (fits(w))
            words[n++] = w;
    }
    return t->kind == TOKEN_NAME ? parse_meant(t->text, words, n) : WORD_NONE;
}

/* Pascal's `X : REAL` and `X, Y : REAL`. */
static bool is_pascal(Parser *p)
{
    return p->token->kind == TOKEN_NAME && (parse_peek(p)->word == WORD_COLON ||
                                            parse_peek(p)->word == WORD_COMMA);
}

/* The name of a kind of port, and one of those that have it. */
static bool at_joints(const Parser *p)
{
    if (!at_kind(p, TOKEN_NAME) || parse_peek(p)->kind != TOKEN_NAME)
        return false;
    return p->u->grammar_only || parse_remembers(p->ports, p->token->text);
}

/* A misspelt type is reported and read as what was meant. */
static void mend_type(Parser *p, bool (*fits)(Word))
{
    Token *t = (Token *)p->token; // belongs to the unit, which may be changed
    if (fits(t->word) || t->kind != TOKEN_NAME || lost(p) || is_pascal(p) ||
        at_joints(p))
        return;
    Word meant = meant_type(t, fits);
    if (meant == WORD_NONE)
        return;
    parse_report(p, t, "`%.40s` is not a type: did you mean %s?", t->text,
                 word_text(meant));
    t->kind = TOKEN_WORD;
    t->word = meant;
}

/* A name where a type is expected: Pascal's order, or a word like `DOUBLE`.
   Reports it and is lost. */
static void no_type(Parser *p, const char *expected)
{
    const Token *t = p->token;
    if (is_pascal(p))
        parse_fail(
            p, t,
            "the type comes before the names: `REAL %.40s`, not `%.40s : REAL`",
            t->text, t->text);
    else
        parse_unexpected(p, expected);
}

Word parse_type(Parser *p, bool (*fits)(Word), const char *expected)
{
    mend_type(p, fits);
    Word w = p->token->word;
    if (fits(w)) {
        parse_advance(p);
        return w;
    }
    no_type(p, expected);
    return WORD_REAL;
}

/* ---- Groups of a part ---------------------------------------------------- */

/* A `;` that ends a group. One that is missing at the end of a line is reported
   and taken as read. */
static void end_group(Parser *p)
{
    if (!lost(p) && !at(p, WORD_SEMICOLON) &&
        (parse_on_new_line(p, p->token) || word_is_outer(p->token->word)) &&
        !at_kind(p, TOKEN_END) && p->token != p->before &&
        (at_kind(p, TOKEN_WORD) || at_kind(p, TOKEN_NAME))) {
        parse_missing(p, "`;` is missing at the end of this declaration");
        return;
    }
    parse_expect(p, WORD_SEMICOLON, "or `,` in this declaration");
    if (lost(p)) {
        parse_recover(p);
        parse_accept(p, WORD_SEMICOLON);
    }
}

/* True if a part continues with another group. A name there is a misspelt type,
   or the misspelt word of another segment. */
static bool another_group(Parser *p, bool (*fits)(Word))
{
    const Token *t = p->token;
    if (lost(p) || p->stopped)
        return false;
    return fits(t->word) || at_joints(p) ||
           (t->kind == TOKEN_NAME &&
            (meant_type(t, fits) != WORD_NONE ||
             parse_meant_segment(t->text) == WORD_NONE));
}

/* label_part = "LABEL" INTEGER { "," INTEGER } ";" . */
static Node *label_part(Parser *p)
{
    Node *n = parse_node(p, NODE_LABEL_PART), *list;
    parse_advance(p);
    list = parse_node(p, NODE_LIST);
    do {
        node_add(list, parse_integer(p, "a whole number as label"));
    } while (parse_accept(p, WORD_COMMA));
    node_add(n, parse_done(p, list));
    end_group(p);
    return parse_done(p, n);
}

/* const_item = IDENT [ unit ] "=" expression . */
static Node *const_item(Parser *p, Word type)
{
    Node *n = parse_node(p, NODE_CONST_ITEM);
    n->word = type;
    n->text = parse_name(p, "the name of a constant")->text;
    node_add(n, parse_unit(p));
    if (at(p, WORD_BECOMES)) {
        parse_report(p, p->token,
                     "a constant is given its value with `=`, not `:=`");
        parse_advance(p);
    } else {
        parse_expect(p, WORD_EQUAL, "and the value of the constant");
    }
    node_add(n, parse_expression(p));
    return parse_done(p, n);
}

/* 3,0 for 3.0: skipped, with a message. */
static void decimal_comma(Parser *p)
{
    const Token *t = parse_peek(p);
    if (lost(p) || p->u->grammar_only || !at(p, WORD_COMMA) ||
        (t->kind != TOKEN_INTEGER && t->kind != TOKEN_NUMBER))
        return;
    parse_report(p, p->token,
                 "another constant is expected after `,`: numbers are written "
                 "with a point, as in 3.14");
    parse_advance(p);
    parse_advance(p);
}

/* const_group = value_type const_item { "," const_item } ";" . */
static void const_group(Parser *p, Node *list)
{
    Word type = parse_type(p, word_is_value_type, "REAL, INTEGER or BOOLEAN");
    do {
        node_add(list, const_item(p, type));
        decimal_comma(p);
    } while (parse_accept(p, WORD_COMMA));
    end_group(p);
}

/* const_part = "CONST" const_group { const_group } . */
static void const_part(Parser *p, Node *list)
{
    parse_advance(p);
    do {
        const_group(p, list);
    } while (another_group(p, word_is_value_type));
}

/* declared = IDENT [ unit ] . */
static Node *declared(Parser *p, Word type)
{
    Node *n = parse_node(p, NODE_FIELD_ITEM);
    n->word = type;
    n->text = parse_name(p, "the name of an attribute")->text;
    node_add(n, parse_unit(p));
    return parse_done(p, n);
}

/* field_group = ( value_type | "STATE" | ... ) declared { "," declared } . */
static void field_group(Parser *p, Node *list)
{
    Word type = parse_type(p, is_field_type, "the type of an attribute");
    do {
        node_add(list, declared(p, type));
    } while (parse_accept(p, WORD_COMMA));
}

static bool next_attribute(Parser *p)
{
    if (is_field_type(p->token->word))
        parse_missing(p, "`;` is missing between two attributes");
    return parse_accept(p, WORD_SEMICOLON) || is_field_type(p->token->word);
}

static Node *port_groups(Parser *p);

/* "RECORD" [ field_group ] { ";" [ field_group ] } "END" */
static Node *attributes(Parser *p)
{
    const Token *opener;
    Node *list;
    parse_resume(p, WORD_RECORD);
    opener = p->token;
    parse_expect(p, WORD_RECORD, "and its attributes");
    list = parse_node(p, NODE_LIST);
    if (!lost(p)) {
        do {
            if (!at(p, WORD_SEMICOLON) && !at(p, WORD_END))
                field_group(p, list);
            parse_recover(p);
        } while (next_attribute(p));
        parse_close(p, opener);
    }
    return parse_done(p, list);
}

/* type_item = IDENT "=" ( "RECORD" [ field_group ] { ";" [ field_group ] } "END"
                         | 'PORT' port_groups ) ";" . */
static Node *type_item(Parser *p)
{
    Node *n = parse_node(p, NODE_TYPE_ITEM);
    n->text = parse_name(p, "the name of a type")->text;
    parse_expect(p, WORD_EQUAL, "and RECORD or PORT");
    if (parse_accept(p, WORD_PORT)) {
        n->word = WORD_PORT;
        parse_remember(p, &p->ports, n->text);
        node_add(n, port_groups(p));
    } else {
        node_add(n, attributes(p));
    }
    end_group(p);
    return parse_done(p, n);
}

/* type_part = "TYPE" type_item { type_item } . */
static void type_part(Parser *p, Node *list)
{
    parse_advance(p);
    do {
        node_add(list, type_item(p));
    } while (at_kind(p, TOKEN_NAME) &&
             (parse_peek(p)->word == WORD_EQUAL ||
              parse_meant_segment(p->token->text) == WORD_NONE));
}

/* ---- VAR ----------------------------------------------------------------- */

static Node *range(Parser *p)
{
    Node *n = parse_node(p, NODE_RANGE);
    parse_advance(p);
    node_add(n, parse_bound(p));
    parse_expect(p, WORD_DOTDOT, "between the bounds of the range");
    node_add(n, parse_bound(p));
    return parse_done(p, n);
}

/* extent = sum [ ".." sum ] . */
static Node *extent(Parser *p)
{
    Node *n = parse_node(p, NODE_EXTENT), *first = parse_sum(p);
    if (at(p, WORD_COLON))
        parse_report(p, p->token, "bounds are written `a .. b`");
    if (parse_accept(p, WORD_DOTDOT) || parse_accept(p, WORD_COLON)) {
        node_add(n, first);
        node_add(n, parse_sum(p));
    } else {
        node_add(n, parse_none(p));
        node_add(n, first);
    }
    return parse_done(p, n);
}

/* "[" extent { "," extent } "]" . */
static Node *size(Parser *p)
{
    Node *extents;
    parse_expect(p, WORD_LBRACKET, "and the size of the array");
    extents = parse_node(p, NODE_LIST);
    do {
        node_add(extents, extent(p));
    } while (parse_accept(p, WORD_COMMA));
    parse_done(p, extents);
    parse_expect(p, WORD_RBRACKET, "after the size of the array");
    return extents;
}

/* `S[3]`, `S[1..N]`, `S[2, 3]`: the size of an array in the place of a unit. */
static bool at_size(const Parser *p)
{
    const Token *t = p->token;
    if (lost(p) || p->u->grammar_only || t->word != WORD_LBRACKET ||
        p->last - t < 3)
        return false;
    if (t[1].kind == TOKEN_INTEGER && t[1].number != 1.0 &&
        t[2].word == WORD_RBRACKET)
        return true;
    while (++t < p->last && t->word != WORD_RBRACKET &&
           t->word != WORD_SEMICOLON)
        if (t->word == WORD_DOTDOT || t->word == WORD_COMMA)
            return true;
    return false;
}

/* Reports it and reads it as what was meant. */
static Node *misplaced_size(Parser *p, Word type, const char *name)
{
    const Token *opener = p->token;
    Node *extents = size(p);
    Span at = span_join(opener->at, p->before->at);
    bool here = at.file == p->u->file && at.start + at.length <= p->u->length;
    parse_beyond(p, at, opener->origin,
                 "an array is declared `ARRAY %.*s OF %s %.40s`: brackets "
                 "after a name here are its unit",
                 here ? (int)at.length : 6,
                 here ? p->u->text + at.start : "[1..n]", word_text(type),
                 name);
    return extents;
}

/* `REAL K = 5`: skipped, with a message. */
static void misplaced_value(Parser *p, Word type, const char *name)
{
    if (lost(p) || p->u->grammar_only ||
        (!at(p, WORD_EQUAL) && !at(p, WORD_BECOMES)))
        return;
    if (type == WORD_STATE)
        parse_report(p, p->token,
                     "a STATE starts with the value that INITCOND gives it in "
                     "EXPERIMENT: `INITCOND %.40s = ...`",
                     name);
    else
        parse_report(
            p, p->token,
            "VAR does not give values: use CONST for `%.40s`, or `PARAMETER "
            "%.40s = ...` in EXPERIMENT, or assign it in INITIAL",
            name, name);
    parse_advance(p);
    parse_expression(p);
}

/* Modelica's `X (START = 1)`, and `X (K)` or `X "K"` for the unit: skipped,
   with a message. */
static void misplaced_attributes(Parser *p, Word type, const char *name)
{
    bool text = at_kind(p, TOKEN_STRING);
    if (lost(p) || (!at(p, WORD_LPAREN) && !text))
        return;
    if (!text && parse_peek(p)->kind == TOKEN_INTEGER)
        parse_report(p, p->token,
                     "an array is declared `ARRAY [%.40s] OF %s %.40s`",
                     parse_peek(p)->text, word_text(type), name);
    else if (text ||
             (p->last - p->token > 2 && p->token[2].word == WORD_RPAREN))
        parse_report(
            p, p->token,
            "a unit is written in brackets without quotes: `%.40s [m/s]`",
            name);
    else if (type == WORD_STATE)
        parse_report(p, p->token,
                     "`%.40s` has no attributes: `INITCOND %.40s = ...` in "
                     "EXPERIMENT gives its value at the start",
                     name, name);
    else
        parse_report(p, p->token,
                     "`%.40s` has no attributes: INITIAL assigns its first "
                     "value",
                     name);
    while (!text && !at(p, WORD_RPAREN) && !at(p, WORD_SEMICOLON) &&
           !at_kind(p, TOKEN_END) && !word_is_outer(p->token->word))
        parse_advance(p);
    if (text || at(p, WORD_RPAREN))
        parse_advance(p);
}

/* variable = IDENT [ unit ] [ 'RANGE' bound ".." bound ]
              [ 'INPUT' | "OUTPUT" ] . */
static Node *variable(Parser *p, Word type, Node *extents)
{
    Node *n = parse_node(p, NODE_VARIABLE);
    n->word = type;
    n->text = parse_name(p, "the name of a variable")->text;
    if (at_size(p))
        extents = misplaced_size(p, type, n->text);
    node_add(n, parse_unit(p));
    misplaced_attributes(p, type, n->text);
    node_add(n, at(p, WORD_RANGE) ? range(p) : parse_none(p));
    if (parse_accept(p, WORD_INPUT))
        n->flags |= FLAG_INPUT;
    else if (parse_accept(p, WORD_OUTPUT))
        n->flags |= FLAG_OUTPUT;
    misplaced_value(p, type, n->text);
    /* The last child: its `next` stays NULL, so the variables of one group can
       share it. */
    node_add(n, extents == NULL ? parse_none(p) : extents);
    return parse_done(p, n);
}

/* `STATE[N] X`: read as an array, with a message. */
static Node *size_after_type(Parser *p, Word type)
{
    if (lost(p) || !at(p, WORD_LBRACKET))
        return NULL;
    parse_report(p, p->token, "an array is declared `ARRAY [n] OF %s`",
                 word_text(type));
    return size(p);
}

static void variables(Parser *p, Node *list, Node *extents)
{
    Word type;
    if (at(p, WORD_STORAGE))
        parse_fail(p, p->token,
                   "a STORAGE is no element of an array: declare each by its "
                   "own name, or count the places in an ARRAY [n] OF INTEGER "
                   "and WAIT UNTIL one is free");
    type = parse_type(p, word_is_plain_type, "the type of the elements");
    if (extents == NULL)
        extents = size_after_type(p, type);
    do {
        node_add(list, variable(p, type, extents));
    } while (parse_accept(p, WORD_COMMA));
}

static void parts(Parser *p, Node *list, Node *extents);
static void joints(Parser *p, Node *list, Node *extents);

/* arrays = "ARRAY" [ "OF" ] "[" extent { "," extent } "]" "OF"
            ( variables | parts | joints ) . */
static void arrays(Parser *p, Node *list)
{
    Node *extents;
    parse_advance(p);
    parse_accept(p, WORD_OF);
    extents = size(p);
    parse_expect(p, WORD_OF, "and the type of the elements");
    if (at(p, WORD_PART))
        parts(p, list, extents);
    else if (at_joints(p))
        joints(p, list, extents);
    else
        variables(p, list, extents);
}

/* models = "MODEL" IDENT { "," IDENT } . */
static void models(Parser *p, Node *list)
{
    parse_advance(p);
    do {
        const Token *t = parse_name(p, "the name of a MODEL");
        node_add(list, parse_leaf(p, NODE_MODEL_NAME, t));
    } while (parse_accept(p, WORD_COMMA));
}

typedef struct FileParts {
    const Token *capacity, *record, *rank; // NULL: not given
    Word ranking;
} FileParts;

/* file_entries = INTEGER IDENT | IDENT [ IDENT ] . */
static void file_entries(Parser *p, FileParts *f)
{
    if (at_kind(p, TOKEN_INTEGER)) {
        f->capacity = p->token;
        parse_advance(p);
        f->record = parse_name(p, "the RECORD type of its entries");
        return;
    }
    f->record = parse_name(p, "the RECORD type of its entries");
    if (at_kind(p, TOKEN_NAME) && !at(p, WORD_RANKED)) {
        f->capacity = f->record;
        f->record = p->token;
        parse_advance(p);
    }
}

/* ranking = 'FIFO' | 'LIFO' | ( 'LVF' | 'HVF' ) "ON" IDENT . */
static void ranking(Parser *p, FileParts *f)
{
    f->ranking = p->token->word;
    if (parse_accept(p, WORD_FIFO) || parse_accept(p, WORD_LIFO))
        return;
    if (parse_accept(p, WORD_LVF) || parse_accept(p, WORD_HVF)) {
        parse_expect(p, WORD_ON, "and the attribute that ranks the entries");
        f->rank = parse_name(p, "the name of an attribute");
        return;
    }
    f->ranking = WORD_NONE;
    parse_unexpected(p, "FIFO, LIFO, LVF or HVF");
}

static Node *file_decl(Parser *p, const FileParts *f)
{
    Node *n = parse_node(p, NODE_FILE_DECL), *capacity;
    n->text = parse_name(p, "the name of a file")->text;
    n->word = f->ranking;
    if (f->capacity == NULL) {
        capacity = parse_none(p);
    } else if (f->capacity->kind == TOKEN_INTEGER) {
        capacity = parse_leaf(p, NODE_INTEGER, f->capacity);
        node_add(capacity, parse_none(p));
    } else {
        capacity = parse_leaf(p, NODE_NAME, f->capacity);
    }
    node_add(n, capacity);
    node_add(n, parse_leaf(p, NODE_NAME, f->record));
    node_add(n, f->rank == NULL ? parse_none(p)
                                : parse_leaf(p, NODE_NAME, f->rank));
    return parse_done(p, n);
}

/* files = 'FILE' "OF" file_entries [ 'RANKED' ranking ] ":" IDENT
           { "," IDENT } . */
static void files(Parser *p, Node *list)
{
    FileParts f = {.record = p->token};
    parse_advance(p);
    parse_expect(p, WORD_OF, "and the type of its entries");
    file_entries(p, &f);
    if (parse_accept(p, WORD_RANKED))
        ranking(p, &f);
    parse_expect(p, WORD_COLON, "before the names of the files");
    do {
        node_add(list, file_decl(p, &f));
    } while (parse_accept(p, WORD_COMMA));
}

/* process_name = IDENT [ 'FILE' "=" IDENT ] [ 'SERVER' ] . */
static Node *process_name(Parser *p)
{
    Node *n = parse_node(p, NODE_PROCESS_NAME);
    n->text = parse_name(p, "the name of a process")->text;
    if (parse_accept(p, WORD_FILE)) {
        parse_expect(p, WORD_EQUAL, "and the file of the process");
        node_add(n, parse_name_node(p, "the name of a file"));
    } else {
        node_add(n, parse_none(p));
    }
    if (parse_accept(p, WORD_SERVER))
        n->word = WORD_SERVER;
    return parse_done(p, n);
}

/* storage = IDENT [ 'CAPACITY' primary ] . */
static Node *storage(Parser *p)
{
    Node *n = parse_node(p, NODE_STORAGE_DECL);
    n->text = parse_name(p, "the name of a storage")->text;
    node_add(n,
             parse_accept(p, WORD_CAPACITY) ? parse_primary(p) : parse_none(p));
    return parse_done(p, n);
}

/* processes, storages: a word, then names with what belongs to each. */
static void items(Parser *p, Node *list, Node *(*item)(Parser *))
{
    parse_advance(p);
    do {
        node_add(list, item(p));
    } while (parse_accept(p, WORD_COMMA));
}

static Node *word_primary(Parser *p, Word w)
{
    return parse_accept(p, w) ? parse_primary(p) : parse_none(p);
}

/* grid = 'CHEBYSHEV' primary
        | 'AUTO' [ 'FROM' primary ] 'TOL' "=" sum [ 'MAX' primary ] | primary . */
static Node *grid(Parser *p)
{
    Node *n = parse_node(p, NODE_GRID);
    if (at(p, WORD_CHEBYSHEV) || at(p, WORD_AUTO)) {
        n->word = p->token->word;
        parse_advance(p);
    }
    if (n->word != WORD_AUTO) {
        node_add(n, parse_primary(p));
        return parse_done(p, n);
    }
    node_add(n, word_primary(p, WORD_FROM));
    parse_expect(p, WORD_TOL, "and the error that is allowed: TOL = 1.0E-3");
    parse_expect(p, WORD_EQUAL, "and the error that is allowed");
    node_add(n, parse_sum(p));
    node_add(n, word_primary(p, WORD_MAX));
    return parse_done(p, n);
}

/* 'STRETCH' ( 'LEFT' | 'RIGHT' | 'BOTTOM' | 'TOP' | 'BOTH' ) primary, of
   coordinate. */
static Node *stretch(Parser *p)
{
    Node *n = parse_node(p, NODE_STRETCH);
    parse_advance(p);
    n->word = p->token->word;
    if (!parse_accept(p, WORD_LEFT) && !parse_accept(p, WORD_RIGHT) &&
        !parse_accept(p, WORD_BOTTOM) && !parse_accept(p, WORD_TOP) &&
        !parse_accept(p, WORD_BOTH))
        parse_unexpected(p, "LEFT, RIGHT or BOTH, where the points are dense");
    node_add(n, parse_primary(p));
    return parse_done(p, n);
}

/* coordinate = IDENT "=" sum "TO" sum { "TO" sum } 'GRID' grid
                [ 'STRETCH' ( 'LEFT' | 'RIGHT' | 'BOTTOM' | 'TOP' | 'BOTH' ) primary ]
                [ 'PERIODIC' | 'CYLINDRICAL' | 'SPHERICAL' ] . */
static Node *coordinate(Parser *p)
{
    Node *n = parse_node(p, NODE_COORDINATE), *ends;
    n->text = parse_name(p, "the name of a coordinate")->text;
    parse_expect(p, WORD_EQUAL, "and where the coordinate begins");
    node_add(n, parse_sum(p));
    parse_expect(p, WORD_TO, "and where the coordinate ends");
    ends = parse_node(p, NODE_LIST);
    do {
        node_add(ends, parse_sum(p));
    } while (parse_accept(p, WORD_TO));
    node_add(n, parse_done(p, ends));
    parse_expect(p, WORD_GRID, "and the number of points");
    node_add(n, grid(p));
    node_add(n, at(p, WORD_STRETCH) ? stretch(p) : parse_none(p));
    if (at(p, WORD_PERIODIC) || at(p, WORD_CYLINDRICAL) ||
        at(p, WORD_SPHERICAL)) {
        n->word = p->token->word;
        parse_advance(p);
    }
    return parse_done(p, n);
}

static Node *scheme(Parser *p)
{
    Node *n = parse_node(p, NODE_SCHEME);
    parse_advance(p);
    n->text = parse_name(p, "CENTRAL, UPWIND or WENO")->text;
    n->integer = p->token->integer;
    n->number = p->token->number;
    if (at_kind(p, TOKEN_INTEGER))
        parse_advance(p);
    else
        parse_unexpected(p, "the order of the scheme");
    return parse_done(p, n);
}

/* What stands behind the names of a declaration; n has the first of them. */
static Node *field_rest(Parser *p, Node *n)
{
    Node *list;
    parse_expect(p, WORD_ON, "and the coordinates of the field");
    list = parse_node(p, NODE_LIST);
    do {
        node_add(list, coordinate(p));
    } while (parse_accept(p, WORD_BY));
    node_add(n, parse_done(p, list));
    node_add(n, at(p, WORD_SCHEME) ? scheme(p) : parse_none(p));
    return parse_done(p, n);
}

/* fields = "FIELD" declared { "," declared } 'ON' coordinate { 'BY' coordinate }
            [ 'SCHEME' IDENT INTEGER ] .
   Each FIELD has a node of its own, so what stands behind the names is read for each. */
static void fields(Parser *p, Node *to)
{
    Node *first = NULL, *last = NULL;
    const Token *rest;
    do {
        Node *n = parse_node(p, NODE_FIELD_DECL);
        parse_advance(p); // FIELD, or the comma
        n->text = parse_name(p, "the name of a field")->text;
        node_add(n, parse_unit(p));
        first = first ? first : n;
        if (last)
            last->next = n;
        last = n;
    } while (at(p, WORD_COMMA));
    rest = p->token;
    uint32_t losses = p->losses; // what cannot be read is not read again
    bool whole = !lost(p);
    for (Node *n = first, *next; n; n = next) {
        next = n->next;
        n->next = NULL;
        if (n != first && !(whole && p->losses == losses)) {
            p->u->names_lost = true;
            return;
        }
        if (n != first)
            p->token = rest;
        node_add(to, field_rest(p, n));
    }
}

/* port_group = ( 'ACROSS' | 'THROUGH' | 'INPUT' | "OUTPUT" )
                declared { "," declared } . */
static void port_group(Parser *p, Node *list)
{
    Word w = p->token->word;
    if (!parse_accept(p, WORD_ACROSS) && !parse_accept(p, WORD_THROUGH) &&
        !parse_accept(p, WORD_INPUT) && !parse_accept(p, WORD_OUTPUT))
        parse_unexpected(p, "ACROSS, THROUGH, INPUT or OUTPUT");
    do {
        node_add(list, declared(p, w));
    } while (parse_accept(p, WORD_COMMA));
}

/* port_groups = "(" port_group { ";" port_group } ")" . */
static Node *port_groups(Parser *p)
{
    Node *list;
    parse_expect(p, WORD_LPAREN, "and the variables of the port");
    list = parse_node(p, NODE_LIST);
    do {
        port_group(p, list);
    } while (parse_accept(p, WORD_SEMICOLON));
    parse_expect(p, WORD_RPAREN, "after the variables of the port");
    return parse_done(p, list);
}

/* ports = 'PORT' IDENT port_groups . */
static Node *port(Parser *p)
{
    Node *n = parse_node(p, NODE_PORT_DECL);
    parse_advance(p);
    n->text = parse_name(p, "the name of a port")->text;
    node_add(n, port_groups(p));
    node_add(n, parse_none(p));
    node_add(n, parse_none(p));
    p->u->parted = true;
    return parse_done(p, n);
}

/* joints = IDENT IDENT { "," IDENT } . */
static void joints(Parser *p, Node *list, Node *extents)
{
    const Token *type = parse_name(p, "a kind of port");
    do {
        Node *n = parse_node(p, NODE_PORT_DECL);
        n->text = parse_name(p, "the name of a port")->text;
        node_add(n, parse_none(p));
        node_add(n, parse_leaf(p, NODE_NAME, type));
        node_add(n, extents == NULL ? parse_none(p) : extents);
        p->u->parted = true;
        node_add(list, parse_done(p, n));
    } while (parse_accept(p, WORD_COMMA));
}

/* given = IDENT ":=" expression . */
static Node *given(Parser *p)
{
    Node *n = parse_node(p, NODE_PRESET);
    node_add(n, parse_name_node(p, "the name of a formal"));
    parse_expect(p, WORD_BECOMES, "and what the formal stands for");
    node_add(n, parse_expression(p));
    return parse_done(p, n);
}

/* part = IDENT [ "(" [ given { "," given } ] ")" ] . */
static Node *part(Parser *p, const Token *module, Node *extents)
{
    Node *n = parse_node(p, NODE_PART_DECL), *list;
    n->text = parse_name(p, "the name of a part")->text;
    node_add(n, parse_leaf(p, NODE_NAME, module));
    list = parse_node(p, NODE_LIST);
    if (parse_accept(p, WORD_LPAREN)) {
        if (!at(p, WORD_RPAREN)) {
            do {
                node_add(list, given(p));
            } while (parse_accept(p, WORD_COMMA));
        }
        parse_expect(p, WORD_RPAREN, "after what the part is given");
    }
    node_add(n, parse_done(p, list));
    node_add(n, extents == NULL ? parse_none(p) : extents);
    p->u->parted = true;
    return parse_done(p, n);
}

/* parts = 'PART' IDENT part { "," part } . */
static void parts(Parser *p, Node *list, Node *extents)
{
    const Token *module;
    parse_advance(p);
    module = parse_name(p, "the name of a MODULE");
    do {
        node_add(list, part(p, module, extents));
    } while (parse_accept(p, WORD_COMMA));
}

/* var_group = ( variables | arrays | models | files | processes | storages
               | fields | ports | parts | joints ) ";" . */
static void var_group(Parser *p, Node *list)
{
    mend_type(p, word_is_group);
    switch (p->token->word) {
    case WORD_ARRAY: arrays(p, list); break;
    case WORD_MODEL: models(p, list); break;
    case WORD_FILE: files(p, list); break;
    case WORD_PROCESS: items(p, list, process_name); break;
    case WORD_STORAGE: items(p, list, storage); break;
    case WORD_FIELD: fields(p, list); break;
    case WORD_PORT: node_add(list, port(p)); break;
    case WORD_PART: parts(p, list, NULL); break;
    default:
        if (word_is_plain_type(p->token->word))
            variables(p, list, NULL);
        else if (at_joints(p))
            joints(p, list, NULL);
        else
            no_type(p, "a type (REAL, STATE, ...)");
    }
    end_group(p);
}

/* Reads PARAMETER in VAR as REAL. */
static bool parameter_group(Parser *p)
{
    Token *t = (Token *)p->token; // belongs to the unit, which may be changed
    if (lost(p) || p->stopped || t->word != WORD_PARAMETER)
        return false;
    parse_report(p, t,
                 "PARAMETER gives values in EXPERIMENT: here, declare the "
                 "parameter as REAL or INTEGER");
    t->word = WORD_REAL;
    return true;
}

/* var_part = "VAR" [ 'OWN' ] var_group { var_group } . */
static Node *var_part(Parser *p)
{
    Node *n = parse_node(p, NODE_VAR_PART), *list;
    parse_advance(p);
    if (at(p, WORD_OWN)) {
        n->word = WORD_OWN;
        parse_advance(p);
    }
    list = parse_node(p, NODE_LIST);
    parameter_group(p);
    do {
        if (at(p, WORD_OWN) && !p->u->grammar_only) {
            parse_report(
                p, p->token,
                "OWN is written once, after VAR: VAR OWN ... declares the "
                "variables of each transaction, VAR ... shared ones");
            parse_advance(p);
        }
        var_group(p, list);
    } while (at(p, WORD_OWN) || another_group(p, word_is_group) ||
             parameter_group(p));
    node_add(n, parse_done(p, list));
    return parse_done(p, n);
}

/* store_part = "STORE" designator { "," designator } ";" . */
static Node *store_part(Parser *p)
{
    Node *n = parse_node(p, NODE_STORE_PART);
    parse_advance(p);
    node_add(n, parse_designators(p));
    end_group(p);
    return parse_done(p, n);
}

/* timeunit = "TIMEUNIT" unit ";" . */
Node *parse_timeunit(Parser *p)
{
    Node *n = parse_node(p, NODE_TIMEUNIT);
    parse_advance(p);
    if (!lost(p) && !at(p, WORD_LBRACKET))
        parse_unexpected(p, "a unit of time in brackets, like [h],");
    node_add(n, parse_unit(p));
    end_group(p);
    return parse_done(p, n);
}

/* ---- FUNCTABLE ----------------------------------------------------------- */

static bool is_table_kind(Word w)
{
    return w == WORD_LINEAR || w == WORD_SPLINE || w == WORD_STEP;
}

static Node *from_file(Parser *p)
{
    Node *n = parse_node(p, NODE_FROM_FILE), *list;
    parse_advance(p);
    n->text = parse_string(p, "the name of the file in quotes")->text;
    parse_expect(p, WORD_COLUMNS, "and the names of two columns");
    list = parse_node(p, NODE_LIST);
    node_add(list, parse_name_node(p, "the name of a column"));
    parse_expect(p, WORD_COMMA, "and a second column");
    node_add(list, parse_name_node(p, "the name of a column"));
    node_add(n, parse_done(p, list));
    return parse_done(p, n);
}

static Node *table_point(Parser *p)
{
    if (at(p, WORD_LBRACKET) || at_kind(p, TOKEN_INTEGER) ||
        at_kind(p, TOKEN_NUMBER))
        parse_fail(p, p->token, "points are written (x, y) (x, y) ...");
    return parse_point(p);
}

static bool comma_between_points(Parser *p)
{
    if (lost(p) || !at(p, WORD_COMMA) || parse_peek(p)->word != WORD_LPAREN)
        return false;
    parse_report(p, p->token,
                 "the points of a table follow each other without `,`");
    parse_advance(p);
    return true;
}

/* functable = ( 'LINEAR' | 'SPLINE' | 'STEP' ) IDENT ( "=" point { point }
               | 'FROM' STRING 'COLUMNS' IDENT "," IDENT ) ";" . */
static Node *functable(Parser *p)
{
    Node *n = parse_node(p, NODE_FUNCTABLE), *list;
    mend_type(p, is_table_kind);
    n->word = p->token->word;
    if (is_table_kind(n->word))
        parse_advance(p);
    else
        no_type(p, "LINEAR, SPLINE or STEP");
    n->text = parse_name(p, "the name of the function")->text;
    if (at(p, WORD_FROM)) {
        node_add(n, from_file(p));
    } else {
        parse_expect(p, WORD_EQUAL, "and the points of the table");
        list = parse_node(p, NODE_LIST);
        do {
            node_add(list, table_point(p));
        } while (at(p, WORD_LPAREN) || comma_between_points(p));
        node_add(n, parse_done(p, list));
    }
    end_group(p);
    return parse_done(p, n);
}

/* functable_part = "FUNCTABLE" functable { functable } . */
static void functable_part(Parser *p, Node *list)
{
    parse_advance(p);
    do {
        node_add(list, functable(p));
    } while (another_group(p, is_table_kind));
}

bool parse_at_declaration(const Parser *p)
{
    switch (p->token->word) {
    case WORD_CONST:
    case WORD_FUNCTABLE:
    case WORD_LABEL:
    case WORD_STORE:
    case WORD_TYPE:
    case WORD_VAR: return true;
    default: return false;
    }
}

/* declaration = label_part | const_part | type_part | var_part | store_part
               | functable_part . */
void parse_declaration(Parser *p, Word w, Node *list)
{
    uint32_t losses = p->losses;
    switch (w) {
    case WORD_LABEL: node_add(list, label_part(p)); break;
    case WORD_CONST: const_part(p, list); break;
    case WORD_TYPE: type_part(p, list); break;
    case WORD_VAR: node_add(list, var_part(p)); break;
    case WORD_STORE: node_add(list, store_part(p)); break;
    default: functable_part(p, list); break;
    }
    if (p->losses != losses && w != WORD_LABEL && w != WORD_STORE)
        p->u->names_lost = true;
}
