//! An execution as text: a line a step, a column a thread, data flows as arrows in the margin.

use super::sentences;
use std::collections::BTreeSet;
use symx_trace::explanation::{ExecutedStep, Execution, Flow, Progress};
use symx_trace::{CallEffect, EventKind};

/// Widest column.
const WIDEST: usize = 44;

/// The part of an execution that is shown.
pub struct Shown<'a> {
    /// Steps, ascending.
    pub steps: &'a [u32],
    /// Flows drawn as arrows.
    pub flows: &'a [Flow],
    /// The title.
    pub mark: &'a str,
}

/// A step in words.
pub fn words(step: &ExecutedStep) -> String {
    let object = &step.object;
    let (value, not_reached) = (&step.value, step.progress == Progress::NotReached);
    let text = match &step.kind {
        EventKind::Read if not_reached => format!("(would read {object})"),
        EventKind::Write if not_reached => format!("(would write {object})"),
        EventKind::Call(call) if not_reached => format!("(would call {})", call.name),
        EventKind::Read if value.is_empty() => format!("reads {object}"),
        EventKind::Read => format!("reads {object} = {value}"),
        EventKind::Write if value.is_empty() => format!("writes {object}"),
        EventKind::Write => format!("writes {object} = {value}"),
        EventKind::ReadModifyWrite => format!("updates {object}: {value}"),
        EventKind::Fence => "fence".into(),
        EventKind::Commit if not_reached => format!("({object} would reach memory)"),
        EventKind::Commit => format!("{object} = {value} reaches memory"),
        EventKind::Free => format!("{object} is gone"),
        EventKind::Failure => "fails".into(),
        EventKind::Call(call) if call.effect == CallEffect::ThreadStart => "starts".into(),
        EventKind::Call(call) if call.effect == CallEffect::ThreadEnd => "ends".into(),
        EventKind::Call(call) if object.is_empty() => call.name.clone(),
        EventKind::Call(call) if step.progress == Progress::Waits => {
            format!("{} in {}({object})", sentences::value(step), call.name)
        }
        EventKind::Call(call) => match sentences::outcome(step) {
            "" => format!("{}({object})", call.name),
            outcome => format!("{}({object}): {outcome}", call.name),
        },
    };
    match step.folded {
        0 => text,
        folded => format!("{text} (and {folded} more such steps)"),
    }
}

/// The lines.
pub fn lanes(execution: &Execution, shown: &Shown) -> Vec<String> {
    let threads: Vec<u32> = shown
        .steps
        .iter()
        .map(|step| execution.steps[*step as usize].thread)
        .collect::<BTreeSet<u32>>()
        .into_iter()
        .collect();
    let cell = |step: u32| {
        let step = &execution.steps[step as usize];
        let line = match step.location.line {
            0 => String::new(),
            line => format!("{line}: "),
        };
        let late = if step.buffered.is_empty() || step.kind == EventKind::Commit {
            String::new()
        } else {
            format!(" [not in memory: {}]", step.buffered.join(", "))
        };
        cut(&format!("{line}{}{late}", words(step)))
    };
    let lane = |thread: u32| &execution.threads[thread as usize];
    let is_wide = |thread: &u32| lane(*thread).title().chars().count() > WIDEST;
    let has_legend = threads.iter().any(is_wide);
    let title = |thread: u32| if has_legend { lane(thread).label() } else { lane(thread).title() };
    let width = |thread: &u32| {
        let cells = shown.steps.iter().filter(|step| execution.steps[**step as usize].thread == *thread);
        cells
            .map(|step| cell(*step).chars().count())
            .chain([title(*thread).chars().count()])
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = threads.iter().map(width).collect();
    let margin = Margin::new(shown);
    let mut lines = Vec::new();
    if !shown.mark.is_empty() {
        lines.push(shown.mark.to_string());
    }
    let titles = threads.iter().zip(&widths).map(|(thread, width)| format!("{:width$}", title(*thread)));
    lines.push(format!("{}{}", " ".repeat(margin.width()), titles.collect::<Vec<_>>().join("  ")));
    let mut next = 0;
    for (row, step) in shown.steps.iter().enumerate() {
        let skipped = *step - next;
        if skipped > 0 {
            let steps = if skipped == 1 { "step" } else { "steps" };
            lines.push(format!("{}... {skipped} {steps} ...", margin.beside(row)));
        }
        next = *step + 1;
        let thread = execution.steps[*step as usize].thread;
        let cells = threads.iter().zip(&widths).map(|(column, width)| match *column == thread {
            true => format!("{:width$}", cell(*step)),
            false => " ".repeat(*width),
        });
        lines.push(format!("{}{}", margin.at(row), cells.collect::<Vec<_>>().join("  ")));
    }
    let left = execution.steps.len() as u32 - next;
    if left > 0 {
        let steps = if left == 1 { "step" } else { "steps" };
        lines.push(format!("{}... {left} {steps} ...", " ".repeat(margin.width())));
    }
    let named =
        threads.iter().map(|thread| lane(*thread)).filter(|lane| has_legend && !lane.own().is_empty());
    lines.extend(named.map(|lane| format!("{}: {}", lane.label(), lane.own())));
    lines.iter().map(|line| line.trim_end().to_string()).collect()
}

fn cut(text: &str) -> String {
    if text.chars().count() <= WIDEST {
        return text.to_string();
    }
    text.chars().take(WIDEST - 3).chain("...".chars()).collect()
}

/// Arrows from rows that write down to rows that read; what was there before comes from above.
struct Margin {
    /// From (none: before the first row) and to, one a column.
    arrows: Vec<(Option<usize>, usize)>,
}

impl Margin {
    fn new(shown: &Shown) -> Self {
        let row = |step: u32| shown.steps.iter().position(|other| *other == step);
        let arrow = |flow: &Flow| Some((flow.from.and_then(row), row(flow.to)?));
        let mut arrows: Vec<_> = shown.flows.iter().filter_map(arrow).collect();
        arrows.sort_unstable_by_key(|(from, to)| (*from, *to));
        arrows.truncate(6);
        Self { arrows }
    }

    fn width(&self) -> usize {
        if self.arrows.is_empty() { 0 } else { self.arrows.len() + 2 }
    }

    /// The margin of a row.
    fn at(&self, row: usize) -> String {
        self.draw(|(from, to)| {
            if *to == row {
                Some('└')
            } else if *from == Some(row) {
                Some('┌')
            } else {
                (from.is_none_or(|from| from < row) && row < *to).then_some('│')
            }
        })
    }

    /// The margin between a row and the one before.
    fn beside(&self, row: usize) -> String {
        self.draw(|(from, to)| (from.is_none_or(|from| from < row) && row <= *to).then_some('│'))
    }

    fn draw(&self, sign: impl Fn(&(Option<usize>, usize)) -> Option<char>) -> String {
        if self.arrows.is_empty() {
            return String::new();
        }
        let mut text = String::new();
        let mut line = ' ';
        let mut end = ' ';
        for arrow in &self.arrows {
            match sign(arrow) {
                Some(corner @ ('└' | '┌')) => {
                    text.push(corner);
                    line = '─';
                    if corner == '└' || end == ' ' {
                        end = if corner == '└' { '>' } else { '─' };
                    }
                }
                Some(pass) => text.push(if line == '─' { '┼' } else { pass }),
                None => text.push(line),
            }
        }
        text.push(end);
        text.push(' ');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_trace::explanation::Lane;
    use symx_trace::{Location, ThreadName};

    #[test]
    fn wide_names_are_below() {
        let wide = "serve<std::vector<std::pair<int, std::string>>>";
        let lane = |name, function: &str| Lane { name, function: function.into(), ..Lane::default() };
        let execution = Execution {
            threads: vec![lane(ThreadName::main(), "main"), lane(ThreadName::main().child(1), wide)],
            steps: vec![ExecutedStep::taken(1, EventKind::Read, "n")],
            ..Execution::default()
        };
        let lines = lanes(&execution, &Shown { steps: &[0], flows: &[], mark: "" });
        assert_eq!(lines, ["T1", "reads n", &format!("T1: {wide}")]);
    }

    #[test]
    fn a_flow_is_an_arrow_from_the_write_to_the_read() {
        let step = |thread, kind, line| ExecutedStep {
            value: "1".into(),
            location: Location { line, ..Location::default() },
            ..ExecutedStep::taken(thread, kind, "n")
        };
        let lane = |name, function: &str| Lane { name, function: function.into(), ..Lane::default() };
        let execution = Execution {
            threads: vec![lane(ThreadName::main(), "main"), lane(ThreadName::main().child(1), "")],
            steps: vec![
                step(0, EventKind::Write, 7),
                step(0, EventKind::Fence, 8),
                step(1, EventKind::Read, 9),
            ],
            ..Execution::default()
        };
        let flows = [Flow { from: Some(0), to: 2 }];
        let lines = lanes(&execution, &Shown { steps: &[0, 2], flows: &flows, mark: "fails" });
        assert_eq!(
            lines,
            [
                "fails",
                "   T0 main          T1",
                "┌─ 7: writes n = 1",
                "│  ... 1 step ...",
                "└>                  9: reads n = 1",
            ]
        );
    }
}
