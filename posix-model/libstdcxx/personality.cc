// What a personality function decides, without its tables: symx's unwinder knows the landing pads and asks here.
#include <bits/c++config.h>
#include <cstdlib>
#include <exception>
#include <new>
#include "unwind-cxx.h"

using namespace __cxxabiv1;

namespace {

// What a handler of type `type` (null for any) gets of the exception, if it catches it.
bool catches(const std::type_info *type, _Unwind_Exception *unwinding, void **caught)
{
    bool foreign = !__is_gxx_exception_class(unwinding->exception_class);
    void *object = foreign ? nullptr : __get_object_from_ue(unwinding);
    if (!type) {
        *caught = object;
        return true;
    }
    // Foreign and forced exceptions have no type that a handler could name but these.
    const std::type_info *thrown = foreign
        ? (unwinding->exception_class == 0 ? &typeid(abi::__forced_unwind) : &typeid(abi::__foreign_exception))
        : __get_exception_header_from_obj(object)->exceptionType;
    if (thrown->__is_pointer_p())
        object = *static_cast<void **>(object);
    if (!type->__do_catch(thrown, &object, 1))
        return false;
    *caught = object;
    return true;
}

}

// Whether a handler of type `type` (null for any) catches the exception. If so, it is remembered what the handler gets.
extern "C" bool __symx_exception_caught(const std::type_info *type, _Unwind_Exception *unwinding)
{
    void *caught;
    if (!catches(type, unwinding, &caught))
        return false;
    if (__is_gxx_exception_class(unwinding->exception_class))
        __get_exception_header_from_ue(unwinding)->adjustedPtr = caught;
    return true;
}

// Named for what symx reports if it comes to that: which types the specification lists is in no table here.
extern "C" void __symx_unexpected_handler_that_throws() __attribute__((noreturn));

// An exception has met the exception specification of a function that may not let it pass.
extern "C" void __cxa_call_unexpected(void *exception)
{
    _Unwind_Exception *unwinding = static_cast<_Unwind_Exception *>(exception);
    __cxa_begin_catch(unwinding);
    std::unexpected_handler unexpected = std::get_unexpected();
    if (__is_gxx_exception_class(unwinding->exception_class))
        unexpected = __get_exception_header_from_ue(unwinding)->unexpectedHandler;
    try {
        __unexpected(unexpected);
    } catch (...) {
        __symx_unexpected_handler_that_throws();
    }
    std::terminate();
}
