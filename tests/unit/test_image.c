#include "base/image.h"

#include "base/buffer.h"
#include "check.h"
#include "folder.h"
#include "scarce.h"

/* Something that owns memory which is saved with a run. */
typedef struct Sample {
    Arena arena;
    Image image;
    int64_t fixed[4];
    Vector grows;
} Sample;

static void sample_make(Sample *s)
{
    *s = (Sample){0};
    CHECK(image_add(&s->image, &s->arena, "fixed", s->fixed, sizeof s->fixed) ==
          STATUS_OK);
    CHECK(image_add_vector(&s->image, &s->arena, "grows", &s->grows) ==
          STATUS_OK);
}

static void sample_fill(Sample *s, char letter, size_t length)
{
    for (int k = 0; k < 4; k++)
        s->fixed[k] = letter * 100 + k;
    s->grows.used = 0;
    CHECK(vector_append(&s->grows, NULL, length));
    if (length > 0)
        memset(s->grows.bytes, letter, length);
}

static bool sample_is(const Sample *s, char letter, size_t length)
{
    for (int k = 0; k < 4; k++) {
        if (s->fixed[k] != letter * 100 + k)
            return false;
    }
    for (size_t k = 0; k < s->grows.used; k++) {
        if (s->grows.bytes[k] != (unsigned char)letter)
            return false;
    }
    return s->grows.used == length;
}

static void sample_free(Sample *s)
{
    vector_free(&s->grows);
    arena_free(&s->arena);
}

static void test_there_and_back(Folder *d)
{
    Sample a, b;
    Fault f = {0};
    const size_t length[] = {0, 5, 100000};
    for (size_t k = 0; k < LENGTH(length); k++) {
        sample_make(&a);
        sample_make(&b);
        sample_fill(&a, 'a', length[k]);
        sample_fill(&b, 'b', 700);
        CHECK(image_save(&a.image, folder_file(d, "i"), "stamp", &f) ==
              STATUS_OK);
        CHECK(image_load(&b.image, folder_file(d, "i"), "stamp", &f) ==
              STATUS_OK);
        CHECK(sample_is(&b, 'a', length[k]));
        sample_free(&a);
        sample_free(&b);
    }
}

/* The list outgrows its initial room. */
static void test_many_pieces(Folder *d)
{
    static char name[100][8];
    static int value[100];
    Arena arena = {0};
    Image image = {0};
    Fault f = {0};
    for (int k = 0; k < 100; k++) {
        snprintf(name[k], sizeof name[k], "p%d", k);
        value[k] = k;
        CHECK(image_add(&image, &arena, name[k], &value[k], sizeof value[k]) ==
              STATUS_OK);
    }
    CHECK(image_save(&image, folder_file(d, "many"), "s", &f) == STATUS_OK);
    memset(value, 0, sizeof value);
    CHECK(image_load(&image, folder_file(d, "many"), "s", &f) == STATUS_OK);
    for (int k = 0; k < 100; k++)
        CHECK(value[k] == k);
    arena_free(&arena);
}

/* Loads into a sample of b's and expects words of the fault, and no change. */
static void check_refused(Sample *b, Folder *d, const char *stamp,
                          const char *words)
{
    Fault f = {0};
    sample_fill(b, 'b', 7);
    CHECK(image_load(&b->image, folder_file(d, "i"), stamp, &f) ==
          STATUS_IMAGE);
    CHECK(strstr(f.text, words) != NULL);
    CHECK(sample_is(b, 'b', 7));
}

static void test_other_contents(Folder *d)
{
    Sample a, b, longer;
    Fault f = {0};
    int64_t more[5] = {0};
    sample_make(&a);
    sample_make(&b);
    sample_fill(&a, 'a', 50);
    CHECK(image_save(&a.image, folder_file(d, "i"), "one", &f) == STATUS_OK);
    check_refused(&b, d, "two", "another model");
    check_refused(&b, d, "onetwo", "another model");
    b.image.piece[1].name = "other";
    check_refused(&b, d, "one", "'other'");
    b.image.piece[1].name = "grows";
    b.image.piece[0].size = 24;
    check_refused(&b, d, "one", "'fixed' has 32 bytes");
    b.image.piece[0].size = 32;
    b.image.count = 1;
    check_refused(&b, d, "one", "2 pieces");
    sample_make(&longer);
    CHECK(image_add(&longer.image, &longer.arena, "more", more, sizeof more) ==
          STATUS_OK);
    check_refused(&longer, d, "one", "2 pieces");
    sample_free(&a);
    sample_free(&b);
    sample_free(&longer);
}

/* Every length a cut can leave, and a flipped bit in every byte. */
static void test_damage(Folder *d)
{
    Sample a, b;
    Buffer whole = {0};
    Fault f = {0};
    sample_make(&a);
    sample_make(&b);
    sample_fill(&a, 'a', 50);
    CHECK(image_save(&a.image, folder_file(d, "w"), "s", &f) == STATUS_OK);
    CHECK(file_read(folder_file(d, "w"), &whole, &f) == STATUS_OK);
    for (size_t n = 0; n < whole.v.used; n++) {
        FILE *out = fopen(folder_file(d, "i"), "w");
        fwrite(whole.v.bytes, 1, n, out);
        fclose(out);
        check_refused(&b, d, "s", n < 16 ? "not a COSY" : "damaged");
    }
    for (size_t n = 0; n < whole.v.used; n++) {
        FILE *out = fopen(folder_file(d, "i"), "w");
        whole.v.bytes[n] ^= 1;
        fwrite(whole.v.bytes, 1, whole.v.used, out);
        whole.v.bytes[n] ^= 1;
        fclose(out);
        check_refused(&b, d, "s", n < 8 ? "not a COSY" : "damaged");
    }
    buffer_free(&whole);
    sample_free(&a);
    sample_free(&b);
}

static void test_missing_file(Folder *d)
{
    Sample b;
    Fault f = {0};
    sample_make(&b);
    sample_fill(&b, 'b', 7);
    CHECK(image_load(&b.image, folder_file(d, "none"), "s", &f) == STATUS_FILE);
    CHECK(sample_is(&b, 'b', 7));
    f = (Fault){0};
    CHECK(symlink("/dev/full", folder_file(d, "full")) == 0);
    CHECK(image_save(&b.image, folder_file(d, "full"), "s", &f) == STATUS_FILE);
    CHECK(strstr(f.text, "No space left") != NULL);
    sample_free(&b);
}

static void test_load_without_memory(Folder *d)
{
    Sample a;
    Fault f = {0};
    long refused = 1;
    sample_make(&a);
    sample_fill(&a, 'a', 20000);
    CHECK(image_save(&a.image, folder_file(d, "i"), "s", &f) == STATUS_OK);
    for (long n = 0; refused > 0 && n < 1000; n++) {
        Sample b;
        Status s;
        f = (Fault){0};
        sample_make(&b);
        sample_fill(&b, 'b', 7);
        scarce_begin(n);
        s = image_load(&b.image, folder_file(d, "i"), "s", &f);
        refused = scarce_end();
        CHECK(s == STATUS_OK || (s == STATUS_MEMORY && refused > 0));
        CHECK(s == STATUS_OK ? sample_is(&b, 'a', 20000)
                             : sample_is(&b, 'b', 7));
        sample_free(&b);
    }
    sample_free(&a);
}

static void test_save_without_memory(Folder *d)
{
    Sample a;
    long refused = 1;
    sample_make(&a);
    sample_fill(&a, 'a', 20000);
    for (long n = 0; refused > 0 && n < 1000; n++) {
        Fault f = {0};
        Status s;
        unlink(folder_file(d, "i"));
        scarce_begin(n);
        s = image_save(&a.image, folder_file(d, "i"), "s", &f);
        refused = scarce_end();
        CHECK(s == STATUS_OK || refused > 0);
        CHECK((access(folder_file(d, "i"), F_OK) == 0) == (s == STATUS_OK));
    }
    sample_free(&a);
}

int main(void)
{
    Folder d;
    folder_make(&d);
    test_there_and_back(&d);
    test_many_pieces(&d);
    test_other_contents(&d);
    test_damage(&d);
    test_missing_file(&d);
    test_load_without_memory(&d);
    test_save_without_memory(&d);
    folder_remove(&d);
    return check_end();
}
