// A wait with a predicate goes on until that holds.
//@ outcomes: 7
//@ native
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

int main() {
    std::mutex mutex;
    std::condition_variable changed;
    int value = 0;
    std::thread thread([&] {
        std::lock_guard<std::mutex> guard(mutex);
        value = 7;
        changed.notify_one();
    });
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return value != 0; });
        std::printf("%d\n", value);
    }
    thread.join();
}
