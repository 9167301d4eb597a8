#include "syntax/words.h"

#include <string.h>

typedef struct WordEntry {
    const char *text;
    WordClass class;
} WordEntry;

static const WordEntry entry[WORD_COUNT] = {
    [WORD_NONE] = {"", WORD_CLASS_NONE},
#define RESERVED(name)   [WORD_##name] = {#name, WORD_CLASS_RESERVED},
#define OPTION(name)     [WORD_##name] = {#name, WORD_CLASS_OPTION},
#define SYMBOL(name, s)  [WORD_##name] = {s, WORD_CLASS_SYMBOL},
#define MACRO_WORD(name) [WORD_##name] = {#name, WORD_CLASS_MACRO},
#include "syntax/words.def"
#undef RESERVED
#undef OPTION
#undef SYMBOL
#undef MACRO_WORD
};

const char *word_text(Word w)
{
    return entry[w].text;
}

WordClass word_class(Word w)
{
    return entry[w].class;
}

static uint32_t hash(const char *s, size_t n)
{
    uint32_t h = 0;
    for (size_t k = 0; k < n; k++)
        h = 31 * h + ((unsigned char)s[k] & 0xDFu);
    return h ^ (h >> 10);
}

void words_prepare(WordTable *t)
{
    memset(t, 0, sizeof *t);
    for (uint16_t w = 1; w < WORD_COUNT; w++) {
        const char *s = entry[w].text;
        uint32_t k = hash(s, strlen(s));
        if (entry[w].class == WORD_CLASS_SYMBOL)
            continue;
        while (t->slot[k % WORD_SLOTS] != 0)
            k++;
        t->slot[k % WORD_SLOTS] = w;
    }
}

static bool spells(const char *word, const char *s, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (word[k] != text_upper(s[k]))
            return false;
    }
    return word[n] == '\0';
}

Word words_find(const WordTable *t, const char *s, size_t n)
{
    for (uint32_t k = hash(s, n); t->slot[k % WORD_SLOTS] != 0; k++) {
        Word w = (Word)t->slot[k % WORD_SLOTS];
        if (spells(entry[w].text, s, n))
            return w;
    }
    return WORD_NONE;
}
