// A process that has got its result from a thread may end before the thread does, or after.
//@ flags: --check unfinished-thread
//@ again: --reduction source-sets
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int result;

static void *work(void *unused) {
    result = 1;
    sem_post(&done);
    result = 2;
    return unused;
}

int main(void) { //~ ERROR: the process ends before T1 work
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
    sem_wait(&done);
    return 0;
}
