// critical (IBM's ConTest suite): a thread that waits for its turn comes into its loop only if the turn is taken from it, and
// finds it given back there.
#include <assert.h>
#include <pthread.h>

static volatile int turn;

static void *first(void *unused) {
    int bug = 0;
    turn = 0;
    while (turn != 0) {
        if (turn == 0)
            bug = 1;
    }
    turn = 1;
    assert(!bug); //~ ERROR: assertion failed
    return unused;
}

static void *second(void *unused) {
    turn = 1;
    while (turn != 1) {
    }
    turn = 0;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
