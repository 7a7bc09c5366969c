// A thread writes to its maker's stack, and is joined before that looks.
//@ flags: --check race
#include <thread>

int main() {
    int sum = 0;
    std::thread one([&sum] { sum = 1; });
    one.join();
    return sum - 1;
}
