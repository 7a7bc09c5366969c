// A section that waits for a mutex lets others go on while it waits; then it has the rest to itself.
//@ outcomes: 00 01 11
#include <pthread.h>
#include <stdio.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int before, inside, seen;

static void *hold(void *unused) {
    before = 1;
    pthread_mutex_lock(&mutex);
    inside = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *look(void *unused) {
    __VERIFIER_atomic_begin();
    seen = before;
    pthread_mutex_lock(&mutex);
    seen += 10 * inside;
    pthread_mutex_unlock(&mutex);
    __VERIFIER_atomic_end();
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, hold, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%02d\n", seen);
    return 0;
}
