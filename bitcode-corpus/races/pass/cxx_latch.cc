// Who waits at a latch sees what was done before the arrival.
//@ flags: --check race
//@ cflags: -std=c++20
#include <latch>
#include <thread>

std::latch arrived(1);
int data;

int main() {
    std::thread one([] { data = 1; arrived.count_down(); });
    arrived.wait();
    int seen = data;
    one.join();
    return seen != 1;
}
