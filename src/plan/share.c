#include "plan/plan.h"

/* What is worth a name of its own, and what needs statements: facts about single
   expressions by which values are shared. */

/* Expressions that become statements before the expression around them. */
bool plan_is_hoisted(const Expr *x)
{
    switch (x->op) {
    case EXPR_SUM:
    case EXPR_PROD:
    case EXPR_LEAST:
    case EXPR_MOST:
    case EXPR_CALL:
    case EXPR_DRAW:
    case EXPR_ENTRY:
    case EXPR_ENTRY_AT:
    case EXPR_FOUND:
    case EXPR_DELAYED:
    case EXPR_DELAYED_RATE: return true;
    default: return false;
    }
}

/* True unless writing it again is as short as a name. */
bool plan_is_worth(const Expr *x)
{
    switch (x->op) {
    case EXPR_NUMBER:
    case EXPR_INTEGER:
    case EXPR_TRUTH:
    case EXPR_STRING:
    case EXPR_VARIABLE:
    case EXPR_RATE:
    case EXPR_LOOP:
    case EXPR_SYSTEM:
    case EXPR_ATTRIBUTE:
    case EXPR_QUEUE:
    case EXPR_RESOURCE:
    case EXPR_SIDE:
    case EXPR_SEGMENT:
    case EXPR_SELF:
    case EXPR_ELEMENT:
    case EXPR_HELD: return false;
    case EXPR_FLOAT:
    case EXPR_NOT:
    case EXPR_NEG: return plan_is_worth(x->arg[0]);
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL: return x->type == EXPR_TYPE_REAL;
    default: return true;
    }
}

/* The number of arguments that are computed whenever x is; the rest are
   computed under a condition, or inside a loop of their own. */
uint32_t plan_sure_arguments(const Expr *x)
{
    switch (x->op) {
    case EXPR_CHOOSE:
    case EXPR_AND:
    case EXPR_OR: return 1;
    case EXPR_SUM:
    case EXPR_PROD:
    case EXPR_LEAST:
    case EXPR_MOST: return 3;
    default: return x->count;
    }
}

/* DIV and MOD by a literal that cannot fail. */
bool plan_is_plain_quotient(const Expr *x)
{
    return (x->op == EXPR_IDIV || x->op == EXPR_MOD) &&
           x->type == EXPR_TYPE_INTEGER && x->arg[1]->op == EXPR_INTEGER &&
           x->arg[1]->integer > 0;
}

/* Each node is one occurrence in the text: a node that comes up twice in a
   statement is carried out once, even in procedural code. */
bool plan_is_occurrence(const Expr *x)
{
    return x->op == EXPR_CALL || x->op == EXPR_DRAW;
}

bool plan_calls(const Expr *x)
{
    return (x->reads & READS_CALL) != 0;
}
