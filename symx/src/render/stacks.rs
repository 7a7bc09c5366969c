//! Call stacks as lines.

use crate::files::source_text::SourceText;
use crate::text::TerminalText;
use std::fmt::Write;
use symx_ir::program::is_library_source;
use symx_trace::StackFrame;

/// One line a level, innermost first. Levels inside the library of the language are folded.
pub fn stack(out: &mut TerminalText, title: &str, frames: &[StackFrame], source: &SourceText) {
    if frames.is_empty() {
        return;
    }
    let _ = writeln!(out, "{title}:");
    let mut level = 0;
    while level < frames.len() {
        let of_library = frames[level..].iter().take_while(|frame| is_library_source(&frame.file)).count();
        if of_library > 0 {
            let _ = match of_library {
                1 => writeln!(out, "  #{level}: in the standard library"),
                many => writeln!(out, "  #{level} to #{}: in the standard library", level + many - 1),
            };
            level += of_library;
            continue;
        }
        let frame = &frames[level];
        let function = if frame.function.is_empty() { "?" } else { &frame.function };
        let _ = write!(out, "  #{level} {function}");
        if frame.line != 0 {
            let _ = write!(out, " at {}:{}", source.near(&frame.file), frame.line);
            if frame.column != 0 {
                let _ = write!(out, ":{}", frame.column);
            }
        }
        let _ = writeln!(out);
        level += 1;
    }
}

/// Calls of a chain that are shown.
const MOST_CALLS: usize = 8;

/// The calls in one line, innermost first, without those of the library of the language and of models.
pub fn call_chain(frames: &[StackFrame], source: &SourceText) -> String {
    let own = frames.iter().filter(|frame| frame.line != 0 && !is_library_source(&frame.file));
    let mut file = "";
    let mut calls: Vec<String> = Vec::new();
    for frame in own {
        // A file is named where it changes.
        let place = if frame.file == file { String::new() } else { source.near(&frame.file).to_owned() };
        file = &frame.file;
        calls.push(format!("{} ({place}:{})", frame.function, frame.line));
    }
    let more = calls.len().saturating_sub(MOST_CALLS);
    calls.truncate(MOST_CALLS);
    if more > 0 {
        calls.push(format!("{more} more"));
    }
    calls.join(" < ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_calls_leaves_libraries_out() {
        let frame = |file: &str, line, function: &str| StackFrame {
            file: file.into(),
            line,
            function: function.into(),
            ..StackFrame::default()
        };
        let frames = [
            frame("", 0, "pthread_cond_wait"),
            frame("/usr/include/c++/12/bits/std_mutex.h", 155, "wait"),
            frame("queue.hpp", 13, "pop"),
            frame("main.cpp", 6, "consume"),
            frame("main.cpp", 9, "main"),
        ];
        let chain = call_chain(&frames, &SourceText::default());
        assert_eq!(chain, "pop (queue.hpp:13) < consume (main.cpp:6) < main (:9)");
    }

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
        stack(&mut text, "stack", &frames, &SourceText::default());
        let expected = [
            "stack:",
            "  #0 ? at main.rs:1",
            "  #1 to #3: in the standard library",
            "  #4 ? at main.rs:5",
            "  #5: in the standard library",
            "",
        ];
        assert_eq!(text.into_string(), expected.join("\n"));
    }
}
