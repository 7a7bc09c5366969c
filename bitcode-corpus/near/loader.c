// loader (IBM's ConTest suite): each thread makes one pass of a bubble sort and starts the next pass; the last one to be started
// says that all is sorted, while an earlier one may still exchange.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define LENGTH 4

static int array[LENGTH];
static pthread_mutex_t exchanging = PTHREAD_MUTEX_INITIALIZER;
static pthread_t passes[LENGTH];
static sem_t sorted;

static void *pass(void *last) {
    int *end = last;
    for (int i = 0; i < *end; i++) {
        pthread_mutex_lock(&exchanging);
        if (array[i] > array[i + 1]) {
            int higher = array[i];
            array[i] = array[i + 1];
            array[i + 1] = higher;
        }
        pthread_mutex_unlock(&exchanging);
        if (i > 0)
            continue;
        if (*end == 1)
            sem_post(&sorted);
        else
            pthread_create(&passes[*end - 1], NULL, pass, end - 1);
    }
    return NULL;
}

int main(void) {
    int ends[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
        array[i] = LENGTH - i;
        ends[i] = i;
    }
    sem_init(&sorted, 0, 0);
    pthread_create(&passes[LENGTH - 1], NULL, pass, &ends[LENGTH - 1]);
    sem_wait(&sorted);
    int unsorted = 0;
    pthread_mutex_lock(&exchanging);
    for (int i = 0; i + 1 < LENGTH; i++) {
        if (array[i] > array[i + 1])
            unsorted++;
    }
    pthread_mutex_unlock(&exchanging);
    for (int i = LENGTH - 1; i > 0; i--)
        pthread_join(passes[i], NULL);
    assert(unsorted == 0); //~ ERROR: assertion failed
    return 0;
}
