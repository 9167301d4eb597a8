#include "study/lists.h"

#include <assert.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/text.h"
#include "stats/number.h"
#include "stats/value.h"

/* ---- --set --------------------------------------------------------------------- */

static const SetValue *sets(const Lists *l, uint32_t *count)
{
    *count = (uint32_t)(l->sets.used / sizeof(SetValue));
    return (const SetValue *)(const void *)l->sets.bytes;
}

/* Splits NAME, NAME[3] or NAME[1,2] into name and index; false if it is none of
   these. */
static bool split_name(const char *text, char name[128], int64_t at[2],
                       uint32_t *indices)
{
    size_t n = strcspn(text, "[");
    *indices = 0;
    if (n == 0 || n >= 128)
        return false;
    memcpy(name, text, n);
    name[n] = '\0';
    if (text[n] == '\0')
        return true;
    for (const char *s = text + n; *indices < 2;) {
        char *end;
        long long k = strtoll(s + 1, &end, 10);
        if (end == s + 1)
            return false;
        at[(*indices)++] = k;
        if (end[0] == ']')
            return end[1] == '\0';
        if (end[0] != ',')
            return false;
        s = end;
    }
    return false;
}

/* Whether `path` is CALL.NAME: the local of a macro call that has a name. */
static bool is_local(const char *path, const char *name)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot + 1, name) == 0;
}

/* The name that was probably meant. */
static const char *near_name(const CosyModel *m, const char *name, Arena *a)
{
    const char **known = NEW_ARRAY(a, const char *, m->n_variables + 1);
    const char *near, *local = NULL;
    size_t n = 0;
    for (uint32_t k = 0; known && k < m->n_variables; k++)
        if (value_is_global(&m->variables[k])) {
            known[n++] = m->variables[k].name;
            if (!local && is_local(m->variables[k].name, name))
                local = m->variables[k].name;
        }
    near = known ? nearest_name(name, known, n) : NULL;
    return near ? near : local;
}

static Status unknown_name(const CosyModel *m, const char *name, Fault *f)
{
    Arena a = {0};
    const char *near = near_name(m, name, &a);
    for (uint32_t k = 0; k < m->n_streams; k++)
        if (m->streams[k].name && strcmp(m->streams[k].name, name) == 0) {
            arena_free(&a);
            return fault_set(f, STATUS_USAGE,
                             "--set %s: it is RANDOM: let its distribution "
                             "depend on a variable, and set that",
                             name);
        }
    Status s = fault_set(f, STATUS_USAGE,
                         "--set %s: %s has no variable of that name%s%s%s",
                         name, m->name, near ? "; did you mean " : "",
                         near ? near : "", near ? "?" : "");
    arena_free(&a);
    return s;
}

/* Which element of v; COSY_NONE: all of them. */
static Status find_element(const CosyVariable *v, const char *text,
                           const int64_t at[2], uint32_t indices,
                           uint32_t *index, Fault *f)
{
    bool plane = v->rows > 1 && v->columns > 1;
    *index = COSY_NONE;
    if (indices == 0)
        return STATUS_OK;
    if (value_count(v) == 1)
        return fault_set(f, STATUS_USAGE, "--set %s: %s is not an array", text,
                         v->name);
    if (indices != (plane ? 2u : 1u))
        return fault_set(f, STATUS_USAGE, "--set %s: %s has %s", text, v->name,
                         plane ? "two indices" : "one index");
    int64_t row = at[0] - value_first(v), column = at[1] - value_second(v);
    if (plane && row >= 0 && row < v->rows && column >= 0 &&
        column < v->columns)
        *index = (uint32_t)row * v->columns + (uint32_t)column;
    if (!plane && row >= 0 && row < value_count(v))
        *index = (uint32_t)row;
    if (*index != COSY_NONE)
        return STATUS_OK;
    return fault_set(f, STATUS_USAGE,
                     "--set %s: %s has %u elements, counted from %" PRId64,
                     text, v->name, value_count(v), value_first(v));
}

static bool same_word(const char *a, const char *upper)
{
    for (; *a && *upper; a++, upper++)
        if (*a != *upper && *a - 32 != *upper)
            return false;
    return *a == *upper;
}

/* A number that the variable can have. */
static Status read_value(const CosyVariable *v, const KernelSetting *s,
                         real *value, Fault *f)
{
    const char *wrong = NULL;
    if (v->type == COSY_TYPE_BOOLEAN && same_word(s->value, "TRUE"))
        *value = R(1.0);
    else if (v->type == COSY_TYPE_BOOLEAN && same_word(s->value, "FALSE"))
        *value = R(0.0);
    else
        wrong = number_refusal(s->value, value);
    if (wrong)
        return fault_set(f, STATUS_USAGE, "--set %s: \"%s\" %s", s->name,
                         s->value, wrong);
    if (v->type == COSY_TYPE_BOOLEAN && *value != R(0.0) && *value != R(1.0))
        return fault_set(
            f, STATUS_USAGE,
            "--set %s: %s is BOOLEAN: it can be TRUE or FALSE, not %s", s->name,
            v->name, s->value);
    if (v->type == COSY_TYPE_INTEGER &&
        (cosy_abs(*value) > R(9e18) || (real)(int64_t)*value != *value))
        return fault_set(
            f, STATUS_USAGE,
            "--set %s: %s is INTEGER, and %s is not a whole number", s->name,
            v->name, s->value);
    return STATUS_OK;
}

static bool settable(const CosyVariable *v)
{
    return v->kind == COSY_CONST || v->kind == COSY_REAL ||
           v->kind == COSY_STATE || v->kind == COSY_DSTATE;
}

static Status read_set(Lists *l, const KernelSetting *s, Fault *f)
{
    const CosyModel *m = l->model;
    char name[128];
    int64_t at[2] = {0, 0};
    uint32_t indices;
    SetValue one = {.index = COSY_NONE};
    if (!split_name(s->name, name, at, &indices))
        return fault_set(f, STATUS_USAGE,
                         "--set %s: NAME, NAME[3] or NAME[1,2] is expected",
                         s->name);
    one.variable = instance_find(m, name);
    if (one.variable == COSY_NONE)
        return unknown_name(m, name, f);
    const CosyVariable *v = &m->variables[one.variable];
    if (!settable(v))
        return fault_set(f, STATUS_USAGE,
                         "--set %s: it is computed by an equation; set a "
                         "CONST or a PARAMETER",
                         s->name);
    TRY(find_element(v, s->name, at, indices, &one.index, f));
    TRY(read_value(v, s, &one.value, f));
    if (!vector_append(&l->sets, &one, sizeof one))
        return fault_set(f, STATUS_MEMORY, "no memory for --set");
    return STATUS_OK;
}

Status lists_open(Lists *l, const CosyModel *m, const KernelSetting *set,
                  uint32_t n, Fault *f)
{
    *l = (Lists){.model = m};
    for (uint32_t k = 0; k < n; k++)
        TRY(read_set(l, &set[k], f));
    return STATUS_OK;
}

void lists_free(Lists *l)
{
    vector_free(&l->lists);
    vector_free(&l->values);
    vector_free(&l->sets);
}

/* ---- Lists ----------------------------------------------------------------------- */

static List *all_lists(const Lists *l, uint32_t *count)
{
    *count = (uint32_t)(l->lists.used / sizeof(List));
    return (List *)(void *)l->lists.bytes;
}

void lists_clear(Lists *l)
{
    l->lists.used = l->values.used = 0;
    l->rested = false;
}

static bool is_start(CosyList which)
{
    return which == COSY_LIST_INITCOND || which == COSY_LIST_GUESS;
}

/* A list for all elements of an array replaces those of single ones; SWEEP
   replaces PARAMETER and INITCOND, and they replace SWEEP; so do INITCOND and
   GUESS each other. */
static bool is_replaced(const List *old, CosyList which, uint32_t variable,
                        uint32_t index)
{
    bool same = old->which == which || old->which == COSY_LIST_SWEEP ||
                which == COSY_LIST_SWEEP ||
                (is_start(old->which) && is_start(which));
    return same && old->variable == variable &&
           (index == COSY_NONE || old->index == index);
}

bool lists_begin(Lists *l, CosyList which, uint32_t variable, uint32_t index)
{
    uint32_t n, kept = 0;
    List *old = all_lists(l, &n);
    for (uint32_t k = 0; k < n; k++)
        if (!is_replaced(&old[k], which, variable, index))
            old[kept++] = old[k];
    l->lists.used = kept * sizeof *old;
    if (kept == 0)
        l->values.used = 0;
    const List made = {
        which, variable, index, (uint32_t)(l->values.used / sizeof(real)),
        0,     false,    false, false};
    return vector_append(&l->lists, &made, sizeof made);
}

bool lists_begin_sampled(Lists *l, CosyList which, uint32_t variable,
                         uint32_t index)
{
    uint32_t n;
    if (!lists_begin(l, which, variable, index))
        return false;
    List *list = all_lists(l, &n);
    list[n - 1].sampled = true;
    return true;
}

uint32_t lists_sampled(const Lists *l)
{
    uint32_t n, count = 0;
    const List *list = all_lists(l, &n);
    for (uint32_t k = 0; k < n; k++)
        count += list[k].sampled;
    return count;
}

/* Lists that stay move their values into the place of those that go. */
void lists_drop_sampled(Lists *l)
{
    uint32_t n, kept = 0, used = 0;
    List *list = all_lists(l, &n);
    real *value = (real *)(void *)l->values.bytes;
    if (lists_sampled(l) == 0)
        return;
    for (uint32_t k = 0; k < n; k++) {
        List one = list[k];
        if (one.sampled)
            continue;
        assert(one.first >= used);
        memmove(value + used, value + one.first, one.count * sizeof *value);
        one.first = used;
        used += one.count;
        list[kept++] = one;
    }
    l->lists.used = kept * sizeof *list;
    l->values.used = used * sizeof *value;
}

uint32_t lists_last(const Lists *l)
{
    uint32_t n;
    const List *list = all_lists(l, &n);
    return n ? list[n - 1].count : 0;
}

const CosyVariable *lists_variable(const Lists *l)
{
    uint32_t n;
    const List *list = all_lists(l, &n);
    assert(n > 0);
    return &l->model->variables[list[n - 1].variable];
}

real lists_from_last(const Lists *l, uint32_t k)
{
    const real *value = (const real *)(const void *)l->values.bytes;
    assert(k >= 1 && k <= l->values.used / sizeof *value);
    return value[l->values.used / sizeof *value - k];
}

bool lists_add(Lists *l, real value, uint32_t count, real increment)
{
    uint32_t n;
    List *list = all_lists(l, &n);
    if (n == 0)
        return false;
    for (uint32_t k = 0; k < count; k++) {
        real v = value + (real)k * increment;
        if (!vector_append(&l->values, &v, sizeof v))
            return false;
        list[n - 1].count++;
    }
    return true;
}

void lists_show(const Lists *l, Cosy *c)
{
    uint32_t n;
    const List *list = all_lists(l, &n);
    if (n == 0 || list[n - 1].which != COSY_LIST_PARAMETER ||
        lists_fixes(l, list[n - 1].variable, list[n - 1].index))
        return;
    instance_set(c, list[n - 1].variable, list[n - 1].index,
                 lists_from_last(l, list[n - 1].count));
}

bool lists_fixes(const Lists *l, uint32_t variable, uint32_t index)
{
    uint32_t n;
    const SetValue *s = sets(l, &n);
    for (uint32_t k = 0; k < n; k++)
        if (s[k].variable == variable &&
            (s[k].index == COSY_NONE || s[k].index == index))
            return true;
    return false;
}

/* Whether --set sets everything that the list would set. */
static bool is_set(const Lists *l, const List *list)
{
    return lists_fixes(l, list->variable, list->index);
}

bool lists_span(Lists *l, real a, real b, uint32_t n, bool log)
{
    real ratio = log ? cosy_log(b / a) : R(0.0);
    /* Rounding: 1/49*49 is less than 1. */
    bool whole = !log && lists_variable(l)->type == COSY_TYPE_INTEGER;
    for (uint32_t k = 0; k < n; k++) {
        real share = (real)k / (real)(n - 1);
        real v = k + 1 == n ? b
                 : log      ? a * cosy_exp(share * ratio)
                 : whole ? (a * (real)(n - 1 - k) + b * (real)k) / (real)(n - 1)
                         : a + share * (b - a);
        if (!lists_add(l, k == 0 ? a : v, 1, R(0.0)))
            return false;
    }
    return true;
}

/* Elements of a list that make runs of their own. */
static uint32_t variations(const Lists *l, const List *list)
{
    return list->count == 0 || is_set(l, list) ? 1 : list->count;
}

bool lists_varies_besides(const Lists *l)
{
    uint32_t n;
    const List *list = all_lists(l, &n);
    for (uint32_t k = 0; k < n; k++)
        if (!list[k].sampled && variations(l, &list[k]) > 1)
            return true;
    return false;
}

uint64_t lists_length(const Lists *l)
{
    uint32_t n, longest = 1;
    uint64_t all = 1;
    bool sweeps = false;
    const List *list = all_lists(l, &n);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t own = variations(l, &list[k]);
        if (list[k].which == COSY_LIST_SWEEP) {
            sweeps = true;
            all = all > UINT64_MAX / own ? UINT64_MAX : all * own;
        } else if (own > longest) {
            longest = own;
        }
    }
    if (!sweeps)
        return longest;
    return longest > 1 ? 0 : all;
}

/* Which element of list i run k has. */
static uint32_t element_of(const Lists *l, const List *list, uint32_t n,
                           uint32_t i, uint32_t k)
{
    if (list[i].which != COSY_LIST_SWEEP)
        return k < list[i].count ? k : list[i].count - 1;
    for (uint32_t later = i + 1; later < n; later++)
        if (list[later].which == COSY_LIST_SWEEP)
            k /= variations(l, &list[later]);
    return k % variations(l, &list[i]);
}

/* Whether the list applies again at a RERUN, as the initial values of states
   do. */
static bool applies_again(const Lists *l, const List *list)
{
    return is_start(list->which) ||
           (list->which == COSY_LIST_SWEEP &&
            l->model->variables[list->variable].kind == COSY_STATE);
}

/* Whether this list has a say. */
static bool applies(const Lists *l, const List *list, ListsFor what)
{
    bool start = is_start(list->which);
    if (what == LISTS_AGAIN)
        return applies_again(l, list) && !(start && list->spent);
    return !start || !(what == LISTS_PRESENT ? list->used : list->spent);
}

void lists_use(Lists *l, bool spent)
{
    uint32_t n;
    List *list = all_lists(l, &n);
    l->rested = l->rested || spent;
    for (uint32_t k = 0; k < n; k++) {
        list[k].used = true;
        list[k].spent = list[k].spent || spent;
    }
}

void lists_apply(const Lists *l, Cosy *c, uint32_t k, ListsFor what)
{
    uint32_t n;
    const List *list = all_lists(l, &n);
    const real *value = (const real *)(const void *)l->values.bytes;
    for (uint32_t i = 0; i < n; i++) {
        const List *one = &list[i];
        if (one->count && applies(l, one, what))
            instance_set(c, one->variable, one->index,
                         value[one->first + element_of(l, list, n, i, k)]);
    }
    lists_apply_sets(l, c, what);
}

static bool is_state(const Lists *l, uint32_t variable)
{
    return l->model->variables[variable].kind == COSY_STATE;
}

/* STATEs that --set names start every run; what is present is past that. */
static bool set_applies(const Lists *l, const SetValue *s, ListsFor what)
{
    bool past = l->rested || what == LISTS_PRESENT;
    return is_state(l, s->variable) ? !past : what != LISTS_AGAIN;
}

void lists_apply_sets(const Lists *l, Cosy *c, ListsFor what)
{
    uint32_t n;
    const SetValue *s = sets(l, &n);
    for (uint32_t k = 0; k < n; k++)
        if (set_applies(l, &s[k], what))
            instance_set(c, s[k].variable, s[k].index, s[k].value);
}

bool lists_targets(const Lists *l, uint32_t k, ListsFor what, Vector *targets)
{
    uint32_t n, m;
    const List *list = all_lists(l, &n);
    const SetValue *s = sets(l, &m);
    const real *value = (const real *)(const void *)l->values.bytes;
    targets->used = 0;
    for (uint32_t i = 0; i < m; i++) {
        const StartTarget t = {s[i].variable, s[i].index, s[i].value, false};
        if (is_state(l, t.variable) && set_applies(l, &s[i], what) &&
            !vector_append(targets, &t, sizeof t))
            return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        const List *one = &list[i];
        bool starts = is_start(one->which) || is_state(l, one->variable);
        if (!starts || !one->count || !applies(l, one, what) || is_set(l, one))
            continue;
        const StartTarget t = {one->variable, one->index,
                               value[one->first + element_of(l, list, n, i, k)],
                               one->which == COSY_LIST_GUESS};
        if (!vector_append(targets, &t, sizeof t))
            return false;
    }
    return true;
}

real lists_constant(const Lists *l, uint32_t variable, real value)
{
    uint32_t n;
    const SetValue *s = sets(l, &n);
    for (uint32_t k = 0; k < n; k++)
        if (s[k].variable == variable && s[k].index == COSY_NONE)
            value = s[k].value;
    return value;
}

/* ---- What a run was made with ---------------------------------------------------- */

static void add_setting(RunSetting *all, uint32_t *count, const Cosy *c,
                        uint32_t variable, uint32_t index, bool varied)
{
    for (uint32_t k = 0; k < *count; k++)
        if (all[k].variable == variable && all[k].index == index)
            return;
    all[(*count)++] = (RunSetting){
        .variable = variable,
        .index = index,
        .value = instance_get(c, variable, index == COSY_NONE ? 0 : index),
        .varied = varied};
}

/* Start values count where they differ from run to run; those that arrays have
   one by one would be too many. */
static bool is_shown(const Lists *l, const List *list)
{
    return list->count &&
           (!is_start(list->which) || list->sampled ||
            (list->index == COSY_NONE && variations(l, list) > 1));
}

RunSetting *lists_parameters(const Lists *l, const Cosy *c, Arena *a,
                             uint32_t *count)
{
    uint32_t n, m;
    const List *list = all_lists(l, &n);
    const SetValue *s = sets(l, &m);
    RunSetting *all = NEW_ARRAY(a, RunSetting, n + m + 1);
    *count = 0;
    if (!all)
        return NULL;
    for (uint32_t k = 0; k < n; k++)
        if (is_shown(l, &list[k]))
            add_setting(all, count, c, list[k].variable, list[k].index,
                        variations(l, &list[k]) > 1);
    for (uint32_t k = 0; k < m; k++)
        add_setting(all, count, c, s[k].variable, s[k].index, false);
    return all;
}
