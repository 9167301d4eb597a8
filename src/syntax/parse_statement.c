#include "syntax/parse.h"

/* ---- CASE, in both kinds of code ----------------------------------------- */

static Node *code(Parser *p, bool parallel)
{
    return parallel ? parse_parallel(p) : parse_statements(p);
}

/* label = INTEGER | IDENT . */
static Node *label(Parser *p)
{
    if (at_kind(p, TOKEN_INTEGER))
        return parse_integer(p, "");
    return parse_name_node(p, "a whole number or the name of a constant");
}

/* labels = label { "," label } [ ".." label ] . `first` has been read already,
   or is NULL. */
Node *parse_labels(Parser *p, Node *first)
{
    Node *list = first == NULL ? parse_node(p, NODE_LIST)
                               : parse_from(p, NODE_LIST, first);
    Node *last = first == NULL ? label(p) : first, *range;
    while (parse_accept(p, WORD_COMMA)) {
        node_add(list, last);
        last = label(p);
    }
    if (parse_accept(p, WORD_DOTDOT)) {
        range = parse_from(p, NODE_RANGE, last);
        node_add(range, last);
        node_add(range, label(p));
        last = parse_done(p, range);
    }
    node_add(list, last);
    return parse_done(p, list);
}

/* statements "END". */
static Node *branch_body(Parser *p, Node *n, const Token *opener, bool parallel)
{
    p->in_branch = true;
    node_add(n, code(p, parallel));
    if (!p->next_branch)
        parse_close(p, opener);
    return parse_done(p, n);
}

/* After the labels: ":" statements "END". */
static Node *branch(Parser *p, Node *labels, const Token *opener, bool parallel)
{
    Node *n = parse_from(p, NODE_BRANCH, labels);
    node_add(n, labels);
    parse_resume(p, WORD_COLON);
    parse_expect(p, WORD_COLON, "after the label of the branch");
    return branch_body(p, n, opener, parallel);
}

/* "ELSE" statements "END", which has no label. */
static Node *other_branch(Parser *p, const Token *opener, bool parallel)
{
    Node *n = parse_node(p, NODE_BRANCH);
    parse_advance(p);
    node_add(n, parse_node(p, NODE_LIST));
    n->first->at.length = 0;
    return branch_body(p, n, opener, parallel);
}

/* Branches written as in Pascal, where only the last has an END. */
static void more_branches(Parser *p, Node *list, bool parallel)
{
    if (p->next_branch)
        parse_report(p, p->token,
                     "the END of the branch before `%.40s` is missing: every "
                     "branch of CASE ends in END, and CASE has no other",
                     p->token->text);
    while (p->next_branch) {
        const Token *opener = p->token;
        p->next_branch = false;
        node_add(list, at(p, WORD_ELSE) ? other_branch(p, opener, parallel)
                                        : branch(p, parse_labels(p, NULL),
                                                 opener, parallel));
    }
}

bool parse_at_next_branch(const Parser *p, const Node *list)
{
    const Node *before = list->last;
    Word behind = parse_peek(p)->word;
    if (p->u->grammar_only || lost(p) || before == NULL ||
        before->kind == NODE_CASE)
        return false;
    if (at(p, WORD_ELSE))
        return before->kind != NODE_IF;
    if (at_kind(p, TOKEN_INTEGER))
        return behind == WORD_COLON || behind == WORD_COMMA ||
               behind == WORD_DOTDOT;
    return at_kind(p, TOKEN_NAME) && behind == WORD_COLON;
}

/* case = "CASE" expression "OF" labels ":" statements "END" . */
Node *parse_case(Parser *p, bool parallel)
{
    Node *n = parse_node(p, NODE_CASE), *list;
    const Token *opener = p->token;
    if (!parse_enter(p))
        return n;
    p->cases = opener;
    parse_advance(p);
    node_add(n, parse_expression(p));
    parse_resume(p, WORD_OF);
    if (at_kind(p, TOKEN_INTEGER))
        parse_missing(p, "OF is missing after the selector");
    else
        parse_expect(p, WORD_OF, "after the selector");
    list = parse_node(p, NODE_LIST);
    if (!lost(p))
        opener = p->token;
    node_add(list, branch(p, parse_labels(p, NULL), opener, parallel));
    more_branches(p, list, parallel);
    node_add(n, parse_done(p, list));
    parse_leave(p);
    return parse_done(p, n);
}

static bool is_label(const Node *n)
{
    return n->kind == NODE_NAME ||
           (n->kind == NODE_INTEGER && n->first->kind == NODE_NONE);
}

/* True if a branch can be added to the CASE before it in the list. */
static bool belongs(Parser *p, const Node *list, Span where, uint32_t origin)
{
    const Node *before = list->last;
    if (before == NULL || before->kind != NODE_CASE) {
        if (!p->loose_case)
            parse_beyond(p, where, origin,
                         "this branch belongs to no CASE: CASE must come "
                         "directly before its branches");
        return false;
    }
    if (before->last->last->first->first == NULL)
        parse_beyond(p, where, origin, "ELSE is the last branch of a CASE");
    return true;
}

static void add_branch(Node *list, Node *n)
{
    Node *of = list->last;
    node_add(of->last, n);
    of->at = span_join(of->at, n->at);
    of->last->at = span_join(of->last->at, n->at);
}

void parse_branch(Parser *p, Node *list, Node *label, const Token *opener,
                  bool parallel)
{
    Node *labels, *n;
    bool fits;
    if (!is_label(label))
        parse_beyond(p, label->at, label->origin,
                     "the label of a branch is a whole number or the name of a "
                     "constant");
    labels = parse_labels(p, label);
    fits = !lost(p) && belongs(p, list, labels->at, labels->origin);
    n = branch(p, labels, opener, parallel);
    if (fits)
        add_branch(list, n);
    more_branches(p, fits ? list->last->last : parse_node(p, NODE_LIST),
                  parallel);
}

/* case_else = "ELSE" statements "END" . An ELSE after `;` that belongs to no
   CASE was meant for the IF before it, and has no END of its own. */
bool parse_else_branch(Parser *p, Node *list, bool parallel)
{
    const Token *opener = p->token;
    const Node *before = list->last;
    bool fits = before != NULL && before->kind == NODE_CASE;
    Node *n;
    if (!fits && !p->u->grammar_only && before != NULL &&
        before->kind == NODE_IF) {
        parse_report(p, opener,
                     "this ELSE belongs to no IF: remove the `;` before it");
        parse_advance(p);
        return false;
    }
    if (!fits && !p->loose_case)
        parse_beyond(p, opener->at, opener->origin,
                     "this ELSE belongs to no IF and to no CASE");
    n = other_branch(p, opener, parallel);
    if (fits)
        add_branch(list, n);
    return true;
}

/* ---- Structured statements ----------------------------------------------- */

static Node *nested(Parser *p);

/* The second form of a loop: over the copies of a process. */
static Node *loop_over_copies(Parser *p, Node *n)
{
    n->kind = NODE_EACH;
    parse_advance(p);
    node_add(n, parse_name_node(p, "the CONTINUOUS PROCESS whose copies are "
                                   "gone through"));
    parse_expect_before_statement(p, WORD_DO, "before what the loop repeats");
    return n;
}

/* loop = IDENT ( ":=" range | 'IN' IDENT ) .  Includes the FOR before and the DO
   after it.
   range = expression ( "TO" | "DOWNTO" ) expression [ 'BY' expression ] . */
Node *parse_loop(Parser *p)
{
    Node *n = parse_node(p, NODE_FOR);
    parse_advance(p);
    n->text = parse_name(p, "the variable of the loop")->text;
    if (at(p, WORD_IN) && parse_peek(p)->kind == TOKEN_NAME)
        return loop_over_copies(p, n);
    if (at(p, WORD_EQUAL)) {
        parse_report(p, p->token,
                     "a loop is written with `:=`: FOR %.40s := "
                     "...",
                     n->text);
        parse_advance(p);
    } else if (at(p, WORD_IN)) {
        parse_fail(p, p->token, "a loop is written FOR %.40s := a TO b DO",
                   n->text);
    } else {
        parse_expect(p, WORD_BECOMES, "and the first value");
    }
    node_add(n, parse_expression(p));
    n->word = at(p, WORD_DOWNTO) ? WORD_DOWNTO : WORD_TO;
    if (!parse_accept(p, WORD_DOWNTO))
        parse_expect(p, WORD_TO, "or DOWNTO and the last value");
    node_add(n, parse_expression(p));
    node_add(n, parse_accept(p, WORD_BY) ? parse_expression(p) : parse_none(p));
    parse_expect_before_statement(p, WORD_DO, "before what the loop repeats");
    return n;
}

/* for = "FOR" loop "DO" nested . */
static Node *for_(Parser *p)
{
    Node *n = parse_loop(p);
    node_add(n, nested(p));
    return parse_done(p, n);
}

/* if = "IF" expression "THEN" nested [ "ELSE" nested ]! . */
static Node *if_(Parser *p)
{
    Node *n = parse_node(p, NODE_IF);
    parse_advance(p);
    node_add(n, parse_condition(p));
    parse_expect_before_statement(p, WORD_THEN, "after the condition");
    node_add(n, nested(p));
    parse_resume(p, WORD_ELSE);
    node_add(n, parse_accept_else(p) ? nested(p) : parse_none(p));
    return parse_done(p, n);
}

/* while = "WHILE" expression "DO" nested . */
static Node *while_(Parser *p)
{
    Node *n = parse_node(p, NODE_WHILE);
    parse_advance(p);
    node_add(n, parse_condition(p));
    parse_expect_before_statement(p, WORD_DO, "after the condition");
    node_add(n, nested(p));
    return parse_done(p, n);
}

/* repeat = "REPEAT" statements "UNTIL" expression . */
static Node *repeat(Parser *p)
{
    Node *n = parse_node(p, NODE_REPEAT);
    const Token *opener = p->token;
    parse_advance(p);
    p->repeats++;
    node_add(n, parse_statements(p));
    p->repeats--;
    if (!at(p, WORD_UNTIL) && !p->closing) {
        parse_missing(p, "the UNTIL of REPEAT (line %u) is missing",
                      (unsigned)unit_line(p->u, opener->at));
        node_add(n, parse_none(p));
        return n;
    }
    parse_accept(p, WORD_UNTIL);
    node_add(n, parse_condition(p));
    return parse_done(p, n);
}

/* with = "WITH" designator "DO" nested . */
static Node *with(Parser *p)
{
    Node *n = parse_node(p, NODE_WITH);
    parse_advance(p);
    node_add(n, parse_designator(p));
    parse_expect_before_statement(p, WORD_DO, "after the entry");
    node_add(n, nested(p));
    return parse_done(p, n);
}

/* compound = "BEGIN" statements "END" . */
static Node *compound(Parser *p)
{
    Node *n = parse_node(p, NODE_BLOCK);
    const Token *opener = p->token;
    parse_advance(p);
    node_add(n, parse_statements(p));
    parse_close(p, opener);
    return parse_done(p, n);
}

/* fortran = "FORTRAN" RAW . ccode = "CCODE" RAW . */
static Node *raw(Parser *p, NodeKind kind)
{
    Node *n = parse_node(p, kind);
    parse_advance(p);
    n->text = p->token->text;
    n->at = p->token->at;
    if (at_kind(p, TOKEN_RAW))
        parse_advance(p);
    else
        parse_unexpected(p, "the text of the block");
    return n;
}

/* errorexit = "ERROREXIT" sum STRING . */
static Node *errorexit(Parser *p)
{
    Node *n = parse_node(p, NODE_ERROREXIT);
    parse_advance(p);
    node_add(n, parse_sum(p));
    n->text = parse_string(p, "the message in quotes")->text;
    return parse_done(p, n);
}

/* ---- Events, files, processes -------------------------------------------- */

/* Reports TERMINATE without operand and SEIZE (DESK). */
static void no_operand(Parser *p, Word w)
{
    if (w == WORD_TERMINATE && (at(p, WORD_SEMICOLON) || at(p, WORD_END)))
        parse_fail(p, p->token,
                   "TERMINATE needs the number of a transaction: TRANSNBR is "
                   "the number of this one");
    else if (w == WORD_TERMINATE && at_kind(p, TOKEN_INTEGER))
        parse_fail(p, p->token,
                   "TERMINATE TRANSNBR ends this transaction, and the END of "
                   "the process does so by itself");
    else if (at(p, WORD_LPAREN))
        parse_fail(p, p->token, "no parentheses here: write %s name",
                   word_text(w));
    else if (w == WORD_SEIZE && at_kind(p, TOKEN_NAME) &&
             parse_peek(p)->word == WORD_OF)
        parse_fail(p, p->token,
                   "to take any facility of an array that is free, write SEIZE "
                   "ANY OF array INDEX k");
}

/* A word and the designator it works on. */
static Node *word_designator(Parser *p, NodeKind kind)
{
    Node *n = parse_node(p, kind);
    n->word = p->token->word;
    parse_advance(p);
    no_operand(p, n->word);
    node_add(n, parse_designator(p));
    return parse_done(p, n);
}

/* A word and its operand; `word` of the node stays empty. */
static Node *word_operand(Parser *p, NodeKind kind, Node *(*rule)(Parser *))
{
    Node *n = parse_node(p, kind);
    parse_advance(p);
    node_add(n, rule(p));
    return parse_done(p, n);
}

static Node *optional(Parser *p, Word w, Node *(*rule)(Parser *))
{
    return parse_accept(p, w) ? rule(p) : parse_none(p);
}

/* attribute = designator ":=" expression . */
static Node *attribute(Parser *p)
{
    Node *n = parse_node(p, NODE_ASSIGN);
    node_add(n, parse_designator(p));
    if (at(p, WORD_EQUAL)) {
        parse_report(p, p->token,
                     "an attribute is given its value with `:=`, "
                     "not `=`");
        parse_advance(p);
    } else {
        parse_expect(p, WORD_BECOMES, "and the value of the attribute");
    }
    node_add(n, parse_expression(p));
    return parse_done(p, n);
}

/* where = "WHERE" [ attribute ] { ";" [ attribute ] } "END" . */
Node *parse_where(Parser *p)
{
    Node *n, *list;
    const Token *opener = p->token;
    if (!at(p, WORD_WHERE))
        return parse_none(p);
    n = parse_node(p, NODE_WHERE);
    parse_advance(p);
    list = parse_node(p, NODE_LIST);
    do {
        if (at_kind(p, TOKEN_NAME))
            node_add(list, attribute(p));
        else if (!at(p, WORD_SEMICOLON) && !at(p, WORD_END))
            parse_unexpected(p, "an attribute or END");
        parse_recover(p);
    } while (parse_accept(p, WORD_SEMICOLON));
    node_add(n, parse_done(p, list));
    parse_close(p, opener);
    return parse_done(p, n);
}

/* SCHEDULE E IN 5, GENERATE N FOR P AFTER 5: AT takes the time itself. */
static void no_delay(Parser *p)
{
    const Token *t = p->token;
    if (at(p, WORD_IN) ||
        (t->kind == TOKEN_NAME &&
         (name_same(t->text, "AFTER") || name_same(t->text, "DELAY"))) ||
        at(p, WORD_EVERY))
        parse_fail(p, t,
                   "AT names the time itself, not a delay: write AT TIME + "
                   "...");
}

/* schedule = "SCHEDULE" designator 'AT' expression [ 'PRIORITY' expression ]
              [ where ] . */
static Node *schedule(Parser *p)
{
    Node *n = parse_node(p, NODE_SCHEDULE);
    parse_advance(p);
    node_add(n, parse_designator(p));
    no_delay(p);
    parse_expect(p, WORD_AT, "and the time of the event");
    node_add(n, parse_expression(p));
    node_add(n, optional(p, WORD_PRIORITY, parse_expression));
    node_add(n, parse_where(p));
    return parse_done(p, n);
}

/* insert = "INSERT" designator [ where ] . */
static Node *insert(Parser *p)
{
    Node *n = parse_node(p, NODE_INSERT);
    parse_advance(p);
    node_add(n, parse_path(p, "the name of a file"));
    node_add(n, parse_where(p));
    return parse_done(p, n);
}

static bool starts_sum(const Parser *p)
{
    switch (p->token->kind) {
    case TOKEN_NAME:
    case TOKEN_INTEGER:
    case TOKEN_NUMBER:
    case TOKEN_STRING: return true;
    default: break;
    }
    switch (p->token->word) {
    case WORD_PLUS:
    case WORD_MINUS:
    case WORD_LPAREN:
    case WORD_MOD:
    case WORD_TRUE:
    case WORD_FALSE: return true;
    default: return false;
    }
}

/* remove = "REMOVE" designator [ 'FIRST' | 'LAST' | sum ] . */
static Node *remove_(Parser *p)
{
    Node *n = parse_node(p, NODE_REMOVE);
    parse_advance(p);
    node_add(n, parse_path(p, "the name of a file"));
    if (at(p, WORD_FIRST) || at(p, WORD_LAST)) {
        n->word = p->token->word;
        parse_advance(p);
        node_add(n, parse_none(p));
    } else {
        if (at(p, WORD_WITH) || at(p, WORD_WHERE))
            parse_fail(p, p->token,
                       "REMOVE takes FIRST, LAST or a rank: FIND R IN file "
                       "WITH ... finds one");
        node_add(n, starts_sum(p) ? parse_sum(p) : parse_none(p));
    }
    return parse_done(p, n);
}

/* find = "FIND" designator 'IN' designator "WITH" expression . */
static Node *find(Parser *p)
{
    Node *n = parse_node(p, NODE_FIND);
    parse_advance(p);
    node_add(n, parse_designator(p));
    parse_expect(p, WORD_IN, "and the file to be searched");
    node_add(n, parse_path(p, "the name of a file"));
    if (at(p, WORD_WHERE)) {
        parse_report(p, p->token, "the condition of FIND follows WITH");
        parse_advance(p);
    } else {
        parse_expect(p, WORD_WITH, "and the condition");
    }
    node_add(n, parse_expression(p));
    return parse_done(p, n);
}

static void no_number(Parser *p)
{
    parse_fail(
        p, p->token,
        "GENERATE makes one transaction: write GENERATE FOR process AT TIME + "
        "gap, or GENERATE n FOR process, where n receives its number");
}

/* GENERATE FOR P (3). */
static void no_actuals(Parser *p)
{
    if (at(p, WORD_LPAREN))
        parse_fail(p, p->token,
                   "GENERATE hands over no actuals, which stand in PROCESSES: "
                   "give the process a FILE, and set its attributes with "
                   "WHERE attribute := value END");
}

/* generate = "GENERATE" [ IDENT ] "FOR" designator [ 'AT' expression ]
              [ 'PRIORITY' expression ] [ where ] . */
static Node *generate(Parser *p)
{
    Node *n = parse_node(p, NODE_GENERATE), *number;
    parse_advance(p);
    if (at_kind(p, TOKEN_INTEGER) || at_kind(p, TOKEN_NUMBER))
        no_number(p);
    number = at(p, WORD_FOR) ? parse_none(p)
                             : parse_name_node(p, "FOR and the process");
    if (!at(p, WORD_FOR) && !lost(p)) {
        no_number(p);
        number->text = "";
    }
    node_add(n, number);
    parse_expect(p, WORD_FOR, "and the process");
    node_add(n, parse_path(p, "the name of a process"));
    no_actuals(p);
    no_delay(p);
    node_add(n, optional(p, WORD_AT, parse_expression));
    node_add(n, optional(p, WORD_PRIORITY, parse_expression));
    node_add(n, parse_where(p));
    return parse_done(p, n);
}

/* SEIZE F, 2 and SEIZE F FOR 5. */
static void no_duration(Parser *p)
{
    const Token *name = parse_peek(p);
    bool loop = name != p->last && name[1].word == WORD_BECOMES;
    if (at(p, WORD_COMMA))
        parse_fail(p, p->token,
                   "a FACILITY has one place: several are a STORAGE with its "
                   "CAPACITY, and ENTER name, n");
    if (at(p, WORD_FOR) && !loop)
        parse_fail(p, p->token,
                   "SEIZE takes the facility until RELEASE: write ADVANCE time "
                   "between them");
}

/* ADVANCE 3 TIMEOUT 5. */
static Node *no_timeout(Parser *p, Node *n)
{
    if (at(p, WORD_TIMEOUT))
        parse_fail(p, p->token,
                   "only SEIZE, ENTER, PASS, WAITSIG and WAIT UNTIL have a "
                   "TIMEOUT");
    return n;
}

/* After a NAME has been expected: `SEIZE ANY OF F, G`. */
static void no_list(Parser *p)
{
    if (at(p, WORD_COMMA))
        parse_fail(p, p->token,
                   "SEIZE ANY takes one of an array: declare VAR ARRAY [n] OF "
                   "FACILITY, and write SEIZE ANY OF array INDEX k");
}

/* 'ANY' "OF" designator 'INDEX' designator
   [ 'BY' ( 'FIRST' | 'LONGESTIDLE' | "RANDOM" ) ] */
static Node *seize_any(Parser *p)
{
    Node *n = parse_node(p, NODE_SEIZE_ANY), *array;
    n->word = p->token->word;
    parse_advance(p);
    parse_advance(p);
    parse_expect(p, WORD_OF, "and the array of facilities");
    array = parse_designator(p);
    no_list(p);
    parse_expect(p, WORD_INDEX,
                 "and the variable that receives the number of the facility");
    node_add(n, parse_designator(p));
    node_add(n, array);
    if (!parse_accept(p, WORD_BY))
        return n;
    if (at(p, WORD_LONGESTIDLE))
        n->flags |= FLAG_LONGEST;
    else if (at(p, WORD_RANDOM))
        n->flags |= FLAG_RANDOMLY;
    else if (!at(p, WORD_FIRST))
        parse_unexpected(p, "FIRST, LONGESTIDLE or RANDOM");
    parse_advance(p);
    return n;
}

/* seize = "SEIZE" ( 'ANY' "OF" ... | designator ) [ 'PRIORITY' expression ]
           [ 'TIMEOUT' expression ] . A FACILITY may be called ANY. */
static Node *seize(Parser *p)
{
    const Token *next = parse_peek(p);
    bool any = next->word == WORD_ANY && next != p->last &&
               (p->u->grammar_only || next[1].word == WORD_OF);
    Node *n = any ? seize_any(p) : word_designator(p, NODE_SEIZE);
    node_add(n, optional(p, WORD_PRIORITY, parse_expression));
    node_add(n, optional(p, WORD_TIMEOUT, parse_expression));
    no_duration(p);
    return parse_done(p, n);
}

/* preempt = "PREEMPT" designator [ 'PRIORITY' expression ] [ 'RESTART' ] . */
static Node *preempt(Parser *p)
{
    Node *n = word_designator(p, NODE_SEIZE);
    node_add(n, optional(p, WORD_PRIORITY, parse_expression));
    if (parse_accept(p, WORD_RESTART))
        n->flags |= FLAG_RESTART;
    node_add(n, parse_none(p));
    return no_timeout(p, parse_done(p, n));
}

/* enter = "ENTER" designator [ "," expression ] [ 'TIMEOUT' expression ] .
   leave = "LEAVE" designator [ "," expression ] . */
static Node *storage_use(Parser *p)
{
    Node *n = word_designator(p, NODE_STORAGE_USE);
    node_add(n, optional(p, WORD_COMMA, parse_expression));
    if (n->word == WORD_ENTER)
        node_add(n, optional(p, WORD_TIMEOUT, parse_expression));
    else
        no_timeout(p, n);
    if (at(p, WORD_PRIORITY))
        parse_fail(p, p->token,
                   "a STORAGE goes by the priority of the transaction: set "
                   "PRIORNBR before");
    return parse_done(p, n);
}

/* Reports ADVANCE 3, 1 as in GPSS. */
static Node *advance(Parser *p)
{
    Node *n = word_operand(p, NODE_ADVANCE, parse_expression);
    if (at(p, WORD_COMMA))
        parse_fail(p, p->token,
                   "ADVANCE takes one time: for a random time declare a "
                   "RANDOM, with UNIFORMD MIN = ... MAX = ... in RANDOMGEN");
    return no_timeout(p, n);
}

/* gate = ( "OPEN" | "CLOSE" ) designator
        | "PASS" designator [ 'TIMEOUT' expression ] .
   signal = "SENDSIG" designator
          | "WAITSIG" designator [ 'TIMEOUT' expression ] . */
static Node *resource(Parser *p)
{
    Node *n = word_designator(p, NODE_RESOURCE);
    if (n->word == WORD_PASS || n->word == WORD_WAITSIG)
        node_add(n, optional(p, WORD_TIMEOUT, parse_expression));
    else
        no_timeout(p, n);
    return parse_done(p, n);
}

/* wait = "WAIT" "UNTIL" expression [ 'TIMEOUT' expression ] . */
static Node *wait(Parser *p)
{
    Node *n = parse_node(p, NODE_WAIT);
    parse_advance(p);
    parse_expect(p, WORD_UNTIL,
                 "and the condition (to wait for a time, write "
                 "ADVANCE)");
    node_add(n, parse_expression(p));
    node_add(n, optional(p, WORD_TIMEOUT, parse_expression));
    return parse_done(p, n);
}

/* split = "SPLIT" expression [ where ] . */
static Node *split(Parser *p)
{
    Node *n = word_operand(p, NODE_SPLIT, parse_expression);
    node_add(n, parse_where(p));
    return parse_done(p, n);
}

/* create = "CREATE" designator [ where ] . */
static Node *create(Parser *p)
{
    Node *n = word_operand(p, NODE_CREATE, parse_designator);
    node_add(n, parse_where(p));
    return parse_done(p, n);
}

static Node *finish(Parser *p)
{
    Node *n = parse_node(p, NODE_FINISH);
    parse_advance(p);
    return n;
}

/* statement = for | if | while | ...: everything that begins with a word. */
static Node *statement(Parser *p)
{
    switch (p->token->word) {
    case WORD_FOR: return for_(p);
    case WORD_IF: return if_(p);
    case WORD_WHILE: return while_(p);
    case WORD_REPEAT: return repeat(p);
    case WORD_WITH: return with(p);
    case WORD_BEGIN: return compound(p);
    case WORD_FORTRAN: return raw(p, NODE_FORTRAN);
    case WORD_CCODE: return raw(p, NODE_CCODE);
    case WORD_FINISH: return finish(p);
    case WORD_ERROREXIT: return errorexit(p);
    case WORD_SCHEDULE: return schedule(p);
    case WORD_CANCEL: return word_operand(p, NODE_CANCEL, parse_designator);
    case WORD_INSERT: return insert(p);
    case WORD_REMOVE: return remove_(p);
    case WORD_FIND: return find(p);
    case WORD_GENERATE: return generate(p);
    case WORD_ADVANCE: return advance(p);
    case WORD_SEIZE: return seize(p);
    case WORD_PREEMPT: return preempt(p);
    case WORD_RELEASE:
    case WORD_OPEN:
    case WORD_CLOSE:
    case WORD_PASS:
    case WORD_SENDSIG:
    case WORD_WAITSIG: return resource(p);
    case WORD_ENTER:
    case WORD_LEAVE: return storage_use(p);
    case WORD_WAIT: return wait(p);
    case WORD_TERMINATE:
    case WORD_INTERRUPT: return word_designator(p, NODE_TRANSACTION);
    case WORD_SPLIT: return split(p);
    case WORD_JOIN: return word_operand(p, NODE_JOIN, parse_expression);
    case WORD_CREATE: return create(p);
    case WORD_SUSPEND:
    case WORD_RESUME:
    case WORD_DELETE: return word_designator(p, NODE_COPY);
    default: return parse_experiment_statement(p);
    }
}

/* ---- Assignments, calls, lists ------------------------------------------- */

/* `=` where `:=` is expected. */
static void no_equation(Parser *p, const Node *target)
{
    parse_report(p, p->token,
                 target->kind == NODE_DERIVATIVE
                     ? "the equation of a derivative belongs in CONTINUOUS; to "
                       "assign, write `:=`"
                     : "`=` states an equation or compares: to assign, write "
                       "`:=`");
}

/* simple_statement = place [ actuals ] [ ":=" expression ] . */
static Node *simple_statement(Parser *p)
{
    Node *target = parse_place(p), *n;
    bool call = at(p, WORD_LPAREN);
    if (call) {
        n = parse_from(p, NODE_CALL, target);
        node_add(n, target);
        p->downs = target->kind == NODE_NAME && name_same(target->text, "DOWN");
        node_add(n, parse_actuals(p));
        target = parse_done(p, n);
    }
    if (at(p, WORD_EQUAL))
        no_equation(p, target);
    if (at(p, WORD_EQUAL) || at(p, WORD_BECOMES)) {
        n = parse_from(p, NODE_ASSIGN, target);
        parse_advance(p);
        node_add(n, target);
        node_add(n, parse_expression(p));
        return parse_done(p, n);
    }
    if (call)
        return target;
    if (lost(p))
        return parse_none(p);
    n = parse_from(p, NODE_CALL, target);
    node_add(n, target);
    node_add(n, parse_no_actuals(p));
    return n;
}

static void only_parallel(Parser *p)
{
    parse_fail(p, p->token,
               "`%s` belongs among the equations of CONTINUOUS, not in "
               "procedural code",
               word_text(p->token->word));
}

/* nested = statement | simple_statement . */
static Node *nested(Parser *p)
{
    Node *n;
    if (!parse_enter(p))
        return parse_none(p);
    if (at(p, WORD_CASE)) {
        parse_report(p, p->token,
                     "CASE must be part of a list of statements: put BEGIN ... "
                     "END around it");
        p->loose_case = true;
        n = parse_case(p, false);
    } else if (word_is_statement(p->token->word)) {
        n = statement(p);
    } else if (word_is_parallel(p->token->word)) {
        only_parallel(p);
        n = parse_none(p);
    } else if (at_kind(p, TOKEN_NAME)) {
        n = simple_statement(p);
    } else {
        parse_unexpected(p, "a statement");
        n = parse_none(p);
    }
    parse_leave(p);
    return n;
}

/* EVENT: or EVENT[K, L]: */
static bool heads_event(const Token *t)
{
    if (t->kind != TOKEN_NAME || t[1].word != WORD_LBRACKET)
        return t->kind == TOKEN_NAME && t[1].word == WORD_COLON;
    for (t += 2; t->kind == TOKEN_NAME && t[1].word == WORD_COMMA; t += 2)
        ;
    return t->kind == TOKEN_NAME && t[1].word == WORD_RBRACKET &&
           t[2].word == WORD_COLON;
}

/* True in the body of an event at the name of the next event: the END of this
   one is missing. */
static bool at_next_event(Parser *p, const Node *list)
{
    return p->in_events && !p->u->grammar_only && heads_event(p->token) &&
           (list->last == NULL || list->last->kind != NODE_CASE);
}

/* A branch whose label has been read as a call. */
static void name_branch(Parser *p, Node *list, Node *call, const Token *opener)
{
    Node *label = call;
    if (call->kind == NODE_CALL && call->first->at.length == call->at.length)
        label = call->first;
    label->next = NULL;
    parse_branch(p, list, label, opener, false);
}

static bool at_element(const Parser *p)
{
    return !at(p, WORD_SEMICOLON) && !at(p, WORD_END) && !at(p, WORD_UNTIL) &&
           !at_kind(p, TOKEN_END) && !word_is_outer(p->token->word);
}

/* A reserved word that begins no statement, used like a variable. */
static bool at_word_as_name(const Parser *p)
{
    Word after = parse_peek(p)->word;
    return at_kind(p, TOKEN_WORD) &&
           (after == WORD_BECOMES || after == WORD_EQUAL);
}

/* element = statement | case | case_else | INTEGER case_branch
           | simple_statement ( case_branch | ) . */
static void element(Parser *p, Node *list)
{
    const Token *opener = p->token;
    Node *n;
    if (at_kind(p, TOKEN_INTEGER)) {
        parse_branch(p, list, parse_integer(p, ""), opener, false);
        return;
    }
    while (at(p, WORD_ELSE)) {
        if (parse_else_branch(p, list, false) || !at_element(p))
            return;
    }
    if (at(p, WORD_CASE)) {
        node_add(list, parse_case(p, false));
    } else if (word_is_statement(p->token->word)) {
        p->loose_case = false;
        node_add(list, statement(p));
    } else if (word_is_parallel(p->token->word)) {
        only_parallel(p);
    } else if (at_kind(p, TOKEN_NAME) || at_word_as_name(p)) {
        n = simple_statement(p);
        if (at(p, WORD_COMMA) || at(p, WORD_DOTDOT) || at(p, WORD_COLON))
            name_branch(p, list, n, opener);
        else
            node_add(list, n);
    } else {
        parse_unexpected(p, "a statement");
    }
}

/* statements = [ element ] { ";" [ element ] } . */
Node *parse_statements(Parser *p)
{
    Node *list = parse_node(p, NODE_LIST);
    bool in_branch = p->in_branch;
    p->in_branch = false;
    if (!parse_enter(p))
        return list;
    do {
        if (at_next_event(p, list)) {
            parse_report(p, p->token,
                         "the END of the event before `%.40s` is missing",
                         p->token->text);
            p->closing = true;
            break;
        }
        p->next_branch = in_branch && parse_at_next_branch(p, list);
        if (p->next_branch)
            break;
        if (at_element(p))
            element(p, list);
    } while (parse_separator(p, list, false));
    parse_leave(p);
    return parse_done(p, list);
}
