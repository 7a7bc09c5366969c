/* Copies between blocks: by memcpy of SIZE bytes, and by hand, word for word. */
#include <stdint.h>
#include <string.h>

#define SIZE 4096
#define TURNS 300

static uint64_t from[SIZE / 8], to[SIZE / 8];

int main(void) {
    for (int turn = 0; turn < TURNS; turn++) {
        from[turn % (SIZE / 8)] = turn;
        memcpy(to, from, SIZE);
        for (int word = 0; word < SIZE / 8; word++) from[word] = to[SIZE / 8 - 1 - word];
    }
    return from[0] + to[0] == 1;
}
