// std::atomic hands an object over: released by its maker, acquired by its user.
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
    Message *message = box.load(std::memory_order_acquire);
    return message ? message->text : 7;
}

int main() {
    int seen = 0;
    std::thread one(send), two([&] { seen = receive(); });
    one.join();
    two.join();
    delete box.load();
    return seen - 7;
}
