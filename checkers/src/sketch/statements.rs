//! The statements of a sketch: as much of the slice as contains the best predictor, and other threads'
//! accesses to the same memory.

use super::Source;
use super::ranking::{Ranked, occurrence};
use super::runs::{shared, tracked};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use symx_trace::sketch::{LineAccess, Predictor, SketchLine};
use symx_trace::{CodePlace, Location, LoggedAccess, RunLog};

/// Statements that a sketch has at least, if the slice has as many. With four, the sketches of Kasikci's
/// programs are most accurate (section 6.2.4).
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

    /// The lines, in their order.
    pub fn lines(&self) -> Vec<SketchLine> {
        let portion = self.portion();
        let near: BTreeMap<CodePlace, u32> = self
            .slice
            .iter()
            .filter(|(place, _)| self.statement(**place).is_some_and(|it| portion.contains(&it)))
            .map(|(place, distance)| (*place, *distance))
            .collect();
        let accesses = tracked(self.run, &near);
        let marked = self.marked();
        let mut rows: BTreeSet<Row> = BTreeSet::new();
        for ((thread, place), visits) in &self.run.visits {
            if let (true, Some(statement)) = (near.contains_key(place), self.statement(*place)) {
                rows.insert(Row { time: visits.last, thread: *thread, statement });
            }
        }
        // A read that the slice does not have changes nothing for the failure.
        for access in shared(&accesses).into_iter().filter(|access| access.mode.writes()) {
            rows.extend(self.row(access.time, access.thread, access.place));
        }
        self.keep_last(&mut rows);
        let is_marked = |row: &Row| {
            marked.iter().any(|(_, other)| (other.thread, &other.statement) == (row.thread, &row.statement))
        };
        let ends: BTreeSet<(u32, Statement)> = self.ends();
        let until = self.influential(&accesses);
        rows.retain(|row| !is_marked(row) && until.get(&row.thread).is_some_and(|until| row.time <= *until));
        rows.extend(marked.iter().map(|(_, row)| row.clone()));
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

    /// By thread, until when its steps can matter. For a thread that does not fail itself, that is its last
    /// access to memory that others access, or its last creation of a thread.
    fn influential(&self, tracked: &[&LoggedAccess]) -> BTreeMap<u32, u64> {
        let mut until: BTreeMap<u32, u64> = BTreeMap::new();
        let creates = |access: &&LoggedAccess| access.end == 0;
        let creations = self.run.accesses.iter().filter(creates);
        for access in shared(tracked).into_iter().chain(creations) {
            let known = until.entry(access.thread).or_default();
            *known = (*known).max(access.time);
        }
        until.extend(self.run.ends_at.iter().map(|(thread, _)| (*thread, u64::MAX)));
        until
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
