// The completion of a barrier's phase runs once, before anybody goes on.
//@ cflags: -std=c++20
//@ outcomes: 2
//@ native
#include <barrier>
#include <cstdio>
#include <thread>

int main() {
    int phases = 0;
    auto completed = [&]() noexcept { phases++; };
    std::barrier meeting(2, completed);
    std::thread other([&] {
        meeting.arrive_and_wait();
        meeting.arrive_and_wait();
    });
    meeting.arrive_and_wait();
    meeting.arrive_and_wait();
    std::printf("%d\n", phases);
    other.join();
}
