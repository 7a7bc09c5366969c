// What a promise carries is behind what came before it.
//@ flags: --check race
#include <future>
#include <thread>

int data;

int main() {
    std::promise<void> done;
    std::future<void> waited = done.get_future();
    std::thread one([&] {
        data = 1;
        done.set_value();
    });
    waited.wait();
    int seen = data;
    one.join();
    return seen - 1;
}
