// A timed mutex is had if it is free, and not had before the deadline if it is held.
//@ outcomes: 1,0
//@ native
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

int main() {
    std::timed_mutex mutex;
    bool first = mutex.try_lock_for(std::chrono::milliseconds(1));
    bool second = true;
    std::thread([&] { second = mutex.try_lock_for(std::chrono::milliseconds(1)); }).join();
    mutex.unlock();
    std::printf("%d,%d\n", first, second);
}
