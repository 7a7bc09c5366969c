// A jthread is joined where its variable ends; what was written before the stop is asked for is known to who sees that.
//@ flags: --check race
//@ cflags: -std=c++20
#include <thread>

int asked, seen;

int main() {
    {
        std::jthread one([](std::stop_token token) {
            while (!token.stop_requested())
                std::this_thread::yield();
            seen = asked;
        });
        asked = 1;
        one.request_stop();
    }
    return seen != 1;
}
