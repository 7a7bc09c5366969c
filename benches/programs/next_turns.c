// A thread for each turn: it takes the turn if that is next. Its creator writes down the thread's turn just
// before it creates it.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int taken;
static int turns[N];

static void *take(void *turn) {
    int mine = *(int *)turn, before = mine - 1;
    atomic_compare_exchange_strong(&taken, &before, mine);
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++) {
        turns[i] = i + 1;
        pthread_create(&threads[i], NULL, take, &turns[i]);
    }
    for (int i = 0; i < N; i++) {
        pthread_join(threads[i], NULL);
    }
    return 0;
}
