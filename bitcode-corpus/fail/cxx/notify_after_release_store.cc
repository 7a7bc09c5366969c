// A release store is still in its thread's buffer while `notify_one` of libstdc++ 12 looks whether anybody waits: it finds nobody
// and wakes nobody, and the waiter sleeps on the old value. (On x86 both are plain moves; an update or a sequentially
// consistent store has a barrier between them, as has `notify_after_update.cc`.)
//@ cflags: -std=c++20
#include <atomic>
#include <thread>

std::atomic<int> ready;

static void prepare() {
    ready.store(1, std::memory_order_release);
    ready.notify_one();
}

int main() {
    std::thread one(prepare);
    ready.wait(0, std::memory_order_acquire); //~[tso,pso] ERROR: deadlock
    one.join();
}
