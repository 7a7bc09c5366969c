/* What a program can tell symx.
 *
 *     unsigned n = symx_u32("n");     an input with any value; its name is in the report
 *     symx_assume(n < 10);            explore only executions in which this holds
 *     assert(n != 7);                 found, with n = 7
 *
 * Programs may as well use klee/klee.h or SV-COMP's __VERIFIER_* functions. */

#ifndef SYMX_H
#define SYMX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the `size` bytes at `address` an input called `name`. */
void symx_make_symbolic(void *address, size_t size, const char *name);

/* An input with any value of its type. */
bool symx_bool(const char *name);
int8_t symx_i8(const char *name);
uint8_t symx_u8(const char *name);
int16_t symx_i16(const char *name);
uint16_t symx_u16(const char *name);
int32_t symx_i32(const char *name);
uint32_t symx_u32(const char *name);
int64_t symx_i64(const char *name);
uint64_t symx_u64(const char *name);

/* Leaves out executions in which the condition is zero. */
void symx_assume(uintptr_t condition);

/* What must always hold where it stands: a predicate of the program's meaning, for `symx races` and `symx run` alike. */
#define symx_invariant(condition) ((condition) ? (void)0 : symx_invariant_violated(#condition))
void symx_invariant_violated(const char *condition);

/* Whether a value depends on inputs on the present path. */
int symx_is_symbolic(uintptr_t value);

#ifdef __cplusplus
}
#endif

#endif
