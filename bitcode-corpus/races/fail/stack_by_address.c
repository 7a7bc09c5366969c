// A stack variable that another thread knows.
//@ flags: --check race
#include <pthread.h>

static void *set(void *place) {
    *(int *)place = 1; //~ ERROR: data race on `x`
    return NULL;
}

int main(void) {
    int x = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, set, &x);
    x = 2;
    pthread_join(thread, NULL);
    return x < 0;
}
