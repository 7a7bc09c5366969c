// Several threads get the value of a shared future.
//@ outcomes: 84
//@ native
#include <cstdio>
#include <future>
#include <thread>

int main() {
    std::promise<int> promise;
    std::shared_future<int> future = promise.get_future().share();
    int got = 0;
    std::thread reader([&got, future] { got = future.get(); });
    promise.set_value(42);
    int own = future.get();
    reader.join();
    std::printf("%d\n", own + got);
}
