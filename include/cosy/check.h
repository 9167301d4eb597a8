#ifndef COSY_CHECK_H
#define COSY_CHECK_H

/* Operations of expressions that can go wrong, and those that C does not have
   (included at the end of cosy/model.h).

   An expression cannot return a status. What can fail in one leaves its reason
   in c->head->trouble and goes on with a harmless value; the equation or
   statement it belongs to ends with COSY_CHECK(row), which passes the reason
   on.

   A value that is not finite needs none of this: it stays so until the result
   is examined. */

/* ---- Rows of the table of variables ---------------------------------------- */

/* COSY_VARIABLE for all but an array whose indices do not begin at 1. */
#define COSY_SHIFTED(name_, unit_, kind_, type_, causality_, place_, rows_,    \
                     columns_, derivative_, low_, high_, line_, row_, column_) \
    {                                                                          \
        .name = name_, .unit = unit_, .comment = "", .kind = COSY_##kind_,     \
        .type = COSY_TYPE_##type_, .causality = COSY_##causality_,             \
        .place = place_, .rows = rows_, .columns = columns_,                   \
        .process = COSY_NONE, .derivative = derivative_, .low = low_,          \
        .high = high_, .line = line_, .row_shift = row_,                       \
        .column_shift = column_                                                \
    }
#define COSY_VARIABLE(name, unit, kind, type, causality, place, rows, columns, \
                      derivative, low, high, line)                             \
    COSY_SHIFTED(name, unit, kind, type, causality, place, rows, columns,      \
                 derivative, low, high, line, 0, 0)
#define COSY_SCALAR(name, unit, kind, type, causality, place, line)            \
    COSY_VARIABLE(name, unit, kind, type, causality, place, 1, 1, COSY_NONE,   \
                  R(1.0), R(0.0), line)

/* ---- Checks ------------------------------------------------------------------ */

/* Fails with the row of the equation or statement if one of its expressions
   met trouble. */
#define COSY_CHECK(row)                                                        \
    do {                                                                       \
        if (COSY_RARELY(c->head->trouble))                                     \
            return cosy_trouble(c, row);                                       \
    } while (0)

/* An INTEGER is set only to a sound value, so that a message shows the old
   one. */
#define COSY_SET(place, value, row)                                            \
    do {                                                                       \
        const int64_t cosy_value_ = (value);                                   \
        COSY_CHECK(row);                                                       \
        (place) = cosy_value_;                                                 \
    } while (0)

/* Fails if a value is not finite. */
#define COSY_FINITE(value, row)                                                \
    do {                                                                       \
        if (COSY_RARELY(!cosy_finite(value)))                                  \
            return COSY_FAIL(COSY_NUMBER, row);                                \
    } while (0)

/* The address of a member, for what reaches beyond it; the bytes from one
   member to another, both included. */
#define COSY_AT(p, T, member) ((char *)(p) + offsetof(T, member))
#define COSY_SPAN(T, first, last)                                              \
    (offsetof(T, last) + sizeof(((T *)0)->last) - offsetof(T, first))

/* Passes a failure on as that of this row. */
#define COSY_TRY_ROW(call, row)                                                \
    do {                                                                       \
        CosyStatus cosy_status_ = (call);                                      \
        if (COSY_RARELY(cosy_status_ != COSY_OK))                              \
            return COSY_FAIL(COSY_REASON(cosy_status_), row);                  \
    } while (0)

/* One turn of a loop of statements, or n turns at once (16384 at most) that a
   short loop has made. Every 16384 turns the host says whether to go on.
   `cosy_turns` is a local of the function. */
#define COSY_TURN(row)                                                         \
    do {                                                                       \
        if (COSY_RARELY((++cosy_turns & 16383u) == 0))                         \
            COSY_TRY_ROW(c->host->turn(c), row);                               \
    } while (0)
#define COSY_TURNS(n, row)                                                     \
    do {                                                                       \
        if (COSY_RARELY(((cosy_turns += (n)) & 16383u) < (n)))                 \
            COSY_TRY_ROW(c->host->turn(c), row);                               \
    } while (0)

/* The count of turns that a function with loops begins with. Each call counts
   as some turns; otherwise loops in functions that are called from loops might
   never reach 16384 each. The number is odd, so that all remainders occur. */
static inline uint32_t cosy_turns_begin(Cosy *c)
{
    c->turns = (c->turns + 63u) & 16383u;
    return c->turns;
}

/* True if counter i of a FOR that counts up (or down) is the last one: the next
   would be beyond `last`, or beyond all integers. */
#define COSY_LAST_UP(i, last, step)                                            \
    ((uint64_t)(last) - (uint64_t)(i) < (uint64_t)(step))
#define COSY_LAST_DOWN(i, last, step)                                          \
    ((uint64_t)(i) - (uint64_t)(last) < (uint64_t)(step))

static inline CosyStatus cosy_trouble(Cosy *c, uint32_t row)
{
    uint32_t reason = c->head->trouble;
    c->head->trouble = COSY_OK;
    return COSY_FAIL(reason, row);
}

/* True if all values in these bytes are finite: any that is not makes its sum
   NaN. */
static inline bool cosy_all_finite(const void *at, size_t bytes)
{
    const real *v = at;
    size_t n = bytes / sizeof *v, k = 0;
    real a = R(0.0), b = R(0.0);
    for (; k + 2 <= n; k += 2) {
        a += v[k] - v[k];
        b += v[k + 1] - v[k + 1];
    }
    if (k < n)
        a += v[k] - v[k];
    return a + b == R(0.0);
}

/* Fails with the first of these rows whose variable (of a state: whose rate in
   dx) is not finite. */
COSY_APART CosyStatus cosy_first_bad(const Cosy *c, const real *dx,
                                     const uint32_t *row, uint32_t n)
{
    const CosyModel *m = c->model;
    for (uint32_t k = 0; k < n; k++) {
        const CosyVariable *v = &m->variables[m->equations[row[k]].variable];
        const real *at =
            v->kind == COSY_STATE
                ? dx + v->place
                : (const real *)(const void *)((const char *)c->data +
                                               v->place);
        if (!cosy_finite(*at))
            return COSY_FAIL(COSY_NUMBER, row[k]);
    }
    return COSY_FAIL(COSY_BUG, COSY_NOWHERE);
}

/* Stores values at these places of a struct. */
static inline void cosy_scatter(void *to, const uint32_t *place, const real *u,
                                uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        *(real *)(void *)((char *)to + place[k]) = u[k];
}

/* The same at an accepted point: fails with the row of the first value that is
   not finite, counted from `row`. */
static inline CosyStatus cosy_keep(void *to, const uint32_t *place,
                                   const real *u, uint32_t n, uint32_t row)
{
    cosy_scatter(to, place, u, n);
    for (uint32_t k = 0; k < n; k++)
        COSY_FINITE(u[k], row + k);
    return COSY_OK;
}

/* MEAN and SDEV; the host has told why there is none. */
static inline real cosy_found(Cosy *c, CosyFound what, uint32_t variable,
                              uint32_t at)
{
    real value = R(0.0);
    CosyStatus status = c->host->found(c, what, variable, at, &value);
    if (status != COSY_OK && !c->head->trouble)
        c->head->trouble = (uint32_t)COSY_REASON(status);
    return value;
}

/* SENS(X, P): a derivative that the run may have lost. */
static inline real cosy_sensed(const Cosy *c, uint32_t sense, real value)
{
    return c->lost && c->lost[sense] ? (real)NAN : value;
}

/* The first reason is kept. */
static inline void cosy_note(Cosy *c, CosyReason reason)
{
    if (!c->head->trouble)
        c->head->trouble = (uint32_t)reason;
}

/* What must be finite, beside what may be INF. */
static inline real cosy_sure(Cosy *c, real a)
{
    if (COSY_RARELY(!cosy_finite(a)))
        cosy_note(c, COSY_NUMBER);
    return a;
}

/* An index of an array with bounds low .. high. */
static inline int64_t cosy_index(Cosy *c, int64_t i, int64_t low, int64_t high)
{
    if (COSY_RARELY(i < low || i > high)) {
        cosy_note(c, COSY_INDEX);
        return low;
    }
    return i;
}

/* The index nearest to i. Used in the pattern of a Jacobian where a condition
   on the index keeps the equation from reading outside the array; the entry's
   value is 0 there. */
static inline int64_t cosy_nearest(int64_t i, int64_t low, int64_t high)
{
    return i < low ? low : i > high ? high : i;
}

/* ---- INTEGER ---------------------------------------------------------------- */

/* True if a result does not fit; otherwise *v is the result. Where the compiler
   knows the processor's overflow flag, this costs one instruction and a jump
   that is not taken. */
#if defined(__GNUC__) && !defined(__TINYC__)
#define COSY_ADD_LOST(a, b, v) __builtin_add_overflow(a, b, v)
#define COSY_SUB_LOST(a, b, v) __builtin_sub_overflow(a, b, v)
#define COSY_MUL_LOST(a, b, v) __builtin_mul_overflow(a, b, v)
#else
#define COSY_ADD_LOST(a, b, v) cosy_add_lost(a, b, v)
#define COSY_SUB_LOST(a, b, v) cosy_sub_lost(a, b, v)
#define COSY_MUL_LOST(a, b, v) cosy_mul_lost(a, b, v)

static inline bool cosy_add_lost(int64_t a, int64_t b, int64_t *v)
{
    bool lost = b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b;
    *v = lost ? 0 : a + b;
    return lost;
}

static inline bool cosy_sub_lost(int64_t a, int64_t b, int64_t *v)
{
    bool lost = b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b;
    *v = lost ? 0 : a - b;
    return lost;
}

/* Compares magnitudes: that of the result may be 2^63 if it is negative. */
static inline bool cosy_mul_lost(int64_t a, int64_t b, int64_t *v)
{
    uint64_t p = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    uint64_t q = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    uint64_t most = (uint64_t)INT64_MAX + ((a < 0) != (b < 0));
    bool lost = q != 0 && p > most / q;
    *v = lost ? 0 : (int64_t)((uint64_t)a * (uint64_t)b);
    return lost;
}
#endif

/* A result that does not fit is trouble, and its value is 0. */
static inline int64_t cosy_iadd(Cosy *c, int64_t a, int64_t b)
{
    int64_t v;
    if (COSY_RARELY(COSY_ADD_LOST(a, b, &v))) {
        cosy_note(c, COSY_OVERFLOW);
        return 0;
    }
    return v;
}

static inline int64_t cosy_isub(Cosy *c, int64_t a, int64_t b)
{
    int64_t v;
    if (COSY_RARELY(COSY_SUB_LOST(a, b, &v))) {
        cosy_note(c, COSY_OVERFLOW);
        return 0;
    }
    return v;
}

static inline int64_t cosy_imul(Cosy *c, int64_t a, int64_t b)
{
    int64_t v;
    if (COSY_RARELY(COSY_MUL_LOST(a, b, &v))) {
        cosy_note(c, COSY_OVERFLOW);
        return 0;
    }
    return v;
}

static inline int64_t cosy_ineg(Cosy *c, int64_t a)
{
    return cosy_isub(c, 0, a);
}

static inline int64_t cosy_idiv(Cosy *c, int64_t a, int64_t b)
{
    if (COSY_RARELY(b == 0 || (b == -1 && a == INT64_MIN))) {
        cosy_note(c, b == 0 ? COSY_NUMBER : COSY_OVERFLOW);
        return 0;
    }
    return a / b;
}

/* The remainder has the sign of a. */
static inline int64_t cosy_imod(Cosy *c, int64_t a, int64_t b)
{
    if (COSY_RARELY(b == 0)) {
        cosy_note(c, COSY_NUMBER);
        return 0;
    }
    return b == -1 ? 0 : a % b;
}

static inline int64_t cosy_ipow(Cosy *c, int64_t a, int64_t n)
{
    int64_t power = 1;
    if (COSY_RARELY(n < 0)) {
        cosy_note(c, COSY_NUMBER);
        return 0;
    }
    while (n > 0) {
        if (n & 1)
            power = cosy_imul(c, power, a);
        n >>= 1;
        if (n > 0)
            a = cosy_imul(c, a, a);
    }
    return power;
}

/* A REAL whose fraction has been removed, as INTEGER. */
static inline int64_t cosy_integer(Cosy *c, real a)
{
    if (COSY_RARELY(!(a >= R(-9223372036854775808.0) &&
                      a < R(9223372036854775808.0)))) {
        cosy_note(c, cosy_finite(a) ? COSY_OVERFLOW : COSY_NUMBER);
        return 0;
    }
    return (int64_t)a;
}

/* PRIORNBR of a priority, as an INTEGER. */
static inline int64_t cosy_priornbr(Cosy *c, real priority)
{
    int64_t whole = cosy_integer(c, cosy_trunc(priority));
    if (COSY_RARELY((real)whole != priority))
        cosy_note(c, COSY_FRACTION);
    return whole;
}

/* A count: what is below 0 or beyond the largest count becomes the nearest. */
static inline uint32_t cosy_number(int64_t a)
{
    return a < 0 ? 0 : a > UINT32_MAX ? UINT32_MAX : (uint32_t)a;
}

static inline int64_t cosy_isign(int64_t a)
{
    return (a > 0) - (a < 0);
}

static inline int64_t cosy_iabs(Cosy *c, int64_t a)
{
    return a < 0 ? cosy_ineg(c, a) : a;
}

static inline int64_t cosy_imin(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t cosy_imax(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- REAL ------------------------------------------------------------------- */

/* n! of a whole number from 0 on; of any other, not a number. All numbers up to
   22! are exact, and what is too large is infinite. */
static inline real cosy_factorial(real n)
{
    real product = R(1.0);
    if (!(n >= R(0.0)) || cosy_floor(n) != n)
        return n >= R(0.0) || n < R(0.0) ? (n - n) / R(0.0) : n;
    if (n > R(2000.0)) // beyond all precisions
        return R(1.0) / R(0.0);
    for (real k = R(2.0); k <= n; k += R(1.0))
        product *= k;
    return product;
}

/* NaN stays NaN in all of these. */
static inline real cosy_sign(real a)
{
    return a > R(0.0) ? R(1.0) : a < R(0.0) ? R(-1.0) : a;
}

static inline real cosy_lesser(real a, real b)
{
    return a < b ? a : b <= a ? b : a + b;
}

static inline real cosy_greater(real a, real b)
{
    return a > b ? a : b >= a ? b : a + b;
}

static inline real cosy_cube(real a)
{
    return a * a * a;
}

/* a^n, 4 <= n <= 8, always by the same products. */
static inline real cosy_power(real a, int n)
{
    real square = a * a;
    real fourth = square * square;
    if (n < 6)
        return n == 4 ? fourth : fourth * a;
    if (n < 8)
        return n == 6 ? fourth * square : fourth * square * a;
    return fourth * fourth;
}

/* ---- Relations ---------------------------------------------------------------- */

/* How far INF is from any number: conditions take differences, and all that
   matters of this one is its sign. */
#define COSY_FAR R(1e100)

/* a - b in a condition. INF is far from all else, and not from itself; what is
   not finite without being allowed to be INF stays so. */
static inline real cosy_apart(real a, real b, bool a_may, bool b_may)
{
    real z = a - b;
    if (cosy_finite(z) || !(a_may || cosy_finite(a)) ||
        !(b_may || cosy_finite(b)) || (cosy_finite(a) && cosy_finite(b)))
        return z;
    return a > b ? COSY_FAR : a < b ? -COSY_FAR : a == b ? R(0.0) : z;
}

/* Side of a relation whose two sides differ by z. If z is NaN, the side stays
   as it is. */
static inline int32_t cosy_side(bool truth, real z, int32_t now)
{
    return z == z ? truth : now;
}

/* Segment of TRUNC, ROUND, FLOOR for a whole number. */
static inline int32_t cosy_segment(real whole, int32_t now)
{
    return whole > R(-2147483648.0) && whole < R(2147483648.0) ? (int32_t)whole
                                                               : now;
}

/* The first number of the segment, and the first beyond it. If an end does not
   belong to the segment, the number next to it is returned. */
static inline real cosy_trunc_low(int32_t segment)
{
    return segment > 0 ? (real)segment
                       : cosy_nextafter((real)segment - R(1.0), R(0.0));
}

static inline real cosy_trunc_high(int32_t segment)
{
    return segment < 0 ? cosy_nextafter((real)segment, R(0.0))
                       : (real)segment + R(1.0);
}

static inline real cosy_round_low(int32_t segment)
{
    real end = (real)segment - R(0.5);
    return segment > 0 ? end : cosy_nextafter(end, R(0.0));
}

static inline real cosy_round_high(int32_t segment)
{
    real end = (real)segment + R(0.5);
    return segment < 0 ? cosy_nextafter(end, R(0.0)) : end;
}

/* HSTRS: 0 rests, 1 follows upwards (output: input - high), 2 downwards (input
   - low). `up` and `down` are the output it would have if it followed, minus
   its present output; `rate` is the rate of the branch it follows. */
static inline int32_t cosy_hysteresis(int32_t now, real up, real down,
                                      real rise, real fall)
{
    if (up > R(0.0))
        return 1;
    if (down < R(0.0))
        return 2;
    if (now == 1)
        return rise < R(0.0) ? 0 : 1;
    if (now == 2)
        return fall > R(0.0) ? 0 : 2;
    return now;
}

/* ---- What WRITE prints -------------------------------------------------------- */

/* Absurd widths are cut to the largest one that is printed. */
static inline int32_t cosy_width(int64_t width)
{
    return width > 100000 ? 100000 : width < -1 ? -1 : (int32_t)width;
}

static inline CosyItem cosy_item_real(real value, int64_t width,
                                      int64_t decimals)
{
    return (CosyItem){.type = COSY_ITEM_REAL,
                      .r = value,
                      .width = cosy_width(width),
                      .decimals = cosy_width(decimals)};
}

static inline CosyItem cosy_item_integer(int64_t value, int64_t width)
{
    return (CosyItem){.type = COSY_ITEM_INTEGER,
                      .i = value,
                      .width = cosy_width(width),
                      .decimals = -1};
}

static inline CosyItem cosy_item_boolean(bool value, int64_t width)
{
    return (CosyItem){.type = COSY_ITEM_BOOLEAN,
                      .i = value,
                      .width = cosy_width(width),
                      .decimals = -1};
}

static inline CosyItem cosy_item_text(const char *text, int64_t width)
{
    return (CosyItem){.type = COSY_ITEM_TEXT,
                      .text = text,
                      .width = cosy_width(width),
                      .decimals = -1};
}

#endif
