//! Running threads along their recorded paths.

use super::deferred_steps::{DeferredSteps, too_early};
use super::not_traced;
use super::repair::Repairs;
use super::woken_first::{WokenFirst, mark, take_back};
use crate::driver::{self, Obstacle};
use crate::recorded::limits::MOST_RETRIES;
use crate::recorded::order::{begins_to_wait, first_as_recorded, when_recorded};
use crate::replays::lookahead;
use crate::replays::symbolic_replay;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use symx_expr::{StopToken, Term};
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::memory::Site;
use symx_interp::state::{End, State};
use symx_interp::symbolic_trace::{Guesses, Mark};
use symx_interp::threads::thread::{Action, Thread};
use symx_interp::tracing::NotTraced;
use symx_trace::{Access, Agent, Failure, FailureKind, Mode, ThreadId};

/// The result of running the threads.
pub(super) enum FollowResult {
    /// The failure in which the recorded run ended.
    Failure(Failure),
    /// A thread diverges from its path, or does not fail where it should, whatever its last step reads.
    Deviation { thread: ThreadId },
    /// Threads wait that went on in the recorded run: other steps came too early.
    TooEarly(DeferredSteps),
    /// Something else.
    Nothing(&'static str),
}

/// The result of a step.
enum Stepped {
    Done,
    /// It leads beyond the thread's record.
    Beyond,
    /// It leaves the recorded path.
    Off,
}

/// How urgently an agent goes on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Urgency {
    /// Its record goes on for certain.
    GoesOn,
    /// A store that waits in a buffer.
    Store,
    /// Its record does not say that it went on.
    MayHaveStopped,
    /// A value that it read led off its path.
    Stalled,
    /// Its next step is one that comes too early otherwise.
    Deferred,
}

/// Threads on their way along recorded paths.
pub(super) struct Run<'r, 'm, E: Environment> {
    pub executor: Executor<'m, E>,
    pub state: State<E>,
    repairs: &'r mut Repairs,
    /// Steps that come as late as they can.
    pub(super) deferred: DeferredSteps,
    /// Chooses the agent that goes on, in place of the recorded clock.
    random: Option<fastrand::Rng>,
    /// The thread that stands before its failure.
    failing: Option<ThreadId>,
    /// Threads that would leave their paths if they went on now.
    stalled: Vec<ThreadId>,
    /// Sites found to be shared in steps that were taken back.
    discovered: FxHashSet<Site>,
    /// By thread number, how many of its events happened for certain.
    certain: Vec<usize>,
    /// Threads that went on, though their records do not say so, as no other could.
    perhaps: Vec<ThreadId>,
    again: Again<E>,
}

/// The step that was taken again last.
struct Again<E: Environment> {
    thread: ThreadId,
    /// How many events the thread had before.
    events: usize,
    /// For each way that it took: that it does not go that way.
    other_ways: Vec<Term>,
    /// Where those ways led.
    off_path: Vec<State<E>>,
}

impl<E: Environment> Again<E> {
    fn new(thread: ThreadId, events: usize) -> Self {
        Self { thread, events, other_ways: Vec::new(), off_path: Vec::new() }
    }
}

impl<'r, 'm, E: Environment> Run<'r, 'm, E> {
    pub(super) fn new(
        executor: Executor<'m, E>,
        state: State<E>,
        order: u64,
        repairs: &'r mut Repairs,
    ) -> Self {
        repairs.begin();
        Self {
            executor,
            state,
            repairs,
            deferred: DeferredSteps::default(),
            random: (order > 0).then(|| fastrand::Rng::with_seed(order)),
            failing: None,
            stalled: Vec::new(),
            discovered: FxHashSet::default(),
            certain: Vec::new(),
            perhaps: Vec::new(),
            again: Again::new(ThreadId::MAIN, 0),
        }
    }

    /// Sites that threads were found to share.
    pub(super) fn discovered(&self) -> impl Iterator<Item = Site> + '_ {
        self.discovered.iter().chain(&self.state.discovered).copied()
    }

    /// Sites found to be shared on the way of the step that led off its thread's path each time.
    pub(super) fn shared_off_path(&mut self, thread: ThreadId) -> Vec<Site> {
        let left = std::mem::take(&mut self.again.off_path);
        let mut found =
            left.iter().map(|state| lookahead::scout_off_paths(&mut self.executor, state, thread));
        found.find(|sites| !sites.is_empty()).unwrap_or_default()
    }

    /// The executor, the last state, and by thread number how many events happened for certain.
    pub(super) fn into_parts(self) -> (Executor<'m, E>, State<E>, Vec<usize>) {
        (self.executor, self.state, self.certain)
    }

    /// Runs all threads as far as their records go, the failing one last.
    pub(super) fn follow_paths(&mut self, stop: &StopToken) -> Result<FollowResult, NotTraced> {
        while let Some((agent, urgency)) = self.next() {
            if stop.is_over() {
                return Err(not_traced("recorded paths within the time given"));
            }
            if let Some(result) = self.go_on(agent, urgency)? {
                return Ok(result);
            }
        }
        self.end_all_paths()
    }

    /// Takes a step of an agent, and takes it back where it does not fit the records. Returns the result of
    /// the execution, if that ends it.
    fn go_on(&mut self, agent: Agent, urgency: Urgency) -> Result<Option<FollowResult>, NotTraced> {
        let thread = agent.thread();
        let events = self.event_count();
        let before = self.state.clone();
        let mark = self.mark(thread);
        match self.step(agent)? {
            Stepped::Done if self.state.end.is_some() => {
                return Ok(self.meet_end(thread, urgency, before, &mark));
            }
            Stepped::Done => {
                if self.event_count() > events {
                    self.stalled.clear();
                }
                self.note_progress(&before, thread);
                match urgency {
                    Urgency::MayHaveStopped => self.perhaps.push(thread),
                    Urgency::GoesOn => self.note_that_others_went_on(),
                    _ => {}
                }
            }
            // Others may have gone on because of it.
            Stepped::Beyond
                if lets_others_go_on(before.thread(thread))
                    && self.executor.leave_at_end_of_record(&mut self.state, thread) =>
            {
                self.stalled.clear();
            }
            Stepped::Beyond => {
                self.take_back(before, &mark);
                if let Some(cursor) = &mut self.state.thread_mut(thread).guide {
                    cursor.finished = true;
                }
            }
            // Whether it went that way before the process ended is not known.
            Stepped::Off if self.is_uncertain(thread) => {
                self.take_back(before, &mark);
                if let Some(cursor) = &mut self.state.thread_mut(thread).guide {
                    cursor.free = true;
                }
            }
            // The value that it reads may be written yet.
            Stepped::Off if urgency != Urgency::Stalled => {
                self.take_back(before, &mark);
                self.stalled.push(thread);
            }
            Stepped::Off if !self.repair(thread, before, &mark) => {
                return Ok(Some(FollowResult::Deviation { thread }));
            }
            Stepped::Off => {}
        }
        Ok(None)
    }

    /// After a step of `thread` that has ended the execution: takes it back, or returns the result.
    fn meet_end(
        &mut self,
        thread: ThreadId,
        urgency: Urgency,
        before: State<E>,
        mark: &Mark,
    ) -> Option<FollowResult> {
        let guide = self.executor.machine.options.guide.as_ref();
        match &self.state.end {
            None => {}
            Some(End::Failed(failure)) if guide.is_some_and(|guide| guide.accepts(&self.state, failure)) => {
                // The others go on first.
                self.keep_what_was_read(thread, mark);
                self.take_back(before, mark);
                self.failing = Some(thread);
            }
            // It was not so far yet.
            Some(End::Exit(_)) if urgency == Urgency::MayHaveStopped => {
                self.take_back(before, mark);
                if let Some(cursor) = &mut self.state.thread_mut(thread).guide {
                    cursor.finished = true;
                }
            }
            Some(End::Failed(_) | End::Exit(_)) if urgency != Urgency::Stalled => {
                self.take_back(before, mark);
                self.stalled.push(thread);
            }
            Some(End::Failed(_)) => {
                let is_repaired = self.repair(thread, before, mark);
                return (!is_repaired).then_some(FollowResult::Deviation { thread });
            }
            Some(End::Exit(_)) => return Some(FollowResult::Nothing("an exit before the recorded failure")),
        }
        None
    }

    /// Where all threads are as far as their records go, the failing one fails.
    fn end_all_paths(&mut self) -> Result<FollowResult, NotTraced> {
        let guide = self.executor.machine.options.guide.clone().expect("asked for before");
        let culprit = |state: &State<E>| {
            let name = guide.failing_thread()?;
            state.threads.iter().find(|thread| thread.name.to_string() == name).map(|thread| thread.id)
        };
        let failing = self.failing.or_else(|| culprit(&self.state));
        let is_at_end = |thread: &Arc<Thread<E>>| {
            thread.exited
                || Some(thread.id) == failing
                || thread.guide.as_ref().is_none_or(|cursor| guide.is_followed(&thread.name, cursor))
        };
        let waiting = self.state.threads.iter().filter(|thread| !is_at_end(thread)).map(|thread| thread.id);
        let waiting: Vec<ThreadId> = waiting.collect();
        if !waiting.is_empty() {
            return Ok(self.wait(&waiting, "an order of synchronisation in which threads wait that went on"));
        }
        match failing {
            Some(thread) => self.fail(thread),
            None => Ok(self.all_wait()),
        }
    }

    /// Last of all the failing thread fails.
    fn fail(&mut self, thread: ThreadId) -> Result<FollowResult, NotTraced> {
        let guide = self.executor.machine.options.guide.clone().expect("asked for before");
        if let Some(cursor) = &mut self.state.thread_mut(thread).guide {
            cursor.finished = false;
        }
        let agent = Agent::Thread(thread);
        if !self.executor.enabled(&self.state).contains(&agent) {
            return Ok(self.wait(&[thread], "an order of synchronisation in which the failing thread waits"));
        }
        loop {
            let before = self.state.clone();
            let mark = self.mark(thread);
            self.step(agent)?;
            if let Some(End::Failed(failure)) = &self.state.end
                && guide.accepts(&self.state, failure)
            {
                return Ok(FollowResult::Failure((**failure).clone()));
            }
            if !self.repair(thread, before, &mark) {
                return Ok(FollowResult::Deviation { thread });
            }
        }
    }

    /// These threads wait that went on, and no other is enabled; the `reason` holds if nothing is known that
    /// would help.
    fn wait(&self, waiting: &[ThreadId], reason: &'static str) -> FollowResult {
        let early = too_early(&self.executor, &self.state, &self.deferred, waiting);
        if early.is_empty() { FollowResult::Nothing(reason) } else { FollowResult::TooEarly(early) }
    }

    /// No thread is enabled, and none was seen to fail.
    fn all_wait(&mut self) -> FollowResult {
        self.executor.stuck(&mut self.state);
        let guide = self.executor.machine.options.guide.as_ref();
        match &self.state.end {
            Some(End::Failed(failure))
                if failure.kind == FailureKind::Deadlock
                    && guide.is_some_and(|guide| guide.accepts(&self.state, failure)) =>
            {
                FollowResult::Failure((**failure).clone())
            }
            _ => FollowResult::Nothing("an order of synchronisation in which threads wait that went on"),
        }
    }

    fn mark(&self, thread: ThreadId) -> Mark {
        mark(&self.executor, thread)
    }

    fn event_count(&self) -> usize {
        self.executor.notes.tracer.as_ref().map_or(0, |tracer| tracer.order.len())
    }

    /// The agent that goes on, as the recorded clock says.
    fn next(&mut self) -> Option<(Agent, Urgency)> {
        let guide = self.executor.machine.options.guide.as_ref()?;
        let enabled = self.executor.enabled(&self.state);
        let is_beyond = |agent: &Agent| {
            let thread = self.state.thread(agent.thread());
            let cursor = thread.guide.as_ref();
            !agent.is_buffer() && cursor.is_some_and(|cursor| guide.is_beyond_calls(&thread.name, cursor))
        };
        // A call that waits has its stamp when it is over. Whether it had begun, and released what others
        // wait for, is unknown.
        let may_have_begun = |agent: &Agent| begins_to_wait(&self.executor, &self.state, *agent);
        let is_over = |agent: &Agent| is_beyond(agent) && !may_have_begun(agent);
        let candidates = enabled.into_iter();
        let candidates = candidates.filter(|agent| Some(agent.thread()) != self.failing && !is_over(agent));
        // A step with a stamp was taken.
        let is_stamped = |agent: &Agent| when_recorded(&self.executor, guide, &self.state, *agent) < u64::MAX;
        let urgency = |agent: &Agent| {
            let thread = self.state.thread(agent.thread());
            match &thread.guide {
                _ if agent.is_buffer() => Urgency::Store,
                _ if self.stalled.contains(&thread.id) => Urgency::Stalled,
                _ if self.is_deferred(thread) => Urgency::Deferred,
                Some(_) if is_stamped(agent) => Urgency::GoesOn,
                Some(_) if is_beyond(agent) => Urgency::MayHaveStopped,
                Some(cursor) if guide.is_followed(&thread.name, cursor) => Urgency::MayHaveStopped,
                _ => Urgency::GoesOn,
            }
        };
        let ranked: Vec<(Urgency, Agent)> = candidates.map(|agent| (urgency(&agent), agent)).collect();
        let most = ranked.iter().map(|(urgency, _)| *urgency).min()?;
        let urgent = ranked.into_iter().filter(|(urgency, _)| *urgency == most);
        let urgent: Vec<Agent> = urgent.map(|(_, agent)| agent).collect();
        let chosen = match &mut self.random {
            Some(random) => urgent[random.usize(..urgent.len())],
            None => first_as_recorded(&self.executor, guide, &self.state, &urgent)?,
        };
        Some((chosen, most))
    }

    fn is_deferred(&self, thread: &Thread<E>) -> bool {
        let events = || self.executor.notes.tracer.as_ref().map_or(0, |tracer| tracer.count(thread.id));
        !self.deferred.is_empty() && self.deferred.contains(&(thread.name.clone(), events()))
    }

    /// Notes that all the thread has done happened for certain if its record says that it went on after that.
    fn note_progress(&mut self, before: &State<E>, thread: ThreadId) {
        let Some(guide) = self.executor.machine.options.guide.as_ref() else { return };
        let now = self.state.thread(thread);
        let had = before.threads.get(thread.index()).and_then(|thread| thread.guide.as_ref());
        let (Some(had), Some(has)) = (had, &now.guide) else { return };
        if now.exited || guide.has_gone_on(&now.name, had, has) {
            self.note_certain(thread);
        }
    }

    /// Notes that threads have done what they may have done: only then could the one that went on do so.
    fn note_that_others_went_on(&mut self) {
        for thread in std::mem::take(&mut self.perhaps) {
            self.note_certain(thread);
        }
    }

    fn note_certain(&mut self, thread: ThreadId) {
        let events = self.executor.notes.tracer.as_ref().map_or(0, |tracer| tracer.count(thread));
        if self.certain.len() <= thread.index() {
            self.certain.resize(thread.index() + 1, 0);
        }
        self.certain[thread.index()] = events;
    }

    /// Whether the edge at which a thread has left its path is one that its record is not certain about.
    fn is_uncertain(&self, thread: ThreadId) -> bool {
        let Some(guide) = self.executor.machine.options.guide.as_ref() else { return false };
        let thread = self.state.thread(thread);
        let has_failed = guide.failing_thread().is_some_and(|failing| failing == thread.name.to_string());
        !has_failed && thread.guide.as_ref().is_some_and(|cursor| guide.is_uncertain(&thread.name, cursor))
    }

    fn take_back(&mut self, before: State<E>, mark: &Mark) {
        take_back(&mut self.executor, &mut self.state, &mut self.discovered, before, mark);
    }

    /// Takes the step back that began at the mark. It gives values under which one of the conditions that the
    /// step has noted does not hold, the last one if possible.
    fn repair(&mut self, thread: ThreadId, before: State<E>, mark: &Mark) -> bool {
        if (self.again.thread, self.again.events) != (thread, mark.events) {
            self.again = Again::new(thread, mark.events);
        }
        let terms = &self.executor.machine.terms;
        let Some(tracer) = &mut self.executor.notes.tracer else { return false };
        let noted = tracer.threads.get(thread.index()).map_or(&[][..], |followed| &followed.conditions);
        let noted = noted.get(mark.conditions..).unwrap_or_default();
        let this_way = terms.all(noted.iter().map(|held| held.term));
        self.again.other_ways.push(terms.not(this_way));
        self.again.off_path.push(self.state.clone());
        if self.again.off_path.len() > MOST_RETRIES {
            return false;
        }
        let other_ways = &self.again.other_ways;
        let mut candidates = (mark.conditions..mark.conditions + noted.len()).rev();
        let found =
            candidates.find_map(|at| self.repairs.values_against(terms, tracer, thread, at, other_ways));
        let Some(changed) = found else { return false };
        let owners: Vec<_> = changed.iter().map(|(symbol, _)| tracer.reader(*symbol)).collect();
        let names: Vec<_> = self.state.threads.iter().map(|thread| thread.name.clone()).collect();
        self.take_back(before, mark);
        let Some(tracer) = &mut self.executor.notes.tracer else { return false };
        for ((symbol, value), owner) in changed.into_iter().zip(owners) {
            if let Some((owner, number)) = owner {
                tracer.guesses.insert((names[owner.index()].clone(), number), value.clone());
            }
            tracer.change(symbol, value);
        }
        true
    }

    /// Values with which the threads are to run anew, as this one has settled something before its last step
    /// that leads it off its path. They are looked for until `stop`.
    pub(super) fn values_from_earlier(&mut self, thread: ThreadId, stop: &StopToken) -> Option<Guesses> {
        let terms = &self.executor.machine.terms;
        let tracer = self.executor.notes.tracer.as_mut()?;
        let count = tracer.threads.get(thread.index())?.conditions.len();
        let mut latest = (0..count).rev().take_while(|_| !stop.is_over());
        let changed = latest.find_map(|at| self.repairs.new_value_against(terms, tracer, thread, at))?;
        let mut guesses = tracer.guesses.clone();
        for (symbol, value) in changed {
            let (owner, number) = tracer.reader(symbol)?;
            guesses.insert((self.state.thread(owner).name.clone(), number), value);
        }
        Some(guesses)
    }

    /// A thread reads again what it has read since the mark.
    fn keep_what_was_read(&mut self, thread: ThreadId, mark: &Mark) {
        let from = mark.events;
        let name = self.state.thread(thread).name.clone();
        let Some(tracer) = &mut self.executor.notes.tracer else { return };
        let read = tracer.threads.get(thread.index()).map_or(&[][..], |followed| &followed.events[from..]);
        let read: Vec<(usize, Term)> =
            (from..).zip(read).filter_map(|(number, event)| Some((number, event.what.symbol()?))).collect();
        for (number, symbol) in read {
            if let Some(value) = tracer.values.get(symbol).cloned() {
                tracer.guesses.insert((name.clone(), number), value);
            }
        }
    }

    fn step(&mut self, agent: Agent) -> Result<Stepped, NotTraced> {
        symbolic_replay::before_step(&mut self.executor, &self.state, agent);
        let mut choose = WokenFirst { random: &mut self.random, discovered: &mut self.discovered };
        match driver::whole_step(&mut self.executor, &mut self.state, agent, &mut choose) {
            Ok(_) => Ok(Stepped::Done),
            Err(Obstacle::Pruned) => {
                let cursor = self.state.thread(agent.thread()).guide.as_ref();
                let beyond = cursor.is_some_and(|cursor| cursor.finished);
                Ok(if beyond { Stepped::Beyond } else { Stepped::Off })
            }
            Err(obstacle) => Err(symbolic_replay::not_traced(&self.executor, &obstacle)),
        }
    }
}

/// Whether the next step of a thread waits for no other, and another may wait for it.
fn lets_others_go_on<E: Environment>(thread: &Thread<E>) -> bool {
    let releases = |access: &Access| matches!(access.mode, Mode::Release | Mode::Post | Mode::Write);
    match thread.pending.as_ref().map(|pending| &pending.action) {
        Some(Action::Store { .. }) => true,
        Some(Action::Model(operation)) => {
            operation.wait.is_none() && operation.footprint.iter().any(releases)
        }
        _ => false,
    }
}
