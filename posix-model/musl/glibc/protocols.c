/* Protocols by name and number into memory of the caller. musl has the table and no functions of this kind. */
#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <string.h>

extern const unsigned char __protocols[];
extern const unsigned long __protocols_size;

/* The row of a protocol, or 0: its number, then its name. */
static const unsigned char *protocol(const char *name, int number)
{
	const unsigned char *end = __protocols + __protocols_size;
	for (const unsigned char *row = __protocols; row < end; row += strlen((const char *)row + 1) + 2)
		if (name ? !strcmp(name, (const char *)row + 1) : *row == number) return row;
	return 0;
}

/* The entry of a row, whose list of other names and whose name are in `bytes`. */
static int entry(const unsigned char *row, struct protoent *to, char *bytes, size_t room, struct protoent **found)
{
	*found = 0;
	if (!row) return 0;
	size_t before = -(size_t)bytes % sizeof(char *), length = strlen((const char *)row + 1) + 1;
	if (room < before || room - before < sizeof(char *) + length) return ERANGE;
	to->p_aliases = (void *)(bytes + before);
	to->p_aliases[0] = 0;
	to->p_name = memcpy(bytes + before + sizeof(char *), row + 1, length);
	to->p_proto = *row;
	*found = to;
	return 0;
}

int getprotobyname_r(const char *name, struct protoent *to, char *bytes, size_t room, struct protoent **found)
{
	return entry(protocol(name, 0), to, bytes, room, found);
}

int getprotobynumber_r(int number, struct protoent *to, char *bytes, size_t room, struct protoent **found)
{
	return entry(protocol(0, number), to, bytes, room, found);
}
