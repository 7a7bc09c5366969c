// Protocols by name and by number into memory of the caller.
// Without the file of protocols, natively none is known: so there is no native run.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <string.h>

int main(void) {
    struct protoent entry, *found;
    char bytes[64];
    assert(getprotobyname_r("tcp", &entry, bytes, sizeof bytes, &found) == 0 && found == &entry);
    assert(entry.p_proto == 6 && !strcmp(entry.p_name, "tcp") && !entry.p_aliases[0]);
    assert(entry.p_name >= bytes && entry.p_name < bytes + sizeof bytes);
    assert(getprotobynumber_r(17, &entry, bytes + 1, sizeof bytes - 1, &found) == 0 && found == &entry);
    assert(entry.p_proto == 17 && !strcmp(entry.p_name, "udp"));
    assert(getprotobyname_r("no such protocol", &entry, bytes, sizeof bytes, &found) == 0 && !found);
    assert(getprotobynumber_r(17, &entry, bytes, 4, &found) == ERANGE && !found);
    return 0;
}
