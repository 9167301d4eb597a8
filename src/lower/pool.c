#include "lower/lowerer.h"

/* CONTINUOUS PROCESS: its variables, equations and bodies, which are those of
   every copy.

   An attribute of the process file stays what it is in its RECORD; beside it
   stands what it is in a copy (Copied): a pooled variable, an event. So two
   processes may have files of one RECORD. */

typedef struct Copied {
    uint32_t pool;      // Pool
    uint32_t attribute; // VARIABLE_ATTRIBUTE
    uint32_t variable;  // pooled; NONE: it has no value
    uint32_t rate;      // pooled STATE "X'", or NONE
    const Meaning *event;
} Copied;

static bool is_pool(const Node *n)
{
    return n->kind == NODE_CONTINUOUS_PROCESS && n->symbol &&
           n->symbol->body == n;
}

static const Copied *find_copied(const Lowerer *l, uint32_t pool,
                                 uint32_t attribute)
{
    const Copied *list = (const Copied *)(const void *)l->copied.bytes;
    for (size_t k = 0; k < l->copied.used / sizeof *list; k++)
        if (list[k].pool == pool && list[k].attribute == attribute)
            return &list[k];
    return NULL;
}

uint32_t pool_variable(const Lowerer *l, uint32_t pool, uint32_t attribute,
                       uint32_t *rate)
{
    const Copied *c = find_copied(l, pool, attribute);
    *rate = c ? c->rate : NONE;
    return c ? c->variable : NONE;
}

const Meaning *pool_event_of(Lowerer *l, uint32_t pool, const Symbol *s)
{
    const Copied *c = find_copied(l, pool, meaning_of(l, s)->number);
    return c ? c->event : NULL;
}

const Meaning *pool_event(Lowerer *l, const Symbol *s)
{
    const Meaning *meaning = meaning_of(l, s);
    if (!l->pool || meaning->kind != MEANS_VARIABLE)
        return meaning;
    const Meaning *event = pool_event_of(l, l->pool - 1, s);
    return event ? event : meaning;
}

/* ---- Inside a process ---------------------------------------------------------- */

static void enter(Lowerer *l, uint32_t pool, const Expr *here)
{
    l->pool = pool + 1;
    l->here = here;
}

static void leave(Lowerer *l)
{
    l->pool = 0;
    l->here = NULL;
}

/* ---- Its file ------------------------------------------------------------------ */

static uint32_t new_pool(Lowerer *l, const Node *n)
{
    Model *m = l->m;
    const Symbol *s = n->symbol;
    Pool p = {.name = s->name,
              .c_name = model_c_name(m, s->name),
              .file = NONE,
              .number = NONE,
              .born = NONE,
              .whose = NONE,
              .row = lower_row(l, n, NONE, true),
              .at = n->at,
              .line = lower_line(l, n->at, n->origin)};
    model_row(m, p.row)->text =
        model_format(m, "CONTINUOUS PROCESS %s", s->name);
    uint32_t k = model_add_pool(m, &p);
    Loop self = {.name = "K",
                 .high = POOL_SIDE - 1,
                 .step = 1,
                 .pool = k + 1,
                 .line = p.line};
    model_pool(m, k)->self = model_add_loop(m, &self);
    Meaning *meaning = meaning_of(l, s);
    meaning->kind = MEANS_POOL;
    meaning->number = k;
    return k;
}

static void find_file(Lowerer *l, const Node *n, uint32_t pool)
{
    Model *m = l->m;
    const Symbol *s = n->symbol;
    uint32_t file = s->file && meaning_of(l, s->file)->kind == MEANS_FILE
                        ? meaning_of(l, s->file)->number
                        : NONE;
    if (file == NONE) {
        File own = {.name = s->name,
                    .c_name = model_c_name(m, s->name),
                    .record = NONE,
                    .ranked_on = NONE,
                    .process = NONE,
                    .number = NONE,
                    .line = model_pool(m, pool)->line};
        file = model_add_file(m, &own);
    }
    File *f = model_file(m, file);
    if (f->pool || f->process != NONE)
        LOWER_ERROR(l, n, "FILE `%s` belongs to another process already",
                    f->name);
    f->pool = pool + 1;
    Pool *p = model_pool(m, pool);
    p->file = file;
    if (f->capacity == 1)
        LOWER_ERROR(l, n,
                    "FILE `%s` has room for 1 entry, which is that of the "
                    "process: for n copies it needs n + 1",
                    f->name);
    p->capacity = f->capacity ? f->capacity - 1 : 0;
}

/* ---- Time events --------------------------------------------------------------- */

/* The RECORD of its time events: the number of the copy whose event it is. */
static void new_record(Lowerer *l, uint32_t pool)
{
    Model *m = l->m;
    const Pool *p = model_pool(m, pool);
    const char *name = model_format(m, "TIMED_%s", p->name);
    uint32_t *attribute = MODEL_ARRAY(m, uint32_t, 1);
    if (!attribute)
        return;
    *attribute = model_add_hidden(m, VARIABLE_ATTRIBUTE, EXPR_TYPE_INTEGER,
                                  "COPYNBR", p->at, p->line);
    Record r = {.name = name,
                .c_name = model_c_name(m, name),
                .attribute = attribute,
                .attributes = 1};
    uint32_t record = model_add_record(m, &r);
    model_variable(m, *attribute)->record = record;
    model_pool(m, pool)->whose = *attribute;
}

void pool_timed(Lowerer *l, uint32_t event)
{
    uint32_t pool = l->pool - 1;
    if (model_pool(l->m, pool)->whose == NONE)
        new_record(l, pool);
    if (model_pool(l->m, pool)->whose != NONE)
        model_time_event(l->m, event)->record =
            model_variable(l->m, model_pool(l->m, pool)->whose)->record;
}

/* The number of the copy whose time event takes place. */
static const Expr *whose(Lowerer *l)
{
    return expr_make(l->m, EXPR_ATTRIBUTE, EXPR_TYPE_INTEGER,
                     model_pool(l->m, l->pool - 1)->whose, NULL, 0);
}

void pool_timed_body(Lowerer *l, const Node *n, Code *code)
{
    const Expr *here = l->here, *number = whose(l);
    uint32_t pool = l->pool - 1;
    Statement *s = code_add(l->m, code, STATEMENT_IF, n->at,
                            lower_line(l, n->at, n->origin));
    s->row = lower_row(l, n, NONE, true);
    s->a = expr_make(l->m, EXPR_EXISTS, EXPR_TYPE_BOOLEAN, pool, &number, 1);
    l->here = expr_make(l->m, EXPR_FOUND, EXPR_TYPE_INTEGER, pool, &number, 1);
    lower_code(l, n->last, &s->body, IN_CODE);
    l->here = here;
}

void pool_schedule(Lowerer *l, const Node *n, const Expr *number, Statement *s)
{
    uint32_t pool = model_time_event(l->m, s->which)->pool - 1;
    uint32_t *names = MODEL_ARRAY(l->m, uint32_t, 1);
    const Expr **list = MODEL_ARRAY(l->m, const Expr *, 1);
    if (!node_absent(n->last))
        LOWER_ERROR(l, n->last,
                    "an event of a copy has no attributes of its own: put what "
                    "it needs into attributes of the copy");
    if (!names || !list)
        return;
    names[0] = model_pool(l->m, pool)->whose;
    list[0] = number;
    s->flags |= STATEMENT_FRESH;
    s->names = names;
    s->list = list;
    s->n = 1;
}

/* ---- Attributes ---------------------------------------------------------------- */

static void add_copied(Lowerer *l, const Copied *c)
{
    if (!vector_append(&l->copied, c, sizeof *c))
        l->m->broken = true;
}

static const Meaning *event_of(Lowerer *l, const Node *field)
{
    Meaning *kept = MODEL_NEW(l->m, Meaning);
    lower_program_variable(l, field);
    if (kept)
        *kept = *meaning_of(l, field->symbol);
    return kept;
}

/* What the attribute is in a copy. An event has a value as well, since programs
   of 1979 set it to 0. */
static void copy_attribute(Lowerer *l, const Node *field, uint32_t pool)
{
    Meaning *meaning = meaning_of(l, field->symbol), before = *meaning;
    bool event = field->word == WORD_SEVENT || field->word == WORD_TEVENT;
    Copied c = {.pool = pool, .attribute = before.number, .rate = NONE};
    if (event)
        c.event = event_of(l, field);
    *meaning = (Meaning){.number = NONE, .rate = NONE, .order = before.order};
    if (event)
        lower_variable(l, field, VARIABLE_DISCRETE);
    else
        lower_program_variable(l, field);
    c.variable =
        meaning->kind == MEANS_VARIABLE ? meaning->number : (uint32_t)NONE;
    c.rate = meaning->rate;
    if (event && c.variable != NONE)
        model_variable(l->m, c.variable)->hidden = true;
    *meaning = before;
    add_copied(l, &c);
}

/* A pooled variable that the header of a copy has. */
static uint32_t new_header(Lowerer *l, uint32_t pool, ExprType type,
                           const char *name, AttributeRole role)
{
    const Pool *p = model_pool(l->m, pool);
    uint32_t k =
        model_add_hidden(l->m, VARIABLE_DISCRETE, type, name, p->at, p->line);
    Variable *v = model_variable(l->m, k);
    v->pool = pool + 1;
    v->rank = 1;
    v->high[0] = POOL_SIDE - 1;
    v->elements = POOL_SIDE;
    v->role = role;
    return k;
}

uint32_t pool_born(Lowerer *l)
{
    uint32_t pool = l->pool - 1;
    if (model_pool(l->m, pool)->born == NONE) {
        uint32_t k = new_header(l, pool, EXPR_TYPE_REAL, "BORN", ROLE_BORN);
        model_pool(l->m, pool)->born = k;
    }
    return model_pool(l->m, pool)->born;
}

/* The first attribute of the RECORD, an INTEGER, is the number of a copy; a
   RECORD without one leaves it without a name. */
static void find_number(Lowerer *l, const Symbol *record, uint32_t pool)
{
    Model *m = l->m;
    const Node *first = record ? record->node->last->first : NULL;
    uint32_t rate, number = NONE;
    if (first && first->symbol && first->word == WORD_INTEGER)
        number =
            pool_variable(l, pool, meaning_of(l, first->symbol)->number, &rate);
    if (number == NONE)
        number =
            new_header(l, pool, EXPR_TYPE_INTEGER, "COPYNBR", ROLE_COPYNBR);
    model_variable(m, number)->role = ROLE_COPYNBR;
    model_pool(m, pool)->number = number;
}

static void copy_attributes(Lowerer *l, const Node *n, uint32_t pool)
{
    const Symbol *file = n->symbol->file;
    const Symbol *record = file ? file->record : NULL;
    if (record && record->node)
        for (const Node *f = record->node->last->first; f; f = f->next)
            if (f->symbol)
                copy_attribute(l, f, pool);
    find_number(l, record && record->node ? record : NULL, pool);
}

/* ---- Formals ------------------------------------------------------------------- */

/* The statement that installs the process: there is at most one. */
static const Node *find_call(Lowerer *l, const Node *n, const Symbol *process,
                             const Node *found)
{
    if (n->kind == NODE_CALL && n->first->symbol == process) {
        if (found)
            LOWER_ERROR(l, n,
                        "`%s` is installed already: once is enough for all "
                        "copies",
                        process->shown);
        return n;
    }
    for (const Node *k = n->first; k; k = k->next)
        found = find_call(l, k, process, found);
    return found;
}

static bool mark_reads(void *user, const Expr *e)
{
    if (e->op == EXPR_VARIABLE)
        lower_mark_read(user, e->which, IN_CODE);
    return true;
}

/* A formal means what its actual means; that may be any expression. */
static void bind_formal(Lowerer *l, const Node *f, const Node *actual,
                        bool alias)
{
    if (alias || actual->kind == NODE_NAME) {
        lower_alias(l, f, actual, IN_EQUATION);
        return;
    }
    Meaning *meaning = meaning_of(l, f->symbol);
    const Node *value = actual->kind == NODE_ACTUAL ? actual->first : actual;
    meaning->kind = MEANS_VALUE;
    meaning->value = lower_fit(l, lower_expression(l, value, IN_EQUATION),
                               lower_type(f->word));
    expr_visit(l->m, meaning->value, mark_reads, l);
}

/* The attribute of the outer RECORD that an inner one stands for: that of its
   name or, as in 1979, of its place. */
static const Node *outer_field(const Symbol *outer, const Node *inner,
                               uint32_t place)
{
    const Node *f = outer->node->last->first;
    for (const Node *k = f; k; k = k->next)
        if (name_same(k->text, inner->text))
            return k;
    while (f && place-- > 0)
        f = f->next;
    return f && f->word == inner->word ? f : NULL;
}

/* A FILE formal declared again inside, with its RECORD. */
static void bind_record(Lowerer *l, const Node *f, const Symbol *outer,
                        uint32_t pool)
{
    const Symbol *inner = f->symbol->record;
    uint32_t place = 0;
    if (!inner || !inner->node || !outer || !outer->node || inner == outer)
        return;
    for (const Node *k = inner->node->last->first; k; k = k->next, place++) {
        const Node *o = outer_field(outer, k, place);
        const Copied *c =
            o && o->symbol
                ? find_copied(l, pool, meaning_of(l, o->symbol)->number)
                : NULL;
        if (!c) {
            LOWER_ERROR(l, k,
                        "the copies have no attribute `%s`: their RECORD `%s` "
                        "has no such name, and nothing of this type in this "
                        "place",
                        k->text, outer->shown);
            continue;
        }
        Copied own = *c;
        own.attribute = meaning_of(l, k->symbol)->number;
        add_copied(l, &own);
    }
}

static void bind_records(Lowerer *l, const Node *n, uint32_t pool)
{
    const Symbol *file = n->symbol->file;
    const Node *formals = n->first;
    for (int side = 0; side < 2; side++)
        for (const Node *f = side ? formals->last->first
                                  : formals->first->first;
             f; f = f->next)
            if (f->symbol && f->word == WORD_FILE)
                bind_record(l, f, file ? file->record : NULL, pool);
}

/* ---- Declarations -------------------------------------------------------------- */

static void declare_pool(Lowerer *l, const Node *n)
{
    Model *m = l->m;
    uint32_t pool = meaning_of(l, n->symbol)->number;
    const Node *call = find_call(l, l->unit->program, n->symbol, NULL);
    uint32_t first = model_variables(m);
    if (call)
        lower_each_formal(l, n->symbol, call, bind_formal);
    find_file(l, n, pool);
    enter(l, pool, expr_loop(m, model_pool(m, pool)->self));
    copy_attributes(l, n, pool);
    lower_locals(l, node_child(n, 1));
    bind_records(l, n, pool);
    lower_tell_apart(l, first, model_pool(m, pool)->name);
    leave(l);
}

static void each_pool(Lowerer *l, const Node *segments,
                      void (*act)(Lowerer *l, const Node *n))
{
    for (const Node *n = segments->first; n && !l->m->broken; n = n->next)
        if (is_pool(n))
            act(l, n);
}

static void add_pool(Lowerer *l, const Node *n)
{
    new_pool(l, n);
}

void lower_pools(Lowerer *l, const Node *segments)
{
    each_pool(l, segments, add_pool);
    each_pool(l, segments, declare_pool);
}

/* ---- Equations ----------------------------------------------------------------- */

static void lower_equations(Lowerer *l, const Node *n)
{
    Model *m = l->m;
    uint32_t pool = meaning_of(l, n->symbol)->number;
    uint32_t self = model_pool(m, pool)->self;
    enter(l, pool, expr_loop(m, self));
    l->index[0] = NULL;
    l->loops[0] = self;
    l->n_loops = 1;
    for (const Node *block = n->last->first; block; block = block->next)
        if (block->kind == NODE_CONTINUOUS)
            lower_parallel(l, block->first);
    l->n_loops = 0;
    leave(l);
}

void lower_pool_equations(Lowerer *l, const Node *segments)
{
    each_pool(l, segments, lower_equations);
}

/* ---- Bodies -------------------------------------------------------------------- */

static void lower_blocks(Lowerer *l, const Node *n)
{
    Model *m = l->m;
    uint32_t pool = meaning_of(l, n->symbol)->number;
    Code initial = {0}, terminal = {0};
    enter(l, pool, expr_make(m, EXPR_SELF, EXPR_TYPE_INTEGER, pool, NULL, 0));
    for (const Node *block = n->last->first; block; block = block->next)
        switch (block->kind) {
        case NODE_INITIAL:
            lower_code(l, block->first, &initial, IN_CODE);
            break;
        case NODE_TERMINAL:
            lower_code(l, block->first, &terminal, IN_CODE);
            break;
        case NODE_DISCRETE: lower_discrete(l, block->first); break;
        default: break;
        }
    leave(l);
    model_pool(m, pool)->initial = initial;
    model_pool(m, pool)->terminal = terminal;
}

void lower_pool_bodies(Lowerer *l, const Node *segments)
{
    each_pool(l, segments, lower_blocks);
}
