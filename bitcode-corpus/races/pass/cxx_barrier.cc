// Each phase of a barrier sees what was done in the one before.
//@ flags: --check race
//@ cflags: -std=c++20
#include <barrier>
#include <thread>

std::barrier phases(2);
int cells[2], sums[2];

static void run(int me) {
    cells[me] = me + 1;
    phases.arrive_and_wait();
    sums[me] = cells[0] + cells[1];
}

int main() {
    std::thread other(run, 1);
    run(0);
    other.join();
    return sums[0] != 3 || sums[1] != 3;
}
