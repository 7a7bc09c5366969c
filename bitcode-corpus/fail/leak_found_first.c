// Found in the first execution, when it is not known yet that the threads share anything: who drops comes first.
//@ flags: --check leak
#include <pthread.h>
#include <stdlib.h>

static int *kept;

static void *make(void *unused) {
    int *made = malloc(sizeof *made); //~ ERROR: memory leak
    *made = 1;
    kept = made;
    return unused;
}

static void *drop(void *unused) {
    free(kept);
    kept = NULL;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, drop, NULL);
    pthread_create(&threads[1], NULL, make, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    kept = NULL;
    return 0;
}
