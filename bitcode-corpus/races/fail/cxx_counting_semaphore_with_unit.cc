// A unit that was there at the beginning tells nothing of the other thread.
//@ flags: --check race
//@ cflags: -std=c++20
#include <semaphore>
#include <thread>

std::counting_semaphore<4> units(1);
int data;

int main() {
    std::thread one([] { data = 1; units.release(); });
    units.acquire();
    int seen = data; //~ ERROR: data race on `data`
    one.join();
    return seen > 1;
}
