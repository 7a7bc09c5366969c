// A plain read beside an atomic store of an object wider than the machine's is a data race.
//@ flags: --check race
#include <atomic>
#include <thread>

struct Wide {
    long a, b, c;
};

std::atomic<Wide> wide{Wide{0, 0, 0}};
volatile long seen;

int main() {
    std::thread writer([] { wide.store(Wide{1, 1, 1}); });
    seen = reinterpret_cast<volatile long *>(&wide)[1]; //~ ERROR: data race
    writer.join();
}
