#include "load/load.h"

#include <stdio.h>
#include <string.h>

#include "load/background.h"
#include "load/external.h"
#include "load/object.h"

#define TCC_ONLY "the model ran only on tcc's slower code: %.400s"

static void take_object(Loaded *l, const Object *o)
{
    l->object = *o;
    l->model = o->model;
    l->precision = o->precision;
    l->backend = LOAD_CC;
}

Status load_open(Loaded *l, const char *path, Fault *f)
{
    Object o;
    *l = (Loaded){0};
    TRY(object_open(&o, path, f));
    take_object(l, &o);
    return STATUS_OK;
}

/* ---- cc ------------------------------------------------------------------------ */

/* The name of the code in the cache: a hash of everything it depends on. */
static void make_key(const Task *t, char key[SHA256_LENGTH])
{
    Sha256 h;
    sha256_begin(&h);
    compiler_key(&t->compiler, t->source.precision, &h);
    sha256_add(&h, source_contract_hash, SHA256_LENGTH);
    sha256_add(&h, t->source.text, t->source.length);
    sha256_end(&h, key);
}

/* Loads code from the cache. A damaged file counts as missing. */
static bool from_cache(Loaded *l, const Task *t)
{
    Fault ignored = {0};
    Object o;
    int fd = cache_open(&t->place);
    l->cached =
        fd >= 0 && object_take(&o, fd, t->place.final, &ignored) == STATUS_OK;
    if (l->cached)
        take_object(l, &o);
    return l->cached;
}

/* The program waits for it, so it ends with the program. */
static Status wait_for_cc(Task *t, const LoadRequest *r, Fault *f)
{
    Build b;
    BuildStop stop = {.fd = -1, .asked = r->stop, .user = r->user};
    t->compiler.memory = r->memory;
    t->compiler.file = r->file;
    Status status = task_start(t, &b, f);
    if (status == STATUS_OK)
        status = build_wait(&b, &t->compiler, &stop, f);
    if (status == STATUS_STOPPED) {
        task_kill(t, &b);
        fault_set(f, status, "stopped while %.200s was at work",
                  t->compiler.path);
    }
    return status;
}

static void clear_up(Task *t)
{
    atomic_bool never = false;
    if (!t->place.temporary)
        cache_prune(t->place.folder, CACHE_MOST, &never);
    cache_leave(&t->place);
}

static Status by_cc(Loaded *l, Task *t, const LoadRequest *r, Fault *f)
{
    Object o;
    Status status = wait_for_cc(t, r, f);
    if (status == STATUS_OK)
        status = task_open(t, &o, f);
    if (status == STATUS_OK)
        take_object(l, &o);
    if (t->place.temporary && !l->note[0])
        snprintf(l->note, sizeof l->note,
                 "the cache of compiled models cannot be written or is full: "
                 "the model will be compiled again the next time (COSY_CACHE "
                 "names another folder)");
    clear_up(t);
    return status;
}

/* ---- tcc ----------------------------------------------------------------------- */

static Status by_tcc(Loaded *l, const Source *s, Fault *f)
{
    const char *symbol = object_symbol(s->precision);
    TRY(tiny_compile(&l->tiny, s, symbol, &l->model, f));
    l->backend = LOAD_TCC;
    return object_check(l->model, s->precision, s->name, f);
}

/* ---- Both ----------------------------------------------------------------------- */

/* cc takes minutes and gigabytes for more than that, and most runs are over by
   then. */
#define SOURCE_MOST ((size_t)8 << 20)

static int patience_of(const LoadRequest *r)
{
    return r->patience == 0 ? PATIENCE : r->patience < 0 ? 0 : r->patience;
}

/* The background outlives the caller's text. */
static void begin_background(Loaded *l, Task *t, const LoadRequest *r)
{
    char *text = NEW_ARRAY(&l->arena, char, t->source.length + 1);
    char *name = NEW_ARRAY(&l->arena, char, strlen(t->source.name) + 1);
    if (!text || !name)
        return;
    memcpy(text, t->source.text, t->source.length);
    strcpy(name, t->source.name);
    t->source.text = text;
    t->source.name = name;
    l->background = background_begin(&l->arena, t, patience_of(r));
}

/* Uses the cache, else tcc and then cc, else cc alone. */
static Status by_both(Loaded *l, Task *t, bool has_cc, const Fault *no_cc,
                      const LoadRequest *r, Fault *f)
{
    Fault refused = {0};
    if (has_cc && from_cache(l, t))
        return STATUS_OK;
    if (by_tcc(l, &t->source, &refused) == STATUS_OK) {
        if (has_cc && t->source.length <= SOURCE_MOST)
            begin_background(l, t, r);
        return STATUS_OK;
    }
    tiny_free(&l->tiny);
    if (has_cc)
        return by_cc(l, t, r, f);
    return fault_set(f, refused.status, "%.240s; %.240s", refused.text,
                     no_cc->text);
}

static void begin(Loaded *l, Task *t, const LoadRequest *r)
{
    *l = (Loaded){.precision = r->precision};
    memset(t, 0, sizeof *t);
    t->source = (Source){.name = r->name ? r->name : "model.c",
                         .text = r->text,
                         .length = r->length,
                         .precision = r->precision};
}

/* Where cc's code is, or will be. */
static Status find_place(Task *t, const LoadRequest *r, char note[FAULT_LENGTH],
                         Fault *f)
{
    char key[SHA256_LENGTH];
    Fault unsafe = {0};
    make_key(t, key);
    cache_place(&t->place, r->cache, key);
    if (cache_trust(&t->place, &unsafe) != STATUS_OK)
        return fault_set(f, unsafe.status, "%s", unsafe.text);
    snprintf(note, FAULT_LENGTH, "%s", unsafe.text);
    return STATUS_OK;
}

Status load_make(const LoadRequest *r, int *fd, Fault *f)
{
    Task t;
    Loaded l;
    begin(&l, &t, r);
    if (compiler_find(&t.compiler, r->cc, f) != STATUS_OK)
        return STATUS_UNSUPPORTED;
    TRY(find_place(&t, r, l.note, f));
    *fd = cache_open(&t.place);
    if (*fd >= 0)
        return STATUS_OK;
    Status status = wait_for_cc(&t, r, f);
    if (status == STATUS_OK)
        *fd = cache_open(&t.place);
    clear_up(&t);
    if (status == STATUS_OK && *fd < 0)
        status = fault_set(f, STATUS_FILE, "%s is incomplete", t.place.final);
    return status;
}

/* cc's code, made by a process that may start cc; if there is none or it fails,
   tcc is used, and the note says so. */
static Status by_other(Loaded *l, Task *t, const LoadRequest *r, Fault *f)
{
    Object o;
    int fd;
    Fault missing = {0};
    Status status = r->make(r->text, r->length, r->precision, &fd, &missing);
    if (status == STATUS_UNSUPPORTED && r->backend == LOAD_AUTO &&
        tiny_present() && r->precision < 3) {
        snprintf(l->note, sizeof l->note, TCC_ONLY, missing.text);
        return by_tcc(l, &t->source, f);
    }
    if (status != STATUS_OK)
        return fault_set(f, status, "%s", missing.text);
    TRY(object_take(&o, fd, t->source.name, f));
    take_object(l, &o);
    return STATUS_OK;
}

Status load_compile(Loaded *l, const LoadRequest *r, Fault *f)
{
    Task t;
    Fault no_cc = {0};
    begin(l, &t, r);
    if (r->backend == LOAD_TCC)
        return by_tcc(l, &t.source, f);
    if (r->make)
        return by_other(l, &t, r, f);
    bool has_cc = compiler_find(&t.compiler, r->cc, &no_cc) == STATUS_OK;
    if (has_cc)
        TRY(find_place(&t, r, l->note, f));
    if (r->backend == LOAD_AUTO)
        return by_both(l, &t, has_cc, &no_cc, r, f);
    if (!has_cc)
        return fault_set(f, no_cc.status, "%s%s", no_cc.text,
                         tiny_present() && r->precision < 3
                             ? "; --backend=tcc needs none"
                             : "");
    return from_cache(l, &t) ? STATUS_OK : by_cc(l, &t, r, f);
}

const void *load_newest(void *loaded)
{
    const Loaded *l = loaded;
    const void *newer = l->background ? background_model(l->background) : NULL;
    return newer ? newer : l->model;
}

bool load_waiting(const Loaded *l)
{
    return l->background && background_busy(l->background);
}

void load_drop(Loaded *l)
{
    if (l->background)
        background_drop(l->background);
}

void load_settle(Loaded *l)
{
    char why[FAULT_LENGTH] = "";
    if (l->background)
        background_end(l->background, why);
    if (why[0])
        snprintf(l->note, sizeof l->note, TCC_ONLY, why);
}

void load_close(Loaded *l)
{
    load_settle(l);
    if (l->background)
        background_free(l->background);
    external_close(&l->libraries);
    tiny_free(&l->tiny);
    object_close(&l->object);
    arena_free(&l->arena);
    *l = (Loaded){0};
}
