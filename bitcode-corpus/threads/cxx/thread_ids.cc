// Each thread has an id of its own, and one that runs nothing has the default one.
//@ outcomes: 1,1
//@ native
#include <cstdio>
#include <thread>

int main() {
    std::thread::id own;
    std::thread thread([&own] { own = std::this_thread::get_id(); });
    std::thread::id id = thread.get_id();
    thread.join();
    std::printf("%d,%d\n", own == id, thread.get_id() == std::thread::id());
}
