// A thread asks how nice another one is, by its number. It may have ended by then.
//@ outcomes: there gone
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static sem_t known;
static int number;

static void *run(void *unused) {
    number = syscall(SYS_gettid);
    sem_post(&known);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&known, 0, 0);
    pthread_create(&thread, NULL, run, NULL);
    sem_wait(&known);
    errno = 0;
    puts(getpriority(PRIO_PROCESS, number) == 0 && errno == 0 ? "there" : errno == ESRCH ? "gone" : "?");
    pthread_join(thread, NULL);
    return 0;
}
