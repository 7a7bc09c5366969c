/* The part of the enforcing runtime that is inlined into the program. */

#include "enforce.h"

INLINED void symx_enforce_before(uint32_t site) {
    if (__builtin_expect(symx_enforce_planned[site], 0)) symx_enforce_begin(site);
}

INLINED void symx_enforce_after(uint32_t site) {
    if (__builtin_expect(symx_enforce_planned[site], 0)) symx_enforce_end(site);
}

INLINED void symx_enforce_leaving(uint32_t site) {
    if (__builtin_expect(symx_enforce_planned[site], 0)) symx_enforce_return(site);
}
