//! Following recorded paths: a thread may only go where its native counterpart went (CLAP section 3).
//!
//! A [`Guide`] is built from a [`Profile`]; each thread of a state has a [`Cursor`] into its own record.
//! Whenever a thread enters a recorded function, takes an edge or returns, the guide compares. A state in
//! which a thread leaves its record is pruned ([`Stop::OffPath`]).

use crate::paths::edge_sequence::{EdgeSequence, RouteEdge};
use crate::paths::limits::MOST_ROUNDS;
use crate::paths::numberings::Numberings;
use crate::paths::passages::Passages;
use crate::state::State;
use crate::stop::Stop;
use crate::threads::guide_cursor::{Cursor, Level};
use crate::threads::kept::Kept;
use crate::threads::thread::Identity;
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};
use symx_expr::StopToken;
use symx_ir::Program;
use symx_ir::path_numbering::Edge;
use symx_ir::program::LinkedFunction;
use symx_trace::failure::checks::Natively;
use symx_trace::profile::{
    ActivationEnd, ActivationId, ActivationWalk, CallTree, DecodeError, ProcessEnd, Profile, ProfileError,
    ProgramHash, RecordEnd, RecordedEdge, Stamp, WalkError,
};
use symx_trace::{Failure, FailureDetail, ThreadId, ThreadName};

/// Why a profile cannot guide a program.
#[derive(Debug, thiserror::Error)]
pub enum GuideError {
    /// It was recorded from another program.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// A thread's log contradicts itself.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// A path number that the program does not have.
    #[error("thread {thread}: {source}")]
    Walk {
        /// The thread.
        thread: String,
        /// The error.
        source: WalkError,
    },
}

/// The recorded paths of a native run.
#[derive(Debug)]
pub struct Guide {
    threads: FxHashMap<String, Record>,
    end: ProcessEnd,
    /// Whether the file that held the profile ends too early.
    is_cut_off: bool,
    numberings: Numberings,
}

/// One thread's record.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) tree: CallTree,
    routes: Vec<OnceLock<Arc<Route>>>,
    /// The stamps of its timed external calls, in order.
    calls: Vec<u64>,
    started: u64,
    /// Whether its beginning is lost, so that it is unknown where in it the thread is.
    pub(super) is_late: bool,
    /// Whether the thread is the one that failed.
    fails: bool,
}

/// The edges one activation took.
#[derive(Debug)]
pub(super) struct Route {
    pub(super) steps: EdgeSequence,
    /// How many of them were taken for certain.
    certain: usize,
    /// From here on they may be taken any number of times: the record ends in a loop whose rounds it does not
    /// count.
    round: Option<usize>,
    /// Whether the activation returned; else the record ends with it.
    pub(super) returned: bool,
    /// Whether anything may follow: recording stopped early, or control came back in ways the walk does not
    /// record.
    open_ended: bool,
    /// Its index, if it was asked for.
    pub(super) passages: OnceLock<Passages>,
}

/// Whether a thread that is about to call a function has its place by the last stamp that it has come to.
/// Else it is by the next.
fn has_own_place(function: &str) -> bool {
    Stamp::of(function) != Stamp::No
}

impl Guide {
    /// A guide along `profile` for a program, unless decoding is ended from outside.
    pub fn new(profile: &Profile, program: &Program, stop: &StopToken) -> Result<Self, GuideError> {
        profile.check_program(ProgramHash(program.hash))?;
        let numberings = Numberings::new(program, profile.process.path_limit);
        let mut threads = FxHashMap::default();
        for thread in &profile.threads {
            let tree = thread.decode_until(stop)?;
            let mut calls: Vec<u64> = (0..tree.len() as u32)
                .flat_map(|id| tree.activation(ActivationId(id)).timed.iter().copied())
                .collect();
            calls.sort_unstable();
            let routes = (0..tree.len()).map(|_| OnceLock::new()).collect();
            let is_late = thread.lost_units > 0;
            let fails = matches!(&profile.process.end, ProcessEnd::Signalled { thread: Some(name), .. }
                if *name == thread.name);
            let record = Record { tree, routes, calls, started: thread.started, is_late, fails };
            threads.insert(thread.name.clone(), record);
        }
        let end = profile.process.end.clone();
        Ok(Self { threads, end, is_cut_off: profile.is_truncated, numberings })
    }

    /// A thread's record.
    pub(super) fn record(&self, name: &ThreadName) -> Option<&Record> {
        self.threads.get(&name.to_string())
    }

    /// A cursor at the start of a thread's record.
    pub(crate) fn cursor(&self, name: &ThreadName) -> Cursor {
        // A thread without a record had done nothing when the process ended.
        let record = self.threads.get(&name.to_string());
        let free = record.is_some_and(|record| record.is_late);
        Cursor { finished: record.is_none(), free, ..Cursor::default() }
    }

    /// Whether the end of the profile is missing, and with it threads, or what they did.
    pub fn is_cut_off(&self) -> bool {
        self.is_cut_off
    }

    /// When, in clock ticks of the recorded run, a thread's next operation was done at the latest: the order
    /// to try first. Each timed call (`pending` is the function called) has its own stamp: of when its wait
    /// was over, or else of when it began. A call that lets others go on has none and follows the call before
    /// at once. All else was done before the next stamp.
    pub fn next_call(&self, name: &ThreadName, cursor: &Cursor, pending: Option<&str>) -> u64 {
        let Some(record) = self.threads.get(&name.to_string()) else { return u64::MAX };
        if cursor.roots == 0 && cursor.calls == 0 {
            return record.started;
        }
        if record.is_late {
            return u64::MAX;
        }
        let begun = u32::from(pending.is_some_and(has_own_place));
        record.calls.get(cursor.calls.saturating_sub(begun) as usize).copied().unwrap_or(u64::MAX)
    }

    /// The stamp of the last call that a thread has made, if its next operation has none.
    pub fn last_call(&self, name: &ThreadName, cursor: &Cursor, pending: Option<&str>) -> Option<u64> {
        let record = self.threads.get(&name.to_string())?;
        if pending.is_some_and(has_own_place) {
            return None;
        }
        let last = cursor.calls.checked_sub(1);
        last.map_or(Some(record.started), |last| record.calls.get(last as usize).copied())
    }

    /// The threads whose record has lost its beginning, in order of name: they may go anywhere.
    pub fn unfollowed(&self) -> Vec<&str> {
        let late = self.threads.iter().filter(|(_, record)| record.is_late);
        let mut names: Vec<&str> = late.map(|(name, _)| name.as_str()).collect();
        names.sort_by(|a, b| symx_trace::profile::creation_order(a, b));
        names
    }

    pub(super) fn is_recorded(&self, function: &LinkedFunction) -> bool {
        self.numberings.of(function).is_some()
    }

    /// A thread enters a function.
    pub(crate) fn enter<E: Kept>(
        &self,
        state: &mut State<E>,
        thread: ThreadId,
        function: &LinkedFunction,
    ) -> Result<(), Stop> {
        if !self.is_recorded(function) {
            return Ok(());
        }
        self.with_cursor(state, thread, |record, cursor| {
            let next = match cursor.levels.last() {
                None => record.tree.roots().get(cursor.roots as usize),
                Some(level) => record.tree.activation(level.activation).calls.get(level.calls as usize),
            };
            let Some(&activation) = next else {
                cursor.finished = true;
                return Err(Stop::OffPath);
            };
            if record.tree.activation(activation).function != function.module_index {
                return Err(Stop::OffPath);
            }
            match cursor.levels.back_mut() {
                None => cursor.roots += 1,
                Some(level) => level.calls += 1,
            }
            cursor.levels.push_back(Level { activation, position: 0, calls: 0 });
            Ok(())
        })
    }

    /// A thread takes a control-flow edge.
    #[inline]
    pub(crate) fn follow<E: Kept>(
        &self,
        state: &mut State<E>,
        thread: ThreadId,
        function: &LinkedFunction,
        edge: u32,
    ) -> Result<(), Stop> {
        if !self.is_recorded(function) {
            return Ok(());
        }
        let block = function.block_of_edge(edge);
        let successor = edge - function.blocks[block as usize].first_edge;
        self.with_cursor(state, thread, |record, cursor| {
            let Some(level) = cursor.levels.back_mut() else { return Err(Stop::OffPath) };
            let route = self.route(record, level.activation);
            if let Some(begin) = route.round {
                let length = route.steps.len() - begin;
                let mut position = level.position as usize;
                if record.fails && position == route.steps.len() {
                    position = begin;
                }
                let index = if position < begin { position } else { begin + (position - begin) % length };
                let may_go_on = record.fails || position < begin + length * MOST_ROUNDS;
                if may_go_on && route.steps.get(index) == Some(RouteEdge { block, successor }) {
                    level.position = position as u32 + 1;
                    return Ok(());
                }
                // An edge that leaves the loop is logged at once, so the thread had not left it.
                cursor.finished = position >= begin;
                return Err(Stop::OffPath);
            }
            match route.steps.get(level.position as usize) {
                Some(expected) if expected == (RouteEdge { block, successor }) => {
                    level.position += 1;
                    Ok(())
                }
                Some(_) => Err(Stop::OffPath),
                None if route.open_ended => {
                    cursor.free = true;
                    Ok(())
                }
                None => {
                    cursor.finished = true;
                    Err(Stop::OffPath)
                }
            }
        })
    }

    /// A thread returns from a function.
    pub(crate) fn leave<E: Kept>(
        &self,
        state: &mut State<E>,
        thread: ThreadId,
        function: &LinkedFunction,
    ) -> Result<(), Stop> {
        if !self.is_recorded(function) {
            return Ok(());
        }
        self.with_cursor(state, thread, |record, cursor| {
            let Some(level) = cursor.levels.pop_back() else { return Err(Stop::OffPath) };
            let route = self.route(record, level.activation);
            if route.open_ended {
                cursor.free = true;
                return Ok(());
            }
            let complete = level.position as usize == route.steps.len();
            if !route.returned {
                cursor.finished = true;
            }
            if route.returned && complete { Ok(()) } else { Err(Stop::OffPath) }
        })
    }

    /// A thread leaves a function without returning (`longjmp`, `pthread_exit`).
    pub(crate) fn abandon<E: Kept>(&self, state: &mut State<E>, thread: ThreadId, function: &LinkedFunction) {
        if self.is_recorded(function)
            && let Some(cursor) = &mut state.thread_mut(thread).guide
            && cursor.is_compared()
        {
            cursor.levels.pop_back();
        }
    }

    /// A thread calls an external function from recorded code.
    pub(crate) fn call<E: Kept>(&self, state: &mut State<E>, thread: ThreadId, name: &str) {
        if Stamp::of(name).is_timed()
            && let Some(cursor) = &mut state.thread_mut(thread).guide
            && cursor.handlers.is_empty()
        {
            cursor.calls += 1;
        }
    }

    fn with_cursor<E: Kept>(
        &self,
        state: &mut State<E>,
        thread: ThreadId,
        compare: impl FnOnce(&Record, &mut Cursor) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let Identity { guide, name, .. } = &mut **state.thread_mut(thread);
        let Some(cursor) = guide else { return Ok(()) };
        if !cursor.is_compared() {
            return Ok(());
        }
        match self.threads.get(&name.to_string()) {
            Some(record) => {
                let compared = compare(record, cursor);
                cursor.has_left = compared.is_err() && !cursor.finished;
                compared
            }
            None => {
                cursor.finished = true;
                Err(Stop::OffPath)
            }
        }
    }

    pub(super) fn route<'r>(&self, record: &'r Record, id: ActivationId) -> &'r Route {
        record.routes[id.0 as usize].get_or_init(|| {
            let activation = record.tree.activation(id);
            let mut route = Route {
                steps: EdgeSequence::default(),
                certain: 0,
                round: None,
                returned: false,
                open_ended: false,
                passages: OnceLock::new(),
            };
            let Some(numbering) = self.numberings.at(activation.function) else {
                route.open_ended = true;
                return Arc::new(route);
            };
            let mut walk = ActivationWalk::new(numbering, activation);
            loop {
                match walk.next_edge() {
                    Ok(RecordedEdge::Taken(Edge { block, successor })) => {
                        route.steps.push(RouteEdge { block, successor });
                        if let Some((edges, times)) = walk.skip_rounds() {
                            route.steps.repeat(edges, times as usize);
                        }
                        route.certain = route.steps.len();
                    }
                    Ok(RecordedEdge::Possible(Edge { block, successor })) => {
                        route.steps.push(RouteEdge { block, successor });
                    }
                    Ok(RecordedEdge::Left { .. }) => {
                        route.returned = activation.end == ActivationEnd::Returned;
                        break;
                    }
                    Ok(RecordedEdge::EndOfRecord { recorded_to_the_end }) => {
                        route.open_ended = !recorded_to_the_end;
                        let rounds = walk.rounds().len();
                        route.round = (rounds > 0).then(|| route.steps.len() - rounds);
                        break;
                    }
                    // After a jump back the walk's certainty is not this guide's: stop comparing there.
                    Ok(RecordedEdge::JumpedBack { .. }) | Err(_) => {
                        route.open_ended = true;
                        break;
                    }
                }
            }
            Arc::new(route)
        })
    }

    /// Checks that every recorded path number exists in the program.
    pub fn verify(&self) -> Result<(), GuideError> {
        for (name, record) in &self.threads {
            for id in 0..record.tree.len() as u32 {
                let activation = record.tree.activation(ActivationId(id));
                let Some(numbering) = self.numberings.at(activation.function) else {
                    continue;
                };
                let mut walk = ActivationWalk::once_each(numbering, activation);
                loop {
                    let step = walk
                        .next_edge()
                        .map_err(|source| GuideError::Walk { thread: name.clone(), source })?;
                    if matches!(step, RecordedEdge::Left { .. } | RecordedEdge::EndOfRecord { .. }) {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether `failure` in `state` is how the recorded run ended: the same thread failed in the same way, at
    /// the end of its record.
    pub fn accepts<E: Kept>(&self, state: &State<E>, failure: &Failure) -> bool {
        let natively = failure.kind.check().natively;
        let kind = match &self.end {
            // Another process may have ended one that hung.
            ProcessEnd::Signalled { thread: None, .. } if natively == Natively::Hangs => true,
            ProcessEnd::Signalled { signal: 6, .. } => {
                natively == Natively::Aborts || failure.detail == FailureDetail::DoubleFree
            }
            ProcessEnd::Signalled { signal: 7 | 11, .. } => natively == Natively::Faults,
            ProcessEnd::Signalled { signal: 8, .. } => natively == Natively::Miscalculates,
            ProcessEnd::Signalled { .. } | ProcessEnd::Unknown => true,
            ProcessEnd::TimedOut => natively == Natively::Hangs,
            ProcessEnd::Exited(_) => true,
        };
        let thread = match &self.end {
            ProcessEnd::Signalled { thread: Some(thread), .. } => *thread == failure.thread.to_string(),
            _ => true,
        };
        let at_end = state
            .threads
            .iter()
            .find(|thread| thread.name == failure.thread)
            .and_then(|thread| Some((thread.guide.as_ref()?, self.threads.get(&thread.name.to_string())?)))
            .is_none_or(|(cursor, record)| self.at_end(record, cursor));
        kind && thread && (at_end || !matches!(self.end, ProcessEnd::Signalled { .. }))
    }

    /// Whether a thread has gone all of its recorded path that is certain.
    pub fn is_followed(&self, thread: &ThreadName, cursor: &Cursor) -> bool {
        let Some(record) = self.threads.get(&thread.to_string()) else { return true };
        let is_over = cursor.calls as usize >= record.calls.len() && self.at_end(record, cursor);
        cursor.finished || cursor.free || is_over
    }

    /// Whether a thread's record says that it has come from one position to the other. It does if the thread
    /// took an edge, or was about to make a call. Edges that are only possible say nothing.
    pub fn has_gone_on(&self, thread: &ThreadName, before: &Cursor, now: &Cursor) -> bool {
        let Some(record) = self.threads.get(&thread.to_string()) else { return false };
        let is_certain = |level: &Level| {
            let route = self.route(record, level.activation);
            level.position as usize <= route.certain
        };
        let has_called = now.calls > before.calls && now.calls as usize <= record.calls.len();
        let has_entered = now.roots > before.roots || now.levels.len() > before.levels.len();
        let has_returned = now.levels.len() < before.levels.len();
        let has_moved = match (before.levels.last(), now.levels.last()) {
            (Some(before), Some(now)) => {
                now != before
                    && (now.calls > before.calls || now.position > before.position && is_certain(now))
            }
            _ => false,
        };
        has_called || has_entered || has_returned || has_moved
    }

    /// Whether the next edge that a thread's record has is one that it may not have taken.
    pub fn is_uncertain(&self, thread: &ThreadName, cursor: &Cursor) -> bool {
        let record = self.threads.get(&thread.to_string());
        let Some((record, level)) = record.zip(cursor.levels.last()) else { return false };
        level.position as usize >= self.route(record, level.activation).certain
    }

    /// Whether a thread is about to make a call that it had not begun when the process ended.
    pub fn is_beyond_calls(&self, thread: &ThreadName, cursor: &Cursor) -> bool {
        let record = self.threads.get(&thread.to_string());
        record.is_some_and(|record| {
            record.tree.end == RecordEnd::ProcessEnded
                && !record.is_late
                && cursor.calls as usize > record.calls.len()
        })
    }

    /// Whether something else than its threads ended the recorded run, as far as is known.
    pub fn may_have_hung(&self) -> bool {
        use ProcessEnd::{Signalled, TimedOut, Unknown};
        matches!(self.end, TimedOut | Unknown | Signalled { thread: None, .. })
    }

    /// The thread that failed, if that is known.
    pub fn failing_thread(&self) -> Option<&str> {
        match &self.end {
            ProcessEnd::Signalled { thread, .. } => thread.as_deref(),
            _ => None,
        }
    }

    /// Whether a cursor stands at the end of its record. No activation in progress then has recorded edges or
    /// calls left that are certain to have followed.
    fn at_end(&self, record: &Record, cursor: &Cursor) -> bool {
        let stopped = record.tree.end == RecordEnd::Stopped;
        stopped
            || cursor.free
            || cursor.levels.iter().all(|level| {
                let activation = record.tree.activation(level.activation);
                !matches!(activation.end, ActivationEnd::Returned)
                    && level.calls as usize >= activation.calls.len()
            })
    }
}
