// A member function on one line: no statement can stand before the line, which is in the body of a class.
#include <cassert>
#include <pthread.h>

struct Counter {
    volatile int value = 0;
    void add() { value = value + 1; }
};

Counter counter;

static void *add(void *unused) {
    counter.add();
    return unused;
}

int main() {
    pthread_t threads[2];
    for (auto &thread : threads)
        pthread_create(&thread, nullptr, add, nullptr);
    for (auto &thread : threads)
        pthread_join(thread, nullptr);
    assert(counter.value == 2); //~ ERROR: assertion failed
}
