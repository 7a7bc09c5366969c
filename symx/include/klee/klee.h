/* The functions that programs written for KLEE 3 call, as symx understands them.
 *
 * symx explores every path separately and completely. What only steers how KLEE searches, merges or prints has no
 * effect on the result here; it is declared so that programs compile unchanged. */

#ifndef KLEE_H
#define KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Inputs. */

/* Makes the object's bytes symbolic. */
void klee_make_symbolic(void *addr, size_t nbytes, const char *name);
/* A symbolic int; one with begin <= result < end. */
int klee_int(const char *name);
int klee_range(int begin, int end, const char *name);
/* A symbolic number below n. */
uintptr_t klee_choose(uintptr_t n);

/* Conditions. */

/* Goes on only where the condition holds. */
void klee_assume(uintptr_t condition);
#define klee_assert(condition) \
    ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __func__))
void __assert_fail(const char *assertion, const char *file, unsigned int line, const char *function)
    __attribute__((noreturn));
/* Fails with this message. */
void klee_report_error(const char *file, int line, const char *message, const char *suffix)
    __attribute__((noreturn));
void klee_abort(void) __attribute__((noreturn));
/* Ends the path without an error. */
void klee_silent_exit(int status) __attribute__((noreturn));
/* Fails unless the bytes are within one object. */
void klee_check_memory_access(const void *address, size_t size);

/* Questions. */

/* Whether the value depends on symbolic inputs on this path. */
unsigned klee_is_symbolic(uintptr_t n);
/* 0: this is not a native replay. */
unsigned klee_is_replay(void);
/* Size of the object that contains the address. */
size_t klee_get_obj_size(void *ptr);
int klee_get_errno(void);
/* A concrete value: each one that is possible is a path of its own. */
float klee_get_valuef(float expr);
double klee_get_valued(double expr);
long klee_get_valuel(long expr);
long long klee_get_valuell(long long expr);
int32_t klee_get_value_i32(int32_t expr);
int64_t klee_get_value_i64(int64_t expr);

/* Messages, on the program's standard error. */

void klee_warning(const char *message);
void klee_warning_once(const char *message);
void klee_print_expr(const char *message, ...);
void klee_print_range(const char *name, int arg);
void klee_stack_trace(void);

/* Hints without effect here. */

void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);
void klee_mark_global(void *object);
void klee_set_forking(unsigned enable);
void klee_merge(void);
void klee_open_merge(void);
void klee_close_merge(void);

/* Not supported: a call makes the verdict incomplete. */

void klee_define_fixed_object(void *addr, size_t nbytes);
void klee_alias_function(const char *fn_name, const char *new_fn_name);

#ifdef __cplusplus
}
#endif

#endif
