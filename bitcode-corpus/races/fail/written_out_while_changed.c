// What write() takes out of a buffer it reads.
//@ flags: --check race
#include <pthread.h>
#include <unistd.h>

char line[] = "line\n";

static void *one(void *unused) {
    line[0] = 'L'; //~ ERROR: data race on
    return unused;
}

static void *two(void *unused) {
    write(1, line, 5);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
