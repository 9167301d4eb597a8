#include "search/meeting.h"

#include <assert.h>
#include <pthread.h>

typedef enum SeatState { SEARCHES, WAITS, ANSWERED, GONE } SeatState;

typedef struct Seat {
    Meeting *meeting;
    uint32_t number;
    SeatState state;
    MeetingBatch batch;
    pthread_t thread;
} Seat;

struct Meeting {
    Ledger *ledger;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const MeetingPlan *plan;
    uint32_t seats;
    Seat *seat;
    Status end;
    real *p, *out; // of all that wait
    Status *each;
};

Status meeting_ask(Meeting *m, uint32_t seat, const MeetingBatch *batch)
{
    Seat *at = &m->seat[seat];
    assert(batch->count > 0 && batch->count <= m->plan->most);
    pthread_mutex_lock(&m->lock);
    at->batch = *batch;
    at->state = WAITS;
    pthread_cond_broadcast(&m->changed);
    while (at->state == WAITS)
        pthread_cond_wait(&m->changed, &m->lock);
    at->state = SEARCHES;
    Status end = m->end;
    pthread_mutex_unlock(&m->lock);
    return end;
}

static void *sit(void *seat)
{
    Seat *at = seat;
    Meeting *m = at->meeting;
    m->plan->work(m->plan->user, m, at->number);
    pthread_mutex_lock(&m->lock);
    at->state = GONE;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

static uint32_t count(const Meeting *m, SeatState state)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < m->seats; k++)
        n += m->seat[k].state == state;
    return n;
}

/* Evaluates for all that wait. Nobody else changes anything meanwhile. */
static void answer_all(Meeting *m)
{
    size_t n = m->ledger->history->n, results = m->ledger->history->results;
    size_t points = 0;
    for (uint32_t k = 0; k < m->seats; k++) {
        const Seat *at = &m->seat[k];
        if (at->state != WAITS)
            continue;
        memcpy(m->p + n * points, at->batch.p,
               n * at->batch.count * sizeof *m->p);
        points += at->batch.count;
    }
    if (m->end == STATUS_OK)
        m->end = ledger_many(m->ledger, points, m->p, m->out, m->each);
    points = 0;
    for (uint32_t k = 0; k < m->seats; k++) {
        Seat *at = &m->seat[k];
        if (at->state != WAITS)
            continue;
        memcpy(at->batch.out, m->out + results * points,
               results * at->batch.count * sizeof *m->out);
        memcpy(at->batch.each, m->each + points,
               at->batch.count * sizeof *m->each);
        at->state = ANSWERED;
        points += at->batch.count;
    }
}

static void preside(Meeting *m)
{
    pthread_mutex_lock(&m->lock);
    for (;;) {
        uint32_t waiting = count(m, WAITS), gone = count(m, GONE);
        if (gone == m->seats)
            break;
        if (waiting + gone < m->seats) {
            pthread_cond_wait(&m->changed, &m->lock);
            continue;
        }
        answer_all(m);
        pthread_cond_broadcast(&m->changed);
    }
    pthread_mutex_unlock(&m->lock);
}

static Status make(Meeting *m, Arena *a)
{
    size_t n = m->ledger->history->n, results = m->ledger->history->results;
    m->seat = NEW_ARRAY(a, Seat, m->seats);
    size_t points = m->plan->most * m->seats;
    m->p = NEW_ARRAY(a, real, n * points);
    m->out = NEW_ARRAY(a, real, results * points);
    m->each = NEW_ARRAY(a, Status, points);
    if (m->seat == NULL || m->p == NULL || m->out == NULL || m->each == NULL)
        return STATUS_MEMORY;
    for (uint32_t k = 0; k < m->seats; k++)
        m->seat[k] = (Seat){.meeting = m, .number = k};
    return STATUS_OK;
}

Status meeting_hold(Ledger *l, Arena *a, const MeetingPlan *plan)
{
    Meeting m = {.ledger = l, .plan = plan, .seats = plan->seats};
    uint32_t begun = 0;
    TRY(make(&m, a));
    if (pthread_mutex_init(&m.lock, NULL) != 0)
        return STATUS_MEMORY;
    if (pthread_cond_init(&m.changed, NULL) != 0) {
        pthread_mutex_destroy(&m.lock);
        return STATUS_MEMORY;
    }
    while (begun < m.seats && pthread_create(&m.seat[begun].thread, NULL, sit,
                                             &m.seat[begun]) == 0)
        begun++;
    pthread_mutex_lock(&m.lock);
    if (begun < m.seats)
        m.end = STATUS_MEMORY;
    for (uint32_t k = begun; k < m.seats; k++)
        m.seat[k].state = GONE;
    pthread_mutex_unlock(&m.lock);
    preside(&m);
    for (uint32_t k = 0; k < begun; k++)
        pthread_join(m.seat[k].thread, NULL);
    pthread_cond_destroy(&m.changed);
    pthread_mutex_destroy(&m.lock);
    return m.end;
}
