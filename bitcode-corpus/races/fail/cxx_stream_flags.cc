// Output functions of a synchronised stream do not race. What sets its flags is none.
//@ flags: --check race
#include <iostream>
#include <thread>

int main() {
    std::thread thread([] { std::cout.setf(std::ios::boolalpha); });
    std::cout.setf(std::ios::showbase); //~ ERROR: data race
    thread.join();
}
