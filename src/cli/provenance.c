#define _GNU_SOURCE // gnu_get_libc_version
#include "cli/provenance.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/sha256.h"
#include "base/version.h"
#include "cosy/model.h"
#include "load/compiler.h"
#include "load/source.h"
#include "load/tiny.h"
#include "solve/libraries.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* "key": "value", with a comma before it unless it is the first. */
static void put_text(Buffer *b, const char *key, const char *value)
{
    const char *text = (const char *)b->v.bytes;
    bool first = b->v.used > 0 && text[b->v.used - 1] == '{';
    buffer_text(b, first ? "" : ", ");
    buffer_json(b, key);
    buffer_text(b, ": ");
    if (value)
        buffer_json(b, value);
    else
        buffer_text(b, "null");
}

/* ---- Program and machine ------------------------------------------------- */

/* The file that all names of the C compiler lead to: Debian's has the version
   in its name. NULL: there is none. */
static const char *compiler_name(char path[PATH_LENGTH])
{
    Compiler c;
    Fault none = {0};
    if (compiler_find(&c, NULL, &none) != STATUS_OK)
        return NULL;
    char *whole = realpath(c.path, NULL);
    snprintf(path, PATH_LENGTH, "%s", whole ? whole : c.path);
    free(whole);
    return path;
}

static void put_versions(Buffer *b)
{
    char text[PATH_LENGTH];
    buffer_text(b, "\"versions\": {");
    put_text(b, "cosy", COSY_RELEASE);
    put_text(b, "language", COSY_LANGUAGE);
    snprintf(text, sizeof text, "%u", COSY_RESULTS);
    put_text(b, "results", text);
    snprintf(text, sizeof text, "%u", COSY_VERSION);
    put_text(b, "contract", text);
    put_text(b, "contract_sha256", source_contract_hash);
    put_text(b, "built_by", __VERSION__);
    put_text(b, "compiler", compiler_name(text));
    buffer_format(b, ", \"tcc\": %s", tiny_present() ? "true" : "false");
    put_text(b, "libc", gnu_get_libc_version());
    for (unsigned k = 0; k < LIBRARIES; k++) {
        libraries_version(k, text, sizeof text);
        put_text(b, libraries_name(k), text);
    }
    buffer_char(b, '}');
}

#if defined(__x86_64__)

/* The name that the processor gives itself, without the blanks that may
   surround it. */
static void processor_name(char name[64])
{
    unsigned word[12] = {0}, most = __get_cpuid_max(0x80000000, NULL);
    for (unsigned k = 0; k < 3 && most >= 0x80000004; k++)
        __get_cpuid(0x80000002 + k, &word[4 * k], &word[4 * k + 1],
                    &word[4 * k + 2], &word[4 * k + 3]);
    char text[sizeof word + 1] = "";
    memcpy(text, word, sizeof word);
    const char *begin = text + strspn(text, " ");
    size_t n = strlen(begin);
    while (n > 0 && begin[n - 1] == ' ')
        n--;
    snprintf(name, 64, "%.*s", (int)n, begin);
}

/* Where there is fused multiply-add, the mathematical library uses other
   functions, with other last bits. */
static bool has_fma(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("fma") != 0;
}

#else

static void processor_name(char name[64])
{
    name[0] = '\0';
}

static bool has_fma(void)
{
    return true;
}

#endif

static void put_processor(Buffer *b, bool named)
{
    struct utsname system;
    char name[64];
    processor_name(name);
    buffer_text(b, "\"processor\": {");
    if (named)
        put_text(b, "name", name);
    put_text(b, "architecture", uname(&system) == 0 ? system.machine : NULL);
    buffer_format(b, ", \"fma\": %s}", has_fma() ? "true" : "false");
}

void provenance_begin(Provenance *p)
{
    *p = (Provenance){0};
    put_versions(&p->machine);
    buffer_text(&p->machine, ", ");
    buffer_bytes(&p->kind, (const char *)p->machine.v.bytes, p->machine.v.used);
    put_processor(&p->machine, true);
    put_processor(&p->kind, false);
}

/* ---- Inputs -------------------------------------------------------------- */

void provenance_input(Provenance *p, const char *kind, const char *name,
                      const void *bytes, size_t n)
{
    Sha256 h;
    Buffer head = {0};
    char hash[SHA256_LENGTH];
    buffer_char(&head, '{');
    put_text(&head, "kind", kind);
    put_text(&head, "name", name);
    if (!p->inputs.v.used ||
        !strstr(buffer_string(&p->inputs), buffer_string(&head))) {
        sha256_begin(&h);
        sha256_add(&h, bytes, n);
        sha256_end(&h, hash);
        put_text(&head, "sha256", hash);
        buffer_format(&p->inputs, "%s%s}", p->inputs.v.used ? ", " : "",
                      buffer_string(&head));
    }
    p->inputs.broken = p->inputs.broken || head.broken;
    buffer_free(&head);
}

Status provenance_file(Provenance *p, const char *kind, const char *name,
                       const char *path, Fault *f)
{
    Buffer b = {0};
    Status status = file_read(path, &b, f);
    if (status == STATUS_OK)
        provenance_input(p, kind, name, b.v.bytes, b.v.used);
    buffer_free(&b);
    return status;
}

/* ---- The object ---------------------------------------------------------- */

static void write_with(Buffer *b, const Provenance *p, const RunCommand *r,
                       const Buffer *machine)
{
    buffer_text(b, "{\"options\": [");
    buffer_bytes(b, (const char *)r->given.v.bytes, r->given.v.used);
    buffer_format(b, "], \"seed\": %llu, \"inputs\": [",
                  (unsigned long long)r->kernel.seed);
    buffer_bytes(b, (const char *)p->inputs.v.bytes, p->inputs.v.used);
    buffer_char(b, ']');
    if (p->body[0])
        put_text(b, "body_sha256", p->body);
    buffer_text(b, ", ");
    buffer_bytes(b, (const char *)machine->v.bytes, machine->v.used);
    buffer_char(b, '}');
    b->broken =
        b->broken || r->given.broken || p->inputs.broken || machine->broken;
}

void provenance_write(Buffer *b, const Provenance *p, const RunCommand *r)
{
    write_with(b, p, r, &p->machine);
}

void provenance_stamp(Buffer *b, const Provenance *p, const RunCommand *r)
{
    write_with(b, p, r, &p->kind);
}

void provenance_free(Provenance *p)
{
    buffer_free(&p->machine);
    buffer_free(&p->kind);
    buffer_free(&p->inputs);
}
