#ifndef COSY_GRAMMAR_EBNF_H
#define COSY_GRAMMAR_EBNF_H

/* A grammar as a tree, on which all parts of this program work.

   grammar_read turns the text of an EBNF file into rules (the head of
   grammar/cosy.ebnf explains the notation), sets_make (sets.h) adds to every
   item what it may begin with and what may follow it. Everything else only
   reads: ll1.h proves, table.h recognises, random.h writes programs, layout.h
   draws.

   A mistake in the text is a diagnostic at its place; a rule that cannot be
   read is skipped to its point, so that one mistake is one message. */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/diag.h"

#define SYMBOL_LIMIT  512  // most symbols in a grammar; the size of a Set
#define RULE_LIMIT    1024 // most rules in a grammar
#define NESTING_LIMIT 100  // nesting of brackets in one rule

/* A set of symbols, by number. */
typedef struct Set {
    uint64_t bits[SYMBOL_LIMIT / 64];
} Set;

typedef enum SymbolKind {
    SYMBOL_END,    // end of the text: always symbol 0
    SYMBOL_WORD,   // "WORD"
    SYMBOL_SIGN,   // "+"
    SYMBOL_OPTION, // 'WORD'
    SYMBOL_CLASS   // IDENT
} SymbolKind;

typedef struct Symbol {
    SymbolKind kind;
    Span at; // first use
    const char *text;
} Symbol;

typedef enum ItemKind {
    ITEM_SYMBOL,
    ITEM_RULE,
    ITEM_SEQUENCE, // parts in sequence; none: empty
    ITEM_CHOICE,   // one of its parts
    ITEM_OPTION,   // its only part, or nothing
    ITEM_REPEAT    // its only part any number of times
} ItemKind;

typedef struct Item Item;

struct Item {
    ItemKind kind;
    Span at;
    uint32_t index;    // index of the symbol or rule
    bool nearest;      // option marked !: taken whenever possible
    Item *first;       // first part
    Item *next;        // next part of the same item
    bool nullable;     // may be empty
    Set begin, follow; // symbols it begins with, symbols that follow it
};

typedef struct Rule {
    const char *name;
    const char *section; // the comment (* ---- Section ---- *) before it
    Span at;             // place of the name: where defined, else where first
                         // used
    Span text;           // from the name to the point
    Item *body;          // NULL: not defined
    bool nullable;
    Set begin, follow;
} Rule;

typedef struct Grammar {
    Arena *arena;
    uint32_t file; // number in Spans
    const char *text;
    Rule *rule; // [0] is the start
    uint32_t rules;
    Symbol *symbol;
    uint32_t symbols;
} Grammar;

/* Classes of tokens that a grammar may name, in order: IDENT, INTEGER, ... */
extern const char *const class_names[];
#define CLASS_COUNT 5

/* False if the text has a mistake; `d` then says which. */
bool grammar_read(Grammar *g, Arena *a, Diags *d, const char *name,
                  const char *text, size_t length);

/* -1 if there is none. */
int32_t grammar_find_rule(const Grammar *g, const char *name);
int32_t grammar_find_symbol(const Grammar *g, SymbolKind kind,
                            const char *text);

/* As in the grammar: "+", 'AT', IDENT. */
void symbol_write(Buffer *b, const Symbol *s);

bool item_equal(const Item *a, const Item *b);

#endif
