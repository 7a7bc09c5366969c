// Threads that are given arguments free what they were given them in; that is no reason to tell more executions apart.
//@ executions: 2
//@ blocked: 0
//@ outcomes: 3

#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex lock;
static int sum;

int main() {
    auto add = [](int one, int two) {
        std::lock_guard<std::mutex> guard(lock);
        sum += one + two;
    };
    std::thread first(add, 0, 1), second(add, 2, 0);
    first.join();
    second.join();
    std::printf("%d\n", sum);
}
