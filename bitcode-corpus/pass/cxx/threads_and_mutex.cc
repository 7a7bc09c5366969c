// std::thread, std::mutex and std::lock_guard: an increment under a lock is never lost.
//@ outcomes: 2
#include <cstdio>
#include <mutex>
#include <thread>

static int counter;
static std::mutex mutex;

static void increment()
{
    std::lock_guard<std::mutex> lock(mutex);
    counter++;
}

int main()
{
    std::thread one(increment), two(increment);
    one.join();
    two.join();
    std::printf("%d", counter);
}
