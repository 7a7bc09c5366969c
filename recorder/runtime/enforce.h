#ifndef SYMX_ENFORCE_H
#define SYMX_ENFORCE_H

/* What the pass inserts around each site: nearly nothing where the plan has no step. Inlined into the program. */

#include <stdint.h>

#define INLINED __attribute__((always_inline, nothrow))
#define APART __attribute__((noinline, cold, nothrow))

/* Defined by the instrumented program: whether the plan has steps at a site, by number. */
extern uint8_t symx_enforce_planned[];

APART void symx_enforce_begin(uint32_t site);
APART void symx_enforce_end(uint32_t site);
APART void symx_enforce_return(uint32_t site);

#endif
