#include "emit/writer.h"

/* FIELDs and their coordinates, for whoever shows or judges them. */

void emit_field_tables(Emit *e)
{
    const Model *m = e->m;
    if (model_fields(m) == 0)
        return;
    emit_open(e, "static const CosyAxis axes[] =");
    for (uint32_t k = 0; k < model_axes(m); k++) {
        const Coordinate *a = model_axis(m, k);
        emit_line(e, "{%s, %s, v_%s, %u, %s, %u},", emit_string(e, a->name),
                  emit_string(e, a->unit), e->name->variable[a->variable],
                  a->points, a->periodic ? "true" : "false", a->line);
    }
    emit_close(e, ";");
    emit_open(e, "static const CosyField fields[] =");
    for (uint32_t k = 0; k < model_fields(m); k++) {
        const Field *f = model_field(m, k);
        emit_line(e, "{v_%s, %u, {%u, %u}, %s, %u, %u, %s, %u, %s},",
                  e->name->variable[f->variable], f->axes, f->axis[0],
                  f->axis[1], emit_string(e, f->scheme), f->order, f->line,
                  emit_format(e, "R(%.17e)", f->tolerance), f->most,
                  f->unjudged ? "true" : "false");
    }
    emit_close(e, ";");
    emit_blank(e);
}

void emit_field_description(Emit *e)
{
    if (model_fields(e->m) == 0)
        return;
    emit_line(e, "table_of(axes),");
    emit_line(e, "table_of(fields),");
}
