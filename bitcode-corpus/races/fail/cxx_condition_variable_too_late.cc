// The data are written behind the lock: the wait comes after what was done under it only.
//@ flags: --check race
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex lock;
std::condition_variable changed;
bool ready;
int data;

static void prepare() {
    {
        std::lock_guard<std::mutex> guard(lock);
        ready = true;
    }
    data = 1;
    changed.notify_one();
}

int main() {
    std::thread one(prepare);
    {
        std::unique_lock<std::mutex> guard(lock);
        changed.wait(guard, [] { return ready; });
    }
    int seen = data; //~ ERROR: data race on `data`
    one.join();
    return seen > 1;
}
