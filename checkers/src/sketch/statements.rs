//! The lines of a sketch: its relevant steps as statements of threads, with accesses and marks.

use super::Source;
use super::ranking::{Ranked, occurrence};
use super::relevant::Step;
use super::runs::tracked;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use symx_trace::sketch::{LineAccess, Predictor, SketchLine};
use symx_trace::{CodePlace, Location, LoggedAccess, RunLog};

/// Statements that a sketch has at least where no execution passes, if the slice has as many. With four, the
/// sketches of Kasikci's programs are most accurate (section 6.2.4).
const FEWEST: usize = 4;

/// A line of a source file.
type Statement = (String, u32);

/// The rows from which statements are chosen.
pub(super) struct Statements<'a> {
    /// The failing execution shown.
    pub run: &'a RunLog,
    /// The slice.
    pub slice: &'a BTreeMap<CodePlace, u32>,
    /// Where instructions are.
    pub source: &'a dyn Source,
    /// The predictors named.
    pub best: &'a [Ranked],
    /// Whether an execution passes.
    pub has_passing: bool,
}

/// When a thread is at a statement.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    time: u64,
    thread: u32,
    statement: Statement,
}

impl Statements<'_> {
    fn statement(&self, place: CodePlace) -> Option<Statement> {
        let location = self.source.location(place);
        (location.line != 0).then_some((location.file, location.line))
    }

    /// How many statements the slice has.
    pub fn whole(&self) -> usize {
        self.distances().len()
    }

    fn distances(&self) -> BTreeMap<Statement, u32> {
        let mut distances: BTreeMap<Statement, u32> = BTreeMap::new();
        for (place, distance) in self.slice {
            let Some(statement) = self.statement(*place) else { continue };
            let known = distances.entry(statement).or_insert(*distance);
            *known = (*known).min(*distance);
        }
        distances
    }

    /// When the statement was executed last.
    fn last_visits(&self) -> BTreeMap<Statement, u64> {
        let mut last: BTreeMap<Statement, u64> = BTreeMap::new();
        for ((_, place), visits) in &self.run.visits {
            let Some(statement) = self.statement(*place) else { continue };
            let known = last.entry(statement).or_default();
            *known = (*known).max(visits.last);
        }
        last
    }

    /// The statements nearest to the failure, as many as contain those of the best predictor that the slice
    /// has.
    fn portion(&self) -> BTreeSet<Statement> {
        let last = self.last_visits();
        let mut ordered: Vec<(Statement, u32)> =
            self.distances().into_iter().filter(|(statement, _)| last.contains_key(statement)).collect();
        ordered.sort_by_key(|(statement, distance)| (*distance, Reverse(last[statement])));
        let places = self.best.first().map_or_else(Vec::new, |best| best.predictor.places());
        let needed: BTreeSet<Statement> = places.iter().filter_map(|place| self.statement(*place)).collect();
        let enough = ordered.iter().rposition(|(statement, _)| needed.contains(statement)).unwrap_or(0);
        ordered.into_iter().take(FEWEST.max(enough + 1)).map(|(statement, _)| statement).collect()
    }

    /// The lines of these steps, in their order.
    pub fn lines(&self, steps: &[Step]) -> Vec<SketchLine> {
        let mut rows: BTreeSet<Row> =
            steps.iter().filter_map(|step| self.row(step.time, step.thread, step.place)).collect();
        if !self.has_passing {
            // Nothing tells what matters; what is nearest matters most.
            let portion = self.portion();
            rows.retain(|row| portion.contains(&row.statement));
        }
        let marked = self.marked();
        self.keep_last(&mut rows);
        let is_marked = |row: &Row| {
            marked.iter().any(|(_, other)| (other.thread, &other.statement) == (row.thread, &row.statement))
        };
        rows.retain(|row| !is_marked(row));
        rows.extend(marked.iter().map(|(_, row)| row.clone()));
        let statements: BTreeSet<&Statement> = rows.iter().map(|row| &row.statement).collect();
        let is_shown = |place: CodePlace| self.statement(place).is_some_and(|it| statements.contains(&it));
        let shown = self.run.accesses.iter().filter(|access| is_shown(access.place));
        let shown: BTreeMap<CodePlace, u32> = shown.map(|access| (access.place, 0)).collect();
        let accesses: Vec<&LoggedAccess> = tracked(self.run, self.slice);
        let accesses: Vec<&LoggedAccess> =
            accesses.into_iter().filter(|access| shown.contains_key(&access.place)).collect();
        let ends: BTreeSet<(u32, Statement)> = self.ends();
        let rows = joined(rows);
        let of_end = |at: usize| {
            let same = |row: &&Row| (row.thread, &row.statement) == (rows[at].thread, &rows[at].statement);
            !rows[at + 1..].iter().any(|row| same(&row))
                && ends.contains(&(rows[at].thread, rows[at].statement.clone()))
        };
        let lines = rows.iter().enumerate().map(|(at, row)| {
            let since = at.checked_sub(1).map_or(0, |before| rows[before].time);
            let until = rows[at + 1..].first().map_or(u64::MAX, |next| next.time);
            self.line(row, since..until, &accesses, &marked, of_end(at))
        });
        lines.collect()
    }

    /// The steps that make the best predictor hold.
    pub fn of_best(&self) -> Vec<Step> {
        let best = self.best.first().map(|best| &best.predictor);
        let mut times = best.and_then(|best| occurrence(self.run, self.slice, best)).unwrap_or_default();
        times.sort_unstable();
        let of_time = |access: &&LoggedAccess| times.binary_search(&access.time).is_ok();
        let accesses = self.run.accesses.iter().filter(of_time);
        let mut steps: Vec<Step> = accesses
            .map(|access| Step { time: access.time, thread: access.thread, place: access.place })
            .collect();
        if let Some(Predictor::Branch { place, .. }) = best {
            let visits = self.run.visits.iter().filter(|((_, at), _)| at == place);
            let last = visits.max_by_key(|(_, visits)| visits.last);
            steps.extend(last.map(|((thread, _), visits)| Step {
                time: visits.last,
                thread: *thread,
                place: *place,
            }));
        }
        steps
    }

    fn row(&self, time: u64, thread: u32, place: CodePlace) -> Option<Row> {
        Some(Row { time, thread, statement: self.statement(place)? })
    }

    /// Of each thread's visits to a statement, the last.
    fn keep_last(&self, rows: &mut BTreeSet<Row>) {
        let mut seen: BTreeSet<(u32, Statement)> = BTreeSet::new();
        let latest = std::mem::take(rows).into_iter().rev();
        rows.extend(latest.filter(|row| seen.insert((row.thread, row.statement.clone()))));
    }

    fn ends(&self) -> BTreeSet<(u32, Statement)> {
        let ends = self.run.ends_at.iter();
        ends.filter_map(|(thread, place)| Some((*thread, self.statement(*place)?))).collect()
    }

    /// The rows that make the predictors hold, each with the predictor's number.
    fn marked(&self) -> Vec<(u32, Row)> {
        let mut marked = Vec::new();
        for (ranked, number) in self.best.iter().zip(0..) {
            let times = occurrence(self.run, self.slice, &ranked.predictor).unwrap_or_default();
            for time in times {
                let access = self.run.accesses.iter().find(|access| access.time == time);
                let row = access.and_then(|access| self.row(time, access.thread, access.place));
                marked.extend(row.map(|row| (number, row)));
            }
            if let Predictor::Branch { place, .. } = ranked.predictor {
                let visits = self.run.visits.iter().filter(|((_, at), _)| *at == place);
                let last = visits.max_by_key(|(_, visits)| visits.last);
                let row = last.and_then(|((thread, _), visits)| self.row(visits.last, *thread, place));
                marked.extend(row.map(|row| (number, row)));
            }
        }
        marked
    }

    fn line(
        &self,
        row: &Row,
        span: Range<u64>,
        tracked: &[&LoggedAccess],
        marked: &[(u32, Row)],
        fails: bool,
    ) -> SketchLine {
        let is_here = |thread: u32, place: CodePlace| {
            thread == row.thread && self.statement(place).as_ref() == Some(&row.statement)
        };
        let visits = self.run.visits.iter().filter(|((thread, place), _)| is_here(*thread, *place));
        let visits = visits.map(|(_, visits)| visits.count).max().unwrap_or(1);
        // A row represents what the thread does there between the rows before and after it: of each
        // instruction the last access.
        let is_of_row = |access: &&LoggedAccess| {
            is_here(access.thread, access.place) && access.time > span.start && access.time < span.end
        };
        let mut here: Vec<&LoggedAccess> = Vec::new();
        for access in tracked.iter().copied().filter(is_of_row) {
            here.retain(|other| other.place != access.place);
            here.push(access);
        }
        let mut shown: Vec<LineAccess> = Vec::new();
        for access in here {
            let line_access = LineAccess {
                mode: access.mode,
                object: self.run.object(access).to_owned(),
                value: self.run.shown(access).unwrap_or_default(),
                call: access.call.clone(),
            };
            if !shown.contains(&line_access) {
                shown.push(line_access);
            }
        }
        let marks = marked.iter().filter(|(_, other)| {
            (other.thread, &other.statement) == (row.thread, &row.statement)
                && other.time >= row.time
                && other.time < span.end
        });
        let marks: BTreeSet<u32> = marks.map(|(number, _)| *number).collect();
        SketchLine {
            thread: row.thread,
            location: self.location_of(row),
            visits,
            accesses: shown,
            marks: marks.into_iter().collect(),
            fails,
        }
    }

    fn location_of(&self, row: &Row) -> Location {
        let mut here = self.run.visits.keys().filter(|(thread, place)| {
            *thread == row.thread && self.statement(*place).as_ref() == Some(&row.statement)
        });
        here.next().map_or_else(Location::default, |(_, place)| self.source.location(*place))
    }

    /// The names of the threads that lines have; lines then number these.
    pub fn used_threads(&self, lines: &mut [SketchLine]) -> Vec<String> {
        let used: BTreeSet<u32> = lines.iter().map(|line| line.thread).collect();
        let used: Vec<u32> = used.into_iter().collect();
        for line in lines {
            line.thread = used.binary_search(&line.thread).unwrap_or(0) as u32;
        }
        let name =
            |thread: &u32| self.run.threads.get(*thread as usize).map_or("?".into(), |name| name.to_string());
        used.iter().map(name).collect()
    }
}

/// Rows of one thread at one statement that follow each other are one.
fn joined(rows: BTreeSet<Row>) -> Vec<Row> {
    let mut joined: Vec<Row> = Vec::new();
    for row in rows {
        let is_same = |last: &Row| (last.thread, &last.statement) == (row.thread, &row.statement);
        if !joined.last().is_some_and(is_same) {
            joined.push(row);
        }
    }
    joined
}
