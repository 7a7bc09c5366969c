// Atomic additions are not lost.
//@ outcomes: 4
//@ native
#include <atomic>
#include <cstdio>
#include <thread>

int main() {
    std::atomic<int> count{0};
    auto add = [&] {
        count++;
        count.fetch_add(1, std::memory_order_relaxed);
    };
    std::thread one(add), other(add);
    one.join();
    other.join();
    std::printf("%d\n", count.load());
}
