//! Functions of fixed names of Rust's standard library, which is compiled into the program.

use crate::answer::{PosixCall, Step};
use crate::row::{Row, of_runtime};
use symx_interp::environment::Outcome;
use symx_interp::value::Byte;
use symx_trace::{FailureDetail, FailureKind};

pub(crate) const ROWS: &[Row] = &[of_runtime(&["rust_panic"], panic)];

/// The most bytes of a panic's message that are quoted.
const LONGEST_MESSAGE: usize = 400;

/// The plain name of a symbol that Rust's runtime has for itself; in the program its name is mangled into
/// the crate `__rustc` (RFC 2603).
pub(crate) fn runtime_symbol(name: &str) -> Option<&str> {
    let (_, rest) = name.strip_prefix("_RNvCs")?.split_once("_7___rustc")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (length, plain) = rest.split_at(digits);
    (length.parse() == Ok(plain.len())).then_some(plain)
}

/// `rust_panic(payload)`: the message was written, unwinding begins.
fn panic(call: &mut PosixCall<'_, '_>) -> Step {
    if !call.environment().options().panics_fail {
        return Ok(Outcome::Fallback);
    }
    let message = match last_message(call) {
        Some(text) => format!("panicked: {text}"),
        None => "panicked".to_owned(),
    };
    Err(call.fault(FailureKind::Assert, FailureDetail::Panic, message))
}

/// The default hook's message about the panic, on one line.
fn last_message(call: &PosixCall<'_, '_>) -> Option<String> {
    let written = call.bookkeeping().standard_error();
    let bytes: Option<Vec<u8>> = (written.iter())
        .map(|byte| match byte {
            Byte::Concrete(byte) => Some(byte),
            _ => None,
        })
        .collect();
    message_in(&String::from_utf8_lossy(&bytes?))
}

/// The message of the last panic in what was written: what stands between its heading and the hint.
fn message_in(written: &str) -> Option<String> {
    let (_, last) = written.rsplit_once(" panicked at ")?;
    let lines = last.lines().skip(1).take_while(|line| !line.starts_with("note: run with"));
    let text = lines.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(", ");
    (!text.is_empty()).then(|| text.chars().take(LONGEST_MESSAGE).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_the_runtime() {
        assert_eq!(runtime_symbol("_RNvCsfLfy6EI15iL_7___rustc10rust_panic"), Some("rust_panic"));
        assert_eq!(runtime_symbol("_RNvCsfLfy6EI15iL_7___rustc11rust_panic"), None);
        assert_eq!(runtime_symbol("rust_panic"), None);
    }

    #[test]
    fn the_message_of_the_last_panic() {
        let written = "\nthread 'a' (1) panicked at a.rs:1:2:\nfirst\n\nthread 'main' (7) panicked at \
                       a.rs:6:5:\nassertion `left == right` failed\n  left: 1\n right: 2\nnote: run with \
                       `RUST_BACKTRACE=1`\n";
        let expected = "assertion `left == right` failed, left: 1, right: 2";
        assert_eq!(message_in(written).as_deref(), Some(expected));
        assert_eq!(message_in("nothing of the kind"), None);
    }
}
