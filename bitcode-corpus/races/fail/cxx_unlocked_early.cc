// std::unique_lock that is unlocked before the second access.
//@ flags: --check race
#include <mutex>
#include <thread>

std::mutex lock;
int counter, last;

static void add() {
    std::unique_lock<std::mutex> guard(lock);
    counter++;
    guard.unlock();
    last = 1; //~ ERROR: data race on `last`
}

int main() {
    std::thread one(add), two(add);
    one.join();
    two.join();
    return counter - 2;
}
