// Both threads look whether the table is there before either has made it: one of the two tables is lost.
//@ flags: --check leak
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) table;

static void *look_up(void *unused) {
    if (!atomic_load(&table)) {
        int *made = malloc(16 * sizeof *made); //~ ERROR: memory leak
        atomic_store(&table, made);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, look_up, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
