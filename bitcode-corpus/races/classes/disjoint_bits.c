// Portend's DBM: threads change bits of their own in one word, one at a time.
//@ races[sc,tso,pso,weak]: k-witness-harmless at 13 19
#include <pthread.h>
#include <stdio.h>

struct flags {
    unsigned urgent : 1;
    unsigned done : 1;
} flags;

static void *look(void *unused) {
    // Reads a bit that nobody changes, in a word that somebody does.
    if (flags.urgent)
        puts("urgent");
    return unused;
}

static void *finish(void *unused) {
    flags.done = 1;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, look, NULL);
    pthread_create(&threads[1], NULL, finish, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%u\n", flags.done);
    return 0;
}
