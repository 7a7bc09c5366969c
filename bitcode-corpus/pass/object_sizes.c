// What the compiler knows when it is done: sizes of variables and of what is left behind a pointer, and constants.
//@ cflags: -O0
//@ native
#include <stdio.h>
#include <string.h>

static int table[12];
static struct { char head[4]; long body[3]; } pair;
static _Thread_local char own[9];
extern char elsewhere[];
char elsewhere[5];

int main(void) {
    char buffer[10];
    volatile int count = 3;
    memset(buffer, 0, sizeof buffer);
    printf("%zu %zu %zu", __builtin_object_size(buffer, 0), __builtin_object_size(buffer + 4, 0),
           __builtin_object_size(buffer, 2));
    printf(" %zu %zu", __builtin_object_size(table, 0), __builtin_object_size(&table[5], 0));
    printf(" %zu %zu", __builtin_object_size(&pair.body[1], 0), __builtin_object_size(own, 0));
    printf(" %zu %zu\n", __builtin_object_size(elsewhere, 0), __builtin_object_size(&table[12], 0));
    char *moved = buffer + count;
    printf("%d %d\n", __builtin_object_size(moved, 0) == (size_t)-1, __builtin_constant_p(count));
    return 0;
}
