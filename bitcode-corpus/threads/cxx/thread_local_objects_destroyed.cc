// A thread-local object is destroyed with its thread, before the join returns.
//@ outcomes: 1,2
//@ native
#include <cstdio>
#include <thread>

static int destroyed;

struct Counted {
    int touched = 0;
    ~Counted() { destroyed++; }
};

static thread_local Counted counted;

int main() {
    std::thread([] { counted.touched = 1; }).join();
    int first = destroyed;
    std::thread([] { counted.touched = 1; }).join();
    std::printf("%d,%d\n", first, destroyed);
}
