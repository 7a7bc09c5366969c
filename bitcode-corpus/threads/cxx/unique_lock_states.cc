// A unique lock knows whether it has its mutex.
//@ outcomes: 1,0,1,0
//@ native
#include <cstdio>
#include <mutex>

int main() {
    std::mutex mutex;
    std::unique_lock<std::mutex> lock(mutex);
    std::printf("%d", lock.owns_lock());
    lock.unlock();
    std::printf(",%d", lock.owns_lock());
    bool taken = lock.try_lock();
    std::printf(",%d", taken);
    std::unique_lock<std::mutex> other = std::move(lock);
    std::printf(",%d\n", lock.owns_lock());
}
