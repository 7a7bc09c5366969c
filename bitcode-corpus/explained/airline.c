// After "airline": seats are sold as long as nobody has said stop, which the seller of the last one says too late.
#include <assert.h>
#include <pthread.h>

enum { SEATS = 2, SELLERS = 3 };
static volatile int sold;
static volatile int stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *sell(void *unused) {
    int open = !stop;
    pthread_mutex_lock(&lock);
    sold = sold + open;
    int is_last = sold >= SEATS;
    pthread_mutex_unlock(&lock);
    stop = is_last;
    return unused;
}

int main(void) {
    pthread_t sellers[SELLERS];
    for (int i = 0; i < SELLERS; i++)
        pthread_create(&sellers[i], NULL, sell, NULL);
    for (int i = 0; i < SELLERS; i++)
        pthread_join(sellers[i], NULL);
    assert(sold <= SEATS); //~ ERROR: assertion failed
    return 0;
}
