// A copy reads every member.
//@ flags: --check race
#include <pthread.h>

struct pair {
    long a, b;
} x, copy;

static void *one(void *unused) {
    x.b = 1; //~ ERROR: data race on `x.b`
    return unused;
}

static void *two(void *unused) {
    copy = x;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
