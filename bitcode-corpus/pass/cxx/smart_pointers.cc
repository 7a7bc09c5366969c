//@ native
//@ flags: --check leak --check memory --check abort
// Ownership: unique, shared with weak observers and custom deleters, enable_shared_from_this.
#include <cstdio>
#include <memory>
#include <vector>

struct Node : std::enable_shared_from_this<Node> {
    int value;
    std::shared_ptr<Node> next;
    std::weak_ptr<Node> previous;
    explicit Node(int value) : value(value) {}
    ~Node() { std::printf("-%d\n", value); }
};

int main()
{
    auto first = std::make_shared<Node>(1);
    first->next = std::make_shared<Node>(2);
    first->next->previous = first;
    std::weak_ptr<Node> watch = first->next;
    std::printf("%ld %ld %d\n", first.use_count(), watch.use_count(), watch.lock()->previous.lock()->value);
    {
        auto again = first->shared_from_this();
        std::printf("%ld\n", first.use_count());
    }
    first.reset();
    std::printf("%d\n", watch.expired());
    std::unique_ptr<int[]> array(new int[3]{1, 2, 3});
    std::unique_ptr<std::FILE, int (*)(std::FILE *)> none(nullptr, std::fclose);
    std::shared_ptr<int> custom(new int(5), [](int *number) {
        std::printf("deleting %d\n", *number);
        delete number;
    });
    std::vector<std::unique_ptr<int>> owners;
    owners.push_back(std::make_unique<int>(array[2]));
    auto moved = std::move(owners[0]);
    std::printf("%d %d\n", *moved, owners[0] == nullptr);
}
