// std::call_once orders what it did before everybody behind it.
//@ flags: --check race
#include <mutex>
#include <thread>

std::once_flag once;
int *table;

static int use() {
    std::call_once(once, [] { table = new int[2]{1, 2}; });
    return table[1];
}

int main() {
    int seen[2];
    std::thread one([&] { seen[0] = use(); }), two([&] { seen[1] = use(); });
    one.join();
    two.join();
    delete[] table;
    return seen[0] != 2 || seen[1] != 2;
}
