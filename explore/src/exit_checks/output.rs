//! Standard output that is not the one expected.

use super::Ended;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::stop::Incomplete;
use symx_ir::SpanId;
use symx_trace::{Failure, FailureKind, IncompleteReason};

pub(super) fn look<E: Environment>(ended: &Ended<'_, '_, E>) -> Option<Failure> {
    let expected = ended.executor.machine.options.expected_output.as_deref()?;
    let written = ended.executor.known_output(ended.state);
    // Symbolic output is named by [`cannot_compare`].
    let is_other = written.is_concrete() && *written.bytes != *expected;
    let message = || unexpected(&written.bytes, expected);
    is_other.then(|| ended.failure(FailureKind::Output, message(), ended.place()))
}

/// Why the output of a process is not judged though something is expected of it, if that is so.
pub(crate) fn cannot_compare<E: Environment>(
    executor: &Executor<'_, E>,
    written: &Stretch,
) -> Option<Incomplete> {
    let is_open = executor.machine.options.expected_output.is_some() && !written.is_concrete();
    is_open.then(|| Incomplete {
        reason: IncompleteReason::SymbolicOutput,
        what: "standard output depends on symbolic inputs and was not compared with the expected output"
            .into(),
        span: SpanId::UNKNOWN,
    })
}

/// Where output is not what is expected.
fn unexpected(written: &[u8], expected: &[u8]) -> String {
    let lines = |text: &[u8]| -> Vec<String> {
        String::from_utf8_lossy(text).split('\n').map(str::to_owned).collect()
    };
    let (mine, theirs) = (lines(written), lines(expected));
    let same = mine.iter().zip(&theirs).take_while(|(one, other)| one == other).count();
    let told = |lines: &[String]| match lines.get(same) {
        Some(line) if !line.is_empty() || same + 1 < lines.len() => format!("`{}`", line.escape_debug()),
        _ => "nothing".into(),
    };
    format!("line {} of standard output is {}, expected was {}", same + 1, told(&mine), told(&theirs))
}
