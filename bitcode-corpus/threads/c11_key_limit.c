// Keys for values of threads come to an end.
//@ outcomes: 1
//@ native
#include <stdio.h>
#include <threads.h>

int main(void) {
    tss_t key;
    int result;
    for (int made = 0; (result = tss_create(&key, NULL)) == thrd_success && made < 5000; made++)
        ;
    printf("%d\n", result == thrd_error);
    return 0;
}
