/* Ends with what it has read of three time stamps, two of them in inline assembly. */
#include <stdint.h>

static uint64_t plain(void) {
    uint32_t low, high;
    __asm__ volatile("lfence; rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

static uint64_t with_processor(void) {
    uint32_t low, high, processor;
    __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(processor));
    return ((uint64_t)high << 32 | low) + processor;
}

int main(void) {
    unsigned processor;
    uint64_t first = plain(), second = with_processor(), third = __builtin_ia32_rdtscp(&processor) + processor;
    return 64 + (int)(first % 31 + second % 31 + third % 31);
}
