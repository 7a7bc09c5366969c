// The routine runs once, whichever thread comes first.
//@ outcomes: 1
//@ native
#include <cstdio>
#include <mutex>
#include <thread>

int main() {
    std::once_flag flag;
    int runs = 0;
    auto run = [&] { std::call_once(flag, [&] { runs++; }); };
    std::thread one(run), other(run);
    one.join();
    other.join();
    std::printf("%d\n", runs);
}
