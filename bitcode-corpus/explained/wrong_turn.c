// Each thread writes one letter, and it matters who comes first.
//@ outcomes: ab ba
#include <pthread.h>
#include <unistd.h>

static void *put(void *letter) {
    write(STDOUT_FILENO, letter, 1);
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, put, "a");
    pthread_create(&threads[1], NULL, put, "b");
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
