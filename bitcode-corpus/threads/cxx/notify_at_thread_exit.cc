// A notification at a thread's exit comes with the mutex released.
//@ outcomes: 1
//@ native
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

int main() {
    std::mutex mutex;
    std::condition_variable ended;
    bool ready = false;
    std::thread thread([&] {
        std::unique_lock lock(mutex);
        ready = true;
        std::notify_all_at_thread_exit(ended, std::move(lock));
    });
    std::unique_lock lock(mutex);
    ended.wait(lock, [&] { return ready; });
    std::printf("%d\n", ready);
    lock.unlock();
    thread.join();
}
