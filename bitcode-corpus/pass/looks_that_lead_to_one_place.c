// Either of two numbers lets the asker go on to one place. The first may be there when it looks at the second.
// That does not make the second look needless: where the asker goes on first, the first number is never written.
//@ outcomes: 0 1
//@ again: --reduction source-sets
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int first, second, asked;
static int found;

static void *answer(void *unused) {
    found = atomic_load(&asked);
    if (!found)
        atomic_store(&first, 5);
    return unused;
}

static void *allow(void *unused) {
    atomic_store(&second, 1);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, answer, NULL);
    pthread_create(&threads[1], NULL, allow, NULL);
    if (atomic_load(&first) == 5 || atomic_load(&second) == 1)
        atomic_store(&asked, 1);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%d\n", found);
    return 0;
}
