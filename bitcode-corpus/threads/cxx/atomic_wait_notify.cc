// Who waits for an atomic object to change goes on when told after the change.
//@ cflags: -std=c++20
//@ outcomes: 7
//@ native
#include <atomic>
#include <cstdio>
#include <thread>

int main() {
    std::atomic<int> ready{0};
    int data = 0;
    std::thread giver([&] {
        data = 7;
        ready.store(1);
        ready.notify_one();
    });
    ready.wait(0);
    std::printf("%d\n", data);
    giver.join();
}
