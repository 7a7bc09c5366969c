// What a thread throws does not reach the thread that waits for it. Only one schedule of two gets there.
#include <atomic>
#include <thread>

static std::atomic<int> turn;

int main()
{
    std::thread worker([] {
        if (turn.exchange(1) == 1)
            throw 5; //~ ERROR: uncaught exception of type `int`
    });
    try {
        turn.store(1);
        worker.join();
    } catch (...) {
    }
}
