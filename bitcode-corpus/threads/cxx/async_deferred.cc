// A deferred task runs when its result is asked for, in the thread that asks.
//@ outcomes: 0,1
//@ native
#include <cstdio>
#include <future>

int main() {
    bool ran = false;
    std::future<void> future = std::async(std::launch::deferred, [&] { ran = true; });
    std::printf("%d", ran);
    future.get();
    std::printf(",%d\n", ran);
}
