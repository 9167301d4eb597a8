#define _DEFAULT_SOURCE // MAP_ANONYMOUS

#include "load/tiny.h"

#include <dlfcn.h>
#include <libtcc.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "cosy/real.h"

#if defined(__x86_64__)
#include <fpu_control.h>
#endif

/* ---- What the code is linked with ------------------------------------------- */

/* Helpers that tcc calls for conversions the processor has no instruction for;
   usually libtcc1.a has them. */
static double from_u64(uint64_t a)
{
    return (double)a;
}

static long double from_u64_extended(uint64_t a)
{
    return (long double)a;
}

static float from_u64_float(uint64_t a)
{
    return (float)a;
}

static uint64_t to_u64(double a)
{
    return (uint64_t)a;
}

static uint64_t to_u64_extended(long double a)
{
    return (uint64_t)a;
}

static uint64_t to_u64_float(float a)
{
    return (uint64_t)a;
}

static int64_t to_i64(double a)
{
    return (int64_t)a;
}

static int64_t to_i64_extended(long double a)
{
    return (int64_t)a;
}

static int64_t to_i64_float(float a)
{
    return (int64_t)a;
}

typedef void (*Function)(void);

typedef struct Link {
    const char *name;
    Function function;
} Link;

#define LIBM(f) {#f, (Function)f}, {#f "l", (Function)f##l},

static const Link links[] = {
    COSY_LIBM_LIST(LIBM, LIBM) //
    {"memcpy", (Function)memcpy},
    {"memmove", (Function)memmove},
    {"memset", (Function)memset},
    {"__floatundidf", (Function)from_u64},
    {"__floatundixf", (Function)from_u64_extended},
    {"__floatundisf", (Function)from_u64_float},
    {"__fixunsdfdi", (Function)to_u64},
    {"__fixunsxfdi", (Function)to_u64_extended},
    {"__fixunssfdi", (Function)to_u64_float},
    {"__fixdfdi", (Function)to_i64},
    {"__fixxfdi", (Function)to_i64_extended},
    {"__fixsfdi", (Function)to_i64_float},
};

/* ---- Rounding of constants ---------------------------------------------------- */

#if defined(__x86_64__)

/* Makes x87 round to double; returns the previous setting. */
static unsigned round_to_double(void)
{
    fpu_control_t before, now;
    _FPU_GETCW(before);
    now = (fpu_control_t)((before & ~_FPU_EXTENDED) | _FPU_DOUBLE);
    _FPU_SETCW(now);
    return before;
}

static void round_as_before(unsigned before)
{
    fpu_control_t word = (fpu_control_t)before;
    _FPU_SETCW(word);
}

#else

static unsigned round_to_double(void)
{
    return 0;
}

static void round_as_before(unsigned before)
{
    (void)before;
}

#endif

/* ---- Compiling ------------------------------------------------------------------ */

typedef struct Work {
    Buffer text;      // what is compiled
    Buffer errors;    // what tcc said
    Buffer undefined; // names, each with a NUL
    uint32_t precision;
    bool undeclared; // an undeclared function is called
} Work;

static void hear(void *user, const char *message)
{
    static const char words[] = "undefined symbol '";
    Work *w = user;
    const char *name = strstr(message, words);
    if (name) {
        name += sizeof words - 1;
        buffer_bytes(&w->undefined, name, strcspn(name, "'"));
        buffer_char(&w->undefined, '\0');
    }
    w->undeclared |= strstr(message, "implicit declaration") != NULL;
    buffer_format(&w->errors, "%s\n", message);
}

static void add_function(TCCState *tcc, const char *name, Function function)
{
    void *address;
    memcpy(&address, &function, sizeof address);
    tcc_add_symbol(tcc, name, address);
}

/* Adds names that the first trial missed, from the libraries of the process;
   false if one is not there. */
static bool add_missed(TCCState *tcc, const Buffer *names)
{
    const char *at = (const char *)names->v.bytes, *end = at + names->v.used;
    void *process = dlopen(NULL, RTLD_LAZY);
    bool all = process != NULL;
    for (; all && at < end; at += strlen(at) + 1) {
        void *address = dlsym(process, at);
        all = address && tcc_add_symbol(tcc, at, address) == 0;
    }
    if (process)
        dlclose(process);
    return all;
}

static bool compile(TCCState *tcc, Work *w)
{
    const char *text = buffer_string(&w->text);
    unsigned before = w->precision == 1 ? round_to_double() : 0;
    bool done = tcc_compile_string(tcc, text) == 0;
    if (w->precision == 1)
        round_as_before(before);
    return done && !w->undeclared; // tcc would assume that it returns int
}

static bool place(TCCState *tcc, TinyCode *code)
{
    int size = tcc_relocate(tcc, NULL);
    if (size <= 0)
        return false;
    void *memory = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    code->memory = memory;
    code->size = (size_t)size;
    return tcc_relocate(tcc, memory) == 0;
}

/* One trial; `missed` holds the names that an earlier one did not find. */
static bool attempt(TinyCode *code, Work *w, const Buffer *missed,
                    const char *name, const void **symbol)
{
    TCCState *tcc = tcc_new();
    if (!tcc)
        return false;
    tcc_set_error_func(tcc, w, hear);
    tcc_set_options(tcc, "-nostdlib");
    tcc_set_output_type(tcc, TCC_OUTPUT_MEMORY);
    for (size_t k = 0; k < LENGTH(links); k++)
        add_function(tcc, links[k].name, links[k].function);
    bool done = add_missed(tcc, missed) && compile(tcc, w) && place(tcc, code);
    *symbol = done ? tcc_get_symbol(tcc, name) : NULL;
    tcc_delete(tcc);
    if (!*symbol)
        tiny_free(code);
    return *symbol != NULL;
}

bool tiny_present(void)
{
    return true;
}

Status tiny_compile(TinyCode *code, const Source *s, const char *name,
                    const void **symbol, Fault *f)
{
    Work w = {.precision = s->precision};
    Buffer none = {0}, missed;
    *code = (TinyCode){0};
    if (s->precision > 2)
        return fault_set(f, STATUS_UNSUPPORTED,
                         "tcc does not know PRECISION = QUAD: a C compiler "
                         "such as gcc is needed");
    source_write(&w.text, s, true);
    bool done = !w.text.broken && attempt(code, &w, &none, name, symbol);
    if (!done && w.undefined.v.used > 0) {
        missed = w.undefined;
        w.undefined = (Buffer){0};
        done = attempt(code, &w, &missed, name, symbol);
        buffer_free(&missed);
    }
    if (!done)
        fault_set(f, STATUS_MODEL, "tcc cannot compile %s: %.300s", s->name,
                  w.errors.v.used ? buffer_string(&w.errors)
                                  : "no memory for its code");
    buffer_free(&w.text);
    buffer_free(&w.errors);
    buffer_free(&w.undefined);
    return done ? STATUS_OK : STATUS_MODEL;
}

void tiny_free(TinyCode *code)
{
    if (code->memory)
        munmap(code->memory, code->size);
    *code = (TinyCode){0};
}
