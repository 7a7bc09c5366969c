// inet_ntop: the longest run of zeros is left out, of equal ones the first. strtol: a base that is none stores
// no end. Addresses that hold one of IPv4 are left out.
//@ cflags: -fno-builtin
//@ native
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

int main(void) {
    for (int groups = 0; groups < 256; groups++) {
        if ((groups & 63) == 0 && (groups & 64) != 0)
            continue;
        struct in6_addr address = {0};
        char text[INET6_ADDRSTRLEN];
        for (int i = 0; i < 8; i++)
            address.s6_addr[2 * i + 1] = groups >> i & 1;
        puts(inet_ntop(AF_INET6, &address, text, sizeof text));
    }
    char *end = NULL;
    wchar_t *wide_end = NULL;
    strtol("12", &end, 37);
    strtoul("12", &end, 1);
    wcstol(L"12", &wide_end, -1);
    puts(end || wide_end ? "stored" : "left");
    return 0;
}
