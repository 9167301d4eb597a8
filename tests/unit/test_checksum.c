/* Checksums compared with what the program cksum prints, in pieces and as a
   whole. */

#include "base/checksum.h"

#include "check.h"

static uint32_t sum(const void *bytes, size_t n)
{
    Checksum c;
    checksum_begin(&c);
    checksum_add(&c, bytes, n);
    return checksum_end(&c);
}

static void test_known(void)
{
    static char many[100000];
    CHECK(sum("", 0) == 4294967295u);
    CHECK(sum("123456789", 9) == 930766865u);
    CHECK(sum("a", 1) == 1220704766u);
    memset(many, 'a', sizeof many);
    CHECK(sum(many, sizeof many) == 614267494u);
    CHECK(sum(many, 255) == 325133292u);
    CHECK(sum(many, 256) == 3916537103u);
}

static void test_pieces(void)
{
    static const char text[] = "Old and new change places in one step.";
    size_t n = sizeof text - 1;
    for (size_t first = 0; first <= n; first++)
        for (size_t second = first; second <= n; second++) {
            Checksum c;
            checksum_begin(&c);
            checksum_add(&c, text, first);
            checksum_add(&c, text + first, second - first);
            checksum_add(&c, text + second, n - second);
            CHECK(checksum_end(&c) == sum(text, n));
        }
}

/* All at once, with the tables of another that is under way. */
static void test_at_once(void)
{
    static const char text[] = "Each thread has its own bytes.";
    size_t n = sizeof text - 1;
    Checksum c;
    checksum_begin(&c);
    checksum_add(&c, text, 5);
    for (size_t k = 0; k <= n; k++)
        CHECK(checksum_of(&c, text, k) == sum(text, k));
    checksum_add(&c, text + 5, n - 5);
    CHECK(checksum_end(&c) == sum(text, n));
}

int main(void)
{
    test_known();
    test_at_once();
    test_pieces();
    return check_end();
}
