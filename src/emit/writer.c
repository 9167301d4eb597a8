#include "emit/writer.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define WIDTH 80

/* ---- Memory ------------------------------------------------------------------ */

void *emit_alloc(Emit *e, size_t n, size_t size)
{
    void *memory =
        arena_array(&e->arena, n ? n : 1, size, _Alignof(max_align_t));
    if (!memory)
        e->broken = true;
    return memory;
}

static const char *format_list(Emit *e, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text =
        length < 0 ? NULL : arena_alloc(&e->arena, (size_t)length + 1, 1);
    if (!text) {
        e->broken = true;
        return "";
    }
    vsnprintf(text, (size_t)length + 1, format, list);
    return text;
}

const char *emit_format(Emit *e, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const char *text = format_list(e, format, list);
    va_end(list);
    return text;
}

/* ---- Lines -------------------------------------------------------------------- */

static void indent(Emit *e, int columns)
{
    for (int k = 0; k < columns; k++)
        buffer_char(e->out, ' ');
}

/* True if a line may end at the space at k: after an operator or comma, before
   ? and :, not beside = and not before a pointer's star. */
static bool may_break(const char *text, size_t length, size_t k)
{
    assert(k < length);
    char before = k > 0 ? text[k - 1] : ' ';
    char next = k + 1 < length ? text[k + 1] : ' ';
    char second = k + 2 < length ? text[k + 2] : ' ';
    if (text[k] != ' ' || before == '=' || before == '{' || before == ' ' ||
        before == '?' || before == ':')
        return false;
    if (next == '?' || next == ':')
        return true;
    return !strchr("+-*/<>=&|!%", next) || (next == '-' && second != ' ') ||
           (next == '!' && second != '=');
}

/* Bytes of the text that go on a line with room for `room`: up to a space
   outside strings, preferably one inside few parentheses that does not leave
   the line too empty. */
static size_t fitting(const char *text, size_t length, size_t room)
{
    size_t best = 0, best_cost = SIZE_MAX, depth = 0;
    bool quoted = false;
    if (length <= room || strncmp(text, "//", 2) == 0) // a remark is one line
        return length;
    for (size_t k = 0; k < length && (k <= room || best == 0); k++) {
        char ch = text[k];
        if (quoted) {
            k += ch == '\\';
            quoted = ch != '"';
        } else if (ch == '"') {
            quoted = true;
        } else if (ch == '/' && k + 1 < length && text[k + 1] == '/') {
            break; // what follows the code is one line
        } else if (ch == '(' || ch == '[' || ch == '{') {
            depth++;
        } else if (ch == ')' || ch == ']' || ch == '}') {
            depth -= depth > 0;
        } else if (may_break(text, length, k)) {
            size_t cost = 16 * depth + (k < room ? room - k : 0);
            if (cost <= best_cost) {
                best = k;
                best_cost = cost;
            }
        }
    }
    return best ? best : length;
}

static void wrapped(Emit *e, const char *text, size_t length)
{
    int column = 4 * e->depth;
    bool first = true;
    while (length > 0) {
        int in = first ? column : column + 4;
        size_t room = in < WIDTH - 24 ? (size_t)(WIDTH - in) : 24;
        size_t n = fitting(text, length, room);
        indent(e, in);
        buffer_bytes(e->out, text, n);
        buffer_char(e->out, '\n');
        while (n < length && text[n] == ' ')
            n++;
        text += n;
        length -= n;
        first = false;
    }
}

const char *emit_element(Emit *e, const char *name, uint32_t rank,
                         const int64_t *low, const int64_t *high, uint64_t k)
{
    if (rank == 0)
        return name;
    if (rank == 1)
        return emit_format(e, "%s[%lld]", name,
                           (long long)(low[0] + (int64_t)k));
    int64_t columns = high[1] - low[1] + 1;
    return emit_format(e, "%s[%lld,%lld]", name,
                       (long long)(low[0] + (int64_t)k / columns),
                       (long long)(low[1] + (int64_t)k % columns));
}

void emit_line(Emit *e, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    ArenaMark mark = arena_mark(&e->arena);
    const char *text = format_list(e, format, list);
    wrapped(e, text, strlen(text));
    arena_rewind(&e->arena, mark);
    va_end(list);
}

void emit_buffer(Emit *e, Buffer *b)
{
    if (b->broken)
        e->broken = true;
    else
        wrapped(e, (const char *)b->v.bytes, b->v.used);
    buffer_free(b);
}

void emit_open(Emit *e, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    ArenaMark mark = arena_mark(&e->arena);
    const char *text = format_list(e, format, list);
    emit_line(e, *text ? "%s {" : "%s{", text);
    arena_rewind(&e->arena, mark);
    va_end(list);
    e->depth++;
}

void emit_close(Emit *e, const char *after)
{
    e->depth--;
    emit_line(e, "}%s", after);
}

void emit_blank(Emit *e)
{
    buffer_char(e->out, '\n');
}

void emit_title(Emit *e, const char *text)
{
    buffer_format(e->out, "/* ---- %s ", text);
    for (size_t k = 11 + strlen(text); k < WIDTH; k++)
        buffer_char(e->out, '-');
    buffer_text(e->out, " */\n\n");
}

/* ---- Text of the modeller ----------------------------------------------------- */

/* As part of a comment: one line, without what could end or continue it. */
static void comment_text(Buffer *b, const char *text)
{
    size_t left = strlen(text);
    char last = ' '; // except blanks, which cc ignores there
    while (left > 0) {
        size_t n = text_char_length(text, left);
        unsigned char ch = (unsigned char)*text;
        if (n == 0 || ch < ' ' || ch == 127)
            buffer_char(b, ch == '\n' || ch == '\t' ? ' ' : '?');
        else if (ch == '?' && text[1] == '?')
            buffer_text(b, "? "); // no trigraphs
        else
            buffer_bytes(b, text, n);
        last = ch > ' ' ? (char)ch : last;
        text += n ? n : 1;
        left -= n ? n : 1;
    }
    if (last == '\\')
        buffer_char(b, '.'); // the next line is not part of it
}

const char *emit_plain(Emit *e, const char *text)
{
    Buffer b = {0};
    comment_text(&b, text);
    const char *plain = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    return plain;
}

void emit_source(Emit *e, uint32_t line, const char *text)
{
    indent(e, 4 * e->depth);
    buffer_format(e->out, "// %u", line);
    if (text && *text) {
        buffer_text(e->out, ": ");
        comment_text(e->out, text);
    }
    buffer_char(e->out, '\n');
    if (e->options.lines && line)
        buffer_format(e->out, "#line %u %s\n", line,
                      emit_string(e, e->m->source));
}

void emit_row_source(Emit *e, uint32_t row)
{
    if (row < model_rows(e->m))
        emit_source(e, model_row(e->m, row)->line, model_row(e->m, row)->text);
}

const char *emit_string(Emit *e, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    char *out = EMIT_ARRAY(e, char, 4 * n + 3), *p = out;
    if (!out)
        return "\"\"";
    *p++ = '"';
    for (size_t k = 0; k < n; k++) {
        unsigned char ch = (unsigned char)text[k];
        if (ch == '"' || ch == '\\' || ch == '?') {
            *p++ = '\\';
            *p++ = (char)ch;
        } else if (ch < ' ' || ch == 127) {
            *p++ = '\\';
            *p++ = (char)('0' + ch / 64);
            *p++ = (char)('0' + ch / 8 % 8);
            *p++ = (char)('0' + ch % 8);
        } else {
            *p++ = (char)ch;
        }
    }
    *p++ = '"';
    *p = 0;
    return out;
}

/* ---- Rows ------------------------------------------------------------------------ */

const char *emit_row(Emit *e, uint32_t row)
{
    const Statement *s = e->code.statement;
    if (row < e->plan->rows.rows)
        return e->name->row[row];
    if (e->f->part != PART_BODY && e->equation_row < e->plan->rows.rows)
        return e->name->row[e->equation_row];
    if (e->f->part != PART_BODY || !s)
        return "COSY_NOWHERE";
    if (s->row < e->plan->rows.rows)
        return e->name->row[s->row];
    if (e->code.row == NONE) {
        MoreRow more = {{.variable = NONE,
                         .line = s->line,
                         .text = emit_statement_text(e, s),
                         .statement = true},
                        plan_unique(e->plan, emit_format(e, "AT_%u", s->line))};
        e->code.row = (uint32_t)(e->more_rows.used / sizeof more);
        if (!vector_append(&e->more_rows, &more, sizeof more)) {
            e->broken = true;
            e->code.row = NONE;
            return "COSY_NOWHERE";
        }
    }
    return ((MoreRow *)(void *)e->more_rows.bytes)[e->code.row].name;
}

/* ---- Functions ------------------------------------------------------------------ */

static bool is_word(char ch)
{
    return isalnum((unsigned char)ch) || ch == '_';
}

/* Members (after . and ->) have their own names; strings and comments are not
   code. */
bool emit_mentions(const char *text, size_t length, const char *name)
{
    size_t n = strlen(name);
    for (size_t k = 0; k < length; k++) {
        if (text[k] == '"') {
            for (k++; k < length && text[k] != '"'; k++)
                k += text[k] == '\\';
        } else if (text[k] == '/' && k + 1 < length && text[k + 1] == '/') {
            while (k < length && text[k] != '\n')
                k++;
        } else if (is_word(text[k])) {
            size_t start = k;
            while (k < length && is_word(text[k]))
                k++;
            bool member =
                start > 0 &&
                (text[start - 1] == '.' || text[start - 1] == '>') &&
                (text[start - 1] == '.' || start < 2 || text[start - 2] == '-');
            if (k - start == n && !member && memcmp(text + start, name, n) == 0)
                return true;
            k--;
        }
    }
    return false;
}

/* Makes flags of what the plan says about variables of this function. */
static void load_view(Emit *e, const FunctionPlan *f)
{
    const FunctionPlan *old = e->f;
    for (uint32_t k = 0; old && k < old->n_computed; k++)
        e->flag[old->computed[k].variable] = 0;
    for (uint32_t k = 0; old && k < old->own_rates; k++)
        e->flag[old->own_rate[k]] = 0;
    for (uint32_t k = 0; k < f->n_computed; k++) {
        const Computed *c = &f->computed[k];
        e->flag[c->variable] =
            (uint8_t)((c->inner ? IS_HERE : 0) | (c->nested ? IS_NESTED : 0) |
                      (c->unread ? IS_UNREAD : 0) |
                      (c->home == HOME_LOCAL ? IS_LOCAL : 0));
    }
    for (uint32_t k = 0; k < f->own_rates; k++)
        e->flag[f->own_rate[k]] |= IS_OWN_RATE;
    e->f = f;
}

void emit_begin(Emit *e, const FunctionPlan *f)
{
    load_view(e, f);
    e->function = ++e->functions;
    e->pieces = e->next_piece = 0;
    e->share = f->part != PART_BODY;
    e->temps = e->conditional = 0;
    e->trouble = false;
    e->own_dx = f->part == PART_OUTPUTS || f->part == PART_RELATIONS ||
                f->part == PART_DELAYS || f->part == PART_JACOBIAN ||
                f->part == PART_TANGENT || f->part == PART_LINEAR ||
                f->part == PART_CONSTRAINTS || f->part == PART_GRADIENT;
    e->code.process = NONE;
    e->code.wait = NULL;
    e->code.replaces_own = false;
    for (uint32_t k = 0; k < model_records(e->m); k++)
        e->code.now[k] = NOW_UNUSED;
    e->code.statement = NULL;
    e->equation_row = NONE;
    e->body.v.used = e->head.v.used = 0;
    e->out = &e->body;
    e->depth = 1;
}

void emit_begin_body(Emit *e)
{
    static const FunctionPlan body = {.part = PART_BODY, .exists = true};
    emit_begin(e, &body);
}

static bool uses(const Emit *e, const char *name)
{
    return emit_mentions((const char *)e->body.v.bytes, e->body.v.used, name) ||
           emit_mentions((const char *)e->head.v.bytes, e->head.v.used, name);
}

/* The declarations that the body needs. */
static void function_head(Emit *e, const char *const *parameters)
{
    bool writes = e->f->part == PART_OUTPUTS || e->f->part == PART_BODY;
    bool c = uses(e, "c"), dx = e->own_dx && uses(e, "dx");
    if (uses(e, "d")) {
        emit_line(e, "%sData *d = c->data;", writes ? "" : "const ");
        c = true;
    }
    bool pools = model_pools(e->m) > 0;
    if (uses(e, "w") || (dx && !pools)) {
        emit_line(e, "Work *w = c->work;");
        c = e->written.work = true;
    }
    if (dx) {
        emit_line(e, "real *dx = %s;", pools ? "c->rates" : "w->rate");
        e->written.rate = true;
        c = true;
    }
    if (uses(e, "COSY_TURN") || uses(e, "COSY_TURNS")) {
        emit_line(e, "uint32_t cosy_turns = cosy_turns_begin(c);");
        c = true;
    }
    if (!c)
        emit_line(e, "(void)c;");
    for (; *parameters; parameters++)
        if (!uses(e, *parameters))
            emit_line(e, "(void)%s;", *parameters);
}

static void write_function(Emit *e, const char *linkage, const char *head,
                           const char *const *parameters, const char *tail)
{
    e->out = e->file;
    e->depth = 0;
    emit_line(e, "%s %s", linkage, head);
    emit_line(e, "{");
    e->depth = 1;
    function_head(e, parameters);
    buffer_bytes(e->out, (const char *)e->head.v.bytes, e->head.v.used);
    buffer_bytes(e->out, (const char *)e->body.v.bytes, e->body.v.used);
    if (!tail || *tail)
        emit_line(e, "%s", tail ? tail : "return COSY_OK;");
    e->depth = 0;
    emit_line(e, "}");
    if (e->body.broken || e->head.broken)
        e->broken = true;
    emit_blank(e);
}

void emit_end(Emit *e, const char *head, const char *const *parameters,
              const char *tail)
{
    write_function(e, "static", head, parameters, tail);
}

/* ---- Pieces ----------------------------------------------------------------------- */

typedef struct PartText {
    const char *name, *formals, *actuals;
    const char *parameters[7];
} PartText;

static const PartText part_text[] = {
    [PART_DERIVATIVES] = {"derivatives",
                          "real t, const real *x, real *dx",
                          "t, x, dx",
                          {"t", "x", "dx"}},
    [PART_OUTPUTS] = {"outputs", "real t, const real *x", "t, x", {"t", "x"}},
    [PART_CONDITIONS] = {"conditions",
                         "real t, const real *x, const real *dx, CosyCondition "
                         "*list, uint32_t *count",
                         "t, x, dx, list, count",
                         {"t", "x", "dx", "list", "count"}},
    [PART_RELATIONS] = {"relations",
                        "real t, const real *x, int32_t *wanted",
                        "t, x, wanted",
                        {"t", "x", "wanted"}},
    [PART_DELAYS] = {"delays",
                     "real t, const real *x, real *u, real *tau",
                     "t, x, u, tau",
                     {"t", "x", "u", "tau"}},
    [PART_JACOBIAN] = {"jacobian",
                       "real t, const real *x, real *value",
                       "t, x, value",
                       {"t", "x", "value"}},
    [PART_TANGENT] = {"tangent",
                      "real t, const real *x, const real *vx, const real *vp, "
                      "real *df",
                      "t, x, vx, vp, df",
                      {"t", "x", "vx", "vp", "df"}},
    [PART_BLOCK] = {NULL,
                    "real t, const real *x, const void *point, const real *u, "
                    "real *r",
                    "t, x, point, u, r",
                    {"t", "x", "point", "u", "r"}},
    [PART_LINEAR] = {"linear",
                     "real t, const real *x, const real *vx, const real *vu, "
                     "real *df, real *dy",
                     "t, x, vx, vu, df, dy",
                     {"t", "x", "vx", "vu", "df", "dy"}},
    [PART_CONSTRAINTS] = {"constraints",
                          "real t, const real *x, real *g, uint8_t *active",
                          "t, x, g, active",
                          {"t", "x", "g", "active"}},
    [PART_GRADIENT] = {"constraint_jacobian",
                       "real t, const real *x, real *j",
                       "t, x, j",
                       {"t", "x", "j"}},
    [PART_SLOPES] = {"condition_slopes",
                     "real t, const real *x, const real *dx, real *slope, "
                     "uint32_t *count",
                     "t, x, dx, slope, count",
                     {"t", "x", "dx", "slope", "count"}},
    [PART_BODY] = {0},
};

static const PartText slopes_text = {
    NULL,
    "real t, const real *x, const void *point, const real *u, real *j",
    "t, x, point, u, j",
    {"t", "x", "point", "u", "j"}};

static const PartText *piece_text(const Emit *e)
{
    return e->f->part == PART_BLOCK && e->f->slopes ? &slopes_text
                                                    : &part_text[e->f->part];
}

/* What the pieces of the present function are called, without their numbers;
   NULL: it cannot have any. */
static const char *piece_name(const Emit *e)
{
    return e->f->part == PART_BLOCK ? e->block_name
                                    : part_text[e->f->part].name;
}

bool emit_piece_begin(Emit *e, Piece *p, bool list)
{
    const char *name = piece_name(e);
    if (!e->plan->facts.big || !name || e->loops.indices > 0 ||
        e->conditional > 0)
        return false;
    *p = (Piece){e->body,
                 e->head,
                 e->depth,
                 e->function,
                 e->temps,
                 e->trouble,
                 list && emit_has_rates(e->f->part),
                 emit_format(e, "%s_%u", name, ++e->pieces)};
    e->body = e->head = (Buffer){0};
    e->function = ++e->functions;
    e->temps = 0;
    e->trouble = false;
    e->depth = 1;
    e->out = &e->body;
    if (p->list)
        emit_line(e, "uint32_t n = *count;");
    return true;
}

void emit_piece_end(Emit *e, Piece *p)
{
    const PartText *text = piece_text(e);
    if (p->list)
        emit_line(e, "*count = n;");
    write_function(
        e, "COSY_APART", // inlined again it would be as long as before
        emit_format(e, "CosyStatus %s(Cosy *c, %s)", p->name, text->formals),
        text->parameters, NULL);
    buffer_free(&e->body);
    buffer_free(&e->head);
    e->body = p->body;
    e->head = p->head;
    e->depth = p->depth;
    e->function = p->function;
    e->temps = p->temps;
    e->trouble = p->trouble;
    e->out = &e->body;
    if (p->list)
        emit_line(e, "*count = n;");
    emit_line(e, "COSY_TRY(%s(c, %s));", p->name, text->actuals);
    if (p->list)
        emit_line(e, "n = *count;");
}
