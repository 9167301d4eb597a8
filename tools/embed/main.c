/* embed OUT DIR NAME=FILE...
   embed --text OUT HEADER NAME=FILE...
   embed --library OUT HEADER NAME=FILE...

   Makes C files part of the program: each FILE becomes an array of characters
   NAME, its length NAME_length and its SHA-256 NAME_hash, declared in
   src/load/source.h. Files that it includes from DIR with #include "..." are
   inserted in place, each once, and comments, empty lines and all but single
   blanks are left out: the text is read by compilers, and by tcc at every cold
   start.

   With --text a FILE is copied unchanged, and its array is declared in HEADER.
   With --library the same, and a table of all of them is added: that of
   src/expand/standard.h.

   Exit status: 0 success, 1 something is wrong, 3 wrong use. */

#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/macros.h"
#include "base/sha256.h"

enum { MOST_FILES = 32, NAME_LENGTH = 256 };

typedef struct Job {
    const char *dir;                    // NULL: the file is copied unchanged
    char seen[MOST_FILES][NAME_LENGTH]; // files already included
    int count;
    Buffer out; // text of the array
} Job;

static bool complain(const char *what, const char *name)
{
    fprintf(stderr, "embed: %s: %s\n", name, what);
    return false;
}

/* ---- Comments ------------------------------------------------------------ */

/* The position after the literal that begins at s with a quote. */
static const char *literal_end(const char *s)
{
    char quote = *s++;
    while (*s && *s != quote)
        s += *s == '\\' && s[1] ? 2 : 1;
    return *s ? s + 1 : s;
}

static const char *comment_end(const char *s)
{
    if (s[1] == '/')
        return s + strcspn(s, "\n");
    const char *end = strstr(s + 2, "*/");
    return end ? end + 2 : s + strlen(s);
}

/* Writes a blank, unless the line begins here or there is one already. */
static void put_blank(Buffer *to)
{
    size_t n = to->v.used;
    if (n > 0 && to->v.bytes[n - 1] != '\n' && to->v.bytes[n - 1] != ' ')
        buffer_char(to, ' ');
}

static void without_comments(Buffer *to, const char *s)
{
    while (*s) {
        const char *end = s + 1;
        if (*s == '"' || *s == '\'') {
            end = literal_end(s);
            buffer_bytes(to, s, (size_t)(end - s));
        } else if (*s == '/' && (s[1] == '*' || s[1] == '/')) {
            end = comment_end(s);
            put_blank(to);
        } else if (*s == ' ' || *s == '\t') {
            put_blank(to);
        } else {
            buffer_char(to, *s);
        }
        s = end;
    }
}

/* ---- Lines ---------------------------------------------------------------- */

/* Extracts the name in #include "name"; false for any other line. */
static bool included(const char *line, size_t n, char name[NAME_LENGTH])
{
    static const char word[] = "#include \"";
    size_t begin = sizeof word - 1;
    if (n <= begin || memcmp(line, word, begin) != 0)
        return false;
    size_t length = strcspn(line + begin, "\"");
    if (length >= NAME_LENGTH || begin + length >= n)
        return false;
    memcpy(name, line + begin, length);
    name[length] = '\0';
    return true;
}

static bool first_time(Job *j, const char *name)
{
    for (int k = 0; k < j->count; k++)
        if (strcmp(j->seen[k], name) == 0)
            return false;
    if (j->count < MOST_FILES)
        snprintf(j->seen[j->count++], NAME_LENGTH, "%s", name);
    return true;
}

static bool add_file(Job *j, const char *path);

static bool add_line(Job *j, const char *line, size_t n)
{
    char name[NAME_LENGTH], path[4096];
    while (n > 0 && (line[n - 1] == ' ' || line[n - 1] == '\t'))
        n--;
    if (n == 0)
        return true;
    if (included(line, n, name)) {
        snprintf(path, sizeof path, "%s/%s", j->dir, name);
        return !first_time(j, name) || add_file(j, path);
    }
    buffer_bytes(&j->out, line, n);
    buffer_char(&j->out, '\n');
    return true;
}

static bool add_file(Job *j, const char *path)
{
    Buffer file = {0}, plain = {0};
    Fault f = {0};
    bool ok = true;
    if (file_read(path, &file, &f) != STATUS_OK)
        return complain(f.text, path);
    without_comments(&plain, buffer_string(&file));
    for (const char *s = buffer_string(&plain); ok && *s;) {
        size_t n = strcspn(s, "\n");
        ok = add_line(j, s, n);
        s += s[n] ? n + 1 : n;
    }
    ok = ok && !file.broken && !plain.broken;
    buffer_free(&file);
    buffer_free(&plain);
    return ok;
}

static bool add_text(Job *j, const char *path)
{
    Fault f = {0};
    return file_read(path, &j->out, &f) == STATUS_OK || complain(f.text, path);
}

/* ---- Arrays --------------------------------------------------------------- */

static void put_array(Buffer *b, const char *storage, const char *name,
                      const Buffer *text)
{
    size_t n = text->v.used;
    buffer_format(b, "%sconst char %s[] = {", storage, name);
    for (size_t k = 0; k < n; k++)
        buffer_format(b, "%s%d,", k % 16 ? "" : "\n", text->v.bytes[k]);
    buffer_text(b, "\n0};\n");
    if (!*storage)
        buffer_format(b, "const size_t %s_length = %lu;\n", name,
                      (unsigned long)n);
}

/* What depends on the text can be identified by its hash, which need not be
   computed at every start. */
static void put_hash(Buffer *b, const char *name, const Buffer *text)
{
    Sha256 h;
    char hash[SHA256_LENGTH];
    sha256_begin(&h);
    sha256_add(&h, text->v.bytes, text->v.used);
    sha256_end(&h, hash);
    buffer_format(b, "const char %s_hash[] = \"%s\";\n", name, hash);
}

/* NAME=FILE. */
static bool embed(Buffer *b, const char *dir, const char *storage, char *word)
{
    Job j = {.dir = dir};
    char *equals = strchr(word, '=');
    if (!equals)
        return complain("NAME=FILE is expected", word);
    *equals = '\0';
    bool ok = dir ? add_file(&j, equals + 1) : add_text(&j, equals + 1);
    for (size_t k = 0; ok && k < j.out.v.used; k++)
        if (j.out.v.bytes[k] > 126)
            ok = complain("only ASCII text can be embedded", equals + 1);
    put_array(b, storage, word, &j.out);
    if (dir)
        put_hash(b, word, &j.out);
    ok = ok && !j.out.broken;
    buffer_free(&j.out);
    return ok;
}

/* The table of names and texts. */
static void put_table(Buffer *b, int n, char *const *name)
{
    buffer_text(b, "\nconst StandardText standard_texts[] = {\n");
    for (int k = 0; k < n; k++)
        buffer_format(b, "    {\"%s\", %s, sizeof %s - 1},\n", name[k], name[k],
                      name[k]);
    buffer_format(b, "};\nconst size_t standard_text_count = %d;\n", n);
}

int main(int argc, char **argv)
{
    Buffer b = {0};
    Fault f = {0};
    bool library = argc > 1 && strcmp(argv[1], "--library") == 0;
    bool text = library || (argc > 1 && strcmp(argv[1], "--text") == 0);
    argc -= text;
    argv += text;
    if (argc < 4) {
        fprintf(stderr, "embed OUT DIR NAME=FILE...\n"
                        "embed --text OUT HEADER NAME=FILE...\n"
                        "embed --library OUT HEADER NAME=FILE...\n");
        return 3;
    }
    buffer_format(&b, "/* Made by tools/embed. */\n#include \"%s\"\n\n",
                  text ? argv[2] : "load/source.h");
    bool ok = true;
    for (int k = 3; k < argc; k++)
        ok = embed(&b, text ? NULL : argv[2], library ? "static " : "",
                   argv[k]) &&
             ok;
    if (library)
        put_table(&b, argc - 3, argv + 3);
    if (ok &&
        (b.broken || file_write(argv[1], b.v.bytes, b.v.used, &f) != STATUS_OK))
        ok = complain(f.text, argv[1]);
    buffer_free(&b);
    return ok ? 0 : 1;
}
