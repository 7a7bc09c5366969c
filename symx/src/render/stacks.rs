//! Call stacks as lines.

use super::visible::TerminalText;
use std::fmt::Write;
use symx_ir::program::is_library_source;
use symx_trace::StackFrame;

/// The fewest consecutive frames of a library that are folded into one line.
const FEWEST_FOLDED: usize = 3;

/// One line a level, innermost first. Levels inside the library of the language are folded.
pub fn stack(out: &mut TerminalText, title: &str, frames: &[StackFrame]) {
    if frames.is_empty() {
        return;
    }
    let _ = writeln!(out, "{title}:");
    let mut level = 0;
    while level < frames.len() {
        let of_library = frames[level..].iter().take_while(|frame| is_library_source(&frame.file)).count();
        if of_library >= FEWEST_FOLDED {
            let last = level + of_library - 1;
            let _ = writeln!(out, "  #{level} to #{last}: in the standard library");
            level += of_library;
            continue;
        }
        let frame = &frames[level];
        let function = if frame.function.is_empty() { "?" } else { &frame.function };
        let _ = write!(out, "  #{level} {function}");
        if frame.line != 0 {
            let _ = write!(out, " at {}:{}", frame.file, frame.line);
            if frame.column != 0 {
                let _ = write!(out, ":{}", frame.column);
            }
        }
        let _ = writeln!(out);
        level += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_the_library_are_folded() {
        let frame = |file: &str, line| StackFrame { file: file.into(), line, ..StackFrame::default() };
        let std = "/rustc/5980/library/std/src/rt.rs";
        let frames = [
            frame("main.rs", 1),
            frame(std, 2),
            frame(std, 3),
            frame(std, 4),
            frame("main.rs", 5),
            frame(std, 6),
        ];
        let mut text = TerminalText::default();
        stack(&mut text, "stack", &frames);
        let expected = [
            "stack:",
            "  #0 ? at main.rs:1",
            "  #1 to #3: in the standard library",
            "  #4 ? at main.rs:5",
            "  #5 ? at /rustc/5980/library/std/src/rt.rs:6",
            "",
        ];
        assert_eq!(text.into_string(), expected.join("\n"));
    }
}
