// A timer calls a function in a thread of its own.
//@ outcomes: 1,7
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static sem_t called;
static pthread_t main_thread;
static int value, other;

static void expired(union sigval with) {
    value = with.sival_int;
    other = !pthread_equal(pthread_self(), main_thread);
    sem_post(&called);
}

int main(void) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD};
    struct itimerspec when = {.it_value = {0, 1000000}};
    event.sigev_notify_function = expired;
    event.sigev_value.sival_int = 7;
    main_thread = pthread_self();
    sem_init(&called, 0, 0);
    timer_create(CLOCK_REALTIME, &event, &timer);
    timer_settime(timer, 0, &when, NULL);
    sem_wait(&called);
    printf("%d,%d\n", other, value);
    return 0;
}
