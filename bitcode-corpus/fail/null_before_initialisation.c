// A thread uses a pointer that its creator sets only after creating it.
#include <pthread.h>

static int value;
static int *volatile shared;

static void *use(void *unused) {
    int *p = shared;
    *(volatile int *)p = 1; //~ ERROR: null pointer dereference
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, use, NULL);
    shared = &value;
    pthread_join(thread, NULL);
    return 0;
}
