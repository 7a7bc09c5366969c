//! Functions of fixed names of Rust's standard library, which is compiled into the program.

use crate::answer::{PosixCall, Step, word};
use crate::row::{Row, of_runtime};
use symx_interp::environment::Outcome;
use symx_interp::value::Byte;
use symx_trace::{FailureDetail, FailureKind};

pub(crate) const ROWS: &[Row] = &[
    of_runtime(&["rust_panic"], panic),
    of_runtime(
        &[
            "std::sys::pal::unix::stack_overflow::imp::make_handler",
            "std::sys::pal::unix::stack_overflow::imp::drop_handler",
        ],
        no_stack_for_handler,
    ),
];

/// The most bytes of a panic's message that are quoted.
const LONGEST_MESSAGE: usize = 400;

/// The path of a function of Rust's runtime, as its source has it, from its symbol's name (RFC 2603). Symbols
/// that the runtime has for itself lie in the crate `__rustc` and have a plain name.
pub(crate) fn runtime_path(symbol: &str) -> Option<String> {
    let (mut rest, mut modules) = (symbol.strip_prefix("_RNv")?, 0);
    while let Some(outer) = rest.strip_prefix("Nt") {
        (rest, modules) = (outer, modules + 1);
    }
    let (krate, mut rest) = identifier(rest.strip_prefix('C')?)?;
    if !matches!(krate, "std" | "__rustc") {
        return None;
    }
    let mut path = if krate == "std" { krate.to_owned() } else { String::new() };
    for _ in 0..=modules {
        let (name, after) = identifier(rest)?;
        if !path.is_empty() {
            path += "::";
        }
        path += name;
        rest = after;
    }
    rest.is_empty().then_some(path)
}

/// The identifier that a mangled name begins with, without what tells it from others of its name; and what
/// follows.
fn identifier(mangled: &str) -> Option<(&str, &str)> {
    let mangled = match mangled.strip_prefix('s') {
        Some(disambiguated) => disambiguated.split_once('_')?.1,
        None => mangled,
    };
    let digits = mangled.bytes().take_while(u8::is_ascii_digit).count();
    let (length, rest) = mangled.split_at(digits);
    let rest = rest.strip_prefix('_').unwrap_or(rest);
    rest.split_at_checked(length.parse().ok()?)
}

/// `make_handler(main)` and `drop_handler(stack)`: each thread begins with a stack for the handler of stack
/// overflows, which it enters in a list under a lock. The handler only writes a message, and symx reports
/// overflows itself. With that list, threads that have nothing in common would have thousands of orders.
fn no_stack_for_handler(_: &mut PosixCall<'_, '_>) -> Step {
    word(0)
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
        let path = |symbol| runtime_path(symbol);
        assert_eq!(path("_RNvCsfLfy6EI15iL_7___rustc10rust_panic").as_deref(), Some("rust_panic"));
        assert_eq!(path("_RNvCsfLfy6EI15iL_7___rustc11rust_panic"), None);
        assert_eq!(
            path("_RNvNtNtCsjrHSEGnQ3l9_3std14stack_overflow3imp12make_handler").as_deref(),
            Some("std::stack_overflow::imp::make_handler")
        );
        assert_eq!(path("_RNvNtNtCsjrHSEGnQ3l9_3std14stack_overflow3imp"), None);
        assert_eq!(path("_RNvNtCsgEmfK2I1SDS_4core3ptr4drop"), None);
        assert_eq!(path("_RINvNtCsjrHSEGnQ3l9_3std2rt15handle_rt_paniciEB4_"), None);
        assert_eq!(path("rust_panic"), None);
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
