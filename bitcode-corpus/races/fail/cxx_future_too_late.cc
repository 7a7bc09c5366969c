// Written behind the promise: nobody waits for that.
//@ flags: --check race
#include <future>
#include <thread>

int data;

int main() {
    std::promise<void> done;
    std::future<void> waited = done.get_future();
    std::thread one([&] {
        done.set_value();
        data = 1;
    });
    waited.wait();
    int seen = data; //~ ERROR: data race on `data`
    one.join();
    return seen > 1;
}
