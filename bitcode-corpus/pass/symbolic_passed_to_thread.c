// A symbolic value travels to another thread through memory and keeps its constraint.
//@ outcomes: fine
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int condition);

static int box;

static void *check(void *unused) {
    assert(box > 100);
    box = -box;
    return unused;
}

int main(void) {
    pthread_t thread;
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 100 && x < 1000);
    box = x;
    pthread_create(&thread, NULL, check, NULL);
    pthread_join(thread, NULL);
    assert(box < -100 && box + x == 0);
    puts("fine");
    return 0;
}
