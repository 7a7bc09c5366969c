// A deleted key is no key any more.
//@ outcomes: 0,0,0,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_key_t key;
    printf("%d", pthread_key_create(&key, NULL));
    printf(",%d", pthread_setspecific(key, &key));
    printf(",%d", pthread_key_delete(key));
    printf(",%d", pthread_setspecific(key, &key) == EINVAL);
    printf(",%d\n", pthread_key_delete(key) == EINVAL);
    return 0;
}
