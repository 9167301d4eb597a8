#include "check/equation.h"

/* Parallel code: equations and the statements among them. */

static void check_one(Checker *c, Node *n);

/* ---- Equations ----------------------------------------------------------- */

Symbol *equation_unknown(const Node *left)
{
    bool prime = left->kind == NODE_DERIVATIVE;
    const Node *n = prime ? left->first : left;
    Symbol *s;
    if (n->kind == NODE_INDEX)
        n = n->first;
    if (n->kind == NODE_SELECT)
        n = n->last;
    if (n->kind != NODE_NAME || n->symbol == NULL)
        return NULL;
    s = n->symbol;
    if (prime)
        return symbol_is_integrated(s) || s->kind == SYMBOL_FIELD ||
                       (s->kind == SYMBOL_FORMAL && s->type == WORD_NONE)
                   ? s
                   : NULL;
    return symbol_is_computed(s) ? s : NULL;
}

void find_derived(Checker *c, Node *n)
{
    if (n->kind == NODE_COMMUNIC)
        return; // only shows values
    if (n->kind == NODE_DERIVATIVE) {
        const Node *name = designator_base(n);
        Symbol *s =
            name->kind == NODE_NAME ? scope_own(c->program, name->text) : NULL;
        if (s != NULL && s->kind == SYMBOL_VARIABLE && s->type == WORD_ALGEBR)
            s->derived = true;
    }
    for (Node *k = n->first; k != NULL; k = k->next)
        find_derived(c, k);
}

/* Being on the left side does not count as a use. */
/* P[n].X' = ... */
static bool is_of_copy(Checker *c, const Node *left, const Symbol *s)
{
    if (s == NULL || s->kind != SYMBOL_PROCESS || s->body == NULL ||
        s->body->kind != NODE_CONTINUOUS_PROCESS)
        return false;
    ERROR(c, left,
          "the equations of a copy stand in CONTINUOUS of PROCESS `%s`, once "
          "for all copies",
          s->shown);
    return true;
}

static Type check_left(Checker *c, Node *left)
{
    Node *name = designator_base(left);
    Symbol *s;
    bool used;
    Type t;
    if (left->kind == NODE_FIELD_AT || left->kind == NODE_CALL ||
        name->kind != NODE_NAME)
        return check_expression(c, left);
    s = name_resolve(c, name);
    used = s == NULL || s->used;
    if (is_of_copy(c, left, s))
        return TYPE_ANY;
    t = check_expression(c, left);
    if (s != NULL)
        s->used = used;
    return t;
}

static void check_sides(Checker *c, Node *n, Type left, Type right)
{
    if (left == TYPE_ANY || right == TYPE_ANY ||
        (type_is_number(left) && type_is_number(right)) ||
        (left == TYPE_TRUTH && right == TYPE_TRUTH))
        return;
    if (left == TYPE_STRING || right == TYPE_STRING)
        ERROR(c, n,
              "both sides of an equation must be numbers or truth values");
    else if (left == TYPE_THING || left == TYPE_ENTRY)
        ERROR(c, n->first, "this has no value, so it cannot have an equation");
    else if (right == TYPE_THING || right == TYPE_ENTRY)
        ERROR(c, n->last, "this has no value");
    else
        ERROR(c, n->last, "the left side is %s, but this is %s",
              type_words(left), type_words(right));
}

static bool mentions(const Node *n, const Symbol *s)
{
    if (n->kind == NODE_NAME)
        return n->symbol == s;
    for (const Node *k = n->first; k != NULL; k = k->next) {
        if (mentions(k, s))
            return true;
    }
    return false;
}

static void file_equation(Checker *c, Node *n)
{
    Symbol *s = equation_unknown(n->first);
    if (c->boundary != NULL) {
        if (!mentions(n, c->boundary))
            ERROR(c, n, "this equation does not involve FIELD `%s`",
                  c->boundary->shown);
        equations_add_other(c, n); // it may give an ALGEBR in it
        return;
    }
    if (s != NULL)
        equations_add(c, n, n->first, s);
    else {
        field_imply(n);
        equations_add_other(c, n);
    }
}

static void check_equation(Checker *c, Node *n)
{
    uint32_t errors = c->unit->diags->errors;
    Type left, right;
    const Symbol *s, *field = field_about(c, n->first);
    Layer layer;
    if (field == NULL)
        field = field_about(c, n->last);
    if (n->first->kind == NODE_NAME)
        c->advice = ": declare it as ALGEBR in VAR";
    layer_push(c, &layer, field ? field->inside : NULL);
    left = check_left(c, n->first);
    c->advice = NULL;
    s = equation_unknown(n->first);
    right = check_expression(c, n->last);
    layer_pop(c);
    check_sides(c, n, left, right);
    note_unknown_target(c, n->first);
    if (c->unit->diags->errors == errors || s != NULL)
        file_equation(c, n);
}

/* ---- Branches ------------------------------------------------------------ */

static void check_branch(Checker *c, Node *choice, Node *labels,
                         uint32_t number, Node *list)
{
    const Branch *around = c->branch;
    Branch *b = NEW(c->unit->arena, Branch); // its equations refer to it
    if (b == NULL) {
        c->broken = true;
        return;
    }
    *b = (Branch){around, choice, labels, number};
    c->branch = b;
    if (list->kind == NODE_LIST)
        check_parallel(c, list);
    else
        check_one(c, list);
    c->branch = around;
}

static void check_if(Checker *c, Node *n)
{
    check_truth(c, n->first, "the condition after IF");
    check_branch(c, n, NULL, 0, node_child(n, 1));
    if (!is_none(n->last))
        check_branch(c, n, NULL, 1, n->last);
}

static void check_selector(Checker *c, Node *n)
{
    if (check_integer(c, n, "the selector of a CASE") == TYPE_ANY)
        return;
    if (n->kind == NODE_NAME && n->symbol != NULL &&
        n->symbol->kind == SYMBOL_CONST)
        WARNING(c, n,
                "the selector is a CONST, so only one branch is ever active");
}

static void check_case(Checker *c, Node *n)
{
    uint32_t number = 0;
    check_selector(c, n->first);
    check_case_labels(c, n->last);
    for (Node *b = n->last->first; b != NULL; b = b->next)
        check_branch(c, n, b->first, number++, b->last);
}

/* ---- Blocks -------------------------------------------------------------- */

static void check_interface_list(Checker *c, Node *list)
{
    for (Node *k = list->first; k != NULL; k = k->next) {
        Target t = check_designator(c, k, ACCESS_READ);
        if (t.symbol != NULL && !symbol_unknown(t.symbol) &&
            (t.type == TYPE_THING || t.type == TYPE_ENTRY))
            ERROR(c, k, "outputs and inputs must be values, but `%s` is %s",
                  t.symbol->shown, symbol_words(t.symbol));
    }
}

/* The block itself declares a MODEL, unless VAR has done so already. */
static void declare_model(Checker *c, Node *n)
{
    Symbol *s = scope_own(c->home, n->text);
    if (s == NULL || !symbol_is(s, WORD_MODEL)) {
        s = name_declare(c, c->home, SYMBOL_VARIABLE, WORD_MODEL, n);
    } else if (s->body != NULL) {
        unit_error(c->unit, name_span(c, n), n->origin,
                   "there is already a MODEL `%s`", n->text);
        unit_note(c->unit, name_span(c, s->body), "it is here");
        return;
    }
    if (s == NULL)
        return;
    n->symbol = s;
    s->body = n;
    s->used = true;
}

static void check_model_block(Checker *c, Node *n)
{
    declare_model(c, n);
    check_interface_list(c, n->first->first);
    check_interface_list(c, n->first->last);
    check_parallel(c, n->last);
    check_model(c, n);
}

static void check_condit(Checker *c, Node *n)
{
    Target t;
    Node *a = node_child(n, 1), *b = a->next, *tol = b->next;
    Constant v;
    c->advice = ": declare it as SEVENT in VAR";
    t = check_designator(c, n->first, ACCESS_READ);
    c->advice = NULL;
    if (t.symbol != NULL && !symbol_unknown(t.symbol)) {
        t.symbol->raised = true;
        if (t.symbol->type != WORD_SEVENT)
            ERROR(c, n->first,
                  "CONDIT raises a state event (SEVENT), but `%s` is %s",
                  t.symbol->shown, symbol_words(t.symbol));
    }
    check_number(c, a, "a discontinuity function");
    if (!is_none(b))
        check_number(c, b, "what is crossed");
    if (!is_none(n->last))
        check_number(c, n->last, "the PRIORITY");
    if (is_none(tol))
        return;
    check_number(c, tol, "TOL");
    if (constant_fold(c, tol, &v) && v.real <= 0.0)
        ERROR(c, tol, "TOL must be positive");
}

static void check_preset(Checker *c, Node *n, const char *what)
{
    Target t = check_designator(c, n->first, ACCESS_READ);
    if (t.symbol != NULL && !type_is_number(t.type))
        ERROR(c, n->first, "%s needs a number, but `%s` is %s", what,
              t.symbol->shown, symbol_words(t.symbol));
    check_number(c, n->last, what);
}

static void check_implicit(Checker *c, Node *n)
{
    Node *outs = n->first->first, *max = node_child(n, 1);
    Node *tolerances = node_child(n, 2), *starts = node_child(n, 3);
    check_interface_list(c, outs);
    check_interface_list(c, n->first->last);
    for (Node *k = outs->first; k != NULL; k = k->next) {
        const Symbol *s = designator_base(k)->symbol;
        if (!symbol_unknown(s) && !symbol_is_computed(s) &&
            s->type != WORD_ALGEBR)
            ERROR(
                c, k,
                "the unknowns of an IMPLICIT loop must be ALGEBRs, but `%s` is "
                "%s",
                s->shown, symbol_words(s));
    }
    if (!is_none(max))
        check_integer(c, max, "MAX");
    for (Node *k = tolerances->first; k != NULL; k = k->next)
        check_preset(c, k, "TOLERANCE");
    for (Node *k = starts->first; k != NULL; k = k->next)
        check_preset(c, k, "START");
    check_parallel(c, n->last);
}

static void check_communic(Checker *c, Node *n)
{
    name_declare(c, c->blocks, SYMBOL_BLOCK, WORD_NONE, n);
    check_interface_list(c, n->first->first);
    check_interface_list(c, n->first->last);
    check_section(c, n->last, PLACE_COMMUNIC);
}

static void check_procedural_output(Checker *c, Node *n)
{
    Symbol *s = designator_base(n)->symbol;
    if (symbol_unknown(s))
        return;
    if (symbol_is_computed(s) || s->type == WORD_ALGEBR)
        equations_add(c, n, n, s);
    else
        ERROR(c, n, "the outputs of PROCEDURAL must be ALGEBRs, but `%s` is %s",
              s->shown, symbol_words(s));
}

static void check_procedural(Checker *c, Node *n)
{
    Node *outs = n->first->first, *before = c->procedural;
    check_interface_list(c, outs);
    check_interface_list(c, n->first->last);
    for (Node *k = outs->first; k != NULL; k = k->next)
        check_procedural_output(c, k);
    c->procedural = outs;
    check_section(c, n->last, PLACE_PROCEDURAL);
    c->procedural = before;
    for (Node *k = outs->first; k != NULL; k = k->next) {
        const Symbol *s = designator_base(k)->symbol;
        if (!symbol_unknown(s) && (s->places & PLACE_PROCEDURAL) == 0)
            ERROR(c, k, "this PROCEDURAL never assigns its output `%s`",
                  s->shown);
    }
}

/* ---- Fields, ports ------------------------------------------------------- */

static void check_side(Checker *c, Node *n, Node *boundary, const Symbol *field)
{
    uint32_t coordinates = node_count(node_child(field->node, 1));
    if (coordinates < 2 && (n->word == WORD_BOTTOM || n->word == WORD_TOP))
        ERROR(c, n,
              "FIELD `%s` has one coordinate, so it has only LEFT and RIGHT",
              field->shown);
    grid_check_side(c, field, n);
    for (const Node *k = boundary->first->first; k != n; k = k->next) {
        if (k->word == n->word) {
            ERROR(c, n, "AT %s is given twice", word_text(n->word));
            break;
        }
    }
    if (n->first->kind == NODE_LIST)
        check_parallel(c, n->first);
    else
        check_one(c, n->first);
}

static void check_boundary(Checker *c, Node *n)
{
    Symbol *s = name_resolve_text(c, n);
    Layer layer;
    if (symbol_unknown(s))
        return;
    symbol_use(s);
    if (s->kind != SYMBOL_FIELD) {
        unit_error(c->unit, name_span(c, n), n->origin,
                   "only a FIELD has a BOUNDARY, but `%s` is %s", s->shown,
                   symbol_words(s));
        return;
    }
    c->boundary = s;
    layer_push(c, &layer, s->inside);
    for (Node *k = n->first->first; k != NULL; k = k->next)
        check_side(c, k, n, s);
    layer_pop(c);
    c->boundary = NULL;
}

static void check_finish(Checker *c, Node *n)
{
    c->crossing = true;
    check_truth(c, n->first, "the condition after FINISH");
    c->crossing = false;
}

/* ---- Statements ---------------------------------------------------------- */

static void check_one(Checker *c, Node *n)
{
    switch (n->kind) {
    case NODE_EQUATION: check_equation(c, n); break;
    case NODE_CALL: check_parallel_call(c, n); break;
    case NODE_MODEL: check_model_block(c, n); break;
    case NODE_CASE: check_case(c, n); break;
    case NODE_CONDIT: check_condit(c, n); break;
    case NODE_IMPLICIT: check_implicit(c, n); break;
    case NODE_COMMUNIC: check_communic(c, n); break;
    case NODE_PROCEDURAL: check_procedural(c, n); break;
    case NODE_BOUNDARY: check_boundary(c, n); break;
    case NODE_FINISH_WHEN: check_finish(c, n); break;
    case NODE_FOR: check_for(c, n, check_one); break;
    case NODE_EACH:
        ERROR(c, n,
              "the equations of copies stand in CONTINUOUS of their PROCESS: "
              "FOR ... IN goes through them in procedural code");
        break;
    case NODE_IF: check_if(c, n); break;
    case NODE_WITH: check_with(c, n, check_one); break;
    case NODE_BLOCK: check_parallel(c, n->first); break;
    default: break;
    }
}

void check_parallel(Checker *c, Node *list)
{
    uint32_t before = c->place;
    c->place = PLACE_EQUATION;
    for (Node *n = list->first; n != NULL; n = n->next)
        check_one(c, n);
    c->place = before;
}
