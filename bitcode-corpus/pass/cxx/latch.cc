// Who waits at a latch goes on when it has been counted down, and sees what was done before.
//@ cflags: -std=c++20
//@ executions[sc]: 9
#include <cassert>
#include <latch>
#include <thread>

int prepared;

int main() {
    std::latch gate(1);
    std::thread one([&] {
        prepared = 1;
        gate.count_down();
    });
    gate.wait();
    assert(prepared == 1);
    one.join();
}
