// The calendar: gmtime, mktime, timegm, strftime, strptime, difftime, asctime; time zones from TZ.
//@ native
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(void) {
    time_t moments[] = {0, 951782400, 1709164799, 4102444800, -1};
    char text[128];
    for (int i = 0; i < 5; i++) {
        struct tm tm;
        gmtime_r(&moments[i], &tm);
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %a %A %b %B %j %U %W %u %w %y %C %G-%V %e %I %p %D %F %T %R %%", &tm);
        printf("%s\n", text);
        printf("%d %s", timegm(&tm) == moments[i], asctime(&tm));
    }
    struct tm odd = {.tm_year = 124, .tm_mon = 13, .tm_mday = 35, .tm_hour = 25, .tm_min = -5, .tm_isdst = -1};
    time_t made = mktime(&odd);
    printf("%ld %d-%d-%d %d:%d %d %d\n", (long)made, odd.tm_year, odd.tm_mon, odd.tm_mday, odd.tm_hour, odd.tm_min, odd.tm_wday, odd.tm_yday);
    struct tm read = {0};
    char *rest = strptime("2023-11-05 17:45:09 rest", "%Y-%m-%d %H:%M:%S", &read);
    printf("%d %d %d %d|%s\n", read.tm_year, read.tm_mon, read.tm_hour, read.tm_sec, rest);
    printf("%.0f\n", difftime(10, 4));
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    time_t summer = 1720000000, winter = 1704067200;
    strftime(text, sizeof text, "%F %T %z %Z", localtime(&summer));
    printf("%s\n", text);
    strftime(text, sizeof text, "%F %T %z %Z", localtime(&winter));
    printf("%s %s %s %ld %d\n", text, tzname[0], tzname[1], timezone, daylight);
    setenv("TZ", "UTC0", 1);
    printf("%s", ctime(&summer));
    struct timespec now, later;
    printf("%d\n", clock_gettime(CLOCK_MONOTONIC, &now));
    clock_gettime(CLOCK_MONOTONIC, &later);
    printf("%d\n", later.tv_sec > now.tv_sec || (later.tv_sec == now.tv_sec && later.tv_nsec >= now.tv_nsec));
    printf("%d %d\n", time(NULL) > 0, clock() >= 0);
    return 0;
}
