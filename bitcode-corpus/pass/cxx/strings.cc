//@ native
// Strings: growth, searching, conversion, views, character conversion of wide ones.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <regex>
#include <string>
#include <string_view>

int main()
{
    std::string text = "the quick brown fox";
    text.replace(4, 5, "slow").append(50, '!').resize(22);
    std::printf("%s %zu %zu\n", text.c_str(), text.find("fox"), text.rfind('o'));
    std::string upper = text.substr(0, 3);
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
    std::printf("%s %d\n", upper.c_str(), upper < text);
    std::printf("%d %s %s\n", std::stoi("-42"), std::to_string(3.5).c_str(), std::to_string(1ull << 40).c_str());
    std::printf("%g %ld\n", std::stod("2.5e-3"), std::stol("ff", nullptr, 16));
    std::string_view view = text;
    view.remove_prefix(4);
    std::printf("%.*s %d\n", 4, view.data(), view.substr(0, 4) == "slow");
    char buffer[32];
    auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, 6.25);
    std::printf("%.*s\n", int(end - buffer), buffer);
    double parsed = 0;
    std::from_chars("1.75x", "1.75x" + 5, parsed);
    std::printf("%g\n", parsed);
    std::wstring wide = L"wide" + std::to_wstring(7);
    std::printf("%zu\n", wide.size());
    std::smatch match;
    std::regex pattern("(\\w+)@(\\w+)\\.com");
    std::string mail = "write to someone@example.com now";
    if (std::regex_search(mail, match, pattern)) std::printf("%s at %s\n", match[1].str().c_str(), match[2].str().c_str());
}
