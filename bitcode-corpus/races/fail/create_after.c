// What the creator does afterwards is not ordered.
//@ flags: --check race
#include <pthread.h>

int data, seen;

static void *one(void *unused) {
    seen = data; //~ ERROR: data race on `data`
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, one, NULL);
    data = 1;
    pthread_join(thread, NULL);
    return 0;
}
