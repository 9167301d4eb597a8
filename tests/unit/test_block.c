#include "solve/block.h"

#include <stdlib.h>

#include "check.h"
#include "folder.h"
#include "scarce.h"

/* ---- Blocks ------------------------------------------------------------------ */

/* Circle of radius t and the line y = x. */
static CosyStatus circle(Cosy *c, real t, const real *x, const void *point,
                         const real *u, real *r)
{
    (void)c;
    (void)x;
    (void)point;
    r[0] = u[0] * u[0] + u[1] * u[1] - t * t;
    r[1] = u[1] - u[0];
    return COSY_OK;
}

static CosyStatus circle_jacobian(Cosy *c, real t, const real *x,
                                  const void *point, const real *u, real *j)
{
    (void)c;
    (void)t;
    (void)x;
    (void)point;
    j[0] = R(2.0) * u[0];
    j[1] = R(2.0) * u[1];
    j[2] = R(-1.0);
    j[3] = R(1.0);
    return COSY_OK;
}

static const CosyBlock circle_block = {
    .n = 2, .equation = 5, .residual = circle, .jacobian = circle_jacobian};
static const CosyBlock circle_differences = {
    .n = 2, .equation = 5, .residual = circle};

static void test_circle(const CosyBlock *b)
{
    real start[][2] = {{R(2.0), R(2.0)}, {R(1e6), R(3.0)}, {R(1e-3), R(0.0)}};
    for (int k = 0; k < 3; k++) {
        real *u = start[k], root = R(3.0) / cosy_sqrt(R(2.0));
        CHECK(block_solve(NULL, b, R(3.0), NULL, NULL, u) == COSY_OK);
        CHECK(cosy_abs(u[0] - root) <= R(4.0) * COSY_EPSILON * root);
        CHECK(cosy_abs(u[1] - root) <= R(4.0) * COSY_EPSILON * root);
    }
}

/* Kept start values: a solution that moved a little needs few residuals. */
static unsigned residuals;

static CosyStatus counted(Cosy *c, real t, const real *x, const void *point,
                          const real *u, real *r)
{
    (void)c;
    (void)x;
    (void)point;
    residuals++;
    r[0] = u[0] * cosy_exp(u[0]) - t;
    return COSY_OK;
}

static CosyStatus counted_jacobian(Cosy *c, real t, const real *x,
                                   const void *point, const real *u, real *j)
{
    (void)c;
    (void)t;
    (void)x;
    (void)point;
    j[0] = (R(1.0) + u[0]) * cosy_exp(u[0]);
    return COSY_OK;
}

static void test_follow(void)
{
    CosyBlock b = {.n = 1, .residual = counted, .jacobian = counted_jacobian};
    real u = R(0.5);
    CHECK(block_solve(NULL, &b, R(1.0), NULL, NULL, &u) == COSY_OK);
    CHECK(cosy_abs(u - R(0.567143290409783872999968662210355549754)) <
          R(4.0) * COSY_EPSILON);
    residuals = 0;
    for (int k = 1; k <= 100; k++)
        CHECK(block_solve(NULL, &b, R(1.0) + R(1e-4) * (real)k, NULL, NULL,
                          &u) == COSY_OK);
    printf("residuals per solution that moved by 1e-4: %.2f\n",
           residuals / 100.0);
    CHECK(residuals <= (COSY_PRECISION == 3 ? 800u : 400u));
}

/* A solution at zero, approached from another side. */
static CosyStatus through_zero(Cosy *c, real t, const real *x,
                               const void *point, const real *u, real *r)
{
    (void)c;
    (void)x;
    (void)point;
    r[0] = u[0] + R(0.1) * cosy_sin(u[1]) - t;
    r[1] = u[1] - R(1.0) + u[0] * u[0];
    return COSY_OK;
}

static void test_zero(void)
{
    CosyBlock b = {.n = 2, .residual = through_zero};
    real zero = R(0.1) * cosy_sin(R(1.0)), u[] = {R(1e-9), R(1.0)};
    for (int k = -3; k <= 3; k++) {
        CHECK(block_solve(NULL, &b, zero + R(1e-9) * (real)k, NULL, NULL, u) ==
              COSY_OK);
        CHECK(cosy_abs(u[0] - R(1e-9) * (real)k) < R(1e-15));
    }
}

/* ---- Linear ------------------------------------------------------------------- */

#define WIDE 40

static CosyStatus linear(Cosy *c, real t, const real *x, const void *point,
                         const real *u, real *r)
{
    (void)c;
    (void)x;
    (void)point;
    for (int i = 0; i < WIDE; i++) {
        real left = i > 0 ? u[i - 1] : R(0.0);
        real right = i < WIDE - 1 ? u[i + 1] : R(0.0);
        r[i] = R(3.0) * u[i] - left - right - t;
    }
    residuals++;
    return COSY_OK;
}

static void test_linear(void)
{
    CosyBlock b = {.n = WIDE, .linear = true, .residual = linear};
    BlockRoom room = {0};
    real u[WIDE] = {R(0.0)}, r[WIDE];
    residuals = 0;
    CHECK(block_solve_with(NULL, &b, R(1.0), NULL, NULL, u, &room) == COSY_OK);
    CHECK(residuals == WIDE + 1);
    linear(NULL, R(1.0), NULL, NULL, u, r);
    for (int i = 0; i < WIDE; i++)
        CHECK(cosy_abs(r[i]) < R(100.0) * COSY_EPSILON);
    scarce_begin(0);
    CHECK(block_solve_with(NULL, &b, R(2.0), NULL, NULL, u, &room) == COSY_OK);
    CHECK(scarce_end() == 0);
    scarce_begin(0);
    CHECK(COSY_REASON(block_solve(NULL, &b, R(2.0), NULL, NULL, u)) ==
          COSY_NO_MEMORY);
    CHECK(scarce_end() > 0);
    block_room_free(&room);
}

/* ---- Failures ----------------------------------------------------------------- */

static CosyStatus no_root(Cosy *c, real t, const real *x, const void *point,
                          const real *u, real *r)
{
    (void)c;
    (void)t;
    (void)x;
    (void)point;
    r[0] = u[1] - u[0];
    r[1] = u[0] * u[0] + R(1.0);
    return COSY_OK;
}

static CosyStatus twice_same(Cosy *c, real t, const real *x, const void *point,
                             const real *u, real *r)
{
    (void)c;
    (void)t;
    (void)x;
    (void)point;
    r[0] = u[0] + R(2.0) * u[1] - R(1.0);
    r[1] = u[0] + R(2.0) * u[1] - R(2.0);
    return COSY_OK;
}

static CosyStatus root_of(Cosy *c, real t, const real *x, const void *point,
                          const real *u, real *r)
{
    (void)c;
    (void)t;
    (void)x;
    (void)point;
    r[0] = cosy_sqrt(u[0]) - R(2.0);
    return COSY_OK;
}

static void test_failures(void)
{
    CosyBlock b = {.n = 2, .equation = 5, .residual = no_root};
    real u[] = {R(3.0), R(1.0)};
    CHECK(block_solve(NULL, &b, R(0.0), NULL, NULL, u) ==
          COSY_FAIL(COSY_NEWTON, 6));
    CHECK(u[0] == R(3.0) && u[1] == R(1.0));
    b.residual = twice_same;
    b.linear = true;
    CHECK(block_solve(NULL, &b, R(0.0), NULL, NULL, u) ==
          COSY_FAIL(COSY_SINGULAR, 6));
    b.linear = false;
    CHECK(COSY_REASON(block_solve(NULL, &b, R(0.0), NULL, NULL, u)) != COSY_OK);
    // Outside the domain: a damped step finds its way back. From a start there
    // others are tried, unless a solution is followed.
    b = (CosyBlock){.n = 1, .equation = 7, .residual = root_of};
    u[0] = R(1e6);
    CHECK(block_solve(NULL, &b, R(0.0), NULL, NULL, u) == COSY_OK);
    CHECK(cosy_abs(u[0] - R(4.0)) < R(20.0) * COSY_EPSILON);
    u[0] = R(-1.0);
    CHECK(block_solve(NULL, &b, R(0.0), NULL, NULL, u) == COSY_OK);
    CHECK(cosy_abs(u[0] - R(4.0)) < R(20.0) * COSY_EPSILON);
    BlockRoom room = {.follows = true};
    u[0] = R(-1.0);
    CHECK(block_solve_with(NULL, &b, R(0.0), NULL, NULL, u, &room) ==
          COSY_FAIL(COSY_NUMBER, 7));
    CHECK(u[0] == R(-1.0));
    block_room_free(&room);
}

/* ---- Sparse -------------------------------------------------------------------- */

#define MANY 1000

/* Three diagonals; the entries stand row by row, which is not the order of
   columns, and the diagonal comes in two parts. */
static CosyStatus chain_pattern(Cosy *c, uint32_t *row, uint32_t *column,
                                uint32_t *count)
{
    uint32_t n = 0;
    (void)c;
    for (uint32_t i = 0; i < MANY; i++)
        for (uint32_t k = i ? i - 1 : 0; k <= i + 1 && k < MANY; k++)
            for (int part = 0; part < (k == i ? 2 : 1); part++, n++)
                if (row != NULL) {
                    row[n] = i;
                    column[n] = k;
                }
    *count = n;
    return COSY_OK;
}

/* Rows are of very different sizes. */
static real chain_size(uint32_t i)
{
    return i % 3 == 0 ? R(1e-12) : i % 3 == 1 ? R(1.0) : R(1e9);
}

static CosyStatus chain(Cosy *c, real t, const real *x, const void *point,
                        const real *u, real *r)
{
    (void)c;
    (void)x;
    (void)point;
    for (uint32_t i = 0; i < MANY; i++) {
        real left = i > 0 ? u[i - 1] : R(0.0);
        real right = i < MANY - 1 ? u[i + 1] : R(0.0);
        r[i] = chain_size(i) * (R(2.0) * u[i] - left - right - t);
    }
    return COSY_OK;
}

static CosyStatus chain_jacobian(Cosy *c, real t, const real *x,
                                 const void *point, const real *u, real *j)
{
    (void)c;
    (void)t;
    (void)x;
    (void)point;
    (void)u;
    for (uint32_t i = 0; i < MANY; i++) {
        real size = chain_size(i);
        if (i > 0)
            *j++ = -size;
        *j++ = R(0.5) * size;
        *j++ = R(1.5) * size;
        if (i < MANY - 1)
            *j++ = -size;
    }
    return COSY_OK;
}

/* u'' = -t on a line: u = t i (n + 1 - i) / 2. */
static void test_chain(void)
{
    CosyBlock b = {.n = MANY,
                   .linear = true,
                   .residual = chain,
                   .jacobian = chain_jacobian,
                   .pattern = chain_pattern};
    static real u[MANY];
    memset(u, 0, sizeof u);
    CHECK(block_solve(NULL, &b, R(2.0), NULL, NULL, u) == COSY_OK);
    for (uint32_t i = 0; i < MANY; i++) {
        real exact = (real)(i + 1) * (real)(MANY - i);
        CHECK(cosy_abs(u[i] - exact) < R(1e6) * COSY_EPSILON * exact);
    }
}

/* An arrow: the last unknown is in every equation, and the diagonal is zero, so
   that pairs of rows have to be exchanged. `t` stands in the last row. */
static CosyStatus arrow_pattern(Cosy *c, uint32_t *row, uint32_t *column,
                                uint32_t *count)
{
    uint32_t n = 0;
    (void)c;
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t own = i < MANY - 2 ? i ^ 1u : i == MANY - 2 ? i : 0;
        uint32_t in_row[2] = {own, MANY - 1};
        for (int k = 0; k < 2; k++, n++)
            if (row != NULL) {
                row[n] = i;
                column[n] = in_row[k];
            }
    }
    *count = n;
    return COSY_OK;
}

static real arrow_first = R(1.0); // of the last row

static CosyStatus arrow_jacobian(Cosy *c, real t, const real *x,
                                 const void *point, const real *u, real *j)
{
    (void)c;
    (void)x;
    (void)point;
    (void)u;
    for (uint32_t i = 0; i < MANY; i++) {
        j[2 * i] = i == MANY - 1 ? arrow_first : R(2.0) + (real)(i % 7);
        j[2 * i + 1] = R(1.0);
    }
    // Row n-1: u0 + last; row 1 gives u0 = (..)/3, so that this decides.
    j[2 * MANY - 1] = t;
    return COSY_OK;
}

static CosyStatus arrow(Cosy *c, real t, const real *x, const void *point,
                        const real *u, real *r)
{
    static real j[2 * MANY];
    static uint32_t row[2 * MANY], column[2 * MANY];
    uint32_t count;
    arrow_jacobian(c, t, x, point, u, j);
    arrow_pattern(c, row, column, &count);
    for (uint32_t i = 0; i < MANY; i++)
        r[i] = R(-1.0) - (real)(i % 5);
    for (uint32_t k = 0; k < count; k++)
        r[row[k]] += j[k] * u[column[k]];
    return COSY_OK;
}

static const CosyBlock arrow_block = {.n = MANY,
                                      .linear = true,
                                      .equation = 3,
                                      .residual = arrow,
                                      .jacobian = arrow_jacobian,
                                      .pattern = arrow_pattern};

static void test_arrow(void)
{
    const CosyModel model = {.n_blocks = 1, .blocks = &arrow_block};
    Cosy c = {.model = &model};
    Arena arena = {0};
    BlockRoom room;
    static real u[MANY], r[MANY];
    CHECK(block_room_create(&room, &c, &arena, NULL) == STATUS_OK);
    for (int k = 1; k <= 4; k++) {
        real t = (real)k;
        if (k == 4)
            scarce_begin(0); // warm: nothing is allocated
        CHECK(block_solve_with(&c, &model.blocks[0], t, NULL, NULL, u, &room) ==
              COSY_OK);
        if (k == 4)
            CHECK(scarce_end() == 0);
        arrow(&c, t, NULL, NULL, u, r);
        for (uint32_t i = 0; i < MANY; i++)
            CHECK(cosy_abs(r[i]) < R(2000.0) * COSY_EPSILON);
    }
    // The last row is the second times t, but for rounding errors.
    for (int k = 1; k <= 20; k++) {
        real t = (real)k / R(7.0);
        room.explains = k == 20; // that takes a full matrix
        arrow_first = R(3.0) * t;
        CHECK(COSY_REASON(block_solve_with(&c, &model.blocks[0], t, NULL, NULL,
                                           u, &room)) == COSY_SINGULAR);
    }
    arrow_first = R(1.0);
    CHECK(room.fault.block == &model.blocks[0]);
    CHECK(room.fault.contrary);
    // Every unknown moves with the last; rows 1 and n-1 contradict each other.
    CHECK(room.fault.unknown.used == MANY * sizeof(uint32_t));
    CHECK(room.fault.equation.used == 2 * sizeof(uint32_t));
    const uint32_t *row =
        (const uint32_t *)(const void *)room.fault.equation.bytes;
    CHECK(row[0] == 1 && row[1] == MANY - 1);
    block_room_free(&room);
    arena_free(&arena);
}

/* Three entries in each row, whose pivots depend on t. */
#define MIXED 60

static uint32_t mixed_column(uint32_t i, uint32_t k)
{
    return k == 0 ? i : k == 1 ? (7 * i + 3) % MIXED : (11 * i + 5) % MIXED;
}

static CosyStatus mixed_pattern(Cosy *c, uint32_t *row, uint32_t *column,
                                uint32_t *count)
{
    (void)c;
    *count = 3 * MIXED;
    for (uint32_t i = 0; row != NULL && i < *count; i++) {
        row[i] = i / 3;
        column[i] = mixed_column(i / 3, i % 3);
    }
    return COSY_OK;
}

static CosyStatus mixed_jacobian(Cosy *c, real t, const real *x,
                                 const void *point, const real *u, real *j)
{
    (void)c;
    (void)x;
    (void)point;
    (void)u;
    for (uint32_t i = 0; i < 3 * MIXED; i++)
        j[i] = R(1.2) + cosy_sin((real)(i * i % 37) * t);
    return COSY_OK;
}

static CosyStatus mixed(Cosy *c, real t, const real *x, const void *point,
                        const real *u, real *r)
{
    real j[3 * MIXED];
    mixed_jacobian(c, t, x, point, u, j);
    for (uint32_t i = 0; i < MIXED; i++) {
        r[i] = R(-1.0) - (real)(i % 4);
        for (uint32_t k = 0; k < 3; k++)
            r[i] += j[3 * i + k] * u[mixed_column(i, k)];
    }
    return COSY_OK;
}

static const CosyBlock mixed_block = {.n = MIXED,
                                      .linear = true,
                                      .residual = mixed,
                                      .jacobian = mixed_jacobian,
                                      .pattern = mixed_pattern};

/* A room that was saved continues with the same bits: its pivots are those of an
   earlier matrix, not of the one it continues with. */
static void saved_at(real t, real later)
{
    const CosyModel model = {.n_blocks = 1, .blocks = &mixed_block};
    Folder folder;
    Cosy c = {.model = &model};
    real u[2][MIXED] = {{R(0.0)}};
    Arena arena = {0};
    BlockRoom room[2];
    Image image[2] = {{0}};
    Fault fault = {0};
    folder_make(&folder);
    const char *path = folder_file(&folder, "image");
    for (int k = 0; k < 2; k++)
        CHECK(block_room_create(&room[k], &c, &arena, &image[k]) == STATUS_OK);
    CHECK(block_solve_with(&c, &mixed_block, t, NULL, NULL, u[0], &room[0]) ==
          COSY_OK);
    memcpy(u[1], u[0], sizeof u[0]);
    CHECK(image_save(&image[0], path, "block", &fault) == STATUS_OK);
    CHECK(image_load(&image[1], path, "block", &fault) == STATUS_OK);
    block_room_attach(&room[1]);
    for (int k = 0; k < 2; k++)
        CHECK(block_solve_with(&c, &mixed_block, later, NULL, NULL, u[k],
                               &room[k]) == COSY_OK);
    for (int i = 0; i < MIXED; i++)
        CHECK(u[0][i] == u[1][i]);
    folder_remove(&folder);
    for (int k = 0; k < 2; k++)
        block_room_free(&room[k]);
    arena_free(&arena);
}

static void test_saved(void)
{
    for (int k = 1; k <= 10; k++)
        saved_at(R(1.0), R(1.0) + R(0.02) * (real)k);
}

/* Memory runs out anywhere: told, and nothing is lost. */
static void test_scarce(void)
{
    static real u[MANY];
    for (long n = 0, refused = 1; refused > 0; n++) {
        scarce_begin(n);
        CosyStatus status =
            block_solve(NULL, &arrow_block, R(1.0), NULL, NULL, u);
        refused = scarce_end();
        /* KLU can do without some of what it asks for. */
        CHECK(status == COSY_OK ||
              (refused > 0 && COSY_REASON(status) == COSY_NO_MEMORY));
    }
}

/* A pattern that is wrong is refused. */
static CosyStatus wrong_pattern(Cosy *c, uint32_t *row, uint32_t *column,
                                uint32_t *count)
{
    COSY_TRY(arrow_pattern(c, row, column, count));
    if (row != NULL)
        row[7] = MANY;
    return COSY_OK;
}

static void test_wrong(void)
{
    CosyBlock b = arrow_block;
    static real u[MANY];
    b.pattern = wrong_pattern;
    CHECK(COSY_REASON(block_solve(NULL, &b, R(1.0), NULL, NULL, u)) ==
          COSY_BUG);
}

/* A small block with a pattern: zero on its diagonal, rows and columns of very
   different sizes. */
static CosyStatus small_pattern(Cosy *c, uint32_t *row, uint32_t *column,
                                uint32_t *count)
{
    static const uint32_t rows[] = {0, 1, 2, 1, 2}, columns[] = {1, 0, 2, 2, 0};
    (void)c;
    *count = 5;
    if (row != NULL) {
        memcpy(row, rows, sizeof rows);
        memcpy(column, columns, sizeof columns);
    }
    return COSY_OK;
}

static CosyStatus small_jacobian(Cosy *c, real t, const real *x,
                                 const void *point, const real *u, real *j)
{
    const real value[] = {R(1e-20), R(1e8), R(1.0), R(1e28), R(2e-20)};
    (void)c;
    (void)t;
    (void)x;
    (void)point;
    (void)u;
    memcpy(j, value, sizeof value);
    return COSY_OK;
}

/* u1 = 1e20; 1e8 u0 + 1e28 u2 = 1e28 t; u2 + 2e-20 u0 = 3. */
static CosyStatus small(Cosy *c, real t, const real *x, const void *point,
                        const real *u, real *r)
{
    (void)c;
    (void)x;
    (void)point;
    r[0] = R(1e-20) * u[1] - R(1.0);
    r[1] = R(1e8) * u[0] + R(1e28) * u[2] - R(1e28) * t;
    r[2] = u[2] + R(2e-20) * u[0] - R(3.0);
    return COSY_OK;
}

static void test_small(void)
{
    CosyBlock b = {.n = 3,
                   .linear = true,
                   .residual = small,
                   .jacobian = small_jacobian,
                   .pattern = small_pattern};
    real u[3] = {R(0.0)};
    CHECK(block_solve(NULL, &b, R(2.0), NULL, NULL, u) == COSY_OK);
    CHECK(cosy_abs(u[0] - R(1e20)) < R(64.0) * COSY_EPSILON * R(1e20));
    CHECK(cosy_abs(u[1] - R(1e20)) < R(64.0) * COSY_EPSILON * R(1e20));
    CHECK(cosy_abs(u[2] - R(1.0)) < R(64.0) * COSY_EPSILON);
}

/* ---- Singular --------------------------------------------------------------------- */

/* x0 + x1 + x2 = 1, x0 + x1 - x2 = 1, and their sum, which does not mention x2:
   2 x0 + 2 x1 = t. */
static CosyStatus dependent(Cosy *c, real t, const real *x, const void *point,
                            const real *u, real *r)
{
    (void)c;
    (void)x;
    (void)point;
    r[0] = u[0] + u[1] / R(3.0) + u[2] - R(1.0);
    r[1] = u[0] + u[1] / R(3.0) - u[2] - R(1.0);
    r[2] = u[3] - R(7.0);
    r[3] = R(2.0) * u[0] + u[1] / R(1.5) - t;
    return COSY_OK;
}

static void test_singular(void)
{
    CosyBlock b = {
        .n = 4, .linear = true, .equation = 20, .residual = dependent};
    BlockRoom room = {.explains = true};
    real u[4] = {R(0.1), R(0.2), R(0.3), R(0.4)};
    for (int contrary = 0; contrary < 2; contrary++) {
        CosyStatus status = block_solve_with(NULL, &b, R(2.0) + (real)contrary,
                                             NULL, NULL, u, &room);
        BlockFault *f = &room.fault;
        const uint32_t *unknown =
            (const uint32_t *)(const void *)f->unknown.bytes;
        const uint32_t *row = (const uint32_t *)(const void *)f->equation.bytes;
        CHECK(COSY_REASON(status) == COSY_SINGULAR);
        CHECK(COSY_WHERE(status) == 20 || COSY_WHERE(status) == 21);
        CHECK(f->block == &b && f->reason == COSY_SINGULAR);
        CHECK(f->contrary == (contrary != 0));
        CHECK(f->unknown.used == 2 * sizeof *unknown);
        CHECK(unknown[0] == 0 && unknown[1] == 1);
        CHECK(f->equation.used == 3 * sizeof *row);
        CHECK(row[0] == 0 && row[1] == 1 && row[2] == 3);
    }
    block_room_free(&room);
}

/* ---- Modal ------------------------------------------------------------------- */

/* Two nodes between diodes that block, and a third that is known: U0 - U1 = t
   twice, U2 = 7; `point` is by how much they contradict each other. */
static CosyStatus floating(Cosy *c, real t, const real *x, const void *point,
                           const real *u, real *r)
{
    const real *off = point;
    (void)c;
    (void)x;
    r[0] = u[0] - u[1] - t;
    r[1] = R(2.0) * (u[1] - u[0] + t) + *off;
    r[2] = u[2] - R(7.0);
    return COSY_OK;
}

/* The same with U0^2 - U1^2 = t. */
static CosyStatus bent(Cosy *c, real t, const real *x, const void *point,
                       const real *u, real *r)
{
    const real *off = point;
    (void)c;
    (void)x;
    r[0] = u[0] * u[0] - u[1] * u[1] - t;
    r[1] = R(2.0) * (u[1] * u[1] - u[0] * u[0] + t) + *off;
    r[2] = u[2] * u[2] * u[2] - R(343.0);
    return COSY_OK;
}

static CosyStatus bent_jacobian(Cosy *c, real t, const real *x,
                                const void *point, const real *u, real *j)
{
    const real own[] = {R(2.0) * u[0],  R(-2.0) * u[1], R(0.0),
                        R(-4.0) * u[0], R(4.0) * u[1],  R(0.0),
                        R(0.0),         R(0.0),         R(3.0) * u[2] * u[2]};
    (void)c;
    (void)t;
    (void)x;
    (void)point;
    memcpy(j, own, sizeof own);
    return COSY_OK;
}

static void check_free(const BlockRoom *room, const CosyBlock *b)
{
    const uint32_t *free = (const uint32_t *)(const void *)room->free.bytes;
    CHECK(room->kept == b && room->free.used == 2 * sizeof *free);
    CHECK(free[0] == 0 && free[1] == 1);
}

static void test_modal(void)
{
    CosyBlock b = {.n = 3, .linear = true, .residual = floating};
    BlockRoom room = {0};
    real off = R(0.0), u[] = {R(4.0), R(2.0), R(1.0)};
    Cosy c = {0};
    CHECK(COSY_REASON(block_solve_with(&c, &b, R(3.0), NULL, &off, u, &room)) ==
          COSY_SINGULAR);
    b.modal = true; // U0 goes up by as much as U1 goes down
    CHECK(block_solve_with(&c, &b, R(3.0), NULL, &off, u, &room) == COSY_OK);
    CHECK(cosy_abs(u[0] - R(4.5)) < R(100.0) * COSY_EPSILON);
    CHECK(cosy_abs(u[1] - R(1.5)) < R(100.0) * COSY_EPSILON);
    CHECK(cosy_abs(u[2] - R(7.0)) < R(100.0) * COSY_EPSILON);
    check_free(&room, &b);
    real kept[3]; // what holds stays as it is
    memcpy(kept, u, sizeof u);
    CHECK(block_solve_with(&c, &b, R(3.0), NULL, &off, u, &room) == COSY_OK);
    for (int k = 0; k < 3; k++)
        CHECK(cosy_abs(u[k] - kept[k]) < R(100.0) * COSY_EPSILON);
    off = R(1e-3);
    CHECK(COSY_REASON(block_solve_with(&c, &b, R(3.0), NULL, &off, u, &room)) ==
          COSY_SINGULAR);
    room.slack = R(1e-2); // drift of states
    CHECK(block_solve_with(&c, &b, R(3.0), NULL, &off, u, &room) == COSY_OK);
    block_room_free(&room);
}

static void test_modal_bent(void)
{
    const CosyBlock b = {
        .n = 3, .residual = bent, .jacobian = bent_jacobian, .modal = true};
    BlockRoom room = {0};
    real off = R(0.0), u[] = {R(4.0), R(2.0), R(6.0)};
    Cosy c = {0};
    CHECK(block_solve_with(&c, &b, R(10.0), NULL, &off, u, &room) == COSY_OK);
    CHECK(cosy_abs(u[0] * u[0] - u[1] * u[1] - R(10.0)) < R(1e-14));
    CHECK(cosy_abs(u[0] - R(4.0)) < R(1.0) && cosy_abs(u[1] - R(2.0)) < R(1.0));
    CHECK(cosy_abs(u[2] - R(7.0)) < R(1e-13));
    check_free(&room, &b);
    off = R(1.0);
    CHECK(block_solve_with(&c, &b, R(10.0), NULL, &off, u, &room) != COSY_OK);
    block_room_free(&room);
}

int main(void)
{
    test_circle(&circle_block);
    test_circle(&circle_differences);
    test_follow();
    test_zero();
    test_linear();
    test_failures();
    test_chain();
    test_arrow();
    test_saved();
    test_scarce();
    test_wrong();
    test_small();
    test_singular();
    test_modal();
    test_modal_bent();
    return check_end();
}
