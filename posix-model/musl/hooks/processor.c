/* What __builtin_cpu_supports and __builtin_cpu_init look at: a processor with what every x86-64 one has (cmov, mmx,
 * sse, sse2, in the bits of the compiler's run-time library) of a vendor that is neither Intel nor AMD. An instrumented
 * program finds the same: ir/src/processor.rs. */

struct processor {
	unsigned vendor, type, subtype, features[1];
} __cpu_model = {3, 0, 0, {1u << 0 | 1u << 1 | 1u << 3 | 1u << 4}};

void __symx_unsupported(const char *what);

unsigned __cpu_features2[4];

int __cpu_indicator_init(void)
{
	return 0;
}

/* What ldmxcsr is to load. The lowest six bits say what has happened, which nothing in symx notes; others round
 * otherwise, take tiny numbers for zero, or raise signals. */
void __symx_load_control(const unsigned *word)
{
	if ((*word & ~0x3fu) != 0x1f80) __symx_unsupported("a change of how SSE computes (ldmxcsr)");
}
