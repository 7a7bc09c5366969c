// Each thread shows that it is there before it looks for the other: sequentially consistent, at most one goes in.
//@ flags: --check race
#include <pthread.h>
#include <stdatomic.h>

atomic_int here, there;
int data;

static void *one(void *unused) {
    atomic_store(&here, 1);
    if (!atomic_load(&there))
        data++;
    return unused;
}

static void *two(void *unused) {
    atomic_store(&there, 1);
    if (!atomic_load(&here))
        data++;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
