// Far too many accesses to explore, all of them ordered by the lock but those to `rows`: whole executions find these.
//@ races[sc,tso,pso,weak]: output-differs at 16 27
#include <pthread.h>
#include <stdio.h>

enum { ROWS = 400 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int table[ROWS], rows;

static void *fill(void *unused) {
    pthread_mutex_lock(&lock);
    for (int row = 0; row < ROWS; row++)
        table[row] += row;
    pthread_mutex_unlock(&lock);
    rows = ROWS;
    return unused;
}

static void *add_up(void *unused) {
    long sum = 0;
    pthread_mutex_lock(&lock);
    for (int row = 0; row < ROWS; row++)
        sum += (table[row] += 1) > 0;
    pthread_mutex_unlock(&lock);
    printf("%ld entries, %d rows\n", sum,
           rows);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, fill, NULL);
    pthread_create(&threads[1], NULL, add_up, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
