// Clean-up routines run innermost first, then destructors of keys.
//@ outcomes: inner,outer,key
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t semaphore;
static pthread_key_t key;

static const char *said[3];
static int count;

static void say(void *text) { said[count++] = text; }

static void *run(void *unused) {
    pthread_setspecific(key, "key");
    pthread_cleanup_push(say, "outer");
    pthread_cleanup_push(say, "inner");
    sem_wait(&semaphore);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_key_create(&key, say);
    pthread_create(&thread, NULL, run, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    printf("%s,%s,%s\n", said[0], said[1], said[2]);
    return 0;
}
