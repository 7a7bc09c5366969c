// std::atomic::wait ends when the value has changed, and reads it with acquire.
//@ flags: --check race
//@ cflags: -std=c++20
#include <atomic>
#include <thread>

std::atomic<int> ready;
int data;

static void prepare() {
    data = 1;
    ready.store(1);
    ready.notify_one();
}

int main() {
    std::thread one(prepare);
    ready.wait(0, std::memory_order_acquire);
    int seen = data;
    one.join();
    return seen - 1;
}
