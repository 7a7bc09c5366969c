// The jthread is joined only after what it writes has been read.
//@ flags: --check race
//@ cflags: -std=c++20
#include <thread>

int data;

int main() {
    std::jthread one([] { data = 1; });
    return data > 1; //~ ERROR: data race on `data`
}
