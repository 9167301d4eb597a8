/* SHA-256 against the examples of FIPS 180-4 and its companion (NIST's
   "Descriptions of SHA-256": abc, 448 bits, a million a's), and lengths around
   a block against values of an independent program (sha256sum). */

#include "base/sha256.h"

#include "check.h"

static void hash(char text[SHA256_LENGTH], const char *s, size_t n)
{
    Sha256 h;
    sha256_begin(&h);
    sha256_add(&h, s, n);
    sha256_end(&h, text);
}

static void test_published(void)
{
    static char many[1000000];
    char text[SHA256_LENGTH];
    hash(text, "", 0);
    CHECK_TEXT(
        text,
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    hash(text, "abc", 3);
    CHECK_TEXT(
        text,
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hash(text, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56);
    CHECK_TEXT(
        text,
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    memset(many, 'a', sizeof many);
    hash(text, many, sizeof many);
    CHECK_TEXT(
        text,
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* As many a's as `n`. */
static void test_lengths(void)
{
    static const struct {
        size_t n;
        const char *text;
    } cases[] = {
        {55,
         "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56,
         "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {57,
         "f13b2d724659eb3bf47f2dd6af1accc87b81f09f59f2b75e5c0bed6589dfe8c6"},
        {63,
         "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64,
         "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {65,
         "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
        {119,
         "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
        {120,
         "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
        {128,
         "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e"},
    };
    char as[200], text[SHA256_LENGTH];
    memset(as, 'a', sizeof as);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        hash(text, as, cases[k].n);
        CHECK_TEXT(text, cases[k].text);
    }
}

/* The result is the same in parts of every size. */
static void test_parts(void)
{
    char bytes[300], whole[SHA256_LENGTH], text[SHA256_LENGTH];
    for (size_t k = 0; k < sizeof bytes; k++)
        bytes[k] = (char)(k * 7);
    hash(whole, bytes, sizeof bytes);
    for (size_t part = 1; part < sizeof bytes; part++) {
        Sha256 h;
        sha256_begin(&h);
        for (size_t at = 0; at < sizeof bytes; at += part)
            sha256_add(&h, bytes + at,
                       at + part < sizeof bytes ? part : sizeof bytes - at);
        sha256_end(&h, text);
        CHECK_TEXT(text, whole);
    }
}

int main(void)
{
    test_published();
    test_lengths();
    test_parts();
    return check_end();
}
