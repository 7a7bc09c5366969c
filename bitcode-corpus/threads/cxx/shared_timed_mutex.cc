// Readers share, a writer with a time limit gives up.
//@ outcomes: 1,0
//@ native
#include <chrono>
#include <cstdio>
#include <shared_mutex>
#include <thread>

int main() {
    std::shared_timed_mutex mutex;
    mutex.lock_shared();
    bool reader = false, writer = true;
    std::thread thread([&] {
        reader = mutex.try_lock_shared();
        mutex.unlock_shared();
        writer = mutex.try_lock_for(std::chrono::milliseconds(1));
    });
    thread.join();
    std::printf("%d,%d\n", reader, writer);
    mutex.unlock_shared();
}
