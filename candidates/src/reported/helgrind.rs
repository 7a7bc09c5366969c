//! Helgrind's reports.

use super::{Line, ReportError, Reported, ReportedAccess, Tool, error, position};

const BEGINNING: &str = "Possible data race during ";
const OTHER: &str = "This conflicts with a previous ";

/// Whether a report of a race begins here.
pub(super) fn begins(line: &str) -> bool {
    text(line).is_some_and(|text| text.starts_with(BEGINNING))
}

/// The text that Valgrind prints after the number of the process: `==1234== text`.
fn text(line: &str) -> Option<&str> {
    let (number, text) = line.trim_start().strip_prefix("==")?.split_once("==")?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(text.trim())
}

/// The report whose first line is the one at `at`, and where it ends.
pub(super) fn report(lines: &[Line<'_>], at: usize) -> Result<(Reported, usize), ReportError> {
    let first = lines[at].0;
    let mut accesses: Vec<ReportedAccess> = Vec::new();
    let (mut object, mut has_stack, mut next) = (None, true, at);
    while let Some(&(number, line)) = lines.get(next) {
        // The program's output may come between.
        let Some(text) = text(line) else {
            next += 1;
            continue;
        };
        let is_first = text.starts_with(BEGINNING);
        if is_first && next > at || text.starts_with("-----") || text.starts_with("ERROR SUMMARY") {
            break;
        }
        next += 1;
        if let Some(rest) = text.strip_prefix(BEGINNING).or_else(|| text.strip_prefix(OTHER)) {
            if !has_stack {
                return Err(error(number, "an access follows one without a stack"));
            }
            accesses.push(access(rest).ok_or_else(|| error(number, "an access without its thread"))?);
            has_stack = false;
        } else if let Some((_, frame)) = text
            .strip_prefix("at ")
            .or_else(|| text.strip_prefix("by "))
            .and_then(|rest| rest.split_once(": "))
        {
            // After both accesses comes where memory was allocated.
            if let (Some(access), true) = (accesses.last_mut(), object.is_none()) {
                has_stack = true;
                access.frames.extend(frame_of(frame));
            }
        } else if text.starts_with("Address 0x") {
            let name = text.split_once("data symbol \"").and_then(|(_, name)| name.split_once('"'));
            object = Some(name.map(|(name, _)| name.into()));
        }
    }
    if !has_stack {
        return Err(error(first, "the report ends before the stack of an access"));
    }
    if accesses.len() > 2 {
        return Err(error(first, "a third access in one report"));
    }
    let mut accesses = accesses.into_iter();
    let accesses = [accesses.next(), accesses.next()];
    Ok((Reported { tool: Tool::Helgrind, line: first, accesses, object: object.flatten() }, next))
}

/// `write of size 4 at 0x10C014 by thread #3`.
fn access(text: &str) -> Option<ReportedAccess> {
    let (kind, rest) = text.split_once(" of size ")?;
    let writes = match kind {
        "read" => false,
        "write" => true,
        _ => return None,
    };
    let thread = rest.split_once("by ")?.1.trim();
    let is_named = !thread.is_empty();
    is_named.then(|| ReportedAccess { writes, atomic: false, thread: thread.into(), frames: Vec::new() })
}

/// `put (queue.c:12)`, or `puts (in /lib/libc.so)`.
fn frame_of(text: &str) -> Option<super::Position> {
    let (function, place) = text.rsplit_once(" (")?;
    position(place.strip_suffix(')')?, function.trim())
}
