// A key made after another was deleted has no values of that.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_key_t key;
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, &key);
    pthread_key_delete(key);
    pthread_key_create(&key, NULL);
    printf("%d\n", pthread_getspecific(key) == NULL);
    return 0;
}
