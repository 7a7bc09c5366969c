//! Both orders of a race's accesses, and what follows each.

use super::follow::{Lost, Path};
use super::hold::{Before, Maker, Meeting, Others};
use super::kept::KeptStates;
use super::seeded::Scheduler;
use super::{FoundRace, Observer, Witness, bounded, work};
use crate::bounds::poll_interval::Looks;
use crate::driver::Course;
use crate::driver::fork::Way;
use crate::execution::{self, MOST_ENDINGS};
use crate::races::limits::{
    MOST_EXECUTIONS_OF_ORDER, MOST_INSTRUCTIONS_OF_ORDER, MOST_INSTRUCTIONS_OF_RACE, TIMES_BEYOND,
};
use crate::reduction::explore_from;
use crate::refinement::root::Root;
use crate::{ExploreOptions, Progress, Reduction, Search};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_interp::environment::Environment;
use symx_interp::machine::{Executor, Machine};
use symx_interp::memory::Site;
use symx_interp::state::State;
use symx_interp::stop::Step;
use symx_trace::race::{AccessOrder, Continuation, Ending, Executions, RaceOrders, SideBySide};
use symx_trace::{Agent, Decision, IncompleteReason};

/// Runs the executions of one race on a machine that does not look for races.
pub struct RaceRuns<'r, 'm, E: Environment> {
    executor: Executor<'m, E>,
    observer: &'r mut dyn Observer,
    witnesses: &'r [Witness],
    kept: &'r mut KeptStates<E>,
    before: Option<(usize, Before<E>)>,
    now: Option<(usize, Meeting<E>)>,
    /// The ways to states with both accesses next that were met.
    met: FxHashSet<(bool, Vec<Decision>)>,
}

/// A way to bring both accesses of a race side by side.
enum Approach {
    /// The first access is held back until the second is next, while the other threads run in each of these
    /// ways until one succeeds.
    Hold(&'static [Others]),
    /// As recorded to the second access, which may read a value older than the first one's.
    ReadAfter,
}

/// All of them, in the order in which they are tried. Those that need older values are last.
const APPROACHES: [Approach; 4] = [
    Approach::Hold(&[Others::AsRecorded, Others::Random(0), Others::Random(1), Others::Random(2)]),
    Approach::Hold(&[Others::SecondFirst]),
    Approach::Hold(&[Others::AllButBoth]),
    Approach::ReadAfter,
];

impl Approach {
    /// Whether memory has to keep older values for it.
    fn needs_history(&self) -> bool {
        matches!(self, Self::ReadAfter)
    }
}

impl<'r, 'm, E: Environment> RaceRuns<'r, 'm, E> {
    /// For a race found on a machine for the same program. `kept` are states of this machine.
    pub fn new(
        machine: &'m Machine<E>,
        solver: Box<dyn Solver + 'm>,
        found: &'r FoundRace,
        kept: &'r mut KeptStates<E>,
        observer: &'r mut dyn Observer,
    ) -> Self {
        let mut executor = ExploreOptions::default().executor(machine, solver);
        // Witnesses come from a machine that looks for races, which numbers threads as they are created.
        executor.learned.keeps_numbers = true;
        Self {
            executor,
            observer,
            witnesses: &found.witnesses,
            kept,
            before: None,
            now: None,
            met: FxHashSet::default(),
        }
    }

    /// The allocation sites that count as visible in the executions of a witness, ascending.
    pub fn visible(&self, witness: usize) -> Vec<Site> {
        let mut sites: Vec<Site> = self.witnesses[witness].recorded.visible.iter().copied().collect();
        sites.sort_unstable();
        sites
    }

    fn meet(&mut self, witness: usize, way: usize) -> Result<SideBySide, Lost> {
        let given = &self.witnesses[witness];
        self.executor.visible = Some(Arc::clone(&given.recorded.visible));
        if self.before.as_ref().is_none_or(|(known, _)| *known != witness) {
            self.before = Some((witness, Before::of(&mut self.executor, given, self.kept)?));
        }
        let Some((_, before)) = &self.before else { return Ok(SideBySide::Impossible) };
        let executor = &mut self.executor;
        let mut meeting = None;
        match &APPROACHES[way] {
            Approach::Hold(tried) => {
                for others in tried.iter() {
                    if meeting.is_none() {
                        meeting = before.meet(executor, given, *others, self.observer)?;
                    }
                }
            }
            Approach::ReadAfter => meeting = before.read_after(executor, given)?,
        }
        let Some(meeting) = meeting else { return Ok(SideBySide::Impossible) };
        if meeting.is_read_after && !self.has_older(&meeting) {
            return Ok(SideBySide::Impossible);
        }
        if !self.met.insert((meeting.is_read_after, meeting.path.made.clone())) {
            return Ok(SideBySide::Known);
        }
        self.now = Some((witness, meeting));
        Ok(SideBySide::Reached)
    }

    /// Whether the read that is next may return an older value.
    fn has_older(&mut self, meeting: &Meeting<E>) -> bool {
        let mut state = meeting.path.state.clone();
        let Maker::Thread(thread) = meeting.makers[1] else { return false };
        let agent = Agent::Thread(thread);
        self.executor.enabled(&state).contains(&agent)
            && matches!(self.executor.step(&mut state, agent), Step::Choose(_))
    }

    /// Where both accesses have been made in this order.
    fn starts(&mut self, order: AccessOrder, cut: &mut Option<String>) -> Vec<Path<E>> {
        let Some((_, meeting)) = &self.now else { return Vec::new() };
        let (path, [first, second]) = (meeting.path.clone(), meeting.makers);
        if !meeting.is_read_after {
            let makers = if order == AccessOrder::Seen { [first, second] } else { [second, first] };
            return makers.into_iter().fold(vec![path], |paths, maker| {
                paths.into_iter().flat_map(|path| self.make(path, maker, cut)).collect()
            });
        }
        // Its first choice is the newest value.
        let position = path.made.len() + 1;
        let mut read = self.make(path, second, cut);
        let newest = |path: &Path<E>| matches!(path.made.get(position), Some(Decision::Choose(0)));
        read.retain(|path| newest(path) == (order == AccessOrder::Seen));
        read
    }

    /// All that comes of an access, which need not be one way.
    fn make(&mut self, path: Path<E>, maker: Maker, cut: &mut Option<String>) -> Vec<Path<E>> {
        let (mut open, mut done) = (vec![path], Vec::new());
        while let Some(path) = open.pop() {
            if path.state.end.is_some() {
                done.push(path);
                continue;
            }
            match maker.next(&self.executor, &path.state) {
                // It waits for what the other access has changed.
                None => done.push(path),
                Some((agent, makes)) => {
                    let to = if makes { &mut done } else { &mut open };
                    self.every_way(path, agent, cut, to);
                }
            }
        }
        done
    }

    fn every_way(&mut self, path: Path<E>, agent: Agent, cut: &mut Option<String>, to: &mut Vec<Path<E>>) {
        let Path { mut state, mut made, inputs } = path;
        made.push(Decision::Run(agent));
        let step = self.executor.step(&mut state, agent);
        let mut open = vec![(state, made, step)];
        while let Some((state, made, step)) = open.pop() {
            match step {
                Step::Done | Step::Paused => to.push(Path { state, made, inputs: Arc::clone(&inputs) }),
                Step::Pruned => {}
                Step::Halted(reason) => *cut = Some(reason.to_string()),
                Step::Cut(why) => *cut = Some(format!("{} {}", why.reason, why.what)),
                Step::Fork { .. } | Step::Choose(_) => {
                    for way in Way::all(state, agent.thread(), step).rev() {
                        let mut made = made.clone();
                        made.extend(way.alternative().map(Decision::Choose));
                        let (state, step) = way.enter(&mut self.executor);
                        open.push((state, made, step));
                    }
                }
            }
        }
    }

    fn everything(&mut self, start: Path<E>, visible: &FxHashSet<Site>, into: &mut Executions) {
        let options = ExploreOptions {
            search: Search::Exhaustive,
            reduction: Reduction::SourceSets,
            max_executions: Some(MOST_EXECUTIONS_OF_ORDER),
            keep_going: true,
            keep_endings: true,
            ..ExploreOptions::default()
        };
        let root = Root { state: start.state, resumed: None, decisions: start.made, depth: 0 };
        let before = work(&self.executor);
        if before > MOST_INSTRUCTIONS_OF_RACE {
            into.cut = Some("too much can follow".into());
            return;
        }
        let mut observer = bounded(self.observer, before, MOST_INSTRUCTIONS_OF_ORDER);
        let mut sites = visible.clone();
        let explored = explore_from(&mut self.executor, &mut sites, &root, &options, &mut observer, None);
        if sites.len() > visible.len() {
            into.cut = Some("memory was found to be shared only now".into());
            return;
        }
        if let Some(cut) = explored.incomplete.first() {
            into.cut = Some(format!("{} {}", cut.reason, cut.what));
        }
        if explored.endings.len() >= MOST_ENDINGS {
            into.cut = Some("executions end in too many ways".into());
        }
        into.endings.extend(explored.endings);
    }

    fn one(&mut self, mut path: Path<E>, seed: Option<u64>, recorded: usize, into: &mut Executions) {
        let mut scheduler = Scheduler::new(seed);
        let patience = 5 * recorded as u64 + 10_000;
        let began = self.executor.counters.instructions;
        // A loop in which nothing is visible takes a step of many instructions a round.
        let most = path.state.executed().saturating_mul(TIMES_BEYOND).max(MOST_INSTRUCTIONS_OF_RACE);
        let mut course = Course::default();
        let mut looks = Looks::at_once();
        while course.begun() < patience && self.executor.counters.instructions - began < most {
            let Some(enabled) = course.enabled(&mut self.executor, &mut path.state) else { break };
            if looks.is_due(self.executor.counters.instructions)
                && let Some(reason) = self.observer.progress(&Progress::default())
            {
                into.cut = Some(reason.to_string());
                return;
            }
            let agent = scheduler.next(&enabled);
            if let Err(why) = path.take(&mut self.executor, agent, &mut |count| scheduler.choose(count)) {
                into.cut = Some(why);
                return;
            }
        }
        let Path { state, made, .. } = path;
        match self.end(&state, &made) {
            Some(ending) => into.endings.push(ending),
            None => into.cut = Some("an execution did not end in time".into()),
        }
    }

    fn end(&self, state: &State<E>, made: &[Decision]) -> Option<Ending> {
        execution::ending(&self.executor, state, made, state.failure())
    }
}

impl<E: Environment> RaceOrders for RaceRuns<'_, '_, E> {
    fn witnesses(&self) -> usize {
        self.witnesses.len()
    }

    fn ways(&self) -> usize {
        let keeps_history = self.executor.machine.model.keeps_history();
        APPROACHES.iter().filter(|approach| keeps_history || !approach.needs_history()).count()
    }

    fn side_by_side(&mut self, witness: usize, way: usize) -> SideBySide {
        self.now = None;
        self.meet(witness, way).unwrap_or_else(SideBySide::Unknown)
    }

    fn executions(&mut self, order: AccessOrder, how: Continuation) -> Executions {
        let mut executions = Executions::default();
        let Some((witness, _)) = &self.now else {
            executions.cut = Some("the accesses are not side by side".into());
            return executions;
        };
        let recorded = &self.witnesses[*witness].recorded;
        let (visible, length) = (Arc::clone(&recorded.visible), recorded.decisions.len());
        if how == Continuation::Every && recorded.is_large {
            executions.cut = Some("the program is too large".into());
            return executions;
        }
        self.executor.visible = Some(Arc::clone(&visible));
        let starts = self.starts(order, &mut executions.cut);
        for start in starts {
            match how {
                _ if start.state.end.is_some() => {
                    executions.endings.extend(self.end(&start.state, &start.made));
                }
                Continuation::Every => self.everything(start, &visible, &mut executions),
                Continuation::Turns => self.one(start, None, length, &mut executions),
                Continuation::Random(seed) => self.one(start, Some(seed), length, &mut executions),
            }
        }
        executions
    }

    fn ended(&mut self) -> Option<IncompleteReason> {
        self.observer.progress(&Progress::default())
    }
}
