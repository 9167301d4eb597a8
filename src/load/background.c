#include "load/background.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct Background {
    Task task;
    Build build;
    Object object;
    int patience; // milliseconds
    Fault fault;  // why there is no object
    pthread_t thread;
    bool running;
    int stop[2];         // a byte in this pipe ends the waiting
    atomic_bool ended;   // the same, for whatever does not wait
    atomic_bool dropped; // a compilation must not go on alone
    atomic_bool idle;    // the thread has finished
    const void *_Atomic model;
};

/* A new file for this user only, whatever the umask. */
static FILE *make_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (fd >= 0 && !file)
        close(fd);
    return file;
}

/* None of it is needed after the machine stops, so nothing is synced. */
static Status write_text(const char *path, const Buffer *text, Fault *f)
{
    FILE *file = text->broken ? NULL : make_file(path);
    bool done =
        file && fwrite(text->v.bytes, 1, text->v.used, file) == text->v.used;
    int error = errno;
    if (file && fclose(file) != 0)
        done = false;
    return done ? STATUS_OK
           : text->broken
               ? STATUS_MEMORY
               : fault_set(f, STATUS_FILE, "%.300s cannot be written: %s", path,
                           strerror(error));
}

Status task_start(Task *t, Build *b, Fault *f)
{
    Buffer text = {0};
    TRY(cache_prepare(&t->place, f));
    source_write(&text, &t->source, false);
    Status status = write_text(t->place.source, &text, f);
    buffer_free(&text);
    if (status == STATUS_OK)
        status =
            build_start(b, &t->compiler, t->source.precision, &t->place, f);
    if (status != STATUS_OK)
        unlink(t->place.source);
    return status;
}

void task_kill(const Task *t, Build *b)
{
    build_kill(b);
    unlink(t->place.source);
    unlink(t->place.object);
}

Status task_open(const Task *t, Object *o, Fault *f)
{
    Fault why = {0};
    int fd = cache_open(&t->place);
    if (fd < 0)
        fault_set(&why, STATUS_FILE, "%s is incomplete", t->place.final);
    else if (object_take(o, fd, t->place.final, &why) == STATUS_OK)
        return STATUS_OK;
    unlink(t->place.final);
    return fault_set(
        f, STATUS_UNSUPPORTED,
        "the C compiler %.100s succeeded, but made no model: %.250s",
        t->compiler.path, why.text);
}

/* True if the run is still going on when `patience` is over. */
static bool wait_first(const Background *b)
{
    struct pollfd p = {.fd = b->stop[0], .events = POLLIN};
    return poll(&p, 1, b->patience) == 0;
}

static Status make_object(Background *b)
{
    Task *t = &b->task;
    BuildStop stop = {.fd = b->stop[0]};
    TRY(task_start(t, &b->build, &b->fault));
    Status status = build_wait(&b->build, &t->compiler, &stop, &b->fault);
    bool goes_on = !t->place.temporary && !atomic_load(&b->dropped);
    if (status == STATUS_STOPPED && !goes_on)
        task_kill(t, &b->build);
    else if (status == STATUS_STOPPED)
        build_leave(&b->build);
    TRY(status);
    return task_open(t, &b->object, &b->fault);
}

static void *work(void *background)
{
    Background *b = background;
    if (wait_first(b)) {
        if (make_object(b) == STATUS_OK)
            atomic_store_explicit(&b->model, b->object.model,
                                  memory_order_release);
        if (!b->task.place.temporary)
            cache_prune(b->task.place.folder, CACHE_MOST, &b->ended);
        cache_leave(&b->task.place);
    }
    atomic_store(&b->idle, true);
    return NULL;
}

Background *background_begin(Arena *a, const Task *t, int patience)
{
    Background *b = NEW(a, Background);
    if (!b || pipe(b->stop) != 0)
        return NULL;
    fcntl(b->stop[0], F_SETFD, FD_CLOEXEC);
    fcntl(b->stop[1], F_SETFD, FD_CLOEXEC);
    b->task = *t;
    for (uint32_t k = 0; k < t->compiler.words; k++) // words of its own copy
        b->task.compiler.word[k] =
            b->task.compiler.text + (t->compiler.word[k] - t->compiler.text);
    b->patience = patience;
    b->running = pthread_create(&b->thread, NULL, work, b) == 0;
    if (b->running)
        return b;
    background_free(b);
    return NULL;
}

const void *background_model(const Background *b)
{
    return atomic_load_explicit(&b->model, memory_order_acquire);
}

bool background_busy(const Background *b)
{
    return !atomic_load(&b->idle);
}

void background_drop(Background *b)
{
    atomic_store(&b->dropped, true);
}

void background_end(Background *b, char note[FAULT_LENGTH])
{
    if (!b->running)
        return;
    atomic_store(&b->ended, true);
    if (write(b->stop[1], "", 1) == 1)
        pthread_join(b->thread, NULL);
    b->running = false;
    if (b->fault.status != STATUS_OK)
        snprintf(note, FAULT_LENGTH, "%s", b->fault.text);
}

void background_free(Background *b)
{
    char note[FAULT_LENGTH];
    background_end(b, note);
    object_close(&b->object);
    close(b->stop[0]);
    close(b->stop[1]);
}
