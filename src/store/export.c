#include "store/export.h"

#include <stdio.h>
#include <string.h>

typedef struct Exporter {
    Results *results;
    uint64_t run; // 0: all
    const char *place;
    Buffer *text;
    bool begun;
    Fault *f;
} Exporter;

static Status add_run(void *user, const ResultsRun *run)
{
    Exporter *x = user;
    if (x->run && x->run != run->number)
        return STATUS_OK;
    if (x->begun)
        buffer_text(x->text, ",\n");
    x->begun = true;
    buffer_bytes(x->text, run->json, run->length);
    return STATUS_OK;
}

static Status put_summary(Exporter *x)
{
    Results *r = x->results;
    Buffer path = {0};
    buffer_bytes(x->text, r->head, r->head_length);
    TRY(results_each(r, add_run, x, x->f));
    buffer_bytes(x->text, r->tail, r->tail_length);
    buffer_format(&path, "%s/summary.json", x->place);
    Status s = x->text->broken || path.broken
                   ? fault_set(x->f, STATUS_MEMORY, "%s: no memory", r->name)
                   : file_put(buffer_string(&path), x->text->v.bytes,
                              x->text->v.used, x->f);
    buffer_free(&path);
    return s;
}

static Status put_rows(Exporter *x, Rows *rows, const char *path)
{
    x->text->v.used = 0;
    buffer_format(x->text, "%s\n", rows->t.head);
    TRY(file_put(path, x->text->v.bytes, x->text->v.used, x->f));
    for (;;) {
        TRY(rows_next(rows, x->f));
        if (rows->t.rows == 0)
            return STATUS_OK;
        x->text->v.used = 0;
        table_print(x->text, &rows->t);
        if (x->text->broken)
            return fault_set(x->f, STATUS_MEMORY, "%s: no memory",
                             x->results->name);
        TRY(file_add(path, x->text->v.bytes, x->text->v.used, x->f));
    }
}

static Status put_table(Exporter *x, const char *name)
{
    Rows rows;
    bool there;
    Buffer path = {0};
    TRY(results_table(x->results, name, &rows, &there, x->f));
    if (!there)
        return STATUS_OK;
    buffer_format(&path, "%s/%s", x->place, name);
    Status s = put_rows(x, &rows, buffer_string(&path));
    buffer_free(&path);
    rows_close(&rows);
    return s;
}

static Status put_all(Exporter *x, Arena *a)
{
    ResultsFiles files;
    const Tree *run;
    if (x->run)
        TRY(results_run(x->results, a, x->run, &run, x->f));
    TRY(put_summary(x));
    TRY(results_files(x->results, a, x->run, &files, x->f));
    for (size_t k = 0; k < files.n; k++)
        TRY(put_table(x, files.name[k]));
    return STATUS_OK;
}

Status export_folder(Results *r, uint64_t run, const char *dir, StageOwn *own,
                     Fault *f)
{
    Stage stage;
    Arena a = {0};
    Buffer text = {0};
    Status s = stage_open(&stage, dir, f);
    if (s == STATUS_OK) {
        Exporter x = {.results = r,
                      .run = run,
                      .place = stage_path(&stage),
                      .text = &text,
                      .f = f};
        s = put_all(&x, &a);
        if (s == STATUS_OK)
            s = stage_commit(&stage, own, "summary.json", f);
    }
    if (s != STATUS_OK)
        stage_discard(&stage);
    buffer_free(&text);
    arena_free(&a);
    return s;
}
