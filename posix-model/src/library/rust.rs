//! Functions of fixed names of Rust's standard library, which is compiled into the program.

use crate::answer::{PosixCall, Step, function, word};
use crate::row::{Row, of_runtime};
use symx_interp::environment::Outcome;
use symx_interp::value::Byte;
use symx_ir::known_functions::rust_names::{STACK_OVERFLOW_HANDLER, library_path};
use symx_trace::{FailureDetail, FailureKind};

pub(crate) const ROWS: &[Row] = &[
    of_runtime(&["rust_panic"], panic),
    of_runtime(&STACK_OVERFLOW_HANDLER, no_stack_for_handler),
    of_runtime(&[CLEAN_UP_AT_END], clean_up_at_end),
];

/// Has a thread cleaned up at its end.
const CLEAN_UP_AT_END: &str = "std::sys::thread_local::guard::key::enable";

/// Begins a panic: calls the hook, which writes the message, then unwinds.
const PANIC_WITH_HOOK: &str = "std::panicking::panic_with_hook";

/// The most bytes of a panic's message that are quoted.
const LONGEST_MESSAGE: usize = 400;

/// `make_handler(main)` and `drop_handler(stack)`: each thread begins with a stack for the handler of stack
/// overflows, which it enters in a list under a lock. The handler only writes a message, and symx reports
/// overflows itself. With that list, threads that have nothing in common would have thousands of orders.
/// Recorded programs leave it out as well.
fn no_stack_for_handler(_: &mut PosixCall<'_, '_>) -> Step {
    word(0)
}

/// `enable()`: the function `run` within it is called when the thread ends. The library has a key of
/// thread-specific values for that. Threads that begin at the same time each create one, and all but one
/// delete theirs: what they do is the same in all of these orders.
fn clean_up_at_end(call: &mut PosixCall<'_, '_>) -> Step {
    let is_modelled = call.environment().options().models_rust_runtime;
    let run = is_modelled.then(|| inner_function(call, CLEAN_UP_AT_END, "3run")).flatten();
    let Some(run) = run else { return Ok(Outcome::Fallback) };
    let thread = call.thread();
    call.data().own.keys.set_of_runtime(thread, run, 1);
    word(0)
}

/// The address of the function of this mangled name within the function of the library with this path.
fn inner_function(call: &PosixCall<'_, '_>, path: &str, name: &str) -> Option<u64> {
    let symbols = call.program().externals.iter().map(|external| external.name.as_str());
    let outer = { symbols }.find(|symbol| library_path(symbol).as_deref() == Some(path))?;
    function(call, &format!("_RNv{}{name}", outer.strip_prefix("_R")?))
}

/// `rust_panic(payload)`: the message was written, unwinding begins. `resume_unwind` comes here as well: it
/// hands on a payload, of a panic that was reported or of none, and calls no hook.
fn panic(call: &mut PosixCall<'_, '_>) -> Step {
    let calls_hook = |name: &str| library_path(name).as_deref() == Some(PANIC_WITH_HOOK);
    let is_known = || call.program().functions.iter().any(|function| calls_hook(&function.name));
    let is_handed_on = !call.callers().any(calls_hook) && is_known();
    if is_handed_on || !call.environment().options().panics_fail {
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
    fn the_message_of_the_last_panic() {
        let written = "\nthread 'a' (1) panicked at a.rs:1:2:\nfirst\n\nthread 'main' (7) panicked at \
                       a.rs:6:5:\nassertion `left == right` failed\n  left: 1\n right: 2\nnote: run with \
                       `RUST_BACKTRACE=1`\n";
        let expected = "assertion `left == right` failed, left: 1, right: 2";
        assert_eq!(message_in(written).as_deref(), Some(expected));
        assert_eq!(message_in("nothing of the kind"), None);
    }
}
