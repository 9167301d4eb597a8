#include "lower/lowerer.h"

/* OUTPUT: what is shown, with the TITLE, FACTOR and SCALE in force. */

typedef struct Style {
    const char *title;
    double xfak, yfak;
    bool logx, logy;
} Style;

static uint32_t position_of(Lowerer *l, const Node *n)
{
    const Expr *at = lower_position(l, n, IN_VALUE);
    if (!at)
        return NONE;
    if (at->op == EXPR_INTEGER)
        return (uint32_t)at->integer;
    LOWER_ERROR(l, n, "the index of what is shown is a constant");
    return NONE;
}

static ShowKind show_kind(Word word)
{
    switch (word) {
    case WORD_PLOT: return SHOW_PLOT;
    case WORD_GRAPH: return SHOW_GRAPH;
    case WORD_OVERPLOT: return SHOW_OVERPLOT;
    case WORD_BARS: return SHOW_BARS;
    default: return SHOW_LIST;
    }
}

static int32_t show_run(const Node *run)
{
    if (node_absent(run))
        return 0;
    if (run->word == WORD_ALL)
        return -2;
    if (run->kind == NODE_NAME)
        return run->word == WORD_CROSSF ? -1 : 0;
    return (int32_t)run->integer;
}

static void lower_show(Lowerer *l, const Node *n, const Style *style)
{
    const Node *versus = node_child(n, 1), *list = n->last;
    uint32_t count = node_count(list), k = 0;
    uint32_t *variable = MODEL_ARRAY(l->m, uint32_t, count + 1);
    uint32_t *element = MODEL_ARRAY(l->m, uint32_t, count + 1);
    Show s = {.kind = show_kind(n->word),
              .run = show_run(n->first),
              .title = style->title,
              .versus = NONE,
              .versus_at = NONE,
              .variable = variable,
              .element = element,
              .xfak = style->xfak,
              .yfak = style->yfak,
              .logx = style->logx,
              .logy = style->logy,
              .line = lower_line(l, n->at, n->origin)};
    if (!node_absent(versus) && lower_designated(l, versus) != NONE) {
        s.versus = lower_designated(l, versus);
        s.versus_at = position_of(l, versus);
    }
    for (const Node *v = list->first; variable && element && v; v = v->next) {
        uint32_t which = lower_designated(l, v);
        if (which == NONE)
            continue;
        variable[k] = which;
        element[k++] = position_of(l, v);
    }
    s.n = k;
    model_add_show(l->m, &s);
}

static void lower_factor(Lowerer *l, const Node *n, Style *style)
{
    for (const Node *o = n->first->first; o; o = o->next) {
        double *value = o->word == WORD_XFAK ? &style->xfak : &style->yfak;
        if (!expr_value(l, lower_expression(l, o->first, IN_VALUE), value))
            LOWER_ERROR(l, o, "a FACTOR is a constant");
    }
}

void lower_output(Lowerer *l, const Node *n)
{
    Style style = {.title = "", .xfak = 1.0, .yfak = 1.0};
    for (const Node *k = n->first->first; k; k = k->next)
        switch (k->kind) {
        case NODE_TITLE: style.title = k->text; break;
        case NODE_FACTOR: lower_factor(l, k, &style); break;
        case NODE_SCALE:
            style.logx = (k->flags & FLAG_LOGX) != 0;
            style.logy = (k->flags & FLAG_LOGY) != 0;
            break;
        case NODE_SHOW: lower_show(l, k, &style); break;
        default: refuse(l, k, node_words(k->kind));
        }
}
