//! A failure: source snippets, one stack a thread, the schedule in segments.

use super::Look;
use super::snippet::{note_title, snippet, title};
use super::stacks::{call_chain, stack};
use crate::files::source_text::SourceText;
use crate::report::{Report, Warning};
use crate::text::{TerminalText, visible};
use annotate_snippets::{AnnotationKind, Group, Level};
use std::fmt::Write;
use symx_checkers::{Segment, segments};
use symx_trace::explanation::Execution;
use symx_trace::failure::Note;
use symx_trace::{Failure, Trace};

/// Schedules of more segments than this show their beginning and their end.
const MOST_SEGMENTS: usize = 60;

/// The whole report of one failure, ending with a line break.
pub fn failure(failure: &Failure, trace: &Trace, told: &Execution, look: Look<'_>) -> String {
    let mut text = TerminalText::default();
    text.snippets(&look.renderer(), &groups(failure, told, look.source));
    stack(
        &mut text,
        &format!("stack of {}, which fails", told.title(&failure.thread)),
        &failure.stack,
        look.source,
    );
    for note in failure.notes.iter().filter(|note| !note.stack.is_empty()) {
        stack(&mut text, &stack_title(note, told), &note.stack, look.source);
    }
    for other in &failure.others {
        stack(&mut text, &format!("stack of {}", told.title(&other.thread)), &other.stack, look.source);
    }
    schedule(&mut text, trace, told, look.source);
    text.into_string()
}

/// A failure whose story follows, which has its notes: where it is, the calls that led there in a line.
pub fn brief_failure(failure: &Failure, told: &Execution, look: Look<'_>) -> String {
    let mut text = TerminalText::default();
    text.snippet(&look.renderer(), &[primary(failure, told, look.source)]);
    let calls = call_chain(&failure.stack, look.source);
    if !calls.is_empty() {
        let _ = writeln!(text, "stack: {calls}");
    }
    text.into_string()
}

/// The warnings of a report, each ending with a line break.
pub fn warnings(report: &Report, look: Look<'_>) -> String {
    let mut text = TerminalText::default();
    let mut tell = |warning: &Warning| {
        let title = title(Level::WARNING, &warning.message).id(warning.kind.clone());
        let mut groups = vec![Group::with_title(title)];
        groups.extend(warning.notes.iter().map(|note| note_group(note, look.source)));
        text.snippets(&look.renderer(), &groups);
    };
    report.warnings.iter().for_each(&mut tell);
    text.into_string()
}

pub(super) fn groups(failure: &Failure, told: &Execution, source: &SourceText) -> Vec<Group<'static>> {
    let notes = failure.notes.iter().map(|note| note_group(note, source));
    std::iter::once(primary(failure, told, source)).chain(notes).collect()
}

fn primary(failure: &Failure, told: &Execution, source: &SourceText) -> Group<'static> {
    let title = title(Level::ERROR, &failure.message).id(visible(&failure.class()).into_owned());
    let label = format!("in {}", told.title(&failure.thread));
    match snippet(&failure.location, AnnotationKind::Primary, &label, source) {
        Some(element) => Group::with_title(title).element(element),
        None => Group::with_title(title),
    }
}

fn note_group(note: &Note, source: &SourceText) -> Group<'static> {
    let title = note_title(&note.message);
    match snippet(&note.location, AnnotationKind::Primary, "", source) {
        Some(element) => Group::with_title(title).element(element),
        None => Group::with_title(title),
    }
}

fn stack_title(note: &Note, told: &Execution) -> String {
    match &note.thread {
        Some(thread) => format!("stack of {}", told.title(thread)),
        None => format!("stack: {}", note.message),
    }
}

fn schedule(out: &mut TerminalText, trace: &Trace, told: &Execution, source: &SourceText) {
    let segments: Vec<Segment> = segments(trace, |thread| told.title(thread))
        .into_iter()
        .map(|segment| segment.with_files(|file| source.near(file).into()))
        .collect();
    if trace.threads.len() < 2 || segments.is_empty() {
        return;
    }
    let context_switches = told.context_switches;
    let switches = if context_switches == 1 { "switch" } else { "switches" };
    let _ = writeln!(out, "schedule ({context_switches} context {switches}):");
    let hidden = segments.len().saturating_sub(MOST_SEGMENTS);
    for (index, segment) in segments.iter().enumerate() {
        if hidden > 0 && index == MOST_SEGMENTS / 2 {
            let _ = writeln!(out, "     ... {hidden} segments ...");
        }
        if index < MOST_SEGMENTS / 2 || index >= MOST_SEGMENTS / 2 + hidden {
            let _ = writeln!(out, "{:4} {segment}", index + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::source_text::SourceOptions;
    use symx_trace::{FailureDetail, FailureKind, Location};

    #[test]
    fn a_failure_names_its_kind_place_thread_and_stack() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.c").display().to_string();
        std::fs::write(&file, "int main(void) {\n    *p = 1;\n}\n").unwrap();
        let location = Location { file: file.clone(), line: 2, column: 5, function: "main".into() };
        let note = Note {
            message: "freed here".into(),
            location: Location { line: 1, ..location.clone() },
            thread: None,
            stack: vec![],
        };
        let fault = Failure {
            detail: FailureDetail::UseAfterFree,
            stack: vec![location.clone()],
            location,
            notes: vec![note],
            ..Failure::new(FailureKind::Memory, "use after free")
        };
        let source = SourceOptions::default().text([folder.path()]).unwrap();
        let look = Look { coloured: false, source: &source };
        let text = failure(&fault, &Trace::default(), &Execution::default(), look);
        assert!(text.starts_with("error[memory/use-after-free]: use after free"), "{text}");
        for part in ["*p = 1;", "in T0", "note: freed here", "#0 main at ", "a.c:2:5"] {
            assert!(text.contains(part), "no `{part}` in {text}");
        }
    }

    #[test]
    fn a_missing_source_leaves_the_position() {
        let location = Location { file: "gone.c".into(), line: 2, column: 5, function: "main".into() };
        let fault = Failure { location, ..Failure::new(FailureKind::Deadlock, "deadlock") };
        let look = Look { coloured: false, source: &SourceText::default() };
        let text = failure(&fault, &Trace::default(), &Execution::default(), look);
        assert!(text.contains("error[deadlock]: deadlock") && text.contains("gone.c:2:5"), "{text}");
    }
}
