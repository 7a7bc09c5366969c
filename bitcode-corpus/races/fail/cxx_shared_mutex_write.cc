// A writer that has the lock as readers have it.
//@ flags: --check race
#include <shared_mutex>
#include <thread>

std::shared_mutex lock;
int data;

static void write() {
    std::shared_lock<std::shared_mutex> guard(lock);
    data = 1; //~ ERROR: data race on `data`
}

int main() {
    std::thread one(write), two(write);
    one.join();
    two.join();
    return data - 1;
}
