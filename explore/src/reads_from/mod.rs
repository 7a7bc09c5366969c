//! Exhaustive exploration of one execution per class of executions in which every read observes the same
//! write.
//!
//! Depth first, as the walk with source sets, but executions are distinguished by what reads observe instead
//! of by the order of all that conflicts. See Abdulla, Atig, Jonsson, Lång, Ngo and Sagonas, "Optimal
//! stateless model checking for reads-from equivalence under sequential consistency" (OOPSLA 2019); Bui et
//! al. for store buffers (OOPSLA 2021). A choice point is an event that observes something. Its alternatives
//! are found as later events become known ([`alternatives`](backtracking::alternatives)) and checked
//! ([`linearisation`]). They are explored when all that follows the present choice has been. Then the walk
//! goes back to the last state before the two executions part, and takes the steps of the other one from
//! there.
//!
//! Store buffers need no agents of their own here: when a store leaves its buffer is part of the order that
//! the check finds. Where no choice is left stores leave at once.
//!
//! Programs beyond this walk (symbolic forks beside other threads, accesses that overlap in part, very long
//! executions) are reported as such. Everything is explored with source sets instead.

mod backtracking;
mod choice_points;
mod commuting;
mod crew;
mod ends;
mod extension;
mod graph;
mod limits;
mod linearisation;
mod loops;
mod observe;
mod perform;
mod repeat;
mod step;
pub(super) mod subtree;
mod symmetry;
mod touches;
mod walk;
mod work_stealing;

use super::{Exploration, ExploreOptions, Found, Observer};
use crate::bounds::estimate::Done;
use crate::refinement::root::{Beyond, Help, Root, WalkPosition};
use crate::state_graph::Patience;
use crate::state_graph::rounds::{ComesRound, Standing, comes_round};
use choice_points::backtrack_point::Node;
use choice_points::plan::{Plan, PlannedStep, Why};
pub(super) use choice_points::position::Position;
use crew::{Crew, Part};
use graph::log::Log;
use graph::run::RunStep;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::memory::Site;
use symx_interp::state::State;
use symx_trace::ThreadId;
use walk::{EventGraph, Path, Walk};
use work_stealing::explore_together;

/// Beyond the walk: programs where the numbers of threads depend on which thread creates its threads first.
const SEVERAL_CREATORS: &str = "several threads that create threads";

/// Where a walk starts.
#[derive(Clone, Copy)]
pub(super) struct Start<'s, E: Environment> {
    /// What everything explored follows.
    pub root: &'s Root<E>,
    /// What an earlier process has left to continue from.
    pub position: Option<&'s Position>,
    /// When it is asked whether threads come round, if that matters.
    pub patience: Option<Patience>,
    /// Failures found before, for the result.
    pub failures: &'s [Found],
}

/// Why a walk does not explore the program.
pub(super) enum Unfit {
    /// The program is beyond it.
    Beyond(Beyond),
    /// It may have no end.
    ComesRound(ComesRound),
}

/// Programs that fork are left to the walk with source sets.
const SEVERAL_PROCESSES: Halt = Halt::Beyond("several processes");

/// Explores everything that follows a root; the error is why it cannot. `sites` are what is known to be
/// visible; more are added.
pub(super) fn explore_classes<'m, E: Environment>(
    executor: &mut Executor<'m, E>,
    sites: &mut FxHashSet<Site>,
    Start { root, mut position, patience, failures }: Start<'_, E>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
    help: Option<&Help<'_, 'm>>,
) -> Result<(Exploration, Option<WalkPosition<Position>>), Unfit> {
    let mut begun_anew = position.is_none();
    let mut earlier = Exploration { failures: failures.to_vec(), ..Exploration::default() };
    loop {
        executor.visible = Some(Arc::new(sites.clone()));
        executor.stops_at_fences = executor.machine.model.buffers_stores();
        let failures = std::mem::take(&mut earlier.failures);
        let start = Start { root, position: position.take(), patience, failures: &[] };
        let part = match help.filter(|help| help.jobs > 1) {
            Some(help) => explore_together(executor, start, failures, options, observer, help),
            None => explore_alone(executor, start, failures, options, observer),
        };
        executor.contested.clear();
        executor.stops_at_fences = false;
        let Part { mut result, discovered, learned, halt, gathered, paths, executed } = part;
        result.begun_anew = begun_anew;
        begun_anew = true;
        let distinguished = executor.learned.distinguished.len();
        executor.learned.add(&learned);
        // Facts that one worker alone did not see.
        let has_learned = executor.learned.apply_notes();
        let is_mistaken = options.symmetry && executor.learned.distinguished.len() > distinguished;
        if let Some(beyond) = halt.and_then(Halt::beyond) {
            return Err(Unfit::Beyond(beyond));
        }
        if let Some(Halt::ComesRound(patience)) = halt {
            sites.extend(discovered);
            return Err(Unfit::ComesRound(ComesRound { patience, failures: result.failures }));
        }
        // Memory that was found to be shared only now was not explored as such: begin again, knowing it.
        let is_whole = discovered.is_empty() && halt != Some(Halt::Learned) && !is_mistaken && !has_learned;
        if result.incomplete.iter().any(|cut| cut.reason.ends_exploration()) {
            let standing = match is_whole {
                true => WalkPosition::At(Position::new(paths, &gathered, executed)),
                false => WalkPosition::Beginning,
            };
            sites.extend(discovered);
            return Ok((result, Some(standing)));
        }
        let stop = options.end_with(&result.failures);
        if is_whole || stop {
            return Ok((result, None));
        }
        sites.extend(discovered);
        earlier = result;
    }
}

/// Explores everything that follows a root with one worker.
fn explore_alone<E: Environment>(
    executor: &mut Executor<'_, E>,
    Start { root, position, patience, .. }: Start<'_, E>,
    failures: Vec<Found>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
) -> Part {
    let mut walk = Walk::new(executor, options, observer, None);
    walk.patience = patience;
    walk.found.result.failures = failures;
    let Some(position) = position else {
        let halt = walk.explore(root).err();
        return walk.into_part(halt);
    };
    walk.found.unfinished = position.unfinished();
    walk.counts.executed_before = position.executed();
    let mut paths = position.paths();
    let mut halt = None;
    while halt.is_none()
        && let Some(path) = paths.pop()
    {
        halt = walk.go_on(root, path).err();
    }
    let mut part = walk.into_part(halt);
    // An execution that ends early here may have been explored to its end before, by another of several
    // workers.
    let earlier = position.gathered();
    part.discovered.extend(part.gathered.shared_with(&earlier));
    part.gathered.add(earlier);
    part.paths.append(&mut paths);
    part
}

/// Why the walk ends early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Halt {
    /// It meets something that it does not cover: what.
    Beyond(&'static str),
    /// It contradicts itself: in what.
    Contradiction(&'static str),
    /// Something was found to be shared.
    Discovered,
    /// Something was [learned](symx_interp::Learned) of memory that changes what counts as one event, or
    /// which executions are abandoned.
    Learned,
    /// A bound was reached, or the failure that was looked for.
    Stopped,
    /// Another worker has ended the walk.
    Dismissed,
    /// Threads come round after many executions.
    ComesRound(Patience),
}

impl Halt {
    /// The reason that is beyond this walk, if it ends for that.
    fn beyond(self) -> Option<Beyond> {
        match self {
            Halt::Beyond(what) => Some(Beyond::Uncovered(what)),
            Halt::Contradiction(what) => Some(Beyond::Contradiction(what)),
            Halt::Discovered | Halt::Learned | Halt::Stopped | Halt::Dismissed | Halt::ComesRound(_) => None,
        }
    }
}

impl<E: Environment> Walk<'_, '_, E> {
    fn explore(&mut self, root: &Root<E>) -> Result<(), Halt> {
        let next = self.begin(root)?;
        self.exhaust(next, ThreadId::MAIN)
    }

    /// The state in which the walk begins, if it does.
    fn begin(&mut self, root: &Root<E>) -> Result<Option<State<E>>, Halt> {
        self.clear(&root.decisions);
        let mut state = root.state.clone();
        if state.has_forked() {
            return Err(SEVERAL_PROCESSES);
        }
        state.memory.begin_ground();
        if let Some((thread, granted)) = root.resumed {
            let step = self.executor.resume(&mut state, thread, granted);
            if !self.settle(&mut state, thread, step)? {
                self.discover(&state)?;
                return Ok(None);
            }
        }
        Ok(Some(state))
    }

    /// Continues from a state, if there is one, and then with what is to be tried on the present path, until
    /// nothing is.
    fn exhaust(&mut self, mut next: Option<State<E>>, mut previous: ThreadId) -> Result<(), Halt> {
        loop {
            if let Some(state) = next.take() {
                self.extend(state, previous)?;
            }
            self.look_for_rounds()?;
            self.counts.is_explored = true;
            (self.counts.ends, self.counts.counted) = (0, 0);
            self.share();
            let own = self.path.nodes.get(self.shared..).unwrap_or_default();
            let Some(at) = own.iter().rposition(Node::has_pending) else { return Ok(()) };
            let at = self.shared + at;
            self.path.nodes.truncate(at + 1);
            // Another worker may have been faster.
            let executed = self.executed();
            let Some(plan) = self.path.nodes[at].alternatives().take(executed) else { continue };
            previous = plan.thread;
            next = self.turn(plan)?;
        }
    }

    /// Ends the walk if it has gone on for long and threads come round in the present execution.
    fn look_for_rounds(&mut self) -> Result<(), Halt> {
        let executed = self.executed();
        let Some(patience) = &mut self.patience else { return Ok(()) };
        if !patience.is_over(executed) {
            return Ok(());
        }
        let patience = *patience;
        let standing = |step: &RunStep<E>| {
            let event = &self.graph.events[usize::from(step.event)];
            let changes = !event.leaves_nothing();
            let thread = step.before.thread(step.thread).filter(|_| !step.commits)?;
            Some(Standing { thread: Arc::clone(thread), changes })
        };
        let steps: Vec<Standing<E>> = self.path.run.iter().filter_map(standing).collect();
        if comes_round(self.executor.machine, &steps) { Err(Halt::ComesRound(patience)) } else { Ok(()) }
    }

    /// Takes the steps to an alternative at the last choice point. `None` if they turn out to lead nowhere.
    fn turn(&mut self, mut plan: Plan) -> Result<Option<State<E>>, Halt> {
        self.counts.is_explored = false;
        let foreseen = std::mem::take(&mut plan.foreseen);
        // While its event is being exchanged the choice point is no business of others'.
        let Some(mut node) = self.path.nodes.pop() else { return Ok(None) };
        let next = self.follow(&mut node, &plan, foreseen);
        node.plan = Some(Arc::new(plan));
        self.path.nodes.push(node);
        next
    }

    fn know_threads(&mut self, state: &State<E>) {
        if self.graph.threads.len() < state.threads.len() {
            self.graph.threads.resize_with(state.threads.len(), Log::default);
        }
        if self.options.symmetry {
            for (log, thread) in self.graph.threads.iter_mut().zip(&state.threads) {
                log.beginning = thread.beginning;
            }
        }
    }

    /// Whether a thread goes no further in what is explored now.
    fn has_stopped(&self, thread: ThreadId) -> bool {
        self.last_of(thread).is_some_and(|last| last.end.is_some() || self.has_undone(last))
    }

    /// Notes what this execution found to be shared; then the walk restarts at once.
    fn discover(&mut self, state: &State<E>) -> Result<(), Halt> {
        self.found.discovered.extend(state.discovered.iter().copied());
        self.found.discovered.extend(self.found.unfinished.shared(state));
        if self.gathers {
            self.found.gathered.note(state);
        }
        if self.found.discovered.is_empty() { Ok(()) } else { Err(Halt::Discovered) }
    }

    /// Executions so far, of all workers; abandoned ones included where there is one worker.
    fn executed(&self) -> u64 {
        let progress = &self.found.result.progress;
        self.crew.map_or(self.counts.executed_before + progress.executions + progress.blocked, Crew::executed)
    }

    /// Looks at the clock at once: what comes next takes long.
    fn look_now(&mut self) -> Result<(), Halt> {
        self.looks.hasten();
        self.look()
    }

    fn look(&mut self) -> Result<(), Halt> {
        if self.crew.is_some_and(Crew::has_ended) {
            return Err(Halt::Dismissed);
        }
        if !self.looks.is_due(self.executor.counters.instructions) {
            return Ok(());
        }
        let mut progress = self.found.result.progress;
        progress.events = self.executor.counters.events;
        progress.instructions = self.executor.counters.instructions;
        progress.known = self.executor.counters.known;
        progress.open = self.path.nodes.len() as u64;
        progress.repeats = self.counts.is_repeating;
        progress.done = Some(Done::estimate(self.executed(), self.path.nodes.iter().rev().map(Node::passed)));
        match self.observer.progress(&progress) {
            None => Ok(()),
            Some(reason) => {
                self.found.result.progress.done = progress.done;
                self.found.result.cut(reason.into());
                Err(Halt::Stopped)
            }
        }
    }
}
