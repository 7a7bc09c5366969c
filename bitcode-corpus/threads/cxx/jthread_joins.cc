// A joining thread is joined at the end of its scope.
//@ outcomes: 1
//@ cflags: -std=c++20
//@ native
#include <cstdio>
#include <thread>

int main() {
    int done = 0;
    {
        std::jthread thread([&] { done = 1; });
    }
    std::printf("%d\n", done);
}
