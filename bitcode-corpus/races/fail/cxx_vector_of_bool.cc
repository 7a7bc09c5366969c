// Those of a std::vector<bool> share their words.
//@ flags: --check race
#include <thread>
#include <vector>

int main() {
    std::vector<bool> bits(2);
    std::thread one([&] { bits[0] = true; }), two([&] { bits[1] = true; }); //~ ERROR: data race on
    one.join();
    two.join();
    return 0;
}
