#ifndef COSY_TESTS_SCRIPT_H
#define COSY_TESTS_SCRIPT_H

/* Life stories as tables: a process whose transactions carry out steps; their
   resumption points are places in the table. LOG notes time and mark. */

#include "check.h"
#include "host.h"

typedef enum Op {
    OP_LOG,     // a = mark
    OP_ADVANCE, // dt
    OP_SEIZE,   // a = facility, b = rank
    OP_PREEMPT, // dt > 0: RESTART
    OP_RELEASE,
    OP_ENTER, // a = storage, b = units
    OP_LEAVE,
    OP_OPEN,
    OP_CLOSE,
    OP_PASS,
    OP_SEND,
    OP_WAITSIG,
    OP_UNTIL,    // dt = timeout, or negative
    OP_SPLIT,    // a = copies; they go on with the next step too
    OP_JOIN,     // a = joint, b = how many
    OP_PRIORITY, // a = its new one
    OP_END
} Op;

typedef struct Step {
    Op op;
    int a, b;
    double dt;
} Step;

/* All stories wait in one list, and are asked after every event. */
static const CosyWaitInfo script_waits[] = {{.lists = 1, .always = true}};

#define SCRIPT_WAITS .n_waits = 1, .waits = script_waits, .until_lists = 1

enum { LOG_ROOM = 64 };

/* The model's data: what was logged. */
typedef struct Log {
    uint32_t n;
    int mark[LOG_ROOM];
    real t[LOG_ROOM];
} Log;

typedef struct Actor {
    CosyTransaction head;
    const Step *story;
} Actor;

static inline Actor *actor(Cosy *c, uint32_t id)
{
    return (Actor *)(void *)cosy_transaction(c, id);
}

static inline CosyStatus script_split(Cosy *c, uint32_t id, int64_t n,
                                      uint32_t next)
{
    uint32_t copy;
    COSY_TRY(cosy_split_count(c, id, n));
    for (int64_t k = 0; k < n; k++)
        COSY_TRY(cosy_split(c, id, next, &copy));
    return COSY_OK;
}

static inline CosyStatus script_step(Cosy *c, uint32_t id, const Step *s,
                                     uint32_t next)
{
    uint32_t a = (uint32_t)s->a;
    Log *log = c->data;
    switch (s->op) {
    case OP_LOG:
        log->mark[log->n] = s->a;
        log->t[log->n++] = c->head->t;
        return COSY_OK;
    case OP_ADVANCE: return cosy_advance(c, id, (real)s->dt, next);
    case OP_SEIZE: return cosy_seize_with(c, a, id, s->b, next);
    case OP_PREEMPT: return cosy_preempt(c, a, id, s->b, s->dt > 0.0, next);
    case OP_RELEASE: return cosy_release(c, a, id);
    case OP_ENTER: return cosy_enter(c, a, id, s->b, 0, next);
    case OP_LEAVE: return cosy_leave(c, a, id, s->b);
    case OP_OPEN: return cosy_gate_open(c, a);
    case OP_CLOSE: cosy_gate_close(c, a); return COSY_OK;
    case OP_PASS: return cosy_gate_pass(c, a, id, next);
    case OP_SEND: return cosy_signal_send(c, a);
    case OP_WAITSIG: return cosy_signal_wait(c, a, id, next);
    case OP_UNTIL:
        return s->dt < 0.0
                   ? cosy_wait_until(c, id, 0, next)
                   : cosy_wait_until_timeout(c, id, (real)s->dt, 0, next);
    case OP_SPLIT: return script_split(c, id, s->a, next);
    case OP_JOIN: return cosy_join(c, a, id, s->b, next);
    case OP_PRIORITY: return cosy_set_priority(c, id, s->a);
    case OP_END: break;
    }
    return cosy_end(c, id);
}

static inline CosyStatus script_resume(Cosy *c, uint32_t id)
{
    const Step *story = actor(c, id)->story;
    for (uint32_t k = cosy_transaction(c, id)->point;; k++) {
        COSY_PASS(script_step(c, id, story + k, k + 1));
        if (story[k].op == OP_END)
            return COSY_OK;
    }
}

/* A transaction that begins its story at t. */
static inline uint32_t script_begin(Cosy *c, const Step *story, double t,
                                    double priority)
{
    uint32_t id = COSY_NONE;
    CHECK(cosy_generate(c, 0, (real)t, (real)priority, &id) == COSY_OK);
    actor(c, id)->story = story;
    return id;
}

/* The log is exactly these (mark, time) pairs. */
typedef struct Expected {
    int mark;
    double t;
} Expected;

static inline void script_check(Cosy *c, const Expected *e, uint32_t n)
{
    const Log *log = c->data;
    CHECK(log->n == n);
    for (uint32_t k = 0; k < n && k < log->n; k++) {
        CHECK(log->mark[k] == e[k].mark);
        CHECK(log->t[k] == (real)e[k].t);
    }
}

#define SCRIPT_CHECK(c, ...)                                                   \
    do {                                                                       \
        const Expected expected_[] = {__VA_ARGS__};                            \
        script_check(c, expected_, sizeof expected_ / sizeof expected_[0]);    \
    } while (0)

#endif
