#include "solve/sundials.h"

#include <string.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "solve/sparse.h"

/* Its header includes klu.h without the folder that Debian puts it in. */
SUNLinearSolver SUNLinSol_KLU(N_Vector y, SUNMatrix a, SUNContext context);

static const uint32_t *starts_of(const Jacobian *j)
{
    return (const uint32_t *)(const void *)j->start.bytes;
}

static const uint32_t *rows_of(const Jacobian *j)
{
    return (const uint32_t *)(const void *)j->row.bytes;
}

bool sun_matrix_create(SunMatrix *m, const Jacobian *j, N_Vector y,
                       SUNContext c)
{
    sunindextype n = NV_LENGTH_S(y);
    uint32_t kl, ku;
    if (j == NULL || j->dense) {
        m->kind = SUN_DENSE;
        m->matrix = SUNDenseMatrix(n, n, c);
        m->solver = SUNLinSol_Dense(y, m->matrix, c);
    } else if (band_prefers(j->n, starts_of(j), rows_of(j))) {
        m->kind = SUN_BAND;
        band_width(j->n, starts_of(j), rows_of(j), &kl, &ku);
        m->matrix = SUNBandMatrix(n, ku, kl, c);
        m->solver = SUNLinSol_Band(y, m->matrix, c);
    } else {
        m->kind = SUN_KLU;
        m->matrix = SUNSparseMatrix(n, n, (sunindextype)j->entries, CSC_MAT, c);
        m->solver = SUNLinSol_KLU(y, m->matrix, c);
    }
    return m->solver != NULL;
}

static void fill_sparse(SUNMatrix matrix, const Jacobian *j,
                        const double *value)
{
    sunindextype *starts = SUNSparseMatrix_IndexPointers(matrix);
    sunindextype *rows = SUNSparseMatrix_IndexValues(matrix);
    for (size_t k = 0; k <= j->n; k++)
        starts[k] = (sunindextype)starts_of(j)[k];
    for (size_t k = 0; k < j->entries; k++)
        rows[k] = (sunindextype)rows_of(j)[k];
    memcpy(SUNSparseMatrix_Data(matrix), value, j->entries * sizeof *value);
}

static void fill_band(SUNMatrix matrix, const Jacobian *j, const double *value)
{
    const uint32_t *start = starts_of(j), *row = rows_of(j);
    SUNMatZero(matrix);
    for (uint32_t k = 0; k < j->n; k++) {
        double *column = SUNBandMatrix_Column(matrix, (sunindextype)k);
        for (uint32_t p = start[k]; p < start[k + 1]; p++)
            column[(ptrdiff_t)row[p] - (ptrdiff_t)k] = value[p];
    }
}

void sun_matrix_fill(SunMatrix *m, const Jacobian *j, const double *value)
{
    switch (m->kind) {
    case SUN_DENSE:
        memcpy(SM_DATA_D(m->matrix), value, j->entries * sizeof *value);
        break;
    case SUN_BAND: fill_band(m->matrix, j, value); break;
    case SUN_KLU: fill_sparse(m->matrix, j, value); break;
    }
}

void sun_matrix_free(SunMatrix *m)
{
    if (m->solver != NULL)
        SUNLinSolFree(m->solver);
    if (m->matrix != NULL)
        SUNMatDestroy(m->matrix);
    m->solver = NULL;
    m->matrix = NULL;
}
