#include "emit/emit.h"

#include "emit/writer.h"

/* The order of the file. The functions are written first, into a buffer of
   their own, because what they use decides what the structs before them
   hold. */

static void write_head(Emit *e)
{
    const Model *m = e->m;
    buffer_format(e->out, "// %s, written by the compiler from %s.\n",
                  plan_upper(e->plan, m->name), emit_plain(e, m->source));
    emit_line(e, "// Comments begin with the lines of that file.");
    emit_blank(e);
    if (emit_transaction_size(e))
        emit_line(e, "#define COSY_TRANSACTION_SIZE (%u * sizeof(real))",
                  emit_transaction_size(e));
    emit_line(e, "#include \"cosy/model.h\"");
    emit_blank(e);
    emit_line(e, "#define cosy_model COSY_NAME(cosy_model)");
    emit_line(e, "extern const CosyModel cosy_model;");
    emit_blank(e);
}

static void write_functions(Emit *e)
{
    emit_title(e, "Start of an instance");
    emit_reset(e);
    emit_bodies(e); // INITIAL may call routines
    emit_initial(e);
    emit_title(e, "Continuous part");
    emit_blocks(e);
    emit_derivatives(e);
    emit_outputs(e);
    emit_conditions(e);
    emit_condition_slopes(e);
    emit_event_slopes(e);
    emit_relations(e);
    emit_delays(e);
    emit_jacobian(e);
    emit_tangent(e);
    emit_linear(e);
    emit_constraints(e);
    emit_generator(e);
    emit_starts(e);
    emit_experiment(e);
}

static void write_file(Emit *e, Buffer *out, Buffer *code)
{
    e->file = e->out = code;
    e->depth = 0;
    write_functions(e);
    e->file = e->out = out;
    e->depth = 0;
    write_head(e);
    emit_structs(e);
    emit_tables(e);
    buffer_bytes(out, (const char *)code->v.bytes, code->v.used);
    emit_description(e);
}

/* Room for what is known while a function is written. */
static void emit_room(Emit *e)
{
    const Model *m = e->m;
    e->name = &e->plan->names;
    e->store = &e->plan->storage;
    e->flag = EMIT_ARRAY(e, uint8_t, model_variables(m));
    e->loops.counter = EMIT_ARRAY(e, Known, model_variables(m));
    e->loops.range = EMIT_ARRAY(e, Known, model_loops(m));
    e->loops.name = EMIT_ARRAY(e, const char *, model_loops(m));
    e->code.now = EMIT_ARRAY(e, Now, model_records(m));
    e->sharing.node = EMIT_ARRAY(e, ExprUse, m->expr_count + 1);
    e->sharing.mark = EMIT_ARRAY(e, uint32_t, m->expr_count + 1);
}

bool emit_model_with(const Model *m, const EmitOptions *o, Buffer *out)
{
    Plan plan;
    Emit e = {.m = m, .plan = &plan, .options = *o, .out = out, .file = out};
    Buffer code = {0};
    plan_make(&plan, m);
    if (!plan.broken)
        emit_room(&e);
    if (!plan.broken && !e.broken)
        write_file(&e, out, &code);
    bool done =
        !plan.broken && !e.broken && !out->broken && !code.broken && !m->broken;
    plan_free(&plan);
    buffer_free(&code);
    buffer_free(&e.body);
    buffer_free(&e.head);
    vector_free(&e.sharing.undo);
    vector_free(&e.more_rows);
    arena_free(&e.arena);
    return done;
}

bool emit_model(const Model *m, Buffer *out)
{
    EmitOptions none = {0};
    return emit_model_with(m, &none, out);
}
