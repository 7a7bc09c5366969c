//! The workers at one walk: what they have to do, and what came of it.

use super::Halt;
use super::choice_points::backtrack_point::Node;
use super::choice_points::plan::Plan;
use super::choice_points::position::{OpenPath, Position};
use super::graph::event::Event;
use super::graph::index::Index;
use super::graph::locations::{Locations, Use};
use super::graph::log::Log;
use super::graph::run::Run;
use super::graph::starts::Starts;
use crate::Exploration;
use crate::refinement::truncated::Gathered;
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use symx_interp::Learned;
use symx_interp::environment::Environment;
use symx_interp::memory::Site;
use symx_interp::state::State;
use symx_trace::{Decision, ThreadId};

/// The workers at one walk.
pub(super) struct Crew<E: Environment> {
    /// How many workers wait for something to do and are not about to get it.
    pub(super) hungry: AtomicUsize,
    /// Whether the walk is at an end.
    ended: AtomicBool,
    /// Executions of all workers, as far as they have reported them.
    pub(super) executions: AtomicU64,
    tasks: Mutex<Tasks<E>>,
    arrived: Condvar,
}

struct Tasks<E: Environment> {
    waiting: Vec<Task<E>>,
    idle: usize,
    /// How many workers there are, or will be.
    workers: usize,
}

/// Something to do.
pub(super) enum Task<E: Environment> {
    /// To continue with an alternative.
    Alternative(Box<Alternative<E>>),
    /// To continue along a path of an earlier process.
    Path(OpenPath),
}

/// An alternative with the path to it: what a walk knows of the present execution, and the plan for
/// the last choice point.
pub(super) struct Alternative<E: Environment> {
    pub(super) locations: Locations,
    pub(super) events: Vec<Event>,
    pub(super) threads: Vec<Log>,
    pub(super) writes: Vec<Vec<Index>>,
    pub(super) life_ends: Vec<Index>,
    pub(super) last: Vec<Index>,
    pub(super) starts: Starts,
    pub(super) use_of: Vec<Option<Use>>,
    pub(super) run: Run<E>,
    pub(super) reached: Option<State<E>>,
    pub(super) nodes: Vec<Node>,
    pub(super) decisions: Vec<Decision>,
    pub(super) phases: Vec<usize>,
    pub(super) creator: Option<ThreadId>,
    pub(super) plan: Plan,
}

/// The result of a walk, or of one worker's part.
pub(super) struct Part {
    pub result: Exploration,
    pub discovered: FxHashSet<Site>,
    pub learned: Learned,
    pub halt: Option<Halt>,
    /// Of one of several workers.
    pub gathered: Gathered,
    /// The rest to be explored if the walk was stopped.
    pub paths: Vec<OpenPath>,
    /// Executions so far, those of earlier processes included.
    pub executed: u64,
}

impl<E: Environment> Crew<E> {
    pub(super) fn new(workers: usize, position: Option<&Position>) -> Self {
        let paths = position.map(Position::paths).unwrap_or_default();
        Self {
            hungry: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            executions: AtomicU64::new(position.map_or(0, Position::executed)),
            tasks: Mutex::new(Tasks {
                waiting: paths.into_iter().map(Task::Path).collect(),
                idle: 0,
                workers,
            }),
            arrived: Condvar::new(),
        }
    }

    fn tasks(&self) -> MutexGuard<'_, Tasks<E>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the walk is at an end: workers leave.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    pub(super) fn end(&self) {
        let _tasks = self.tasks();
        self.ended.store(true, Ordering::Relaxed);
        self.arrived.notify_all();
    }

    /// This many workers fewer will come than there were to be.
    pub(super) fn lack(&self, workers: usize) {
        self.tasks().workers -= workers;
        self.arrived.notify_all();
    }

    /// Waits for something to do; `None` if there will be nothing.
    pub(super) fn next(&self) -> Option<Task<E>> {
        let mut tasks = self.tasks();
        tasks.idle += 1;
        loop {
            let task = if self.has_ended() { None } else { tasks.waiting.pop() };
            if task.is_some() {
                tasks.idle -= 1;
            }
            self.hungry.store(tasks.idle.saturating_sub(tasks.waiting.len()), Ordering::Relaxed);
            if task.is_some() || self.has_ended() {
                return task;
            }
            if tasks.idle == tasks.workers {
                self.ended.store(true, Ordering::Relaxed);
                self.arrived.notify_all();
                return None;
            }
            tasks = self.arrived.wait(tasks).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn give(&self, task: Task<E>) {
        let mut tasks = self.tasks();
        tasks.waiting.push(task);
        self.hungry.store(tasks.idle.saturating_sub(tasks.waiting.len()), Ordering::Relaxed);
        self.arrived.notify_one();
    }

    /// Executions of all workers, as far as they have reported them.
    pub fn executed(&self) -> u64 {
        self.executions.load(Ordering::Relaxed)
    }

    /// The tasks that no worker came to.
    pub(super) fn left(self) -> Vec<OpenPath> {
        let tasks = self.tasks.into_inner().unwrap_or_else(PoisonError::into_inner);
        let path = |task| match task {
            Task::Alternative(mut given) => OpenPath::untried(&mut given.nodes, given.plan),
            Task::Path(path) => path,
        };
        tasks.waiting.into_iter().map(path).collect()
    }
}

impl Part {
    pub(super) fn add(&mut self, other: Part) {
        self.result.absorb(other.result);
        self.discovered.extend(other.discovered);
        self.learned.add(&other.learned);
        self.discovered.extend(self.gathered.shared_with(&other.gathered));
        self.gathered.add(other.gathered);
        self.paths.extend(other.paths);
        // A program beyond one worker's walk is beyond the whole of it.
        self.halt = match (self.halt, other.halt) {
            (Some(Halt::Dismissed) | None, theirs) => theirs,
            (Some(halt @ Halt::Contradiction(_)), _) | (_, Some(halt @ Halt::Contradiction(_))) => Some(halt),
            (Some(halt @ Halt::Beyond(_)), _) | (_, Some(halt @ Halt::Beyond(_))) => Some(halt),
            (mine, None | Some(Halt::Dismissed)) => mine,
            (Some(halt @ Halt::ComesRound(_)), _) | (_, Some(halt @ Halt::ComesRound(_))) => Some(halt),
            // A walk that goes on after a stop restarts.
            (Some(Halt::Learned), _) | (_, Some(Halt::Learned)) => Some(Halt::Learned),
            (Some(Halt::Stopped), _) | (_, Some(Halt::Stopped)) => Some(Halt::Stopped),
            (mine, _) => mine,
        };
    }
}
