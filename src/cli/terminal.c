#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_moves(int fd)
{
    const char *term = getenv("TERM");
    return isatty(fd) && term && term[0] && strcmp(term, "dumb") != 0;
}

bool terminal_colour(int fd)
{
    const char *none = getenv("NO_COLOR");
    return terminal_moves(fd) && !(none && none[0]);
}

uint32_t terminal_wide(int fd)
{
    struct winsize size = {0};
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

/* ---- Progress ------------------------------------------------------------------- */

/* The share of all runs of the SIMULATE that is done; negative: unknown. */
static double share_done(const KernelProgress *p)
{
    if (p->all <= 1 || p->share < 0)
        return p->all <= 1 ? p->share : (double)p->done / p->all;
    double done = (p->done + p->share) / p->all;
    return done < 1 ? done : 1;
}

/* 950, 12 k, 3.4 M */
static void put_large(Buffer *b, double v)
{
    if (v < 10000)
        buffer_format(b, "%.0f", v);
    else if (v < 1e6)
        buffer_format(b, "%.0f k", v / 1000);
    else
        buffer_format(b, "%.*f M", v < 1e7 ? 1 : 0, v / 1e6);
}

static void put_left(Buffer *b, double seconds)
{
    if (seconds < 100)
        buffer_format(b, ", %.0f s left", seconds);
    else if (seconds < 6000)
        buffer_format(b, ", %.0f min left", seconds / 60);
    else
        buffer_format(b, ", %.0f h left", seconds / 3600);
}

static void put_speed(Buffer *b, const KernelProgress *p, double passed)
{
    bool events = p->events > p->steps / 10;
    buffer_text(b, ", ");
    put_large(b, (double)(events ? p->events : p->steps) / passed);
    buffer_text(b, events ? " events/s" : " steps/s");
}

/* "MINIMIZE COST, trial 35, best so far 1.234, " */
static void put_search(Buffer *b, const KernelSearch *s)
{
    buffer_format(b, "%.30s, trial %zu, ", s->what, s->trials + 1);
    if (s->any)
        buffer_format(b, "%s %.6g, ", s->value, s->best);
}

void terminal_progress(Buffer *b, const KernelProgress *p, double now,
                       uint32_t room)
{
    size_t begun = b->v.used;
    double done = share_done(p);
    if (p->search)
        put_search(b, p->search);
    if (p->trial)
        buffer_format(b, "GRIDCHECK, %.40s: ", p->trial);
    if (p->pass)
        buffer_format(b, "double %u of 2: ", p->pass);
    if (p->all > 1)
        buffer_format(b, "%u of %u runs done, run %u at", p->done, p->all,
                      p->run);
    buffer_format(b, p->all > 1 ? " time %.6g%s%s" : "time %.6g%s%s", p->t,
                  p->time_unit[0] ? " " : "", p->time_unit);
    if (done >= 0)
        buffer_format(b, ", %.0f %%", 100 * done);
    if (now > p->started)
        put_speed(b, p, now - p->started);
    if (done > 0.001 && !p->search)
        put_left(b, (now - p->begun) * (1 - done) / done);
    if (b->v.used - begun > room)
        b->v.used = begun + room;
}
