#include "run/outlet.h"

#include <stdio.h>
#include <string.h>

#include "stats/format.h"

void outlet_open(Outlet *o, OutletShared *shared, bool direct)
{
    *o = (Outlet){.shared = shared, .direct = direct};
}

void outlet_free(Outlet *o)
{
    buffer_free(&o->text);
    buffer_free(&o->messages);
    buffer_free(&o->line);
    buffer_free(&o->trace);
    buffer_free(&o->error);
}

/* ---- Texts ------------------------------------------------------------------- */

/* With the lock. */
static void pass_text(const Outlet *o, const char *text, size_t length)
{
    const KernelOptions *k = o->shared->options;
    if (k->write && length > 0)
        k->write(k->user, text, length);
}

static void put(Outlet *o, const char *text, size_t length)
{
    if (length == 0)
        return;
    o->written = true;
    o->open = text[length - 1] != '\n';
    pthread_mutex_lock(&o->shared->lock);
    if (o->direct)
        pass_text(o, text, length);
    else
        buffer_bytes(&o->text, text, length);
    pthread_mutex_unlock(&o->shared->lock);
}

void outlet_flush(Outlet *o)
{
    if (o->line.v.used == 0)
        return;
    put(o, (const char *)o->line.v.bytes, o->line.v.used);
    o->line.v.used = 0;
}

void outlet_write(Outlet *o, const char *text, size_t length)
{
    outlet_flush(o);
    o->value = false;
    put(o, text, length);
}

void outlet_items(Outlet *o, const CosyItem *item, uint32_t n, bool end)
{
    Buffer b = {0};
    outlet_flush(o);
    print_items(&b, item, n, &o->value);
    if (end) {
        buffer_char(&b, '\n');
        o->value = false;
    }
    put(o, (const char *)b.v.bytes, b.v.used);
    buffer_free(&b);
}

void outlet_end_line(Outlet *o)
{
    outlet_flush(o);
    o->value = false;
    if (o->open)
        put(o, "\n", 1);
}

/* ---- Carriage control --------------------------------------------------------- */

/* Prints over the line kept back, where `s` has something. */
static void print_over(Outlet *o, const char *s, size_t n)
{
    size_t used = o->line.v.used ? o->line.v.used - 1 : 0; // without its end
    o->line.v.used = used;
    for (size_t k = 0; k < n; k++) {
        if (k >= used)
            buffer_char(&o->line, s[k]);
        else if (s[k] != ' ')
            o->line.v.bytes[k] = (unsigned char)s[k];
    }
    buffer_char(&o->line, '\n');
}

/* A line of a FORMAT: its first character says how far the paper moves before
   it. A new page is an empty line here. */
static void put_record(Outlet *o, const char *s, size_t n)
{
    char control = n ? s[0] : ' ';
    if (control == '+') {
        print_over(o, s + 1, n - 1);
        return;
    }
    outlet_end_line(o);
    if (control == '0' || (control == '1' && o->written))
        put(o, "\n", 1);
    if (n)
        buffer_bytes(&o->line, s + 1, n - 1);
    buffer_char(&o->line, '\n');
}

void outlet_fortran(Outlet *o, const char *format, const CosyItem *item,
                    uint32_t n)
{
    Buffer b = {0};
    print_fortran(&b, format, item, n);
    const char *s = buffer_string(&b);
    for (const char *end; (end = strchr(s, '\n')) != NULL; s = end + 1)
        put_record(o, s, (size_t)(end - s));
    buffer_free(&b);
}

/* ---- Messages ------------------------------------------------------------------ */

/* A warning of this SIMULATE: where it stands in heard_text, without the number of
   its run. */
typedef struct Heard {
    size_t at;
    uint32_t run, last, more; // who gave it first and last, how many others did
} Heard;

enum { HEARD_MOST = 100 };

static Heard *heard_of(const OutletShared *s, size_t *n)
{
    *n = s->heard.used / sizeof(Heard);
    return (Heard *)(void *)s->heard.bytes;
}

/* The text in two parts, before and behind the number of the run. */
static size_t before_run(const Outlet *o, const char *text, size_t *behind)
{
    char number[40];
    int n = snprintf(number, sizeof number, ": run %u: ", o->run);
    const char *at = strstr(text, number);
    size_t before = at ? (size_t)(at - text) : strlen(text);
    *behind = at ? before + (size_t)n : before;
    return before;
}

/* With the lock. True if an earlier run has given this warning. */
static bool is_repeated(Outlet *o, const char *text)
{
    OutletShared *s = o->shared;
    size_t n, behind, before = before_run(o, text, &behind);
    Heard *h = heard_of(s, &n);
    for (size_t k = 0; k < n; k++) {
        const char *old = (const char *)s->heard_text.v.bytes + h[k].at;
        if (strncmp(old, text, before) != 0 ||
            strcmp(old + before, text + behind) != 0)
            continue;
        if (h[k].run == o->run)
            return false;
        h[k].more += h[k].last != o->run;
        h[k].last = o->run;
        return true;
    }
    if (n >= HEARD_MOST) // no more are shown
        return false;
    Heard fresh = {.at = s->heard_text.v.used, .run = o->run, .last = o->run};
    buffer_bytes(&s->heard_text, text, before);
    buffer_bytes(&s->heard_text, text + behind, strlen(text + behind) + 1);
    if (!s->heard_text.broken)
        vector_append(&s->heard, &fresh, sizeof fresh);
    return false;
}

void outlet_forget(OutletShared *s)
{
    vector_free(&s->heard);
    buffer_free(&s->heard_text);
}

void outlet_series(Outlet *o)
{
    size_t n;
    const Heard *h = heard_of(o->shared, &n);
    for (size_t k = 0; k < n; k++) {
        char text[120];
        snprintf(text, sizeof text, "%u more run%s gave a warning of run %u",
                 h[k].more, h[k].more == 1 ? "" : "s", h[k].run);
        if (h[k].more > 0)
            outlet_message(o, COSY_NOTE, 0, text);
    }
    outlet_forget(o->shared);
}

/* With the lock. */
static void pass_message(Outlet *o, CosySeverity severity, const char *text)
{
    static const uint32_t most[] = {20, 100, 100};
    static const char *const last[] = {
        "note: further notes are not shown",
        "warning: further warnings are not shown",
        "error: further errors are in summary.json only"};
    const KernelOptions *k = o->shared->options;
    if (severity == COSY_WARNING && o->run && is_repeated(o, text))
        return;
    uint32_t n = o->shared->told[severity]++;
    if (n > most[severity])
        return;
    text = n < most[severity] ? text : last[severity];
    report_message(&o->shared->report, text);
    if (k->message)
        k->message(k->user, text);
}

static void put_message(Buffer *b, const Outlet *o, CosySeverity severity,
                        uint32_t line, const char *text)
{
    static const char *const words[] = {"note", "warning", "error"};
    if (line)
        buffer_format(b, "%s:%u: ", o->shared->source, line);
    buffer_format(b, "%s: ", words[severity]);
    if (o->run)
        buffer_format(b, "run %u: ", o->run);
    buffer_text(b, text);
}

void outlet_message(Outlet *o, CosySeverity severity, uint32_t line,
                    const char *text)
{
    Buffer b = {0};
    put_message(&b, o, severity, line, text);
    const char *whole = b.broken ? text : buffer_string(&b);
    if (severity == COSY_ERROR && o->error.v.used == 0)
        buffer_text(&o->error, whole);
    pthread_mutex_lock(&o->shared->lock);
    if (o->direct) {
        pass_message(o, severity, whole);
    } else {
        buffer_char(&o->messages, (char)severity);
        buffer_bytes(&o->messages, whole, strlen(whole) + 1);
    }
    pthread_mutex_unlock(&o->shared->lock);
    buffer_free(&b);
}

/* With the lock. */
static void pass_trace(const Outlet *o, const char *text, size_t length)
{
    const KernelOptions *k = o->shared->options;
    if (k->traced && length > 0)
        k->traced(k->user, text, length);
}

void outlet_trace(Outlet *o, const char *text, size_t length)
{
    pthread_mutex_lock(&o->shared->lock);
    if (o->direct)
        pass_trace(o, text, length);
    else
        buffer_bytes(&o->trace, text, length);
    pthread_mutex_unlock(&o->shared->lock);
}

void outlet_turn(Outlet *o)
{
    pthread_mutex_lock(&o->shared->lock);
    o->direct = true;
    pass_text(o, (const char *)o->text.v.bytes, o->text.v.used);
    pass_trace(o, (const char *)o->trace.v.bytes, o->trace.v.used);
    for (size_t at = 0; at < o->messages.v.used;) {
        const char *m = (const char *)o->messages.v.bytes + at;
        pass_message(o, (CosySeverity)*m, m + 1);
        at += strlen(m + 1) + 2;
    }
    o->text.v.used = o->messages.v.used = o->trace.v.used = 0;
    pthread_mutex_unlock(&o->shared->lock);
}
