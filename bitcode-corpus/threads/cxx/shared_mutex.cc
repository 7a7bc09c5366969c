// Readers share, a writer does not.
//@ outcomes: 1,0,0
//@ native
#include <cstdio>
#include <shared_mutex>
#include <thread>

int main() {
    std::shared_mutex mutex;
    bool shared = false, exclusive = true, while_written = true;
    mutex.lock_shared();
    std::thread([&] {
        if ((shared = mutex.try_lock_shared()))
            mutex.unlock_shared();
        if ((exclusive = mutex.try_lock()))
            mutex.unlock();
    }).join();
    mutex.unlock_shared();
    mutex.lock();
    std::thread([&] {
        if ((while_written = mutex.try_lock_shared()))
            mutex.unlock_shared();
    }).join();
    mutex.unlock();
    std::printf("%d,%d,%d\n", shared, exclusive, while_written);
}
