// A sequential bug: the mean of the positive samples is asked for, and there may be none.
//@ predictor: branch 14
//@ sketch: m:27 m:14 m:20
#include <symx.h>

enum { SAMPLES = 2 };

static int mean(const signed char *samples) {
    int total = 0, count = 0;
    for (int i = 0; i < SAMPLES; i++) {
        // Zero and less
        // are no
        // measurements.
        if (samples[i] > 0) {
            total += samples[i];
            count++;
        }
    }
    // All may have been left out.
    return total / count; //~ ERROR: division by zero
}

int main(void) {
    signed char samples[SAMPLES];
    // What the
    // sensor says.
    symx_make_symbolic(samples, SAMPLES, "samples");
    return mean(samples) > 5;
}
