//! The data of the walk: the events known, the execution under way, what was found and counted.

use super::Halt;
use super::choice_points::backtrack_point::Node;
use super::choice_points::plan::{Plan, PlannedChoice};
use super::choice_points::position::OpenPath;
use super::crew::{Crew, Part};
use super::graph::event::{self, Event, Location};
use super::graph::index::Index;
use super::graph::locations::{Locations, Use};
use super::graph::log::Log;
use super::graph::run::Run;
use super::graph::starts::Starts;
use super::linearisation::Linearisation;
use crate::bounds::poll_interval::Looks;
use crate::refinement::truncated::{Gathered, Unfinished};
use crate::state_graph::Patience;
use crate::{Exploration, ExploreOptions, Observer, Outcome};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::sync::Arc;
use symx_interp::caches::endings::Known;
use symx_interp::caches::transitions::Taken;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::memory::Site;
use symx_interp::state::State;
use symx_trace::{Decision, ThreadId};

pub(super) struct Walk<'w, 'm, E: Environment> {
    pub(super) executor: &'w mut Executor<'m, E>,
    pub(super) options: &'w ExploreOptions,
    pub(super) observer: &'w mut dyn Observer,
    /// The other workers, if there are any.
    pub(super) crew: Option<&'w Crew<E>>,
    /// Whether what all executions touch is noted, for others to compare.
    pub(super) gathers: bool,
    /// How many choice points, outermost first, have alternatives that others explore.
    pub(super) shared: usize,
    pub(super) looks: Looks,
    /// When it is asked whether threads come round, if that matters.
    pub(super) patience: Option<Patience>,
    pub(super) found: Findings,
    pub(super) graph: EventGraph<E>,
    pub(super) path: Path<E>,
    pub(super) counts: ExecutionCounts,
    pub(super) creations: Creations,
    pub(super) linearisation: Linearisation,
    pub(super) deferred: Deferred,
    pub(super) choosing: Choosing,
    /// Whether a thread has turned out to be late.
    pub(super) is_late: bool,
    /// How many kinds of identical threads were known to be distinguished when the walk began.
    pub(super) distinguished: usize,
}

/// The results of the walk.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) result: Exploration,
    /// Sites found to be shared.
    pub(super) discovered: FxHashSet<Site>,
    pub(super) unfinished: Unfinished,
    /// Filled where there are other workers.
    pub(super) gathered: Gathered,
}

/// The events known, and what they touch.
pub(super) struct EventGraph<E: Environment> {
    pub(super) locations: Locations,
    /// The events, each after those it depends on. The nodes' bases are prefixes.
    pub(super) events: Vec<Event>,
    pub(super) threads: Vec<Log>,
    /// The results of their steps, as far as they are known.
    pub(super) taken: Taken<E>,
    /// By location, the events that write there.
    pub(super) writes: Vec<Vec<Index>>,
    /// Whether any of these commutes with others, or has done so on a path before.
    pub(super) has_commuting: bool,
    /// Events with which objects come to the end of their lives.
    pub(super) life_ends: Vec<Index>,
    /// By location, what a read would observe now.
    pub(super) last: Vec<Index>,
    /// What was in memory when phases began.
    pub(super) starts: Starts,
    /// By location, what it is used for.
    pub(super) use_of: Vec<Option<Use>>,
    /// Numbers of events known when a thread that was alone began to create threads again.
    pub(super) phases: Vec<usize>,
}

impl<E: Environment> Default for EventGraph<E> {
    fn default() -> Self {
        Self {
            locations: Locations::default(),
            events: Vec::new(),
            threads: Vec::new(),
            taken: Taken::default(),
            writes: Vec::new(),
            has_commuting: false,
            life_ends: Vec::new(),
            last: Vec::new(),
            starts: Starts::default(),
            use_of: Vec::new(),
            phases: Vec::new(),
        }
    }
}

impl<E: Environment> EventGraph<E> {
    /// The present phase, by the number of events before it.
    pub(super) fn phase(&self) -> usize {
        self.phases.last().copied().unwrap_or(0)
    }

    /// A thread that was alone has begun to create others. Where it was that with no event since the last
    /// time, what was there then is forgotten.
    pub(super) fn begin_phase(&mut self) {
        self.starts.forget_from(self.events.len());
        self.phases.push(self.events.len());
    }

    /// Forgets phases that begin after the first `length` events.
    pub(super) fn forget_phases(&mut self, length: usize) {
        let kept = self.phases.partition_point(|phase| *phase < length);
        if kept < self.phases.len() {
            self.phases.truncate(kept);
            self.starts.forget_from(length.max(1));
        }
    }
}

/// The execution under way, and the backtrack points on it.
pub(super) struct Path<E: Environment> {
    pub(super) run: Run<E>,
    pub(super) nodes: Vec<Node>,
    pub(super) decisions: Vec<Decision>,
    /// Where the run has led to, between executions: the last step is taken back from there.
    pub(super) reached: Option<State<E>>,
    /// The end to which threads came together last.
    pub(super) last_end: Option<LastEnd<E>>,
}

impl<E: Environment> Path<E> {
    /// Before the first step, these decisions having led there.
    pub(super) fn after(decisions: &[Decision]) -> Self {
        Self {
            run: Run::default(),
            nodes: Vec::new(),
            decisions: decisions.to_vec(),
            reached: None,
            last_end: None,
        }
    }
}

/// The end of the process that threads came to together last.
pub(super) struct LastEnd<E: Environment> {
    pub(super) known: Arc<Known<E>>,
    /// The locations that they touch on the way, as the walk numbers them, and whether they are changed.
    pub(super) touched: SmallVec<[(Location, bool); 8]>,
    /// The bits of these locations.
    pub(super) mask: u64,
    /// The outcome of the execution, if there is nothing else to report of another one that ends so.
    pub(super) outcome: Option<Outcome>,
}

/// The choice of the step under way.
#[derive(Debug, Default)]
pub(super) struct Choosing {
    /// The choices of the plan that is followed.
    pub(super) planned: Vec<PlannedChoice>,
    /// The choice of a step that is an event if it has alternatives. Other steps have none.
    pub(super) wanted: Option<u32>,
    pub(super) taken: Option<event::Taken>,
    /// Whether any event ever took one.
    pub(super) has_taken: bool,
}

impl Choosing {
    /// Nothing is planned any more.
    pub(super) fn clear_plan(&mut self) {
        self.planned.clear();
    }

    pub(super) fn follow(&mut self, plan: &Plan) {
        self.planned.clear();
        self.planned.extend_from_slice(&plan.choices);
    }
}

/// Threads that would only come to wait, each with the place it looks at and the last write there.
pub(super) type Deferred = SmallVec<[(ThreadId, Location, Index); 4]>;

/// The threads that create others.
#[derive(Default)]
pub(super) struct Creations {
    /// The first thread that creates threads.
    pub(super) creator: Option<ThreadId>,
    /// Whether there is a thread whose [number](symx_interp::step::numbers) depends on which thread
    /// creates others first.
    pub(super) has_unnumbered: bool,
}

/// Which executions are counted, here and by other workers and earlier processes.
pub(super) struct ExecutionCounts {
    /// Executions that the crew knows of.
    pub(super) reported: u64,
    /// Whether no execution is under way: the last one was explored to its end, or none was begun.
    pub(super) is_explored: bool,
    /// Ends that the present execution has had, of threads that failed for one, and how many of them are
    /// counted. An earlier process may have counted them, which was ended before it had explored the
    /// execution.
    pub(super) ends: usize,
    pub(super) counted: usize,
    /// Whether executions of an earlier process are gone through again.
    pub(super) is_repeating: bool,
    /// Executions of earlier processes.
    pub(super) executed_before: u64,
    /// The path of an earlier process that there was no time for.
    pub(super) untouched: Option<OpenPath>,
}

impl Default for ExecutionCounts {
    fn default() -> Self {
        Self {
            reported: 0,
            is_explored: true,
            ends: 0,
            counted: 0,
            is_repeating: false,
            executed_before: 0,
            untouched: None,
        }
    }
}

impl<'w, 'm, E: Environment> Walk<'w, 'm, E> {
    pub(super) fn new(
        executor: &'w mut Executor<'m, E>,
        options: &'w ExploreOptions,
        observer: &'w mut dyn Observer,
        crew: Option<&'w Crew<E>>,
    ) -> Self {
        let distinguished = executor.learned.distinguished.len();
        let looks = Looks::every(observer.steps_between());
        Self {
            executor,
            options,
            observer,
            crew,
            gathers: crew.is_some(),
            shared: 0,
            looks,
            patience: None,
            found: Findings::default(),
            graph: EventGraph::default(),
            path: Path::after(&[]),
            counts: ExecutionCounts::default(),
            creations: Creations::default(),
            linearisation: Linearisation::default(),
            deferred: Deferred::new(),
            choosing: Choosing::default(),
            is_late: false,
            distinguished,
        }
    }

    /// Forgets all paths.
    pub(super) fn clear(&mut self, decisions: &[Decision]) {
        self.graph = EventGraph::default();
        self.path = Path::after(decisions);
        self.creations.creator = None;
        self.counts.is_explored = false;
        (self.counts.ends, self.counts.counted) = (0, 0);
    }

    pub(super) fn into_part(mut self, halt: Option<Halt>) -> Part {
        self.tell_count(true);
        let executed = self.executed();
        let open = self.counts.untouched.take().or_else(|| self.open_path());
        let gathered = self.found.gathered.with(self.found.unfinished);
        let learned = self.executor.learned.clone();
        Part {
            result: self.found.result,
            discovered: self.found.discovered,
            learned,
            halt,
            gathered,
            paths: open.into_iter().collect(),
            executed,
        }
    }
}
