#include "run/outlet.h"

#include <assert.h>
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

/* Called with the lock held. */
static void pass_text(const Outlet *o, const char *text, size_t length)
{
    const KernelOptions *k = o->shared->options;
    // what the EXPERIMENT writes belongs to the whole, not to a part
    if (k->write && length > 0 && !k->chunks)
        k->write(k->user, text, length);
}

static void put(Outlet *o, const char *text, size_t length)
{
    if (length == 0 || o->mute)
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

/* Prints over the line kept back, wherever `s` is not blank. */
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
   it. A new page becomes an empty line. */
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

/* What precedes the text of a message that is held. It goes into journals as it is, so
   there are no bytes between its members that nobody sets. */
typedef struct Held {
    CosySeverity severity;
    uint32_t line, run;
    uint32_t alone; // a truth value
} Held;
static_assert(sizeof(Held) == 4 * sizeof(uint32_t), "Held has padding");

/* A warning or note that runs have given: its text as the first of them gave it,
   and the same without its numbers, one after the other in heard_text. */
typedef struct Heard {
    size_t text, shape;
    CosySeverity severity;
    uint32_t line;
    uint32_t first, last; // runs that gave it
    uint32_t runs;        // how many did
    uint32_t told;        // `runs` when it was shown at once; 0: it was not
} Heard;

enum { HEARD_MOST = 125 }; // more kinds than are ever shown

static Heard *heard_of(const OutletShared *s, size_t *n)
{
    *n = s->heard.used / sizeof(Heard);
    return (Heard *)(void *)s->heard.bytes;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
    return is_digit(c) || c == '_' || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z');
}

static bool ends_with(const char *text, size_t n, const char *word)
{
    size_t size = strlen(word);
    return n >= size && strncmp(text + n - size, word, size) == 0;
}

/* Whether a number says how much; text[k] is its first digit. Numbers that say
   which (X1, X[2], element 2, line 14) belong to the words. */
static bool is_amount(const char *text, size_t k)
{
    return !(k > 0 && (is_name(text[k - 1]) || text[k - 1] == '[')) &&
           !ends_with(text, k, "element ") && !ends_with(text, k, "line ");
}

/* Length of the number that begins here: "2", "1.5e-07", the 0 of "0 .. 5". */
static size_t number_length(const char *s)
{
    size_t n = strspn(s, "0123456789");
    if (s[n] == '.' && is_digit(s[n + 1]))
        n += 1 + strspn(s + n + 1, "0123456789");
    size_t sign = s[n] == 'e' && (s[n + 1] == '+' || s[n + 1] == '-');
    if (s[n] == 'e' && is_digit(s[n + 1 + sign]))
        n += 1 + sign + strspn(s + n + 1 + sign, "0123456789");
    return n;
}

/* The text with # for every amount: messages that differ in nothing else are
   the same. */
static void put_shape(Buffer *b, const char *text)
{
    for (size_t k = 0; text[k];) {
        bool minus = text[k] == '-' && is_digit(text[k + 1]) &&
                     !(k > 0 && is_name(text[k - 1]));
        if ((minus || is_digit(text[k])) && is_amount(text, k)) {
            k += minus + number_length(text + k + minus);
            buffer_char(b, '#');
        } else {
            buffer_char(b, text[k++]);
        }
    }
}

static Heard *find_heard(const OutletShared *s, const Heard *like,
                         const char *shape)
{
    size_t n;
    Heard *h = heard_of(s, &n);
    for (size_t k = 0; k < n; k++)
        if (h[k].severity == like->severity && h[k].line == like->line &&
            strcmp((const char *)s->heard_text.v.bytes + h[k].shape, shape) ==
                0)
            return &h[k];
    return NULL;
}

/* Keeps a message of a new kind; NULL: there is no room, and none is needed. */
static Heard *add_heard(OutletShared *s, Heard fresh, const char *text,
                        const char *shape)
{
    size_t n;
    (void)heard_of(s, &n);
    if (n >= HEARD_MOST) {
        s->unheard[fresh.severity] = true;
        return NULL;
    }
    fresh.text = s->heard_text.v.used;
    buffer_bytes(&s->heard_text, text, strlen(text) + 1);
    fresh.shape = s->heard_text.v.used;
    buffer_bytes(&s->heard_text, shape, strlen(shape) + 1);
    if (s->heard_text.broken || !vector_append(&s->heard, &fresh, sizeof fresh))
        return NULL;
    return (Heard *)(void *)s->heard.bytes + n;
}

/* Called with the lock held. The entry of a message, which now counts this run.
   */
static Heard *hear(OutletShared *s, const Held *m, const char *text)
{
    Buffer shape = {0};
    put_shape(&shape, text);
    Heard one = {.severity = m->severity, .line = m->line, .first = m->run};
    Heard *h = find_heard(s, &one, buffer_string(&shape));
    if (!h)
        h = add_heard(s, one, text, buffer_string(&shape));
    if (h && h->last != m->run) {
        assert(h->last < m->run); // they come in the order of the runs
        h->runs++;
        h->last = m->run;
    }
    buffer_free(&shape);
    return h;
}

void outlet_forget(OutletShared *s)
{
    vector_free(&s->heard);
    buffer_free(&s->heard_text);
}

/* Where parameters are drawn, runs that fail are counted: the first are examples. */
static uint32_t told_most(const OutletShared *s, unsigned severity)
{
    static const uint32_t most[] = {20, 100, 100};
    enum { EXAMPLES = 5 };
    return s->sampled && severity == COSY_ERROR ? EXAMPLES : most[severity];
}

/* Called with the lock held. */
static void show(OutletShared *s, CosySeverity severity, const char *text)
{
    static const char *const last[] = {
        "note: further notes are not shown",
        "warning: further warnings are not shown",
        "error: further errors are only in summary.json"};
    const KernelOptions *k = s->options;
    uint32_t n = s->told[severity]++, most = told_most(s, severity);
    if (n > most)
        return;
    text = n < most ? text : last[severity];
    report_message(&s->report, text);
    if (k->message)
        k->message(k->user, text);
}

/* Called with the lock held. `who`: the runs that give it, or "". */
static void show_of(OutletShared *s, const Held *m, const char *who,
                    const char *text)
{
    static const char *const words[] = {"note", "warning", "error"};
    Buffer b = {0};
    if (m->line)
        buffer_format(&b, "%s:%u: ", s->source, m->line);
    buffer_format(&b, "%s: %s%s", words[m->severity], who, text);
    show(s, m->severity, b.broken ? text : buffer_string(&b));
    buffer_free(&b);
}

void outlet_close(OutletShared *s, uint32_t runs)
{
    size_t n;
    const Heard *h = heard_of(s, &n);
    pthread_mutex_lock(&s->lock);
    for (size_t k = 0; k < n; k++) {
        const Held m = {.severity = h[k].severity, .line = h[k].line};
        char who[80];
        assert(h[k].runs > 0 && h[k].first <= h[k].last);
        if (h[k].runs == h[k].told)
            continue;
        snprintf(who, sizeof who, "run %u: ", h[k].first);
        if (h[k].runs > 1)
            snprintf(who, sizeof who,
                     "in %u of %u runs, first in run %u: ", h[k].runs, runs,
                     h[k].first);
        show_of(s, &m, who, (const char *)s->heard_text.v.bytes + h[k].text);
    }
    for (unsigned k = 0; k < 3; k++)
        if (s->unheard[k] && s->told[k] < told_most(s, k))
            s->told[k] = told_most(s, k), show(s, (CosySeverity)k, "");
    outlet_forget(s);
    pthread_mutex_unlock(&s->lock);
}

/* Called with the lock held. Shown at once: errors, what explains one, what is
   of use only while the run goes on, and everything from a run that is alone.
   */
static void pass_message(Outlet *o, Held m, const char *text)
{
    char who[40] = "";
    bool now = m.alone || m.severity == COSY_NOTE_NOW ||
               (m.severity == COSY_NOTE && o->after_error);
    if (m.severity == COSY_NOTE_NOW)
        m.severity = COSY_NOTE;
    o->after_error = m.severity == COSY_ERROR;
    if (m.run && m.severity != COSY_ERROR) {
        Heard *h = hear(o->shared, &m, text);
        if (!now || (h && h->told && !m.alone))
            return;
        if (h)
            h->told = h->runs;
    }
    if (m.run && !m.alone)
        snprintf(who, sizeof who, "run %u: ", m.run);
    show_of(o->shared, &m, who, text);
}

/* Keeps the first error of a run, in the form in which it is shown. */
static void keep_error(Outlet *o, uint32_t line, const char *text)
{
    Buffer *b = &o->error;
    if (b->v.used > 0)
        return;
    if (line)
        buffer_format(b, "%s:%u: ", o->shared->source, line);
    buffer_text(b, "error: ");
    if (o->run && !o->alone)
        buffer_format(b, "run %u: ", o->run);
    buffer_text(b, text);
}

void outlet_message(Outlet *o, CosySeverity severity, uint32_t line,
                    const char *text)
{
    const Held held = {severity, line, o->run, o->alone ? 1 : 0};
    if (severity == COSY_ERROR)
        keep_error(o, line, text);
    if (o->mute)
        return;
    pthread_mutex_lock(&o->shared->lock);
    if (o->direct) {
        pass_message(o, held, text);
    } else {
        buffer_bytes(&o->messages, (const char *)&held, sizeof held);
        buffer_bytes(&o->messages, text, strlen(text) + 1);
    }
    pthread_mutex_unlock(&o->shared->lock);
}

/* Called with the lock held. */
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
        Held held;
        memcpy(&held, m, sizeof held); // texts of any length lie between
        pass_message(o, held, m + sizeof held);
        at += sizeof held + strlen(m + sizeof held) + 1;
    }
    o->text.v.used = o->messages.v.used = o->trace.v.used = 0;
    pthread_mutex_unlock(&o->shared->lock);
}
