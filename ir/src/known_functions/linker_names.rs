//! The linker's names as people write them: the one place that decides how such a name is shown.

use super::cxx_names::as_written;
use cpp_demangle::{DemangleOptions, Symbol};
use std::fmt::Write;

/// Bytes of a name at most. A short symbol of C++ or Rust can stand for any number: files may hold any name.
const LONGEST: usize = 4096;

/// Text that takes no more than [`LONGEST`] bytes.
#[derive(Default)]
struct Text(String);

impl Write for Text {
    fn write_str(&mut self, part: &str) -> std::fmt::Result {
        if part.len() > LONGEST - self.0.len() {
            return Err(std::fmt::Error);
        }
        self.0.push_str(part);
        Ok(())
    }
}

/// A name of C++ or Rust with what it is a member of, as its author writes it and without hashes. `None` if
/// it is of neither.
pub fn demangled(name: &str) -> Option<String> {
    let mut text = Text::default();
    if let Some(rust) = rustc_demangle::try_demangle(name).ok().filter(|_| is_of_rust(name)) {
        write!(text, "{rust:#}").ok()?;
        return Some(text.0);
    }
    // Other names, such as `f`, would be read as those of types.
    let symbol = Symbol::new(Some(name).filter(|name| name.starts_with("_Z"))?).ok()?;
    symbol.structured_demangle(&mut text, &DemangleOptions::new()).ok()?;
    Some(as_written(&text.0).into_owned())
}

/// Whether a name is Rust's: of RFC 2603, or of the older form, which is C++'s with a hash at the end.
fn is_of_rust(name: &str) -> bool {
    let is_hash = |hash: &str| hash.len() >= 16 && hash.as_bytes()[..16].iter().all(u8::is_ascii_hexdigit);
    name.starts_with("_R") || name.rsplit_once("17h").is_some_and(|(_, hash)| is_hash(hash))
}

#[cfg(test)]
mod tests {
    use super::demangled;

    #[test]
    fn names_of_rust_and_cxx_are_shown_as_written() {
        for (name, written) in [
            ("_RNvNtCs1234_7program4bank5COUNT", "program::bank::COUNT"),
            ("_RNvCs2yGXvYkZ6Wv_7___rustc12___rust_alloc", "__rustc::__rust_alloc"),
            ("_ZN7program4bank5COUNT17h0123456789abcdefE", "program::bank::COUNT"),
            ("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE.llvm.123", "core::fmt::Formatter::pad"),
            ("_ZN5space5countE", "space::count"),
            ("_ZZ4workvE5count", "work()::count"),
            ("_ZN7CounterIiE1nE", "Counter<int>::n"),
            ("_ZTISt6vectorIiSaIiEE", "typeinfo for std::vector<int>"),
        ] {
            assert_eq!(demangled(name).as_deref(), Some(written), "{name}");
        }
    }

    #[test]
    fn other_names_stay() {
        for name in ["count", "f", "_start", "_Z", "_R", "_ZN", "", "é", "_ZN7program17hé123456789abcdefE"]
        {
            assert_eq!(demangled(name), None, "{name}");
        }
        // Each type is a pair of the one before it, which the symbol names by its number.
        let mut bomb = "_Z1f1AISt4pairIiiE".to_owned();
        (1..30).for_each(|number| bomb += &format!("St4pairIS{number}_S{number}_E"));
        bomb += "E";
        assert!(demangled(&bomb).is_none_or(|text| text.len() <= super::LONGEST));
    }
}
