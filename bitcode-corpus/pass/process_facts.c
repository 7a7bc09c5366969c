// What a process can ask about itself and its machine; the same in every run.
#define _GNU_SOURCE
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void) {
    struct utsname names;
    struct rlimit limit;
    struct rusage usage;
    struct sysinfo system;
    char name[64], before[8], after[8];
    if (uname(&names) != 0 || strcmp(names.sysname, "Linux") != 0)
        abort();
    if (gethostname(name, sizeof name) != 0 || strcmp(name, names.nodename) != 0)
        abort();
    if (getpid() != getpid() || getppid() <= 0 || getuid() != geteuid() || getgid() != getegid())
        abort();
    if (sysconf(_SC_PAGESIZE) != 4096 || getpagesize() != 4096 || sysconf(_SC_NPROCESSORS_ONLN) < 1)
        abort();
    if (sysconf(_SC_OPEN_MAX) < 16 || sysconf(_SC_CLK_TCK) != 100 || sysconf(_SC_PHYS_PAGES) < 1)
        abort();
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < 16)
        abort();
    if (getrusage(RUSAGE_SELF, &usage) != 0 || usage.ru_utime.tv_sec < 0)
        abort();
    if (sysinfo(&system) != 0 || system.totalram == 0)
        abort();
    if (getrandom(before, 8, 0) != 8 || getentropy(after, 8) != 0 || memcmp(before, after, 8) == 0)
        abort();
    if (getpwuid(12345) != NULL || getauxval(AT_PAGESZ) != 4096)
        abort();
    if (getenv("HOME") == NULL || strcmp(getenv("LANG"), "C") != 0 || getenv("USER") != NULL)
        abort();
    if (setpriority(PRIO_PROCESS, 0, 0) != 0 || getpriority(PRIO_PROCESS, 0) != 0 || nice(0) != 0)
        abort();
    return 0;
}
