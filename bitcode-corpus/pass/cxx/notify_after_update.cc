// The twin of notify_after_release_store.cc: an update has left its thread when `notify_one` looks whether anybody waits.
//@ cflags: -std=c++20
#include <atomic>
#include <thread>

std::atomic<int> ready;

static void prepare() {
    ready.fetch_add(1, std::memory_order_release);
    ready.notify_one();
}

int main() {
    std::thread one(prepare);
    ready.wait(0, std::memory_order_acquire);
    one.join();
}
