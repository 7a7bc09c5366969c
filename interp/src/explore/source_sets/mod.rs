//! Exhaustive exploration with partial-order reduction: source sets and sleep sets over copy-on-write states.
//!
//! A depth-first walk over choice points. Each keeps the state before the choice, so that backtracking resumes from
//! there instead of from `main`. Which agents are tried at a point is driven by the races of the executions that ran
//! through it (see [`happens_before`](super::happens_before)).

mod coarse;
mod loops;
mod point;

pub(super) use point::Position;

use super::bounds::ends_exploration;
use super::estimate::{Done, Since};
use super::happens_before::{HappensBefore, Race};
use super::looks::Looks;
use super::recorded_order::{first_as_recorded, first_way_as_recorded};
use super::reduction::Root;
use super::saved::{Saved, SavedWalk};
use super::unfinished::Unfinished;
use super::{Exploration, ExploreOptions, Observer, Way};
use crate::agents::Step;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::Site;
use crate::state::State;
use crate::stop::Incomplete;
use crate::thread::Thread;
use coarse::{COARSE_PAUSES, LONGEST_FINE, follow_coarsely};
use point::{Point, SavedPoint, Schedule, Ways};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::sync::Arc;
use symx_ir::SpanId;
use symx_trace::footprint::dependent;
use symx_trace::{Agent, Decision, Footprint, ThreadId};

/// After how many steps of one thread in a row another one is tried first: what the thread waits for may be up to that one,
/// in a loop that is not known to wait.
const MOST_IN_A_ROW: u32 = 512;

/// Explores everything that follows a root. `sites` are what is known to be visible; more are added. What kept the
/// reads-from reduction from being used goes into the result; an earlier process may have left a position to go on from.
pub(super) fn explore_source_sets<E: Environment>(
    executor: &mut Executor<'_, E>,
    sites: &mut FxHashSet<Site>,
    root: &Root<E>,
    options: &ExploreOptions,
    observer: &mut dyn Observer,
    (beyond, mut position): (Option<&'static str>, Option<&Position>),
) -> Exploration {
    let mut may_be_coarse = executor.machine.options.guide.is_some() && options.bound.is_none();
    let mut begun_anew = position.is_none();
    let mut earlier = Exploration::default();
    loop {
        executor.visible = Some(Arc::new(sites.clone()));
        let mut walk = Walk::new(executor, options, observer, root);
        walk.result.failures = std::mem::take(&mut earlier.failures);
        (walk.result.beyond, walk.result.begun_anew) = (beyond, begun_anew);
        if let Some(position) = position.take() {
            walk.resume(position);
        }
        if may_be_coarse {
            walk.longest = LONGEST_FINE;
        }
        walk.run(root);
        if walk.is_too_long {
            let failures = walk.result.failures;
            may_be_coarse = false;
            match follow_coarsely(executor, root, options, observer) {
                Some(result) => return result,
                None => earlier.failures = failures,
            }
            continue;
        }
        begun_anew = true;
        if walk.leads_elsewhere {
            continue;
        }
        let ended_outside = walk.result.incomplete.iter().any(|cut| ends_exploration(cut.reason));
        let saved = (ended_outside && walk.executor.machine.options.guide.is_none()).then(|| {
            match walk.discovered.is_empty() && !walk.has_renumbered {
                true => SavedWalk::SourceSets(walk.position()),
                false => SavedWalk::Beginning,
            }
        });
        let (mut result, discovered, has_renumbered) = (walk.result, walk.discovered, walk.has_renumbered);
        if let Some(saved) = saved {
            sites.extend(discovered.iter().copied());
            result.saved = Some(Arc::new(Saved::new(sites, &executor.learned, saved)));
        }
        let stop = !result.failures.is_empty() && !options.keep_going;
        // What was found to be shared only now was not explored as such: begin again, knowing it.
        let is_whole = discovered.is_empty() && !has_renumbered;
        if is_whole || stop || result.incomplete.iter().any(|cut| ends_exploration(cut.reason)) {
            return result;
        }
        sites.extend(discovered);
        earlier = result;
    }
}

struct Walk<'w, 'm, E: Environment> {
    executor: &'w mut Executor<'m, E>,
    /// Forks on the way to the root.
    root_depth: u32,
    options: &'w ExploreOptions,
    observer: &'w mut dyn Observer,
    result: Exploration,
    stack: Vec<Point<E>>,
    order: HappensBefore,
    decisions: Vec<Decision>,
    discovered: FxHashSet<Site>,
    /// Whether an execution had threads that had no [number](crate::numbers) yet.
    has_renumbered: bool,
    looks: Looks,
    /// Whether some execution ended before all threads had done what they could.
    has_cut_short: bool,
    unfinished: Unfinished,
    /// Whether some execution was left where a thread went round a loop that only looks.
    has_left_loops: bool,
    /// The thread that took the last steps, and how many; if it goes round a loop, a place in there, and whether it has
    /// been there.
    running: ThreadId,
    in_a_row: u32,
    loop_begin: Option<(Arc<Thread<E>>, bool)>,
    /// Whether a race was found that ends the exploration.
    stopped: bool,
    /// Executions of earlier processes.
    executed_before: u64,
    /// Choices of an earlier process that are still to be made again.
    resumed: std::vec::IntoIter<SavedPoint>,
    /// Whether these do not fit.
    leads_elsewhere: bool,
    /// The length of the path at the last point to which the walk has gone back.
    descent: usize,
    /// Whether the present execution was counted at its end, by an earlier process perhaps.
    is_explored: bool,
    /// How many executions there may be, those given up included.
    patience: u64,
    /// How many steps an execution may have, and whether one had more.
    longest: usize,
    is_too_long: bool,
}

/// Whether the walk goes on.
#[derive(PartialEq, Eq)]
enum Go {
    On,
    Stop,
}

impl<'w, 'm, E: Environment> Walk<'w, 'm, E> {
    fn new(
        executor: &'w mut Executor<'m, E>,
        options: &'w ExploreOptions,
        observer: &'w mut dyn Observer,
        root: &Root<E>,
    ) -> Self {
        Self {
            executor,
            root_depth: root.depth,
            options,
            observer,
            result: Exploration::default(),
            stack: Vec::new(),
            order: HappensBefore::default(),
            decisions: root.decisions.clone(),
            discovered: FxHashSet::default(),
            has_renumbered: false,
            looks: Looks::default(),
            has_cut_short: false,
            unfinished: Unfinished::default(),
            has_left_loops: false,
            running: ThreadId::MAIN,
            in_a_row: 0,
            loop_begin: None,
            stopped: false,
            executed_before: 0,
            resumed: Vec::new().into_iter(),
            descent: 0,
            is_explored: false,
            leads_elsewhere: false,
            patience: u64::MAX,
            longest: usize::MAX,
            is_too_long: false,
        }
    }
}

impl<E: Environment> Walk<'_, '_, E> {
    /// Has the walk begin with the choices that an earlier process had made.
    fn resume(&mut self, position: &Position) {
        self.unfinished = Unfinished::restored(&position.unfinished);
        self.has_cut_short = position.has_cut_short;
        self.has_left_loops = position.has_left_loops;
        self.is_explored = position.is_explored;
        self.executed_before = position.executed;
        self.descent = position.descent;
        self.resumed = position.points.clone().into_iter();
    }

    /// The choices that lead to where the walk stands.
    fn position(&self) -> Position {
        Position {
            points: self.stack.iter().map(Point::save).chain(self.resumed.clone()).collect(),
            is_explored: self.is_explored,
            descent: self.descent,
            unfinished: self.unfinished.save(),
            has_cut_short: self.has_cut_short,
            has_left_loops: self.has_left_loops,
            executed: self.executed(),
        }
    }

    /// Ends the walk: the choices of an earlier process do not fit.
    fn lead_elsewhere(&mut self) -> Go {
        self.leads_elsewhere = true;
        self.stopped = true;
        Go::Stop
    }

    fn run(&mut self, root: &Root<E>) {
        let mut state = root.state.clone();
        let mut next = None;
        match root.resumed {
            None => next = Some((state, Vec::new(), None)),
            Some((thread, granted)) => {
                let step = self.executor.resume(&mut state, thread, granted);
                match self.settle(&mut state, thread, step) {
                    Taken::Done => next = Some((state, Vec::new(), Some(thread))),
                    Taken::Ended if self.discover(&state) == Go::Stop => return,
                    Taken::Ended => {}
                }
            }
        }
        loop {
            if let Some((state, sleep, previous)) = next.take()
                && self.descend(state, sleep, previous) == Go::Stop
            {
                return;
            }
            match self.backtrack() {
                Backtrack::Finished => return,
                Backtrack::Stopped => return,
                Backtrack::Resumed(state, sleep, previous) => next = Some((state, sleep, previous)),
                Backtrack::Ended => {}
            }
        }
    }

    /// Extends the present path to the end of an execution.
    fn descend(
        &mut self,
        mut state: State<E>,
        mut sleep: Vec<(Agent, Footprint)>,
        mut previous: Option<ThreadId>,
    ) -> Go {
        (self.in_a_row, self.loop_begin) = (0, None);
        if self.resumed.as_slice().is_empty() {
            self.descent = self.stack.len();
        }
        let has_remedies = self.executor.machine.options.remedies.is_some();
        let keeps_history = self.executor.machine.model.keeps_history();
        loop {
            // Steps of a remedy's that were none yet have held nobody back.
            if has_remedies && !state.discovered.is_empty() {
                return self.discover(&state);
            }
            if state.end.is_some() {
                return self.finish(&state);
            }
            if keeps_history && self.has_come_round(&state) {
                return self.leave_loop(state);
            }
            if self.look() == Go::Stop {
                return Go::Stop;
            }
            let enabled = self.executor.enabled(&state);
            if enabled.is_empty() {
                if self.executor.parked_too_early(&state) {
                    return self.discover(&state);
                }
                if self.executor.held_by_guide(&state) {
                    self.result.progress.blocked += 1;
                    self.cut_short(&state);
                    return self.discover(&state);
                }
                self.executor.stuck(&mut state);
                return self.finish(&state);
            }
            if state.threads.len() == 1 && enabled.len() == 1 {
                // What happens before there is a second thread races with nothing: no point to come back to.
                let only = enabled[0];
                self.decisions.push(Decision::Run(only));
                let step = self.executor.step(&mut state, only);
                match self.settle(&mut state, only.thread(), step) {
                    Taken::Done => {}
                    Taken::Ended => return self.discover(&state),
                }
                (sleep, previous) = self.after_step();
                continue;
            }
            let spent = self.spent();
            let candidates: SmallVec<[Agent; 8]> = match self.options.bound {
                None => {
                    let awake = |agent: &&Agent| !sleep.iter().any(|(asleep, _)| asleep == *agent);
                    enabled.iter().filter(awake).copied().collect()
                }
                Some(bound) => {
                    let fits = |agent: &Agent| spent + bound.cost(&enabled, previous, *agent) <= bound.most();
                    let fitting: SmallVec<[Agent; 8]> = enabled.iter().copied().filter(fits).collect();
                    if fitting.len() < enabled.len() {
                        self.result.cut(bound.incomplete());
                    }
                    fitting
                }
            };
            let Some(chosen) = self.first_choice(&state, &candidates, previous) else {
                // Those that go round loops were left there.
                if self.has_left_loops && self.executor.find_livelock(&mut state, &[]) {
                    return self.finish(&state);
                }
                self.result.progress.blocked += 1;
                // What sleeps was explored elsewhere; but if executions were cut short there, nobody has seen the
                // operations that wait here.
                if self.has_cut_short {
                    self.waiting_races(&state);
                }
                return self.discover(&state);
            };
            let bounded = self.options.bound.is_some();
            let backtrack = if bounded { candidates.clone() } else { SmallVec::from_slice(&[chosen]) };
            let (chosen, backtrack, since) = match self.resumed.next() {
                None => (chosen, backtrack, Since::now(self.executed())),
                Some(SavedPoint::Schedule { chosen, sleep: asleep, backtrack, since })
                    if enabled.contains(&chosen) =>
                {
                    sleep = asleep;
                    (chosen, backtrack, since)
                }
                Some(_) => return self.lead_elsewhere(),
            };
            let footprint = self.executor.footprint(&state, chosen);
            let point = Schedule {
                state: (enabled.len() > 1 || keeps_history).then(|| state.clone()),
                backtrack,
                enabled,
                sleep: std::mem::take(&mut sleep),
                chosen,
                footprint,
                previous,
                spent,
                since,
                time_stamps: self.executor.counters.time_stamps,
                events: self.order.len(),
                decisions: self.decisions.len(),
            };
            self.stack.push(Point::Schedule(Box::new(point)));
            if self.stack.len() > self.longest {
                self.is_too_long = true;
                return Go::Stop;
            }
            match self.take(&mut state, chosen) {
                Taken::Done => {}
                Taken::Ended => return self.discover(&state),
            }
            (sleep, previous) = self.after_step();
            self.count_in_a_row(chosen);
            if self.in_a_row >= MOST_IN_A_ROW
                && self.in_a_row.is_power_of_two()
                && self.executor.machine.options.guide.is_none()
                && !state.discovered.is_empty()
            {
                // It may not come to an end before it is known what is shared.
                return self.discover(&state);
            }
            if !keeps_history
                && self.stack.len() > self.descent
                && (self.comes_round(&state, chosen) || self.gives_all_back(&state, chosen))
            {
                return self.leave_loop(state);
            }
        }
    }

    /// The agent to try first: as recorded, else the one that ran before.
    fn first_choice(
        &self,
        state: &State<E>,
        candidates: &[Agent],
        previous: Option<ThreadId>,
    ) -> Option<Agent> {
        if let Some(guide) = &self.executor.machine.options.guide {
            return first_as_recorded(self.executor, guide, state, candidates);
        }
        let same = previous.map(Agent::Thread).filter(|agent| candidates.contains(agent));
        if self.in_a_row >= MOST_IN_A_ROW {
            let next = candidates.iter().find(|agent| Some(**agent) > same);
            return next.or_else(|| candidates.first()).copied();
        }
        same.or_else(|| candidates.first().copied())
    }

    /// What is spent of the bound on schedules at the top of the stack, its step included.
    fn spent(&self) -> u32 {
        let Some(bound) = self.options.bound else { return 0 };
        let top = self.stack.iter().rev().find_map(|point| match point {
            Point::Schedule(schedule) => Some(schedule),
            Point::Ways(_) => None,
        });
        top.map_or(0, |top| top.spent + bound.cost(&top.enabled, top.previous, top.chosen))
    }

    /// The sleep set and the running thread after the step of the topmost scheduling point.
    fn after_step(&self) -> (Vec<(Agent, Footprint)>, Option<ThreadId>) {
        let top = self.stack.iter().rev().find_map(|point| match point {
            Point::Schedule(schedule) => Some(schedule),
            Point::Ways(_) => None,
        });
        let Some(top) = top else { return (Vec::new(), Some(ThreadId::MAIN)) };
        let sleep = match self.options.bound {
            None => top
                .sleep
                .iter()
                .filter(|(agent, footprint)| *agent != top.chosen && !dependent(footprint, &top.footprint))
                .cloned()
                .collect(),
            Some(_) => Vec::new(),
        };
        let previous = match top.chosen {
            Agent::Thread(thread) => Some(thread),
            Agent::Buffer { .. } => top.previous,
        };
        (sleep, previous)
    }

    /// Takes the step of the topmost scheduling point: notes the event, its races, its decision.
    fn take(&mut self, state: &mut State<E>, agent: Agent) -> Taken {
        let Some(Point::Schedule(point)) = self.stack.last() else {
            unreachable!("a scheduling point is on top")
        };
        let (footprint, node) = (point.footprint.clone(), self.stack.len() - 1);
        let races = self.order.push(agent, footprint, node);
        if self.options.bound.is_none() {
            for race in races {
                self.reverse(&race);
            }
        }
        self.decisions.push(Decision::Run(agent));
        let step = self.executor.step(state, agent);
        self.settle(state, agent.thread(), step)
    }

    /// Follows a step to its end; forks become choice points.
    fn settle(&mut self, state: &mut State<E>, thread: ThreadId, mut step: Step) -> Taken {
        let mut pauses = 0_u64;
        loop {
            if !self.executor.races.is_empty() {
                let (executor, result) = (&mut *self.executor, &mut self.result);
                self.stopped |= !executor.collect_races(state, &self.decisions, result, self.options);
            }
            step = match step {
                Step::Done if self.stopped => return Taken::Ended,
                Step::Done => return Taken::Done,
                Step::Paused => {
                    pauses += 1;
                    self.discovered.extend(self.executor.scout(state, thread, pauses));
                    let is_lost = self.patience < u64::MAX
                        && pauses > COARSE_PAUSES
                        && state.thread(thread).guide.as_ref().is_none_or(|cursor| cursor.is_free());
                    if is_lost
                        || self.look_now() == Go::Stop
                        || !self.discovered.is_empty()
                        || !state.discovered.is_empty()
                    {
                        self.stopped = true;
                        return Taken::Ended;
                    }
                    if pauses.is_power_of_two() && self.executor.never_parks(state, thread) {
                        return Taken::Done;
                    }
                    self.decisions.push(Decision::Run(Agent::Thread(thread)));
                    self.executor.resume(state, thread, false)
                }
                Step::Pruned if self.executor.leave_at_end_of_record(state, thread) => return Taken::Done,
                Step::Pruned => {
                    self.result.progress.blocked += 1;
                    // Ever more seldom, the more executions end so.
                    if self.result.progress.blocked.is_power_of_two() {
                        self.discovered.extend(self.executor.scout_behind_left_path(state, thread));
                    }
                    self.cut_short(state);
                    return Taken::Ended;
                }
                Step::Cut(incomplete) => {
                    self.result.cut(incomplete);
                    self.cut_short(state);
                    return Taken::Ended;
                }
                Step::Fork { ref ways, .. } => {
                    if self.options.bounds_forks()
                        && let span = self.executor.position(state, thread)
                        && let Some(cut) =
                            self.options.forbids_fork(&self.result.progress, self.depth(), span)
                    {
                        self.result.cut(cut);
                        self.cut_short(state);
                        return Taken::Ended;
                    }
                    if self.resumed.as_slice().is_empty() {
                        self.result.progress.paths += ways.len() as u64 - 1;
                    }
                    self.branch(state, thread, step)
                }
                Step::Choose(_) => self.branch(state, thread, step),
            };
        }
    }

    /// Forks on the present path.
    fn depth(&self) -> u32 {
        let innermost = self.stack.iter().rev().find_map(|point| match point {
            Point::Ways(ways) => Some(ways.depth),
            Point::Schedule(_) => None,
        });
        innermost.unwrap_or(self.root_depth)
    }

    /// Goes the first way of a fork; the others wait on the stack.
    fn branch(&mut self, state: &mut State<E>, thread: ThreadId, fork: Step) -> Step {
        let depth = self.depth() + u32::from(matches!(fork, Step::Fork { .. }));
        let is_choice = matches!(fork, Step::Choose(_));
        let mut left: SmallVec<[Way<E>; 2]> = Way::all(state.clone(), thread, fork).rev().collect();
        let known = left.len();
        if is_choice
            && let Some(guide) = self.executor.machine.options.guide.clone()
            && let Some(first) = first_way_as_recorded(self.executor, &guide, &left)
        {
            left[first..].rotate_left(1);
        }
        let mut since = Since::now(self.executed());
        match self.resumed.next() {
            None => {}
            Some(SavedPoint::Ways { left: waiting, since: earlier }) if waiting < left.len() => {
                left.truncate(waiting + 1);
                since = earlier;
            }
            // The step is not taken to its end; the walk has ended.
            Some(_) => {
                self.lead_elsewhere();
            }
        }
        let first = left.pop().expect("a fork has ways");
        let (events, decisions) = (self.order.len(), self.decisions.len());
        self.stack.push(Point::Ways(Ways { left, known, since, depth, events, decisions }));
        self.executor.counters.forks += 1;
        self.decisions.extend(first.alternative().map(Decision::Choose));
        first.go_on(self.executor, state)
    }

    /// Makes sure that one of the race's initials is tried where its earlier event was scheduled.
    fn reverse(&mut self, race: &Race) {
        let Point::Schedule(point) = &mut self.stack[race.node] else {
            unreachable!("events are scheduled at scheduling points")
        };
        if race.initials.iter().any(|agent| point.backtrack.contains(agent)) {
            return;
        }
        match race.initials.iter().rev().find(|agent| point.enabled.contains(agent)) {
            Some(agent) => point.backtrack.push(*agent),
            // None of them could run there: whoever makes them able to must be among those who could.
            None => point.backtrack = point.enabled.clone(),
        }
    }

    /// An execution that ends while others could go on hides what they would have done. Those that can go on do so
    /// before its last step; those that wait might have come before what they wait for.
    fn cut_short(&mut self, state: &State<E>) {
        let last = self.stack.iter_mut().rev().find_map(|point| match point {
            Point::Schedule(schedule) => Some(schedule),
            Point::Ways(_) => None,
        });
        if self.options.bound.is_some() {
            if state.threads.iter().any(|thread| !thread.exited) {
                self.unfinished.note(state);
            }
            return;
        }
        if let Some(last) = last {
            if last.enabled.len() > 1 || self.executor.somebody_waits(state) {
                self.has_cut_short = true;
                self.unfinished.note(state);
            }
            last.backtrack = last.enabled.clone();
        }
        self.waiting_races(state);
    }

    /// Threads that wait might have come before what they wait for.
    fn waiting_races(&mut self, state: &State<E>) {
        if self.options.bound.is_some() {
            return;
        }
        for thread in &state.threads {
            if !thread.exited && thread.pending.is_some() {
                let agent = Agent::Thread(thread.id);
                let footprint = self.executor.footprint(state, agent);
                for race in self.order.races_of(agent, &footprint) {
                    self.reverse(&race);
                }
            }
        }
    }

    fn finish(&mut self, state: &State<E>) -> Go {
        self.cut_short(state);
        if std::mem::replace(&mut self.is_explored, true) {
            return self.discover(state);
        }
        let go_on =
            self.executor.collect(state, &self.decisions, &mut self.result, self.observer, self.options);
        if !go_on {
            return Go::Stop;
        }
        self.discovered.extend(self.executor.scout_behind_failure(state, &self.decisions));
        if self.options.max_executions.is_some_and(|max| self.result.progress.executions >= max)
            && self.anything_left()
        {
            self.result.cut(Incomplete {
                reason: "max-executions",
                what: String::new(),
                span: SpanId::UNKNOWN,
            });
            self.discover(state);
            return Go::Stop;
        }
        self.discover(state)
    }

    fn anything_left(&self) -> bool {
        self.stack.iter().any(|point| match point {
            Point::Schedule(schedule) => schedule.next().is_some(),
            Point::Ways(ways) => !ways.left.is_empty(),
        })
    }

    /// Notes what this execution found to be shared, and which threads there are; then the walk begins anew at once.
    fn discover(&mut self, state: &State<E>) -> Go {
        self.discovered.extend(state.discovered.iter().copied());
        self.discovered.extend(self.unfinished.shared(state));
        self.has_renumbered |= self.executor.learn_numbers(state);
        if self.discovered.is_empty() && !self.has_renumbered { Go::On } else { Go::Stop }
    }

    /// Looks at the clock at once: what comes next takes long.
    fn look_now(&mut self) -> Go {
        self.looks.hasten();
        self.look()
    }

    fn look(&mut self) -> Go {
        if !self.looks.is_due(self.executor.counters.instructions) {
            return Go::On;
        }
        let mut progress = self.result.progress;
        progress.events = self.executor.counters.events;
        progress.instructions = self.executor.counters.instructions;
        progress.open = self.stack.len() as u64;
        // What is left along recorded paths has little to do with how wide the tree is.
        if self.executor.machine.options.guide.is_none() {
            let passed = self.stack.iter().rev().map(Point::passed);
            progress.done = Some(Done::estimate(self.executed(), passed));
        }
        match self.observer.progress(&progress) {
            None => Go::On,
            Some(reason) => {
                self.result.progress.done = progress.done;
                self.result.cut(Incomplete { reason, what: String::new(), span: SpanId::UNKNOWN });
                Go::Stop
            }
        }
    }

    /// Executions so far, those given up included.
    fn executed(&self) -> u64 {
        self.executed_before + self.result.progress.executions + self.result.progress.blocked
    }

    fn backtrack(&mut self) -> Backtrack<E> {
        let executed = self.executed();
        loop {
            if !self.resumed.as_slice().is_empty() {
                self.lead_elsewhere();
            }
            if self.stopped
                || executed >= self.patience
                || self.result.incomplete.iter().any(|cut| ends_exploration(cut.reason))
            {
                return Backtrack::Stopped;
            }
            let Some(top) = self.stack.last_mut() else { return Backtrack::Finished };
            match top {
                Point::Ways(ways) => {
                    let Some(way) = ways.left.pop() else {
                        self.stack.pop();
                        continue;
                    };
                    self.is_explored = false;
                    ways.since.next(executed);
                    self.order.truncate(ways.events);
                    self.decisions.truncate(ways.decisions);
                    self.decisions.extend(way.alternative().map(Decision::Choose));
                    let thread = way.thread();
                    let (mut state, step) = way.enter(self.executor);
                    return match self.settle(&mut state, thread, step) {
                        Taken::Done => {
                            let (sleep, previous) = self.after_step();
                            Backtrack::Resumed(state, sleep, previous)
                        }
                        Taken::Ended => self.ended(&state),
                    };
                }
                Point::Schedule(point) => {
                    let tried = (point.chosen, std::mem::take(&mut point.footprint));
                    point.sleep.push(tried);
                    let Some(agent) = point.next() else {
                        self.stack.pop();
                        continue;
                    };
                    let mut state = point.state.clone().expect("there was a choice");
                    self.executor.counters.forks += 1;
                    point.chosen = agent;
                    self.is_explored = false;
                    point.since.next(executed);
                    point.footprint = self.executor.footprint(&state, agent);
                    self.order.truncate(point.events);
                    self.decisions.truncate(point.decisions);
                    return match self.take(&mut state, agent) {
                        Taken::Done => {
                            let (sleep, previous) = self.after_step();
                            Backtrack::Resumed(state, sleep, previous)
                        }
                        Taken::Ended => self.ended(&state),
                    };
                }
            }
        }
    }

    fn ended(&mut self, state: &State<E>) -> Backtrack<E> {
        match self.discover(state) {
            Go::On => Backtrack::Ended,
            Go::Stop => Backtrack::Stopped,
        }
    }
}

enum Taken {
    Done,
    Ended,
}

#[allow(clippy::large_enum_variant)] // moved once, at once
enum Backtrack<E: Environment> {
    Finished,
    Stopped,
    Resumed(State<E>, Vec<(Agent, Footprint)>, Option<ThreadId>),
    Ended,
}
