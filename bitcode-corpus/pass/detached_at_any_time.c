// Whether a thread is detached before or after its end makes no difference: one execution shows all.
//@ executions: 1
//@ blocked: 0
#include <pthread.h>

static void *run(void *unused) {
    return unused;
}

int main(void) {
    pthread_t threads[3];
    for (int number = 0; number < 3; number++)
        pthread_create(&threads[number], NULL, run, NULL);
    for (int number = 0; number < 3; number++)
        pthread_detach(threads[number]);
    return 0;
}
