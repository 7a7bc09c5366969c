// A recursive mutex is locked twice by one thread.
//@ outcomes: 1,1
//@ native
#include <cstdio>
#include <mutex>

int main() {
    std::recursive_mutex mutex;
    mutex.lock();
    bool again = mutex.try_lock();
    mutex.unlock();
    mutex.unlock();
    std::printf("%d,%d\n", again, mutex.try_lock());
    mutex.unlock();
}
