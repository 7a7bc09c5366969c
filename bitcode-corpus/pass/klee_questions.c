// What klee.h answers about values and objects.
#include <assert.h>
#include <errno.h>
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int x = klee_int("x");
    char *block = malloc(24);
    assert(klee_get_obj_size(block + 3) == 24);
    klee_check_memory_access(block, 24);
    assert(klee_is_symbolic(x) && !klee_is_symbolic(7) && !klee_is_replay());
    errno = EDOM;
    assert(klee_get_errno() == EDOM);
    klee_prefer_cex(&x, x == 3);
    klee_open_merge();
    if (x > 0)
        klee_warning_once("positive");
    klee_close_merge();
    klee_print_expr("x", x);
    int y = klee_range(3, 6, "y");
    klee_print_range("y", y);
    int z = klee_get_value_i32(y);
    assert(!klee_is_symbolic(z) && z >= 3 && z < 6);
    klee_assert(klee_choose(2) < 2);
    if (x == 5)
        klee_silent_exit(3);
    free(block);
    return 0;
}
