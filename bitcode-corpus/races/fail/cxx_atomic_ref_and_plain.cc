// Everybody but one.
//@ flags: --check race
//@ cflags: -std=c++20
#include <atomic>
#include <thread>

int counter;

static void add() {
    std::atomic_ref<int>(counter).fetch_add(1, std::memory_order_relaxed);
}

int main() {
    std::thread one(add);
    int seen = counter; //~ ERROR: data race on `counter`
    one.join();
    return seen > 1;
}
