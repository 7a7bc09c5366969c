// The same, where the owner waits.
//@ flags: --check race
#include <pthread.h>

static void *set(void *place) {
    *(int *)place = 1;
    return NULL;
}

int main(void) {
    int x = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, set, &x);
    pthread_join(thread, NULL);
    x++;
    return x != 2;
}
