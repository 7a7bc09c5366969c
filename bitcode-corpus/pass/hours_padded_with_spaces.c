// strftime: hours padded with a space, am and pm in small letters, years of five digits.
//@ native
#include <stdio.h>
#include <time.h>

int main(void) {
    for (int hour = 0; hour < 24; hour += 6) {
        char text[32];
        struct tm when = {.tm_year = 8100, .tm_mday = 1, .tm_hour = hour + 1};
        size_t length = strftime(text, sizeof text, "%Y %k %l %P", &when);
        printf("%zu [%s]\n", length, length ? text : "");
    }
    return 0;
}
