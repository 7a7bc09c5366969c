// The same by hand, with a flag that orders nothing.
//@ flags: --check race
#include <thread>

int values[2];
bool made;

static int *table() {
    if (!made) { //~ ERROR: data race on `made`
        values[1] = 2; //~ ERROR: data race on `values[1]`
        made = true; //~ ERROR: data race on `made`
    }
    return values;
}

int main() {
    std::thread one(table), two(table);
    one.join();
    two.join();
    return values[1] - 2;
}
