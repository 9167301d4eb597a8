#include "emit/writer.h"

/* The tables of parameters by which derivatives are carried along, and of what carries
   them. */

static const char *sense_name(Emit *e, const Sense *s)
{
    const Variable *v = model_variable(e->m, s->variable);
    long long columns = v->rank == 2 ? v->high[1] - v->low[1] + 1 : 1;
    if (v->rank == 0)
        return v->name;
    if (v->rank == 1)
        return emit_format(e, "%s[%lld]", v->name,
                           (long long)v->low[0] + s->element);
    return emit_format(e, "%s[%lld,%lld]", v->name,
                       (long long)v->low[0] + s->element / columns,
                       (long long)v->low[1] + s->element % columns);
}

static const char *row_name(Emit *e, uint32_t variable)
{
    return e->store->has_row[variable]
               ? emit_format(e, "v_%s", e->name->variable[variable])
               : "COSY_NONE";
}

static void put_sense(Emit *e, const Sense *s)
{
    emit_line(e, "{%s, %s, %u, %s, %s, %s},", emit_string(e, sense_name(e, s)),
              row_name(e, s->variable), s->element,
              s->tau == NONE ? "COSY_NONE"
                             : emit_format(e, "offsetof(Data, %s)",
                                           e->name->variable[s->tau]),
              s->followed ? "true" : "false",
              s->asked || s->fitted ? "false" : "true");
}

/* Where a variable lies, in x or in data, or in those of a copy. */
static const char *place_name(Emit *e, uint32_t variable)
{
    const Variable *v = model_variable(e->m, variable);
    if (v->kind == VARIABLE_STATE)
        return emit_format(e, "%u", v->place);
    if (v->pool)
        return emit_format(e, "offsetof(%s_copy, %s)",
                           e->name->pool[v->pool - 1],
                           e->name->variable[variable]);
    return emit_format(e, "offsetof(Data, %s)", e->name->variable[variable]);
}

/* Locals of bodies are nobody else's. */
static bool is_told(const Emit *e, const Companion *c)
{
    const Variable *v = model_variable(e->m, c->variable);
    return v->kind == VARIABLE_STATE ||
           (v->kind != VARIABLE_LOCAL && e->store->in_data[c->variable]);
}

static void put_companion(Emit *e, const Companion *c)
{
    static const char *const kinds[] = {[VARIABLE_DISCRETE] = "COSY_REAL",
                                        [VARIABLE_STATE] = "COSY_STATE",
                                        [VARIABLE_ALGEBR] = "COSY_ALGEBR",
                                        [VARIABLE_DSTATE] = "COSY_DSTATE"};
    const Variable *v = model_variable(e->m, c->variable);
    uint64_t side = v->pool ? POOL_SIDE : 1;
    emit_line(e, "{%u, %s, %s, %s, %s, %llu, %s},", c->sense, kinds[v->kind],
              v->pool ? e->name->pool[v->pool - 1] : "COSY_NONE",
              place_name(e, c->of), place_name(e, c->variable),
              (unsigned long long)(v->elements / side), row_name(e, c->of));
}

static bool any_companion(const Emit *e)
{
    for (uint32_t k = 0; k < model_companions(e->m); k++)
        if (is_told(e, model_companion(e->m, k)))
            return true;
    return false;
}

void emit_senses(Emit *e)
{
    const Model *m = e->m;
    if (model_senses(m) == 0)
        return;
    emit_open(e, "static const CosyGradient senses[] =");
    for (uint32_t k = 0; k < model_senses(m); k++)
        put_sense(e, model_sense(m, k));
    emit_close(e, ";");
    emit_blank(e);
    if (!any_companion(e))
        return;
    emit_open(e, "static const CosyCompanion companions[] =");
    for (uint32_t k = 0; k < model_companions(m); k++)
        if (is_told(e, model_companion(m, k)))
            put_companion(e, model_companion(m, k));
    emit_close(e, ";");
    emit_blank(e);
}

static bool any_event(const Model *m)
{
    for (uint32_t k = 0; k < model_time_events(m); k++)
        if (model_time_event(m, k)->slope)
            return true;
    return false;
}

static void event_slopes(Emit *e, uint32_t event)
{
    const Event *ev = model_time_event(e->m, event);
    if (!ev->slope)
        return;
    for (uint64_t i = 0; i < ev->elements; i++)
        emit_line(e, "case %s + %llu:", e->name->time_event[event],
                  (unsigned long long)i);
    for (uint32_t k = 0; k < model_senses(e->m); k++)
        if (ev->slope[k] != NONE)
            emit_line(e, "    tau[%u] = %s_at(c, record)->%s;", k,
                      e->name->record[ev->record],
                      e->name->variable[ev->slope[k]]);
    emit_line(e, "    return true;");
}

void emit_event_slopes(Emit *e)
{
    static const char *const parameters[] = {"record", "tau", NULL};
    if (!any_event(e->m))
        return;
    emit_begin_body(e);
    emit_line(e, "switch (event) {");
    for (uint32_t k = 0; k < model_time_events(e->m); k++)
        event_slopes(e, k);
    emit_line(e, "default: return false;");
    emit_line(e, "}");
    emit_end(e,
             "bool event_slopes(Cosy *c, uint32_t event, uint32_t record, real "
             "*tau)",
             parameters, "");
}

void emit_sense_description(Emit *e)
{
    if (model_senses(e->m) == 0)
        return;
    emit_line(e, "table_of(senses),");
    if (any_companion(e))
        emit_line(e, "table_of(companions),");
    if (e->plan->function[PART_SLOPES].exists)
        emit_line(e, ".condition_slopes = condition_slopes,");
    if (any_event(e->m))
        emit_line(e, ".event_slopes = event_slopes,");
}
