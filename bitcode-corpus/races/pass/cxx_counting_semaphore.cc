// A release makes known what was done before it to whoever acquires the unit.
//@ flags: --check race
//@ cflags: -std=c++20
#include <semaphore>
#include <thread>

std::counting_semaphore<4> units(0);
int data;

int main() {
    std::thread one([] { data = 1; units.release(); });
    units.acquire();
    int seen = data;
    one.join();
    return seen != 1;
}
