// What says that it is not aligned may be read and written anywhere.
//@ native
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct __attribute__((packed)) record {
    char tag;
    uint32_t count;
    uint64_t sum;
};

int main(void) {
    struct record records[3];
    for (int index = 0; index < 3; index++) records[index] = (struct record){'r', 7 + index, 1000000};
    char text[16] = "xabcdefgh";
    uint64_t word;
    memcpy(&word, text + 1, sizeof word);
    char out[9] = {0};
    memcpy(out, &word, sizeof word);
    printf("%u %llu %u %s\n", records[0].count, (unsigned long long)records[1].sum, records[2].count, out);
    return 0;
}
