/* Complex products and quotients for which the compiler calls its run-time library: C99 annex G, where an infinite operand makes the
 * product infinite even when the plain formula yields NaN twice. */
#include <complex.h>
#include <math.h>

#define DEFINE_COMPLEX_PRODUCT(name, real, copysign) \
	real _Complex name(real a, real b, real c, real d) \
	{ \
		real x = a * c - b * d, y = a * d + b * c; \
		if (isnan(x) && isnan(y)) { \
			int left = isinf(a) || isinf(b), right = isinf(c) || isinf(d); \
			int overflow = isinf(a * c) || isinf(b * d) || isinf(a * d) || isinf(b * c); \
			if (left) { \
				a = copysign(isinf(a) ? 1 : 0, a); \
				b = copysign(isinf(b) ? 1 : 0, b); \
			} \
			if (right) { \
				c = copysign(isinf(c) ? 1 : 0, c); \
				d = copysign(isinf(d) ? 1 : 0, d); \
			} \
			if (left || right || overflow) { \
				if (isnan(a)) a = copysign(0, a); \
				if (isnan(b)) b = copysign(0, b); \
				if (isnan(c)) c = copysign(0, c); \
				if (isnan(d)) d = copysign(0, d); \
				x = INFINITY * (a * c - b * d); \
				y = INFINITY * (a * d + b * c); \
			} \
		} \
		return __builtin_complex(x, y); \
	}

DEFINE_COMPLEX_PRODUCT(__mulsc3, float, copysignf)
DEFINE_COMPLEX_PRODUCT(__muldc3, double, copysign)
DEFINE_COMPLEX_PRODUCT(__mulxc3, long double, copysignl)

/* Quotients: the divisor is scaled by a power of two, so that its square neither overflows nor vanishes. */
#define DEFINE_COMPLEX_QUOTIENT(name, real, copysign, fmax, fabs, logb, scalbn) \
	real _Complex name(real a, real b, real c, real d) \
	{ \
		int scale = 0; \
		real size = logb(fmax(fabs(c), fabs(d))); \
		if (isfinite(size)) { \
			scale = (int)size; \
			c = scalbn(c, -scale); \
			d = scalbn(d, -scale); \
		} \
		real square = c * c + d * d; \
		real x = scalbn((a * c + b * d) / square, -scale); \
		real y = scalbn((b * c - a * d) / square, -scale); \
		if (isnan(x) && isnan(y)) { \
			if (square == 0 && (!isnan(a) || !isnan(b))) { \
				x = copysign(INFINITY, c) * a; \
				y = copysign(INFINITY, c) * b; \
			} else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) { \
				a = copysign(isinf(a) ? 1 : 0, a); \
				b = copysign(isinf(b) ? 1 : 0, b); \
				x = INFINITY * (a * c + b * d); \
				y = INFINITY * (b * c - a * d); \
			} else if (isinf(size) && size > 0 && isfinite(a) && isfinite(b)) { \
				c = copysign(isinf(c) ? 1 : 0, c); \
				d = copysign(isinf(d) ? 1 : 0, d); \
				x = 0 * (a * c + b * d); \
				y = 0 * (b * c - a * d); \
			} \
		} \
		return __builtin_complex(x, y); \
	}

DEFINE_COMPLEX_QUOTIENT(__divsc3, float, copysignf, fmaxf, fabsf, logbf, scalbnf)
DEFINE_COMPLEX_QUOTIENT(__divdc3, double, copysign, fmax, fabs, logb, scalbn)
DEFINE_COMPLEX_QUOTIENT(__divxc3, long double, copysignl, fmaxl, fabsl, logbl, scalbnl)
