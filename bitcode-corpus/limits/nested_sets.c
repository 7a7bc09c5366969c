// Sets of descriptors in layers, each of which watches all of the layer below: billions of ways lead down.
// quick
#include <sys/epoll.h>
enum { LAYERS = 12, WIDTH = 8 };
int main(void) {
    int sets[LAYERS][WIDTH];
    for (int layer = 0; layer < LAYERS; layer++) {
        for (int index = 0; index < WIDTH; index++) {
            sets[layer][index] = epoll_create1(0);
            for (int below = 0; layer > 0 && below < WIDTH; below++) {
                struct epoll_event event = {.events = EPOLLIN};
                if (epoll_ctl(sets[layer][index], EPOLL_CTL_ADD, sets[layer - 1][below], &event) != 0) return 0;
            }
        }
    }
    for (;;) {
        struct epoll_event found;
        if (epoll_wait(sets[LAYERS - 1][0], &found, 1, 0) > 0) return 1;
    }
}
