// Plain accesses of four threads to one array, every one a race.
// options: --check race --keep-going
#include <pthread.h>
static int shared[64];
static void *adds(void *unused) {
    for (int round = 0; round < 1000; round++)
        for (int i = 0; i < 64; i++) shared[i] += round;
    return unused;
}
int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, adds, NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    return 0;
}
