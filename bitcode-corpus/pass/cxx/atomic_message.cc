// Release and acquire publish a value; relaxed ones may not.
//@ outcomes: 0 1
#include <atomic>
#include <cstdio>
#include <thread>

static int data;
static std::atomic<bool> flag{false};

int main()
{
    std::thread writer([] {
        data = 1;
        flag.store(true, std::memory_order_release);
    });
    int seen = 0;
    if (flag.load(std::memory_order_acquire)) seen = data == 1 ? 1 : 9;
    std::printf("%d", seen);
    writer.join();
}
