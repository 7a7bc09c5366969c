// The same with a load that asks for nothing: what the object holds is not ordered.
//@ flags: --check race
#include <atomic>
#include <thread>

struct Message {
    int text;
};
std::atomic<Message *> box;

static void send() {
    box.store(new Message{7}, std::memory_order_release);
}

static int receive() {
    Message *message = box.load(std::memory_order_relaxed);
    return message ? message->text : 7; //~ ERROR: data race on `
}

int main() {
    int seen = 0;
    std::thread one(send), two([&] { seen = receive(); });
    one.join();
    two.join();
    delete box.load();
    return seen - 7;
}
