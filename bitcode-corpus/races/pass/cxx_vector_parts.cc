// Elements of a std::vector are objects of their own.
//@ flags: --check race
#include <thread>
#include <vector>

int main() {
    std::vector<int> numbers(2);
    std::thread one([&] { numbers[0] = 1; }), two([&] { numbers[1] = 1; });
    one.join();
    two.join();
    return numbers[0] + numbers[1] - 2;
}
