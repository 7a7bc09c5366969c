//! Functions of Rust's standard library by their symbols: of the form of RFC 2603, and of the older one.

/// The path of a function of Rust's standard library, as its source has it, from its symbol's name: of a free
/// function, or of a method of a type that has no parameters and that its own module defines.
///
/// Symbols that the library has for itself lie in the crate `__rustc` and have a plain name.
pub fn library_path(symbol: &str) -> Option<String> {
    let path = match symbol.strip_prefix("_ZN") {
        Some(rest) => older_path(rest)?,
        None => match path(symbol.strip_prefix("_R")?)? {
            (path, "") => path,
            _ => return None,
        },
    };
    match path.split_first()? {
        (&"std", _) => Some(path.join("::")),
        (&"__rustc", plain) => Some(plain.join("::")),
        _ => None,
    }
}

/// Whether a function is Rust's for allocating memory, by its symbol.
pub fn is_rust_allocator(symbol: &str) -> bool {
    let path = library_path(symbol);
    matches!(path.as_deref().unwrap_or(symbol), "__rust_alloc" | "__rust_alloc_zeroed")
}

/// The generic functions of Rust's `core` that atomic operations call where they are not inlined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomicFunction {
    /// Writes, and gives the value as it was.
    Exchange,
    /// Writes if the value is as expected.
    CompareExchange,
}

impl AtomicFunction {
    /// The one with this symbol.
    pub fn of(symbol: &str) -> Option<Self> {
        let path = match symbol.strip_prefix("_ZN") {
            Some(rest) => older_path(rest)?,
            None => path(symbol.strip_prefix("_RI")?)?.0,
        };
        match path.as_slice() {
            ["core", "sync", "atomic", "atomic_swap"] => Some(Self::Exchange),
            ["core", "sync", "atomic", "atomic_compare_exchange"] => Some(Self::CompareExchange),
            _ => None,
        }
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
    use super::{AtomicFunction, library_path};

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
    fn atomic_functions() {
        let exchange = "_RINvNtNtCsgEmfK2I1SDS_4core4sync6atomic23atomic_compare_exchangemECs_7program";
        assert_eq!(AtomicFunction::of(exchange), Some(AtomicFunction::CompareExchange));
        let older = "_ZN4core4sync6atomic11atomic_swap17h0123456789abcdefE";
        assert_eq!(AtomicFunction::of(older), Some(AtomicFunction::Exchange));
        assert_eq!(AtomicFunction::of("_ZN4core4sync6atomic11atomic_load17h0123456789abcdefE"), None);
    }
}
