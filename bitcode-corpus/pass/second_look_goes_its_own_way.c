// The second look leads to where the first would have led if it finds 1, and elsewhere if it finds 2.
// Where it finds 1, all that others do is explored nevertheless: one of them writes 2 if it is asked to.
//@ outcomes: early later one two
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int word, flag, request;

static void *change(void *unused) {
    atomic_store(&word, 1);
    atomic_store(&flag, 1);
    if (atomic_load(&request))
        atomic_store(&word, 2);
    return unused;
}

static void *ask(void *unused) {
    atomic_store(&request, 1);
    return unused;
}

static const char *look(void) {
    int seen = atomic_load(&word);
    if (seen == 1)
        return "one";
    if (seen == 2)
        return "two";
    if (!atomic_load(&flag))
        return "early";
    seen = atomic_load(&word);
    return seen == 1 ? "one" : "later";
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, change, NULL);
    pthread_create(&threads[1], NULL, ask, NULL);
    const char *seen = look();
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    puts(seen);
    return 0;
}
