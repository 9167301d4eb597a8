#include <inttypes.h>
#include <string.h>

#include "base/distribution.h"
#include "model/model.h"

/* The model as text, for --dump and for messages. */

/* ---- Expressions --------------------------------------------------------------- */

/* Binding strength; an argument that binds less tightly than its place gets
   parentheses. */
enum {
    BIND_CHOOSE,
    BIND_OR,
    BIND_AND,
    BIND_NOT,
    BIND_ORDER,
    BIND_SUM,
    BIND_PRODUCT,
    BIND_POWER,
    BIND_LEAF
};

static int binding(ExprOp op)
{
    switch (op) {
    case EXPR_CHOOSE: return BIND_CHOOSE;
    case EXPR_OR: return BIND_OR;
    case EXPR_AND: return BIND_AND;
    case EXPR_NOT: return BIND_NOT;
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_EQ:
    case EXPR_NE: return BIND_ORDER;
    case EXPR_NEG:
    case EXPR_ADD:
    case EXPR_SUB: return BIND_SUM;
    case EXPR_MUL:
    case EXPR_DIV:
    case EXPR_IDIV:
    case EXPR_MOD: return BIND_PRODUCT;
    case EXPR_POW: return BIND_POWER;
    default: return BIND_LEAF;
    }
}

/* Shared expressions are printed as often as they are used, which could go on
   without limit. */
#define PRINT_MOST 4000

#define SHORT_MOST 100

typedef struct Printing {
    const Model *m;
    size_t end; // end of the buffer: nothing is printed beyond it
    bool words; // relations by their text, not by their numbers
} Printing;

static void print(const Printing *p, const Expr *e, Buffer *b);

static void print_within(const Printing *p, const Expr *e, int place, Buffer *b)
{
    bool inside = binding(e->op) < place;
    if (inside)
        buffer_char(b, '(');
    print(p, e, b);
    if (inside)
        buffer_char(b, ')');
}

static void print_list(const Printing *p, const Expr *const *arg,
                       uint32_t count, const char *open, const char *close,
                       Buffer *b)
{
    if (!count)
        return;
    buffer_text(b, open);
    for (uint32_t k = 0; k < count; k++) {
        if (k)
            buffer_text(b, ", ");
        print(p, arg[k], b);
    }
    buffer_text(b, close);
}

static void print_operation(const Printing *p, const Expr *e, Buffer *b)
{
    int own = binding(e->op);
    bool right = e->op == EXPR_POW; // right-associative
    bool tight = own >= BIND_PRODUCT && e->op != EXPR_IDIV && e->op != EXPR_MOD;
    print_within(p, e->arg[0], right || own == BIND_ORDER ? own + 1 : own, b);
    buffer_format(b, tight ? "%s" : " %s ", expr_op_text(e->op));
    print_within(p, e->arg[1], right ? own : own + 1, b);
}

static void print_series(const Printing *p, const Expr *e, Buffer *b)
{
    const Loop *l = model_loop(p->m, e->which);
    if (l->pool) {
        buffer_format(b, "%s(%s IN %s : ", expr_op_text(e->op), l->name,
                      model_pool(p->m, l->pool - 1)->name);
        print(p, e->arg[3], b);
        buffer_char(b, ')');
        return;
    }
    buffer_format(b, "%s(%s := ", expr_op_text(e->op), l->name);
    print(p, e->arg[0], b);
    buffer_text(b, " TO ");
    print(p, e->arg[1], b);
    if (e->arg[2]->op != EXPR_TRUTH) {
        buffer_text(b, " EXCEPT ");
        print(p, e->arg[2], b);
    }
    buffer_text(b, " : ");
    print(p, e->arg[3], b);
    buffer_char(b, ')');
}

/* Q.2.SIZE, Q.(K + 1).SIZE */
static void print_entry(const Printing *p, const Expr *e, Buffer *b)
{
    bool leaf = e->arg[1]->count == 0;
    buffer_format(b, "%s.%s",
                  model_file(p->m, (uint32_t)e->arg[0]->integer)->name,
                  leaf ? "" : "(");
    print(p, e->arg[1], b);
    buffer_format(b, "%s.%s", leaf ? "" : ")",
                  model_variable(p->m, e->which)->name);
}

static void print_queue(const Printing *p, const Expr *e, Buffer *b)
{
    static const char *const values[] = {"ENTRYNBR", "MAXQ", "AVGQ"};
    buffer_format(b, "%s(%s)", values[e->arg[0]->integer],
                  e->which == NONE ? "EVENTFILE"
                                   : model_file(p->m, e->which)->name);
}

/* STONE[K].PHI; of this copy: PHI. */
static void print_pooled(const Printing *p, const Expr *e, Buffer *b)
{
    const Variable *v = model_variable(p->m, e->which);
    const char *pool = model_pool(p->m, v->pool - 1)->name;
    const Expr *at = e->arg[0];
    if (at->op == EXPR_FOUND)
        at = at->arg[0];
    if (!p->words || (at->op != EXPR_SELF && at->op != EXPR_LOOP)) {
        buffer_text(b, pool);
        print_list(p, &at, 1, "[", "].", b);
    }
    buffer_text(b, v->name);
    print_list(p, e->arg + 1, e->count - 1, "[", "]", b);
}

/* QUEUE(DESK), BUSY(DESK[2]), where elements count from 0. */
static void print_asked(const Printing *p, const Expr *e, Buffer *b)
{
    static const char *const names[] = {
#define RESOURCE_VALUE(name, type) #name,
#include "model/resource.def"
#undef RESOURCE_VALUE
    };
    const Resource *r = model_resource(p->m, e->which);
    buffer_format(b, "%s(%s", names[e->arg[0]->integer], r->name);
    if (r->elements > 1)
        print_list(p, e->arg + 1, 1, "[", "]", b);
    buffer_char(b, ')');
}

static void print_named(const Printing *p, const Expr *e, Buffer *b)
{
    static const char *const system[SYSTEM_VALUES] = {
        "TIME",  "PI",     "INF",      "TBEG",     "TFIN",     "RUN",
        "DTFUL", "GENTIM", "TRANSNBR", "PRIORNBR", "BLOCKNBR", "TIMEDOUT"};
    switch (e->op) {
    case EXPR_VARIABLE:
    case EXPR_RATE:
    case EXPR_ATTRIBUTE:
        if (e->op != EXPR_ATTRIBUTE && model_variable(p->m, e->which)->pool) {
            print_pooled(p, e, b);
        } else {
            buffer_text(b, model_variable(p->m, e->which)->name);
            print_list(p, e->arg, e->count, "[", "]", b);
        }
        if (e->op == EXPR_RATE)
            buffer_char(b, '\'');
        break;
    case EXPR_ENTRY:
    case EXPR_ENTRY_AT: print_entry(p, e, b); break;
    case EXPR_QUEUE: print_queue(p, e, b); break;
    case EXPR_PLACE:
        buffer_format(b, "place(%s", model_variable(p->m, e->which)->name);
        print_list(p, e->arg, e->count, "[", "])", b);
        break;
    case EXPR_ELEMENT: buffer_text(b, expr_op_text(e->op)); break;
    case EXPR_SELF:
    case EXPR_COPIES:
        buffer_format(b, "%s(%s)", expr_op_text(e->op),
                      model_pool(p->m, e->which)->name);
        break;
    case EXPR_FOUND:
    case EXPR_EXISTS:
        if (e->op == EXPR_EXISTS)
            buffer_text(b, "EXISTS(");
        buffer_text(b, model_pool(p->m, e->which)->name);
        print_list(p, e->arg, 1, "[", "]", b);
        if (e->op == EXPR_EXISTS)
            buffer_char(b, ')');
        break;
    case EXPR_MEAN:
    case EXPR_SDEV:
        buffer_format(b, "%s(%s", expr_op_text(e->op),
                      model_variable(p->m, e->which)->name);
        if (model_variable(p->m, e->which)->rank > 0)
            print_list(p, e->arg, e->count, "[", "]", b);
        buffer_char(b, ')');
        break;
    case EXPR_SENSED: {
        const Sensed *s = model_sensed(p->m, e->which);
        buffer_format(b, "SENS(%s", model_variable(p->m, s->variable)->name);
        if (e->count)
            print_list(p, e->arg, e->count, "[", "]", b);
        buffer_format(
            b, ", %s)",
            model_variable(p->m, model_sense(p->m, s->sense)->variable)->name);
        break;
    }
    case EXPR_RESOURCE: print_asked(p, e, b); break;
    case EXPR_LOOP: buffer_text(b, model_loop(p->m, e->which)->name); break;
    case EXPR_SYSTEM: buffer_text(b, system[e->which]); break;
    case EXPR_SIDE:
    case EXPR_SEGMENT:
        if (p->words) {
            buffer_text(b, model_relation(p->m, e->which)->text);
            break;
        }
        buffer_format(b, "%s %" PRIu32, expr_op_text(e->op), e->which);
        print_list(p, e->arg, e->count, "[", "]", b);
        break;
    case EXPR_TABLE:
    case EXPR_TABLE_SLOPE:
    case EXPR_TABLE_AT:
    case EXPR_TABLE_AT_SLOPE:
    case EXPR_TABLE_HIGHER:
    case EXPR_TABLE_AT_HIGHER:
        buffer_format(
            b, "%s%s", model_table(p->m, e->which)->name,
            e->op == EXPR_TABLE_SLOPE || e->op == EXPR_TABLE_AT_SLOPE     ? "'"
            : e->op == EXPR_TABLE_HIGHER || e->op == EXPR_TABLE_AT_HIGHER ? "''"
                                                                          : "");
        print_list(p, e->arg, e->count, "(", ")", b);
        break;
    case EXPR_CALL:
        buffer_text(b, model_routine(p->m, e->which)->name);
        print_list(p, e->arg, e->count ? e->count - 1 : 0, "(", ")", b);
        break;
    case EXPR_DRAW:
        buffer_text(b, e->which == NONE ? "draw"
                                        : model_stream(p->m, e->which)->name);
        if (e->arg[0]->op != EXPR_INTEGER || e->arg[0]->integer != 0)
            print_list(p, e->arg, 1, "[", "]", b);
        break;
    case EXPR_EXTERNAL:
        buffer_text(b, model_external(p->m, e->which)->name);
        print_list(p, e->arg, e->count, "(", ")", b);
        break;
    case EXPR_DELAYED:
    case EXPR_DELAYED_RATE:
    case EXPR_HELD:
        buffer_format(b, "%s%s", model_memory(p->m, e->which)->name,
                      e->op == EXPR_DELAYED_RATE ? "'" : "");
        print_list(p, e->arg, e->count, "(", ")", b);
        break;
    default: buffer_text(b, expr_op_text(e->op));
    }
}

static void print(const Printing *p, const Expr *e, Buffer *b)
{
    if (b->v.used > p->end)
        return;
    switch (e->op) {
    case EXPR_NUMBER: buffer_text(b, e->text); break;
    case EXPR_INTEGER: buffer_format(b, "%" PRId64, e->integer); break;
    case EXPR_TRUTH: buffer_text(b, e->integer ? "TRUE" : "FALSE"); break;
    case EXPR_STRING: buffer_format(b, "\"%s\"", e->text); break;
    case EXPR_NEG:
        buffer_char(b, '-');
        print_within(p, e->arg[0], BIND_PRODUCT, b);
        break;
    case EXPR_NOT:
        buffer_text(b, "NOT ");
        print_within(p, e->arg[0], BIND_ORDER + 1, b);
        break;
    case EXPR_CHOOSE:
        buffer_text(b, "IF ");
        print_within(p, e->arg[0], BIND_OR, b);
        buffer_text(b, " THEN ");
        print_within(p, e->arg[1], BIND_OR, b);
        buffer_text(b, " ELSE ");
        print_within(p, e->arg[2], BIND_OR, b);
        break;
    case EXPR_SUM:
    case EXPR_PROD:
    case EXPR_LEAST:
    case EXPR_MOST: print_series(p, e, b); break;
    default:
        if (binding(e->op) < BIND_LEAF) {
            print_operation(p, e, b);
        } else if ((e->op >= EXPR_FLOAT && e->op <= EXPR_SURE) ||
                   e->op == EXPR_NOEVENT) {
            buffer_text(b, expr_op_text(e->op));
            print_list(p, e->arg, e->count, "(", ")", b);
        } else {
            print_named(p, e, b);
        }
    }
}

void expr_print(const Model *m, const Expr *e, Buffer *b)
{
    Printing p = {.m = m, .end = b->v.used + PRINT_MOST};
    print(&p, e, b);
    if (b->v.used > p.end)
        buffer_text(b, " ...");
}

void expr_print_short(const Model *m, const Expr *e, Buffer *b)
{
    Printing p = {.m = m, .end = b->v.used + SHORT_MOST, .words = true};
    print(&p, e, b);
    if (b->v.used > p.end) {
        b->v.used = p.end;
        buffer_text(b, "...");
    }
}

/* ---- Places ----------------------------------------------------------------------- */

static void print_labels(const Select *s, uint32_t branch, Buffer *b)
{
    if (!s->is_case) {
        buffer_text(b, branch == 0 ? " IF " : " IF NOT ");
        return;
    }
    buffer_text(b, " CASE ");
    for (uint32_t k = 0; k < s->n_labels[branch]; k++) {
        const Label *l = &s->labels[branch][k];
        buffer_format(b, k ? ", %" PRId64 : "%" PRId64, l->low);
        if (l->high != l->low)
            buffer_format(b, " .. %" PRId64, l->high);
    }
    if (!s->n_labels[branch])
        buffer_text(b, "ELSE");
    buffer_text(b, " OF ");
}

static void print_guard(const Model *m, const Guard *g, Buffer *b)
{
    if (!g)
        return;
    print_guard(m, g->select->around, b);
    print_labels(g->select, g->branch, b);
    Printing p = {.m = m, .end = b->v.used + PRINT_MOST};
    print_within(&p, g->select->selector, BIND_OR, b);
    buffer_char(b, ':');
}

static void print_loops(const Model *m, const uint32_t *loops, uint32_t n,
                        Buffer *b)
{
    for (uint32_t k = 0; k < n; k++) {
        const Loop *l = model_loop(m, loops[k]);
        if (l->pool)
            buffer_format(b, " FOR %s IN %s:", l->name,
                          model_pool(m, l->pool - 1)->name);
        else
            buffer_format(b, " FOR %s := %" PRId64 " TO %" PRId64 ":", l->name,
                          l->low, l->high);
    }
}

static void print_optional(const Model *m, const char *before, const Expr *e,
                           Buffer *b)
{
    if (!e)
        return;
    buffer_text(b, before);
    expr_print(m, e, b);
}

/* ---- Tables ------------------------------------------------------------------------ */

static void print_variable(const Model *m, const Variable *v, Buffer *b)
{
    static const char *const kinds[] = {
        "CONST",  "DISCRETE", "STATE",  "ALGEBR",  "LOGIC",     "DSTATE",
        "MEMORY", "LOCAL",    "FORMAL", "COUNTER", "ATTRIBUTE", "OWN"};
    static const char *const types[] = {"REAL", "INTEGER", "BOOLEAN"};
    buffer_format(b, "  %s %s", kinds[v->kind], v->name);
    for (uint32_t k = 0; k < v->rank; k++)
        buffer_format(b, "%s%" PRId64 " .. %" PRId64, k ? ", " : "[", v->low[k],
                      v->high[k]);
    buffer_text(b, v->rank ? "]" : "");
    if (v->type != EXPR_TYPE_REAL)
        buffer_format(b, " %s", types[v->type]);
    if (v->unit[0])
        buffer_format(b, " [%s]", v->unit);
    if (v->kind == VARIABLE_STATE)
        buffer_format(b, " at %" PRIu32 "%s", v->place,
                      v->wished ? "" : ", differentiated");
    print_optional(m, " = ", v->value, b);
    if (v->kind == VARIABLE_OWN)
        buffer_format(b, " of %s", model_process(m, v->process)->name);
    buffer_text(b, v->hidden ? " (hidden)\n" : "\n");
}

/* An equation, or a portion of it. */
static void print_portion(const Model *m, const Portion *p, Buffer *b)
{
    uint32_t model = model_equation(m, p->equation)->model;
    buffer_text(b, " ");
    print_guard(m, p->guard, b);
    print_loops(m, p->loops, p->n_loops, b);
    buffer_char(b, ' ');
    expr_print(m, p->left, b);
    buffer_text(b, " = ");
    expr_print(m, p->right, b);
    if (model != NONE)
        buffer_format(b, "  (MODEL %s)", model_model_block(m, model)->name);
    if (p->block != NONE)
        buffer_text(b, "  (IMPLICIT)");
    if (p->target && (p->target != p->left || p->value != p->right)) {
        buffer_text(b, "  ->  ");
        expr_print(m, p->target, b);
        if (p->value)
            print_optional(m, " = ", p->value, b);
        else
            buffer_text(b, " implicit");
    }
    buffer_char(b, '\n');
}

static void print_equations(const Model *m, Buffer *b)
{
    bool matched = m->stage >= STAGE_MATCHED;
    uint32_t n = matched ? system_portions(&m->simulation) : model_equations(m);
    if (n)
        buffer_text(b, "equations\n");
    for (uint32_t k = 0; k < n; k++) {
        Portion whole = matched ? *system_portion(&m->simulation, k)
                                : equation_portion(m, k);
        print_portion(m, &whole, b);
    }
}

static void print_condition(const Model *m, const Condition *c, Buffer *b)
{
    static const char *const kinds[] = {"CONDIT", "FINISH", "RANGE", "WAIT"};
    static const char *const schemes[] = {"CROSSES", "REGULA", "IHERMITE",
                                          "BISECT"};
    buffer_text(b, " ");
    print_guard(m, c->guard, b);
    print_loops(m, c->loops, c->n_loops, b);
    buffer_format(b, " %s %s", kinds[c->kind], c->name);
    print_optional(m, " element ", c->element, b);
    buffer_format(b, ": %s ", schemes[c->scheme]);
    expr_print(m, c->z, b);
    print_optional(m, " rate ", c->dz, b);
    buffer_text(b, c->direction > 0 ? " POS" : c->direction < 0 ? " NEG" : "");
    print_optional(m, " TOL ", c->tol, b);
    print_optional(m, " PRIORITY ", c->priority, b);
    buffer_char(b, '\n');
}

static void print_relation(const Model *m, uint32_t k, Buffer *b)
{
    static const char *const kinds[] = {"ORDER", "TRUNC", "ROUND",
                                        "FLOOR", "TABLE", "HYSTERESIS"};
    const Relation *r = model_relation(m, k);
    buffer_format(b, "  %" PRIu32, k);
    print_guard(m, r->guard, b);
    print_loops(m, r->loops, r->n_loops, b);
    print_optional(m, " WHEN ", r->when, b);
    buffer_format(b, " %s ", kinds[r->kind]);
    expr_print(m, r->a, b);
    if (r->kind == RELATION_ORDER)
        buffer_format(b, " %s ", expr_op_text(r->op));
    print_optional(m, r->kind == RELATION_ORDER ? "" : ", ", r->b, b);
    print_optional(m, ", ", r->c, b);
    buffer_format(b, "  at %" PRIu32, r->first);
    if (r->count != 1)
        buffer_format(b, " .. %" PRIu32, r->first + r->count - 1);
    buffer_char(b, '\n');
}

static void print_memory(const Model *m, const Memory *y, Buffer *b)
{
    static const char *const kinds[] = {"DELAY", "HOLD", "HYSTERESIS", "PULSE",
                                        "DERIVATOR"};
    buffer_format(b, "  %s %s", kinds[y->kind], y->name);
    print_optional(m, " of ", y->input, b);
    print_optional(m, " by ", y->delay, b);
    print_optional(m, " when ", y->when, b);
    print_optional(m, " from ", y->start, b);
    buffer_char(b, '\n');
}

/* ---- Code --------------------------------------------------------------------------- */

static void print_code(const Model *m, const Code *code, int depth, Buffer *b);

static void print_indent(int depth, Buffer *b)
{
    for (int k = 0; k < depth; k++)
        buffer_text(b, "  ");
}

static void print_sampling(const Model *m, const Sampling *s, Buffer *b)
{
    static const char *const kind[] = {[SAMPLING_SOBOL] = "SOBOL",
                                       [SAMPLING_LATIN] = "LATIN",
                                       [SAMPLING_PLAIN] = "PLAIN"};
    buffer_format(b, " %s%s", kind[s->kind], s->indices ? " INDICES" : "");
    for (uint32_t k = 0; k < s->n; k++)
        buffer_format(b, "%s%s: %s", k ? "; " : " ",
                      model_variable(m, s->variable[k])->name,
                      distribution_at(s->item[k].distribution)->name);
}

/* What a statement is about: of a transaction, or at the start of runs. */
static void print_which(const Model *m, const Statement *s, Buffer *b)
{
    switch (s->kind) {
    case STATEMENT_GENERATE:
        buffer_format(b, " %s", model_process(m, s->which)->name);
        break;
    case STATEMENT_SEIZE:
    case STATEMENT_PREEMPT:
    case STATEMENT_SEIZE_ANY:
    case STATEMENT_DOWN:
    case STATEMENT_UP:
    case STATEMENT_RESIZE:
    case STATEMENT_RELEASE:
    case STATEMENT_ENTER:
    case STATEMENT_LEAVE:
    case STATEMENT_OPEN:
    case STATEMENT_CLOSE:
    case STATEMENT_PASS:
    case STATEMENT_SENDSIG:
    case STATEMENT_WAITSIG:
    case STATEMENT_JOIN:
        buffer_format(b, " %s", model_resource(m, s->which)->name);
        break;
    case STATEMENT_WAIT:
        print_optional(m, " ", model_wait(m, s->which)->holds, b);
        break;
    case STATEMENT_TERMINATE:
    case STATEMENT_INTERRUPT:
        if (s->which != NONE)
            buffer_format(b, " %s", model_process(m, s->which)->name);
        break;
    case STATEMENT_SETTING:
        buffer_format(b, " %s %s", setting_word(s->flags),
                      model_variable(m, s->which)->name);
        break;
    case STATEMENT_UNCERTAIN: print_sampling(m, s->sampling, b); break;
    case STATEMENT_START:
        print_optional(m, " (", model_start(m, s->which)->left, b);
        print_optional(m, " = ", model_start(m, s->which)->right, b);
        buffer_char(b, ')');
        break;
    default: break;
    }
}

/* Its file, and what WHERE gives to attributes. */
static bool print_filed(const Model *m, const Statement *s, Buffer *b)
{
    if (s->kind != STATEMENT_INSERT && s->kind != STATEMENT_REMOVE &&
        s->kind != STATEMENT_FIND && s->kind != STATEMENT_LOOKUP)
        return false;
    buffer_format(b, " %s", model_file(m, s->which)->name);
    if (s->flags & 1)
        buffer_text(b, " LAST");
    print_optional(m, s->kind == STATEMENT_FIND ? " WITH " : " ", s->a, b);
    for (uint32_t k = 0; s->list && k < s->n; k++) {
        buffer_format(b, "%s%s := ", k ? "; " : " WHERE ",
                      model_variable(m, s->names[k])->name);
        expr_print(m, s->list[k], b);
    }
    return true;
}

static void print_operands(const Model *m, const Statement *s, Buffer *b)
{
    if (print_filed(m, s, b))
        return;
    print_which(m, s, b);
    print_optional(m, " ", s->a, b);
    print_optional(m, ", ", s->b, b);
    print_optional(m, ", ", s->c, b);
    for (uint32_t k = 0; s->list && k < s->n; k++)
        print_optional(m, k ? ", " : " ", s->list[k], b);
    for (uint32_t k = 0; s->printed && k < s->n; k++)
        print_optional(m, k ? ", " : " ", s->printed[k].item, b);
    if (s->text)
        buffer_format(b, " %s", s->text);
    if (s->kind == STATEMENT_PREEMPT && s->flags)
        buffer_text(b, " RESTART");
    if (s->kind == STATEMENT_DOWN && s->flags)
        buffer_text(b, " PREEMPT");
    if (s->kind == STATEMENT_SEIZE_ANY && s->flags)
        buffer_text(b,
                    s->flags == ANY_RANDOM ? " BY RANDOM" : " BY LONGESTIDLE");
    if (s->point) // where a transaction that waited resumes
        buffer_format(b, " -> %" PRIu32, s->point);
}

static void print_statement(const Model *m, const Statement *s, int depth,
                            Buffer *b)
{
    static const char *const words[] = {
#define STATEMENT(name, text) text,
#include "model/statement.def"
#undef STATEMENT
    };
    print_indent(depth, b);
    if (s->target) {
        expr_print(m, s->target, b);
        buffer_char(b, ' ');
    }
    buffer_text(b, words[s->kind]);
    print_operands(m, s, b);
    buffer_char(b, '\n');
    print_code(m, &s->body, depth + 1, b);
    for (uint32_t k = 0; s->arm && k < s->n; k++) {
        print_indent(depth, b);
        buffer_format(b, "arm %" PRIu32 "\n", k);
        print_code(m, &s->arm[k].code, depth + 1, b);
    }
    if (s->other.first) {
        print_indent(depth, b);
        buffer_text(b, "ELSE\n");
        print_code(m, &s->other, depth + 1, b);
    }
}

static void print_code(const Model *m, const Code *code, int depth, Buffer *b)
{
    for (const Statement *s = code->first; s; s = s->next)
        print_statement(m, s, depth, b);
}

static void print_body(const Model *m, const char *title, const char *name,
                       const Code *code, Buffer *b)
{
    if (!code->first)
        return;
    buffer_format(b, "%s%s%s\n", title, name[0] ? " " : "", name);
    print_code(m, code, 1, b);
}

/* ---- Steps -------------------------------------------------------------------------- */

static void print_steps(const Model *m, const Steps *steps, int depth,
                        Buffer *b);

static void print_slope(const Model *m, const Slope *s, int depth, Buffer *b)
{
    print_indent(depth, b);
    print_loops(m, s->loops, s->n_loops, b);
    print_optional(m, s->n_loops ? " slope " : "slope ", s->row, b);
    print_optional(m, ", ", s->column, b);
    print_optional(m, ": ", s->value, b);
    buffer_char(b, '\n');
}

static void print_block(const Model *m, const Block *k, int depth, Buffer *b)
{
    buffer_format(b, "SOLVE%s%s%s", k->large ? " sparse" : "",
                  k->linear ? " linear" : "", k->modal ? " modal" : "");
    for (uint32_t i = 0; i < k->parts; i++)
        print_optional(m, i ? ", " : " ", k->part[i].unknown, b);
    buffer_char(b, '\n');
    print_steps(m, &k->inner, depth + 1, b);
    for (uint32_t i = 0; i < k->parts; i++) {
        print_indent(depth + 1, b);
        print_loops(m, k->part[i].loops, k->part[i].n_loops, b);
        print_optional(
            m, k->part[i].n_loops ? " 0 = " : "0 = ", k->part[i].residual, b);
        buffer_char(b, '\n');
    }
    for (uint32_t i = 0; i < k->slopes; i++)
        print_slope(m, &k->slope[i], depth + 1, b);
}

static void print_step(const Model *m, const Step *s, int depth, Buffer *b)
{
    print_indent(depth, b);
    switch (s->kind) {
    case STEP_ASSIGN:
        expr_print(m, s->target, b);
        print_optional(m, " = ", s->value, b);
        buffer_char(b, '\n');
        break;
    case STEP_LOOP: {
        const Loop *l = model_loop(m, s->loop);
        if (l->pool)
            buffer_format(b, "FOR %s IN %s\n", l->name,
                          model_pool(m, l->pool - 1)->name);
        else
            buffer_format(b, "FOR %s := %" PRId64 " %s %" PRId64 "\n", l->name,
                          s->down ? l->high : l->low, s->down ? "DOWNTO" : "TO",
                          s->down ? l->low : l->high);
        print_steps(m, &s->body, depth + 1, b);
        break;
    }
    case STEP_SELECT:
        print_optional(m, s->select->is_case ? "CASE " : "IF ",
                       s->select->selector, b);
        buffer_char(b, '\n');
        for (uint32_t k = 0; k < s->select->branches; k++) {
            print_indent(depth, b);
            buffer_format(b, "branch %" PRIu32 "\n", k);
            print_steps(m, &s->branch[k], depth + 1, b);
        }
        break;
    case STEP_SOLVE: print_block(m, model_block(m, s->block), depth, b); break;
    }
}

static void print_steps(const Model *m, const Steps *steps, int depth,
                        Buffer *b)
{
    for (const Step *s = steps->first; s; s = s->next)
        print_step(m, s, depth, b);
}

static void print_entries(const Model *m, Buffer *b)
{
    if (!model_entries(m))
        return;
    buffer_text(b, "jacobian\n");
    for (uint32_t k = 0; k < model_entries(m); k++) {
        const Entry *e = model_entry(m, k);
        buffer_text(b, " ");
        print_guard(m, e->guard, b);
        print_loops(m, e->loops, e->n_loops, b);
        print_optional(m, " ", e->row, b);
        print_optional(m, " by ", e->column, b);
        print_optional(m, ": ", e->value, b);
        buffer_char(b, '\n');
    }
}

/* ---- The whole model
   ------------------------------------------------------------------ */

static void print_implicit(const Model *m, const Implicit *i, Buffer *b)
{
    buffer_text(b, "  IMPLICIT");
    for (uint32_t k = 0; k < i->n; k++) {
        print_optional(m, k ? ", " : " ", i->unknown[k], b);
        print_optional(m, " TOLERANCE ", i->tolerance[k], b);
        print_optional(m, " START ", i->start[k], b);
    }
    if (i->most)
        buffer_format(b, " MAX %" PRIu32, i->most);
    buffer_char(b, '\n');
}

static void print_points(const Table *t, Buffer *b)
{
    static const char *const kinds[] = {"LINEAR", "SPLINE", "STEP"};
    buffer_format(b, "  %s %s", kinds[t->kind], t->name);
    for (uint32_t k = 0; k < t->points; k++)
        buffer_format(b, " (%s, %s)", t->x[k], t->y[k]);
    buffer_char(b, '\n');
}

static void print_external(const Model *m, const External *e, Buffer *b)
{
    buffer_format(b, "  %s of %" PRIu32 " in \"%s\"", e->name, e->arguments,
                  e->library);
    if (e->derivative != NONE)
        buffer_format(b, " derivative %s",
                      model_external(m, e->derivative)->name);
    buffer_char(b, '\n');
}

static void print_event(const char *kind, const Event *e, Buffer *b)
{
    buffer_format(b, "  %s %s", kind, e->name);
    if (e->elements != 1)
        buffer_format(b, "[%" PRIu64 "]", e->elements);
    buffer_char(b, '\n');
}

static void print_process(const Model *m, const Process *p, Buffer *b)
{
    const File *f = model_file(m, p->file);
    buffer_format(b, "  %s", p->name);
    if (f->record != NONE)
        buffer_format(b, " of %s in %s", model_record(m, f->record)->name,
                      f->name);
    if (f->capacity)
        buffer_format(b, " at most %" PRIu32, f->capacity);
    buffer_text(b, p->server ? " SERVER" : "");
    buffer_text(b, p->begins ? " begins by itself\n" : "\n");
}

static void print_resource(const Model *m, const Resource *r, Buffer *b)
{
    static const char *const kinds[] = {"FACILITY", "STORAGE", "GATE",
                                        "SIGNAL",   "JOIN",    "ANY OF"};
    buffer_format(b, "  %s %s", kinds[r->kind], r->name);
    if (r->elements != 1)
        buffer_format(b, "[%" PRIu64 "]", r->elements);
    print_optional(m, " CAPACITY ", r->capacity, b);
    buffer_char(b, '\n');
}

static void print_discrete(const Model *m, Buffer *b)
{
    if (model_processes(m))
        buffer_text(b, "processes\n");
    for (uint32_t k = 0; k < model_processes(m); k++)
        print_process(m, model_process(m, k), b);
    if (model_resources(m))
        buffer_text(b, "resources\n");
    for (uint32_t k = 0; k < model_resources(m); k++)
        print_resource(m, model_resource(m, k), b);
}

/* Files of processes are printed with them. */
static void print_files(const Model *m, Buffer *b)
{
    static const char *const ranks[] = {"FIFO", "LIFO", "LVF", "HVF"};
    bool any = false;
    for (uint32_t k = 0; k < model_files(m); k++) {
        const File *f = model_file(m, k);
        if (f->process != NONE)
            continue;
        buffer_format(b, "%s  %s %s", any ? "" : "files\n", f->name,
                      ranks[f->rank]);
        any = true;
        if (f->rank == RANK_LVF || f->rank == RANK_HVF)
            buffer_format(b, " ON %s", model_variable(m, f->ranked_on)->name);
        buffer_format(b, " of %s", model_record(m, f->record)->name);
        if (f->capacity)
            buffer_format(b, ", at most %" PRIu32, f->capacity);
        buffer_char(b, '\n');
    }
}

static void print_stored(const Model *m, Buffer *b)
{
    const uint32_t *v = (const uint32_t *)(const void *)m->stored.bytes;
    if (m->stored.used == 0)
        return;
    buffer_text(b, "store");
    for (size_t k = 0; k < m->stored.used / sizeof *v; k++)
        buffer_format(b, "%s%s", k ? ", " : " ", model_variable(m, v[k])->name);
    buffer_char(b, '\n');
}

/* All other declarations. */
static void print_declared(const Model *m, Buffer *b)
{
    print_stored(m, b);
    if (model_tables(m))
        buffer_text(b, "tables\n");
    for (uint32_t k = 0; k < model_tables(m); k++)
        print_points(model_table(m, k), b);
    if (model_externals(m))
        buffer_text(b, "externals\n");
    for (uint32_t k = 0; k < model_externals(m); k++)
        print_external(m, model_external(m, k), b);
    if (model_state_events(m) + model_time_events(m))
        buffer_text(b, "events\n");
    for (uint32_t k = 0; k < model_state_events(m); k++)
        print_event("SEVENT", model_state_event(m, k), b);
    for (uint32_t k = 0; k < model_time_events(m); k++)
        print_event("TEVENT", model_time_event(m, k), b);
    print_discrete(m, b);
    if (m->calendar_record != NONE)
        buffer_format(b, "calendar of %s\n",
                      model_record(m, m->calendar_record)->name);
    print_files(m, b);
}

static void print_constraints(const Model *m, Buffer *b)
{
    if (model_constraints(m))
        buffer_text(b, "constraints\n");
    for (uint32_t k = 0; k < model_constraints(m); k++) {
        const Constraint *c = model_constraint(m, k);
        buffer_format(b, "  %u", c->first);
        print_guard(m, c->guard, b);
        print_loops(m, c->loops, c->n_loops, b);
        print_optional(m, " 0 = ", c->g, b);
        buffer_char(b, '\n');
    }
    for (uint32_t k = 0; k < m->gradients; k++)
        print_slope(m, &m->gradient[k], 1, b);
}

static void print_watched(const Model *m, Buffer *b)
{
    print_constraints(m, b);
    if (model_conditions(m))
        buffer_text(b, "conditions\n");
    for (uint32_t k = 0; k < model_conditions(m); k++)
        print_condition(m, model_condition(m, k), b);
    if (model_relations(m))
        buffer_text(b, "relations\n");
    for (uint32_t k = 0; k < model_relations(m); k++)
        print_relation(m, k, b);
}

static void print_tables(const Model *m, Buffer *b)
{
    buffer_text(b, "variables\n");
    for (uint32_t k = 0; k < model_variables(m); k++)
        print_variable(m, model_variable(m, k), b);
    print_declared(m, b);
    print_equations(m, b);
    for (uint32_t k = 0; k < model_implicits(m); k++)
        print_implicit(m, model_implicit(m, k), b);
    print_watched(m, b);
    if (model_memories(m))
        buffer_text(b, "memories\n");
    for (uint32_t k = 0; k < model_memories(m); k++)
        print_memory(m, model_memory(m, k), b);
}

static void print_bodies(const Model *m, Buffer *b)
{
    print_body(m, "setup", "", &m->setup, b);
    print_body(m, "initial", "", &m->initial, b);
    for (uint32_t k = 0; k < model_state_events(m); k++)
        print_body(m, "state event", model_state_event(m, k)->name,
                   &model_state_event(m, k)->code, b);
    for (uint32_t k = 0; k < model_time_events(m); k++)
        print_body(m, "time event", model_time_event(m, k)->name,
                   &model_time_event(m, k)->code, b);
    for (uint32_t k = 0; k < model_clocks(m); k++)
        print_body(m, "sample", model_clock(m, k)->name,
                   &model_clock(m, k)->code, b);
    for (uint32_t k = 0; k < model_processes(m); k++)
        print_body(m, "process", model_process(m, k)->name,
                   &model_process(m, k)->code, b);
    for (uint32_t k = 0; k < model_routines(m); k++)
        print_body(m, "routine", model_routine(m, k)->name,
                   &model_routine(m, k)->code, b);
    print_body(m, "communic", "", &m->communic, b);
    print_body(m, "shown", "", &m->shown, b);
    print_body(m, "terminal", "", &m->terminal, b);
    print_body(m, "experiment", "", &m->experiment, b);
}

void model_print(const Model *m, Buffer *b)
{
    buffer_format(b, "model %s\n", m->name);
    if (m->time_unit[0])
        buffer_format(b, "time in %s\n", m->time_unit);
    if (m->stage < STAGE_SORTED) {
        print_tables(m, b);
        print_bodies(m, b);
        return;
    }
    buffer_text(b, "program\n");
    print_steps(m, &m->simulation.program, 1, b);
    print_watched(m, b);
    if (m->rates.first)
        buffer_text(b, "rates\n");
    print_steps(m, &m->rates, 1, b);
    if (m->tangent.first)
        buffer_text(b, "tangent\n");
    print_steps(m, &m->tangent, 1, b);
    if (m->slopes.first)
        buffer_text(b, "slopes\n");
    print_steps(m, &m->slopes, 1, b);
    if (m->slope_rates.first)
        buffer_text(b, "slope rates\n");
    print_steps(m, &m->slope_rates, 1, b);
    if (m->linear.first)
        buffer_text(b, "linear\n");
    print_steps(m, &m->linear, 1, b);
    print_entries(m, b);
}
