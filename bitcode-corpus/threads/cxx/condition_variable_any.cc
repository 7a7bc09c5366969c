// The general condition variable waits with any lock.
//@ outcomes: 1
//@ native
#include <condition_variable>
#include <cstdio>
#include <shared_mutex>
#include <thread>

int main() {
    std::shared_mutex mutex;
    std::condition_variable_any changed;
    bool ready = false;
    std::thread thread([&] {
        std::unique_lock<std::shared_mutex> lock(mutex);
        ready = true;
        changed.notify_all();
    });
    {
        std::unique_lock<std::shared_mutex> lock(mutex);
        while (!ready)
            changed.wait(lock);
    }
    thread.join();
    std::printf("%d\n", ready);
}
