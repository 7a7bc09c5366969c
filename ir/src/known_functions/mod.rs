//! Functions that a program's ABI gives a meaning, by name: the C library's, the C++ runtime's, and those
//! that verification tasks agree on; and tables of functions.
//!
//! A name becomes a meaning here, in the tables of models, and where a module is decoded. Elsewhere no name
//! of a function is compared.

pub mod cxx_names;
pub mod linker_names;
pub mod locks;
pub mod processor;
pub mod rust_conditions;
pub mod rust_locks;
pub mod rust_names;

/// The function that a program starts with.
pub const MAIN: &str = "main";

/// The function that ends the process.
pub const EXIT: &str = "exit";

/// The unwinder's function that continues with an exception after a landing pad (Itanium C++ ABI, 1.5).
pub const RESUME: &str = "_Unwind_Resume";

/// The functions with which a program marks the beginning and the end of an atomic section (SV-COMP).
pub const ATOMIC_BEGIN: &str = "__VERIFIER_atomic_begin";
/// See [`ATOMIC_BEGIN`].
pub const ATOMIC_END: &str = "__VERIFIER_atomic_end";

/// LLVM's intrinsic behind `__builtin_setjmp`.
pub const SETJMP_INTRINSIC: &str = "llvm.eh.sjlj.setjmp";

/// Whether all that a function does is one step by its name (SV-COMP).
pub fn is_atomic_section(name: &str) -> bool {
    name.starts_with("__VERIFIER_atomic_") && name != ATOMIC_BEGIN && name != ATOMIC_END
}

/// Whether a function may save a point of the program to return to: `setjmp` in all forms, LLVM's intrinsic
/// among them. One that is taken for such by its name costs time, nothing else.
pub fn saves_point(name: &str) -> bool {
    name.contains("setjmp")
}

/// Whether only a C++ runtime defines a function: its name is mangled (Itanium C++ ABI, 5.1), or one of
/// the runtime's.
pub fn is_of_cxx(name: &str) -> bool {
    name.starts_with("_Z") || name.starts_with("__cxa_")
}

/// How the name of a class's table of virtual functions begins (Itanium C++ ABI, 5.1.4.1).
const VTABLE: &str = "_ZTV";

/// Whether a variable is a class's table of virtual functions.
pub fn is_vtable(name: &str) -> bool {
    name.starts_with(VTABLE)
}

/// What a variable is that a compiler of C++ makes and no source names (Itanium C++ ABI, 5.1.4).
pub fn made_by_compiler(name: &str) -> Option<&'static str> {
    let made = [(VTABLE, "vtable"), ("_ZGV", "guard of a static variable")];
    made.into_iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, what)| what)
}

/// The standard streams of C++, and libstdc++'s buffers of those that are synchronised with C's.
const STANDARD_STREAMS: [&str; 14] = [
    "_ZSt3cin",
    "_ZSt4cout",
    "_ZSt4cerr",
    "_ZSt4clog",
    "_ZSt4wcin",
    "_ZSt5wcout",
    "_ZSt5wcerr",
    "_ZSt5wclog",
    "_ZN14__gnu_internal12buf_cin_syncE",
    "_ZN14__gnu_internal13buf_cout_syncE",
    "_ZN14__gnu_internal13buf_cerr_syncE",
    "_ZN14__gnu_internal13buf_wcin_syncE",
    "_ZN14__gnu_internal14buf_wcout_syncE",
    "_ZN14__gnu_internal14buf_wcerr_syncE",
];

/// Whether a variable is a facet of libstdc++'s classic locale that fills tables when it is first asked
/// (`ctype<char>`).
pub fn is_facet_with_tables(name: &str) -> bool {
    name == "_ZN12_GLOBAL__N_17ctype_cE"
}

/// libstdc++'s flag whether the standard streams of C++ are synchronised with C's (`sync_with_stdio`).
pub const ARE_STREAMS_SYNCHRONISED: &str = "_ZNSt8ios_base4Init20_S_synced_with_stdioE";

/// Whether a variable is a standard stream of C++, or its buffer.
pub fn is_standard_stream(name: &str) -> bool {
    STANDARD_STREAMS.contains(&name)
}

/// Standard streams of C and C++ by the linker's names of their objects, and what programs call them.
const STREAMS_AS_WRITTEN: [(&str, &str); 7] = [
    ("__stdin_FILE", "stdin"),
    ("__stdout_FILE", "stdout"),
    ("__stderr_FILE", "stderr"),
    ("_ZSt3cin", "std::cin"),
    ("_ZSt4cout", "std::cout"),
    ("_ZSt4cerr", "std::cerr"),
    ("_ZSt4clog", "std::clog"),
];

/// What programs call the standard stream that a library's variable is, by the linker's name.
pub fn standard_stream(name: &str) -> Option<&'static str> {
    STREAMS_AS_WRITTEN.into_iter().find_map(|(own, written)| (own == name).then_some(written))
}

/// Whether a function, as debug information names it, is one of what counts the owners of a shared pointer
/// (libstdc++).
pub fn is_shared_count(name: &str) -> bool {
    name.starts_with("_Sp_counted_base<")
}

/// C++'s `operator new` and `operator new[]` in all forms (Itanium C++ ABI, 5.1.3).
pub fn is_operator_new(name: &str) -> bool {
    name.starts_with("_Znwm") || name.starts_with("_Znam")
}

/// C++'s `operator delete` and `operator delete[]` in all forms.
pub fn is_operator_delete(name: &str) -> bool {
    name.starts_with("_ZdlPv") || name.starts_with("_ZdaPv")
}

/// What the source calls an operator for memory of C++.
pub fn operator_name(name: &str) -> Option<&'static str> {
    let operators = [
        ("_Znwm", "operator new"),
        ("_Znam", "operator new[]"),
        ("_ZdlPv", "operator delete"),
        ("_ZdaPv", "operator delete[]"),
    ];
    operators.into_iter().find(|(mangled, _)| name.starts_with(mangled)).map(|(_, written)| written)
}

/// Whether a function ends the life of the memory that its first argument points to. It may give other memory
/// instead.
pub fn ends_life(name: &str) -> bool {
    matches!(name, "free" | "cfree" | "realloc" | "reallocarray") || is_operator_delete(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_compiler_makes_is_called_what_it_is() {
        assert_eq!(made_by_compiler("_ZTVNSt6thread6_StateE"), Some("vtable"));
        assert_eq!((made_by_compiler("_ZL5count"), made_by_compiler("count")), (None, None));
    }

    #[test]
    fn names_have_their_meanings() {
        assert!(is_atomic_section("__VERIFIER_atomic_add") && !is_atomic_section(ATOMIC_END));
        let streams = ["__stderr_FILE", "_ZSt4cout", "stderr"].map(standard_stream);
        assert_eq!(streams, [Some("stderr"), Some("std::cout"), None]);
        assert!(saves_point("_setjmp") && saves_point("__sigsetjmp_cancel") && !saves_point("longjmp"));
        assert!(is_of_cxx("_ZSt9terminatev") && is_of_cxx("__cxa_throw") && !is_of_cxx("free"));
        assert!(is_operator_new("_ZnamSt11align_val_t") && !is_operator_new("_ZdlPv"));
        assert!(ends_life("realloc") && ends_life("_ZdaPvm") && !ends_life("malloc"));
    }
}
