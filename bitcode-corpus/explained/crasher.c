// After Symbiosis's "crasher": a pointer is tested, and gone when it is followed. Six threads.
#include <pthread.h>
#include <stddef.h>

static int value = 7;
static int *volatile shared = &value;
static volatile int uses[4];

static void *use(void *place) {
    volatile int *count = place;
    *count = *count + 1;
    if (shared != NULL)
        *count = *count + *shared; //~ ERROR: null pointer dereference
    return NULL;
}

static void *drop(void *unused) {
    shared = NULL;
    return unused;
}

int main(void) {
    pthread_t threads[5];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, use, (void *)&uses[i]);
    pthread_create(&threads[4], NULL, drop, NULL);
    for (int i = 0; i < 5; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
