//! States from which no thread progresses though some threads can take steps. Each of them spins in a loop
//! that only reads, and always reads the same values.
//!
//! A loop is followed from such a state until the thread is where it was, in the state it was in. Assume that
//! nothing else has changed at any step on the way. Assume the same of every other thread that can take a
//! step. Then it holds in whatever order they take them: fairness does not help. Nor does it help if only one
//! thread can take steps, and comes back to the same state with no other enabled on the way. Time that passes
//! while it sleeps changes nothing as long as no thread reads the clock. A thread that reads the clock, or
//! asks for random bytes, changes something by that. A choice or a fork on the way and stores on theirs leave
//! the question open. A read that may return old writes returns the newest: every write is seen some time
//! (C11 7.17.3). So a statement about all later reads is one about the newest writes.

use crate::caches::places::{Live, registers_at};
use crate::environment::Environment;
use crate::machine::{Executor, Machine, PAUSE};
use crate::state::{End, State};
use crate::stop::Fault;
use crate::stop::Step;
use crate::stop::position::location;
use crate::threads::frame::Frame;
use crate::threads::thread::{Action, Activation, Pending, Thread};
use std::sync::Arc;
use symx_ir::{FunctionId, SpanId};
use symx_trace::failure::Note;
use symx_trace::{Access, Agent, Event, EventKind, FailureDetail, FailureKind, Mode, Place, ThreadId};

/// How often a thread may pause in a round of visible steps: one that computes for long is not followed for
/// this.
const MOST_PAUSES: u32 = 1;

/// How often it may pause before it comes back to a state that it paused in. It pauses after a number of
/// instructions that is a power of two. So a round of an odd number comes back after as many pauses.
const MOST_SILENT_PAUSES: usize = 128;

/// Instructions between its pauses at first: all of them together are an eighth of one usual pause. A short
/// round shows in these.
const SHORT_PAUSE: u64 = PAUSE / (8 * MOST_SILENT_PAUSES as u64);

/// The part of what a thread has executed that the search for a longer round may execute again: a thread that
/// computes is hardly slower for being looked at.
const SEARCHED_AGAIN: u64 = 64;

/// Steps within which a loop that waits is to iterate, to be distinguished from one that progresses.
pub const LONGEST_ROUND: usize = 64;

/// A thread that runs on without a visible step. The states in which it pauses are compared with one that it
/// was in, which is from time to time a later one (Brent, BIT 1980): so a loop of any length shows.
#[derive(Debug)]
pub struct LongRun<E: Environment> {
    /// How often it has paused.
    pub pauses: u64,
    earlier: Option<State<E>>,
}

impl<E: Environment> Default for LongRun<E> {
    fn default() -> Self {
        Self { pauses: 0, earlier: None }
    }
}

/// A loop of a thread.
struct Round<E: Environment> {
    /// The thread where it stands before the step to be shown: wherever in the loop it was found, that
    /// is the same one.
    place: Arc<Thread<E>>,
    /// Its visible steps.
    steps: Vec<Look>,
}

/// A visible step without effect.
struct Look {
    /// Its description, for people.
    what: String,
    span: SpanId,
    /// The address that it reads, if that is memory.
    address: Option<u64>,
}

impl<E: Environment> Executor<'_, E> {
    /// Ends the execution as a livelock if it is in one: some threads can take steps, and none of these ever
    /// leads anywhere. `events` are those that led there, as far as they are known.
    pub fn find_livelock(&mut self, state: &mut State<E>, events: &[Event]) -> bool {
        let Some(rounds) = self.endless_rounds(state) else { return false };
        self.end_as_livelock(state, &rounds, events);
        true
    }

    /// Ends the execution as a livelock: whatever threads do, it stays in `states`. Of the threads that take
    /// steps there, the `looking` never change anything; there is one at least.
    pub fn end_in_states(
        &mut self,
        state: &mut State<E>,
        states: &[State<E>],
        (looking, others): (&[ThreadId], &[ThreadId]),
        events: &[Event],
    ) {
        let round = |thread: &ThreadId| {
            let places = states.iter().filter(|state| self.can_step(state, state.thread(*thread)));
            let places: Vec<State<E>> = places.cloned().collect();
            let looks = places.iter().map(|place| self.describe_look(place, *thread)).collect();
            let mut round = self.round_of(&places, looks, *thread)?;
            // What it finds there may differ from look to look.
            round.steps.sort_by_key(|look| look.span);
            round.steps.dedup_by_key(|look| look.span);
            Some(round)
        };
        let mut rounds: Vec<Round<E>> = looking.iter().filter_map(round).collect();
        let place = |thread: &ThreadId| Arc::clone(&state.threads[thread.index()]);
        rounds.extend(others.iter().map(|thread| Round { place: place(thread), steps: Vec::new() }));
        self.end_as_livelock(state, &rounds, events);
    }

    /// Ends the execution as a livelock of threads that go round. The first one is reported as its cause.
    fn end_as_livelock(&mut self, state: &mut State<E>, rounds: &[Round<E>], events: &[Event]) {
        for round in rounds {
            state.threads[round.place.id.index()] = Arc::clone(&round.place);
        }
        let title = |thread: ThreadId| self.title(state, thread);
        let culprit = rounds[0].place.id;
        let mut message = format!("livelock: {} spins forever", title(culprit));
        for round in &rounds[1..] {
            message += &format!(", and so does {}", title(round.place.id));
        }
        message += "; no other thread can change the value it polls";
        let detail =
            if self.is_a_thread_held_back(state) { FailureDetail::Assumed } else { FailureDetail::Plain };
        let mut fault = Fault::new(FailureKind::Livelock, detail, message);
        for round in rounds {
            for look in &round.steps {
                let note =
                    (format!("{} {}", title(round.place.id), look.what), look.span, Some(round.place.id));
                if !fault.notes.contains(&note) {
                    fault.notes.push(note);
                }
            }
            if round.steps.is_empty() && round.place.id != culprit {
                let what = format!("{} spins here", title(round.place.id));
                fault.notes.push((what, self.position(state, round.place.id), Some(round.place.id)));
            }
        }
        for thread in state.threads.iter().filter(|thread| thread.is_unfinished()) {
            if !rounds.iter().any(|round| round.place.id == thread.id) {
                let what = format!("{} waits for {}", title(thread.id), self.describe_wait(state, thread.id));
                fault.notes.push((what, self.position(state, thread.id), Some(thread.id)));
            }
        }
        let mut failure = self.render_fault(state, culprit, fault);
        let mut addresses: Vec<u64> =
            rounds.iter().flat_map(|round| &round.steps).filter_map(|look| look.address).collect();
        addresses.sort_unstable();
        addresses.dedup();
        failure.notes.extend(addresses.iter().filter_map(|at| self.last_write(state, *at, rounds, events)));
        state.end = Some(End::Failed(Arc::new(failure)));
    }

    /// Whether a thread that has paused without a visible step runs on forever, whatever others do; it is
    /// then parked forever. Memory that it touches is its own, or exploration would restart once others touch
    /// that.
    pub fn never_parks(&mut self, state: &mut State<E>, thread: ThreadId, run: &mut LongRun<E>) -> bool {
        let earlier = run.earlier.as_ref();
        let comes_back = earlier.is_some_and(|earlier| self.is_in_earlier_state(earlier, state, thread));
        if run.pauses.is_power_of_two() {
            run.earlier = Some(state.clone());
        }
        let has_timer = || state.threads.iter().any(|other| other.service && !other.exited);
        if !comes_back
            || self.visible.is_none()
            || has_timer()
            || !Self::is_settled(state)
            || !(Self::is_free_of_records(state) || self.follows_a_hang())
            || !self.machine.environment.interruption_footprint(state, thread).is_empty()
        {
            return false;
        }
        let round = self.aside(|executor| executor.silent_round(state, thread, MOST_SILENT_PAUSES));
        let Some(round) = round else { return false };
        let pending = Pending { action: Action::Never, span: self.position_of(&round.place) };
        state.threads[thread.index()] = round.place;
        state.thread_mut(thread).pending = Some(Arc::new(pending));
        true
    }

    /// Whether a thread was parked forever because of memory that others have turned out to touch, so that
    /// nothing is known of the end.
    pub fn parked_too_early(&self, state: &State<E>) -> bool {
        !state.discovered.is_empty() && state.threads.iter().any(|thread| is_parked_for_good(thread))
    }

    /// The thread at some position in the loop in which it spins from this state on as long as others do
    /// nothing, if it does.
    pub fn spin_position(&mut self, state: &State<E>, thread: ThreadId) -> Option<Arc<Thread<E>>> {
        let mut rounds = Self::is_decidable(state).then(|| self.rounds(state, &[thread]))??;
        Some(rounds.pop()?.place)
    }

    /// Whether a thread progresses: it changes something without coming to the same place twice. It goes on
    /// from the state with no other thread doing anything.
    pub fn makes_progress(&mut self, state: &State<E>, thread: ThreadId) -> bool {
        if !Self::is_decidable(state) {
            return false;
        }
        let mut now = self.in_process_of(state, thread);
        let state = &now.clone();
        let mut places = vec![Arc::clone(&state.threads[thread.index()])];
        self.aside(|executor| {
            while places.len() <= LONGEST_ROUND && executor.can_step(&now, now.thread(thread)) {
                if !matches!(executor.step(&mut now, Agent::Thread(thread)), Step::Done) {
                    return false;
                }
                if !executor.is_unchanged(state, &now, thread) {
                    return true;
                }
                if places.iter().any(|earlier| executor.is_where_it_was(earlier, now.thread(thread))) {
                    return false;
                }
                places.push(Arc::clone(&now.threads[thread.index()]));
            }
            false
        })
    }

    /// Whether a thread comes back to a state that it has been in, whatever it has changed meanwhile. It
    /// goes on from the state with no other thread doing anything.
    pub fn returns_to_earlier_state(&mut self, state: &State<E>, thread: ThreadId) -> bool {
        if !Self::is_decidable(state) {
            return false;
        }
        let mut places = vec![self.in_process_of(state, thread)];
        self.aside(|executor| {
            while let Some(last) = places.last()
                && places.len() <= LONGEST_ROUND
                && executor.can_step(last, last.thread(thread))
            {
                let mut now = last.clone();
                if !matches!(executor.step(&mut now, Agent::Thread(thread)), Step::Done) {
                    return false;
                }
                if places.iter().any(|earlier| executor.is_in_earlier_state(earlier, &now, thread)) {
                    return true;
                }
                places.push(now);
            }
            false
        })
    }

    /// Whether a thread is where it was and nothing that matters there has changed in its registers.
    pub fn is_where_it_was(&mut self, earlier: &Thread<E>, now: &Thread<E>) -> bool {
        is_same(self.machine, &mut self.caches.live, earlier, now)
    }

    /// Whether nothing that others could notice, or that the thread itself could come across later, has
    /// changed. Time that has passed while it slept does not count.
    pub fn is_unchanged(&self, before: &State<E>, now: &State<E>, thread: ThreadId) -> bool {
        let own = now.thread(thread);
        let is_same_data = || {
            Arc::ptr_eq(&before.data, &now.data)
                || self.machine.environment.is_only_later(&before.data, &now.data)
        };
        now.end.is_none()
            && !own.exited
            && own.stores_issued == before.thread(thread).stores_issued
            && before.has_same_processes(now)
            && before.threads.len() == now.threads.len()
            && before.unjoined == now.unjoined
            && before.inputs.len() == now.inputs.len()
            && before.discovered.len() == now.discovered.len()
            && others_stay(before, now, thread)
            && now.memory.is_as_in(&before.memory)
            && is_same_data()
    }

    /// Whether a thread is where it was, with everything as it was then but for time that has passed.
    pub(crate) fn is_in_earlier_state(
        &mut self,
        before: &State<E>,
        now: &State<E>,
        thread: ThreadId,
    ) -> bool {
        self.is_where_it_was(before.thread(thread), now.thread(thread))
            && self.is_unchanged(before, now, thread)
    }

    /// Whether a thread has only read since `before`, old writes perhaps, and could do from now on what
    /// it could do there.
    pub fn has_only_read_since(&mut self, before: &State<E>, now: &State<E>, thread: ThreadId) -> bool {
        Self::is_decidable(now)
            && self.is_in_earlier_state(before, now, thread)
            && now.is_ordered_as(before, thread)
    }

    /// Whether a step that has led from one state to another could as well have been taken from where its
    /// thread was `earlier`. All is the same then.
    pub fn could_step_from(&mut self, earlier: &Arc<Thread<E>>, before: &State<E>, now: &State<E>) -> bool {
        let thread = earlier.id;
        if !Self::is_decidable(before)
            || before.has_forked()
            || now.end.is_some()
            || before.order.is_some()
            || !earlier.buffer.is_empty()
            || !before.thread(thread).buffer.is_empty()
        {
            return false;
        }
        let mut again = before.clone();
        again.threads[thread.index()] = Arc::clone(earlier);
        if !self.can_step(&again, again.thread(thread)) {
            return false;
        }
        let time_stamps = self.counters.time_stamps;
        let (step, has_read_time) = self.aside(|executor| {
            let step = executor.step(&mut again, Agent::Thread(thread));
            (step, executor.counters.time_stamps != time_stamps)
        });
        let is_same_data = || {
            Arc::ptr_eq(&again.data, &now.data) || self.machine.environment.is_same(&again.data, &now.data)
        };
        matches!(step, Step::Done)
            && !has_read_time
            && again.end.is_none()
            && again.threads.len() == now.threads.len()
            && again.unjoined == now.unjoined
            && again.inputs.len() == now.inputs.len()
            && again.discovered.len() == now.discovered.len()
            && again.thread(thread).exited == now.thread(thread).exited
            && others_stay(&again, now, thread)
            && again.memory.is_as_in(&now.memory)
            && is_same_data()
            && self.is_where_it_was(again.thread(thread), now.thread(thread))
    }

    /// Whether what a thread does from a state on is settled by the state, and not by records.
    fn is_decidable(state: &State<E>) -> bool {
        Self::is_settled(state) && Self::is_free_of_records(state)
    }

    fn is_settled(state: &State<E>) -> bool {
        state.end.is_none() && state.discovered.is_empty()
    }

    fn is_free_of_records(state: &State<E>) -> bool {
        let is_free = |thread: &Arc<Thread<E>>| thread.guide.as_ref().is_none_or(|cursor| cursor.is_free());
        state.threads.iter().all(is_free)
    }

    /// The loops of all threads that can take a step, if none of them ever leads anywhere and there are some.
    fn endless_rounds(&mut self, state: &State<E>) -> Option<Vec<Round<E>>> {
        let outside = match state.own_section() {
            Some(thread) => Some(self.aside(|executor| executor.after_section(state, thread))?),
            None => None,
        };
        let state = outside.as_ref().unwrap_or(state);
        let enabled = self.enabled(state);
        if !Self::is_decidable(state) || enabled.iter().any(|agent| agent.is_buffer()) {
            return None;
        }
        let parked = state.threads.iter().filter(|thread| is_parked_for_good(thread));
        let parked = parked.map(|thread| Round { place: Arc::clone(thread), steps: Vec::new() });
        let threads: Vec<ThreadId> = enabled.iter().map(|agent| agent.thread()).collect();
        let mut rounds = match (self.rounds(state, &threads), &threads[..]) {
            (Some(rounds), _) => rounds,
            (None, [only]) => vec![self.aside(|executor| executor.round_alone(state, *only))?],
            (None, _) => return None,
        };
        rounds.extend(parked);
        rounds.sort_by_key(|round| round.place.id);
        (!rounds.is_empty()).then_some(rounds)
    }

    /// The state in which a thread has left the atomic section that it is in: until then others wait for it,
    /// whatever they could do. If it never leaves that, or waits inside, the state itself.
    fn after_section(&mut self, state: &State<E>, thread: ThreadId) -> Option<State<E>> {
        let mut now = state.clone();
        let mut places = vec![Arc::clone(&state.threads[thread.index()])];
        while now.own_section() == Some(thread) {
            if !self.can_step(&now, now.thread(thread)) {
                return Some(state.clone());
            }
            match self.newest_step(&mut now, Agent::Thread(thread)) {
                Step::Done => {}
                Step::Paused => return Some(state.clone()),
                _ => return None,
            }
            if places.len() > LONGEST_ROUND || !self.is_unchanged(state, &now, thread) {
                return None;
            }
            if places.iter().any(|earlier| self.is_where_it_was(earlier, now.thread(thread))) {
                return Some(state.clone());
            }
            places.push(Arc::clone(&now.threads[thread.index()]));
        }
        Some(now)
    }

    /// As [`spin_position`](Self::spin_position), at a position outside of atomic sections if the loop has
    /// one.
    pub fn spin_position_outside_sections(
        &mut self,
        state: &State<E>,
        thread: ThreadId,
    ) -> Option<Arc<Thread<E>>> {
        let place = self.spin_position(state, thread)?;
        self.aside(|executor| {
            let mut now = state.clone();
            let mut places: Vec<Arc<Thread<E>>> = Vec::new();
            for _ in 0..2 * LONGEST_ROUND {
                if now.own_section() != Some(thread) {
                    if places.iter().any(|earlier| executor.is_where_it_was(earlier, now.thread(thread))) {
                        return Some(Arc::clone(&now.threads[thread.index()]));
                    }
                    places.push(Arc::clone(&now.threads[thread.index()]));
                }
                if !matches!(executor.newest_step(&mut now, Agent::Thread(thread)), Step::Done) {
                    return Some(place);
                }
            }
            Some(place)
        })
    }

    /// The loops of some threads, if each spins in one.
    fn rounds(&mut self, state: &State<E>, threads: &[ThreadId]) -> Option<Vec<Round<E>>> {
        self.aside(|executor| threads.iter().map(|thread| executor.round(state, *thread)).collect())
    }

    /// Takes steps that are no part of any execution.
    pub fn aside<R>(&mut self, steps: impl FnOnce(&mut Self) -> R) -> R {
        let (counters, races, misuse) = (self.counters, self.notes.races.len(), self.notes.misuse.len());
        let coverage = self.notes.coverage.take();
        let result = steps(self);
        (self.counters, self.notes.coverage) = (counters, coverage);
        self.notes.races.truncate(races);
        self.notes.misuse.truncate(misuse);
        result
    }

    /// The loop in which a thread spins from this state on without changing anything.
    fn round(&mut self, state: &State<E>, thread: ThreadId) -> Option<Round<E>> {
        let most = state.thread(thread).instructions / (PAUSE * SEARCHED_AGAIN);
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(MOST_SILENT_PAUSES);
        if let Some(round) = self.silent_round(state, thread, most) {
            return Some(round);
        }
        let agent = Agent::Thread(thread);
        let (mut places, mut steps) = (vec![self.in_process_of(state, thread)], Vec::new());
        let mut pauses = 0;
        let time_stamps = self.counters.time_stamps;
        while let Some(last) = places.last()
            && places.len() <= LONGEST_ROUND
            && pauses < MOST_PAUSES
            && self.can_step(last, last.thread(thread))
        {
            steps.push(self.describe_look(last, thread));
            let footprint = self.footprint(last, agent);
            let is_parked = last.thread(thread).pending.is_some();
            // The changes then are its own: objects of functions it calls and returns from.
            let only_reads = is_parked && footprint.iter().all(|access| access.mode == Mode::Read);
            let mut now = last.clone();
            let step = self.newest_step(&mut now, agent);
            pauses += u32::from(matches!(step, Step::Paused));
            if !matches!(step, Step::Done | Step::Paused)
                || self.counters.time_stamps != time_stamps
                || !(only_reads || self.is_unchanged(last, &now, thread))
            {
                return None;
            }
            if let Some(first) =
                places.iter().position(|earlier| self.is_in_earlier_state(earlier, &now, thread))
            {
                return self.round_of(&places[first..], steps.split_off(first), thread);
            }
            places.push(now);
        }
        None
    }

    /// The loop in which a thread that has paused runs on from this state, with no visible step ever. What it
    /// changes on its way no other thread can see, and is as it was when it comes back. It is followed in
    /// short pauses, then over `most` of the usual ones.
    fn silent_round(&mut self, state: &State<E>, thread: ThreadId, most: usize) -> Option<Round<E>> {
        let pause = std::mem::replace(&mut self.pause, SHORT_PAUSE);
        let round = self.round_over_pauses(state, thread, MOST_SILENT_PAUSES);
        self.pause = pause;
        round.or_else(|| self.round_over_pauses(state, thread, most))
    }

    fn round_over_pauses(&mut self, state: &State<E>, thread: ThreadId, most: usize) -> Option<Round<E>> {
        let time_stamps = self.counters.time_stamps;
        let mut places = vec![self.in_process_of(state, thread)];
        while let Some(last) = places.last()
            && places.len() <= most
            && last.thread(thread).pending.is_none()
            && self.can_step(last, last.thread(thread))
        {
            let mut now = last.clone();
            let step = self.newest_step(&mut now, Agent::Thread(thread));
            if !matches!(step, Step::Paused)
                || self.counters.time_stamps != time_stamps
                || !now.discovered.is_empty()
            {
                return None;
            }
            let first = places.iter().position(|earlier| self.is_in_earlier_state(earlier, &now, thread));
            if let Some(first) = first {
                let looks = places[first..].iter().map(|_| None).collect();
                return self.round_of(&places[first..], looks, thread);
            }
            places.push(now);
        }
        None
    }

    /// A round, shown where the thread looks at memory, if it does.
    fn round_of(&self, places: &[State<E>], steps: Vec<Option<Look>>, thread: ThreadId) -> Option<Round<E>> {
        let rank = |(place, look): &(&State<E>, &Option<Look>)| match look {
            Some(look) => (look.address.is_none(), look.span),
            None => (true, self.position(place, thread)),
        };
        let (shown, _) = places.iter().zip(&steps).min_by_key(rank)?;
        let place = Arc::clone(&shown.threads[thread.index()]);
        Some(Round { place, steps: steps.into_iter().flatten().collect() })
    }

    /// The loop in which a thread spins from this state on, coming back to the same state. Whatever it takes
    /// and gives back on the way, no other thread can ever take a step.
    fn round_alone(&mut self, state: &State<E>, thread: ThreadId) -> Option<Round<E>> {
        let agent = Agent::Thread(thread);
        let time_stamps = self.counters.time_stamps;
        let (mut states, mut steps) = (vec![self.in_process_of(state, thread)], Vec::new());
        while let Some(last) = states.last()
            && states.len() <= LONGEST_ROUND
            && self.enabled(last)[..] == [agent]
        {
            steps.push(self.describe_step(last, thread));
            let mut now = last.clone();
            let step = self.newest_step(&mut now, agent);
            if !matches!(step, Step::Done) || self.counters.time_stamps != time_stamps {
                return None;
            }
            if let Some(first) =
                states.iter().position(|before| self.has_only_read_since(before, &now, thread))
            {
                return self.round_of(&states[first..], steps.split_off(first), thread);
            }
            states.push(now);
        }
        None
    }

    /// A thread's step; of what a load may return, it returns the newest.
    fn newest_step(&mut self, state: &mut State<E>, agent: Agent) -> Step {
        let is_load = |pending: &Pending<E>| matches!(pending.action, Action::Load { .. });
        let loads = state.thread(agent.thread()).pending.as_deref().is_some_and(is_load);
        match self.step(state, agent) {
            Step::Choose(_) if loads && self.machine.model.keeps_history() => {
                state.alternative = Some(0);
                self.resume(state, agent.thread(), true)
            }
            step => step,
        }
    }

    /// The last write to an address, leaving out updates of these loops, which write the value that they
    /// read.
    fn last_write(
        &self,
        state: &State<E>,
        address: u64,
        rounds: &[Round<E>],
        events: &[Event],
    ) -> Option<Note> {
        let writes = |access: &Access| {
            let there =
                matches!(access.place, Place::Memory { start, end } if (start..end).contains(&address));
            there && access.mode == Mode::Write
        };
        let is_of_a_round = |event: &Event| {
            let is_here = |look: &Look| location(&self.machine.program, look.span) == event.location;
            let rounds = rounds.iter().filter(|round| round.place.id == event.agent.thread());
            event.kind == EventKind::ReadModifyWrite && rounds.flat_map(|round| &round.steps).any(is_here)
        };
        let last = events.iter().rfind(|event| {
            event.kind != EventKind::Free && event.footprint.iter().any(writes) && !is_of_a_round(event)
        })?;
        // A store that left a buffer was written where it was issued.
        let token =
            |access: &Access| matches!(access.place, Place::PendingStore { .. }).then_some(access.place);
        let issued = last.footprint.iter().find_map(token).and_then(|token| {
            events.iter().find(|event| {
                event.kind == EventKind::Write && event.footprint.iter().any(|access| access.place == token)
            })
        });
        let writer = last.agent.thread();
        let title = self.title(state, writer);
        Some(Note {
            message: format!("{title} was the last to write {}", self.name_of(state, address)),
            location: issued.unwrap_or(last).location.clone(),
            thread: Some(state.thread(writer).name.clone()),
            stack: Vec::new(),
        })
    }

    /// The pending step of a thread in a round that changes things on its way, if it is a visible one.
    fn describe_step(&self, state: &State<E>, thread: ThreadId) -> Option<Look> {
        let pending = state.thread(thread).pending.as_deref()?;
        let look = self.describe_look(state, thread)?;
        Some(match pending.action {
            Action::Model(_) => {
                Look { what: format!("calls {} here", self.pending_call(state.thread(thread))), ..look }
            }
            _ => look,
        })
    }

    /// The pending step of a thread, if it is a visible one without effect.
    fn describe_look(&self, state: &State<E>, thread: ThreadId) -> Option<Look> {
        let pending = state.thread(thread).pending.as_deref()?;
        let value = self.event_value(state, Agent::Thread(thread));
        let what = match &pending.action {
            Action::Load { address, .. } => {
                format!("reads {value} here, from {}", self.name_of(state, *address))
            }
            Action::ReadModifyWrite { address, .. } => {
                format!("finds {value} here, in {}, and leaves it there", self.name_of(state, *address))
            }
            Action::Model(_) => {
                format!("calls {} here, to no effect", self.pending_call(state.thread(thread)))
            }
            Action::Store { .. } | Action::Fence(_) | Action::Return(_) | Action::Fail(_) | Action::Never => {
                return None;
            }
        };
        let span = if pending.span == SpanId::UNKNOWN { self.position(state, thread) } else { pending.span };
        let address = match &pending.action {
            Action::Load { address, .. } | Action::ReadModifyWrite { address, .. } => Some(*address),
            _ => None,
        };
        Some(Look { what, span, address })
    }
}

/// Whether a thread spins forever, as far as that depends on it.
fn is_parked_for_good<E: Environment>(thread: &Thread<E>) -> bool {
    thread.is_parked_forever() && !thread.is_at_end_of_record()
}

/// Whether all threads but one are the same in two states.
fn others_stay<E: Environment>(before: &State<E>, now: &State<E>, thread: ThreadId) -> bool {
    let pairs = before.threads.iter().zip(&now.threads);
    pairs.enumerate().all(|(index, (one, other))| index == thread.index() || Arc::ptr_eq(one, other))
}

/// Whether a thread is where it was and nothing that matters there has changed in its registers.
fn is_same<E: Environment>(
    machine: &Machine<E>,
    live: &mut Live,
    earlier: &Thread<E>,
    now: &Thread<E>,
) -> bool {
    if !is_same_position(earlier, now) {
        return false;
    }
    // Callers share their frames with those of then; what a loop counts is further in.
    let pairs = earlier.stack.iter().zip(&now.stack).rev();
    let mut frames = pairs.filter_map(|(earlier, now)| match (earlier, now) {
        (Activation::Program(earlier), Activation::Program(now)) => Some((earlier, now)),
        _ => None,
    });
    frames.all(|(earlier, now)| {
        if Arc::ptr_eq(earlier, now) {
            return true;
        }
        let live = registers_at(machine, live, now.function, now.pc);
        live.iter().enumerate().filter(|(_, live)| **live).all(|(slot, _)| {
            earlier.slots[slot] == now.slots[slot] && earlier.is_symbolic(slot) == now.is_symbolic(slot)
        })
    })
}

/// Whether a thread stands at the same place in the same calls.
pub fn is_same_position<E: Environment>(earlier: &Thread<E>, now: &Thread<E>) -> bool {
    let place = |frame: &Frame| -> (FunctionId, u32) { (frame.function, frame.pc) };
    earlier.stack.len() == now.stack.len()
        && earlier.pending.is_some() == now.pending.is_some()
        && earlier.stores_issued == now.stores_issued
        && earlier.stack.iter().zip(&now.stack).rev().all(|(earlier, now)| match (earlier, now) {
            (Activation::Program(earlier), Activation::Program(now)) => {
                Arc::ptr_eq(earlier, now)
                    || place(earlier) == place(now) && earlier.allocas == now.allocas && {
                        let (earlier, now) = (earlier.rare(), now.rare());
                        (earlier.variadic, earlier.progress, earlier.held)
                            == (now.variadic, now.progress, now.held)
                    }
            }
            (Activation::Model(earlier), Activation::Model(now)) => {
                std::ptr::eq(earlier.function, now.function)
                    && earlier.phase == now.phase
                    && earlier.scratch == now.scratch
                    && earlier.arguments == now.arguments
                    && earlier.invoked == now.invoked
                    && earlier.interrupted.is_some() == now.interrupted.is_some()
            }
            _ => false,
        })
}
