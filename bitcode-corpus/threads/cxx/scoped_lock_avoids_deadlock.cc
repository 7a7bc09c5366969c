// Several mutexes taken at once, in whatever order, do not deadlock.
//@ outcomes: 2
//@ native
#include <cstdio>
#include <mutex>
#include <thread>

int main() {
    std::mutex one, other;
    int count = 0;
    std::thread thread([&] {
        std::scoped_lock both(one, other);
        count++;
    });
    {
        std::scoped_lock both(other, one);
        count++;
    }
    thread.join();
    std::printf("%d\n", count);
}
