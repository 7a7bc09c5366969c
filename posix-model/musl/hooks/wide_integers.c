/* Arithmetic on 128 bits by the names of the compiler's run-time library, for code that calls it by name. */

typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;

wide __divti3(wide a, wide b)
{
	return a / b;
}

wide __modti3(wide a, wide b)
{
	return a % b;
}

unsigned_wide __udivti3(unsigned_wide a, unsigned_wide b)
{
	return a / b;
}

unsigned_wide __umodti3(unsigned_wide a, unsigned_wide b)
{
	return a % b;
}

unsigned_wide __udivmodti4(unsigned_wide a, unsigned_wide b, unsigned_wide *rest)
{
	if (rest)
		*rest = a % b;
	return a / b;
}

wide __multi3(wide a, wide b)
{
	return (wide)((unsigned_wide)a * (unsigned_wide)b);
}
