#include "lower/lowerer.h"

/* FILEs: their declaration, INSERT, REMOVE, FIND and WITH, entries and lengths
   in expressions.

   A plain attribute name refers to the innermost entry opened by WITH or FIND
   that has such a record (ENTRY_AT), otherwise to the current entry
   (ATTRIBUTE), which the emitter knows how to find. */

/* ---- Declarations --------------------------------------------------------------- */

static FileRank rank_of(Word word)
{
    switch (word) {
    case WORD_LIFO: return RANK_LIFO;
    case WORD_LVF: return RANK_LVF;
    case WORD_HVF: return RANK_HVF;
    default: return RANK_FIFO;
    }
}

static uint32_t capacity_of(Lowerer *l, const Node *n)
{
    int64_t capacity = 0;
    if (node_absent(n) ||
        !lower_constant(l, n, "the number of entries", &capacity))
        return 0;
    if (capacity < 1 || capacity >= NONE) {
        LOWER_ERROR(l, n,
                    "the number of entries must be at least 1 and below "
                    "4294967295");
        return 1;
    }
    return (uint32_t)capacity;
}

/* EVENTFILE, the calendar's own, says which attributes events have. */
static void lower_calendar(Lowerer *l, uint32_t record)
{
    const Record *r = model_record(l->m, record);
    l->m->calendar_record = record;
    for (uint32_t k = 0; k < r->attributes; k++) {
        Variable *v = model_variable(l->m, r->attribute[k]);
        if (name_same(v->name, "EVTIME") && v->type == EXPR_TYPE_REAL)
            v->role = ROLE_EVTIME;
        if (name_same(v->name, "EVCODE"))
            l->m->calendar_code = r->attribute[k];
    }
}

void lower_file(Lowerer *l, const Node *n)
{
    const Symbol *record = n->symbol ? n->symbol->record : NULL;
    Meaning *meaning = n->symbol ? meaning_of(l, n->symbol) : &l->lost;
    if (!record || meaning->kind != MEANS_NOTHING)
        return;
    const Meaning *of = meaning_of(l, record);
    if (of->kind != MEANS_RECORD)
        return;
    if (name_same(n->text, "EVENTFILE")) {
        lower_calendar(l, of->number);
        meaning->kind = MEANS_CALENDAR;
        return;
    }
    File f = {.name = n->symbol->name,
              .c_name = model_c_name(l->m, n->symbol->name),
              .record = of->number,
              .rank = rank_of(n->word),
              .ranked_on = NONE,
              .capacity = capacity_of(l, n->first),
              .process = NONE,
              .number = NONE,
              .line = lower_line(l, n->at, n->origin)};
    if (f.rank == RANK_LVF || f.rank == RANK_HVF)
        f.ranked_on = lower_designated(l, n->last);
    meaning->kind = MEANS_FILE;
    meaning->number = model_add_file(l->m, &f);
}

void lower_file_numbers(Lowerer *l)
{
    uint32_t number = 0;
    for (uint32_t k = 0; k < model_files(l->m); k++) {
        File *f = model_file(l->m, k);
        if (f->process == NONE && !f->pool)
            f->number = number++;
    }
}

/* ---- Which file ----------------------------------------------------------------- */

uint32_t lower_file_of(Lowerer *l, const Node *n, const char *instead)
{
    const Symbol *s = designator_name(n)->symbol;
    if (!s)
        return NONE;
    const Meaning *meaning = meaning_of(l, s);
    switch (meaning->kind) {
    case MEANS_FILE: return meaning->number;
    case MEANS_PROCESS: return model_process(l->m, meaning->number)->file;
    case MEANS_POOL: return model_pool(l->m, meaning->number)->file;
    case MEANS_CALENDAR:
        LOWER_ERROR(l, n, "`%s` is the calendar of events: %s", s->shown,
                    instead);
        break;
    case MEANS_REFUSED: break;
    default:
        if (s->kind == SYMBOL_PROCESS)
            LOWER_ERROR(l, n,
                        "PROCESS `%s` has no transactions: it does not stand "
                        "in PROCESSES",
                        s->shown);
        else
            LOWER_ERROR(l, n, "`%s` is not a FILE here", s->shown);
    }
    return NONE;
}

/* Files belong to runs; between runs they are empty. */
static bool in_experiment(Lowerer *l, const Node *n, Place place)
{
    if (place != IN_EXPERIMENT)
        return false;
    LOWER_ERROR(l, n,
                "a FILE has entries only during a run: put what is needed here "
                "into a variable in TERMINAL");
    return true;
}

/* A file whose entries are not the copies of a CONTINUOUS PROCESS. */
static uint32_t file_proper(Lowerer *l, const Node *n, const char *instead)
{
    uint32_t file = lower_file_of(l, n, instead);
    if (file == NONE || !model_file(l->m, file)->pool)
        return file;
    LOWER_ERROR(l, n,
                "`%s` holds the copies of a CONTINUOUS PROCESS: they come by "
                "CREATE and go by DELETE, and FOR ... IN goes from one to the "
                "next",
                model_file(l->m, file)->name);
    return NONE;
}

/* A file that entries can be put into and taken from. */
static uint32_t own_file(Lowerer *l, const Node *n, const char *instead)
{
    uint32_t file = file_proper(l, n, instead);
    if (file == NONE || model_file(l->m, file)->process == NONE)
        return file;
    LOWER_ERROR(l, n,
                "`%s` holds the transactions of a PROCESS: they come by "
                "GENERATE and go by TERMINATE",
                model_file(l->m, file)->name);
    return NONE;
}

/* ---- Entries in expressions -------------------------------------------------------- */

static const Expr *entry_expr(Lowerer *l, ExprOp op, uint32_t attribute,
                              uint32_t file, const Expr *at)
{
    const Expr *arg[2] = {expr_integer(l->m, file), at};
    return expr_make(l->m, op, model_variable(l->m, attribute)->type, attribute,
                     arg, 2);
}

const Expr *lower_attribute(Lowerer *l, const Node *n, uint32_t attribute,
                            Place place)
{
    const Variable *v = model_variable(l->m, attribute);
    for (const Opened *o = l->opened; o; o = o->around) {
        if (o->record != v->record)
            continue;
        uint32_t pool = model_file(l->m, o->file)->pool, rate;
        if (!pool)
            return entry_expr(l, EXPR_ENTRY_AT, attribute, o->file, o->at);
        return lower_copied(l, n, pool_variable(l, pool - 1, attribute, &rate),
                            o->at, place);
    }
    uint32_t rate,
        own = l->pool ? pool_variable(l, l->pool - 1, attribute, &rate) : NONE;
    if (own != NONE)
        return lower_copied(l, n, own, l->here, place);
    const Expr *kept = lower_kept(l, attribute);
    if (kept)
        return kept;
    return expr_make(l->m, EXPR_ATTRIBUTE, v->type, attribute, NULL, 0);
}

/* The number in FILE.n or PROCESS[n]. */
static const Expr *number_in(Lowerer *l, const Node *n, Place place)
{
    const Node *number = n->kind == NODE_INDEX ? n->last->first : n->last;
    return lower_fit(l, lower_in_code(l, number, place), EXPR_TYPE_INTEGER);
}

const Expr *lower_entry(Lowerer *l, const Node *n, Place place)
{
    const Expr *copied = lower_copy_value(l, n, place);
    if (copied)
        return copied;
    const Node *entry = n->first;
    const Symbol *s = n->last->symbol;
    if (entry->kind != NODE_SELECT && entry->kind != NODE_INDEX) {
        refuse(l, n, "what is inside a PART or PORT");
        return lower_nothing(l, EXPR_TYPE_REAL);
    }
    uint32_t file = lower_file_of(
        l, entry, "its entries are events, which SCHEDULE and CANCEL handle");
    uint32_t attribute = s ? lower_designated(l, n->last) : NONE;
    if (file == NONE || attribute == NONE || in_experiment(l, n, place))
        return lower_nothing(l, s ? lower_type(s->type) : EXPR_TYPE_REAL);
    if (place != IN_CODE) {
        LOWER_ERROR(l, n,
                    "an entry of a FILE may be gone at any event and has no "
                    "value in equations: put it into a REAL where it changes");
        return lower_nothing(l, lower_type(s->type));
    }
    return entry_expr(l, EXPR_ENTRY, attribute, file,
                      number_in(l, entry, place));
}

bool lower_is_kept(const Lowerer *l, const Expr *x)
{
    if (x->op != EXPR_ENTRY && x->op != EXPR_ENTRY_AT)
        return false;
    AttributeRole role = model_variable(l->m, x->which)->role;
    return model_file(l->m, (uint32_t)x->arg[0]->integer)->process != NONE &&
           role != ROLE_NONE && role != ROLE_PRIORNBR;
}

/* ENTRYNBR, MAXQ, AVGQ; NULL for any other function. */
const Expr *lower_queue(Lowerer *l, const Node *n, const char *name,
                        Place place)
{
    static const struct {
        const char *name;
        QueueValue value;
    } table[] = {{"ENTRYNBR", QUEUE_ENTRYNBR},
                 {"MAXQ", QUEUE_MAXQ},
                 {"MMAXQ", QUEUE_MAXQ},
                 {"IMAXD", QUEUE_MAXQ},
                 {"AVGQ", QUEUE_AVGQ}};
    size_t k = 0;
    while (k < LENGTH(table) && !name_same(table[k].name, name))
        k++;
    if (k == LENGTH(table))
        return NULL;
    const Node *actual = call_actual(n, 0);
    const Symbol *s = designator_name(actual)->symbol;
    QueueValue value = table[k].value;
    ExprType type = value == QUEUE_AVGQ ? EXPR_TYPE_REAL : EXPR_TYPE_INTEGER;
    const Expr *arg = expr_integer(l->m, value);
    bool calendar = s && meaning_of(l, s)->kind == MEANS_CALENDAR &&
                    value == QUEUE_ENTRYNBR;
    uint32_t file = calendar
                        ? NONE
                        : lower_file_of(l, actual,
                                        "only ENTRYNBR knows it, it keeps no "
                                        "statistics");
    if ((file == NONE && !calendar) || in_experiment(l, n, place))
        return lower_nothing(l, type);
    if (value == QUEUE_AVGQ && place == IN_EQUATION) {
        LOWER_ERROR(l, n,
                    "AVGQ has no value in equations: put it into a REAL at an "
                    "event");
        return lower_nothing(l, type);
    }
    return expr_make(l->m, EXPR_QUEUE, type, file, &arg, 1);
}

/* ---- Statements --------------------------------------------------------------------- */

static Statement *add(Lowerer *l, const Node *n, Code *code, StatementKind kind,
                      uint32_t file)
{
    Statement *s =
        code_add(l->m, code, kind, n->at, lower_line(l, n->at, n->origin));
    s->which = file;
    s->row = lower_row(l, n, NONE, true);
    return s;
}

void lower_where(Lowerer *l, const Node *where, Statement *s, Place place)
{
    uint32_t count = node_count(where->first), k = 0;
    uint32_t *names = MODEL_ARRAY(l->m, uint32_t, count + 1);
    const Expr **list = MODEL_ARRAY(l->m, const Expr *, count + 1);
    for (const Node *a = where->first->first; names && list && a; a = a->next) {
        uint32_t attribute = lower_designated(l, a->first);
        if (attribute == NONE)
            continue;
        ExprType type = model_variable(l->m, attribute)->type;
        names[k] = attribute;
        list[k++] = lower_passed(
            l, lower_fit(l, lower_in_code(l, a->last, place), type));
    }
    s->names = names;
    s->list = list;
    s->n = k;
}

static void lower_insert(Lowerer *l, const Node *n, Code *code, Place place)
{
    uint32_t file = own_file(l, n->first, "events come into it by SCHEDULE");
    if (file == NONE)
        return;
    Statement *s = add(l, n, code, STATEMENT_INSERT, file);
    if (lower_is_fresh(l, model_file(l->m, file)->record))
        s->flags |= STATEMENT_FRESH;
    if (!node_absent(n->last))
        lower_where(l, n->last, s, place);
}

static void lower_remove(Lowerer *l, const Node *n, Code *code, Place place)
{
    uint32_t file = own_file(l, n->first, "CANCEL takes an event off it");
    if (file == NONE)
        return;
    const Expr *rank =
        node_absent(n->last) || n->last == n->first
            ? NULL
            : lower_fit(l, lower_in_code(l, n->last, place), EXPR_TYPE_INTEGER);
    Statement *s = add(l, n, code, STATEMENT_REMOVE, file);
    s->a = rank;
    s->flags = n->word == WORD_LAST;
    if (l->removed)
        l->removed[model_file(l->m, file)->record] = true;
}

/* A hidden INTEGER that holds the place of the entry that FIND examines. */
static uint32_t looked_at(Lowerer *l, const Node *n)
{
    const char *name = lower_hidden_name(l, "FIND", n);
    uint32_t k = lower_hidden(l, VARIABLE_COUNTER, EXPR_TYPE_INTEGER, name, n);
    model_variable(l->m, k)->routine = l->routine;
    return k;
}

static void lower_find(Lowerer *l, const Node *n, Code *code, Place place)
{
    uint32_t file =
        file_proper(l, node_child(n, 1), "its entries cannot be examined");
    const Expr *target = lower_designator(l, n->first, place);
    if (file == NONE)
        return;
    uint32_t at = looked_at(l, n);
    Opened here = {.record = model_file(l->m, file)->record,
                   .file = file,
                   .at = expr_variable(l->m, at, NULL, 0),
                   .around = l->opened};
    l->opened = &here;
    const Expr *condition = lower_in_code(l, n->last, place);
    l->opened = here.around;
    Statement *s = add(l, n, code, STATEMENT_FIND, file);
    s->target = target;
    s->a = condition;
    s->b = here.at;
}

static void lower_with(Lowerer *l, const Node *n, Code *code, Place place)
{
    const Node *entry = n->first;
    uint32_t file = lower_file_of(
        l, entry, "its entries are events, which SCHEDULE and CANCEL handle");
    if (file == NONE || in_experiment(l, n, place) ||
        (entry->kind != NODE_SELECT && entry->kind != NODE_INDEX))
        return;
    if (model_file(l->m, file)->pool) {
        lower_with_copy(l, n, file, code, place);
        return;
    }
    uint32_t at =
        lower_lasting(l, EXPR_TYPE_INTEGER, lower_hidden_name(l, "WITH", n), n);
    Opened here = {.record = model_file(l->m, file)->record,
                   .file = file,
                   .at = expr_variable(l->m, at, NULL, 0),
                   .around = l->opened};
    const Expr *number = number_in(l, entry, place);
    Statement *s = add(l, n, code, STATEMENT_LOOKUP, file);
    s->target = here.at;
    s->a = number;
    s->row = lower_row(l, entry, NONE, true);
    l->opened = &here;
    lower_code(l, n->last, code, place);
    l->opened = here.around;
}

bool lower_file_statement(Lowerer *l, const Node *n, Code *code, Place place)
{
    switch (n->kind) {
    case NODE_INSERT: lower_insert(l, n, code, place); return true;
    case NODE_REMOVE: lower_remove(l, n, code, place); return true;
    case NODE_FIND: lower_find(l, n, code, place); return true;
    case NODE_WITH: lower_with(l, n, code, place); return true;
    default: return false;
    }
}
