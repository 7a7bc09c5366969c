// The loopback among the machine's interfaces: its names, numbers, addresses and masks; what is none.
//@ native
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    struct ifaddrs *all;
    printf("%d\n", getifaddrs(&all));
    for (struct ifaddrs *one = all; one; one = one->ifa_next) {
        char address[64] = "", mask[64] = "";
        if (strcmp(one->ifa_name, "lo") || !one->ifa_addr)
            continue;
        int family = one->ifa_addr->sa_family;
        if (family == AF_INET) {
            inet_ntop(family, &((struct sockaddr_in *)one->ifa_addr)->sin_addr, address, sizeof address);
            inet_ntop(family, &((struct sockaddr_in *)one->ifa_netmask)->sin_addr, mask, sizeof mask);
            printf("%s %s\n", address, mask);
        } else if (family == AF_PACKET) {
            struct sockaddr_ll *link = (void *)one->ifa_addr;
            printf("%d %d %d\n", link->sll_ifindex, link->sll_hatype, link->sll_halen);
        }
        printf("%d\n", (one->ifa_flags & (IFF_UP | IFF_LOOPBACK | IFF_RUNNING)) == (IFF_UP | IFF_LOOPBACK | IFF_RUNNING));
    }
    freeifaddrs(all);
    char name[IF_NAMESIZE];
    printf("%u %s\n", if_nametoindex("lo"), if_indextoname(1, name));
    errno = 0;
    printf("%u %d\n", if_nametoindex("none"), errno);
    printf("%d %d\n", if_indextoname(4000000, name) == NULL, errno);
    struct if_nameindex *names = if_nameindex();
    printf("%u %s\n", names[0].if_index, names[0].if_name);
    if_freenameindex(names);
    return 0;
}
