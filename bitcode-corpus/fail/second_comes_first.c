// Who is to be the second fails where it comes first: the other one has not taken a step by then.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int begun;

static void *begin(void *is_second) {
    int before = atomic_fetch_add(&begun, 1);
    if (is_second)
        assert(before == 1); //~ ERROR: assertion failed
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, begin, &begun);
    pthread_create(&threads[1], NULL, begin, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
