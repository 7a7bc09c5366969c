// A thread that is asked to stop is told by its token, and its callback runs once, whenever it is made.
//@ cflags: -std=c++20
//@ outcomes: 1,1,1
//@ native
#include <cstdio>
#include <stop_token>
#include <thread>

int main() {
    int calls = 0, stopped = 0;
    bool first;
    {
        std::jthread worker([&](std::stop_token token) {
            std::stop_callback callback(token, [&] { calls++; });
            stopped = token.stop_possible();
        });
        std::stop_source source = worker.get_stop_source();
        first = source.request_stop() && !source.request_stop();
    }
    std::printf("%d,%d,%d\n", first, stopped, calls);
}
