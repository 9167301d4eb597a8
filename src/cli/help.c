#include "cli/help.h"

#include <assert.h>
#include <string.h>

#include "base/buffer.h"
#include "base/macros.h"
#include "base/method_facts.h"
#include "cli/options.h"

enum { COMMAND_TEXT = 32, OPTION_TEXT = 26, WIDTH = 79 };

/* Commands, and their further lines, which have NULL for `first`. */
static const struct Use {
    const char *first; // the command, where its options follow
    const char *word, *arguments, *text;
} uses[] = {
#define COMMAND(word, arguments, text, candidates, words)                      \
    {#word, #word, arguments, text},
#define USE(word, arguments, text) {NULL, #word, arguments, text},
#include "cli/commands.def"
};

/* Writes the words of a text from column `margin` on; the line is already at
   `column`. */
static void put_words(FILE *to, const char *text, int column, int margin)
{
    const char *before = "";
    fprintf(to, "%*s", column < margin ? margin - column : 1, "");
    column = margin;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (column + (int)strlen(before) + (int)n > WIDTH) {
            fprintf(to, "\n%*s", margin, "");
            column = margin;
            before = "";
        }
        fprintf(to, "%s%.*s", before, (int)n, text);
        column += (int)strlen(before) + (int)n;
        text += n + strspn(text + n, " ");
        before = " ";
    }
    fputc('\n', to);
}

static void put_option(FILE *to, const Option *o)
{
    static const char *const between[] = {
        [OPTION_FLAG] = "", [OPTION_VALUE] = " ", [OPTION_PERHAPS] = "[="};
    bool joined = o->name[strlen(o->name) - 1] == '=';
    Buffer text = {0};
    char name[40];
    int n = snprintf(name, sizeof name, "      %s%s%s%s", o->name,
                     joined ? "" : between[o->form], o->value ? o->value : "",
                     o->form == OPTION_PERHAPS ? "]" : "");
    assert(n < OPTION_TEXT);
    buffer_text(&text, o->text);
    if (o->candidates == CANDIDATES_METHODS)
        method_facts_list(&text, " ", true);
    fputs(name, to);
    put_words(to, buffer_string(&text), n, OPTION_TEXT);
    buffer_free(&text);
}

/* Writes a blank line before a command that has options, and one before these,
   which follow its last line. */
static void put_use(FILE *to, const struct Use *u, bool apart, bool last)
{
    const Option *o = option_next(NULL, u->word);
    if (apart || (o && u->first))
        fputc('\n', to);
    int n = fprintf(to, "  cosy %s %s", u->word, u->arguments);
    put_words(to, u->text, n, COMMAND_TEXT);
    if (o && last)
        fputc('\n', to);
    for (; o && last; o = option_next(o, u->word))
        put_option(to, o);
}

void help_print(FILE *to)
{
    bool apart = true;
    fputs("cosy " COSY_RELEASE
          ": combined continuous and discrete simulation\n",
          to);
    for (size_t k = 0; k < LENGTH(uses); k++) {
        bool last = k + 1 == LENGTH(uses) || uses[k + 1].first;
        put_use(to, &uses[k], apart, last);
        apart = last && option_next(NULL, uses[k].word);
    }
    put_words(to, "cosy --help, cosy --version", 0, 2);
    fputs(
        "\nMODEL is a text (.cosy), C against include/cosy/model.h (.c), or "
        "compiled (.so).\n"
        "Exit status: 0 done, 1 the model has errors, 2 a run failed, 3 wrong "
        "use or\nenvironment.\n",
        to);
}
