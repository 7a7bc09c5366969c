// Sleep orders threads on an idle machine, and guarantees nothing.
//@ outcomes: 12 21
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int order;

static void note(int number) {
    pthread_mutex_lock(&mutex);
    order = order * 10 + number;
    pthread_mutex_unlock(&mutex);
}

static void *run(void *unused) {
    note(1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    usleep(100000);
    note(2);
    pthread_join(thread, NULL);
    printf("%d\n", order);
    return 0;
}
