//@ native
// A directory with files is made, listed, listed with what is in its folders, and removed.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

template <typename Iterator>
static void list(const fs::path &folder)
{
    std::vector<std::string> names;
    for (const fs::directory_entry &entry : Iterator(folder))
        names.push_back(entry.path().string() + (entry.is_directory() ? "/" : ""));
    std::sort(names.begin(), names.end());
    for (const std::string &name : names) std::printf("%s\n", name.c_str());
}

int main()
{
    const fs::path folder = "listed";
    fs::create_directories(folder / "inner");
    for (const char *name : {"one", "two", "inner/three"}) std::ofstream(folder / name) << name;
    list<fs::directory_iterator>(folder);
    list<fs::recursive_directory_iterator>(folder);
    std::printf("%d\n", static_cast<int>(fs::remove_all(folder)));
    std::printf("%d\n", fs::exists(folder));
    std::error_code error;
    fs::directory_iterator missing(folder, error);
    std::printf("%d\n", error == std::errc::no_such_file_or_directory);
}
