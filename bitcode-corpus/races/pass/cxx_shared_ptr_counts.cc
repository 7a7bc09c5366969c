// The counts of a std::shared_ptr are atomic: the last owner deletes what all others have used.
//@ flags: --check race,memory
#include <memory>
#include <thread>

struct Shared {
    int value = 1;
};

int main() {
    auto shared = std::make_shared<Shared>();
    std::thread one([copy = shared] { (void)*(volatile int *)&copy->value; });
    std::thread two([copy = shared] { (void)*(volatile int *)&copy->value; });
    shared.reset();
    one.join();
    two.join();
    return 0;
}
