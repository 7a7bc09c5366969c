// Threads that a library creates: the call of pthread_create is in libstdc++, not here.
#include <thread>

static volatile int work;

static void half(int n) {
    for (int i = 0; i < n; i++)
        if (i % 3) work = work + 1;
}

int main() {
    std::thread first(half, 30), second([] { std::thread(half, 20).join(); });
    first.join();
    second.join();
}
