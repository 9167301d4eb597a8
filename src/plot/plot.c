#include "plot/plot.h"

#include <ctype.h>
#include <string.h>

#include "plot/script.h"

void plot_name(Buffer *b, uint32_t number, const char *title)
{
    enum { LONGEST = 60 };
    size_t before;
    bool gap = true;
    buffer_format(b, "%02u", number);
    before = b->v.used;
    for (const char *s = title; *s && b->v.used - before < LONGEST; s++) {
        unsigned char c = (unsigned char)*s;
        if (c < 128 && isalnum(c)) {
            if (gap)
                buffer_char(b, '-');
            buffer_char(b, (char)tolower(c));
        }
        gap = !(c < 128 && isalnum(c));
    }
    if (b->v.used == before)
        buffer_text(b, "-graph");
}

Status plot_write(const Plot *p, const char *dir, const char *name,
                  unsigned wanted, Fault *f)
{
    Buffer path = {0}, text = {0};
    Status s = dir_make(dir, f);
    plot_script(&text, p, name, wanted);
    buffer_format(&path, "%s/%s.gp", dir, name);
    if (s == STATUS_OK && (text.broken || path.broken))
        s = fault_set(f, STATUS_MEMORY, "%s: no memory for %s.gp", dir, name);
    if (s == STATUS_OK)
        s = file_put(buffer_string(&path), text.v.bytes, text.v.used, f);
    buffer_free(&path);
    buffer_free(&text);
    return s;
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

bool plot_is_own(const char *name, const char *beginning)
{
    if (!isdigit((unsigned char)name[0]) || !isdigit((unsigned char)name[1]))
        return false;
    if (ends_in(name, ".gp"))
        return strncmp(beginning, SCRIPT_HEAD, strlen(SCRIPT_HEAD)) == 0;
    for (size_t k = 0; k < SCRIPT_FORMATS; k++)
        if (ends_in(name, script_formats[k].ending))
            return strncmp(beginning, script_formats[k].begins,
                           strlen(script_formats[k].begins)) == 0;
    return false;
}
