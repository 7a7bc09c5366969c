// Two threads that take a hundred thousand steps by turns.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *adds(void *unused) {
    for (int i = 0; i < 100000; i++) atomic_fetch_add(&x, i % 3);
    return unused;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, adds, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
