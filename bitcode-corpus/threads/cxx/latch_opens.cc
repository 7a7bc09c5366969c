// A latch opens once all have counted down; what they did before is seen.
//@ cflags: -std=c++20
//@ outcomes: 3
//@ native
#include <cstdio>
#include <latch>
#include <thread>

int main() {
    std::latch ready(2);
    int one = 0, other = 0;
    std::thread first([&] { one = 1; ready.count_down(); });
    std::thread second([&] { other = 2; ready.arrive_and_wait(); });
    ready.wait();
    std::printf("%d\n", one + other);
    first.join();
    second.join();
}
