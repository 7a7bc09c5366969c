// printf reads the string that another thread writes.
//@ flags: --check race
#include <pthread.h>
#include <stdio.h>

char name[] = "one";

static void *one(void *unused) {
    name[2] = 'c'; //~ ERROR: data race on
    return unused;
}

static void *two(void *unused) {
    printf("%s\n", name);
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
