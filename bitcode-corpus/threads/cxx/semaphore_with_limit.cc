// A unit released is acquired by a thread that waits within a limit, or by the one that released it. The wait sleeps between
// looks and reads the clock, so it matters how often it has looked.
//@ outcomes: 0,1 1,0
//@ cflags: -std=c++20
#include <chrono>
#include <cstdio>
#include <semaphore>
#include <thread>

using namespace std::chrono_literals;

int main() {
    std::counting_semaphore<4> semaphore(0);
    bool acquired = false, taken_back = false;
    std::thread waiting([&] { acquired = semaphore.try_acquire_for(1ms); });
    std::thread releasing([&] {
        semaphore.release();
        taken_back = semaphore.try_acquire();
    });
    waiting.join();
    releasing.join();
    std::printf("%d,%d\n", acquired, taken_back);
    return 0;
}
