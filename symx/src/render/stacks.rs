//! Call stacks as lines.

use super::visible::TerminalText;
use std::fmt::Write;
use symx_trace::StackFrame;

/// One line a level, innermost first.
pub fn stack(out: &mut TerminalText, title: &str, frames: &[StackFrame]) {
    if frames.is_empty() {
        return;
    }
    let _ = writeln!(out, "{title}:");
    for (level, frame) in frames.iter().enumerate() {
        let function = if frame.function.is_empty() { "?" } else { &frame.function };
        let _ = write!(out, "  #{level} {function}");
        if frame.line != 0 {
            let _ = write!(out, " at {}:{}", frame.file, frame.line);
            if frame.column != 0 {
                let _ = write!(out, ":{}", frame.column);
            }
        }
        let _ = writeln!(out);
    }
}
