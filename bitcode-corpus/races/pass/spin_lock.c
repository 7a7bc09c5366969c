// A spin lock protects.
//@ flags: --check race
#include <pthread.h>

pthread_spinlock_t lock;
int x;

static void *one(void *unused) {
    pthread_spin_lock(&lock);
    x++;
    pthread_spin_unlock(&lock);
    return unused;
}

static void *two(void *unused) {
    pthread_spin_lock(&lock);
    x--;
    pthread_spin_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_spin_init(&lock, 0);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
