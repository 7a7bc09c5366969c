// std::condition_variable with a predicate that is looked at under the lock.
//@ flags: --check race
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable changed;
bool ready;
int data;

static void prepare() {
    data = 1;
    {
        std::lock_guard<std::mutex> guard(lock);
        ready = true;
    }
    changed.notify_one();
}

int main() {
    std::thread one(prepare);
    {
        std::unique_lock<std::mutex> guard(lock);
        changed.wait(guard, [] { return ready; });
    }
    int seen = data;
    one.join();
    return seen - 1;
}
