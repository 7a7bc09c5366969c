// A signal interrupts a thread that waits for a unit of a semaphore, after another thread has taken the last
// one. The thread may have taken that unit before, when there was no signal yet.
//@ outcomes: 1a 1b
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>

static sem_t units;
static char taken = '0';

static void handle(int number) {
    (void)number;
}

static void *take(void *unused) {
    sem_wait(&units);
    taken = '1';
    return unused;
}

int main(void) {
    pthread_t taker;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    sem_init(&units, 0, 1);
    pthread_create(&taker, NULL, take, NULL);
    int refused = sem_trywait(&units);
    pthread_kill(taker, SIGUSR1);
    sem_post(&units);
    pthread_join(taker, NULL);
    printf("%c%c\n", taken, refused ? 'b' : 'a');
    return 0;
}
