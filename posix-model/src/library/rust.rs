//! Functions of fixed names of Rust's standard library, which is compiled into the program.

use crate::answer::{PosixCall, Step, function, word};
use crate::row::{Row, of_runtime};
use symx_interp::environment::Outcome;
use symx_interp::memory::{Object, SiteKind};
use symx_interp::value::{Byte, Value};
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

/// Bytes of a machine word.
const WORD: u64 = 8;

/// Words of a panic's payload that are looked at: the library's have up to four.
const MOST_WORDS: usize = 8;

/// The most characters of a panic's message that are quoted.
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
    let message = match last_message(call).or_else(|| message_of_payload(call)) {
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

/// The text that the payload of this panic holds, where no hook wrote the message to standard error: libtest
/// captures it, and a program may have a hook of its own.
fn message_of_payload(call: &PosixCall<'_, '_>) -> Option<String> {
    let Value::Concrete(payload) = call.value(0) else { return None };
    let object = call.object_near(payload)?;
    let offsets = (payload.checked_sub(object.base)?..object.size).step_by(WORD as usize);
    let words: Vec<Option<u64>> = offsets.take(MOST_WORDS).map(|offset| word_at(object, offset)).collect();
    // Types of payloads have a `String` or a `&str` in them: an address, then how many bytes are there.
    words.windows(2).find_map(|pair| text_at(call, pair[0]?, pair[1]?))
}

/// The text of a string of Rust on the heap, or of a literal.
fn text_at(call: &PosixCall<'_, '_>, address: u64, length: u64) -> Option<String> {
    let object = call.object_near(address)?;
    let offset = address.checked_sub(object.base)?;
    let holds_text = matches!(object.site.kind(), SiteKind::Heap(..) | SiteKind::Global(_));
    let is_within = length > 0 && offset.checked_add(length)? <= object.size;
    let length = length.min(4 * LONGEST_MESSAGE as u64);
    if !holds_text || !is_within || object.has_symbolic(offset, length) {
        return None;
    }
    let mut bytes = vec![0; length as usize];
    object.copy_out(offset, &mut bytes);
    on_one_line(String::from_utf8_lossy(&bytes).lines())
}

/// A machine word of an object, if all of it is there and known.
fn word_at(object: &Object, offset: u64) -> Option<u64> {
    let mut bytes = [0; WORD as usize];
    let is_known = offset + WORD <= object.size && !object.has_symbolic(offset, WORD);
    is_known.then(|| object.copy_out(offset, &mut bytes))?;
    Some(u64::from_le_bytes(bytes))
}

/// The message of the last panic in what was written: what stands between its heading and the hint.
fn message_in(written: &str) -> Option<String> {
    let (_, last) = written.rsplit_once(" panicked at ")?;
    on_one_line(last.lines().skip(1).take_while(|line| !line.starts_with("note: run with")))
}

fn on_one_line<'t>(lines: impl Iterator<Item = &'t str>) -> Option<String> {
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
