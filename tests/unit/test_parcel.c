/* What an element has left, packed and unpacked: the same, and the same bytes again;
   what is cut short is refused. */

#include "study/parcel.h"

#include <stdlib.h>

#include "check.h"
#include "scarce.h"

static void fill(Vector *v, int value, size_t n)
{
    CHECK(vector_append(v, NULL, n));
    memset(v->bytes, value, n);
}

static Element empty_one(void)
{
    return (Element){.number = 7, .place = 2, .replication = 1};
}

static Element full_one(void)
{
    Element el = empty_one();
    el.runs = 3;
    el.failed = 1;
    el.ended = true;
    fault_set(&el.fault, STATUS_NUMBER, "time %d: no number", 4);
    buffer_text(&el.outlet.text, "written\n");
    el.outlet.written = el.outlet.open = true;
    fill(&el.outlet.messages.v, 'm', 33);
    buffer_text(&el.outlet.trace, "traced");
    buffer_text(&el.summaries, "{\"run\": 7}");
    buffer_text(&el.report, "    7  finished");
    fill(&el.cross, 1, 24);
    for (int k = 0; k < 2; k++) {
        Shown s = {.run = (uint32_t)(7 + k), .group = 1, .saved = k == 1};
        fill(&s.rows, k, 80);
        fill(&s.histograms, k + 2, 16);
        fill(&s.active, 1, 3);
        fill(&s.marks, k + 3, 8);
        fill(&s.spans, k + 4, 40);
        buffer_text(&s.parameters, "K=1");
        s.course.columns = 2;
        s.course.state.count = 5;
        fill(&s.course.means, 9, 32);
        fill(&s.course.base, 8, 16);
        CHECK(vector_append(&el.shown, &s, sizeof s));
    }
    fill(&el.left.data, 5, 100);
    fill(&el.left.x, 6, 16);
    el.left.head.t = 2;
    el.left.slid = true;
    fill(&el.values, 7, 48);
    fill(&el.histograms, 8, 16);
    fill(&el.parameters, 9, 16);
    fill(&el.oneway, 10, 8);
    return el;
}

static void empty(Element *el)
{
    buffer_free(&el->outlet.text);
    buffer_free(&el->outlet.messages);
    buffer_free(&el->outlet.trace);
    element_free(el);
}

static void check_there_and_back(Element (*make)(void))
{
    Buffer one = {0}, other = {0};
    Element el = make(), back = empty_one();
    CHECK(parcel_can(&el));
    parcel_pack(&one, &el);
    CHECK(!one.broken);
    CHECK(parcel_unpack(&back, one.v.bytes, one.v.used));
    CHECK(back.runs == el.runs && back.failed == el.failed);
    CHECK(back.ended == el.ended && back.fault.status == el.fault.status);
    CHECK_TEXT(back.fault.text, el.fault.text);
    CHECK(back.left.head.t == el.left.head.t);
    CHECK(back.left.slid == el.left.slid);
    CHECK(back.shown.used == el.shown.used);
    parcel_pack(&other, &back);
    CHECK(one.v.used == other.v.used &&
          memcmp(one.v.bytes, other.v.bytes, one.v.used) == 0);
    empty(&el);
    empty(&back);
    buffer_free(&one);
    buffer_free(&other);
}

/* In memory of exactly that size, so that a sanitizer sees what reads beyond it. */
static bool unpacks(const Buffer *b, size_t n, size_t more)
{
    unsigned char *bytes = malloc(n + more + 1);
    Element el = empty_one();
    CHECK(bytes != NULL);
    if (!bytes)
        return false;
    unsigned char *exact = realloc(bytes, n + more ? n + more : 1);
    bytes = exact ? exact : bytes;
    memset(bytes, 0, n + more);
    memcpy(bytes, b->v.bytes, n);
    bool done = parcel_unpack(&el, bytes, n + more);
    empty(&el);
    free(bytes);
    return done;
}

static void check_damage(void)
{
    Buffer b = {0};
    Element el = full_one(),
            other = {.number = 8, .place = 2, .replication = 1};
    parcel_pack(&b, &el);
    CHECK(unpacks(&b, b.v.used, 0));
    for (size_t n = 0; n < b.v.used; n++)
        CHECK(!unpacks(&b, n, 0));
    CHECK(!unpacks(&b, b.v.used, 1));
    CHECK(!parcel_unpack(&other, b.v.bytes, b.v.used)); // another element
    empty(&other);
    empty(&el);
    buffer_free(&b);
}

static void check_memory(void)
{
    Buffer b = {0};
    Element el = full_one();
    parcel_pack(&b, &el);
    for (long n = 0, refused = 1; refused > 0; n++) {
        Element back = empty_one();
        scarce_begin(n);
        bool done = parcel_unpack(&back, b.v.bytes, b.v.used);
        refused = scarce_end();
        CHECK(done == (refused == 0));
        empty(&back);
    }
    empty(&el);
    buffer_free(&b);
}

static void check_what_cannot(void)
{
    Element el = empty_one();
    fill(&el.digests, 0, 8);
    CHECK(!parcel_can(&el));
    vector_free(&el.digests);
    CHECK(parcel_can(&el));
}

int main(void)
{
    check_there_and_back(empty_one);
    check_there_and_back(full_one);
    check_damage();
    check_memory();
    check_what_cannot();
    return check_end();
}
