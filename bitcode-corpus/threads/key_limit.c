// There are at least 128 keys, and not any number.
//@ outcomes: 1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_key_t key;
    int count = 0, error;
    while ((error = pthread_key_create(&key, NULL)) == 0 && count < 100000)
        count++;
    printf("%d,%d\n", count >= 128, error == EAGAIN);
    return 0;
}
