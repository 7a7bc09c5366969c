// Joining what is not joinable throws.
//@ outcomes: 1
//@ native
#include <cstdio>
#include <system_error>
#include <thread>

int main() {
    std::thread thread([] {});
    thread.join();
    try {
        thread.join();
    } catch (const std::system_error &error) {
        std::printf("%d\n", error.code() == std::errc::invalid_argument);
    }
}
