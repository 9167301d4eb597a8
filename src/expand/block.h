#ifndef COSY_EXPAND_BLOCK_H
#define COSY_EXPAND_BLOCK_H

/* Finds which END belongs to what, from tokens alone: to know where a MODULE or
   a routine ends before anything is parsed, and to lay out flat text. In a text
   with mistakes the answer may be wrong. */

#include "syntax/token.h"

typedef struct BlockScan {
    uint32_t depth;       // blocks that are open
    uint32_t brackets;    // ( and [
    uint32_t quiet_depth; // from this depth on `:` opens nothing; 0: none
    bool skip_colon;      // the next `:` opens nothing
    bool sides;           // in a list of sides: AT LEFT, RIGHT
    Word before;
    TokenKind kind_before;
} BlockScan;

/* Takes the next token; t[1] is readable unless t is TOKEN_END. Returns how
   many blocks it opens, -1 if it closes one. */
int block_step(BlockScan *s, const Token *t);

/* token[at] is MODULE, FUNCTION, PROCEDURE or PROCESS. Returns the index of the
   END that closes it, or `count` if there is none. */
uint32_t block_end(const Token *token, uint32_t count, uint32_t at);

#endif
