// The pointer itself is as plain as any other object.
//@ flags: --check race
#include <memory>
#include <thread>

std::shared_ptr<int> shared;

static void replace() {
    shared = std::make_shared<int>(1);
}

int main() {
    std::thread one(replace);
    volatile bool seen = shared != nullptr; //~ ERROR: data race on
    one.join();
    return seen > 1;
}
