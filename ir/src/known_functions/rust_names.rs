//! Functions of Rust's standard library by their symbols: of the form of RFC 2603, and of the older one.

/// The functions of Rust's library with which each thread begins and ends, for a message about stack
/// overflows: they give it a stack for the handler of signals and enter it in a list under a lock.
pub const STACK_OVERFLOW_HANDLER: [&str; 2] = [
    "std::sys::pal::unix::stack_overflow::imp::make_handler",
    "std::sys::pal::unix::stack_overflow::imp::drop_handler",
];

/// The path of a function of Rust's standard library, as its source has it, from its symbol's name: of a free
/// function, or of a method of a type that has no parameters and that its own module defines.
///
/// Symbols that the library has for itself lie in the crate `__rustc` and have a plain name.
pub fn library_path(symbol: &str) -> Option<String> {
    let path = whole_path(symbol)?;
    match path.split_first()? {
        (&"std", _) => Some(path.join("::")),
        (&"__rustc", plain) => Some(plain.join("::")),
        _ => None,
    }
}

/// The library's types of which memory is that `Arc` and `Rc` share: what its author allocated is the
/// argument.
const SHARED: [&str; 3] = ["ArcInner<", "RcInner<", "RcBox<"];

/// Arguments that generic types of the library have where their author names none.
const DEFAULTS: [&str; 2] = [", alloc::alloc::Global", ", std::hash::random::RandomState"];

/// Traits of functions that take and return nothing, and how authors write them.
const OF_NOTHING: [(&str, &str); 3] = [
    ("FnOnce<(), Output=()>", "FnOnce()"),
    ("FnMut<(), Output=()>", "FnMut()"),
    ("Fn<(), Output=()>", "Fn()"),
];

/// How the type of a closure begins in debug information, before its number and `}`.
const CLOSURE_TYPE: &str = "{closure_env#";

/// How a closure begins in paths and as a function, likewise.
pub const CLOSURE: &str = "{closure#";

/// Characters of a function's name at most: beyond that its arguments are left out.
const LONGEST_NAME: usize = 40;

/// A function as its author writes it, from its name in debug information and that of the type that it is a
/// method of. A method's arguments begin with those of its type and are left out.
pub fn function_as_written(name: &str, of: Option<&str>) -> String {
    let short = |written: String| match written.split_once('<') {
        Some((generic, _)) if written.chars().count() > LONGEST_NAME => format!("{generic}<...>"),
        _ => written,
    };
    match of {
        Some(of) => format!("{}::{}", short(type_as_written(of)), name.split('<').next().unwrap_or(name)),
        None => short(type_as_written(name)),
    }
}

/// A type as its author writes it, without the modules that lead to it, from its name in debug information.
pub fn type_as_written(name: &str) -> String {
    let name = DEFAULTS.iter().fold(name.to_owned(), |name, default| name.replace(default, ""));
    let mut written = String::new();
    for part in
        name.split_inclusive(|character: char| !(character.is_alphanumeric() || "_:".contains(character)))
    {
        let start = part.rfind("::").map_or(0, |at| at + 2);
        written += &part[start..];
    }
    written = OF_NOTHING.iter().fold(written, |written, (own, author)| written.replace(own, author));
    while let Some((before, rest)) = written.split_once(CLOSURE_TYPE) {
        let Some((_, after)) = rest.split_once('}') else { break };
        written = format!("{}closure{}", without_closures(before), without_arguments(after));
    }
    let payload = SHARED.iter().find_map(|outer| written.strip_prefix(outer)?.strip_suffix('>'));
    payload.map_or_else(|| written.clone(), str::to_owned)
}

/// A path without the closures that it ends with: a closure in a closure is one, too.
fn without_closures(path: &str) -> &str {
    let mut path = path;
    while let Some((before, number)) = path.strip_suffix('}').and_then(|path| path.rsplit_once(CLOSURE))
        && number.bytes().all(|digit| digit.is_ascii_digit())
    {
        path = before;
    }
    path
}

/// What follows the arguments of a type: those of a closure are its function's.
fn without_arguments(text: &str) -> &str {
    if !text.starts_with('<') {
        return text;
    }
    let (mut depth, mut last) = (0_u32, ' ');
    for (at, character) in text.char_indices() {
        match character {
            '<' => depth += 1,
            // The other `>` is of an arrow.
            '>' if last != '-' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return &text[at + 1..];
        }
        last = character;
    }
    text
}

/// Whether a function is Rust's for allocating memory, by its symbol: the one that all code calls, or that of
/// the default allocator, which calls C's.
pub fn is_rust_allocator(symbol: &str) -> bool {
    let path = library_path(symbol);
    matches!(
        path.as_deref().unwrap_or(symbol),
        "__rust_alloc" | "__rust_alloc_zeroed" | "__rdl_alloc" | "__rdl_alloc_zeroed"
    )
}

/// Whether the way that a function of Rust's `core` takes depends on the alignment of what it is given, by
/// its symbol: another one natively than in an interpreter.
pub fn goes_by_alignment(symbol: &str) -> bool {
    matches!(
        whole_path(symbol).as_deref(),
        Some(
            ["core", "slice", "memchr", "memrchr" | "memchr_aligned"]
                | ["core", "slice", "ascii", "is_ascii"]
                | ["core", "str", "count", "do_count_chars"]
                | ["core", "str", "validations", "run_utf8_validation"]
        )
    )
}

/// Crate, modules and names of a symbol of either form.
fn whole_path(symbol: &str) -> Option<Vec<&str>> {
    match symbol.strip_prefix("_ZN") {
        Some(rest) => older_path(rest),
        None => path(symbol.strip_prefix("_R")?).filter(|(_, rest)| rest.is_empty()).map(|(path, _)| path),
    }
}

/// A generic function of `core` that accesses memory atomically.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomicFunction {
    /// `atomic_load(address, ordering)`.
    Load,
    /// `atomic_swap(address, value, ordering)` or `atomic_sub`.
    Update,
    /// `atomic_compare_exchange(address, old, new, ...)`, or the one that may fail for no reason: whether the
    /// value was another one, and the value.
    CompareExchange,
}

/// The generic function of `core` of this symbol, of those that operations on locks call where that is not
/// inlined.
pub fn atomic_function(symbol: &str) -> Option<AtomicFunction> {
    let path = generic_path(symbol)?;
    let ["core", "sync", "atomic", name] = path[..] else { return None };
    match name {
        "atomic_load" => Some(AtomicFunction::Load),
        "atomic_swap" | "atomic_sub" => Some(AtomicFunction::Update),
        "atomic_compare_exchange" | "atomic_compare_exchange_weak" => Some(AtomicFunction::CompareExchange),
        _ => None,
    }
}

/// Whether a function is one of the generic ones of `core` that access memory atomically, by its symbol.
pub fn is_of_atomics(symbol: &str) -> bool {
    matches!(generic_path(symbol).as_deref(), Some(["core", "sync", "atomic", _]))
}

/// Crate, modules and name of a generic function, by its symbol.
fn generic_path(symbol: &str) -> Option<Vec<&str>> {
    match symbol.strip_prefix("_ZN") {
        Some(rest) => older_path(rest),
        None => path(symbol.strip_prefix("_RI")?).map(|(path, _)| path),
    }
}

/// Crate, modules and names of a symbol of RFC 2603, without its prefix; and what follows.
fn path(symbol: &str) -> Option<(Vec<&str>, &str)> {
    let rest = symbol.strip_prefix("Nv")?;
    let method = rest.strip_prefix('M').map(without_disambiguator);
    let start = method.unwrap_or(rest);
    let outer = start.split("Nt").take_while(|between| between.is_empty()).count();
    let mut rest = start.get(2 * outer..)?.strip_prefix('C')?;
    let mut path = Vec::new();
    for _ in 0..=outer {
        path.push(identifier(&mut rest)?);
    }
    if method.is_some() {
        // The type, by its module, which lies where the method's implementation does.
        let (module, after) = rest.strip_prefix("NtB")?.split_once('_')?;
        if number(module)? != symbol.len() - start.len() {
            return None;
        }
        rest = after;
        path.push(identifier(&mut rest)?);
    }
    path.push(identifier(&mut rest)?);
    Some((path, rest))
}

/// The path of an older symbol, whose last part is a hash.
fn older_path(symbol: &str) -> Option<Vec<&str>> {
    let mut rest = symbol.strip_suffix('E')?;
    let mut path = Vec::new();
    while !rest.is_empty() {
        path.push(identifier(&mut rest)?);
    }
    let hash = path.pop()?.strip_prefix('h')?;
    (hash.len() == 16 && hash.bytes().all(|digit| digit.is_ascii_hexdigit())).then_some(path)
}

/// Takes the identifier that a mangled name begins with from it, and leaves out what tells it from others of
/// its name.
fn identifier<'s>(mangled: &mut &'s str) -> Option<&'s str> {
    let rest = without_disambiguator(mangled);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (length, rest) = rest.split_at(digits);
    let (name, rest) = rest.strip_prefix('_').unwrap_or(rest).split_at_checked(length.parse().ok()?)?;
    *mangled = rest;
    Some(name)
}

fn without_disambiguator(mangled: &str) -> &str {
    let disambiguated = mangled.strip_prefix('s').and_then(|rest| rest.split_once('_'));
    disambiguated.map_or(mangled, |(_, rest)| rest)
}

/// A number to base 62, before the underscore that ends it.
fn number(digits: &str) -> Option<usize> {
    if digits.is_empty() {
        return Some(0);
    }
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'z' => Some(byte - b'a' + 10),
        b'A'..=b'Z' => Some(byte - b'A' + 36),
        _ => None,
    };
    let add = |sum: usize, byte| sum.checked_mul(62)?.checked_add(digit(byte)?.into());
    digits.bytes().try_fold(0, add)?.checked_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_the_library() {
        let cases = [
            ("_RNvCsfLfy6EI15iL_7___rustc10rust_panic", Some("rust_panic")),
            ("_RNvCsfLfy6EI15iL_7___rustc11rust_panic", None),
            (
                "_RNvNtNtCsjrHSEGnQ3l9_3std14stack_overflow3imp12make_handler",
                Some("std::stack_overflow::imp::make_handler"),
            ),
            ("_RNvNtNtCsjrHSEGnQ3l9_3std14stack_overflow3imp", None),
            ("_RNvNtCsgEmfK2I1SDS_4core3ptr4drop", None),
            ("_RINvNtCsjrHSEGnQ3l9_3std2rt15handle_rt_paniciEB4_", None),
            ("rust_panic", None),
            ("_RNvMNtNtCsjrHSEGnQ3l9_3std4sync5mutexNtB2_5Mutex4lock", Some("std::sync::mutex::Mutex::lock")),
            (
                "_RNvMs5_NtNtCsjrHSEGnQ3l9_3std4sync5mutexNtB5_5Mutex4lock",
                Some("std::sync::mutex::Mutex::lock"),
            ),
            ("_RNvMNtNtCsjrHSEGnQ3l9_3std4sync5mutexNtB4_5Mutex4lock", None),
            ("_ZN3std4sync5mutex5Mutex4lock17h0123456789abcdefE", Some("std::sync::mutex::Mutex::lock")),
            ("_ZN3std4sync5mutex5Mutex4lockE", None),
            ("_ZNSt5mutex4lockEv", None),
        ];
        for (symbol, expected) in cases {
            assert_eq!(library_path(symbol).as_deref(), expected, "{symbol}");
        }
    }

    #[test]
    fn functions_that_go_by_alignment() {
        assert!(goes_by_alignment("_RNvNtNtCsgEmfK2I1SDS_4core5slice6memchr7memrchr"));
        assert!(!goes_by_alignment("_RNvNtNtCsgEmfK2I1SDS_4core5slice6memchr6memchr"));
    }

    #[test]
    fn atomic_functions() {
        let exchange = "_RINvNtNtCsgEmfK2I1SDS_4core4sync6atomic23atomic_compare_exchangemECs_7program";
        assert_eq!(atomic_function(exchange), Some(AtomicFunction::CompareExchange));
        let older = "_ZN4core4sync6atomic11atomic_swap17h0123456789abcdefE";
        assert_eq!(atomic_function(older), Some(AtomicFunction::Update));
        assert_eq!(atomic_function("_ZN4core4sync6atomic12atomic_store17h0123456789abcdefE"), None);
        assert!(super::is_of_atomics("_ZN4core4sync6atomic11atomic_load17h0123456789abcdefE"));
        assert!(!super::is_of_atomics("_ZN7program4take17h0123456789abcdefE"));
    }

    #[test]
    fn types_have_the_names_of_their_authors() {
        let cases = [
            ("program::Account", "Account"),
            ("alloc::sync::ArcInner<program::bank::Account>", "Account"),
            (
                "ArcInner<std::sync::poison::mutex::Mutex<alloc::vec::Vec<i32, alloc::alloc::Global>>>",
                "Mutex<Vec<i32>>",
            ),
            ("(u8, program::A)", "(u8, A)"),
            ("*mut core::ffi::c_void", "*mut c_void"),
            ("program::main::{closure_env#3}", "closure"),
            (
                "std::thread::spawn_unchecked::{closure_env#1}<program::main::{closure#0}::{closure_env#0}, ()>",
                "closure",
            ),
            ("Box<program::{closure_env#2}<fn(u8) -> u8>>", "Box<closure>"),
            ("Pair<program::main::{closure#0}::{closure_env#0}, u8>", "Pair<closure, u8>"),
            (
                "alloc::boxed::Box<(dyn core::ops::function::FnOnce<(), Output=()> + core::marker::Send), alloc::alloc::Global>",
                "Box<(dyn FnOnce() + Send)>",
            ),
        ];
        for (name, expected) in cases {
            assert_eq!(type_as_written(name), expected);
        }
    }

    #[test]
    fn functions_have_the_names_of_their_authors() {
        let cases = [
            ("main", None, "main"),
            ("call_once<program::main::{closure_env#0}, ()>", None, "call_once<closure, ()>"),
            (
                "lock<alloc::vec::Vec<i32, alloc::alloc::Global>>",
                Some("Mutex<alloc::vec::Vec<i32, alloc::alloc::Global>>"),
                "Mutex<Vec<i32>>::lock",
            ),
            (
                "drop_in_place<std::thread::Builder::spawn_unchecked_::MaybeDangling<program::main::{closure_env#0}>>",
                None,
                "drop_in_place<MaybeDangling<closure>>",
            ),
            (
                "insert<program::Reservation, program::Connection<program::EncryptedSocket>>",
                None,
                "insert<...>",
            ),
        ];
        for (name, of, expected) in cases {
            assert_eq!(function_as_written(name, of), expected);
        }
    }
}
