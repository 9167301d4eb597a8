#include "syntax/parse.h"

/* ---- System -------------------------------------------------------------- */

static const Word block_words[] = {WORD_INITIAL, WORD_CONTINUOUS, WORD_DISCRETE,
                                   WORD_TERMINAL};

bool parse_at_block(const Parser *p)
{
    switch (p->token->word) {
    case WORD_CONTINUOUS:
    case WORD_DISCRETE:
    case WORD_INITIAL:
    case WORD_TERMINAL: return true;
    default: return false;
    }
}

/* initial, terminal: a word, statements, END. */
static Node *procedural_block(Parser *p, NodeKind kind)
{
    Node *n = parse_node(p, kind);
    const Token *opener = p->token;
    parse_advance(p);
    node_add(n, parse_statements(p));
    parse_close(p, opener);
    return parse_done(p, n);
}

/* continuous = "CONTINUOUS" parallel "END" . */
static Node *continuous(Parser *p)
{
    Node *n = parse_node(p, NODE_CONTINUOUS);
    const Token *opener = p->token;
    parse_advance(p);
    node_add(n, parse_parallel(p));
    parse_close(p, opener);
    return parse_done(p, n);
}

/* event_index = "[" IDENT { "," IDENT } "]" . */
static Node *event_index(Parser *p)
{
    Node *list = parse_node(p, NODE_LIST);
    do {
        parse_advance(p);
        if (at_kind(p, TOKEN_INTEGER))
            parse_fail(p, p->token,
                       "one body holds for all elements of an array of events "
                       "and names their index: write a name here, as in "
                       "EVENT[K]: IF K = %s THEN ...",
                       p->token->text);
        node_add(list, parse_name_node(p, "a name for the index"));
    } while (!lost(p) && p->token->word == WORD_COMMA);
    parse_expect(p, WORD_RBRACKET, "after the name of the index");
    return parse_done(p, list);
}

/* event = IDENT [ event_index ] ":" statements "END" . */
static void event(Parser *p, Node *list, bool timed)
{
    Node *n = parse_node(p, NODE_EVENT);
    const Token *opener = p->token;
    bool outer = p->in_events;
    n->text = parse_name(p, "the name of an event")->text;
    if (timed)
        n->flags |= FLAG_TIMED;
    if (p->token->word == WORD_LBRACKET)
        node_add(n, event_index(p));
    parse_expect(p, WORD_COLON, "after the name of the event");
    if (lost(p)) {
        parse_resume(p, WORD_COLON);
        parse_accept(p, WORD_COLON);
    }
    p->in_events = true;
    node_add(n, parse_statements(p));
    p->in_events = outer;
    parse_close(p, opener);
    node_add(list, parse_done(p, n));
}

/* Reports something that does not belong in a list of events, samples or
   starts. Skips to the next `;` or END, or all of what looks like an event. */
static void no_item(Parser *p, const char *expected)
{
    const Token *opener = p->token;
    if (parse_peek(p)->word == WORD_COLON) {
        char room[SPELLING_ROOM];
        parse_report(p, opener, "found %s, but %s is expected",
                     parse_spelling(opener, room), expected);
        parse_advance(p);
        parse_advance(p);
        parse_statements(p);
        parse_close(p, opener);
        return;
    }
    parse_unexpected(p, expected);
    if (p->held != NULL && p->held->word != WORD_END)
        p->held++; // so that something is always read
    parse_recover(p);
    if (at_kind(p, TOKEN_WORD) && !at(p, WORD_END) &&
        !word_is_outer(p->token->word))
        parse_advance(p);
}

/* True where a list ends whose items each end in END. */
static bool at_end_of_items(const Parser *p)
{
    return at(p, WORD_END) || at_kind(p, TOKEN_END) || p->stopped;
}

/* time_events = "TEVENTS" ":" { event | ";" } "END" . */
static void time_events(Parser *p, Node *list)
{
    const Token *opener = p->token;
    parse_advance(p);
    parse_expect(p, WORD_COLON, "after TEVENTS");
    if (lost(p)) {
        p->token = p->held; // TEVENTS without `:`
        p->held = NULL;
    }
    while (!at_end_of_items(p) && !word_is_outer(p->token->word)) {
        if (at_kind(p, TOKEN_NAME)) {
            p->closing = false;
            event(p, list, true);
        } else if (!parse_accept(p, WORD_SEMICOLON)) {
            if (p->closing)
                break;
            no_item(p, "the name of an event");
        }
    }
    parse_close(p, opener);
}

/* events = "EVENTS" { event | time_events | ";" } "END" . */
static void events(Parser *p, Node *list)
{
    const Token *opener = p->token;
    parse_advance(p);
    while (!at_end_of_items(p)) {
        if (at_kind(p, TOKEN_NAME)) {
            p->closing = false;
            event(p, list, false);
        } else if (at(p, WORD_TEVENTS)) {
            p->closing = false;
            time_events(p, list);
        } else if (!parse_accept(p, WORD_SEMICOLON)) {
            if (p->closing || word_is_outer(p->token->word))
                break;
            no_item(p, "the name of an event, TEVENTS or END");
        }
    }
    parse_close(p, opener);
}

/* sample = IDENT "EVERY" expression [ 'OFFSET' expression ] ":" statements
            "END" . */
static void sample(Parser *p, Node *list)
{
    Node *n = parse_node(p, NODE_SAMPLE_BODY);
    const Token *opener = p->token;
    n->text = parse_name(p, "the name of a SAMPLE")->text;
    parse_expect(p, WORD_EVERY, "and the period of the sample");
    node_add(n, parse_expression(p));
    node_add(n, parse_accept(p, WORD_OFFSET) ? parse_expression(p)
                                             : parse_none(p));
    parse_expect(p, WORD_COLON, "before the statements of the sample");
    if (lost(p)) {
        parse_resume(p, WORD_COLON);
        parse_accept(p, WORD_COLON);
    }
    node_add(n, parse_statements(p));
    parse_close(p, opener);
    node_add(list, parse_done(p, n));
}

/* start = designator [ actuals ] . */
static void start(Parser *p, Node *list)
{
    Node *n = parse_node(p, NODE_START);
    Node *path = parse_text_path(p, n, "the name of a process");
    node_add(n, at(p, WORD_LPAREN) ? parse_actuals(p) : parse_none(p));
    parse_end_path(n, path);
    parse_recover(p);
    node_add(list, parse_done(p, n));
}

/* samples = "SAMPLES" { sample | ";" } "END" . started = "PROCESSES"
   { start | ";" } "END" . */
static void named_items(Parser *p, Node *list, void (*item)(Parser *, Node *),
                        const char *expected)
{
    const Token *opener = p->token;
    parse_advance(p);
    while (!at_end_of_items(p)) {
        if (at_kind(p, TOKEN_NAME)) {
            p->closing = false;
            item(p, list);
        } else if (!parse_accept(p, WORD_SEMICOLON)) {
            if (p->closing || word_is_outer(p->token->word))
                break;
            no_item(p, expected);
        }
    }
    parse_close(p, opener);
}

/* discrete_part = events | samples | started | event | ";" . */
static bool discrete_part(Parser *p, Node *list)
{
    static const Word words[] = {WORD_EVENTS, WORD_SAMPLES, WORD_PROCESSES};
    Word w = p->token->word;
    if (at_kind(p, TOKEN_NAME) && parse_peek(p)->word != WORD_COLON) {
        w = parse_meant(p->token->text, words, LENGTH(words));
        if (w != WORD_NONE)
            parse_report(p, p->token, "did you mean %s?", word_text(w));
    }
    switch (w) {
    case WORD_EVENTS:
        p->closing = false;
        events(p, list);
        return true;
    case WORD_TEVENTS:
        p->closing = false;
        parse_report(p, p->token,
                     "TEVENTS: stands inside EVENTS ... END; bodies of time "
                     "events may stand directly under DISCRETE, without it");
        time_events(p, list);
        return true;
    case WORD_SAMPLES:
        p->closing = false;
        named_items(p, list, sample, "the name of a SAMPLE or END");
        return true;
    case WORD_PROCESSES:
        p->closing = false;
        named_items(p, list, start, "the name of a process or END");
        return true;
    case WORD_SEMICOLON: parse_advance(p); return true;
    default: break;
    }
    if (at_kind(p, TOKEN_NAME)) {
        p->closing = false;
        event(p, list, false);
        return true;
    }
    if (p->closing || word_is_outer(p->token->word))
        return false;
    no_item(p, "EVENTS, SAMPLES, PROCESSES, an event or END");
    return true;
}

/* discrete = "DISCRETE" { discrete_part } "END" . */
static Node *discrete(Parser *p)
{
    Node *n = parse_node(p, NODE_DISCRETE), *list;
    const Token *opener = p->token;
    parse_advance(p);
    list = parse_node(p, NODE_LIST);
    while (!at_end_of_items(p) && discrete_part(p, list))
        ;
    node_add(n, parse_done(p, list));
    parse_close(p, opener);
    return parse_done(p, n);
}

/* The block that begins here, or NULL. */
static Node *block(Parser *p, Word w)
{
    switch (w) {
    case WORD_INITIAL: return procedural_block(p, NODE_INITIAL);
    case WORD_CONTINUOUS: return continuous(p);
    case WORD_DISCRETE: return discrete(p);
    case WORD_TERMINAL: return procedural_block(p, NODE_TERMINAL);
    default: return NULL;
    }
}

/* True if CONTINUOUS or DISCRETE begins a routine, outside SYSTEM. */
static bool at_routine(const Parser *p)
{
    Word w = parse_peek(p)->word;
    return (at(p, WORD_CONTINUOUS) || at(p, WORD_DISCRETE)) &&
           (w == WORD_PROCESS || w == WORD_FUNCTION);
}

static bool name_is_among(const char *name, const char *const *names, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (name_same(name, names[k]))
            return true;
    }
    return false;
}

/* The block that other languages call `name`: CONTINUOUS or INITIAL. */
static Word foreign_block(const char *name)
{
    static const char *const equations[] = {"DERIVATIVE", "DYNAMIC", "EQUATION",
                                            "EQUATIONS"};
    if (name_is_among(name, equations, LENGTH(equations)))
        return WORD_CONTINUOUS;
    return name_same(name, "INITIALIZATION") ? WORD_INITIAL : WORD_NONE;
}

static Word section_word(Parser *p)
{
    Word w = p->token->word;
    if (at_kind(p, TOKEN_NAME) && foreign_block(p->token->text) != WORD_NONE) {
        w = foreign_block(p->token->text);
        parse_report(p, p->token,
                     "`%.40s` is not a word of COSY: write %s ... END",
                     p->token->text, word_text(w));
    } else if (at_kind(p, TOKEN_NAME)) {
        w = parse_meant(p->token->text, block_words, LENGTH(block_words));
        if (w != WORD_NONE)
            parse_report(p, p->token,
                         "`%s` does not begin a block: did you mean %s?",
                         p->token->text, word_text(w));
    }
    return w;
}

/* Whose END it may have been that closed a block too early. */
static const char *early_end(const Node *block)
{
    const Node *list = block->last;
    if (list != NULL && list->last != NULL && list->last->kind == NODE_CASE)
        return "the branches of CASE have an END each, and CASE has no other";
    return block->kind == NODE_CONTINUOUS
               ? "FOR and IF with several equations need BEGIN ... END"
               : "FOR, IF and WHILE have an END only with BEGIN";
}

/* Whether a token can stand after the first name of an equation. */
static bool goes_on_equation(Word next)
{
    switch (next) {
    case WORD_PRIME:
    case WORD_EQUAL:
    case WORD_LBRACKET:
    case WORD_TIMES:
    case WORD_SLASH:
    case WORD_PLUS:
    case WORD_MINUS: return true;
    default: return false;
    }
}

/* Equations after the END of CONTINUOUS: that END was one too many, often that
   of a FOR or IF without BEGIN. They are read as if it were not there. */
static bool stray_equations(Parser *p, Node *blocks)
{
    Node *n;
    const Token *opener = p->token;
    bool name = at_kind(p, TOKEN_NAME) && goes_on_equation(parse_peek(p)->word);
    if (lost(p) || p->closing || blocks->last == NULL ||
        blocks->last->kind != NODE_CONTINUOUS ||
        !(name || word_is_parallel(p->token->word)))
        return false;
    parse_report(p, opener,
                 "this equation is outside CONTINUOUS, which an END has closed "
                 "above: %s",
                 early_end(blocks->last));
    n = parse_node(p, NODE_CONTINUOUS);
    node_add(n, parse_parallel(p));
    parse_close(p, opener);
    node_add(blocks, parse_done(p, n));
    return true;
}

/* The same after the END of INITIAL or TERMINAL. */
static bool stray_statements(Parser *p, Node *blocks)
{
    Node *n = blocks->last;
    const Token *opener = p->token;
    Word next = parse_peek(p)->word;
    if (lost(p) || p->closing || n == NULL ||
        (n->kind != NODE_INITIAL && n->kind != NODE_TERMINAL) ||
        !(next == WORD_BECOMES || next == WORD_LPAREN ||
          next == WORD_LBRACKET || word_is_statement(p->token->word)))
        return false;
    parse_report(
        p, opener,
        "this statement is outside %s, which an END has closed above: %s",
        n->kind == NODE_INITIAL ? "INITIAL" : "TERMINAL", early_end(n));
    n = parse_node(p, n->kind);
    node_add(n, parse_statements(p));
    parse_close(p, opener);
    node_add(blocks, parse_done(p, n));
    return true;
}

/* { section } ; section = block | ";" . */
void parse_sections(Parser *p, Node *blocks)
{
    while (!at_end_of_items(p) && !at_routine(p)) {
        Word w;
        Node *n;
        if (parse_accept(p, WORD_SEMICOLON))
            continue;
        w = p->closing && !parse_at_block(p) ? WORD_NONE : section_word(p);
        if (parse_at_block(p))
            p->closing = false;
        n = block(p, w);
        if (n != NULL) {
            node_add(blocks, n);
        } else if (p->closing || word_is_outer(p->token->word)) {
            return;
        } else if (!stray_equations(p, blocks) &&
                   !stray_statements(p, blocks)) {
            no_item(p, "INITIAL, CONTINUOUS, DISCRETE, TERMINAL or END");
        }
    }
}

/* system = "SYSTEM" { section } "END" . */
Node *parse_system(Parser *p)
{
    Node *n = parse_node(p, NODE_SYSTEM), *blocks;
    const Token *opener = p->token;
    parse_advance(p);
    blocks = parse_node(p, NODE_LIST);
    parse_sections(p, blocks);
    node_add(n, parse_done(p, blocks));
    parse_close(p, opener);
    return parse_done(p, n);
}

/* ---- Parallel statements ------------------------------------------------- */

static Node *parallel_nested(Parser *p);

static void nested_into(Parser *p, Node *n)
{
    node_add(n, parallel_nested(p));
}

/* parallel_for = "FOR" loop "DO" parallel_nested . */
static Node *parallel_for(Parser *p)
{
    Node *n = parse_loop(p);
    nested_into(p, n);
    return parse_done(p, n);
}

/* parallel_if = "IF" expression "THEN" parallel_nested
                 [ "ELSE" parallel_nested ]! . */
static Node *parallel_if(Parser *p)
{
    Node *n = parse_node(p, NODE_IF);
    parse_advance(p);
    node_add(n, parse_condition(p));
    parse_expect_before_statement(p, WORD_THEN, "after the condition");
    nested_into(p, n);
    parse_resume(p, WORD_ELSE);
    node_add(n, parse_accept_else(p) ? parallel_nested(p) : parse_none(p));
    return parse_done(p, n);
}

/* parallel_with = "WITH" designator "DO" parallel_nested . */
static Node *parallel_with(Parser *p)
{
    Node *n = parse_node(p, NODE_WITH);
    parse_advance(p);
    node_add(n, parse_designator(p));
    parse_expect_before_statement(p, WORD_DO, "after the entry");
    nested_into(p, n);
    return parse_done(p, n);
}

/* parallel_compound = "BEGIN" parallel "END" . */
static Node *parallel_compound(Parser *p)
{
    Node *n = parse_node(p, NODE_BLOCK);
    const Token *opener = p->token;
    parse_advance(p);
    node_add(n, parse_parallel(p));
    parse_close(p, opener);
    return parse_done(p, n);
}

static Node *designators_before(Parser *p, Word end, Word other)
{
    if (at(p, end) || at(p, other))
        return parse_node(p, NODE_LIST);
    return parse_designators(p);
}

/* interface = "(" [ designator { "," designator } ]
               "<-" [ designator { "," designator } ] ")" . */
Node *parse_interface(Parser *p)
{
    Node *n = parse_node(p, NODE_INTERFACE);
    parse_expect(p, WORD_LPAREN, "and (outputs <- inputs)");
    node_add(n, designators_before(p, WORD_ARROW, WORD_RPAREN));
    parse_expect(p, WORD_ARROW, "between outputs and inputs");
    node_add(n, designators_before(p, WORD_RPAREN, WORD_RPAREN));
    parse_expect(p, WORD_RPAREN, "or `,` among the inputs");
    return parse_done(p, n);
}

/* The `;` after the heading of a MODEL and the like. */
static void heading_end(Parser *p)
{
    parse_resume(p, WORD_SEMICOLON);
    if (!lost(p) && !at(p, WORD_SEMICOLON) && parse_on_new_line(p, p->token))
        parse_missing(p, "`;` is missing after this heading");
    else
        parse_expect(p, WORD_SEMICOLON, "after this heading");
}

/* model = "MODEL" IDENT interface ";" parallel "END" . */
static Node *model(Parser *p)
{
    Node *n = parse_node(p, NODE_MODEL);
    const Token *opener = p->token;
    parse_advance(p);
    n->text = parse_name(p, "the name of the MODEL")->text;
    node_add(n, parse_interface(p));
    heading_end(p);
    node_add(n, parse_parallel(p));
    parse_close(p, opener);
    return parse_done(p, n);
}

/* CONDIT E: X > 5 is meant as X CROSSES 5 POS. */
static bool relation_for_crossing(Parser *p, Node *n)
{
    const char *direction = "";
    switch (p->token->word) {
    case WORD_GREATER:
    case WORD_GREATER_EQUAL:
        n->flags |= FLAG_POS;
        direction = " POS";
        break;
    case WORD_LESS:
    case WORD_LESS_EQUAL:
        n->flags |= FLAG_NEG;
        direction = " NEG";
        break;
    case WORD_EQUAL: break;
    default: return false;
    }
    parse_report(p, p->token,
                 "an event happens at a crossing: write `a CROSSES b%s`, not "
                 "`a %s b`",
                 direction, p->token->text);
    parse_advance(p);
    return true;
}

/* crossing = ( 'IHERMITE' | 'REGULA' | 'BISECT' ) sum | sum "CROSSES" sum . */
static void crossing(Parser *p, Node *n)
{
    Word w = p->token->word;
    if (parse_accept(p, WORD_IHERMITE) || parse_accept(p, WORD_REGULA) ||
        parse_accept(p, WORD_BISECT)) {
        n->word = w;
        node_add(n, parse_sum(p));
        node_add(n, parse_none(p));
        return;
    }
    n->word = WORD_CROSSES;
    node_add(n, parse_sum(p));
    if (!relation_for_crossing(p, n))
        parse_expect(p, WORD_CROSSES, "and what is crossed");
    node_add(n, parse_sum(p));
}

/* Words of other languages for the direction. */
static void foreign_direction(Parser *p, Node *n)
{
    static const char *const both[] = {"ANY", "BOTH", "EITHER"};
    static const char *const up[] = {"POSITIVE", "RISING", "UP", "UPWARDS"};
    static const char *const down[] = {"DOWN", "DOWNWARDS", "FALLING",
                                       "NEGATIVE"};
    const char *name = p->token->text;
    if (!at_kind(p, TOKEN_NAME))
        return;
    if (name_is_among(name, up, LENGTH(up)))
        n->flags |= FLAG_POS;
    else if (name_is_among(name, down, LENGTH(down)))
        n->flags |= FLAG_NEG;
    else if (!name_is_among(name, both, LENGTH(both)))
        return;
    parse_report(p, p->token,
                 "`%.40s`: POS stands for upwards, NEG for downwards, and "
                 "neither of them for both",
                 name);
    parse_advance(p);
}

/* condit = "CONDIT" designator ":" crossing [ 'POS' | 'NEG' ]
            [ 'TOL' "=" sum ] [ 'PRIORITY' sum ] "END" . */
static Node *condit(Parser *p)
{
    Node *n = parse_node(p, NODE_CONDIT);
    const Token *opener = p->token;
    parse_advance(p);
    node_add(n, parse_designator(p));
    parse_expect(p, WORD_COLON, "and the condition");
    crossing(p, n);
    if (parse_accept(p, WORD_POS))
        n->flags |= FLAG_POS;
    else if (parse_accept(p, WORD_NEG))
        n->flags |= FLAG_NEG;
    else
        foreign_direction(p, n);
    if (parse_accept(p, WORD_TOL)) {
        parse_expect(p, WORD_EQUAL, "and the tolerance");
        node_add(n, parse_sum(p));
    } else {
        node_add(n, parse_none(p));
    }
    node_add(n, parse_accept(p, WORD_PRIORITY) ? parse_sum(p) : parse_none(p));
    if (!lost(p) && !at(p, WORD_END) && !at(p, WORD_SEMICOLON))
        parse_unexpected(p, "POS, NEG, TOL, PRIORITY or END");
    if (at(p, WORD_SEMICOLON))
        parse_missing(p, "the END of CONDIT is missing");
    else
        parse_close(p, opener);
    return parse_done(p, n);
}

/* preset = designator "=" sum . */
static Node *preset(Parser *p)
{
    Node *n = parse_node(p, NODE_PRESET);
    node_add(n, parse_designator(p));
    parse_expect(p, WORD_EQUAL, "and a value");
    node_add(n, parse_sum(p));
    return parse_done(p, n);
}

/* [ w preset { "," preset } ";" ] */
static Node *presets(Parser *p, Word w)
{
    Node *list = parse_node(p, NODE_LIST);
    if (!parse_accept(p, w))
        return list;
    do {
        node_add(list, preset(p));
    } while (parse_accept(p, WORD_COMMA));
    parse_resume(p, WORD_SEMICOLON);
    parse_expect(p, WORD_SEMICOLON, "or `,` among the values");
    return parse_done(p, list);
}

static void implicit_heading(Parser *p, Node *n)
{
    Node *interface = parse_node(p, NODE_INTERFACE);
    parse_expect(p, WORD_LPAREN, "and (unknowns <- inputs)");
    node_add(interface, parse_designators(p));
    parse_expect(p, WORD_ARROW, "between unknowns and inputs");
    node_add(interface, designators_before(p, WORD_RPAREN, WORD_SEMICOLON));
    node_add(n, parse_done(p, interface));
    if (parse_accept(p, WORD_SEMICOLON)) {
        parse_expect(p, WORD_MAX, "and the number of iterations");
        parse_expect(p, WORD_EQUAL, "and the number of iterations");
        node_add(n, parse_sum(p));
    } else {
        node_add(n, parse_none(p));
    }
    parse_expect(p, WORD_RPAREN, "after the unknowns and inputs");
}

/* implicit = "IMPLICIT" "(" designator { "," designator }
              "<-" [ designator { "," designator } ] [ ";" 'MAX' "=" sum ] ")"
              ";" [ 'TOLERANCE' preset { "," preset } ";" ]
              [ 'START' preset { "," preset } ";" ] "BEGIN" parallel "END" . */
static Node *implicit(Parser *p)
{
    Node *n = parse_node(p, NODE_IMPLICIT);
    const Token *opener = p->token;
    parse_advance(p);
    implicit_heading(p, n);
    heading_end(p);
    node_add(n, presets(p, WORD_TOLERANCE));
    node_add(n, presets(p, WORD_START));
    parse_expect(p, WORD_BEGIN, "and the equations of the loop");
    if (lost(p)) {
        node_add(n, parse_node(p, NODE_LIST));
        return n;
    }
    node_add(n, parse_parallel(p));
    parse_close(p, opener);
    return parse_done(p, n);
}

/* communic = "COMMUNIC" IDENT interface ";" statements "END" .
   procedural = "PROCEDURAL" interface ";" statements "END" . */
static Node *procedural(Parser *p, NodeKind kind)
{
    Node *n = parse_node(p, kind);
    const Token *opener = p->token;
    parse_advance(p);
    if (kind == NODE_COMMUNIC)
        n->text = parse_name(p, "the name of the COMMUNIC block")->text;
    node_add(n, parse_interface(p));
    heading_end(p);
    node_add(n, parse_statements(p));
    parse_close(p, opener);
    return parse_done(p, n);
}

#define SIDES_MOST 4

/* Reads the names of sides into word[]. Returns how many. */
static uint32_t side_names(Parser *p, Word *word)
{
    uint32_t n = 0;
    do {
        Word w = p->token->word;
        if (!parse_accept(p, WORD_LEFT) && !parse_accept(p, WORD_RIGHT) &&
            !parse_accept(p, WORD_BOTTOM) && !parse_accept(p, WORD_TOP))
            parse_unexpected(p, "LEFT, RIGHT, BOTTOM or TOP");
        if (n < SIDES_MOST)
            word[n++] = w;
    } while (parse_accept(p, WORD_COMMA));
    return n;
}

/* What holds on a side; a CASE begins a list, to which further branches are added. */
static void side_body(Parser *p, Node *n)
{
    if (!at(p, WORD_CASE)) {
        nested_into(p, n);
        return;
    }
    Node *list = parse_node(p, NODE_LIST);
    node_add(list, parse_case(p, true));
    node_add(n, parse_done(p, list));
}

/* side = 'AT' side_name { "," side_name } ":" ( parallel_case | parallel_nested ) .
   Several sides have a node each, so what stands behind them is read for each; but not
   for sides inside sides, which have no meaning and would be read ever more often. */
static void side(Parser *p, Node *sides)
{
    Word word[SIDES_MOST];
    Node *first = parse_node(p, NODE_SIDE);
    parse_expect(p, WORD_AT, "and a side");
    uint32_t n = side_names(p, word);
    parse_expect(p, WORD_COLON, "and what holds on this side");
    const Token *body = p->token;
    uint32_t losses = p->losses; // what cannot be read is not read again
    if (p->sides++ > 0 || lost(p))
        n = n > 0;
    for (uint32_t k = 0; k < n && (k == 0 || p->losses == losses); k++) {
        Node *one = k == 0 ? first : parse_node(p, NODE_SIDE);
        if (k > 0)
            p->token = body;
        one->word = word[k];
        side_body(p, one);
        node_add(sides, parse_done(p, one));
    }
    p->sides--;
}

/* True for the last side, and for those that were named together with it: what stands
   behind them begins at the same place. */
static bool same_side_group(const Node *sides, const Node *k)
{
    const Node *last = sides->last;
    return k == last || (k->first && last->first &&
                         k->first->at.start == last->first->at.start);
}

/* parallel_else | sum parallel_branch, of the CASE that is last in the list. */
static void side_branch(Parser *p, Node *list)
{
    const Token *opener = p->token;
    if (at(p, WORD_ELSE)) {
        parse_else_branch(p, list, true);
        return;
    }
    Node *label = parse_sum(p);
    if (at(p, WORD_COMMA) || at(p, WORD_DOTDOT) || at(p, WORD_COLON))
        parse_branch(p, list, label, opener, true);
    else
        parse_unexpected(p, "`:` after the label of a branch");
}

/* A further branch of the CASE of the last side, and of those that were named with it.
   False: there is none. */
static bool side_branches(Parser *p, Node *sides)
{
    const Token *here = p->token;
    bool any = false;
    uint32_t losses = p->losses;
    for (Node *k = sides->first; k && p->losses == losses; k = k->next) {
        Node *list = k->first;
        if (list == NULL || list->kind != NODE_LIST || list->last == NULL ||
            list->last->kind != NODE_CASE || !same_side_group(sides, k))
            continue;
        if (any)
            p->token = here;
        any = true;
        p->sides++;
        side_branch(p, list);
        p->sides--;
    }
    if (any || !p->u->grammar_only)
        return any;
    side_branch(p, parse_node(p, NODE_LIST));
    return true;
}

static void sides(Parser *p, Node *list)
{
    do {
        if (at(p, WORD_END) || at(p, WORD_SEMICOLON)) {
            if (list->first == NULL)
                parse_unexpected(p, "AT and a side");
        } else if (at(p, WORD_AT) || list->first == NULL ||
                   !side_branches(p, list)) {
            side(p, list);
        }
        parse_recover(p);
    } while (parse_accept(p, WORD_SEMICOLON));
}

/* A side after the END of its BOUNDARY, which was meant for an IF or CASE. */
static bool stray_side(Parser *p)
{
    const Token *t = p->token;
    if (lost(p) || p->closing || p->sides > 0 || p->u->grammar_only ||
        !at(p, WORD_SEMICOLON) || t[1].word != WORD_AT ||
        !(t[2].word == WORD_LEFT || t[2].word == WORD_RIGHT ||
          t[2].word == WORD_BOTTOM || t[2].word == WORD_TOP))
        return false;
    parse_report(p, t + 1,
                 "this side is outside BOUNDARY, which an END has closed "
                 "above: IF has one only with BEGIN, CASE has none but those "
                 "of its branches");
    parse_advance(p);
    return true;
}

/* boundary = "BOUNDARY" IDENT side
              { ";" [ side | parallel_else | sum parallel_branch ] } "END" . */
static Node *boundary(Parser *p)
{
    Node *n = parse_node(p, NODE_BOUNDARY), *list;
    const Token *opener = p->token;
    parse_advance(p);
    n->text = parse_name(p, "the name of a FIELD")->text;
    list = parse_node(p, NODE_LIST);
    do {
        sides(p, list);
        parse_close(p, opener);
    } while (stray_side(p));
    node_add(n, parse_done(p, list));
    return parse_done(p, n);
}

/* connect = "CONNECT" designator "TO" designator . */
static Node *connect(Parser *p)
{
    Node *n = parse_node(p, NODE_CONNECT);
    p->u->parted = true;
    parse_advance(p);
    node_add(n, parse_designator(p));
    parse_expect(p, WORD_TO, "and the other port");
    node_add(n, parse_designator(p));
    return parse_done(p, n);
}

/* finish_when = "FINISH" expression . */
static Node *finish_when(Parser *p)
{
    Node *n = parse_node(p, NODE_FINISH_WHEN);
    parse_advance(p);
    node_add(n, parse_expression(p));
    return parse_done(p, n);
}

/* parallel_statement = parallel_for | parallel_if | parallel_with
                      | parallel_compound | model | condit | implicit
                      | communic | procedural | boundary | connect
                      | finish_when . */
static Node *parallel_statement(Parser *p)
{
    switch (p->token->word) {
    case WORD_FOR: return parallel_for(p);
    case WORD_IF: return parallel_if(p);
    case WORD_WITH: return parallel_with(p);
    case WORD_BEGIN: return parallel_compound(p);
    case WORD_MODEL: return model(p);
    case WORD_CONDIT: return condit(p);
    case WORD_IMPLICIT: return implicit(p);
    case WORD_COMMUNIC: return procedural(p, NODE_COMMUNIC);
    case WORD_PROCEDURAL: return procedural(p, NODE_PROCEDURAL);
    case WORD_BOUNDARY: return boundary(p);
    case WORD_CONNECT: return connect(p);
    default: return finish_when(p);
    }
}

/* ---- Equations ----------------------------------------------------------- */

static void only_procedural(Parser *p)
{
    parse_fail(p, p->token,
               "`%s` is a statement of procedural code (INITIAL, events, "
               "PROCEDURAL): it does not belong among equations",
               word_text(p->token->word));
}

/* A sum alone is a call if it has a designator and parentheses; anything else
   means nothing. */
static Node *alone(Parser *p, Node *sum)
{
    if (sum->kind != NODE_CALL && !lost(p))
        parse_beyond(p, sum->at, sum->origin,
                     sum->kind == NODE_NAME
                         ? "this is not an equation: `=` is missing (a call "
                           "has parentheses)"
                         : "this is not an equation: `=` is missing");
    return sum;
}

/* IDENT actuals after the name of a MODULE: a call with a name. */
static Node *named_call(Parser *p, Node *module)
{
    Node *n = parse_from(p, NODE_CALL, module);
    n->text = parse_name(p, "the name of the call")->text;
    node_add(n, module);
    node_add(n, parse_actuals(p));
    return parse_done(p, n);
}

/* The grammar has a name and actuals after any sum; a MODULE is meant. */
static bool at_named_call(const Parser *p, const Node *left)
{
    if (!at_kind(p, TOKEN_NAME) || p->u->grammar_only)
        return at_kind(p, TOKEN_NAME);
    return left->kind == NODE_NAME && parse_peek(p)->word == WORD_LPAREN &&
           parse_remembers(p->modules, left->text);
}

/* [ "=" expression | IDENT actuals ] after a sum. */
static Node *equation(Parser *p, Node *left)
{
    Node *n;
    if (at_named_call(p, left))
        return named_call(p, left);
    if (at(p, WORD_BECOMES))
        parse_report(p, p->token,
                     "`:=` assigns in procedural code: an equation is written "
                     "with `=`");
    else if (at(p, WORD_PRIME) && left->kind == NODE_CALL)
        parse_fail(
            p, p->token,
            "the index of an array is written in brackets: `%.40s[...]'`",
            left->first->text == NULL ? "" : left->first->text);
    if (!at(p, WORD_EQUAL) && !at(p, WORD_BECOMES))
        return NULL;
    parse_advance(p);
    n = parse_from(p, NODE_EQUATION, left);
    node_add(n, left);
    node_add(n, parse_expression(p));
    return parse_done(p, n);
}

/* parallel_nested = parallel_statement
                    | sum [ "=" expression | IDENT actuals ] . */
static Node *parallel_nested(Parser *p)
{
    Node *n, *left;
    if (!parse_enter(p))
        return parse_none(p);
    if (at(p, WORD_CASE)) {
        parse_report(p, p->token,
                     "CASE must be part of a list of statements: put BEGIN ... "
                     "END around it");
        p->loose_case = true;
        n = parse_case(p, true);
    } else if (word_is_parallel(p->token->word)) {
        n = parallel_statement(p);
    } else if (word_is_statement(p->token->word)) {
        only_procedural(p);
        n = parse_none(p);
    } else {
        left = parse_sum(p);
        n = equation(p, left);
        if (n == NULL)
            n = alone(p, left);
    }
    parse_leave(p);
    return n;
}

/* sum ( "=" expression | IDENT actuals | parallel_branch | ) of
   parallel_element. */
static void equation_or_branch(Parser *p, Node *list)
{
    const Token *opener = p->token;
    Node *left = parse_sum(p), *n = equation(p, left);
    if (n != NULL)
        node_add(list, n);
    else if (at(p, WORD_COMMA) || at(p, WORD_DOTDOT) || at(p, WORD_COLON))
        parse_branch(p, list, left, opener, true);
    else if (!lost(p) || left->kind != NODE_CALL)
        node_add(list, left);
}

/* An element that is neither equation nor call is reported once what follows
   shows that it is complete. */
static void check_alone(Parser *p, Node *list, const Node *before)
{
    Node *n = list->last;
    bool ends = at(p, WORD_SEMICOLON) || at(p, WORD_END);
    if (n == NULL || n == before || !ends)
        return;
    switch (n->kind) {
    case NODE_BINARY:
    case NODE_UNARY:
    case NODE_NAME:
    case NODE_INDEX:
    case NODE_SELECT:
    case NODE_DERIVATIVE:
    case NODE_INTEGER:
    case NODE_NUMBER:
    case NODE_STRING:
    case NODE_BOOLEAN:
    case NODE_FIELD_AT:
    case NODE_CHOOSE: alone(p, n); break;
    default: break;
    }
}

static bool at_element(const Parser *p)
{
    return !at(p, WORD_SEMICOLON) && !at(p, WORD_END) &&
           !at_kind(p, TOKEN_END) && !word_is_outer(p->token->word);
}

/* parallel_element = parallel_statement | parallel_case | parallel_else
                    | sum ( "=" expression | IDENT actuals
                          | parallel_branch | ) . */
static void parallel_element(Parser *p, Node *list)
{
    const Node *before = list->last;
    while (at(p, WORD_ELSE)) {
        if (parse_else_branch(p, list, true) || !at_element(p))
            return;
    }
    if (at(p, WORD_CASE)) {
        node_add(list, parse_case(p, true));
    } else if (word_is_parallel(p->token->word)) {
        node_add(list, parallel_statement(p));
    } else if (word_is_statement(p->token->word)) {
        only_procedural(p);
    } else {
        equation_or_branch(p, list);
        check_alone(p, list, before);
    }
}

/* VAR or CONST where the equations begin: skipped, with a message. */
static void misplaced_declaration(Parser *p)
{
    while (at(p, WORD_VAR) || at(p, WORD_CONST)) {
        parse_fail(
            p, p->token,
            "`%s` belongs before EXPERIMENT and SYSTEM, not among equations",
            p->token->text);
        p->u->names_lost = true;
        p->held++;
        parse_recover(p);
        if (!parse_accept(p, WORD_SEMICOLON))
            return;
    }
}

/* parallel = [ parallel_element ] { ";" [ parallel_element ] } . */
Node *parse_parallel(Parser *p)
{
    Node *list = parse_node(p, NODE_LIST);
    bool in_branch = p->in_branch;
    p->in_branch = false;
    if (!parse_enter(p))
        return list;
    misplaced_declaration(p);
    do {
        p->next_branch = in_branch && parse_at_next_branch(p, list);
        if (p->next_branch)
            break;
        if (at_element(p))
            parallel_element(p, list);
    } while (parse_separator(p, list, true));
    parse_leave(p);
    return parse_done(p, list);
}
