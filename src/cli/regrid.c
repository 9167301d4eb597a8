#include "cli/regrid.h"

#include "cli/code.h"

/* One of them; its code stays where it is. */
struct Regridded {
    Regridded *next;
    int32_t level;
    bool works;
    Loaded loaded;
};

static bool make(Regrid *g, Regridded *m)
{
    Buffer c = {0};
    Fault f = {0};
    RunCommand r = *g->r;
    r.stop = g->stop;
    r.user = NULL;
    bool done =
        translate_again(g->text, r.untrusted, m->level, &c) &&
        code_compile_only(&m->loaded, &r, (const char *)c.v.bytes, c.v.used,
                          g->text->precision, &f) == STATUS_OK;
    buffer_free(&c);
    return done;
}

static Regridded *find(const Regrid *g, int32_t level)
{
    Regridded *m = g->made;
    while (m && m->level != level)
        m = m->next;
    return m;
}

bool regrid_make(void *regrid, int32_t level, KernelCode *code)
{
    Regrid *g = regrid;
    Regridded *m = find(g, level);
    if (!m) {
        m = NEW(&g->arena, Regridded);
        if (!m)
            return false;
        *m = (Regridded){.next = g->made, .level = level};
        g->made = m;
        m->works = make(g, m);
    }
    *code = (KernelCode){.kernel = kernel_find(g->text->precision),
                         .model = m->loaded.model,
                         .newest = load_newest,
                         .newest_user = &m->loaded};
    return m->works;
}

void regrid_free(Regrid *g)
{
    for (Regridded *m = g->made; m; m = m->next)
        load_close(&m->loaded);
    arena_free(&g->arena);
    g->made = NULL;
}
