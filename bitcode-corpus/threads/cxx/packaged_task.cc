// A task made into a thread hands its result to its future.
//@ outcomes: 9
//@ native
#include <cstdio>
#include <future>
#include <thread>

int main() {
    std::packaged_task<int(int)> task([](int number) { return number * number; });
    std::future<int> result = task.get_future();
    std::thread thread(std::move(task), 3);
    thread.join();
    std::printf("%d\n", result.get());
}
