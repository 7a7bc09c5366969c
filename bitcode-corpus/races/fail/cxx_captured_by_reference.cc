// Its maker looks before that.
//@ flags: --check race
#include <thread>

int main() {
    int sum = 0;
    std::thread one([&sum] { sum = 1; }); //~ ERROR: data race on
    bool early = sum > 1;
    one.join();
    return early;
}
