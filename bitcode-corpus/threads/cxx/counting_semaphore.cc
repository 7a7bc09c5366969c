// A semaphore is acquired as often as it was released.
//@ outcomes: 2,0
//@ cflags: -std=c++20
//@ native
#include <cstdio>
#include <semaphore>

int main() {
    std::counting_semaphore<4> semaphore(1);
    semaphore.release();
    int taken = 0;
    while (semaphore.try_acquire())
        taken++;
    std::printf("%d,%d\n", taken, semaphore.try_acquire());
}
