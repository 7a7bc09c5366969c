// Two transfers between two accounts, each of which locks the account that pays first: a deadlock.
//
//     symx run examples/bank.c
//
// It ends with exit code 1 and prints, among other lines:
//
//     lock-order-inversion: T1 pay_rent holds `alice.lock` and waits for `bob.lock` (bank.c:24); T2
//       pay_back holds `bob.lock` and waits for `alice.lock` (:24).
//     suggested fix: acquire `alice.lock` and `bob.lock` in the same order in all threads, or hold one
//       more mutex around bank.c:23-24 in T1 pay_rent. Verified: no failure in any execution.

#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account alice = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account bob = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to, long amount) {
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *pay_rent(void *unused) {
    transfer(&alice, &bob, 50);
    return unused;
}

static void *pay_back(void *unused) {
    transfer(&bob, &alice, 20);
    return unused;
}

int main(void) {
    pthread_t rent, back;
    pthread_create(&rent, 0, pay_rent, 0);
    pthread_create(&back, 0, pay_back, 0);
    pthread_join(rent, 0);
    pthread_join(back, 0);
    return 0;
}
