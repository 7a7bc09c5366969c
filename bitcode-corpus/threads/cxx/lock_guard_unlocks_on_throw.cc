// A guard gives its mutex back when an exception leaves its scope.
//@ outcomes: 1
//@ native
#include <cstdio>
#include <mutex>
#include <thread>

int main() {
    std::mutex mutex;
    try {
        std::lock_guard<std::mutex> guard(mutex);
        throw 1;
    } catch (int) {
    }
    bool free = mutex.try_lock();
    mutex.unlock();
    std::printf("%d\n", free);
}
