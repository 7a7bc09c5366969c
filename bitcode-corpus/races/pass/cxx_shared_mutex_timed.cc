// A reader that gets the lock in time reads what the writer wrote under it; one that does not reads nothing.
//@ flags: --check race
//@ cflags: -std=c++20
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_timed_mutex lock;
int data;

// A call of its own: the compiler may make the read before it looks at the condition otherwise.
[[gnu::noinline]] static int read() {
    return data;
}

int main() {
    std::thread writer([] {
        std::unique_lock held(lock);
        data = 1;
    });
    int seen = 0;
    {
        std::shared_lock held(lock, std::try_to_lock);
        if (held)
            seen = read();
    }
    writer.join();
    return seen > 1;
}
