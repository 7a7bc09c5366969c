// Promises, futures, packaged tasks and async: values and exceptions arrive.
//@ native
//@ flags: --max-executions 400
#include <cstdio>
#include <future>
#include <stdexcept>
#include <thread>

int main()
{
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread worker([&promise] { promise.set_value(5); });
    std::printf("%d\n", future.get());
    worker.join();
    std::future<int> failing = std::async(std::launch::async, []() -> int { throw std::runtime_error("in async"); });
    try {
        failing.get();
    } catch (const std::exception &error) {
        std::printf("%s\n", error.what());
    }
    std::printf("%d\n", std::async(std::launch::deferred, [] { return 6; }).get());
    std::promise<void> broken;
    std::future<void> never = broken.get_future();
    broken = std::promise<void>();
    try {
        never.get();
    } catch (const std::future_error &error) {
        std::printf("%d\n", error.code() == std::future_errc::broken_promise);
    }
}
