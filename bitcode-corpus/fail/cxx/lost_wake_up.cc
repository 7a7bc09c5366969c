// The predicate is not looked at under the lock: the notification can come too early.
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable ready;

int main()
{
    std::thread producer([] { ready.notify_one(); });
    {
        std::unique_lock<std::mutex> lock(mutex);
        ready.wait(lock); //~ ERROR: deadlock
    }
    producer.join();
}
