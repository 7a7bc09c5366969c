// After "bank": two accounts, two tellers, no lock: updates are lost at both, and either is enough to fail.
#include <assert.h>
#include <pthread.h>

static volatile int accounts[2];

static void *deposit(void *unused) {
    for (int i = 0; i < 2; i++)
        accounts[i] = accounts[i] + 1;
    return unused;
}

int main(void) {
    pthread_t tellers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&tellers[i], NULL, deposit, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(tellers[i], NULL);
    assert(accounts[0] + accounts[1] == 4); //~ ERROR: assertion failed
    return 0;
}
