// A deleted key cannot be deleted again or given a value.
//@ outcomes: 0,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_key_t key;
    pthread_key_create(&key, NULL);
    printf("%d", pthread_key_delete(key));
    printf(",%d", pthread_key_delete(key) == EINVAL);
    printf(",%d\n", pthread_setspecific(key, &key) == EINVAL);
    return 0;
}
