// Two locks taken together, in either order: a thread that does not get both tries again, and so may the other. There is
// no longest execution.
//@ outcomes: ab ba
//@ again: --reduction source-sets
//@ again: --reduction states
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex one, other;

int main() {
    std::thread thread([] {
        std::scoped_lock both(one, other);
        std::putchar('a');
    });
    {
        std::scoped_lock both(other, one);
        std::putchar('b');
    }
    thread.join();
}
