//@ native
// Closures, std::function, variant, optional, any, tuple: type erasure and visiting.
#include <any>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <variant>

static std::function<int(int)> adder(int amount)
{
    return [amount](int value) { return value + amount; };
}

int main()
{
    auto twice = [](auto f) { return [f](int x) { return f(f(x)); }; };
    std::printf("%d\n", twice(adder(5))(1));
    std::function<void()> empty;
    try {
        empty();
    } catch (const std::bad_function_call &error) {
        std::printf("%s\n", error.what());
    }
    std::variant<int, std::string> variant = "text";
    std::visit([](auto &held) { std::printf("%zu\n", sizeof held); }, variant);
    try {
        std::get<int>(variant);
    } catch (const std::bad_variant_access &) {
        std::printf("not an int\n");
    }
    std::optional<int> none;
    try {
        none.value();
    } catch (const std::bad_optional_access &) {
        std::printf("nothing there\n");
    }
    std::any any = std::string("anything");
    std::printf("%s %d\n", std::any_cast<std::string &>(any).c_str(), std::any_cast<int>(&any) == nullptr);
    auto [a, b] = std::make_tuple(1, 2.5);
    std::printf("%d %g\n", a, b);
}
