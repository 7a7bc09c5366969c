// A signal interrupts a thread before or after its load, whenever another thread's store reaches memory.
//@ outcomes: 02 03 12 22 23 33
//@ executions: 13
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

static int x;

static void add(int number) {
    (void)number;
    __atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
}

static void *store(void *unused) {
    x = 2;
    return unused;
}

static void *load(void *unused) {
    (void)unused;
    return (void *)(uintptr_t)x;
}

int main(void) {
    pthread_t storing, loading;
    void *loaded;
    signal(SIGUSR1, add);
    pthread_create(&storing, NULL, store, NULL);
    pthread_create(&loading, NULL, load, NULL);
    pthread_kill(loading, SIGUSR1);
    pthread_join(loading, &loaded);
    pthread_join(storing, NULL);
    printf("%d%d\n", (int)(uintptr_t)loaded, __atomic_load_n(&x, __ATOMIC_RELAXED));
    return 0;
}
