//! Why a schedule fails, for a terminal. It has the failure, and the failing and the passing execution side
//! by side with a column a thread. Changed data flow is shown as arrows, then the source, and the fixes in
//! a sentence each.

use super::Look;
use super::failure::groups;
use super::lanes::{Shown, lanes};
use super::sentences;
use super::snippet::{note_title, snippet};
use crate::text::TerminalText;
use annotate_snippets::{AnnotationKind, Group};
use std::collections::HashSet;
use std::fmt::Write;
use symx_trace::EventKind;
use symx_trace::explanation::{ExecutedStep, Execution, Explanation, Progress};

/// Source lines shown at most.
const MOST_SNIPPETS: usize = 8;
/// Steps shown at most where there is no passing execution to show which of them matter: the last ones.
const MOST_STEPS: usize = 40;
/// Side by side, if both fit into this many columns.
const WIDEST: usize = 132;

/// The whole report, ending with a line break; the failure itself is left out where it was printed (`told`)
/// already.
pub fn explanation(explanation: &Explanation, told: bool, look: Look<'_>) -> String {
    let mut text = TerminalText::default();
    if let Some(failure) = explanation.failing.failure.as_ref().filter(|_| !told) {
        text.snippets(&look.renderer(), &groups(failure, &explanation.failing, look.source));
    }
    executions(&mut text, explanation);
    source(&mut text, explanation, look);
    causes(&mut text, explanation);
    for remedy in sentences::remedies(explanation) {
        let _ = writeln!(text, "suggested fix: {remedy}");
    }
    for branch in sentences::branches(explanation) {
        let _ = writeln!(text, "note: {branch}");
    }
    for limit in &explanation.limits {
        let _ = writeln!(text, "note: {limit}");
    }
    for input in super::inputs::described(&explanation.inputs) {
        let _ = writeln!(text, "input: {}", input.text());
    }
    let _ = writeln!(text, "{}", summary(explanation));
    text.into_string()
}

fn executions(out: &mut TerminalText, explanation: &Explanation) {
    let (failing, difference) = (&explanation.failing, &explanation.difference);
    let Some(passing) = &explanation.passing else {
        let all = last_steps(explanation);
        let _ = writeln!(out, "the failing execution:");
        for line in lanes(failing, &Shown { steps: &all, flows: &[], mark: "" }) {
            let _ = writeln!(out, "{line}");
        }
        return;
    };
    let left = lanes(
        failing,
        &Shown {
            steps: &difference.failing_steps,
            flows: &difference.failing_flows,
            mark: "failing execution",
        },
    );
    let right = lanes(
        passing,
        &Shown {
            steps: &difference.passing_steps,
            flows: &difference.passing_flows,
            mark: "passing execution",
        },
    );
    let width = |lines: &[String]| lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let (left_width, right_width) = (width(&left), width(&right));
    if left_width + 3 + right_width <= WIDEST {
        for number in 0..left.len().max(right.len()) {
            let (left, right) = (left.get(number), right.get(number));
            let (left, right) = (left.map_or("", String::as_str), right.map_or("", String::as_str));
            let line = format!("{left:left_width$} | {right}");
            let _ = writeln!(out, "{}", line.trim_end());
        }
    } else {
        left.iter().chain([&String::new()]).chain(&right).for_each(|line| {
            let _ = writeln!(out, "{line}");
        });
    }
    let _ = writeln!(out);
}

/// The last steps of the failing execution. Of a thread's steps at once on one line, to read or write a
/// buffer, it has only the first.
fn last_steps(explanation: &Explanation) -> Vec<u32> {
    let failing = &explanation.failing;
    let is_of_cause =
        |number: u32| explanation.cause.orders.iter().any(|(one, other)| number == *one || number == *other);
    let place = |number: u32| {
        let step = &failing.steps[number as usize];
        let object = step.object.rsplit_once(['+', '[']).map_or(&step.object[..], |(object, _)| object);
        let kind = std::mem::discriminant(&step.kind);
        let whole = step.place.map(|place| place.object);
        (step.thread, kind, object, whole, step.location.line, &step.location.file, step.is_taken())
    };
    let counts = |number: &u32| {
        let is_access = matches!(failing.steps[*number as usize].kind, EventKind::Read | EventKind::Write);
        let goes_on = *number > 0 && is_access && place(*number) == place(*number - 1);
        !goes_on || is_of_cause(*number)
    };
    let mut last: Vec<u32> = (0..failing.steps.len() as u32).rev().filter(counts).take(MOST_STEPS).collect();
    last.reverse();
    last
}

/// The lines of the steps that take part, each once.
fn source(out: &mut TerminalText, explanation: &Explanation, look: Look<'_>) {
    let failing = &explanation.failing;
    let mut known = HashSet::new();
    let mut found = Vec::new();
    let steps = explanation.difference.failing_steps.iter().map(|step| &failing.steps[*step as usize]);
    for step in steps.filter(|step| step.kind != EventKind::Commit) {
        if found.len() == MOST_SNIPPETS || !known.insert((step.location.file.clone(), step.location.line)) {
            continue;
        }
        let who = failing.threads[step.thread as usize].title();
        let label = format!("{who}: {}", super::lanes::words(step));
        if let Some(element) = snippet(&step.location, AnnotationKind::Context, &label, look.source) {
            found.push(element);
        }
    }
    if found.is_empty() {
        return;
    }
    let title = note_title("events that differ");
    let group = found.into_iter().fold(Group::with_title(title), |group, element| group.element(element));
    out.snippets(&look.renderer(), &[group]);
}

/// Orders of a cause that are listed here if they are many.
const MOST_ORDERS: usize = 8;

fn causes(out: &mut TerminalText, explanation: &Explanation) {
    let cause = &explanation.cause;
    if cause.orders.is_empty() {
        if let Some(sentence) = sentences::without_steps(explanation) {
            let _ = writeln!(out, "{sentence}");
        }
        return;
    }
    let _ = writeln!(out, "{}", sentences::cause(explanation));
    // Where many threads follow one another, the passing execution has most of the orders, too.
    let most = if cause.orders.len() > 2 * MOST_ORDERS { MOST_ORDERS } else { cause.orders.len() };
    for (number, (earlier, later)) in cause.orders.iter().enumerate().take(most) {
        let step = |number: &u32| place(&explanation.failing, *number);
        let (one, other) = sentences::times(cause, number);
        let _ = writeln!(out, "  {}{one} before {}{other}", step(earlier), step(later));
    }
    if cause.orders.len() > most {
        let _ = writeln!(out, "  and {} more (--json, --html)", cause.orders.len() - most);
    }
    if let Some(checked) = sentences::checked(cause) {
        let _ = writeln!(out, "{checked}");
    }
}

/// A step in words, with its thread and line.
fn place(execution: &Execution, number: u32) -> String {
    let step = &execution.steps[number as usize];
    // A store that does not reach memory in this execution is described by what was stored.
    let issued = step.issued_by.map(|issue| &execution.steps[issue as usize].value);
    let value = if step.is_taken() { step.value.clone() } else { issued.cloned().unwrap_or_default() };
    let step = &ExecutedStep { progress: Progress::Taken, value, ..step.clone() };
    let who = execution.threads[step.thread as usize].title();
    match sentences::place(sentences::location_of(execution, step)) {
        place if place.is_empty() => format!("{who}: {}", super::lanes::words(step)),
        place => format!("{who}: {} ({place})", super::lanes::words(step)),
    }
}

fn summary(explanation: &Explanation) -> String {
    let failing = &explanation.failing;
    let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let taken = |step: &u32| failing.steps[*step as usize].is_taken();
    let all = failing.steps.iter().filter(|step| step.is_taken()).count();
    let steps = count(all, "event");
    let switches = count(failing.context_switches as usize, "context switch").replace("switchs", "switches");
    if explanation.passing.is_none() {
        return format!("explained: {steps}, {switches}; no passing execution found");
    }
    let difference = &explanation.difference;
    let differing = difference.failing_steps.iter().filter(|step| taken(step)).count();
    match difference.failing_flows.len() {
        0 if difference.passing_flows.is_empty() => {
            format!("closest passing execution: {differing} of {steps} in another order; {switches}")
        }
        flows => {
            format!(
                "closest passing execution: {differing} of {steps} and {} differ; {switches}",
                count(flows, "data flow")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::example::lost_update;
    use super::*;
    use crate::files::source_text::SourceText;
    use std::sync::LazyLock;

    static NO_SOURCE: LazyLock<SourceText> = LazyLock::new(SourceText::default);

    fn plain() -> Look<'static> {
        Look { coloured: false, source: &NO_SOURCE }
    }

    #[test]
    fn of_a_buffer_that_is_written_at_once_the_first_step_is_shown() {
        let mut explanation = Explanation { passing: None, ..lost_update() };
        let pattern = explanation.failing.steps[2].clone();
        let at = |object: &str| ExecutedStep { object: object.into(), ..pattern.clone() };
        explanation.failing.steps.extend((0..60).map(|index| at(&format!("buffer+{index}"))));
        explanation.failing.steps.push(at("total"));
        let shown = last_steps(&explanation);
        assert_eq!(shown, [0, 1, 2, 3, 4, 5, 65]);
        let text = super::explanation(&explanation, true, plain());
        assert!(text.contains("... 59 steps ..."), "{text}");
    }
}
