// pthread_mutex_unlock of a robust mutex by a thread that does not own it is EPERM, whatever its type; the owner keeps it.
//@ outcomes: EPERM,EPERM,EBUSY,0
//@ native
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex;

static const char *name(int error) {
    return error == EPERM ? "EPERM" : error == EBUSY ? "EBUSY" : error == 0 ? "0" : "?";
}

static void *other(void *unused) {
    printf(",%s", name(pthread_mutex_unlock(&mutex)));
    printf(",%s", name(pthread_mutex_trylock(&mutex)));
    return unused;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t thread;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    printf("%s", name(pthread_mutex_unlock(&mutex)));
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, other, NULL);
    pthread_join(thread, NULL);
    printf(",%s\n", name(pthread_mutex_unlock(&mutex)));
    return 0;
}
