// Who arrives at a barrier and goes on without waiting is not ordered after the others.
//@ flags: --check race
//@ cflags: -std=c++20
#include <barrier>
#include <thread>

std::barrier phases(2);
int cell;

int main() {
    std::thread other([] { cell = 1; phases.arrive_and_wait(); });
    (void)phases.arrive();
    int seen = cell; //~ ERROR: data race on `cell`
    other.join();
    return seen > 1;
}
