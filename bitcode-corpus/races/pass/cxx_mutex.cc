// std::lock_guard around both accesses.
//@ flags: --check race
#include <mutex>
#include <thread>

std::mutex lock;
int counter;

static void add() {
    std::lock_guard<std::mutex> guard(lock);
    counter++;
}

int main() {
    std::thread one(add), two(add);
    one.join();
    two.join();
    return counter - 2;
}
