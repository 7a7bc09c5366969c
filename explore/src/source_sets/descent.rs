//! Descent: the present path is extended step by step to the end of an execution, with a choice point
//! wherever there is a choice.

use super::grain::Grain;
use super::point::{Point, SavedPoint, Schedule, Ways};
use super::{Go, Walk};
use crate::bounds::estimate::Since;
use crate::driver::fork::Way;
use crate::execution;
use crate::exit_checks;
use crate::recorded::order::{first_as_recorded, first_way_as_recorded};
use crate::replays::lookahead;
use crate::source_sets::limits::COARSE_PAUSES;
use crate::source_sets::limits::MOST_IN_A_ROW;
use smallvec::{SmallVec, smallvec};
use symx_interp::environment::Environment;
use symx_interp::progress::livelock::LongRun;
use symx_interp::state::State;
use symx_interp::stop::Step;
use symx_trace::{Agent, Decision, Footprint, ThreadId};

/// The result of taking a step.
pub(super) enum Taken {
    /// It was taken to its end.
    Done,
    /// The execution goes no further.
    Ended,
}

/// The agent that takes the step, those that are to take it there, and since when.
type Choice = (Agent, SmallVec<[Agent; 8]>, Since);

impl<E: Environment> Walk<'_, '_, E> {
    /// Extends the present path to the end of an execution.
    pub(super) fn descend(
        &mut self,
        mut state: State<E>,
        mut sleep: Vec<(Agent, Footprint)>,
        mut previous: Option<ThreadId>,
    ) -> Go {
        self.loops.restart();
        if self.earlier.is_over() {
            self.earlier.descent = self.path.points.len();
        }
        let has_remedies = self.executor.machine.options.remedies.is_some();
        let keeps_history = self.executor.machine.model.keeps_history();
        loop {
            // Steps of a fix's that were none yet have held no thread back.
            if has_remedies && !state.discovered.is_empty() {
                return self.discover(&state);
            }
            if state.end.is_some() {
                return self.finish(&state);
            }
            if keeps_history && self.has_only_read_since(&state) {
                return self.leave_loop(state);
            }
            if self.look() == Go::Stop {
                return Go::Stop;
            }
            let enabled = self.executor.enabled(&state);
            if enabled.is_empty() {
                return self.stop_where_none_is_enabled(state);
            }
            if state.threads.len() == 1 && enabled.len() == 1 {
                // Events before there is a second thread race with nothing: no point to come back to.
                self.path.decisions.push(Decision::Run(enabled[0]));
                match self.step(&mut state, enabled[0]) {
                    Taken::Done => (sleep, previous) = self.path.after_step(self.options.bound.is_some()),
                    Taken::Ended => return self.discover(&state),
                }
                continue;
            }
            let spent = self.path.spent(self.options.bound);
            let candidates = self.candidates(&enabled, &sleep, previous, spent);
            let Some(chosen) = self.first_choice(&state, &candidates, previous) else {
                return self.block(state, &enabled);
            };
            let tried = if self.options.bound.is_some() { candidates } else { smallvec![chosen] };
            let choice = (chosen, tried, Since::now(self.executed()));
            let Some(choice) = self.choice(choice, &enabled, &mut sleep) else {
                return self.lead_elsewhere();
            };
            let chosen = choice.0;
            let sleep_here = std::mem::take(&mut sleep);
            if self.enter(&state, enabled, choice, (sleep_here, previous, spent)) == Go::Stop {
                return Go::Stop;
            }
            match self.take(&mut state, chosen) {
                Taken::Done => {}
                Taken::Ended => return self.discover(&state),
            }
            (sleep, previous) = self.path.after_step(self.options.bound.is_some());
            self.loops.count(chosen);
            if self.path.points.len() == self.earlier.descent {
                // An earlier process began to count here.
                self.loops.restart();
            }
            if self.may_run_on(&state) {
                return self.discover(&state);
            }
            if self.is_long_row() && self.executor.find_recorded_livelock(&mut state) {
                return self.finish(&state);
            }
            if !keeps_history
                && self.path.points.len() > self.earlier.descent
                && (self.spins(&state, chosen) || self.has_undone_steps(&state, chosen))
            {
                return self.leave_loop(state);
            }
        }
    }

    /// Puts a scheduling point on the path. What it tries, and why, is a `choice`.
    fn enter(
        &mut self,
        state: &State<E>,
        enabled: SmallVec<[Agent; 8]>,
        (chosen, backtrack, since): Choice,
        (sleep, previous, spent): (Vec<(Agent, Footprint)>, Option<ThreadId>, u32),
    ) -> Go {
        let keeps_history = self.executor.machine.model.keeps_history();
        let point = Schedule {
            state: (enabled.len() > 1 || keeps_history).then(|| state.clone()),
            backtrack,
            footprint: exit_checks::footprint(self.executor, state, chosen, self.options),
            enabled,
            sleep,
            chosen,
            sections: Footprint::new(),
            previous,
            spent,
            since,
            time_stamps: self.executor.counters.time_stamps,
            events: self.path.order.len(),
            decisions: self.path.decisions.len(),
        };
        self.path.points.push(Point::Schedule(Box::new(point)));
        self.is_too_long = self.path.points.len() > self.grain.most_steps();
        if self.is_too_long { Go::Stop } else { Go::On }
    }

    /// A choice, or the one that an earlier process made here; nothing if that does not fit. The sleep set
    /// then is known from there.
    fn choice(
        &mut self,
        now: Choice,
        enabled: &[Agent],
        sleep: &mut Vec<(Agent, Footprint)>,
    ) -> Option<Choice> {
        match self.earlier.points.next() {
            None => Some(now),
            Some(SavedPoint::Schedule { chosen, sleep: asleep, backtrack, since }) => {
                *sleep = asleep;
                enabled.contains(&chosen).then_some((chosen, backtrack, since))
            }
            Some(_) => None,
        }
    }

    /// Whether an execution may not terminate before it is known which memory is shared.
    fn may_run_on(&self, state: &State<E>) -> bool {
        self.is_long_row() && self.executor.machine.options.guide.is_none() && !state.discovered.is_empty()
    }

    /// Whether one thread has taken many steps in a row, or twice, four times as many.
    fn is_long_row(&self) -> bool {
        self.loops.in_a_row >= MOST_IN_A_ROW && self.loops.in_a_row.is_power_of_two()
    }

    /// Ends an execution in a state in which no agent is enabled.
    fn stop_where_none_is_enabled(&mut self, mut state: State<E>) -> Go {
        if self.executor.parked_too_early(&state) {
            return self.discover(&state);
        }
        if self.executor.find_recorded_livelock(&mut state) {
            return self.finish(&state);
        }
        if self.executor.held_by_guide(&state) {
            self.abandon();
            self.cut_short(&state);
            return self.discover(&state);
        }
        self.executor.stuck(&mut state);
        self.finish(&state)
    }

    /// Ends an execution in a state in which all enabled agents sleep, or are beyond the bound.
    fn block(&mut self, mut state: State<E>, enabled: &[Agent]) -> Go {
        // Threads that spin were left there.
        if self.loops.left > 0 && self.executor.find_livelock(&mut state, &[]) {
            return self.finish(&state);
        }
        self.abandon();
        // Agents that sleep were explored elsewhere, unless executions were cut short there. A thread that
        // waits might have come before what it waits for. Where the threads that would let it go on sleep, no
        // execution from here shows that.
        let seen_elsewhere = if self.unseen.has_cut_short { &[] } else { enabled };
        self.waiting_races(&state, seen_elsewhere);
        self.discover(&state)
    }

    /// The enabled agents that may run next: those that do not sleep, or that fit the bound.
    fn candidates(
        &mut self,
        enabled: &[Agent],
        sleep: &[(Agent, Footprint)],
        previous: Option<ThreadId>,
        spent: u32,
    ) -> SmallVec<[Agent; 8]> {
        let Some(bound) = self.options.bound else {
            let awake = |agent: &&Agent| !sleep.iter().any(|(asleep, _)| asleep == *agent);
            return enabled.iter().filter(awake).copied().collect();
        };
        let fits = |agent: &Agent| spent + bound.cost(enabled, previous, *agent) <= bound.most();
        let fitting: SmallVec<[Agent; 8]> = enabled.iter().copied().filter(fits).collect();
        if fitting.len() < enabled.len() {
            self.result.cut(bound.incomplete());
        }
        fitting
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
        if self.loops.in_a_row >= MOST_IN_A_ROW {
            let next = candidates.iter().find(|agent| Some(**agent) > same);
            return next.or_else(|| candidates.first()).copied();
        }
        same.or_else(|| candidates.first().copied())
    }

    /// Takes the step of the topmost scheduling point: notes the event, its races, its decision.
    pub(super) fn take(&mut self, state: &mut State<E>, agent: Agent) -> Taken {
        if self.begins_section(state, agent) {
            return self.take_section(state, agent.thread());
        }
        let Some(Point::Schedule(point)) = self.path.points.last() else {
            unreachable!("a scheduling point is on top")
        };
        let (footprint, node) = (point.footprint.clone(), self.path.points.len() - 1);
        self.deferred_races(state, agent);
        let races = self.path.order.push(agent, footprint, node);
        if self.options.bound.is_none() {
            for race in races {
                self.reverse(&race);
            }
        }
        if state.has_forked()
            && matches!(agent, Agent::Thread(thread) if state.thread(thread).is_about_to_end_all())
        {
            self.ended_races(state, agent.thread());
        }
        self.path.decisions.push(Decision::Run(agent));
        self.step(state, agent)
    }

    /// Has an agent take a step, to its end.
    fn step(&mut self, state: &mut State<E>, agent: Agent) -> Taken {
        let before = self.executor.follows_a_hang().then(|| state.clone());
        let step = self.executor.step(state, agent);
        let taken = self.settle(state, agent.thread(), step);
        if let Some(before) = before {
            self.executor.park_beyond_record(before, state, agent.thread());
        }
        taken
    }

    /// Follows a step to its end; forks become choice points.
    pub(super) fn settle(&mut self, state: &mut State<E>, thread: ThreadId, mut step: Step) -> Taken {
        let mut run = LongRun::default();
        loop {
            // A race that is seen before a choice is one of the step with the choice, which replays make.
            if !self.executor.notes.races.is_empty() && !matches!(step, Step::Choose(_)) {
                let (executor, result) = (&mut *self.executor, &mut self.result);
                self.stopped |=
                    !execution::collect_races(executor, state, &self.path.decisions, result, self.options);
            }
            step = match step {
                Step::Done if self.stopped => return Taken::Ended,
                Step::Done => return Taken::Done,
                Step::Paused => {
                    run.pauses += 1;
                    self.learned.sites.extend(lookahead::scout(self.executor, state, thread, run.pauses));
                    let is_lost = self.grain == Grain::Coarse
                        && run.pauses > COARSE_PAUSES
                        && state.thread(thread).guide.as_ref().is_none_or(|cursor| cursor.is_free());
                    if is_lost
                        || self.look_now() == Go::Stop
                        || !self.learned.sites.is_empty()
                        || !state.discovered.is_empty()
                    {
                        self.stopped = true;
                        return Taken::Ended;
                    }
                    if self.executor.never_parks(state, thread, &mut run) {
                        return Taken::Done;
                    }
                    self.path.decisions.push(Decision::Run(Agent::Thread(thread)));
                    self.executor.resume(state, thread, false)
                }
                Step::Pruned if self.executor.leave_at_end_of_record(state, thread) => return Taken::Done,
                Step::Pruned => {
                    self.leave(state, thread);
                    return Taken::Ended;
                }
                Step::Halted(reason) => {
                    self.result.cut(reason.into());
                    self.stopped = true;
                    return Taken::Ended;
                }
                Step::Cut(incomplete) => {
                    self.close_section();
                    self.result.cut(incomplete);
                    self.cut_short(state);
                    return Taken::Ended;
                }
                // A thread may fork again and again without a visible step.
                Step::Fork { .. } | Step::Choose(_) if self.look() == Go::Stop => {
                    self.stopped = true;
                    return Taken::Ended;
                }
                Step::Fork { ref ways, .. } => {
                    if self.options.bounds_forks()
                        && let span = self.executor.position(state, thread)
                        && let Some(cut) =
                            self.options.forbids_fork(&self.forks_so_far(), self.path.depth(), span)
                    {
                        self.close_section();
                        self.result.cut(cut);
                        self.cut_short(state);
                        return Taken::Ended;
                    }
                    if self.earlier.is_over() && !self.is_known_below() {
                        self.result.progress.paths += ways.len() as u64 - 1;
                    }
                    self.branch(state, thread, step)
                }
                Step::Choose(_) => self.branch(state, thread, step),
            };
        }
    }

    /// Ends an execution in which a thread leaves what is explored.
    fn leave(&mut self, state: &mut State<E>, thread: ThreadId) {
        self.executor.note_departure(state, thread);
        self.close_section();
        // Ever more seldom, the more executions end so.
        if self.abandon() && self.blocked().is_power_of_two() {
            let found = self.result.progress.executions > 0;
            let shared = lookahead::scout_after_left_path(self.executor, state, thread, found);
            self.learned.sites.extend(shared);
        }
        self.cut_short(state);
    }

    /// Goes the first way of a fork; the others wait on the stack.
    fn branch(&mut self, state: &mut State<E>, thread: ThreadId, fork: Step) -> Step {
        let depth = self.path.depth() + u32::from(matches!(fork, Step::Fork { .. }));
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
        match self.earlier.points.next() {
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
        let (events, decisions) = (self.path.order.len(), self.path.decisions.len());
        let section = self.path.section.clone();
        self.path.points.push(Point::Ways(Ways { left, known, since, depth, events, decisions, section }));
        self.executor.counters.forks += 1;
        self.path.decisions.extend(first.alternative().map(Decision::Choose));
        first.go_on(self.executor, state)
    }
}
