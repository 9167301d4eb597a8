#ifndef COSY_BASE_HTML_H
#define COSY_BASE_HTML_H

/* Texts in a page: whatever they hold, they stay text. Malformed UTF-8 and
   control characters become U+FFFD. */

#include "base/buffer.h"

void html_text(Buffer *b, const char *text);
void html_bytes(Buffer *b, const char *text, size_t n);
/* A JSON string that may stand in a <script>. */
void html_json(Buffer *b, const char *text);

#endif
