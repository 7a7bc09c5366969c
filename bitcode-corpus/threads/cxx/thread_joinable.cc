// A thread is joinable until it is joined or moved from.
//@ outcomes: 1,0,0
//@ native
#include <cstdio>
#include <thread>

int main() {
    std::thread thread([] {});
    bool before = thread.joinable();
    std::thread moved = std::move(thread);
    bool from = thread.joinable();
    moved.join();
    std::printf("%d,%d,%d\n", before, from, moved.joinable());
}
