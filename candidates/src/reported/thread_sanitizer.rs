//! ThreadSanitizer's reports.

use super::{Line, ReportError, Reported, ReportedAccess, Tool, error, position};
use symx_ir::SourceName;

/// Whether a report of a race begins here.
pub(super) fn begins(line: &str) -> bool {
    let kind = line.split_once("WARNING: ThreadSanitizer: ").map(|(_, kind)| kind);
    kind.is_some_and(|kind| kind.starts_with("data race") || kind.starts_with("race on "))
}

/// The report whose first line is the one at `at`, and where it ends.
pub(super) fn report(lines: &[Line<'_>], at: usize) -> Result<(Reported, usize), ReportError> {
    let first = lines[at].0;
    let mut accesses: Vec<ReportedAccess> = Vec::new();
    let mut object = None;
    let mut next = at + 1;
    let mut has_stack = true;
    // Whether frames belong to an access: those of creations and allocations follow.
    let mut in_access = false;
    while let Some(&(number, line)) = lines.get(next) {
        let text = line.trim();
        next += 1;
        if text.starts_with("SUMMARY: ThreadSanitizer:") {
            break;
        }
        if text.starts_with("=======") || begins(line) {
            next -= usize::from(begins(line));
            break;
        }
        if let Some(access) = access(text) {
            if !has_stack {
                return Err(error(number, "an access follows one without a stack"));
            }
            if accesses.len() == 2 {
                return Err(error(number, "a third access in one report"));
            }
            accesses.push(access?.ok_or_else(|| error(number, "an access without its thread"))?);
            (in_access, has_stack) = (true, false);
        } else if let Some(frame) = text.strip_prefix('#') {
            if let (true, Some(access)) = (in_access, accesses.last_mut()) {
                access.frames.extend(frame_of(frame).map_err(|what| error(number, what))?);
                has_stack = true;
            }
        } else if text.starts_with("[failed to restore the stack]") {
            has_stack |= in_access;
        } else if let Some(location) = text.strip_prefix("Location is ") {
            in_access = false;
            object = quoted(location);
        } else if text.is_empty() || text.ends_with("created by:") {
            in_access &= !has_stack;
        }
    }
    if accesses.len() < 2 || !has_stack {
        return Err(error(first, "the report ends before its second access"));
    }
    let mut accesses = accesses.into_iter();
    let accesses = [accesses.next(), accesses.next()];
    Ok((Reported { tool: Tool::ThreadSanitizer, line: first, accesses, object }, next))
}

/// `Previous atomic write of size 4 at 0x7b04 by thread T1 (mutexes: write M1):`.
fn access(text: &str) -> Option<Result<Option<ReportedAccess>, ReportError>> {
    let what = text.strip_prefix("Previous ").unwrap_or(text);
    let (kind, rest) = what.split_once(" of size ")?;
    let (writes, atomic) = match kind.to_ascii_lowercase().as_str() {
        "read" => (false, false),
        "write" => (true, false),
        "atomic read" => (false, true),
        "atomic write" => (true, true),
        _ => return None,
    };
    let thread = rest.split_once(" by ").map(|(_, who)| who.split([':', '(']).next().unwrap_or("").trim());
    let access = thread.filter(|thread| !thread.is_empty()).map(|thread| ReportedAccess {
        writes,
        atomic,
        thread: thread.into(),
        frames: Vec::new(),
    });
    Some(Ok(access))
}

/// `0 put queue.c:12:9 (queue+0x1234)`, or `0 memcpy <null> (queue+0x1234)`.
fn frame_of(text: &str) -> Result<Option<super::Position>, String> {
    let (number, rest) = text.split_once(' ').ok_or("a frame without a function")?;
    if number.parse::<u32>().is_err() {
        return Err(format!("`#{number}` is no frame"));
    }
    let rest = rest.rfind(" (BuildId: ").map_or(rest, |build| &rest[..build]);
    // The module comes last, in parentheses; a function may have some of its own.
    let rest = match rest.rfind(" (") {
        Some(module) if rest.ends_with(')') && rest[module..].contains("+0x") => &rest[..module],
        _ => rest,
    };
    let Some((function, place)) = rest.trim().rsplit_once(' ') else { return Ok(None) };
    Ok(position(place, function.trim()))
}

fn quoted(text: &str) -> Option<SourceName> {
    let (_, rest) = text.split_once('\'')?;
    Some(rest.split_once('\'')?.0.into())
}
