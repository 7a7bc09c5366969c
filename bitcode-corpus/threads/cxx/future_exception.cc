// So does an exception.
//@ outcomes: 1
//@ native
#include <cstdio>
#include <future>
#include <stdexcept>

int main() {
    std::future<int> future = std::async(std::launch::async, []() -> int { throw std::runtime_error("no"); });
    try {
        future.get();
    } catch (const std::runtime_error &) {
        std::puts("1");
    }
}
