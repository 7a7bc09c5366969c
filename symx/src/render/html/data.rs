//! The data that the page's scripts read, as compact JSON: steps are rows of numbers, each text occurs once.

use super::super::sentences::{self, is_call, location_of, object, place, verb};
use super::excerpts::{Excerpt, excerpts};
use super::folds::{Fold, folds};
use super::layout::{Row, rows};
use crate::files::source_text::SourceText;
use crate::text::{one_line, visible};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use symx_trace::explanation::{ExecutedStep, Execution, Explanation, Flow, HeldLock, Remedy};
use symx_trace::{Failure, Location, ThreadName};

/// The whole of it. The scripts' `model.js` says the same from the other side.
#[derive(Serialize)]
pub struct PageData {
    /// Texts, by number.
    texts: Vec<String>,
    /// Lists of texts, by number; the first is empty.
    lists: Vec<Vec<u32>>,
    /// Source files.
    files: Vec<SourceFile>,
    /// The failing execution, and the passing one if there is one.
    executions: Vec<ExecutionData>,
    /// Runs of rows: the failing step, the passing one's (-1 for none), how many; steps of a run are
    /// consecutive.
    rows: Vec<[i64; 3]>,
    /// First and last row, and the rows of a round of a loop (0: no loop).
    folds: Vec<[u32; 3]>,
    /// Pairs of failing steps.
    orders: Vec<(u32, u32)>,
    /// Failing steps that belong together: the first and the last.
    blocks: Vec<(u32, u32)>,
}

#[derive(Serialize)]
struct SourceFile {
    name: String,
    lines: u32,
    parts: Vec<Excerpt>,
}

#[derive(Serialize)]
struct ExecutionData {
    title: &'static str,
    switches: u32,
    preemptions: u32,
    output: String,
    lanes: Vec<LaneData>,
    /// Thread, verb, whether it is a call, object, value, step it reads from, step that issued it, list of
    /// locks, list of buffered stores. Then file, line, column, function, how many more, whether it happened.
    /// No value is -1.
    steps: Vec<[i64; 15]>,
    /// Steps that only this execution has.
    differing: Vec<u32>,
    /// Flows that only this execution has; -1 for what was there before.
    flows: Vec<[i64; 2]>,
    ends: Vec<EndData>,
}

#[derive(Serialize)]
struct LaneData {
    name: String,
    function: String,
}

/// How a thread stands in the end.
#[derive(Serialize)]
struct EndData {
    thread: u32,
    /// `fails`, `waits`, `fine`.
    kind: &'static str,
    text: String,
    file: i64,
    line: u32,
}

/// The data of a page.
pub fn page_data(explanation: &Explanation, source: &SourceText) -> PageData {
    let mut tables = Tables { lists: vec![Vec::new()], ..Tables::default() };
    let difference = &explanation.difference;
    let mut executions = vec![tables.execution(
        if explanation.failing.failure.is_some() { "Failing" } else { "Execution" },
        &explanation.failing,
        &difference.failing_steps,
        &difference.failing_flows,
    )];
    executions.extend(explanation.passing.as_ref().map(|execution| {
        let (steps, flows) = (&difference.passing_steps, &difference.passing_flows);
        tables.execution("Passing", execution, steps, flows)
    }));
    let rows = rows(explanation);
    let folds = folds(explanation, &rows);
    let block = |remedy: &Remedy| match remedy {
        Remedy::AtomicBlock { first, last, .. } => Some((*first, *last)),
        _ => None,
    };
    PageData {
        files: tables.files(source),
        texts: tables.texts,
        lists: tables.lists,
        executions,
        rows: runs(&rows),
        folds: folds.iter().map(|Fold { first, last, round }| [*first, *last, round.unwrap_or(0)]).collect(),
        orders: explanation.cause.orders.clone(),
        blocks: explanation.remedies.iter().filter_map(block).collect(),
    }
}

/// Texts and files met so far.
#[derive(Default)]
struct Tables {
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
    lists: Vec<Vec<u32>>,
    list_numbers: HashMap<Vec<u32>, u32>,
    file_numbers: BTreeMap<String, i64>,
    /// By file, the lines referred to.
    lines: Vec<BTreeSet<u32>>,
}

impl Tables {
    fn text(&mut self, text: &str) -> u32 {
        let text = &*visible(text);
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }

    fn list(&mut self, texts: impl Iterator<Item = String>) -> u32 {
        let list: Vec<u32> = texts.map(|text| self.text(&text)).collect();
        if list.is_empty() {
            return 0;
        }
        let next = self.lists.len() as u32;
        let number = *self.list_numbers.entry(list.clone()).or_insert(next);
        if number == next {
            self.lists.push(list);
        }
        number
    }

    /// The number of the location's file, of which the line will be shown.
    fn file(&mut self, location: &Location) -> i64 {
        if location.file.is_empty() {
            return -1;
        }
        let next = self.file_numbers.len() as i64;
        let number = match self.file_numbers.get(&location.file) {
            Some(number) => *number,
            None => {
                self.file_numbers.insert(location.file.clone(), next);
                self.lines.push(BTreeSet::new());
                next
            }
        };
        self.lines[number as usize].insert(location.line);
        number
    }

    fn execution(
        &mut self,
        title: &'static str,
        execution: &Execution,
        differing: &[u32],
        flows: &[Flow],
    ) -> ExecutionData {
        let steps = execution.steps.iter().map(|step| self.step(execution, step)).collect();
        let lane = |lane: &symx_trace::explanation::Lane| LaneData {
            name: lane.name.label(),
            function: visible(if lane.given.is_empty() { &lane.function } else { &lane.given }).into_owned(),
        };
        ExecutionData {
            title,
            switches: execution.context_switches,
            preemptions: execution.preemptions,
            output: visible(&execution.output).into_owned(),
            lanes: execution.threads.iter().map(lane).collect(),
            steps,
            differing: differing.to_vec(),
            flows: flows.iter().map(|flow| [number(flow.from), flow.to.into()]).collect(),
            ends: self.ends(execution),
        }
    }

    fn step(&mut self, execution: &Execution, step: &ExecutedStep) -> [i64; 15] {
        let location = location_of(execution, step);
        [
            step.thread.into(),
            self.text(verb(&step.kind)).into(),
            is_call(&step.kind).into(),
            self.text(object(step)).into(),
            self.text(sentences::value(step)).into(),
            number(step.reads_from),
            number(step.issued_by),
            self.list(step.locks.iter().map(HeldLock::title)).into(),
            self.list(step.buffered.iter().cloned()).into(),
            self.file(location),
            location.line.into(),
            location.column.into(),
            self.text(&location.function).into(),
            step.folded.into(),
            step.is_taken().into(),
        ]
    }

    fn ends(&mut self, execution: &Execution) -> Vec<EndData> {
        let Some(failure) = &execution.failure else {
            let thread = execution.steps.last().map_or(0, |step| step.thread);
            let text = "terminates without this failure".into();
            return vec![EndData { thread, kind: "fine", text, file: -1, line: 0 }];
        };
        let lane = |name: &ThreadName| execution.threads.iter().position(|lane| lane.name == *name);
        let mut ends = Vec::new();
        for other in &failure.others {
            let Some(thread) = lane(&other.thread) else { continue };
            // Where it stands may be reported as a step already.
            if execution.steps.iter().any(|step| step.thread as usize == thread && !step.is_taken()) {
                continue;
            }
            let here = other.stack.iter().find(|frame| frame.line != 0).cloned().unwrap_or_default();
            let function = other.stack.first().map_or("", |frame| frame.function.as_str());
            let at = if here.line == 0 { String::new() } else { format!(" ({})", place(&here)) };
            let text = visible(&format!("stands in {function}{at}")).into_owned();
            ends.push(EndData {
                thread: thread as u32,
                kind: "waits",
                text,
                file: self.file(&here),
                line: here.line,
            });
        }
        ends.push(self.failure(failure, lane(&failure.thread).unwrap_or(0) as u32));
        ends
    }

    fn failure(&mut self, failure: &Failure, thread: u32) -> EndData {
        let text = one_line(&failure.message);
        let (file, line) = (self.file(&failure.location), failure.location.line);
        EndData { thread, kind: "fails", text, file, line }
    }

    fn files(&self, source: &SourceText) -> Vec<SourceFile> {
        let mut by_number: Vec<_> = self.file_numbers.iter().collect();
        by_number.sort_unstable_by_key(|(_, number)| **number);
        let file = |(name, number): (&String, &i64)| {
            let text = source.read(name).unwrap_or_default();
            let text = visible(&text);
            let parts = excerpts(&text, &self.lines[*number as usize]);
            let name = visible(source.near(name)).into_owned();
            SourceFile { name, lines: text.lines().count() as u32, parts }
        };
        by_number.into_iter().map(file).collect()
    }
}

fn number(index: Option<u32>) -> i64 {
    index.map_or(-1, i64::from)
}

/// Rows whose steps follow each other on both sides, put together.
fn runs(rows: &[Row]) -> Vec<[i64; 3]> {
    let mut runs: Vec<[i64; 3]> = Vec::new();
    for row in rows {
        let (failing, passing) = (number(row.failing), number(row.passing));
        let follows = |before: i64, now: i64, count: i64| match (before, now) {
            (-1, -1) => true,
            (-1, _) | (_, -1) => false,
            _ => before + count == now,
        };
        match runs.last_mut() {
            Some([one, other, count])
                if follows(*one, failing, *count) && follows(*other, passing, *count) =>
            {
                *count += 1;
            }
            _ => runs.push([failing, passing, 1]),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::super::super::example::lost_update;
    use super::*;

    #[test]
    fn texts_are_said_once_and_rows_are_runs() {
        let data = page_data(&lost_update(), &SourceText::default());
        assert_eq!(data.texts.iter().filter(|text| *text == "count").count(), 1);
        assert_eq!(data.rows, [[0, 0, 1], [1, -1, 1], [2, 1, 1], [-1, 2, 1], [3, 3, 2]]);
        assert_eq!(data.executions[0].flows, [[-1, 1]]);
        assert_eq!(data.executions[0].ends[0].kind, "fails");
        assert_eq!(data.executions[1].ends[0].kind, "fine");
        assert_eq!((data.files[0].name.as_str(), data.files[0].lines), ("src/count.c", 0));
        assert_eq!(data.blocks, [(0, 2)]);
    }
}
