// A thread of the C++ library runs a function with its arguments.
//@ outcomes: 42
//@ native
#include <cstdio>
#include <thread>

int main() {
    int result = 0;
    std::thread thread([](int argument, int *result) { *result = argument + 1; }, 41, &result);
    thread.join();
    std::printf("%d\n", result);
}
