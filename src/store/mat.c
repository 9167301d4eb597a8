#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/export.h"

/* A MAT-file of level 4 is a sequence of matrices. Each begins with five whole
   numbers of 32 bits: its type, rows, columns, whether there is an imaginary
   part, and the length of its name with the NUL. The name follows, then the
   elements, column after column. The type is 1000 M + 10 P + T: M is 0 for
   numbers whose lowest byte comes first, 1 for the others; P the kind of the
   elements; T 1 for text.

   Matrices are stored transposed ("binTrans"): what belongs to one instant is a
   column, so that the instants follow each other in the file. */

typedef enum MatKind { MAT_DOUBLE = 0, MAT_INT = 20, MAT_TEXT = 51 } MatKind;

typedef struct Mat {
    FILE *file;
    const char *path;
    Fault *f;
} Mat;

static int32_t byte_order(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first ? 0 : 1000;
}

static Status write_fault(const Mat *m)
{
    return fault_set(m->f, STATUS_FILE, "%s: cannot be written: %s", m->path,
                     strerror(errno));
}

static Status put(Mat *m, const void *bytes, size_t n)
{
    return n == 0 || fwrite(bytes, 1, n, m->file) == n ? STATUS_OK
                                                       : write_fault(m);
}

static Status put_head(Mat *m, MatKind kind, uint64_t rows, uint64_t columns,
                       const char *name)
{
    if (rows > INT32_MAX || columns > INT32_MAX)
        return fault_set(m->f, STATUS_UNSUPPORTED,
                         "%s: a MAT-file of level 4 has no room for %llu "
                         "points: export CSV instead",
                         m->path, (unsigned long long)columns);
    const int32_t head[] = {byte_order() + (int32_t)kind, (int32_t)rows,
                            (int32_t)columns, 0, (int32_t)strlen(name) + 1};
    TRY(put(m, head, sizeof head));
    return put(m, name, strlen(name) + 1);
}

/* ---- Names ---------------------------------------------------------------- */

/* What a file has besides its curves. */
typedef struct Names {
    const char **name, **about;
    size_t n;      // time, curves, parameters
    size_t curves; // with time
    const Tree *parameters;
    double begin, end;
} Names;

static bool has_name(const Names *names, size_t n, const char *name)
{
    for (size_t k = 0; k < n; k++)
        if (strcmp(names->name[k], name) == 0)
            return true;
    return false;
}

/* "NAME [unit]" becomes a name and "[unit]". */
static bool add_name(Names *names, Arena *a, const char *whole)
{
    size_t n = strlen(whole) + 3;
    char *plain = NEW_ARRAY(a, char, n), *unit = NEW_ARRAY(a, char, n);
    char *about = NEW_ARRAY(a, char, n);
    if (!plain || !unit || !about)
        return false;
    table_split_name(whole, plain, unit);
    snprintf(about, n, unit[0] ? "[%s]" : "%s", unit);
    names->name[names->n] = names->n == 0 ? "time" : plain;
    names->about[names->n++] = about;
    return true;
}

/* A parameter is followed by its unit; one that is a curve as well (a list of
   INITCOND) is its value at the start. */
static bool add_parameter(Names *names, Arena *a, const char *name,
                          const char *unit)
{
    Buffer whole = {0};
    buffer_text(&whole, name);
    if (has_name(names, names->curves, name))
        buffer_text(&whole, ".start");
    if (unit[0])
        buffer_format(&whole, " [%s]", unit);
    bool right = !whole.broken && add_name(names, a, buffer_string(&whole));
    buffer_free(&whole);
    return right;
}

static bool find_names(Names *names, Arena *a, const Table *t, const Tree *head,
                       const Tree *run)
{
    const Tree *parameters = tree_get(run, "parameters");
    const Tree *units = tree_get(head, "units");
    size_t most = t->columns + (parameters ? parameters->count : 0) + 1;
    *names = (Names){.name = NEW_ARRAY(a, const char *, most),
                     .about = NEW_ARRAY(a, const char *, most),
                     .curves = t->columns,
                     .parameters = parameters,
                     .begin = tree_number(run, "t_begin"),
                     .end = tree_number(run, "t_end")};
    if (!names->name || !names->about)
        return false;
    for (uint32_t k = 0; k < t->columns; k++)
        if (!add_name(names, a, t->column[k].name))
            return false;
    for (const Tree *p = parameters ? parameters->first : NULL; p; p = p->next)
        if (!add_parameter(names, a, p->name, tree_text(units, p->name)))
            return false;
    return true;
}

/* ---- Matrices ------------------------------------------------------------- */

/* Texts of equal length, filled up with blanks, each a column. */
static Status put_texts(Mat *m, const char *name, const char *const *text,
                        size_t n)
{
    size_t longest = 1;
    for (size_t k = 0; k < n; k++)
        longest = strlen(text[k]) > longest ? strlen(text[k]) : longest;
    TRY(put_head(m, MAT_TEXT, longest, n, name));
    for (size_t k = 0; k < n; k++) {
        TRY(put(m, text[k], strlen(text[k])));
        for (size_t j = strlen(text[k]); j < longest; j++)
            TRY(put(m, " ", 1));
    }
    return STATUS_OK;
}

/* The only matrix that is not transposed: its rows are the texts. */
static Status put_class(Mat *m)
{
    static const char *const rows[] = {"Atrajectory", "1.1", "", "binTrans"};
    size_t longest = strlen(rows[0]);
    TRY(put_head(m, MAT_TEXT, LENGTH(rows), longest, "Aclass"));
    for (size_t column = 0; column < longest; column++)
        for (size_t row = 0; row < LENGTH(rows); row++) {
            bool inside = column < strlen(rows[row]);
            TRY(put(m, inside ? rows[row] + column : " ", 1));
        }
    return STATUS_OK;
}

/* Tells for each name its matrix (0: it is the abscissa), its row there, that it is
   interpolated linearly, and that it is not defined outside. */
static Status put_info(Mat *m, const Names *names)
{
    TRY(put_head(m, MAT_INT, 4, names->n, "dataInfo"));
    for (size_t k = 0; k < names->n; k++) {
        bool curve = k < names->curves;
        int32_t row = (int32_t)(curve ? k : k - names->curves + 1) + 1;
        const int32_t info[] = {k == 0 ? 0 : curve ? 2 : 1, row, 0, -1};
        TRY(put(m, info, sizeof info));
    }
    return STATUS_OK;
}

static Status put_constants(Mat *m, const Names *names)
{
    const Tree *p = names->parameters;
    TRY(put_head(m, MAT_DOUBLE, 1 + (p ? p->count : 0), 2, "data_1"));
    for (int side = 0; side < 2; side++) {
        double time = side == 0 ? names->begin : names->end;
        TRY(put(m, &time, sizeof time));
        for (const Tree *k = p ? p->first : NULL; k; k = k->next)
            TRY(put(m, &k->number, sizeof k->number));
    }
    return STATUS_OK;
}

static Status put_block(Mat *m, const Table *t, Vector *row)
{
    for (uint32_t k = 0; k < t->rows; k++) {
        row->used = 0;
        for (uint32_t j = 0; j < t->columns; j++)
            if (!vector_append(row, &table_values(t, j)[k], sizeof(double)))
                return fault_set(m->f, STATUS_MEMORY, "%s: no memory", m->path);
        TRY(put(m, row->bytes, row->used));
    }
    return STATUS_OK;
}

/* How many instants there are is known when all are written: the head is
   written anew then. */
static Status put_curves(Mat *m, Rows *rows)
{
    Vector row = {0};
    long begin = ftell(m->file);
    Status s = put_head(m, MAT_DOUBLE, rows->t.columns, 0, "data_2");
    do {
        if (s == STATUS_OK)
            s = rows_next(rows, m->f);
        if (s == STATUS_OK)
            s = put_block(m, &rows->t, &row);
    } while (s == STATUS_OK && rows->t.rows > 0);
    vector_free(&row);
    TRY(s);
    if (begin < 0 || fseek(m->file, begin, SEEK_SET) != 0)
        return write_fault(m);
    return put_head(m, MAT_DOUBLE, rows->t.columns, rows->t.begin, "data_2");
}

static Status put_all(Mat *m, const Names *names, Rows *rows)
{
    TRY(put_class(m));
    TRY(put_texts(m, "name", names->name, names->n));
    TRY(put_texts(m, "description", names->about, names->n));
    TRY(put_info(m, names));
    TRY(put_constants(m, names));
    TRY(put_curves(m, rows));
    return fflush(m->file) == 0 && fsync(fileno(m->file)) == 0 ? STATUS_OK
                                                               : write_fault(m);
}

/* Under a temporary name beside `path`, so that nobody sees half a file. */
static Status write_file(const Names *names, Rows *rows, const char *path,
                         Fault *f)
{
    Buffer temporary = {0};
    buffer_format(&temporary, "%s.%ld.tmp", path, (long)getpid());
    const char *name = buffer_string(&temporary);
    Mat m = {.file = fopen(name, "wb"), .path = path, .f = f};
    Status s = m.file ? put_all(&m, names, rows) : write_fault(&m);
    if (m.file && fclose(m.file) != 0 && s == STATUS_OK)
        s = write_fault(&m);
    if (s == STATUS_OK && rename(name, path) != 0)
        s = write_fault(&m);
    if (s != STATUS_OK && m.file)
        unlink(name);
    buffer_free(&temporary);
    return s;
}

static Status no_curves(const Results *r, uint64_t run, Fault *f)
{
    return fault_set(f, STATUS_UNSUPPORTED,
                     "run %llu of %s has recorded no curves, and a MAT-file "
                     "holds curves: STORE in the model names what is recorded",
                     (unsigned long long)run, r->name);
}

Status export_mat(Results *r, uint64_t run, const char *path, Fault *f)
{
    Arena a = {0};
    Rows rows;
    Names names;
    const Tree *tree, *head = results_head(r, &a);
    bool there = false;
    const char *file = results_table_name(&a, "run", run);
    Status s = head && file
                   ? results_run(r, &a, run, &tree, f)
                   : fault_set(f, STATUS_MEMORY, "%s: no memory", r->name);
    if (s == STATUS_OK)
        s = results_table(r, file, &rows, &there, f);
    if (s == STATUS_OK && !there)
        s = no_curves(r, run, f);
    if (s == STATUS_OK)
        s = find_names(&names, &a, &rows.t, head, tree)
                ? write_file(&names, &rows, path, f)
                : fault_set(f, STATUS_MEMORY, "%s: no memory", r->name);
    if (there)
        rows_close(&rows);
    arena_free(&a);
    return s;
}
