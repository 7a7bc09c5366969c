// A failed exchange writes nothing; the variable of the thread that ends behind it is gone all the same.
//@ cflags: -O0 -Xclang -disable-O0-optnone
//@ flags: --reduction source-sets
#include <pthread.h>
#include <stddef.h>

static int taken = 1, order;
static int *volatile left;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *end(void *unused) {
    int own = 4, expected = 0;
    left = &own;
    __atomic_compare_exchange_n(&taken, &expected, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return unused;
}

static void *other(void *unused) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        order = order * 2 + 1;
        pthread_mutex_unlock(&lock);
    }
    __atomic_load_n(&taken, __ATOMIC_SEQ_CST);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, end, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    pthread_mutex_lock(&lock);
    int seen = order;
    pthread_mutex_unlock(&lock);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return seen == 3 && *left == 4; //~ ERROR: use after return
}
