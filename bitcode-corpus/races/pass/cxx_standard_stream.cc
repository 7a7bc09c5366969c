// Two threads may print to a standard stream at once: its output functions do not race.
//@ cflags: -O1
//@ flags: --check race
//@ outcomes: abcd acbd acdb cabd cadb cdab
#include <iostream>
#include <thread>

int main() {
    std::thread thread([] { std::cout << "a" << "b"; });
    std::cout << "c" << "d";
    thread.join();
}
