// A static variable of a function is made once, and everybody who comes later is behind that.
//@ flags: --check race
#include <thread>

struct Table {
    int values[2];
    Table() : values{1, 2} {}
};

static const Table &table() {
    static const Table made;
    return made;
}

int main() {
    int seen[2];
    std::thread one([&] { seen[0] = table().values[1]; }), two([&] { seen[1] = table().values[1]; });
    one.join();
    two.join();
    return seen[0] != 2 || seen[1] != 2;
}
