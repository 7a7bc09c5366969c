//! Taking the steps of an execution, freely or as planned, and taking them back.

use super::{Halt, Node, SEVERAL_PROCESSES, Walk};
use crate::reads_from::graph::event::{Choice, Event, Kind, Location, Name, Touch};
use crate::reads_from::graph::index::{INITIAL, Index};
use crate::reads_from::graph::run::RunStep;
use crate::reads_from::graph::way_back::Before;
use crate::reads_from::limits::MOST_CUTS;
use crate::replays::lookahead;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use symx_interp::environment::Environment;
use symx_interp::memory::Life;
use symx_interp::progress::livelock::LongRun;
use symx_interp::state::State;
use symx_interp::stop::Step;
use symx_interp::threads::thread::Action;
use symx_interp::value::Byte;
use symx_ir::address::Cell;
use symx_memmodel::{ByteRange, FenceEffect, Lane};
use symx_trace::{Agent, Decision, Place, ThreadId};

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
            self.graph.starts.make_room(self.graph.locations.len());
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
        let mut run = LongRun::default();
        loop {
            match step {
                Step::Done if state.has_forked() => return Err(SEVERAL_PROCESSES),
                Step::Done => return Ok(true),
                Step::Paused => {
                    self.look_now()?;
                    self.discover(state)?;
                    run.pauses += 1;
                    let found = lookahead::scout(self.executor, state, thread, run.pauses);
                    if !found.is_empty() {
                        self.found.discovered.extend(found);
                        return Err(Halt::Discovered);
                    }
                    if self.executor.never_parks(state, thread, &mut run) {
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
        let agent = Agent::Buffer { thread, lane };
        let Ok(event) = self.issued(thread, number) else {
            self.keep_way_back(state);
            // A store to memory of the thread's own that happens to be in its buffer.
            self.path.decisions.push(Decision::Run(agent));
            self.executor.step(state, agent);
            return Ok(());
        };
        // The first position is one that there is always a way back to.
        let undo = if self.path.run.is_empty() {
            None
        } else {
            self.executor.commit_known(state, thread, Lane(lane), None)
        };
        match &undo {
            Some(undo) => {
                let taken = (&mut self.graph.taken, usize::from(event));
                self.executor.note_committed(taken, state, Lane(lane), undo);
            }
            None => {
                self.keep_way_back(state);
                self.executor.step(state, agent);
            }
        }
        self.note_commit(event, lane, undo.map_or(Before::Unknown, Before::Undo));
        Ok(())
    }

    /// Makes it part of the run that the store of an event has reached memory.
    pub(super) fn note_commit(&mut self, event: Index, lane: u64, before: Before<E>) {
        let Event { thread, ordinal, .. } = self.graph.events[usize::from(event)];
        let decisions = self.path.decisions.len();
        self.path.decisions.push(Decision::Run(Agent::Buffer { thread, lane }));
        let overwritten = self.overwrite(event);
        self.path.run.push(RunStep {
            thread,
            ordinal,
            commits: true,
            event,
            takes_effect: true,
            decisions,
            overwritten,
            before,
        });
    }

    /// Lets stores to memory of a thread's own, which are no events, reach it.
    pub(super) fn commit_own(&mut self, state: &mut State<E>, thread: ThreadId) -> Result<(), Halt> {
        let model = self.executor.machine.model;
        while let Some((lane, store)) = state.thread(thread).buffer.first_committable(model)
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

    /// Whether a known event of a thread that has done what it did then finds its sources again: it
    /// is the same event.
    pub(super) fn observes_the_same(&self, state: &State<E>, known: Index) -> bool {
        let event = &self.graph.events[usize::from(known)];
        let has_buffered = !state.thread(event.thread).buffer.is_empty();
        let is_same = |touch: &Touch| {
            let present = match has_buffered {
                true => self.source_at(state, event.thread, touch.location).ok(),
                false => Some(self.graph.last[touch.location as usize]),
            };
            present.is_some_and(|present| {
                touch.source == present || self.name_of_source(touch.source) == self.name_of_source(present)
            })
        };
        (!has_buffered || matches!(event.kind, Kind::Load(_) | Kind::Store(_)))
            && event.touches.iter().filter(|touch| touch.reads).all(is_same)
    }

    /// Whether the next store of a thread that would reach memory is to its own memory.
    pub(super) fn commits_own_next(&self, state: &State<E>, thread: ThreadId) -> bool {
        let next = state.thread(thread).buffer.first_committable(self.executor.machine.model);
        next.is_some_and(|(_, store)| self.issued(thread, store.event).is_err())
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

    /// Makes a new event known to the events that may observe it, and a choice point if it is one.
    pub(super) fn enter(&mut self, index: Index, is_choice: bool) -> Result<(), Halt> {
        self.find_lives_certain(index)?;
        self.list(index);
        self.readers_of(index)?;
        if is_choice {
            let event = &self.graph.events[usize::from(index)];
            let mut seen = FxHashSet::default();
            for touch in event.touches.iter().filter(|touch| touch.reads) {
                let source = self.name_at(touch.location, touch.source);
                seen.insert(if touch.choice.is_turn() { event.name } else { source });
            }
            if event.stays() {
                seen.insert(Name::STAYING);
            }
            if event.alternative.is_some() {
                seen.insert(self.name_before_choice(event));
            }
            let base = usize::from(index);
            let executed = self.executed();
            let read = event.touches.iter().find(|touch| touch.reads && touch.choice == Choice::Source);
            let passed = read.filter(|_| event.end.is_none()).map(|touch| (touch.location, touch.source));
            self.path.nodes.push(Node::new(base, index, event, passed, seen, executed));
            self.propose_choices(&self.path.nodes[self.path.nodes.len() - 1], || self.steps_so_far(index));
            self.sources_of(self.path.nodes.len() - 1)?;
        }
        Ok(())
    }

    /// Lists an event where it writes, and with those that end lives.
    pub(super) fn list(&mut self, index: Index) {
        let event = &self.graph.events[usize::from(index)];
        if event.ends_lives {
            self.graph.life_ends.push(index);
        }
        self.graph.has_commuting |= event.commuting.is_some();
        for touch in event.touches.iter().filter(|touch| touch.writes) {
            self.graph.writes[touch.location as usize].push(index);
        }
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

    /// Notes what memory holds where no event of this phase has written. It is noted each time: in another
    /// execution, an object that is made in this phase may begin with something else.
    pub(super) fn remember_start(&mut self, state: &State<E>, event: &Event) {
        let phase = self.graph.phase();
        for touch in &event.touches {
            let last = self.graph.writes[touch.location as usize].last();
            if last.is_none_or(|write| usize::from(*write) < phase)
                && let Some((start, end)) = self.graph.locations.range(touch.location)
            {
                let number = self.number_at(state, start, end);
                self.graph.starts.note(touch.location, phase, number);
            }
        }
    }

    /// The number that memory holds; `None` where it is no number, or its object's life has ended.
    pub(in crate::reads_from) fn number_at(&self, state: &State<E>, start: u64, end: u64) -> Option<u64> {
        let object =
            state.memory.near(start).filter(|object| end - start <= 8 && object.life == Life::Live)?;
        let offset = start.wrapping_sub(object.base);
        (object.contains(offset, end - start) && object.is_concrete(offset, end - start))
            .then(|| object.read_word(offset, end - start))
    }

    /// Notes what an event has written. An update that leaves what it found has written nothing.
    pub(super) fn note_result(&mut self, state: &State<E>, index: Index) {
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
    /// it need not be known. Its own writes that are still to come do not count.
    pub(super) fn is_settled(&mut self, state: &State<E>, thread: ThreadId) -> Result<bool, Halt> {
        if !is_alone_in_memory(state, thread) {
            return Ok(false);
        }
        let access = state.thread(thread).pending.as_ref().and_then(|pending| pending.action.access());
        let Some(access) = access else { return Ok(false) };
        let places = self.places(access.place)?;
        Ok(places.iter().all(|location| self.has_last_write(*location, None)))
    }

    /// Whether one of the writes to a location so far comes after all others in every execution. An event
    /// that is being performed counts.
    pub(super) fn has_last_write(&self, location: Location, performed: Option<Index>) -> bool {
        let writes = || {
            let known = self.graph.writes[location as usize].iter();
            known.filter(|write| performed == Some(**write) || !self.is_to_come(**write))
        };
        writes().next().is_none()
            || writes().rev().any(|last| {
                let last_event = &self.graph.events[usize::from(*last)];
                writes().all(|write| {
                    let commute = last_event.commuting.is_some()
                        && self.graph.events[usize::from(*write)].commuting == last_event.commuting;
                    write == last || last_event.ahead.has(*write) || commute
                })
            })
    }

    /// Whether an event is known from the run before and not executed yet on the way of a plan.
    pub(in crate::reads_from) fn is_to_come(&self, index: Index) -> bool {
        let event = &self.graph.events[usize::from(index)];
        event.end.is_none() && event.ordinal >= self.graph.threads[event.thread.index()].executed
    }

    /// Takes a step that is no event. False if the execution goes no further.
    pub(super) fn perform_settled(&mut self, state: &mut State<E>, thread: ThreadId) -> Result<bool, Halt> {
        self.keep_way_back(state);
        let step = self.executor.step(state, Agent::Thread(thread));
        let goes_on = self.settle(state, thread, step)?;
        self.drain(state, thread);
        Ok(goes_on)
    }

    /// Drains the store buffer of a thread that is alone: no other thread can observe when.
    pub(super) fn drain(&mut self, state: &mut State<E>, thread: ThreadId) {
        let model = self.executor.machine.model;
        while state.end.is_none()
            && let Some((lane, _)) = state.thread(thread).buffer.first_committable(model)
        {
            self.executor.step(state, Agent::Buffer { thread, lane: lane.0 });
        }
    }

    /// Finds the objects in which the order of writes is still open, with an event that is being performed.
    pub(super) fn find_contested(&mut self, performed: Option<Index>) {
        self.executor.contested.clear();
        for location in 0..self.graph.locations.len() as Location {
            if let Some((start, _)) = self.graph.locations.range(location)
                && let Some(cell) = Cell::of(start)
                && !self.has_last_write(location, performed)
            {
                self.executor.contested.insert(cell);
            }
        }
    }
}

/// Whether a thread that is alone is about to touch memory.
pub(super) fn is_alone_in_memory<E: Environment>(state: &State<E>, thread: ThreadId) -> bool {
    let thread = state.thread(thread);
    state.unjoined <= 1
        && thread.buffer.is_empty()
        && thread.pending.as_ref().is_some_and(|pending| pending.action.access().is_some())
}
