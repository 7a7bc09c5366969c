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

/* What the plain formula of a quotient leaves as NaN twice, by annex G. */
#define MEND_QUOTIENT(x, y, a, b, c, d, copysign) \
	if (isnan(x) && isnan(y)) { \
		if (c == 0 && d == 0 && (!isnan(a) || !isnan(b))) { \
			x = copysign(INFINITY, c) * a; \
			y = copysign(INFINITY, c) * b; \
		} else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) { \
			a = copysign(isinf(a) ? 1 : 0, a); \
			b = copysign(isinf(b) ? 1 : 0, b); \
			x = INFINITY * (a * c + b * d); \
			y = INFINITY * (b * c - a * d); \
		} else if ((isinf(c) || isinf(d)) && isfinite(a) && isfinite(b)) { \
			c = copysign(isinf(c) ? 1 : 0, c); \
			d = copysign(isinf(d) ? 1 : 0, d); \
			x = 0 * (a * c + b * d); \
			y = 0 * (b * c - a * d); \
		} \
	}

/* Smith's method as Baudin and Smith made it robust (2012): operands are scaled where a product would leave the range,
 * and where the ratio of the divisor's parts vanishes, the products are formed in another order. */
#define DEFINE_COMPLEX_QUOTIENT(name, real, copysign, fabs, LARGEST, LEAST, EPSILON) \
	real _Complex name(real a, real b, real c, real d) \
	{ \
		const real big = LARGEST / 2, tiny = EPSILON, up = 1 / EPSILON, big_times_tiny = big * tiny; \
		real p = a, q = b, r = c, s = d; \
		if (fabs(c) < fabs(d)) { /* both times -i: the larger part of the divisor comes first */ \
			p = b; \
			q = -a; \
			r = d; \
			s = -c; \
		} \
		if (fabs(r) >= big) { \
			p /= 2, q /= 2, r /= 2, s /= 2; \
		} \
		if (fabs(r) < tiny || ((fabs(p) < LEAST && fabs(q) < big_times_tiny && fabs(r) < big_times_tiny) || \
		    (fabs(q) < LEAST && fabs(p) < big_times_tiny && fabs(r) < big_times_tiny))) { \
			p *= up, q *= up, r *= up, s *= up; \
		} \
		real ratio = s / r, divisor = s * ratio + r, x, y; \
		if (fabs(ratio) > LEAST) { \
			x = (q * ratio + p) / divisor; \
			y = (q - p * ratio) / divisor; \
		} else { \
			x = (p + s * (q / r)) / divisor; \
			y = (q - s * (p / r)) / divisor; \
		} \
		MEND_QUOTIENT(x, y, a, b, c, d, copysign) \
		return __builtin_complex(x, y); \
	}

DEFINE_COMPLEX_QUOTIENT(__divdc3, double, copysign, fabs, __DBL_MAX__, __DBL_MIN__, __DBL_EPSILON__)
DEFINE_COMPLEX_QUOTIENT(__divxc3, long double, copysignl, fabsl, __LDBL_MAX__, __LDBL_MIN__, __LDBL_EPSILON__)

/* In double nothing leaves the range. */
float _Complex __divsc3(float a, float b, float c, float d)
{
	double square = (double)c * c + (double)d * d;
	float x = ((double)a * c + (double)b * d) / square;
	float y = ((double)b * c - (double)a * d) / square;
	MEND_QUOTIENT(x, y, a, b, c, d, copysignf)
	return __builtin_complex(x, y);
}
