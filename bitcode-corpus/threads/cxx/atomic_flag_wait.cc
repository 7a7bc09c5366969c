// A flag can be waited for, too.
//@ cflags: -std=c++20
//@ outcomes: 1
//@ native
#include <atomic>
#include <cstdio>
#include <thread>

int main() {
    std::atomic_flag done;
    std::thread other([&] {
        done.test_and_set();
        done.notify_all();
    });
    done.wait(false);
    std::printf("%d\n", done.test());
    other.join();
}
