// A wait may end before the signal comes; libstdc++ waits by `pthread_cond_clockwait`.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex guard;
static std::condition_variable changed;

int main() {
    std::unique_lock<std::mutex> lock(guard);
    std::thread worker([] {
        std::lock_guard<std::mutex> hold(guard);
        changed.notify_one();
    });
    auto result = changed.wait_for(lock, std::chrono::seconds(1));
    lock.unlock();
    assert(result == std::cv_status::no_timeout); //~ ERROR: no_timeout
    worker.join();
}
