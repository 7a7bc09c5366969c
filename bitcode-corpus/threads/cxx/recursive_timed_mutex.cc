// A recursive mutex with time limits is taken again by its holder and refused to others.
//@ outcomes: 1,0
//@ native
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

int main() {
    std::recursive_timed_mutex mutex;
    mutex.lock();
    bool again = mutex.try_lock_for(std::chrono::milliseconds(1)), other = true;
    std::thread thread([&] { other = mutex.try_lock_for(std::chrono::milliseconds(1)); });
    thread.join();
    std::printf("%d,%d\n", again, other);
    mutex.unlock();
    mutex.unlock();
}
