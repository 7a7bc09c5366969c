// A handler ends a write of which a part has been done, even a handler that is to restart calls.
//@ outcomes: 65536 70000
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static sem_t writing;
static int ends[2];
static char bytes[70000];

static void handle(int signal) {
    (void)signal;
}

static void *run(void *written) {
    sem_post(&writing);
    *(int *)written = (int)write(ends[1], bytes, sizeof bytes);
    return NULL;
}

int main(void) {
    static char content[65536];
    pthread_t thread;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    struct timespec moment = {.tv_nsec = 50000000};
    int written;
    if (pipe(ends))
        return 1;
    sem_init(&writing, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, run, &written);
    sem_wait(&writing);
    nanosleep(&moment, NULL);
    pthread_kill(thread, SIGUSR1);
    nanosleep(&moment, NULL);
    size_t count = 0;
    while (count < sizeof content)
        count += (size_t)read(ends[0], content + count, sizeof content - count);
    pthread_join(thread, NULL);
    printf("%d\n", written);
    return 0;
}
