#ifndef COSY_SYNTAX_TOKEN_H
#define COSY_SYNTAX_TOKEN_H

/* Tokens: what the lexer makes of the text, the expander rearranges and the
   parser reads.

   A name that is spelled like a reserved or an option word carries that word;
   the parser decides by what it expects whether an option word counts as one.
   `text` is the spelling (strings: without their quotes, doubled quotes made
   one), NUL-terminated in the arena of the unit; two names are the same if they
   are equal without case (name_same).

   `origin` says which macro expansion a token came from: an index into the
   unit's Origins, 0 for plain text. Origin k knows the place of the call and
   the origin of the call itself, so a message can show the whole chain. */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"

/* Words and symbols, one list: see words.def. */
typedef enum Word {
    WORD_NONE,
#define RESERVED(name)   WORD_##name,
#define OPTION(name)     WORD_##name,
#define SYMBOL(name, s)  WORD_##name,
#define MACRO_WORD(name) WORD_##name,
#include "syntax/words.def"
#undef RESERVED
#undef OPTION
#undef SYMBOL
#undef MACRO_WORD
    WORD_COUNT
} Word;

typedef enum TokenKind {
    TOKEN_END,     // end of the file
    TOKEN_NAME,    // may be an option word (then `word` is set)
    TOKEN_WORD,    // reserved word, word of the macro language
    TOKEN_SYMBOL,  // operator or punctuation
    TOKEN_INTEGER, // digits only
    TOKEN_NUMBER,  // with point or exponent
    TOKEN_STRING,
    TOKEN_RAW,   // body of FORTRAN or CCODE, with its END
    TOKEN_INSERT // {...} of a macro: text is what is inside
} TokenKind;

typedef struct Token {
    TokenKind kind;
    Word word;
    uint32_t origin;
    Span at;
    const char *text;
    double number;
    int64_t integer; // saturated at INT64_MAX with a message
    bool touches;    // no blank between the token before and this one
    bool doubtful;   // the text before it was refused, with a message
    bool named;      // read as a name or as part of a unit, by the parser
    bool skipped;    // not read, after a mistake
} Token;

typedef struct Tokens {
    Token *token; // the last is TOKEN_END
    uint32_t count;
} Tokens;

/* Places of the comments of a text, in order. */
typedef struct Comments {
    Span *at;
    uint32_t count, room;
} Comments;

/* Where a copy came from: an expansion of a macro, or a part of a MODULE. */
typedef struct Origin {
    Span call;         // the macro call, or the declaration of the part
    uint32_t parent;   // its own origin
    const char *macro; // or the MODULE
    const char *part;  // its path; NULL: a macro
} Origin;

typedef struct Origins {
    Origin *origin; // [0] is unused
    uint32_t count, room;
} Origins;

/* A macro call with a name: BATTERY B1 (...). Its local SOC is the one name
   `B1.SOC`, in tokens, tree, model and results. */
typedef struct CallName {
    const char *name, *macro;
    const char *local; // one of its locals; NULL if it has none
    Span at;
    uint32_t origin; // that of the name, if an actual gave it
} CallName;

const char *word_text(Word w); // "PROGRAM", ":="

#endif
