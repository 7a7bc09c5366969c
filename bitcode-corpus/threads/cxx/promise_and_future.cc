// A value goes from a thread to whoever waits for it.
//@ outcomes: 5
//@ native
#include <cstdio>
#include <future>
#include <thread>

int main() {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread thread([&] { promise.set_value(5); });
    std::printf("%d\n", future.get());
    thread.join();
}
