// Memory of exceptions: a block of the heap each. The original keeps a reserve for when the heap is exhausted.
#include <bits/c++config.h>
#include <cstdlib>
#include <cstring>
#include <exception>
#include "unwind-cxx.h"

using namespace __cxxabiv1;

extern "C" void *__cxxabiv1::__cxa_allocate_exception(std::size_t size) noexcept
{
    size += sizeof(__cxa_refcounted_exception);
    void *block = std::malloc(size);
    if (!block)
        std::terminate();
    std::memset(block, 0, sizeof(__cxa_refcounted_exception));
    return static_cast<char *>(block) + sizeof(__cxa_refcounted_exception);
}

extern "C" void __cxxabiv1::__cxa_free_exception(void *object) noexcept
{
    std::free(static_cast<char *>(object) - sizeof(__cxa_refcounted_exception));
}

extern "C" __cxa_dependent_exception *__cxxabiv1::__cxa_allocate_dependent_exception() noexcept
{
    void *block = std::malloc(sizeof(__cxa_dependent_exception));
    if (!block)
        std::terminate();
    std::memset(block, 0, sizeof(__cxa_dependent_exception));
    return static_cast<__cxa_dependent_exception *>(block);
}

extern "C" void __cxxabiv1::__cxa_free_dependent_exception(__cxa_dependent_exception *block) noexcept
{
    std::free(block);
}
