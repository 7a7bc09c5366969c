//! Taking the steps of an execution, freely or as planned, and taking them back.

use super::{Halt, Node, Walk};
use crate::reads_from::backtracking::checkpoints::Before;
use crate::reads_from::graph::event::{Choice, Ended, Event, INITIAL, Index, Kind, Location, Name, Touch};
use crate::reads_from::graph::run::RunStep;
use crate::replays::lookahead;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::sync::Arc;
use symx_interp::environment::Environment;
use symx_interp::memory::Life;
use symx_interp::state::{End, State};
use symx_interp::threads::agents::Step;
use symx_interp::threads::thread::Action;
use symx_interp::value::Byte;
use symx_ir::address::Cell;
use symx_memmodel::{ByteRange, FenceEffect, Lane};
use symx_trace::{Agent, Decision, Place, ThreadId};

/// How many places there may be at which accesses to memory are cut.
const MOST_CUTS: usize = 256;

/// The numbers of a place.
pub(super) type Places = SmallVec<[Location; 2]>;

impl<E: Environment> Walk<'_, '_, E> {
    /// The numbers of a place: several of a range of memory parts of which are touched by themselves.
    pub(super) fn places(&mut self, place: Place) -> Result<Places, Halt> {
        let places = match place {
            Place::Memory { start, end } => match self.graph.locations.known(start, end) {
                Some(known) => Places::from_slice(&[known]),
                None => self.pieces(start, end)?,
            },
            _ => Places::from_slice(&[self.graph.locations.number(place)]),
        };
        self.make_room();
        Ok(places)
    }

    /// The number of a place that is no range of memory.
    pub(super) fn object_place(&mut self, place: Place) -> Location {
        let number = self.graph.locations.number(place);
        self.make_room();
        number
    }

    pub(super) fn make_room(&mut self) {
        if self.graph.last.len() < self.graph.locations.len() {
            self.graph.last.resize(self.graph.locations.len(), INITIAL);
            self.graph.writes.resize_with(self.graph.locations.len(), Vec::new);
            self.graph.initial.resize(self.graph.locations.len(), None);
            self.graph.use_of.resize(self.graph.locations.len(), None);
        }
    }

    /// The numbers of a range of memory, cut where others are known to begin or end. If there are more of
    /// these, the walk restarts knowing them.
    fn pieces(&mut self, start: u64, end: u64) -> Result<Places, Halt> {
        let mut places = Places::new();
        let learned = &mut self.executor.learned;
        let pieces: SmallVec<[(u64, u64); 4]> = learned.pieces(start, end).collect();
        for (first, last) in pieces {
            let place = match self.graph.locations.known(first, last) {
                Some(known) => Ok(known),
                None => self.graph.locations.add(first, last),
            };
            match place {
                Ok(place) => places.push(place),
                Err(_) if learned.cuts.len() > MOST_CUTS => {
                    return Err(Halt::Beyond("accesses that overlap in part"));
                }
                Err(other) => {
                    learned.cuts.extend([start, end, other.0, other.1]);
                    return Err(Halt::Learned);
                }
            }
        }
        Ok(places)
    }

    /// The store that `thread` issued as its `number`th.
    pub(super) fn issued(&self, thread: ThreadId, number: u32) -> Result<Index, Halt> {
        let number = number & !(1 << 31);
        let stores = &self.graph.threads[thread.index()].stores;
        let known = stores.iter().rev().find(|(issued, _)| *issued == number);
        known.map(|(_, index)| *index).ok_or(Halt::Contradiction("a store that was not issued"))
    }

    /// Follows a step of a thread to its end. False if the execution goes no further there.
    pub(super) fn settle(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        mut step: Step,
    ) -> Result<bool, Halt> {
        let mut pauses = 0_u64;
        loop {
            match step {
                Step::Done => return Ok(true),
                Step::Paused => {
                    self.look_now()?;
                    self.discover(state)?;
                    pauses += 1;
                    let found = lookahead::scout(self.executor, state, thread, pauses);
                    if !found.is_empty() {
                        self.found.discovered.extend(found);
                        return Err(Halt::Discovered);
                    }
                    if pauses.is_power_of_two() && self.executor.never_parks(state, thread) {
                        return Ok(true);
                    }
                    self.path.decisions.push(Decision::Run(Agent::Thread(thread)));
                    step = self.executor.resume(state, thread, false);
                }
                Step::Pruned => return Ok(false),
                Step::Halted(reason) => {
                    self.found.result.cut(reason.into());
                    return Err(Halt::Stopped);
                }
                Step::Cut(incomplete) => {
                    self.found.result.cut(incomplete);
                    return Ok(false);
                }
                Step::Choose(count) => {
                    let choice = self.choose(count)?;
                    self.path.decisions.push(Decision::Choose(choice));
                    state.alternative = Some(choice);
                    step = self.executor.resume(state, thread, true);
                }
                Step::Fork { .. } => return Err(Halt::Beyond("a fork beside other threads")),
            }
        }
    }

    /// Lets the oldest store of a lane reach memory.
    pub(super) fn commit(&mut self, state: &mut State<E>, thread: ThreadId, lane: u64) -> Result<(), Halt> {
        let model = self.executor.machine.model;
        let number = state
            .thread(thread)
            .buffer
            .next_in(model, Lane(lane))
            .map(|store| store.event)
            .ok_or(Halt::Contradiction("a lane without store"))?;
        self.keep_way_back(state);
        let agent = Agent::Buffer { thread, lane };
        let Ok(event) = self.issued(thread, number) else {
            // A store to memory of the thread's own that happens to be in its buffer.
            self.path.decisions.push(Decision::Run(agent));
            self.executor.step(state, agent);
            return Ok(());
        };
        let ordinal = self.graph.events[usize::from(event)].ordinal;
        let decisions = self.path.decisions.len();
        self.path.decisions.push(Decision::Run(agent));
        self.executor.step(state, agent);
        let overwritten = self.overwrite(event);
        let step = RunStep {
            thread,
            ordinal,
            commits: true,
            event,
            takes_effect: true,
            decisions,
            overwritten,
            before: Before::Unknown,
        };
        self.path.run.push(step);
        Ok(())
    }

    /// Lets stores to memory of a thread's own, which are no events, reach it.
    pub(super) fn commit_own(&mut self, state: &mut State<E>, thread: ThreadId) -> Result<(), Halt> {
        if state.thread(thread).buffer.is_empty() {
            return Ok(());
        }
        let model = self.executor.machine.model;
        while let Some(lane) = state.thread(thread).buffer.committable(model).first().copied()
            && let Some(store) = state.thread(thread).buffer.next_in(model, lane)
            && self.issued(thread, store.event).is_err()
        {
            self.commit(state, thread, lane.0)?;
        }
        Ok(())
    }

    pub(super) fn overwrite(&mut self, event: Index) -> SmallVec<[(Location, Index); 1]> {
        let mut overwritten = SmallVec::new();
        for touch in self.graph.events[usize::from(event)].touches.iter().filter(|touch| touch.writes) {
            let last = &mut self.graph.last[touch.location as usize];
            overwritten.push((touch.location, *last));
            *last = event;
        }
        overwritten
    }

    /// Lets a thread take its next step. A free step that observes something becomes a choice point. The
    /// event may be known already, or foreseen.
    pub(super) fn perform(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        is_free: bool,
        foreseen: Option<Event>,
    ) -> Result<(), Halt> {
        let ordinal = self.graph.threads[thread.index()].executed;
        let known = self.graph.threads[thread.index()].events.get(ordinal as usize).copied();
        let index = known.unwrap_or(self.graph.events.len() as Index);
        let is_foreseen = foreseen.is_some();
        let is_new = known.is_none() && !is_foreseen;
        if let Some(event) = foreseen {
            self.remember_initial(state, &event);
            self.graph.events.push(event);
            self.graph.threads[thread.index()].events.push(index);
        } else if !known.is_some_and(|known| self.observes_the_same(state, known)) {
            let event = self.observe(state, thread, ordinal)?;
            if let Some(known) = known {
                let known = &self.graph.events[usize::from(known)];
                if known.name != known.named(event.name) {
                    return Err(Halt::Contradiction("another event"));
                }
            } else {
                self.remember_initial(state, &event);
                self.graph.events.push(event);
                self.graph.threads[thread.index()].events.push(index);
            }
        }
        let touches = &self.graph.events[usize::from(index)].touches;
        let observes = touches.iter().any(|touch| touch.reads && touch.choice != Choice::Nothing);
        let is_chained = touches.iter().any(|touch| touch.choice == Choice::Next);
        if is_new {
            self.rivals_of(index, state)?;
        }
        let is_alone = is_alone_in_memory(state, thread);
        let is_buffered = self.graph.events[usize::from(index)].is_buffered;
        if is_buffered {
            let number = state.thread(thread).stores_issued;
            self.graph.threads[thread.index()].stores.push((number, index));
        }
        let decisions = self.path.decisions.len();
        if !is_alone && self.is_step_elsewhere(state, thread) {
            self.path.decisions.push(Decision::Run(Agent::Thread(thread)));
        }
        let (version, time_stamps) = (state.memory.version(), self.executor.counters.time_stamps);
        let may_be_round = is_new && self.graph.events[usize::from(index)].leaves_nothing();
        let books = may_be_round.then(|| Arc::clone(&state.data));
        let (was_alone, threads, children) =
            (state.unjoined <= 1, state.threads.len(), state.thread(thread).children);
        if state.unjoined <= 2 {
            self.find_contested();
        }
        // The first position is one that there is always a way back to.
        // Of the state before a chained one it may be asked who could have come there first.
        let is_undone = !self.path.run.is_empty() && !is_chained;
        let undo = if is_undone { self.executor.step_known(state, thread) } else { None };
        let (before, goes_on) = match undo {
            Some(undo) => {
                self.executor.note_taken(&mut self.graph.taken, usize::from(index), state, thread);
                (Before::Undo(undo), true)
            }
            None => {
                let commutes = self.graph.events[usize::from(index)].commuting.is_some();
                let is_kept = observes || commutes || self.path.run.is_empty() || self.ends_with_undo();
                let before = if is_kept { Before::Kept(Box::new(state.clone())) } else { Before::Unknown };
                self.begin_choice(index);
                let step = self.executor.step(state, Agent::Thread(thread));
                let goes_on = self.settle(state, thread, step)?;
                self.end_choice(index, is_new)?;
                (before, goes_on)
            }
        };
        let spin = if goes_on { self.spin(index, &before, state) } else { None };
        let (before, goes_on) = match spin {
            Some((spin, before)) => {
                self.graph.taken.forget(usize::from(index));
                self.graph.events[usize::from(index)].spins = true;
                let goes_on = self.finish_spin(state, thread, &spin, &before)?;
                (Before::Kept(Box::new(before)), goes_on)
            }
            None => (before, goes_on),
        };
        if is_alone {
            self.drain(state, thread);
        }
        if state.threads.len() > threads || state.thread(thread).children > children {
            self.note_creation(state, thread)?;
            self.know_threads(state);
            if was_alone {
                self.graph.phases.push(self.graph.events.len());
            }
        }
        if !goes_on || matches!(state.end, Some(End::Failed(_))) {
            if !is_new {
                return self.tell_late_end(index, decisions, goes_on, state);
            }
            self.stop_there(index, decisions, goes_on, state)?;
            self.path.decisions.truncate(decisions);
            *state = match before {
                Before::Kept(before) => *before,
                Before::Unknown | Before::Undo(_) => self.state_again()?,
            };
        } else {
            self.graph.threads[thread.index()].executed += 1;
            if is_new {
                self.note_result(state, index);
                self.note_return(index)?;
                self.note_sum(index, &before, state);
                let is_update = matches!(self.graph.events[usize::from(index)].kind, Kind::Store(_));
                let environment = &self.executor.machine.environment;
                let changed = books.filter(|books| !Arc::ptr_eq(books, &state.data));
                let is_only_later = |books: &Arc<E::Data>| environment.is_only_later(books, &state.data);
                let event = &mut self.graph.events[usize::from(index)];
                event.changes_memory = is_update || state.memory.version() != version;
                event.sleeps = changed.as_ref().is_some_and(is_only_later);
                event.leaves_trace =
                    changed.is_some() && !event.sleeps || self.executor.counters.time_stamps != time_stamps;
            }
            let overwritten = if is_buffered { SmallVec::new() } else { self.overwrite(index) };
            self.path.run.push(RunStep {
                thread,
                ordinal,
                commits: false,
                event: index,
                takes_effect: !is_buffered,
                decisions,
                overwritten,
                before,
            });
        }
        self.commit_own(state, thread)?;
        let goes_further = is_new && self.graph.events[usize::from(index)].end.is_none();
        if goes_further && let Some(first) = self.comes_round(index, state) {
            let is_late = self.is_out_of_date(first, index, state)?;
            self.is_late |= is_late;
            // Its last look is taken back: it did nothing, and is to be seen as the last
            // thing the thread did.
            if let Some(step) = self.path.run.pop() {
                self.path.decisions.truncate(step.decisions);
                self.graph.threads[thread.index()].executed = ordinal;
                if !matches!(step.before, Before::Unknown) {
                    self.found.unfinished.note(state);
                    self.discover(state)?;
                }
                match step.before {
                    Before::Unknown => {}
                    Before::Kept(before) => *state = *before,
                    Before::Undo(undo) => undo.take_back(state),
                }
            }
            let is_alone_there = first == index && self.graph.events[usize::from(index)].touches.len() == 1;
            if is_free && !is_late && is_alone_there && !self.is_put_off(thread) {
                self.graph.threads[thread.index()].events.pop();
                if let Some(event) = self.graph.events.pop() {
                    self.put_off(thread, event.touches[0].location);
                }
                return Ok(());
            }
            self.graph.events[usize::from(index)].end =
                Some(if is_late { Ended::Late } else { Ended::Waits });
        } else if goes_further && is_free && self.begins_again(index, state)? {
            return Ok(());
        } else if goes_further {
            self.note_round(index, state);
        }
        if is_foreseen {
            self.enter_foreseen(index)?;
        } else if is_new {
            self.enter(index, is_free && observes)?;
        }
        Ok(())
    }

    /// Whether a known event of a thread that has done what it did then finds its sources again: it
    /// is the same event.
    pub(super) fn observes_the_same(&self, state: &State<E>, known: Index) -> bool {
        let event = &self.graph.events[usize::from(known)];
        let is_same = |touch: &Touch| {
            let present = self.graph.last[touch.location as usize];
            touch.source == present || self.name_of_source(touch.source) == self.name_of_source(present)
        };
        state.thread(event.thread).buffer.is_empty()
            && event.touches.iter().filter(|touch| touch.reads).all(is_same)
    }

    /// Whether what a thread is about to do is a step of its own outside this walk as well, as in a replay.
    /// Fences, and what acts as one in memory of the thread's own, are none unless stores were on their way
    /// when it came there.
    pub(super) fn is_step_elsewhere(&self, state: &State<E>, thread: ThreadId) -> bool {
        let model = self.executor.machine.model;
        let address = match state.thread(thread).pending.as_ref().map(|pending| &pending.action) {
            Some(Action::Fence(ordering)) if model.fence(*ordering) != FenceEffect::Drain => return false,
            Some(Action::Fence(_)) => None,
            Some(
                Action::Load { address, .. }
                | Action::Store { address, .. }
                | Action::ReadModifyWrite { address, .. },
            ) => Some(*address),
            _ => return true,
        };
        let site = address.and_then(|address| state.memory.near(address)).map(|object| object.site);
        if site.is_some_and(|site| self.executor.visible.as_ref().is_some_and(|sites| sites.contains(&site)))
        {
            return true;
        }
        let own = |decision: &&Decision| matches!(decision, Decision::Run(agent) if agent.thread() == thread);
        let last = self.path.decisions.iter().rev().find(own);
        matches!(last, Some(Decision::Run(Agent::Buffer { .. })))
    }

    /// Makes a new event known to those who may observe it, and a choice point if it is one.
    pub(super) fn enter(&mut self, index: Index, is_choice: bool) -> Result<(), Halt> {
        self.find_lives_certain(index)?;
        self.list_writes(index);
        self.readers_of(index)?;
        if is_choice {
            let event = &self.graph.events[usize::from(index)];
            let mut seen = FxHashSet::default();
            for touch in event.touches.iter().filter(|touch| touch.reads) {
                let source = self.name_at(touch.location, touch.source);
                seen.insert(if touch.choice == Choice::Next { event.name } else { source });
            }
            if event.stays() {
                seen.insert(Name::STAYING);
            }
            if event.alternative.is_some() {
                seen.insert(self.name_before_choice(event));
            }
            let (base, name) = (usize::from(index), event.name);
            let executed = self.executed();
            let read = event.touches.iter().find(|touch| touch.reads && touch.choice == Choice::Source);
            let passed = read.filter(|_| event.end.is_none()).map(|touch| (touch.location, touch.source));
            self.path.nodes.push(Node::new(base, index, name, passed, seen, executed));
            self.propose_choices(&self.path.nodes[self.path.nodes.len() - 1], || self.steps_so_far(index));
            self.sources_of(self.path.nodes.len() - 1)?;
        }
        Ok(())
    }

    /// Lists an event where it writes.
    pub(super) fn list_writes(&mut self, index: Index) {
        for touch in self.graph.events[usize::from(index)].touches.iter().filter(|touch| touch.writes) {
            self.graph.writes[touch.location as usize].push(index);
        }
    }

    /// A thread that fails or is not followed further stays before its last step, so that what
    /// others do is seen.
    fn stop_there(
        &mut self,
        index: Index,
        decisions: usize,
        has_failed: bool,
        state: &State<E>,
    ) -> Result<(), Halt> {
        if has_failed {
            self.collect_failure(state, index, decisions)?;
        }
        // An end that is of no concern is as an assumption that does not hold.
        let is_quiet = matches!(&state.end, Some(End::Failed(failure)) if self.options.quiet.counts(failure));
        self.graph.events[usize::from(index)].end =
            Some(if has_failed && !is_quiet { Ended::Failed } else { Ended::Blocked });
        if has_failed && self.is_in_ended_life(index, state) {
            // The end of the object's life could have observed the store.
            self.readers_of(index)?;
        }
        self.found.unfinished.note(state);
        self.discover(state)?;
        let event = &mut self.graph.events[usize::from(index)];
        event.touches.iter_mut().for_each(|touch| touch.writes = false);
        if event.is_buffered {
            event.is_buffered = false;
            self.graph.threads[event.thread.index()].stores.pop();
        }
        Ok(())
    }

    /// Whether an event touches memory of an object whose life has ended.
    fn is_in_ended_life(&self, index: Index, state: &State<E>) -> bool {
        let ranges = self.graph.events[usize::from(index)].touches.iter();
        ranges
            .filter_map(|touch| self.graph.locations.range(touch.location))
            .any(|(start, _)| state.memory.near(start).is_none_or(|object| object.life != Life::Live))
    }

    /// A known event fails if it is ordered after the end of an object's life. The failure is reported, and
    /// this order is not continued: other threads do the same in executions where the event does not fail.
    fn tell_late_end(
        &mut self,
        index: Index,
        decisions: usize,
        has_failed: bool,
        state: &State<E>,
    ) -> Result<(), Halt> {
        if !has_failed {
            return Err(Halt::Contradiction("the end of a known event"));
        }
        self.collect_failure(state, index, decisions)?;
        self.found.unfinished.note(state);
        self.discover(state)?;
        self.path.decisions.truncate(decisions);
        Ok(())
    }

    /// The state that the run has led to, once more.
    fn state_again(&mut self) -> Result<State<E>, Halt> {
        let none = Halt::Contradiction("no state to start from");
        let kept =
            self.path.run.iter().enumerate().rev().find_map(|(at, step)| Some((at, step.before.kept()?)));
        let (start, mut state) = kept.map(|(at, state)| (at, state.clone())).ok_or(none)?;
        let decisions = self.path.decisions.len();
        // They were counted when they were taken.
        let counted = self.executor.counters;
        for at in start..self.path.run.len() {
            let RunStep { thread, commits, event, .. } = self.path.run[at];
            if commits {
                let lane = self.lane_of(event)?;
                self.executor.step(&mut state, Agent::Buffer { thread, lane: lane.0 });
                continue;
            }
            while self.is_settled(&state, thread)? {
                self.perform_settled(&mut state, thread)?;
            }
            self.begin_choice(event);
            let step = self.executor.step(&mut state, Agent::Thread(thread));
            self.settle(&mut state, thread, step)?;
            self.end_choice(event, false)?;
            self.commit_own(&mut state, thread)?;
        }
        self.path.decisions.truncate(decisions);
        self.executor.counters.restore(counted);
        Ok(state)
    }

    /// The lane through which a store leaves its buffer.
    pub(super) fn lane_of(&self, event: Index) -> Result<Lane, Halt> {
        let touches = &self.graph.events[usize::from(event)].touches;
        let range = |touch: Option<&Touch>| self.graph.locations.range(touch?.location);
        let (Some((start, _)), Some((_, end))) = (range(touches.first()), range(touches.last())) else {
            return Err(Halt::Contradiction("a store to nowhere"));
        };
        Ok(self.executor.machine.model.commit_order().lane(ByteRange::new(start, end - start)))
    }

    /// Notes what memory holds where nobody has been before.
    pub(super) fn remember_initial(&mut self, state: &State<E>, event: &Event) {
        for touch in &event.touches {
            let location = touch.location as usize;
            if self.graph.last[location] == INITIAL
                && self.graph.writes[location].is_empty()
                && let Some((start, end)) = self.graph.locations.range(touch.location)
            {
                self.graph.initial[location] = self.number_at(state, start, end);
            }
        }
    }

    /// The number that memory holds; `None` where it is no number, or its object's life has ended.
    fn number_at(&self, state: &State<E>, start: u64, end: u64) -> Option<u64> {
        let object =
            state.memory.near(start).filter(|object| end - start <= 8 && object.life == Life::Live)?;
        let offset = start.wrapping_sub(object.base);
        (object.contains(offset, end - start) && object.is_concrete(offset, end - start))
            .then(|| object.read_word(offset, end - start))
    }

    /// Notes what an event has written. An update that leaves what it found has written nothing.
    fn note_result(&mut self, state: &State<E>, index: Index) {
        let event = &self.graph.events[usize::from(index)];
        let [touch] = event.touches[..] else { return };
        if event.commuting.is_some() || !touch.writes || touch.choice != Choice::Source {
            return;
        }
        let Some((start, end)) = self.graph.locations.range(touch.location) else { return };
        let value = match event.kind {
            Kind::Store(_) if event.is_buffered => {
                let buffer = &state.thread(event.thread).buffer;
                let mut bytes = [0; 8];
                let mut count = 0;
                for forwarded in buffer.forward(ByteRange::new(start, (end - start).min(8))) {
                    if let Byte::Concrete(byte) = forwarded.value {
                        bytes[forwarded.offset as usize] = *byte;
                        count += 1;
                    }
                }
                (count == end - start).then(|| u64::from_le_bytes(bytes))
            }
            Kind::Store(_) | Kind::Update(_) => self.number_at(state, start, end),
            _ => None,
        };
        let found = self.value_of(touch.source, touch.location);
        let event = &mut self.graph.events[usize::from(index)];
        event.value = value;
        if matches!(event.kind, Kind::Update(_)) && value.is_some() && value == found {
            event.touches[0].writes = false;
        }
    }

    /// Whether a thread that is alone is about to touch memory in which only one write can be the last. Then
    /// nobody needs to know.
    pub(super) fn is_settled(&mut self, state: &State<E>, thread: ThreadId) -> Result<bool, Halt> {
        if !is_alone_in_memory(state, thread) {
            return Ok(false);
        }
        let access = state.thread(thread).pending.as_ref().and_then(|pending| pending.action.access());
        let Some(access) = access else { return Ok(false) };
        let places = self.places(access.place)?;
        Ok(places.iter().all(|location| self.has_last_write(*location)))
    }

    /// Whether one of the writes to a location comes after all others in every execution.
    fn has_last_write(&self, location: Location) -> bool {
        let writes = &self.graph.writes[location as usize];
        writes.is_empty()
            || writes.iter().rev().any(|last| {
                let last_event = &self.graph.events[usize::from(*last)];
                writes.iter().all(|write| {
                    let commute = last_event.commuting.is_some()
                        && self.graph.events[usize::from(*write)].commuting == last_event.commuting;
                    write == last || last_event.ahead.has(*write) || commute
                })
            })
    }

    /// Takes a step that is no event. False if the execution goes no further.
    pub(super) fn perform_settled(&mut self, state: &mut State<E>, thread: ThreadId) -> Result<bool, Halt> {
        self.keep_way_back(state);
        let step = self.executor.step(state, Agent::Thread(thread));
        let goes_on = self.settle(state, thread, step)?;
        self.drain(state, thread);
        Ok(goes_on)
    }

    /// Lets the stores of a thread that is alone reach memory: there is nobody to see when.
    fn drain(&mut self, state: &mut State<E>, thread: ThreadId) {
        let model = self.executor.machine.model;
        while state.end.is_none()
            && let Some(lane) = state.thread(thread).buffer.committable(model).first().copied()
        {
            self.executor.step(state, Agent::Buffer { thread, lane: lane.0 });
        }
    }

    /// Finds the objects in which the order of writes is still open.
    pub(super) fn find_contested(&mut self) {
        self.executor.contested.clear();
        for location in 0..self.graph.locations.len() as Location {
            if let Some((start, _)) = self.graph.locations.range(location)
                && let Some(cell) = Cell::of(start)
                && !self.has_last_write(location)
            {
                self.executor.contested.insert(cell);
            }
        }
    }
}

/// Whether a thread that is alone is about to touch memory.
fn is_alone_in_memory<E: Environment>(state: &State<E>, thread: ThreadId) -> bool {
    let thread = state.thread(thread);
    state.unjoined <= 1
        && thread.buffer.is_empty()
        && thread.pending.as_ref().is_some_and(|pending| pending.action.access().is_some())
}
