// One handler interrupts another between two accesses to a variable that only handlers touch.
//@ outcomes: 12 123 132 312
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

static volatile int order;
static sem_t end;

static void first(int signal) {
    (void)signal;
    order = order * 10 + 1;
    order = order * 10 + 2;
}

static void second(int signal) {
    (void)signal;
    order = order * 10 + 3;
}

static void *receive(void *unused) {
    (void)unused;
    sem_wait(&end);
    return NULL;
}

int main(void) {
    pthread_t receiver;
    signal(SIGUSR1, first);
    signal(SIGUSR2, second);
    sem_init(&end, 0, 0);
    pthread_create(&receiver, NULL, receive, NULL);
    pthread_kill(receiver, SIGUSR1);
    pthread_kill(receiver, SIGUSR2);
    sem_post(&end);
    pthread_join(receiver, NULL);
    printf("%d\n", order);
    return 0;
}
