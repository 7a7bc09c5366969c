#ifndef SYMX_RECORDER_NOISE_H
#define SYMX_RECORDER_NOISE_H

/* Noise (`symx record --noise`): where threads synchronise, begin and create others, one of them now and then waits for a
 * moment. Orders that are rare come about more often; none is possible that is not without.
 *
 * Of each run the seed decides how many of the places are delayed: few long delays show other failures than many do. A delay is
 * of 1 microsecond to 8 milliseconds, all magnitudes alike: a window between two steps is met by what is about as long. */

#include "log.h"

enum {
    RAREST = 9,           /* at one of 2^1 to 2^9 places there is a delay */
    LONGEST_DELAY_LOG = 13, /* microseconds */
};

/* 0 for no noise. */
static uint64_t noise_seed;

static void start_noise(void) {
    const char *seed = secure_getenv("SYMX_RECORD_NOISE");
    if (seed != NULL) noise_seed = strtoull(seed, NULL, 10) + 1;
}

/* A step of splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). */
static uint64_t mixed(uint64_t number) {
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9u;
    number = (number ^ number >> 27) * 0x94D049BB133111EBu;
    return number ^ number >> 31;
}

COLD static void disturb(void) {
    if (noise_seed == 0) return;
    /* Each thread draws numbers of its own: its record's address differs from the others'. */
    self.drawn += 0x9E3779B97F4A7C15u;
    uint64_t number = mixed(noise_seed * 0x9E3779B97F4A7C15u ^ (uintptr_t)&self ^ self.drawn);
    unsigned rarity = 1 + (unsigned)(mixed(noise_seed) % RAREST);
    if (number & ((1u << rarity) - 1)) return;
    unsigned magnitude = (unsigned)(number >> 32) % (LONGEST_DELAY_LOG + 1);
    int saved_errno = errno;
    nanosleep(&(struct timespec){.tv_nsec = 1000l << magnitude}, NULL);
    errno = saved_errno;
}

#endif
