// A routine that throws is ordered before the next one's run of the same flag.
//@ cflags: -O1
//@ flags: --check race
#include <mutex>
#include <thread>

std::once_flag once;
int runs;

static void attempt() {
    try {
        std::call_once(once, [] {
            if (++runs == 1)
                throw 1;
        });
    } catch (int) {
    }
}

int main() {
    std::thread thread(attempt);
    attempt();
    thread.join();
    return runs != 2;
}
