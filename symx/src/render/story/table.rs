//! The failing execution beside the closest passing one: a row a step, a column a thread, equal steps side by
//! side. Steps far from the difference are left out.

use super::cells::{Cell, ShortNames};
use super::listed_orders;
use super::wrapped::{cut, wrapped};
use crate::render::html::{Row, rows};
use crate::render::sentences::location_of;
use std::collections::{BTreeMap, BTreeSet};
use symx_ir::program::is_library_source;
use symx_ir::short_file;
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

/// A row of one of the executions.
enum Line {
    /// The thread's step.
    Step(u32, Cell),
    /// The execution has no step there.
    Empty,
    /// How many rows are left out.
    Hidden(usize),
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
        let locations = steps.map(|(execution, step)| location_of(execution, step));
        let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
        for location in locations.filter(|location| location.line != 0) {
            *counts.entry(&location.file).or_default() += 1;
        }
        // What is in other files, as in a header, says so.
        let file = counts.into_iter().max_by_key(|(_, count)| *count).map(|(file, _)| file);
        Self { file, ..table }
    }

    fn steps(&self, row: usize) -> impl Iterator<Item = (&'a Execution, &'a ExecutedStep)> + use<'a> {
        self.rows[row].steps(self.explanation)
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
            let is_own =
                |step: &&u32| !is_library_source(&location_of(failing, &failing.steps[**step as usize]).file);
            left.extend(all.iter().rev().filter(is_own).take(LAST));
        }
        let right: BTreeSet<u32> = explanation.difference.passing_steps.iter().copied().collect();
        let matters = |row: &Row| {
            row.failing.is_some_and(|step| left.contains(&step))
                || row.passing.is_some_and(|step| right.contains(&step))
        };
        self.chosen = (0..self.rows.len()).filter(|row| matters(&self.rows[*row])).collect();
        // What a library does where the program did not call it says little, as at the end of a thread.
        let is_own = |row: &usize| self.rows[*row].is_of_program(explanation);
        let own: BTreeSet<usize> = self.chosen.iter().copied().filter(is_own).collect();
        if !own.is_empty() {
            self.chosen = own;
        }
    }

    /// Adds rows between the chosen ones as far as there is room: synchronisation, and accesses to the same
    /// objects. Behind them, each thread's next write to one of these.
    fn fill(&self, room: usize) -> BTreeSet<usize> {
        let mut chosen = self.chosen.clone();
        let (Some(first), Some(last)) = (chosen.first().copied(), chosen.last().copied()) else {
            return chosen;
        };
        let objects: BTreeSet<&str> = chosen
            .iter()
            .flat_map(|row| self.steps(*row))
            .map(|(_, step)| &*step.object)
            .filter(|object| !object.is_empty())
            .collect();
        // Other threads have no column.
        let threads: BTreeSet<u32> =
            chosen.iter().flat_map(|row| self.steps(*row)).map(|(_, step)| step.thread).collect();
        let is_told = |row: &usize| {
            self.steps(*row).filter(|(_, step)| threads.contains(&step.thread)).any(|(_, step)| {
                let of_objects = objects.contains(&*step.object);
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
        let is_own = |row: &usize| self.rows[*row].is_of_program(self.explanation);
        let between = (first..=last).filter(|row| is_told(row) && is_own(row));
        // What a thread makes of what it read is behind the steps that matter if a lock orders it.
        let mut done = BTreeSet::new();
        let results = (last + 1..self.rows.len()).filter(|row| is_own(row)).filter(|row| {
            let writes = self.steps(*row).filter(|(_, step)| {
                let writes = matches!(step.kind, EventKind::Write | EventKind::ReadModifyWrite);
                writes && step.library.is_none() && objects.contains(&*step.object)
            });
            let next = writes.filter(|(execution, step)| {
                let is_failing = std::ptr::eq(*execution, &self.explanation.failing);
                threads.contains(&step.thread) && done.insert((is_failing, step.thread))
            });
            next.count() > 0
        });
        for row in between.chain(results) {
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
        let of_side = |side: &Side<'_>| -> Vec<Line> {
            let line = |row: &usize| self.line(side, *row);
            let before = chosen[..head].iter().map(line);
            let after = chosen[chosen.len() - tail..].iter().map(line);
            before.chain((hidden > 0).then_some(Line::Hidden(hidden))).chain(after).collect()
        };
        let rows: Vec<Vec<Line>> = sides.iter().map(of_side).collect();
        let cells = rows.iter().flatten().filter_map(|line| match line {
            Line::Step(_, cell) => Some(cell),
            _ => None,
        });
        let blocks = |widest_cell: usize| -> Vec<Vec<String>> {
            let names = ShortNames::of(cells.clone(), widest_cell);
            let block = |(side, rows): (&Side<'_>, &Vec<Line>)| {
                let mut block = self.block(side, heads, rows, &names, widest_cell);
                block.insert(0, side.title.clone());
                block
            };
            sides.iter().zip(&rows).map(block).collect()
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
        let names = ShortNames::of(cells.clone(), cell);
        let room = (most + HEAD).saturating_sub(count);
        let numbered = names.numbered().map(|(short, name)| cut(&format!("{short}: {name}"), widest));
        Drawn { cell, lines: (0..count).map(line).chain(numbered.take(room)).collect() }
    }

    /// What stands above the threads, then a line a row.
    fn block(
        &self,
        side: &Side<'_>,
        heads: Heads,
        rows: &[Line],
        names: &ShortNames,
        widest: usize,
    ) -> Vec<String> {
        let text = |cell: &Cell| cut(&cell.text(names), widest);
        let cells = || {
            rows.iter().filter_map(|line| match line {
                Line::Step(thread, cell) => Some((*thread, text(cell))),
                _ => None,
            })
        };
        let title = |thread: u32| {
            let lane = &side.execution.threads[thread as usize];
            cut(&if heads == Heads::Titles { self.below(lane.title()) } else { lane.label() }, widest)
        };
        let width = |thread: &u32| {
            let own = cells().filter(|(of, _)| of == thread);
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
        lines.extend(rows.iter().map(|line| match line {
            Line::Hidden(hidden) => format!("... {hidden} more ..."),
            Line::Empty => String::new(),
            Line::Step(of, cell) => row(&|thread| if thread == *of { text(cell) } else { String::new() }),
        }));
        lines
    }

    /// A text without the name of the file, which is in the title.
    fn below(&self, text: String) -> String {
        self.file.map_or_else(|| text.clone(), |file| text.replace(&format!("{}:", short_file(file)), ":"))
    }

    /// What one of the executions has in a row.
    fn line(&self, side: &Side<'_>, row: usize) -> Line {
        let Some(number) = (side.step)(&self.rows[row]) else { return Line::Empty };
        let mut cell = self.cell(side.execution, number);
        for part in [&mut cell.before, &mut cell.object, &mut cell.value] {
            *part = self.below(std::mem::take(part));
        }
        Line::Step(side.execution.steps[number as usize].thread, cell)
    }

    /// `8 read count = 0`.
    fn cell(&self, execution: &Execution, number: u32) -> Cell {
        let step = &execution.steps[number as usize];
        let at = location_of(execution, step);
        let place = match (at.line, self.file) {
            (0, _) => String::new(),
            (line, Some(file)) if file == at.file => format!("{line} "),
            (line, _) => format!("{}:{line} ", short_file(&at.file)),
        };
        let issued = step.issued_by.map(|issuer| execution.steps[issuer as usize].value.as_str());
        let value = if step.value.is_empty() { issued.unwrap_or_default() } else { &step.value };
        let mut cell = Cell::of(step, value);
        if step.is_taken() && step.outcome == CallOutcome::Done && execution.ends_wait(number) {
            cell.before = "woken ".into();
        }
        cell.before.insert_str(0, &place);
        cell
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
