// What is written after the arrival is not waited for.
//@ flags: --check race
//@ cflags: -std=c++20
#include <latch>
#include <thread>

std::latch arrived(1);
int data;

int main() {
    std::thread one([] { arrived.count_down(); data = 1; });
    arrived.wait();
    int seen = data; //~ ERROR: data race on `data`
    one.join();
    return seen > 1;
}
