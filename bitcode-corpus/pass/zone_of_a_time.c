// The zone that strftime writes is the one in the time; that of gmtime is GMT.
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>

static void show(const struct tm *time) {
    char text[64];
    strftime(text, sizeof text, "%H %Z %z|", time);
    puts(text);
}

int main(void) {
    time_t moment = 1000000000;
    struct tm time = *gmtime(&moment), copy = time;
    show(&time);
    timegm(&copy);
    show(&copy);
    time.tm_zone = "XYZ";
    show(&time);
    time.tm_isdst = -1;
    show(&time);
    time.tm_zone = NULL;
    show(&time);
    struct tm summer = {.tm_year = 100, .tm_mday = 1, .tm_zone = "CEST", .tm_gmtoff = 7200, .tm_isdst = 1};
    show(&summer);
    show(localtime(&moment));
    time.tm_zone = NULL, time.tm_isdst = 0;
    show(&time);
    return 0;
}
