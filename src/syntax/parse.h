#ifndef COSY_SYNTAX_PARSE_H
#define COSY_SYNTAX_PARSE_H

/* Private to the parser: recursive descent, one function per rule of
   grammar/cosy.ebnf, with its name. Rules that other files need start with
   parse_.

       parse.c              reading, nodes; program and segments
       parse_declaration.c  LABEL to FUNCTABLE
       parse_routine.c      functions, procedures, processes, modules
       parse_parallel.c     SYSTEM, CONTINUOUS, DISCRETE, equations
       parse_statement.c    procedural code
       parse_experiment.c   EXPERIMENT, OUTPUT
       parse_expression.c   expressions, designators, units
       parse_mistake.c      messages, advice, recovery after a mistake

   Every rule returns a node, never NULL. When something unexpected comes, the
   first message is kept and the parser is `lost`: it sees no more tokens, so
   every rule ends at once, until a list of statements finds its way again at
   the next `;` or END (parse_recover), or a construct at a word that it knows
   must follow (parse_resume).

   A missing END is noticed late, when a word comes that is not allowed there.
   Then `closing` is set, everything open closes silently, and the list in which
   that word is allowed continues. */

#include "syntax/advice.h"
#include "syntax/ast.h"
#include "syntax/unit.h"
#include "syntax/words.h"

typedef struct Parser {
    Unit *u;
    const Token *token;  // the next one; &nothing while lost
    const Token *before; // the last one read; the first at the start
    const Token *held;   // while lost: the one found; otherwise NULL
    const Token *last;   // TOKEN_END
    Token nothing;
    Token unnamed; // replaces a name that is missing: no text
    uint32_t depth;
    bool closing;
    bool stopped;           // by a limit: nothing more is read or reported
    bool loose_case;        // a CASE inside IF was reported, with its branches
    bool downs;             // the actuals are those of DOWN
    bool in_events;         // a label may be the next event
    bool in_branch;         // the list that follows is that of a branch of CASE
    bool next_branch;       // and ended at a label, without an END
    uint32_t sides;         // of BOUNDARYs around
    uint32_t repeats;       // REPEATs that are open
    uint32_t losses;        // how often the parser has lost its way
    const Token *cases;     // a CASE of this routine
    struct NameList *ports; // kinds that TYPE has declared
    struct NameList *modules; // that were read so far
    const Token *suspect;     // opened a construct whose END is too far left
    bool misused[WORD_COUNT]; // reserved words reported as names
    Node spare;               // handed out when there is no memory
} Parser;

struct NameList {
    const char *name;
    struct NameList *next;
};

void parse_remember(Parser *p, struct NameList **list, const char *name);
bool parse_remembers(const struct NameList *list, const char *name);

/* ---- Reading ---- */
static inline bool at(const Parser *p, Word w)
{
    return p->token->word == w;
}

static inline bool at_kind(const Parser *p, TokenKind kind)
{
    return p->token->kind == kind;
}

void parse_advance(Parser *p);
bool parse_accept(Parser *p, Word w);
/* Reads w, or reports that it is missing and is lost. */
bool parse_expect(Parser *p, Word w, const char *where);
/* The same, but continues if a statement follows: for THEN, DO, OF. */
void parse_expect_before_statement(Parser *p, Word w, const char *where);
/* Reads a name; reports a reserved word that is used as one, and accepts it. */
const Token *parse_name(Parser *p, const char *what);
/* Marks the token as a name, even if it is spelled like an option word. */
void parse_as_name(const Token *t);
/* ELSE; ELSEIF and the like are reported, and read as ELSE IF. */
bool parse_accept_else(Parser *p);
/* The token after the next one. */
const Token *parse_peek(const Parser *p);

/* ---- Nodes ---- */
Node *parse_node(Parser *p, NodeKind kind); // begins at the next token
Node *parse_from(Parser *p, NodeKind kind, const Node *first);
Node *parse_done(Parser *p, Node *n); // ends with what was read last
Node *parse_none(Parser *p);
/* A node of `kind` with the spelling of t. */
Node *parse_leaf(Parser *p, NodeKind kind, const Token *t);

/* ---- Messages ---- */
#define SPELLING_ROOM 80
/* The name of a token in a message. */
const char *parse_spelling(const Token *t, char room[SPELLING_ROOM]);
/* Reports that something else was expected here; the parser is lost. */
void parse_unexpected(Parser *p, const char *expected);
/* Reports at a token, is lost from the next one on. */
void parse_fail(Parser *p, const Token *t, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* Reports, and continues as if nothing had happened. */
void parse_report(Parser *p, const Token *t, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* Reports a reserved word that is used as a name, once for each word. */
void parse_misused(Parser *p, const Token *t, const char *what);
/* Reports something that the grammar allows. */
void parse_beyond(Parser *p, Span where, uint32_t origin, const char *format,
                  ...) PRINTF_LIKE(4, 5);
/* Reports that something is missing, at the end of what was read last. */
void parse_missing(Parser *p, const char *format, ...) PRINTF_LIKE(2, 3);

/* ---- Finding the way again ---- */
static inline bool lost(const Parser *p)
{
    return p->held != NULL;
}

/* Become lost at the next token; continue at t. */
void parse_get_lost(Parser *p);
void parse_find_way(Parser *p, const Token *t);
/* Reads and reports nothing more. */
void parse_stop(Parser *p);
/* Enters one more level of nesting; false, with a message, if that is too
   deep. */
bool parse_enter(Parser *p);
void parse_leave(Parser *p);
/* If lost: continues at w, if it comes in this statement. */
void parse_resume(Parser *p, Word w);
/* If lost: continues at the `;` or END of this statement, or at a word that
   begins something larger. */
void parse_recover(Parser *p);
/* The END of what `opener` began; reports it if it is missing. */
void parse_close(Parser *p, const Token *opener);
/* Between two elements of a list: reads `;`; reports one that is missing. False
   at the end of the list. */
bool parse_separator(Parser *p, Node *list, bool parallel);
bool token_is_reserved(const Token *t);
bool parse_on_new_line(const Parser *p, const Token *t);
bool word_is_outer(Word w);      // begins something larger than a statement
bool word_is_statement(Word w);  // begins a statement of procedural code
bool word_is_experiment(Word w); // stands in EXPERIMENT and nowhere else
bool word_is_parallel(Word w);   // begins a statement of parallel code
/* The word among `words` that a misspelt name means, or WORD_NONE. */
Word parse_meant(const char *name, const Word *words, size_t n);
Word parse_meant_segment(const char *name);

/* ---- Rules ---- */
Node *parse_expression(Parser *p);
Node *parse_truth(Parser *p); // TRUE, FALSE
/* The same where `:=` can only be meant as `=`, and `<-` as `< -`. */
Node *parse_condition(Parser *p);
Node *parse_sum(Parser *p);
Node *parse_plain_sum(Parser *p);
Node *parse_primary(Parser *p);
Node *parse_designator(Parser *p);
/* The name of something that may be in a part: a designator. */
Node *parse_path(Parser *p, const char *what);
/* The same as the text of n; a path is returned, to be its last child, which
   parse_end_path adds. */
Node *parse_text_path(Parser *p, Node *n, const char *what);
void parse_end_path(Node *n, Node *path);
Node *parse_place(Parser *p);       // a designator or a derivative of one
Node *parse_designators(Parser *p); // LIST, with commas
/* "=" sum of an option whose word has been read. */
Node *parse_equals_sum(Parser *p);
/* item { "," item }: a LIST. */
Node *parse_comma_list(Parser *p, Node *(*item)(Parser *));
/* Reads a separator; true if an item follows. An extra `;` does no harm. */
bool parse_item_follows(Parser *p, bool commas, bool *end);
Node *parse_actuals(Parser *p);
Node *parse_no_actuals(Parser *p);
Node *parse_unit(Parser *p); // or NONE
Node *parse_number(Parser *p);
Node *parse_signed_number(Parser *p);
Node *parse_point(Parser *p);
Node *parse_bound(Parser *p);
Node *parse_string(Parser *p, const char *what);
Node *parse_integer(Parser *p, const char *what);
Node *parse_name_node(Parser *p, const char *what);

/* Reads one of the types that fit; reports anything else. */
Word parse_type(Parser *p, bool (*fits)(Word), const char *expected);
bool parse_at_declaration(const Parser *p);
/* `w` is the word that begins it, correctly spelled. */
void parse_declaration(Parser *p, Word w, Node *list);
Node *parse_timeunit(Parser *p);
void parse_function(Parser *p, Node *list, bool continuous);
void parse_procedure(Parser *p, Node *list);
void parse_continuous_process(Parser *p, Node *list);
void parse_discrete_process(Parser *p, Node *list);
void parse_external(Parser *p, Node *list);
void parse_module(Parser *p, Node *list);

Node *parse_system(Parser *p);
void parse_sections(Parser *p, Node *blocks);
bool parse_at_block(const Parser *p);
Node *parse_parallel(Parser *p);
Node *parse_interface(Parser *p);

Node *parse_statements(Parser *p);
Node *parse_where(Parser *p); // or NONE
Node *parse_labels(Parser *p, Node *first);
/* Reads a branch of CASE in a list, from its first label on. */
void parse_branch(Parser *p, Node *list, Node *label, const Token *opener,
                  bool parallel);
/* False if ELSE was meant for the IF before it: then a statement follows. */
bool parse_else_branch(Parser *p, Node *list, bool parallel);
Node *parse_case(Parser *p, bool parallel);
/* Whether, in the list of a branch, the label of the next one follows. */
bool parse_at_next_branch(const Parser *p, const Node *list);
Node *parse_loop(Parser *p); // FOR without its statement

Node *parse_experiment(Parser *p);
Node *parse_output(Parser *p);
/* A statement of an experiment; NULL if none begins here. */
Node *parse_experiment_statement(Parser *p);
Node *parse_search(Parser *p); // SOLVE, MINIMIZE, MAXIMIZE, FIT, SENSITIVITY

#endif
