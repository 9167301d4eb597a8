#include "plan/plan.h"

#include <ctype.h>
#include <string.h>

/* What everything is called in C. */

/* ---- Identifiers ------------------------------------------------------------- */

typedef struct NameSlot {
    const char *name;
    uint32_t next; // number to try for another one like it
} NameSlot;

/* Macros that the headers may define, and names of file scope that are always
   written. R is a macro with an argument: see routine_name. */
static const char *const reserved[] = {
    "NULL",           "NAN",          "INFINITY",    "HUGE_VAL",
    "HUGE_VALF",      "HUGE_VALL",    "FP_NAN",      "FP_ZERO",
    "FP_NORMAL",      "FP_SUBNORMAL", "FP_INFINITE", "FP_ILOGB0",
    "FP_ILOGBNAN",    "FP_FAST_FMA",  "MATH_ERRNO",  "MATH_ERREXCEPT",
    "DOMAIN",         "SING",         "OVERFLOW",    "UNDERFLOW",
    "PLOSS",          "TLOSS",        "HUGE",        "MAXFLOAT",
    "SNAN",           "SNANF",        "SNANL",       "EOF",
    "SIZE_MAX",       "WCHAR_MIN",    "WCHAR_MAX",   "WINT_MIN",
    "WINT_MAX",       "PTRDIFF_MIN",  "PTRDIFF_MAX", "SIG_ATOMIC_MIN",
    "SIG_ATOMIC_MAX", "DECIMAL_DIG",  "STATES",      "VARIABLES",
    "EQUATIONS",      "CONDITIONS",   "BRANCHES",    "BLOCKS",
    "TABLES",         "STATE_EVENTS", "TIME_EVENTS", "ENTRIES",
    "PROCESSES",      "RESOURCES",    "FILES",
};

/* Whole families of such names. */
static const char *const reserved_heads[] = {
    "COSY_",  "DBL_",   "FLT_",    "LDBL_",   "INT8_",   "INT16_", "INT32_",
    "INT64_", "INT_",   "UINT",    "INTMAX_", "INTPTR_", "M_",     "FLT16_",
    "FLT32_", "FLT64_", "FLT128_", "_",       "FP_",     "TCC_",
};

static uint32_t name_hash(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static NameSlot *name_find(const Plan *p, const char *name)
{
    uint32_t room = (uint32_t)(p->names.taken.slots.used / sizeof(NameSlot));
    NameSlot *slots = (NameSlot *)(void *)p->names.taken.slots.bytes;
    if (room == 0)
        return NULL;
    uint32_t k = name_hash(name) & (room - 1);
    while (slots[k].name && strcmp(slots[k].name, name) != 0)
        k = (k + 1) & (room - 1);
    return &slots[k];
}

static bool names_grow(Plan *p)
{
    Vector old = p->names.taken.slots;
    size_t size = old.used ? 2 * old.used : 256 * sizeof(NameSlot);
    p->names.taken.slots = (Vector){0};
    if (!vector_append(&p->names.taken.slots, NULL, size)) {
        p->names.taken.slots = old;
        p->broken = true;
        return false;
    }
    NameSlot *slots = (NameSlot *)(void *)old.bytes;
    for (size_t k = 0; k < old.used / sizeof(NameSlot); k++)
        if (slots[k].name)
            *name_find(p, slots[k].name) = slots[k];
    vector_free(&old);
    return true;
}

static void name_add(Plan *p, const char *name)
{
    if (2 * (p->names.taken.count + 1) * sizeof(NameSlot) >
            p->names.taken.slots.used &&
        !names_grow(p))
        return;
    NameSlot *slot = name_find(p, name);
    if (!slot->name) {
        *slot = (NameSlot){name, 2};
        p->names.taken.count++;
    }
}

bool plan_taken(const Plan *p, const char *name)
{
    const NameSlot *slot = name_find(p, name);
    return slot && slot->name;
}

static bool is_reserved(const char *name)
{
    for (size_t k = 0; k < LENGTH(reserved); k++)
        if (strcmp(name, reserved[k]) == 0)
            return true;
    for (size_t k = 0; k < LENGTH(reserved_heads); k++)
        if (strncmp(name, reserved_heads[k], strlen(reserved_heads[k])) == 0)
            return true;
    return false;
}

const char *plan_unreserved(Plan *p, const char *wish)
{
    return is_reserved(wish) ? plan_format(p, "N_%s", wish) : wish;
}

const char *plan_unique(Plan *p, const char *wish)
{
    const char *name = plan_unreserved(p, wish);
    while (!p->broken && plan_taken(p, name)) {
        NameSlot *slot = name_find(p, name);
        name = plan_format(p, "%s_%u", slot->name, slot->next++);
    }
    name_add(p, name);
    return name;
}

const char *plan_upper(Plan *p, const char *name)
{
    char *own = (char *)(uintptr_t)plan_format(p, "%s", name);
    for (char *c = own; *c; c++)
        *c =
            isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_';
    return own;
}

/* ---- Names of the Model's tables ------------------------------------------------ */

static void name_variables(Plan *p)
{
    const Model *m = p->m;
    PlanNames *n = &p->names;
    n->variable = PLAN_ARRAY(p, const char *, model_variables(m));
    for (uint32_t k = 0; !p->broken && k < model_variables(m); k++) {
        const Variable *v = model_variable(m, k);
        const char *name = plan_upper(p, v->c_name ? v->c_name : v->name);
        // as in routine_name: places of arrays are macros
        if (v->kind == VARIABLE_STATE && v->rank && strcmp(name, "R") == 0)
            name = "N_R";
        if (v->kind == VARIABLE_COUNTER && !plan_taken(p, name))
            n->variable[k] = name; // known only in its loop
        else
            n->variable[k] = plan_unique(p, name);
    }
}

static const char **name_table(Plan *p, uint32_t n)
{
    const char **names = PLAN_ARRAY(p, const char *, n);
    static const char *none;
    return names ? names : &none;
}

static const char *named(Plan *p, const char *head, const char *name)
{
    return plan_unique(p, plan_format(p, "%s%s", head, plan_upper(p, name)));
}

/* R(0.1) is a literal: a function must not be called R. */
static const char *routine_name(Plan *p, const char *name)
{
    return named(p, strcmp(plan_upper(p, name), "R") == 0 ? "N_" : "", name);
}

static void name_parts(Plan *p)
{
    const Model *m = p->m;
    PlanNames *n = &p->names;
    n->routine = name_table(p, model_routines(m));
    n->record = name_table(p, model_records(m));
    n->table = name_table(p, model_tables(m));
    n->external = name_table(p, model_externals(m));
    n->memory = name_table(p, model_memories(m));
    n->file = name_table(p, model_files(m));
    n->state_event = name_table(p, model_state_events(m));
    n->time_event = name_table(p, model_time_events(m));
    if (p->broken)
        return;
    for (uint32_t k = 0; k < model_routines(m); k++)
        n->routine[k] = routine_name(p, model_routine(m, k)->name);
    for (uint32_t k = 0; k < model_records(m); k++)
        n->record[k] = named(p, "", model_record(m, k)->name);
    for (uint32_t k = 0; k < model_tables(m); k++)
        n->table[k] = named(p, "", model_table(m, k)->name);
    for (uint32_t k = 0; k < model_externals(m); k++)
        n->external[k] = named(p, "", model_external(m, k)->name);
    for (uint32_t k = 0; k < model_memories(m); k++)
        n->memory[k] = named(p, "", model_memory(m, k)->name);
    for (uint32_t k = 0; k < model_state_events(m); k++)
        n->state_event[k] = named(p, "EV_", model_state_event(m, k)->name);
    for (uint32_t k = 0; k < model_files(m); k++)
        if (model_file(m, k)->process == NONE && !model_file(m, k)->pool)
            n->file[k] = named(p, "FILE_", model_file(m, k)->name);
    for (uint32_t k = 0; k < model_time_events(m); k++)
        n->time_event[k] = named(p, "EV_", model_time_event(m, k)->name);
}

static const char *row_name(Plan *p, const Row *r)
{
    if (!r->statement && r->variable < model_variables(p->m))
        return plan_unique(
            p, plan_format(p, "EQ_%s", p->names.variable[r->variable]));
    return plan_unique(
        p, plan_format(p, "%s_%u", r->statement ? "AT" : "EQ", r->line));
}

static void name_rows(Plan *p)
{
    const Model *m = p->m;
    PlanNames *n = &p->names;
    n->row = name_table(p, p->rows.rows);
    n->block = name_table(p, model_blocks(m));
    n->relation = name_table(p, model_relations(m));
    n->condition = name_table(p, p->rows.conditions);
    if (p->broken)
        return;
    for (uint32_t k = 0; k < p->rows.rows; k++)
        n->row[k] = k < model_rows(m)
                        ? row_name(p, model_row(m, k))
                        : plan_unique(p, plan_format(p, "EQ_BLOCK_%u", k));
    for (uint32_t k = 0; k < model_blocks(m); k++)
        n->block[k] = plan_unique(p, plan_format(p, "BLOCK_%u", k + 1));
    for (uint32_t k = 0; k < model_relations(m); k++)
        n->relation[k] = plan_unique(
            p, plan_format(p, "REL_%u", model_relation(m, k)->line));
}

static void name_conditions(Plan *p)
{
    static const char *const ends[] = {"", "_HIGH", "_FALLS", "_RISES"};
    const Model *m = p->m;
    PlanNames *n = &p->names;
    static const char *const heads[] = {[CONDITION_CONDIT] = "CONDIT_",
                                        [CONDITION_FINISH] = "FINISH_",
                                        [CONDITION_RANGE] = "RANGE_",
                                        [CONDITION_WAIT] = "WAIT_"};
    for (uint32_t k = 0; !p->broken && k < model_conditions(m); k++) {
        const Condition *c = model_condition(m, k);
        n->condition[k] = named(p, heads[c->kind], c->name ? c->name : "");
    }
    for (uint32_t k = 0; !p->broken && k < model_relations(m); k++) {
        uint32_t count = plan_hidden_rows(model_relation(m, k));
        for (uint32_t i = 0; i < count; i++)
            n->condition[p->rows.hidden[k] + i] = plan_unique(
                p, plan_format(p, "HIDDEN_%u%s", model_relation(m, k)->line,
                               count > 1 && i == 0 ? "_LOW" : ends[i]));
    }
}

static void name_processes(Plan *p)
{
    const Model *m = p->m;
    PlanNames *n = &p->names;
    n->process = name_table(p, model_processes(m));
    n->own = name_table(p, model_processes(m));
    n->resource = name_table(p, model_resources(m));
    for (uint32_t k = 0; !p->broken && k < model_processes(m); k++) {
        n->process[k] = named(p, "PROCESS_", model_process(m, k)->name);
        n->own[k] = named(p, "OF_", model_process(m, k)->name);
    }
    n->pool = name_table(p, model_pools(m));
    for (uint32_t k = 0; !p->broken && k < model_pools(m); k++)
        n->pool[k] = named(p, "", model_pool(m, k)->name);
    for (uint32_t k = 0; !p->broken && k < model_resources(m); k++)
        n->resource[k] = named(p, "RESOURCE_", model_resource(m, k)->name);
}

static void name_random(Plan *p)
{
    static const char *const heads[] = {[STATISTIC_COLLECT] = "COLLECT_",
                                        [STATISTIC_TIMEPERS] = "TIMEPERS_",
                                        [STATISTIC_HISTOGRAM] = "HISTOGRAM_"};
    const Model *m = p->m;
    PlanNames *n = &p->names;
    n->stream = name_table(p, model_streams(m));
    n->statistic = name_table(p, model_statistics(m));
    for (uint32_t k = 0; !p->broken && k < model_streams(m); k++)
        n->stream[k] = named(p, "RANDOM_", model_stream(m, k)->c_name);
    for (uint32_t k = 0; !p->broken && k < model_statistics(m); k++) {
        const Statistic *s = model_statistic(m, k);
        n->statistic[k] = plan_unique(p, plan_format(p, "%s%s", heads[s->kind],
                                                     n->variable[s->variable]));
    }
}

void plan_names(Plan *p)
{
    static void (*const all[])(Plan * p) = {name_variables,  name_parts,
                                            name_processes,  name_rows,
                                            name_conditions, name_random};
    for (size_t k = 0; k < LENGTH(all) && !p->broken; k++)
        all[k](p);
}
