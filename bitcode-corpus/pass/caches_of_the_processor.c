// The processor says how long a line of its caches is: programs align memory by it.
#include <assert.h>
#include <errno.h>
#include <unistd.h>

int main(void) {
    assert(sysconf(_SC_LEVEL1_DCACHE_LINESIZE) == 64);
    assert(sysconf(_SC_LEVEL1_ICACHE_LINESIZE) == 64);
    assert(sysconf(_SC_LEVEL1_DCACHE_SIZE) == 32768);
    assert(sysconf(_SC_LEVEL2_CACHE_SIZE) == 262144);
    assert(sysconf(_SC_LEVEL4_CACHE_LINESIZE) == 0);
    errno = 0;
    assert(sysconf(1000) == -1 && errno == EINVAL);
    return 0;
}
