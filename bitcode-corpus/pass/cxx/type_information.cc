//@ native
// dynamic_cast in every direction, typeid of polymorphic objects, their failures.
#include <cstdio>
#include <typeindex>
#include <typeinfo>

struct Base { virtual ~Base() {} };
struct Left : virtual Base { int left = 1; };
struct Right : virtual Base { int right = 2; };
struct Join : Left, Right { int join = 3; };
struct Other { virtual ~Other() {} };

int main()
{
    Join join;
    Base *base = &join;
    std::printf("%d\n", dynamic_cast<Join *>(base)->join);
    std::printf("%d\n", dynamic_cast<Right *>(static_cast<Left *>(&join))->right);
    std::printf("%d\n", dynamic_cast<Other *>(base) == nullptr);
    std::printf("%d\n", dynamic_cast<void *>(base) == &join);
    std::printf("%s %d\n", typeid(*base).name(), typeid(*base) == typeid(Join));
    std::printf("%d\n", std::type_index(typeid(int)) == std::type_index(typeid(long)));
    try {
        (void)dynamic_cast<Other &>(*base);
    } catch (const std::bad_cast &error) {
        std::printf("%s\n", error.what());
    }
    Base *none = nullptr;
    try {
        std::printf("%s\n", typeid(*none).name());
    } catch (const std::bad_typeid &error) {
        std::printf("%s\n", error.what());
    }
}
