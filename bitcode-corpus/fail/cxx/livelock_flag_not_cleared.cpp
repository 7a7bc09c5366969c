// A spin lock made of an atomic flag; one of two threads forgets to clear it.
#include <atomic>
#include <thread>

static std::atomic_flag taken = ATOMIC_FLAG_INIT;

static void work(bool forgets) {
    while (taken.test_and_set(std::memory_order_acquire)) { //~ ERROR: livelock
    }
    if (!forgets)
        taken.clear(std::memory_order_release);
}

int main() {
    std::thread one(work, true), other(work, false);
    one.join();
    other.join();
}
