#include "emit/writer.h"

/* EXPERIMENT: frames, lists of PARAMETER, INITCOND and GUESS, INTEGRAT, SIMULATE. The
   settings of INTEGRAT are kept in `s` to the end of the frame. */

static const char *real_text(Emit *e, const Expr *x)
{
    return emit_checked(e, x, EXPR_TYPE_REAL, e->code.statement->row);
}

static const char *integer_text(Emit *e, const Expr *x)
{
    return emit_checked(e, x, EXPR_TYPE_INTEGER, e->code.statement->row);
}

static void write_frame(Emit *e, const Statement *s)
{
    emit_open(e, "if (c->host->frame(c, %u))", s->which);
    emit_line(e, "s = (CosySimulate){.frame = %u};", s->which);
    emit_observe_none(e);
    emit_code(e, &s->body);
    emit_line(e, "c->host->frame(c, 0);");
    emit_close(e, "");
}

static void write_setting(Emit *e, const Statement *s)
{
    const char *index =
        s->a ? emit_format(e, "(uint32_t)(%s)", integer_text(e, s->a))
             : "COSY_NONE";
    emit_check(e, s->row);
    emit_line(e, "COSY_TRY_ROW(c->host->list(c, COSY_LIST_%s, v_%s, %s), %s);",
              setting_word(s->flags), e->name->variable[s->which], index,
              emit_row(e, s->row));
    emit_code(e, &s->body);
}

static void write_element(Emit *e, const Statement *s)
{
    const char *value = real_text(e, s->a);
    const char *count = s->b ? integer_text(e, s->b) : "1";
    const char *increment = s->c ? real_text(e, s->c) : "R(0.0)";
    emit_check(e, s->row);
    emit_line(e, "COSY_TRY_ROW(c->host->element(c, %s, %s, %s), %s);", value,
              count, increment, emit_row(e, s->row));
}

/* Zero means that nothing was given, so a value that turns out to be zero or
   less is made distinguishable, and the run can refuse it. */
static void write_positive(Emit *e, const char *field, const Expr *value)
{
    emit_line(e, "s.%s = %s;", field, real_text(e, value));
    if (value->op == EXPR_NUMBER || value->op == EXPR_INTEGER)
        return;
    emit_line(e, "if (!(s.%s > R(0.0)))", field);
    emit_line(e, "    s.%s = R(-1.0);", field);
}

static void write_integrat(Emit *e, const Statement *s)
{
    static const char *const fields[] = {[INTEGRAT_RELERR] = "relerr",
                                         [INTEGRAT_ABSERR] = "abserr",
                                         [INTEGRAT_DTMIN] = "dtmin",
                                         [INTEGRAT_DTMAX] = "dtmax",
                                         [INTEGRAT_STEP] = "step"};
    if (s->text)
        emit_line(e, "s.method = %s;", emit_string(e, s->text));
    for (uint32_t k = 0; k < s->n; k++) {
        write_positive(e, fields[s->names[k]], s->list[k]);
        emit_check(e, s->row);
    }
}

static void write_simulate(Emit *e, const Statement *s)
{
    emit_line(e, "s.from = %s;", real_text(e, s->a));
    if (s->b) {
        emit_line(e, "s.to = %s;", real_text(e, s->b));
        emit_line(e, "s.to_finish = false;");
    } else {
        emit_line(e, "s.to_finish = true;");
    }
    if (s->c && !(s->flags & 1))
        write_positive(e, "comint", s->c);
    else
        emit_line(e, "s.comint = R(0.0);");
    emit_line(e, "s.log_points = %s;",
              s->c && (s->flags & 1)
                  ? emit_format(e, "(uint32_t)(%s)", integer_text(e, s->c))
                  : "0");
    emit_line(e, "s.line = %u;", s->line);
    emit_check(e, s->row);
    emit_line(e, "COSY_TRY_ROW(c->host->simulate(c, &s), %s);",
              emit_row(e, s->row));
}

static void write_features(Emit *e, const Statement *s)
{
    emit_line(e, "s.features = true;");
    emit_line(e, "s.accuracy = %s;", s->a ? real_text(e, s->a) : "R(0.0)");
    emit_check(e, s->row);
}

void emit_experiment_statement(Emit *e, const Statement *s)
{
    switch (s->kind) {
    case STATEMENT_FRAME: write_frame(e, s); break;
    case STATEMENT_SETTING: write_setting(e, s); break;
    case STATEMENT_START: emit_start_statement(e, s); break;
    case STATEMENT_ELEMENT: write_element(e, s); break;
    case STATEMENT_INTEGRAT: write_integrat(e, s); break;
    case STATEMENT_SIMULATE: write_simulate(e, s); break;
    case STATEMENT_FEATURES: write_features(e, s); break;
    case STATEMENT_SEARCH: emit_search_statement(e, s); break;
    case STATEMENT_UNCERTAIN: emit_uncertain(e, s); break;
    case STATEMENT_STEADYSTATE:
    case STATEMENT_LINEARIZE: emit_analysis(e, s); break;
    default: emit_random_statement(e, s); // all others are in code.c
    }
}

static bool has_frames(const Code *code)
{
    for (const Statement *s = code->first; s; s = s->next)
        if (s->kind == STATEMENT_FRAME)
            return true;
    return false;
}

void emit_experiment(Emit *e)
{
    static const char *const parameters[] = {NULL};
    const Code *code = &e->m->experiment;
    if (!code->first)
        return;
    emit_title(e, "Experiment");
    emit_searches(e);
    emit_begin_body(e);
    bool frames = has_frames(code);
    if (!frames) {
        emit_open(e, "if (c->host->frame(c, 1))");
        emit_line(e, "s.frame = 1;");
    }
    e->code.in_experiment = true;
    emit_code(e, code);
    e->code.in_experiment = false;
    if (!frames)
        emit_close(e, "");
    if (emit_mentions((const char *)e->body.v.bytes, e->body.v.used, "s"))
        buffer_text(&e->head, "    CosySimulate s = {0};\n");
    emit_end(e, "CosyStatus experiment(Cosy *c)", parameters, NULL);
}
