//! The failing execution beside the closest passing one: a row a step, a column a thread, equal steps side by
//! side. Steps far from the difference are left out.

use super::listed_orders;
use super::wrapped::{cut, cut_before_value, wrapped};
use crate::render::html::{Row, rows};
use crate::render::sentences::{common_file, location_of, outcome, short_file};
use std::collections::BTreeSet;
use symx_ir::program::is_library_source;
use symx_trace::explanation::{ExecutedStep, Execution, Explanation, Lane, Progress};
use symx_trace::{CallEffect, CallOutcome, EventKind, Location, ThreadName};

/// Lines of a table besides its rows: the titles, the names of the threads.
const HEAD: usize = 2;

/// Steps shown where nothing is known to matter more than others: the last ones.
const LAST: usize = 8;

/// The least number of columns for the steps of one thread.
const NARROWEST: usize = 18;

/// Lines for one name in the legend at most.
const MOST_OF_NAME: usize = 2;

/// The executions, and which of their steps are shown.
pub struct Table<'a> {
    explanation: &'a Explanation,
    rows: Vec<Row>,
    /// The rows that matter, ascending.
    chosen: BTreeSet<usize>,
    file: Option<&'a str>,
}

/// One of the executions in the table.
struct Side<'a> {
    title: String,
    execution: &'a Execution,
    threads: Vec<u32>,
    step: fn(&Row) -> Option<u32>,
}

impl Side<'_> {
    fn lanes(&self) -> impl Iterator<Item = &Lane> {
        self.threads.iter().map(|thread| &self.execution.threads[*thread as usize])
    }
}

/// What stands above the columns of the threads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Heads {
    /// `T1 worker`.
    Titles,
    /// `T1`; the names are in a legend below.
    Labels,
}

/// A table as it is drawn.
struct Drawn {
    /// The most columns that a step or a name has; no less than the longest if nothing is cut.
    cell: usize,
    lines: Vec<String>,
}

impl<'a> Table<'a> {
    /// The lines, at most `most`, each at most `widest` columns wide. Steps that do not differ are added up
    /// to `filled` lines.
    pub fn lines(&self, most: usize, filled: usize, widest: usize) -> Vec<String> {
        if most <= HEAD + 1 || self.chosen.is_empty() {
            return Vec::new();
        }
        let both = self.sides();
        let columns = both.iter().map(|side| side.threads.len()).sum::<usize>();
        let filled = filled.saturating_sub(HEAD);
        if both.len() < 2 || columns * NARROWEST <= widest {
            return self.beside(&both, most - HEAD, filled, widest);
        }
        // Too many threads to stand side by side: one below the other.
        let each = (most / 2).saturating_sub(HEAD).max(1);
        let mut lines = Vec::new();
        for side in &both {
            lines.extend(self.beside(std::slice::from_ref(side), each, filled, widest));
        }
        lines.truncate(most);
        lines
    }

    /// Whether a step that differs, or matters otherwise, is there.
    pub fn shows(&self, location: &Location) -> bool {
        let steps = self.chosen.iter().flat_map(|row| self.steps(*row));
        let mut locations = steps.map(|(execution, step)| location_of(execution, step));
        location.line != 0 && locations.any(|at| (&at.file, at.line) == (&location.file, location.line))
    }

    /// The table of an explanation.
    pub fn new(explanation: &'a Explanation) -> Self {
        let rows = rows(explanation);
        let mut table = Self { explanation, rows, chosen: BTreeSet::new(), file: None };
        table.choose();
        let steps = table.chosen.iter().flat_map(|row| table.steps(*row));
        let mut locations = steps.map(|(execution, step)| location_of(execution, step)).peekable();
        let file = locations.peek().is_some().then(|| common_file(locations)).flatten();
        Self { file, ..table }
    }

    fn steps(&self, row: usize) -> impl Iterator<Item = (&'a Execution, &'a ExecutedStep)> + use<'a> {
        let row = self.rows[row];
        let failing = &self.explanation.failing;
        let one = row.failing.map(|step| (failing, &failing.steps[step as usize]));
        let passing = self.explanation.passing.as_ref();
        let other = row.passing.and_then(|step| Some((passing?, &passing?.steps[step as usize])));
        one.into_iter().chain(other)
    }

    /// Chooses rows: what differs, what the cause and the first fix speak of, what threads wait in.
    fn choose(&mut self) {
        let explanation = self.explanation;
        let failing = &explanation.failing;
        let mut left: BTreeSet<u32> = explanation.difference.failing_steps.iter().copied().collect();
        // Further orderings are between further threads: a column for each would say little.
        left.extend(listed_orders(&explanation.cause).iter().flat_map(|(one, other)| [*one, *other]));
        left.extend(
            symx_checkers::first_fix(explanation)
                .map(|fix| fix.steps())
                .into_iter()
                .flat_map(|(one, other)| [one, other]),
        );
        let waits = |step: &&u32| {
            let step = &failing.steps[**step as usize];
            step.progress == Progress::Waits && step.kind.effect() != Some(CallEffect::JoinThread)
        };
        let all: Vec<u32> = (0..failing.steps.len() as u32).collect();
        left.extend(all.iter().filter(waits));
        if left.is_empty() {
            left.extend(all.iter().rev().take(LAST));
        }
        let right: BTreeSet<u32> = explanation.difference.passing_steps.iter().copied().collect();
        let matters = |row: &Row| {
            row.failing.is_some_and(|step| left.contains(&step))
                || row.passing.is_some_and(|step| right.contains(&step))
        };
        self.chosen = (0..self.rows.len()).filter(|row| matters(&self.rows[*row])).collect();
        // What a library does where the program did not call it says little, as at the end of a thread.
        let own: BTreeSet<usize> =
            self.chosen.iter().copied().filter(|row| self.is_of_program(*row)).collect();
        if !own.is_empty() {
            self.chosen = own;
        }
    }

    /// Whether a step of a row is at a line of the program.
    fn is_of_program(&self, row: usize) -> bool {
        self.steps(row).any(|(execution, step)| !is_library_source(&location_of(execution, step).file))
    }

    /// Adds rows between the chosen ones as far as there is room: synchronisation, and accesses to the same
    /// objects.
    fn fill(&self, room: usize) -> BTreeSet<usize> {
        let mut chosen = self.chosen.clone();
        let (Some(first), Some(last)) = (chosen.first().copied(), chosen.last().copied()) else {
            return chosen;
        };
        let objects: BTreeSet<&str> = chosen
            .iter()
            .flat_map(|row| self.steps(*row))
            .map(|(_, step)| step.object.as_str())
            .filter(|object| !object.is_empty())
            .collect();
        // Other threads have no column.
        let threads: BTreeSet<u32> =
            chosen.iter().flat_map(|row| self.steps(*row)).map(|(_, step)| step.thread).collect();
        let is_told = |row: &usize| {
            self.steps(*row).filter(|(_, step)| threads.contains(&step.thread)).any(|(_, step)| {
                let of_objects = objects.contains(step.object.as_str());
                let synchronises = matches!(
                    step.kind.effect(),
                    Some(
                        CallEffect::Lock
                            | CallEffect::Unlock
                            | CallEffect::ConditionWait
                            | CallEffect::Signal
                            | CallEffect::Broadcast
                            | CallEffect::Free
                    )
                );
                (of_objects || synchronises) && step.library.is_none()
            })
        };
        for row in (first..=last).filter(|row| is_told(row) && self.is_of_program(*row)) {
            if chosen.len() < room {
                chosen.insert(row);
            }
        }
        chosen
    }

    fn sides(&self) -> Vec<Side<'a>> {
        let explanation = self.explanation;
        let switches = |count: u32| match count {
            1 => "1 context switch".to_owned(),
            count => format!("{count} context switches"),
        };
        let file = self.file.map_or_else(String::new, |file| format!(" ({})", short_file(file)));
        let failing = &explanation.failing;
        let mut sides = vec![Side {
            title: format!("failing execution{file}, {}", switches(failing.context_switches)),
            execution: failing,
            threads: Vec::new(),
            step: |row| row.failing,
        }];
        sides.extend(explanation.passing.as_ref().map(|passing| Side {
            title: format!("closest passing execution, {}", switches(passing.context_switches)),
            execution: passing,
            threads: Vec::new(),
            step: |row| row.passing,
        }));
        for side in &mut sides {
            let steps = self.chosen.iter().filter_map(|row| (side.step)(&self.rows[*row]));
            let threads: BTreeSet<u32> =
                steps.map(|step| side.execution.steps[step as usize].thread).collect();
            side.threads = threads.into_iter().collect();
        }
        sides
    }

    /// The table of these sides, with at most `most` rows. Names that do not fit are rows below.
    fn beside(&self, sides: &[Side<'_>], most: usize, filled: usize, widest: usize) -> Vec<String> {
        let titled = self.drawn(sides, Heads::Titles, most, filled, widest);
        let legend = legend(sides, widest);
        let is_cut = |lane: &Lane| self.below(lane.title()).chars().count() > titled.cell;
        if legend.len() >= most || !sides.iter().flat_map(Side::lanes).any(is_cut) {
            return titled.lines;
        }
        let left = |of: usize| of.saturating_sub(legend.len());
        let labelled = self.drawn(sides, Heads::Labels, left(most), left(filled), widest);
        labelled.lines.into_iter().chain(legend).collect()
    }

    fn drawn(&self, sides: &[Side<'_>], heads: Heads, most: usize, filled: usize, widest: usize) -> Drawn {
        let chosen: Vec<usize> = self.fill(filled.min(most.saturating_sub(1))).into_iter().collect();
        // The beginning and the end of too many.
        let (head, tail) = match chosen.len() > most {
            true => (most / 2, (most - 1) - most / 2),
            false => (chosen.len(), 0),
        };
        let hidden = chosen.len() - head - tail;
        let shown: Vec<Option<usize>> = chosen[..head]
            .iter()
            .copied()
            .map(Some)
            .chain((hidden > 0).then_some(None))
            .chain(chosen[chosen.len() - tail..].iter().copied().map(Some))
            .collect();
        let blocks = |widest_cell: usize| -> Vec<Vec<String>> {
            let block = |side: &Side<'_>| {
                let mut block = self.block(side, heads, &shown, hidden, widest_cell);
                block.insert(0, side.title.clone());
                block
            };
            sides.iter().map(block).collect()
        };
        let widths = |blocks: &[Vec<String>]| -> Vec<usize> {
            let width =
                |block: &Vec<String>| block.iter().map(|line| line.chars().count()).max().unwrap_or(0);
            blocks.iter().map(width).collect()
        };
        let between = 3 * (sides.len() - 1);
        let fits = |cell: &usize| widths(&blocks(*cell)).iter().sum::<usize>() + between <= widest;
        // As little is cut as possible.
        let cell = (NARROWEST - 2..=widest).rev().find(fits).unwrap_or(NARROWEST - 2);
        let blocks = blocks(cell);
        let widths = widths(&blocks);
        let count = blocks.first().map_or(0, Vec::len);
        let line = |number: usize| {
            let parts = blocks.iter().zip(&widths).map(|(block, width)| format!("{:width$}", block[number]));
            parts.collect::<Vec<_>>().join(" | ").trim_end().to_owned()
        };
        Drawn { cell, lines: (0..count).map(line).collect() }
    }

    /// What stands above the threads, then a line a row.
    fn block(
        &self,
        side: &Side<'_>,
        heads: Heads,
        shown: &[Option<usize>],
        hidden: usize,
        widest: usize,
    ) -> Vec<String> {
        let cell = |row: &Option<usize>| {
            let number = (side.step)(&self.rows[(*row)?])?;
            let step = &side.execution.steps[number as usize];
            Some((step.thread, cut_before_value(&self.below(self.cell(side.execution, number)), widest)))
        };
        let cells: Vec<Option<(u32, String)>> = shown.iter().map(cell).collect();
        let title = |thread: u32| {
            let lane = &side.execution.threads[thread as usize];
            cut(&if heads == Heads::Titles { self.below(lane.title()) } else { lane.label() }, widest)
        };
        let width = |thread: &u32| {
            let own = cells.iter().flatten().filter(|(of, _)| of == thread);
            let longest = own.map(|(_, text)| text.chars().count()).max().unwrap_or(0);
            longest.max(title(*thread).chars().count())
        };
        let widths: Vec<usize> = side.threads.iter().map(width).collect();
        let row = |text: &dyn Fn(u32) -> String| {
            let parts = side.threads.iter().zip(&widths).map(|(thread, width)| {
                let text = text(*thread);
                format!("{text:width$}")
            });
            parts.collect::<Vec<_>>().join("  ")
        };
        let mut lines = vec![row(&title)];
        for (cell, shown) in cells.iter().zip(shown) {
            lines.push(match (shown, cell) {
                (None, _) => format!("... {hidden} more ..."),
                (Some(_), None) => String::new(),
                (Some(_), Some((of, text))) => {
                    row(&|thread| if thread == *of { text.clone() } else { String::new() })
                }
            });
        }
        lines
    }

    /// A text without the name of the file, which is in the title.
    fn below(&self, text: String) -> String {
        self.file.map_or_else(|| text.clone(), |file| text.replace(&format!("{}:", short_file(file)), ":"))
    }

    /// `8 read count = 0`.
    fn cell(&self, execution: &Execution, number: u32) -> String {
        let step = &execution.steps[number as usize];
        let at = location_of(execution, step);
        let place = match (at.line, self.file) {
            (0, _) => String::new(),
            (line, Some(file)) if file == at.file => format!("{line} "),
            // Steps between those that matter may be in another file.
            (line, _) => format!("{}:{line} ", short_file(&at.file)),
        };
        let issued = step.issued_by.map(|issuer| execution.steps[issuer as usize].value.as_str());
        let value = if step.value.is_empty() { issued.unwrap_or_default() } else { &step.value };
        if step.is_taken() && step.outcome == CallOutcome::Done && execution.ends_wait(number) {
            return format!("{place}woken {}", step.object);
        }
        format!("{place}{}", words(step, value))
    }
}

/// The names of the threads that have one, in full.
fn legend(sides: &[Side<'_>], widest: usize) -> Vec<String> {
    let named: BTreeSet<(&ThreadName, String, &str)> =
        sides.iter().flat_map(Side::lanes).map(|lane| (&lane.name, lane.label(), lane.own())).collect();
    let told = named.into_iter().filter(|(.., own)| !own.is_empty());
    let lines = told.flat_map(|(_, label, own)| wrapped(&format!("{label}: {own}"), "  ", MOST_OF_NAME));
    lines.map(|line| cut(&line, widest)).collect()
}

/// A step with its value, in as few words as there are.
fn words(step: &ExecutedStep, value: &str) -> String {
    let object = &step.object;
    let value = if value.is_empty() { String::new() } else { format!(" = {value}") };
    let text = match &step.kind {
        EventKind::Read => format!("read {object}{value}"),
        EventKind::Write => format!("write {object}{value}"),
        EventKind::ReadModifyWrite => format!("update {object}{value}"),
        EventKind::Fence => "fence".into(),
        EventKind::Commit if step.progress == Progress::NotReached => {
            return format!("(not drained: {object}{value})");
        }
        EventKind::Commit => format!("(drains: {object}{value})"),
        EventKind::Free => format!("end of {object}"),
        EventKind::Failure => "fails".into(),
        EventKind::Call(call) => match call.effect {
            CallEffect::Lock if step.outcome == CallOutcome::Busy => format!("try to lock {object}"),
            CallEffect::Lock => format!("lock {object}"),
            CallEffect::Unlock => format!("unlock {object}"),
            CallEffect::ConditionWait => format!("wait {object}"),
            CallEffect::Signal => format!("signal {object}"),
            CallEffect::Broadcast => format!("broadcast {object}"),
            CallEffect::BarrierWait => format!("barrier {object}"),
            CallEffect::CreateThread => format!("create {object}"),
            CallEffect::JoinThread => format!("join {object}"),
            CallEffect::ThreadStart => "start".into(),
            CallEffect::ThreadEnd => "end".into(),
            CallEffect::Free => format!("free {object}"),
            CallEffect::Destroy => format!("destroy {object}"),
            CallEffect::SemaphoreWait | CallEffect::SemaphorePost | CallEffect::Once | CallEffect::Other => {
                format!("{}({object})", call.name)
            }
        },
    };
    match step.progress {
        Progress::Taken => match outcome(step) {
            "" => text,
            outcome => format!("{text}: {outcome}"),
        },
        Progress::Waits => format!("BLOCKED: {text}"),
        Progress::NotReached => format!("(not reached: {text})"),
    }
}
