// The balance is tested in one critical section and changed in another.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance = 10;

static int read_balance(void) {
    pthread_mutex_lock(&mutex);
    int seen = balance;
    pthread_mutex_unlock(&mutex);
    return seen;
}

static void *withdraw(void *unused) {
    if (read_balance() >= 7) {
        pthread_mutex_lock(&mutex);
        balance -= 7;
        assert(balance >= 0); //~ ERROR: assertion failed
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, withdraw, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
