#include "cli/decompose.h"

#include <assert.h>

/* Describes what becomes of a statement at which a transaction may wait. %1$s
   is the resource, %2$s the process. */
static const char *words_of(StatementKind kind)
{
    switch (kind) {
    case STATEMENT_ADVANCE:
        return "schedules an event %2$s at TIME plus that time, and ends this "
               "piece";
    case STATEMENT_SEIZE:
        return "continues at once if %1$s is free. Otherwise the transaction "
               "waits in the queue of %1$s, by priority and then by arrival: "
               "the RELEASE that hands %1$s over schedules an event %2$s at "
               "its own time";
    case STATEMENT_SEIZE_ANY:
        return "continues at once with a facility of %1$s that is free. "
               "Otherwise the transaction waits in the common queue of %1$s, "
               "by priority and then by arrival: the RELEASE that hands one "
               "over schedules an event %2$s at its own time";
    case STATEMENT_PREEMPT:
        return "continues at once if %1$s is free, or if its user has a lower "
               "priority and is in an ADVANCE: that event is taken off the "
               "calendar, and the user waits in the queue of %1$s for the rest "
               "of its time. Otherwise the transaction waits in that queue "
               "itself";
    case STATEMENT_ENTER:
        return "continues at once if %1$s has room and no transaction of that "
               "priority waits. Otherwise the transaction waits in the queue "
               "of %1$s: the LEAVE that makes room schedules an event %2$s at "
               "its own time";
    case STATEMENT_PASS:
        return "continues at once if %1$s is open. Otherwise the transaction "
               "waits: OPEN schedules an event %2$s at its own time";
    case STATEMENT_WAITSIG:
        return "always waits: the next SENDSIG %1$s schedules an event %2$s at "
               "its own time";
    case STATEMENT_WAIT:
        return "continues at once if the condition holds. Otherwise it is "
               "checked after every event, and where it depends on continuous "
               "variables its crossing is located like that of a state event: "
               "then there is an event %2$s. TIMEOUT schedules one too";
    case STATEMENT_SPLIT:
        return "makes the copies, each with an event %2$s at this time; the "
               "transaction itself continues at once";
    case STATEMENT_JOIN:
        return "continues at once if it is the last of its family. Otherwise "
               "the transaction waits, and the last one schedules an event "
               "%2$s at its own time";
    default: return NULL;
    }
}

/* Writes the words with names in place of their marks. */
static void put_words(Buffer *b, const char *words, const char *resource,
                      const char *process)
{
    for (; *words; words++) {
        if (*words != '%') {
            buffer_char(b, *words);
            continue;
        }
        assert(words[1] == '1' || words[1] == '2');
        buffer_text(b, words[1] == '1' ? resource : process);
        words += 3; // the mark: %1$s
    }
}

static void put_statement(Buffer *b, const Model *m, const Process *p,
                          const Statement *s)
{
    const char *words = words_of(s->kind), *name = "";
    if (!words)
        return;
    assert(s->row < model_rows(m));
    bool uses = s->kind != STATEMENT_ADVANCE && s->kind != STATEMENT_WAIT &&
                s->kind != STATEMENT_SPLIT && s->kind != STATEMENT_JOIN;
    if (uses)
        name = model_resource(m, s->which)->name;
    buffer_format(b, "Line %u: %s\n- ", s->line, model_row(m, s->row)->text);
    put_words(b, words, name, p->name);
    if (uses && s->c)
        put_words(b,
                  ". TIMEOUT schedules an event %2$s too; whichever comes "
                  "first takes the other off the calendar or out of the queue",
                  name, p->name);
    buffer_text(b, ".\n");
}

/* Goes through the text in order, including branches and loops. */
static void put_code(Buffer *b, const Model *m, const Process *p,
                     const Code *code)
{
    for (const Statement *s = code->first; s; s = s->next) {
        if (s->point)
            put_statement(b, m, p, s);
        put_code(b, m, p, &s->body);
        put_code(b, m, p, &s->other);
        for (uint32_t k = 0; s->arm && k < s->n; k++)
            put_code(b, m, p, &s->arm[k].code);
    }
}

void decompose_processes(Buffer *b, const Model *m)
{
    for (uint32_t k = 0; k < model_processes(m); k++) {
        const Process *p = model_process(m, k);
        if (!p->takes_part)
            continue;
        buffer_format(
            b,
            "PROCESS %s, line %u: a transaction begins with an event %s %s. "
            "Each event executes the body up to the next statement below at "
            "which the transaction has to wait; at END the transaction ends.\n",
            p->name, p->line, p->name,
            p->begins ? "at the start of the run, or at the time of "
                        "its GENERATE"
                      : "at the time of its GENERATE");
        put_code(b, m, p, &p->code);
        if (p->points == 1)
            buffer_text(
                b, "- No statement waits: there is only this one event.\n");
    }
}
