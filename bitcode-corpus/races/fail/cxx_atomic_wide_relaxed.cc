// A relaxed update of an object wider than the machine's publishes nothing: the data races.
//@ flags: --check race
//@ cflags: -O0
#include <atomic>
#include <thread>

struct Wide {
    long a, b, c;
};

std::atomic<Wide> flag{Wide{0, 0, 0}};
int data;

int main() {
    volatile int seen = 0;
    std::thread writer([] {
        data = 5;
        flag.store(Wide{1, 1, 1}, std::memory_order_relaxed);
    });
    if (flag.load(std::memory_order_relaxed).a)
        seen = data; //~ ERROR: data race
    writer.join();
}
