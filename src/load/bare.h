/* What tcc gets instead of the headers of a C library: those parts of what
   cosy/real.h would include that generated code may use; functions of the
   mathematical library are declared there, from their list. Nothing includes
   this file; tools/embed makes it part of the program. So a model runs even if
   no header is installed, neither tcc's own nor the C library's, and tcc reads
   a few dozen lines instead of the two thousand of <math.h>. A model that
   includes more by itself (CCODE) may or may not find its headers; if not, cc
   compiles it. */

#define COSY_BARE

typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;

#define NULL                ((void *)0)
#define offsetof(T, member) ((size_t) & ((T *)0)->member)

#define bool _Bool
#define true 1
#define false 0

#define INT8_MIN    (-128)
#define INT8_MAX    127
#define UINT8_MAX   255
#define INT16_MIN   (-32768)
#define INT16_MAX   32767
#define UINT16_MAX  65535
#define INT32_MIN   (-2147483647 - 1)
#define INT32_MAX   2147483647
#define UINT32_MAX  4294967295U
#define INT64_MIN   (-9223372036854775807L - 1)
#define INT64_MAX   9223372036854775807L
#define UINT64_MAX  18446744073709551615UL
#define SIZE_MAX    18446744073709551615UL
#define INT64_C(n)  n##L
#define UINT64_C(n) n##UL

#define DBL_EPSILON  2.22044604925031308085e-16
#define DBL_MAX      1.79769313486231570815e+308
#define DBL_MIN      2.22507385850720138309e-308
#define LDBL_EPSILON 1.08420217248550443401e-19L
#define LDBL_MAX     1.18973149535723176502e+4932L
#define LDBL_MIN     3.36210314311209350626e-4932L

#define NAN      __nan__
#define INFINITY __inf__
#define HUGE_VAL ((double)__inf__)

void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int byte, size_t n);
