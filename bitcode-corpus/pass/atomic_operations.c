// Every atomic read-modify-write in one thread: old values and results.
//@ native
#include <stdatomic.h>
#include <stdio.h>

int main(void) {
    atomic_int a = 12;
    printf("%d ", atomic_fetch_add(&a, 5));
    printf("%d ", atomic_fetch_sub(&a, 2));
    printf("%d ", atomic_fetch_or(&a, 0x40));
    printf("%d ", atomic_fetch_and(&a, 0x4c));
    printf("%d ", atomic_fetch_xor(&a, 0xff));
    printf("%d %d\n", atomic_exchange(&a, 9), atomic_load(&a));
    int expected = 8;
    printf("%d %d\n", atomic_compare_exchange_strong(&a, &expected, 1), expected);
    printf("%d %d\n", atomic_compare_exchange_strong(&a, &expected, 1), atomic_load(&a));
    atomic_flag flag = ATOMIC_FLAG_INIT;
    printf("%d %d\n", atomic_flag_test_and_set(&flag), atomic_flag_test_and_set(&flag));
    return 0;
}
