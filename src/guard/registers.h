#ifndef COSY_GUARD_REGISTERS_H
#define COSY_GUARD_REGISTERS_H

/* Arguments and result of an intercepted system call, where a signal handler
   finds them. */

#include <stdint.h>
#include <ucontext.h>

#if defined(__x86_64__)

#define GUARD_KNOWN 1

static inline uint64_t call_argument(const ucontext_t *u, unsigned k)
{
    static const int place[] = {REG_RDI, REG_RSI, REG_RDX,
                                REG_R10, REG_R8,  REG_R9};
    return (uint64_t)u->uc_mcontext.gregs[place[k]];
}

static inline void call_result(ucontext_t *u, int64_t value)
{
    u->uc_mcontext.gregs[REG_RAX] = value;
}

#elif defined(__aarch64__)

#define GUARD_KNOWN 1

static inline uint64_t call_argument(const ucontext_t *u, unsigned k)
{
    return u->uc_mcontext.regs[k];
}

static inline void call_result(ucontext_t *u, int64_t value)
{
    u->uc_mcontext.regs[0] = (uint64_t)value;
}

#else

#define GUARD_KNOWN 0

static inline uint64_t call_argument(const ucontext_t *u, unsigned k)
{
    (void)u, (void)k;
    return 0;
}

static inline void call_result(ucontext_t *u, int64_t value)
{
    (void)u, (void)value;
}

#endif

#endif
