// Locking twice, and unlocking what is not locked, throw.
//@ outcomes: 1,1
//@ native
#include <cstdio>
#include <mutex>
#include <system_error>

int main() {
    std::mutex mutex;
    std::unique_lock<std::mutex> lock(mutex);
    try {
        lock.lock();
    } catch (const std::system_error &error) {
        std::printf("%d", error.code() == std::errc::resource_deadlock_would_occur);
    }
    lock.unlock();
    try {
        lock.unlock();
    } catch (const std::system_error &error) {
        std::printf(",%d\n", error.code() == std::errc::operation_not_permitted);
    }
}
