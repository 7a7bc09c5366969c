//! Taking the steps of a plan: back to where it leaves the run, known steps again, and those that
//! lead to its event.

use crate::reads_from::choice_points::plan::{Comes, Foreseen};
use crate::reads_from::graph::event::{Ended, Event, Kind};
use crate::reads_from::graph::index::Index;
use crate::reads_from::graph::run::RunStep;
use crate::reads_from::graph::way_back::Before;
use crate::reads_from::{Halt, Node, Plan, PlannedStep, Walk, Why};
use smallvec::SmallVec;
use std::vec::IntoIter;
use symx_interp::caches::transitions::{Undo, Unput};
use symx_interp::environment::Environment;
use symx_interp::state::State;
use symx_memmodel::Lane;
use symx_trace::{Agent, Decision, ThreadId};

/// An operation touches other things than where it came at another time.
pub(in crate::reads_from) const DEPENDENT: Halt =
    Halt::Beyond("operations that touch what depends on other threads");

impl<E: Environment> Walk<'_, '_, E> {
    /// Takes back what is not part of a plan and takes its steps. `None` if it turns out to lead nowhere.
    pub(in crate::reads_from) fn follow(
        &mut self,
        node: &mut Node,
        plan: &Plan,
        foreseen: Foreseen,
    ) -> Result<Option<State<E>>, Halt> {
        let base = node.base;
        let is_common = |at: &usize| match (self.path.run.get(*at), plan.steps.get(*at)) {
            (Some(taken), Some(planned)) => usize::from(taken.event) < base && taken.is(planned),
            _ => false,
        };
        let common = (0..).take_while(is_common).count().min(self.path.run.len() - 1);
        let start = self.last_reachable(common)?;
        let mut unput = Unput::default();
        let mut state = self.go_back(start, &mut unput)?;
        self.forget(base);
        self.choosing.follow(plan);
        let mut foreseen = foreseen.into_iter();
        let mut repeats = self.executor.repeats_steps(&state);
        // Steps up to there were counted when they were first taken. How many are taken again depends on
        // which were known.
        let counted = self.executor.counters;
        for (at, planned) in plan.steps.iter().enumerate().skip(start) {
            if at == common {
                self.executor.counters.restore(counted);
            }
            let retakes = repeats && !self.executor.machine.options.audits_known_steps;
            let is_retaken = match planned.commits {
                _ if !retakes => false,
                true => self.recommit(&mut state, planned, &mut unput)?,
                false => self.retake(&mut state, planned, &mut unput),
            };
            if is_retaken {
                continue;
            }
            // Steps that are only taken again take no time to speak of.
            self.look()?;
            unput.put(&mut state);
            let is_aim = (planned.thread, planned.ordinal) == (plan.thread, plan.ordinal);
            let comes = if is_aim { Comes::AsPlanned } else { Comes::OnTheWay };
            let is_taken = match self.take(&mut state, planned, &mut foreseen, comes) {
                // Behind an operation that touches other things, what touches them differs, too.
                Err(Halt::Contradiction(_)) if self.touches_others(plan) => return Err(DEPENDENT),
                taken => taken?,
            };
            if !is_taken {
                return Ok(None);
            }
            let is_on_the_way = at + 1 < plan.steps.len();
            if is_on_the_way && self.has_stopped_short(planned) {
                // The steps that follow were to observe it. The failure is reported already.
                return Ok(None);
            }
            repeats = self.executor.repeats_steps(&state);
        }
        if common == plan.steps.len() {
            self.executor.counters.restore(counted);
        }
        unput.put(&mut state);
        if let Why::Stays(end) = plan.why {
            self.stay(&state, plan, end)?;
        }
        let goes_on = self.arrive(node, plan)?;
        Ok(goes_on.then_some(state))
    }

    /// Makes the event that a plan has led to that of its choice point. False if nothing new follows it.
    fn arrive(&mut self, node: &mut Node, plan: &Plan) -> Result<bool, Halt> {
        let base = node.base;
        let reached = self.graph.threads[plan.thread.index()].events.get(plan.ordinal as usize).copied();
        let Some(reached) = reached.filter(|index| usize::from(*index) >= base) else {
            return Err(Halt::Contradiction("a plan without its event"));
        };
        node.event = reached;
        let event = &self.graph.events[usize::from(reached)];
        if !self.is_planned(event, plan) {
            let touches_others = self.touches_others(plan);
            return Err(if touches_others { DEPENDENT } else { Halt::Contradiction("another source") });
        }
        if let (Why::Source | Why::Theft, Some(end), true) = (plan.why, event.end, event.stays()) {
            if end != Ended::Late && !self.is_overtaken(node, event) {
                self.stay_once(node, end)?;
            }
            return Ok(false);
        }
        self.propose_choices(node, || plan.steps.clone());
        Ok(true)
    }

    /// Whether an event is the one that a plan is for.
    fn is_planned(&self, event: &Event, plan: &Plan) -> bool {
        match plan.why {
            Why::Rival => self.name_before_choice(event) == plan.name,
            Why::Choice => event.name == plan.name,
            Why::Source | Why::Theft => {
                let mut reads = event.touches.iter().filter(|touch| touch.reads);
                reads.any(|touch| self.name_of_source(touch.source) == plan.name)
            }
            Why::Stays(_) => true,
        }
    }

    /// Whether the event that a plan is for touches other places than where it came at another time.
    fn touches_others(&self, plan: &Plan) -> bool {
        let reached = self.graph.threads[plan.thread.index()].events.get(plan.ordinal as usize);
        let places = reached.map(|index| self.places_of(&self.graph.events[usize::from(*index)]));
        plan.places.is_some() && places.is_some() && plan.places != places
    }

    /// Whether the event of a planned step has failed, or its execution is not followed further.
    fn has_stopped_short(&self, planned: &PlannedStep) -> bool {
        let event = self.graph.threads[planned.thread.index()].events.get(planned.ordinal as usize);
        let end = event.and_then(|index| self.graph.events[usize::from(*index)].end);
        !planned.commits && matches!(end, Some(Ended::Failed | Ended::Blocked))
    }

    /// Takes a planned step. False if it cannot be taken.
    fn take(
        &mut self,
        state: &mut State<E>,
        planned: &PlannedStep,
        foreseen: &mut IntoIter<Option<Event>>,
        comes: Comes,
    ) -> Result<bool, Halt> {
        let thread = planned.thread;
        if planned.commits {
            let (_, lane) = self.to_commit(state, planned)?;
            self.commit(state, thread, lane.0)?;
            return Ok(true);
        }
        if self.graph.threads.get(thread.index()).is_none_or(|log| log.executed != planned.ordinal)
            || state.threads.get(thread.index()).is_none_or(|thread| thread.is_to_come)
        {
            return Err(Halt::Contradiction("a thread elsewhere"));
        }
        if self.take_again(state, thread, planned.ordinal)? {
            return Ok(true);
        }
        while self.is_settled(state, thread)? {
            if !self.perform_settled(state, thread)? || state.end.is_some() {
                return Err(Halt::Contradiction("an end on the way"));
            }
        }
        if !self.executor.can_step(state, state.thread(thread)) {
            return Ok(false);
        }
        let is_known = self.graph.threads[thread.index()].events.len() > planned.ordinal as usize;
        let next = if is_known { None } else { foreseen.next().flatten() };
        if let Some(event) = &next
            && !self.comes_now(state, event, thread, planned.ordinal)
        {
            *foreseen = Foreseen::new().into_iter();
            return self.perform(state, thread, comes, None).map(|()| true);
        }
        let is_new = !is_known && next.is_none();
        self.perform(state, thread, comes, next)?;
        Ok(is_new || self.graph.threads[thread.index()].executed > planned.ordinal)
    }

    /// The event whose store a planned step commits, and its lane.
    fn to_commit(&self, state: &State<E>, planned: &PlannedStep) -> Result<(Index, Lane), Halt> {
        let PlannedStep { thread, ordinal, .. } = *planned;
        let Some(event) = self.graph.threads[thread.index()].events.get(ordinal as usize).copied() else {
            return Err(Halt::Contradiction("a store not issued"));
        };
        let lane = self.lane_of(event)?;
        let next = state.thread(thread).buffer.next_in(self.executor.machine.model, lane);
        match next.is_some_and(|store| self.issued(thread, store.event) == Ok(event)) {
            true => Ok((event, lane)),
            false => Err(Halt::Contradiction("a store that cannot leave")),
        }
    }

    /// Commits a planned store if it is known what that comes to; what it leaves in memory is still to be put
    /// there.
    fn recommit(
        &mut self,
        state: &mut State<E>,
        planned: &PlannedStep,
        unput: &mut Unput,
    ) -> Result<bool, Halt> {
        if self.path.run.is_empty() {
            return Ok(false);
        }
        let log = &self.graph.threads[planned.thread.index()];
        let known = log.events.get(planned.ordinal as usize).copied();
        let issued = log.stores.iter().rev().find(|(_, issued)| Some(*issued) == known);
        if let Some((issued, event)) = issued.copied() {
            let taken = (&self.graph.taken, usize::from(event));
            if let Some((lane, undo)) = self.executor.recommit(state, unput, issued, taken) {
                self.note_commit(event, lane.0, Before::Undo(undo));
                return Ok(true);
            }
        }
        let (event, lane) = self.to_commit(state, planned)?;
        let undo = self.executor.commit_known(state, planned.thread, lane, Some(unput));
        let Some(undo) = undo else { return Ok(false) };
        let taken = (&mut self.graph.taken, usize::from(event));
        self.executor.note_committed(taken, state, lane, &undo);
        self.note_commit(event, lane.0, Before::Undo(undo));
        Ok(true)
    }

    /// Takes a planned step, where [steps repeat](symx_interp::machine::Executor::repeats_steps), if it is
    /// that of a known event that finds its sources, and its result is noted. It is what
    /// [`take_again`](Self::take_again) would do; the numbers that the step leaves in memory are still to be
    /// put there.
    fn retake(&mut self, state: &mut State<E>, planned: &PlannedStep, unput: &mut Unput) -> bool {
        let PlannedStep { thread, ordinal, commits } = *planned;
        let Some(log) = self.graph.threads.get(thread.index()).filter(|log| log.executed == ordinal) else {
            return false;
        };
        let Some(index) = log.events.get(ordinal as usize).copied() else { return false };
        if commits
            || self.path.run.is_empty()
            || !self.observes_the_same(state, index)
            || self.commits_own_next(state, thread)
        {
            return false;
        }
        let issued = state.thread(thread).stores_issued;
        let taken = (&mut self.graph.taken, usize::from(index));
        let Some(undo) = self.executor.retake(state, unput, thread, taken) else { return false };
        // An operation that others can see is a step of its own everywhere.
        self.path.decisions.push(Decision::Run(Agent::Thread(thread)));
        self.note_known_step(index, issued, self.path.decisions.len() - 1, undo);
        true
    }

    /// Makes the known step of an event part of the run. The thread had issued `issued` stores before.
    fn note_known_step(&mut self, event: Index, issued: u32, decisions: usize, undo: Undo<E>) {
        let Event { thread, ordinal, is_buffered, .. } = self.graph.events[usize::from(event)];
        let log = &mut self.graph.threads[thread.index()];
        log.executed += 1;
        if is_buffered {
            log.stores.push((issued, event));
        }
        let overwritten = if is_buffered { SmallVec::new() } else { self.overwrite(event) };
        self.path.run.push(RunStep {
            thread,
            ordinal,
            commits: false,
            event,
            takes_effect: !is_buffered,
            decisions,
            overwritten,
            before: Before::Undo(undo),
        });
    }

    /// Takes the step of a known event once more if that is an access to memory, finds its sources, and its
    /// result is known. It is what [`perform`](Self::perform) would do.
    fn take_again(&mut self, state: &mut State<E>, thread: ThreadId, ordinal: u32) -> Result<bool, Halt> {
        let Some(index) = self.graph.threads[thread.index()].events.get(ordinal as usize).copied() else {
            return Ok(false);
        };
        let event = &self.graph.events[usize::from(index)];
        let is_access = matches!(event.kind, Kind::Load(_) | Kind::Store(_) | Kind::Update(_));
        if !is_access
            || event.spins
            || state.unjoined <= 1
            || self.path.run.is_empty()
            || !self.observes_the_same(state, index)
        {
            return Ok(false);
        }
        let is_elsewhere = self.is_step_elsewhere(state, thread);
        let issued = state.thread(thread).stores_issued;
        let Some(undo) = self.executor.step_known(state, thread) else { return Ok(false) };
        self.executor.note_taken(&mut self.graph.taken, usize::from(index), state, thread);
        let decisions = self.path.decisions.len();
        if is_elsewhere {
            self.path.decisions.push(Decision::Run(Agent::Thread(thread)));
        }
        self.note_known_step(index, issued, decisions, undo);
        self.commit_own(state, thread)?;
        Ok(true)
    }

    /// Forgets all events from number `length` on.
    fn forget(&mut self, length: usize) {
        for event in self.graph.events[length..].iter().rev() {
            for touch in &event.touches {
                let writes = &mut self.graph.writes[touch.location as usize];
                while writes.last().is_some_and(|last| usize::from(*last) >= length) {
                    writes.pop();
                }
            }
            self.graph.threads[event.thread.index()].events.truncate(event.ordinal as usize);
        }
        self.graph.events.truncate(length);
        self.graph.taken.truncate(length);
        let known = self.graph.life_ends.partition_point(|end| usize::from(*end) < length);
        self.graph.life_ends.truncate(known);
        self.graph.forget_phases(length);
    }
}

impl<E: Environment> RunStep<E> {
    fn is(&self, planned: &PlannedStep) -> bool {
        (self.thread, self.ordinal, self.commits) == (planned.thread, planned.ordinal, planned.commits)
    }
}
