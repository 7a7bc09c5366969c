// Sixteen threads that each add to all counters: schedules without end.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int counters[16];
static void *adds(void *unused) {
    for (int i = 0; i < 16; i++) atomic_store(&counters[i], atomic_load(&counters[(i + 1) % 16]) + 1);
    return unused;
}
int main(void) {
    pthread_t threads[16];
    for (int i = 0; i < 16; i++) pthread_create(&threads[i], NULL, adds, NULL);
    for (int i = 0; i < 16; i++) pthread_join(threads[i], NULL);
    return 0;
}
