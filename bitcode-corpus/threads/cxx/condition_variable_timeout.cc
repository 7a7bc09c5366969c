// A wait that nobody ends times out.
//@ outcomes: 1,0
//@ native
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>

int main() {
    std::mutex mutex;
    std::condition_variable changed;
    std::unique_lock<std::mutex> lock(mutex);
    auto status = changed.wait_for(lock, std::chrono::milliseconds(1));
    bool held = changed.wait_for(lock, std::chrono::milliseconds(1), [] { return false; });
    std::printf("%d,%d\n", status == std::cv_status::timeout, held);
}
