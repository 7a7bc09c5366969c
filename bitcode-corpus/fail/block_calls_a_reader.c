// A reader's section calls a function that reads, too. With a mutex at every access the thread locks twice.
#include <assert.h>
#include <pthread.h>
volatile int x;
void touch(void) {
    int seen = x;
}
void *reader(void *unused) {
    int before = x;
    touch();
    int after = x;
    assert(after == before); //~ ERROR: assertion failed
    return 0;
}
void *other(void *unused) {
    x = 10;
    return 0;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, reader, 0);
    pthread_create(&two, 0, other, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
}
