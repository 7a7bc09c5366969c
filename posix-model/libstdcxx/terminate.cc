// The handler that std::terminate calls unless the program sets another: symx is told what was thrown.
#include <bits/c++config.h>
#include <cstdio>
#include <exception>
#include <typeinfo>
#include "unwind-cxx.h"

using namespace __cxxabiv1;

// The mangled name of the type, what() or null, the exception. Null for all: no exception is being handled.
extern "C" void __symx_uncaught(const char *name, const char *what, void *unwinding) __attribute__((noreturn));

void __gnu_cxx::__verbose_terminate_handler()
{
    __cxa_exception *header = __cxa_get_globals()->caughtExceptions;
    const std::type_info *type = __cxa_current_exception_type();
    if (!header || !type)
        __symx_uncaught(nullptr, nullptr, nullptr);

    // Of an exception thrown on by std::rethrow_exception, the first one is what was thrown.
    void *object = __get_object_from_ue(&header->unwindHeader);
    __cxa_refcounted_exception *first = __get_refcounted_exception_header_from_obj(object);
    const char *what = nullptr;
    void *standard = object;
    if (!type->__is_pointer_p() && typeid(std::exception).__do_catch(type, &standard, 1))
        what = static_cast<std::exception *>(standard)->what();

    std::fputs("terminate called after throwing an instance of '", stderr);
    int status = -1;
    char *name = __cxa_demangle(type->name(), 0, 0, &status);
    std::fputs(status == 0 ? name : type->name(), stderr);
    std::fputs("'\n", stderr);
    if (what) {
        std::fputs("  what():  ", stderr);
        std::fputs(what, stderr);
        std::fputs("\n", stderr);
    }
    __symx_uncaught(type->name(), what, &first->exc.unwindHeader);
}
