// A worker that a worker creates is not joined. Whether it has ended when the process does is open.
//@ flags: --check leak --reduction source-sets
#include <pthread.h>

static void *rest(void *unused) {
    return unused;
}

static void *work(void *unused) {
    pthread_t helper;
    pthread_create(&helper, NULL, rest, NULL); //~ ERROR: thread leak: T1.1 rest is never joined or detached
    return unused;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    pthread_detach(worker);
    return 0;
}
