/* Ahead of random.cc: std::random_device asks the system, not the processor. */
#include <bits/c++config.h>
#undef _GLIBCXX_X86_RDRAND
#undef _GLIBCXX_X86_RDSEED
