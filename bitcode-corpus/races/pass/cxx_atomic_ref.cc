// An object that everybody uses through std::atomic_ref.
//@ flags: --check race
//@ cflags: -std=c++20
#include <atomic>
#include <thread>

int counter;

static void add() {
    std::atomic_ref<int>(counter).fetch_add(1, std::memory_order_relaxed);
}

int main() {
    std::thread one(add), two(add);
    one.join();
    two.join();
    return counter - 2;
}
