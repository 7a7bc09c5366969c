// A consumer waits for a producer.
//@ outcomes: 7
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable ready;
static bool there;
static int value;

int main()
{
    std::thread producer([] {
        std::lock_guard<std::mutex> lock(mutex);
        value = 7;
        there = true;
        ready.notify_one();
    });
    {
        std::unique_lock<std::mutex> lock(mutex);
        ready.wait(lock, [] { return there; });
        std::printf("%d", value);
    }
    producer.join();
}
