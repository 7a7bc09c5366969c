// The machine has been up for a while when a program starts, and says so alike in all places.
//@ native
#include <stdio.h>
#include <sys/sysinfo.h>
#include <time.h>

int main(void) {
    struct timespec monotonic, raw, boot;
    struct sysinfo system;
    clock_gettime(CLOCK_MONOTONIC, &monotonic);
    clock_gettime(CLOCK_MONOTONIC_RAW, &raw);
    clock_gettime(CLOCK_BOOTTIME, &boot);
    sysinfo(&system);
    printf("%d %d %d\n", monotonic.tv_sec > 60, raw.tv_sec > 60, boot.tv_sec >= monotonic.tv_sec);
    printf("%d\n", system.uptime >= boot.tv_sec && system.uptime <= boot.tv_sec + 2);
    return 0;
}
