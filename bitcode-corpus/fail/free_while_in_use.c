// One thread frees what another may still be using.
#include <pthread.h>
#include <stdlib.h>

static int *volatile shared;

static void *use(void *unused) {
    int *p = shared;
    *(volatile int *)p = 1; //~ ERROR: use after free
    return unused;
}

int main(void) {
    pthread_t thread;
    shared = malloc(sizeof(int));
    pthread_create(&thread, NULL, use, NULL);
    free(shared);
    pthread_join(thread, NULL);
    return 0;
}
