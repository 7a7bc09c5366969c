// LLVM loads the data before the branch that guards it, and chooses after the join: no race of the program.
//@ cflags: -O1
//@ flags: --check race
//@ outcomes: -1 5
#include <atomic>
#include <cstdio>
#include <thread>

std::atomic<long> flag{0};
int data;
int main() {
    int seen = -1;
    std::thread thread([] { data = 5; flag.store(1, std::memory_order_release); });
    if (flag.load(std::memory_order_acquire))
        seen = data;
    thread.join();
    printf("%d", seen);
}
