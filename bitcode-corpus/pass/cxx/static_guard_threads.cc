// Threads that need the same local static variable: one makes it, the others wait for it.
//@ outcomes: 1
#include <cstdio>
#include <thread>

static int made;

struct Counter {
    int value;
    Counter() : value(41) { made++; }
};

static Counter &counter()
{
    static Counter instance;
    return instance;
}

int main()
{
    int seen = 0;
    std::thread other([&] { seen = counter().value; });
    int own = counter().value;
    other.join();
    std::printf("%d", made == 1 && own == 41 && seen == 41);
}
