// An external function that nobody knows returns any value of its type and changes nothing.
//@ flags: --externals havoc
//@ outcomes: big small
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>

unsigned char read_sensor(int *calibration);
bool is_armed(void);
void blink(void);
void give_up(void) __attribute__((noreturn));

int main(void) {
    int calibration = 3;
    unsigned char value = read_sensor(&calibration);
    assert(calibration == 3 && value <= 255);
    blink();
    int armed = is_armed();
    assert(armed == 0 || armed == 1);
    if (armed && value == 7)
        give_up();
    puts(value > 100 ? "big" : "small");
    return 0;
}
