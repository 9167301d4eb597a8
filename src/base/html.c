#include "base/html.h"

#include <string.h>

#include "base/text.h"

static void put_char(Buffer *b, char ch)
{
    switch (ch) {
    case '<': buffer_text(b, "&lt;"); break;
    case '>': buffer_text(b, "&gt;"); break;
    case '&': buffer_text(b, "&amp;"); break;
    case '"': buffer_text(b, "&quot;"); break;
    case '\'': buffer_text(b, "&#39;"); break;
    case '\n':
    case '\t': buffer_char(b, ch); break;
    default:
        if ((unsigned char)ch < 32 || ch == 127)
            buffer_text(b, "\xEF\xBF\xBD");
        else
            buffer_char(b, ch);
        break;
    }
}

void html_bytes(Buffer *b, const char *text, size_t n)
{
    for (size_t at = 0; at < n;) {
        size_t length = text_char_length(text + at, n - at);
        if (length == 0)
            buffer_text(b, "\xEF\xBF\xBD");
        else if (length == 1)
            put_char(b, text[at]);
        else
            buffer_bytes(b, text + at, length);
        at += length ? length : 1;
    }
}

void html_text(Buffer *b, const char *text)
{
    html_bytes(b, text, strlen(text));
}

/* "<" would end the script, or begin a comment in it. */
void html_json(Buffer *b, const char *text)
{
    Buffer plain = {0};
    buffer_json(&plain, text);
    for (const char *s = buffer_string(&plain); *s; s++)
        if (*s == '<' || *s == '>' || *s == '&')
            buffer_format(b, "\\u%04x", (unsigned)*s);
        else
            buffer_char(b, *s);
    b->broken = b->broken || plain.broken;
    buffer_free(&plain);
}
