#ifndef COSY_MODEL_EXPR_H
#define COSY_MODEL_EXPR_H

/* Expressions: trees that share their branches.

   An Expr never changes after it has been made. Equal expressions are one
   object: the constructors look for an equal one first (hash consing), so `a ==
   b` compares by meaning, common subexpressions are found at no cost, and a
   derivative shares what it has in common with its function.

   The constructors simplify as they go, with identities that keep every bit of
   the result if the arguments are finite, and the order of operations as the
   modeller wrote it: x + 0, x * 1, 0 * x (only in derivatives: see expr_times),
   - -x, constants of INTEGER and BOOLEAN type, IF TRUE. Real literals are not
   combined: 0.1 + 0.2 must be added in the precision of the run.

   No SUM stands inside another over the same Loop: what is put there (a
   derivative, a value that is substituted) gets a Loop of its own.

   Everything lies in the Model's arena. If memory runs out, model->broken is
   set and an integer 0 is returned; passes check it once, at their end. */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"

typedef enum ExprOp {
#define EXPR(name, arguments, text, result) EXPR_##name,
#include "model/expr.def"
#undef EXPR
    EXPR_OPS
} ExprOp;

typedef enum ExprType {
    EXPR_TYPE_REAL,
    EXPR_TYPE_INTEGER,
    EXPR_TYPE_BOOLEAN
} ExprType;

/* Values that belong to the run. */
typedef enum SystemValue {
    SYSTEM_TIME,
    SYSTEM_PI,
    SYSTEM_INF,
    SYSTEM_TBEG,
    SYSTEM_TFIN,
    SYSTEM_RUN, // INTEGER
    SYSTEM_DTFUL,
    SYSTEM_GENTIM,   // from the transaction that is running
    SYSTEM_TRANSNBR, // INTEGER
    SYSTEM_PRIORNBR, // may be assigned; INTEGER as an attribute that is one
    SYSTEM_BLOCKNBR, // INTEGER: its point
    SYSTEM_TIMEDOUT, // BOOLEAN
    SYSTEM_VALUES
} SystemValue;

/* What can be asked of a file or of the transactions of a process. */
typedef enum QueueValue {
    QUEUE_ENTRYNBR, // INTEGER
    QUEUE_MAXQ,     // INTEGER
    QUEUE_AVGQ      // REAL
} QueueValue;

/* What can be asked of a resource: RESOURCE_VALUE(name, type). */
typedef enum ResourceValue {
#define RESOURCE_VALUE(name, type) ASK_##name,
#include "model/resource.def"
#undef RESOURCE_VALUE
    RESOURCE_VALUES
} ResourceValue;

/* What an expression depends on, including its arguments. */
enum {
    READS_TIME = 1,     // TIME
    READS_STATE = 2,    // a STATE or the rate of one
    READS_COMPUTED = 4, // ALGEBR, LOGIC, MEMORY, HELD, DELAYED
    READS_DISCRETE = 8, // REAL, INTEGER, BOOLEAN, DSTATE, CONST, DTFUL, RUN,
                        // OWN, attributes, files, the running transaction
    READS_LOOP = 16,    // index of a Loop (not one bound by SUM inside)
    READS_SIDE = 32,    // SIDE, SEGMENT
    READS_CALL = 64,    // CALL, DRAW: may have effects
    READS_RATE = 128,   // the rate of a STATE
    READS_CONTINUOUS = READS_TIME | READS_STATE | READS_COMPUTED
};

typedef struct Expr Expr;
struct Model;

struct Expr {
    ExprOp op;
    ExprType type;
    uint32_t id; // order of creation: arguments have smaller ones
    uint32_t reads;
    bool series; // SUM, PROD, MIN or MAX over a range occurs in it
    uint32_t which;
    uint32_t count;
    const Expr *const *arg;
    const char *text;
    double number; // for INTEGER and TRUTH too
    int64_t integer;
    uint32_t hash;
    const Expr *next; // in its chain
};

/* ---- Making --------------------------------------------------------------- */

/* Any operation; `type` is used if the result is OWN. Simplifies. */
const Expr *expr_make(struct Model *m, ExprOp op, ExprType type, uint32_t which,
                      const Expr *const *arg, uint32_t count);
const Expr *expr_number(struct Model *m, const char *text); // a decimal literal
const Expr *expr_real(struct Model *m, double value);       // shortest decimal
const Expr *expr_integer(struct Model *m, int64_t value);
const Expr *expr_truth(struct Model *m, bool value);
const Expr *expr_string(struct Model *m, const char *text);
const Expr *expr_variable(struct Model *m, uint32_t variable,
                          const Expr *const *index, uint32_t count);
const Expr *expr_rate(struct Model *m, uint32_t state, const Expr *const *index,
                      uint32_t count);
const Expr *expr_loop(struct Model *m, uint32_t loop);
const Expr *expr_system(struct Model *m, SystemValue value);
const Expr *expr_1(struct Model *m, ExprOp op, const Expr *a);
const Expr *expr_2(struct Model *m, ExprOp op, const Expr *a, const Expr *b);
const Expr *expr_choose(struct Model *m, const Expr *condition, const Expr *a,
                        const Expr *b);
/* Converts to REAL, whatever the type. */
const Expr *expr_float(struct Model *m, const Expr *a);
/* Sum and product of derivatives: these drop zeros and ones. */
const Expr *expr_plus(struct Model *m, const Expr *a, const Expr *b);
const Expr *expr_minus(struct Model *m, const Expr *a, const Expr *b);
const Expr *expr_times(struct Model *m, const Expr *a, const Expr *b);

/* ---- Asking ---------------------------------------------------------------- */

bool expr_is_zero(const Expr *e);
/* SUM, PROD, MIN and MAX over a range. */
bool expr_is_series(ExprOp op);
bool expr_is_one(const Expr *e);
/* True for what INF may be the value of, in a program that mentions it: INF,
   discrete REALs, formals and FUNCTIONs, and IF, MIN, MAX, a minus sign and
   expr_converted of them. Everything else is finite, or rings where it is stored. */
bool expr_may_be_infinite(const struct Model *m, const Expr *e);
/* x of x + k, x - k, k + x, and of x*k, k*x, x/k with k > 0, where k is a
   literal: all that units are converted by, and what leaves INF as it is. NULL
   for anything else. */
const Expr *expr_converted(const Expr *e);
/* INTEGER or TRUTH constants. */
bool expr_is_constant(const Expr *e);
/* True if some node below (or e itself) is this very expression. */
bool expr_contains(const Expr *e, const Expr *what);
/* True if a VARIABLE or RATE (op) of that number occurs, with any index. */
bool expr_mentions(const Expr *e, ExprOp op, uint32_t which);
/* i, i + 3, i - 2, 2 + i, 7: *loop is UINT32_MAX for a constant. False for
   anything else. */
bool expr_affine(const Expr *e, uint32_t *loop, int64_t *offset);

/* ---- Rewriting --------------------------------------------------------------- */

/* Calls `leaf` on every node from the leaves up, with arguments already
   rewritten, and takes what it returns (NULL: unchanged). Each shared node is
   visited once. */
typedef const Expr *(*ExprRewrite)(void *user, const Expr *e);
const Expr *expr_rewrite(struct Model *m, const Expr *e, ExprRewrite leaf,
                         void *user);
/* e with every occurrence of `from` replaced. */
const Expr *expr_replace(struct Model *m, const Expr *e, const Expr *from,
                         const Expr *to);
/* Visits every node once, arguments first; a result of false from `visit` ends
   the walk. */
bool expr_visit(struct Model *m, const Expr *e,
                bool (*visit)(void *user, const Expr *e), void *user);

/* ---- Printing ----------------------------------------------------------------- */

/* Prints it as a modeller would write it, with as few parentheses as
   possible. */
void expr_print(const struct Model *m, const Expr *e, Buffer *b);
/* The same for a message: only the beginning, with hidden relations as they
   were written. */
void expr_print_short(const struct Model *m, const Expr *e, Buffer *b);
const char *expr_op_text(ExprOp op);

#endif
