// A third thread decides which of two lines writes. Neither execution shown takes the other line.
#include <assert.h>
#include <pthread.h>
volatile int x, mode;
void *reader(void *unused) {
    int before = x;
    int after = x;
    assert(before == after); //~ ERROR: assertion failed
    return 0;
}
void *other(void *unused) {
    if (mode == 0) {
        x = 1;
    } else {
        x = 2;
    }
    return 0;
}
void *third(void *unused) {
    mode = 1;
    return 0;
}
int main(void) {
    pthread_t one, two, three;
    pthread_create(&one, 0, reader, 0);
    pthread_create(&two, 0, other, 0);
    pthread_create(&three, 0, third, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    pthread_join(three, 0);
}
