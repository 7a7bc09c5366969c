// The interfaces of the modelled machine: the loopback. musl asks the kernel through a netlink socket.

#define _GNU_SOURCE
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <stdlib.h>
#include <string.h>

#define LOOPBACK 1
#define LOOPBACK_KIND 772 // ARPHRD_LOOPBACK

union address {
	struct sockaddr any;
	struct sockaddr_ll link;
	struct sockaddr_in internet;
	struct sockaddr_in6 internet6;
};

// The list is one block: entries that point into it.
struct list {
	struct ifaddrs entries[3];
	union address addresses[3], masks[2], same_link;
	char name[3];
};

int getifaddrs(struct ifaddrs **result) {
	struct list *list = calloc(1, sizeof *list);
	if (!list)
		return -1;
	memcpy(list->name, "lo", 3);
	for (int i = 0; i < 3; i++) {
		list->entries[i].ifa_next = i < 2 ? &list->entries[i + 1] : 0;
		list->entries[i].ifa_name = list->name;
		list->entries[i].ifa_flags = IFF_UP | IFF_LOOPBACK | IFF_RUNNING;
		list->entries[i].ifa_addr = &list->addresses[i].any;
		if (i)
			list->entries[i].ifa_netmask = &list->masks[i - 1].any;
	}
	list->entries[0].ifa_flags |= 0x10000; // IFF_LOWER_UP
	list->entries[1].ifa_flags = list->entries[2].ifa_flags = list->entries[0].ifa_flags;

	struct sockaddr_ll *link = &list->addresses[0].link;
	link->sll_family = AF_PACKET;
	link->sll_ifindex = LOOPBACK;
	link->sll_hatype = LOOPBACK_KIND;
	link->sll_halen = 6;
	list->same_link.link = *link;
	list->entries[0].ifa_broadaddr = &list->same_link.any;

	struct sockaddr_in *internet = &list->addresses[1].internet;
	internet->sin_family = list->masks[0].internet.sin_family = AF_INET;
	internet->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	list->masks[0].internet.sin_addr.s_addr = htonl(0xff000000);
	list->entries[1].ifa_broadaddr = &list->addresses[1].any;

	struct sockaddr_in6 *internet6 = &list->addresses[2].internet6;
	internet6->sin6_family = list->masks[1].internet6.sin6_family = AF_INET6;
	internet6->sin6_addr = in6addr_loopback;
	memset(&list->masks[1].internet6.sin6_addr, 0xff, 16);

	*result = list->entries;
	return 0;
}

void freeifaddrs(struct ifaddrs *list) { free(list); }

struct if_nameindex *if_nameindex(void) {
	struct all {
		struct if_nameindex entries[2];
		char name[3];
	} *all = calloc(1, sizeof *all);
	if (!all)
		return 0;
	memcpy(all->name, "lo", 3);
	all->entries[0].if_index = LOOPBACK;
	all->entries[0].if_name = all->name;
	return all->entries;
}

void if_freenameindex(struct if_nameindex *all) { free(all); }

unsigned if_nametoindex(const char *name) {
	if (!strcmp(name, "lo"))
		return LOOPBACK;
	errno = ENODEV;
	return 0;
}

char *if_indextoname(unsigned index, char *name) {
	if (index == LOOPBACK)
		return memcpy(name, "lo", 3);
	errno = ENXIO;
	return 0;
}
