//@ native
//@ executions[sc]: 1
// An exception travels from one thread to another.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <thread>

int main()
{
    std::exception_ptr caught;
    std::thread worker([&] {
        try {
            throw std::runtime_error("in the worker");
        } catch (...) {
            caught = std::current_exception();
        }
    });
    worker.join();
    for (int round = 0; round < 2; round++) {
        try {
            std::rethrow_exception(caught);
        } catch (const std::runtime_error &error) {
            std::printf("%s\n", error.what());
        }
    }
    caught = nullptr;
    std::exception_ptr made = std::make_exception_ptr(3);
    try {
        std::rethrow_exception(made);
    } catch (int number) {
        std::printf("%d %d\n", number, made == nullptr);
    }
}
