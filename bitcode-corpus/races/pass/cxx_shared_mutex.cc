// Readers share the lock, the writer has it alone.
//@ flags: --check race
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_mutex lock;
int data;

static void write() {
    std::unique_lock<std::shared_mutex> guard(lock);
    data = 1;
}

static int read() {
    std::shared_lock<std::shared_mutex> guard(lock);
    return data;
}

int main() {
    int seen[2];
    std::thread one(write), two([&] { seen[0] = read(); });
    seen[1] = read();
    one.join();
    two.join();
    return seen[0] > 1 || seen[1] > 1;
}
