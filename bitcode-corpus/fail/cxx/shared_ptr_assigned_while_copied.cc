// One shared_ptr is assigned in one thread and copied in another: the copy counts itself where the count was freed.
#include <memory>
#include <thread>

std::shared_ptr<int> current = std::make_shared<int>(1);

int main()
{
    std::thread renewal([] { current = std::make_shared<int>(2); });
    auto copy = current; //~ ERROR: use after free
    renewal.join();
    return copy ? 0 : 1;
}
