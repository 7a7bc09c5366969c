// A standard stream that is not synchronised with C's has a buffer of its own, which two threads share.
//@ cflags: -O1
//@ flags: --check race
#include <iostream>
#include <thread>

int main() {
    std::ios::sync_with_stdio(false);
    std::thread thread([] { std::cout << ""; });
    std::cout << ""; //~ ERROR: race
    thread.join();
}
