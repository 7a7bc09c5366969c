//@ native
// Exceptions cross frames of the library: algorithms, containers, qsort, call_once.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

static int comparisons;

static int compare(const void *a, const void *b)
{
    if (++comparisons == 3) throw std::runtime_error("third comparison");
    return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

struct Fragile {
    int value;
    explicit Fragile(int value) : value(value) {}
    Fragile(const Fragile &other) : value(other.value)
    {
        if (value == 3) throw std::string("copy of 3");
    }
};

int main()
{
    int numbers[] = {4, 2, 3, 1};
    try {
        std::qsort(numbers, 4, sizeof(int), compare);
    } catch (const std::exception &error) {
        std::printf("%s\n", error.what());
    }
    std::vector<Fragile> fragile;
    fragile.reserve(8);
    for (int i = 1; i < 5; i++) fragile.emplace_back(i);
    try {
        std::vector<Fragile> copies(fragile);
    } catch (const std::string &text) {
        std::printf("%s\n", text.c_str());
    }
    try {
        std::for_each(numbers, numbers + 4, [](int number) { if (number == 3) throw number; });
    } catch (int number) {
        std::printf("for_each stopped at %d\n", number);
    }
    std::once_flag once;
    int attempts = 0;
    for (int round = 0; round < 3; round++) {
        try {
            std::call_once(once, [&] { if (++attempts < 2) throw attempts; });
        } catch (int number) {
            std::printf("attempt %d failed\n", number);
        }
    }
    std::printf("%d attempts\n", attempts);
    try {
        std::map<int, int>().at(1);
    } catch (const std::out_of_range &error) {
        std::printf("%s\n", error.what());
    }
    try {
        std::stoi("no number");
    } catch (const std::invalid_argument &error) {
        std::printf("%s\n", error.what());
    }
}
