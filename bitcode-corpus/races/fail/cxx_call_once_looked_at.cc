// Somebody looks whether it was done, and does not go through std::call_once.
//@ flags: --check race
#include <mutex>
#include <thread>

std::once_flag once;
int table;

static void prepare() {
    std::call_once(once, [] { table = 2; });
}

int main() {
    std::thread one(prepare);
    int seen = table; //~ ERROR: data race on `table`
    one.join();
    return seen > 2;
}
