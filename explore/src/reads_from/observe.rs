//! From a thread's pending operation to the event that its next step will be.

use super::{Halt, Walk};
use crate::reads_from::arrivals::is_arrival;
use crate::reads_from::graph::event::{Choice, Event, INITIAL, Index, Kind, Location, Name, Touch};
use crate::reads_from::graph::event_set::{Bits, MOST_EVENTS};
use crate::reads_from::graph::update::{Commuting, pending_commuting, pending_update};
use smallvec::SmallVec;
use symx_interp::environment::Environment;
use symx_interp::memory::lifetimes::mortal_at;
use symx_interp::state::State;
use symx_interp::threads::thread::{Action, Operation};
use symx_memmodel::{Barrier, ByteRange, Drain, FenceEffect, StorePlacement};
use symx_trace::{Access, Mode, Place, ThreadId};

/// What a range of memory is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    /// Loads, stores and updates.
    Plain,
    /// As a lock of the C library.
    Lock,
}

/// What a pending operation does, before its sources are looked up.
struct Seen {
    kind: Kind,
    touches: SmallVec<[Touch; 2]>,
    is_buffered: bool,
    is_lasting: bool,
    ends_lives: bool,
    arrives_at: Option<(Location, u64)>,
    waits_for: SmallVec<[ThreadId; 1]>,
}

impl<E: Environment> Walk<'_, '_, E> {
    /// The event that the next step of `thread` is, with its present sources.
    pub(super) fn observe(
        &mut self,
        state: &State<E>,
        thread: ThreadId,
        ordinal: u32,
    ) -> Result<Event, Halt> {
        if self.graph.events.len() + 1 >= MOST_EVENTS {
            return Err(Halt::Beyond("very long executions"));
        }
        let may_be_interrupted =
            !self.executor.machine.environment.interruption_footprint(state, thread).is_empty();
        if may_be_interrupted || state.thread(thread).service {
            return Err(Halt::Beyond("threads that signals interrupt"));
        }
        let mut seen = self.look_at(state, thread)?;
        let commuting = self.commuting(state, thread, &mut seen);
        for at in 0..seen.touches.len() {
            if seen.touches[at].reads {
                seen.touches[at].source = self.source(state, thread, &seen, at)?;
            }
        }
        let Seen { kind, touches, is_buffered, is_lasting, ends_lives, arrives_at, waits_for } = seen;
        let update = match kind {
            Kind::Update(_) if touches.len() == 1 => pending_update(self.executor, state, thread),
            _ => None,
        };
        let adds_unseen =
            update.is_some() && pending_commuting(self.executor, state, thread) == Some(Commuting::Sum);
        let mut event = Event {
            thread,
            ordinal,
            kind,
            touches,
            name: Name::of(thread, ordinal),
            past: Bits::default(),
            before: Bits::default(),
            ahead: Bits::default(),
            is_buffered,
            end: None,
            is_lasting,
            ends_lives,
            arrives_at,
            update,
            commuting,
            changes_memory: false,
            leaves_trace: false,
            sleeps: false,
            value: None,
            adds_unseen,
            sum: None,
            alternative: None,
            spins: false,
            undone: None,
        };
        self.place_in_order(&mut event, &waits_for);
        event.ahead = self.ahead_of(&event);
        for touch in event.touches.iter().filter(|touch| touch.reads && touch.source != INITIAL) {
            let source = &self.graph.events[usize::from(touch.source)];
            if !(source.is_buffered && source.thread == thread) && source.commuting.is_none() {
                event.ahead.union(&source.ahead);
                event.ahead.insert(touch.source);
            }
        }
        event.past.insert(self.graph.events.len() as Index);
        self.keep_apart(&event)?;
        self.keep_arrivals_apart(&event)?;
        Ok(event)
    }

    /// With what the pending operation commutes. It is then one that does not read.
    fn commuting(&mut self, state: &State<E>, thread: ThreadId, seen: &mut Seen) -> Option<Commuting> {
        let (Kind::Update(_), [touch]) = (seen.kind, &mut seen.touches[..]) else { return None };
        if self
            .graph
            .locations
            .range(touch.location)
            .is_some_and(|range| self.executor.learned.observed.contains(&range))
        {
            return None;
        }
        let commuting = pending_commuting(self.executor, state, thread)?;
        touch.reads = false;
        Some(commuting)
    }

    /// Updates that commute are to be in order with all else that touches their place. If they are not, they
    /// are told apart from now on.
    fn keep_apart(&mut self, event: &Event) -> Result<(), Halt> {
        for touch in &event.touches {
            let other = match event.commuting {
                // Those who read are not listed by location.
                Some(_) => self.graph.events.iter().zip(0..).find(|(other, index)| {
                    other.commuting != event.commuting
                        && other.touch(touch.location).is_some()
                        && !event.ahead.has(*index)
                }),
                None => self.graph.writes[touch.location as usize]
                    .iter()
                    .map(|write| (&self.graph.events[usize::from(*write)], *write))
                    .find(|(other, index)| other.commuting.is_some() && !event.ahead.has(*index)),
            };
            if other.is_some()
                && let Some(range) = self.graph.locations.range(touch.location)
            {
                self.executor.learned.observed.insert(range);
                return Err(Halt::Learned);
            }
        }
        Ok(())
    }

    /// Fills in an event's past, its name, and what takes effect before it.
    fn place_in_order(&self, event: &mut Event, waits_for: &[ThreadId]) {
        let earlier = &self.graph.threads[event.thread.index()].events[..event.ordinal as usize];
        (event.past, event.name) = self.as_if(event, |touch| touch.source);
        if !self.executor.machine.model.buffers_stores() {
            event.before.extend(earlier.last().copied());
            return;
        }
        let mut between = if self.follows_barrier(event) { Barrier::StoreStore } else { Barrier::None };
        for index in earlier.iter().rev() {
            let before = &self.graph.events[usize::from(*index)];
            if before.kind == Kind::StoreBarrier {
                between = between.max(Barrier::StoreStore);
            }
            if self.keeps(before, event, between) {
                event.before.insert(*index);
            }
            if self.follows_barrier(before) {
                between = between.max(Barrier::StoreStore);
            }
        }
        for other in waits_for {
            let theirs = self.graph.threads[other.index()].events.iter().copied();
            event.before.extend(theirs.filter(|index| self.graph.events[usize::from(*index)].is_buffered));
        }
    }

    /// Whether an event is a store with a barrier in front.
    fn follows_barrier(&self, event: &Event) -> bool {
        let model = self.executor.machine.model;
        matches!(event.kind, Kind::Store(ordering) if model.store(ordering) == StorePlacement::BufferAfterStoreStore)
    }

    /// What takes effect before an event whatever it observes.
    pub(super) fn ahead_of(&self, event: &Event) -> Bits {
        let mut ahead = event.before;
        for earlier in event.before.iter() {
            ahead.union(&self.graph.events[usize::from(earlier)].ahead);
        }
        ahead
    }

    /// Whether every thread sees two events of one thread in their order.
    fn keeps(&self, earlier: &Event, later: &Event, between: Barrier) -> bool {
        let range = ByteRange::new(0, 0);
        let model_event = |event: &Event| event.kind.in_model(event.thread, range);
        match (model_event(earlier), model_event(later)) {
            (Some(first), Some(second)) => {
                let same = earlier.touches.iter().any(|touch| later.touch(touch.location).is_some());
                let writes = !matches!(later.kind, Kind::Load(_));
                same && writes || self.executor.machine.model.preserved(&first, &second, between)
            }
            (_, None) => matches!(later.kind, Kind::Operation { drains: true }) || !earlier.is_buffered,
            (None, _) => true,
        }
    }

    fn look_at(&mut self, state: &State<E>, thread: ThreadId) -> Result<Seen, Halt> {
        let model = self.executor.machine.model;
        let mut seen = Seen {
            kind: Kind::Operation { drains: true },
            touches: SmallVec::new(),
            is_buffered: false,
            is_lasting: false,
            ends_lives: false,
            arrives_at: None,
            waits_for: SmallVec::new(),
        };
        let Some(pending) = &state.thread(thread).pending else {
            let place = state.thread(thread).beginning_place();
            seen.touches.push(self.object(place, Mode::Acquire));
            return Ok(seen);
        };
        match &pending.action {
            Action::Load { address, length, ordering } => {
                seen.kind = Kind::Load(*ordering);
                self.memory(*address, *address + *length, true, false, &mut seen.touches)?;
            }
            Action::Store { address, length, ordering } => {
                seen.kind = Kind::Store(*ordering);
                self.memory(*address, *address + *length, false, true, &mut seen.touches)?;
                let placement = model.store(*ordering);
                // Of a thread that is alone nobody can see when its stores reach memory.
                seen.is_buffered = state.unjoined > 1
                    && matches!(placement, StorePlacement::Buffer | StorePlacement::BufferAfterStoreStore);
            }
            Action::ReadModifyWrite { address, length, ordering } => {
                seen.kind = Kind::Update(*ordering);
                self.memory(*address, *address + *length, true, true, &mut seen.touches)?;
            }
            Action::Fence(ordering) => {
                seen.kind = match model.fence(*ordering) {
                    FenceEffect::Drain => Kind::Operation { drains: true },
                    FenceEffect::StoreStore => Kind::StoreBarrier,
                    FenceEffect::None => Kind::Operation { drains: false },
                };
            }
            Action::Fail(_) => seen.kind = Kind::Operation { drains: false },
            Action::Never => {}
            Action::Return(footprint) => {
                seen.kind = Kind::Operation { drains: false };
                seen.ends_lives = true;
                for access in footprint {
                    self.modelled(thread, access, &mut seen)?;
                }
            }
            Action::Model(operation) => {
                let drains = operation.drain == Drain::Everything;
                seen.kind = Kind::Operation { drains };
                let mut touches_words = false;
                if ends_in_two_ways(operation) {
                    // Where the first has come, this walk would not look for what makes the second come.
                    return Err(Halt::Beyond("waits that end in one of two ways"));
                }
                // Such a step does not wait for the thread's own stores, and looks at none of what it ends.
                seen.ends_lives = operation.footprint.iter().any(ends_life);
                let arrives = operation.footprint.iter().any(is_arrival);
                for access in &operation.footprint {
                    if arrives && access.mode == Mode::Read && matches!(access.place, Place::Object(_)) {
                        let (touch, address) = self.arrival(access.place);
                        seen.touches.push(touch);
                        seen.arrives_at = Some((touch.location, address));
                        continue;
                    }
                    let is_memory = matches!(access.place, Place::Memory { .. });
                    if is_memory
                        && model.buffers_stores()
                        && !drains
                        && !(seen.ends_lives && access.mode == Mode::Write)
                    {
                        return Err(Halt::Beyond("modelled access to memory beside store buffers"));
                    }
                    // Who may have to wait for others is one of those whose order counts, even
                    // if it only reads.
                    let waits = operation.wait.is_some() && matches!(access.mode, Mode::Read | Mode::Follow);
                    let mode = if waits { Mode::Acquire } else { access.mode };
                    let place = match access.place {
                        Place::Life(base) => Place::Life(own_byte(state, &operation.footprint, base)),
                        place => place,
                    };
                    let known = seen.touches.len();
                    self.modelled(thread, &Access { place, mode }, &mut seen)?;
                    // Not the word of a library lock, which is touched as an object.
                    touches_words |=
                        is_memory && seen.touches[known..].iter().any(|touch| touch.choice == Choice::Source);
                }
                let chained = seen.touches.iter().any(|touch| touch.choice == Choice::Next);
                // What such an operation touches next can depend on what it reads (a futex).
                if chained && touches_words {
                    return Err(Halt::Beyond("operations on an object and memory at once"));
                }
            }
        }
        Ok(seen)
    }

    /// What a modelled function does to a place.
    fn modelled(&mut self, thread: ThreadId, access: &Access, seen: &mut Seen) -> Result<(), Halt> {
        match (access.place, access.mode) {
            (Place::Process, _) => {
                seen.is_lasting = true;
            }
            (Place::Drained(thread), Mode::Acquire) => {
                seen.waits_for.push(thread);
            }
            (Place::Drained(_) | Place::PendingStore { .. }, _) => {
                if self.executor.machine.model.buffers_stores() {
                    return Err(Halt::Beyond("a query of a store buffer"));
                }
            }
            (Place::Round { .. }, mode) => self.round(thread, access.place, mode, &mut seen.touches),
            // Who waits for a thread's end has no rival; who only asks for it has.
            (Place::Thread(_), Mode::Read | Mode::Write) => {
                return Err(Halt::Beyond("a query of a thread's end"));
            }
            (Place::Memory { .. }, mode) => {
                for location in self.places(access.place)? {
                    let is_lock = self.graph.use_of[location as usize] == Some(Use::Lock);
                    match mode {
                        Mode::Acquire | Mode::Release => seen.touches.push(self.library_lock(location)?),
                        Mode::Write if is_lock => seen.touches.push(self.library_lock(location)?),
                        _ => self.plain(location, true, mode == Mode::Write, &mut seen.touches)?,
                    }
                }
            }
            // The end of a life writes all the object's bytes, one of which stands for the life.
            (Place::Life(_), Mode::Write) => {}
            (Place::Life(base), _) => self.memory(base, base + 1, true, false, &mut seen.touches)?,
            (place, mode) => {
                let touch = self.object(place, mode);
                seen.touches.push(touch);
            }
        }
        Ok(())
    }

    /// A lock of libc's: a word of memory that is touched as an object.
    fn library_lock(&mut self, location: Location) -> Result<Touch, Halt> {
        self.use_as(location, Use::Lock)?;
        Ok(Touch { location, reads: true, writes: true, choice: Choice::Next, source: INITIAL })
    }

    fn use_as(&mut self, location: Location, how: Use) -> Result<(), Halt> {
        match *self.graph.use_of[location as usize].get_or_insert(how) == how {
            true => Ok(()),
            false => Err(Halt::Beyond("a library lock used as a number")),
        }
    }

    fn object(&mut self, place: Place, mode: Mode) -> Touch {
        let location = self.object_place(place);
        let writes = mode != Mode::Read;
        let choice = match (place, mode) {
            (Place::Thread(_) | Place::Child { .. }, _) => Choice::Nothing,
            (_, Mode::Read) => Choice::Source,
            _ => Choice::Next,
        };
        Touch { location, reads: true, writes, choice, source: INITIAL }
    }

    /// Adds what an access does to a range of memory.
    fn memory(
        &mut self,
        start: u64,
        end: u64,
        reads: bool,
        writes: bool,
        touches: &mut SmallVec<[Touch; 2]>,
    ) -> Result<(), Halt> {
        for location in self.places(Place::Memory { start, end })? {
            self.plain(location, reads, writes, touches)?;
        }
        Ok(())
    }

    /// Adds what an access does to one of the places that it touches.
    fn plain(
        &mut self,
        location: Location,
        reads: bool,
        writes: bool,
        touches: &mut SmallVec<[Touch; 2]>,
    ) -> Result<(), Halt> {
        self.use_as(location, Use::Plain)?;
        let is_here = |touch: &&mut Touch| touch.location == location && touch.choice == Choice::Source;
        match touches.iter_mut().find(is_here) {
            Some(touch) => (touch.reads, touch.writes) = (touch.reads | reads, touch.writes | writes),
            None => touches.push(Touch { location, reads, writes, choice: Choice::Source, source: INITIAL }),
        }
        Ok(())
    }

    /// Which event's write the thread would observe now.
    fn source(&self, state: &State<E>, thread: ThreadId, seen: &Seen, at: usize) -> Result<Index, Halt> {
        let location = seen.touches[at].location;
        let last = self.graph.last[location as usize];
        let buffer = &state.thread(thread).buffer;
        let passes_buffer = matches!(seen.kind, Kind::Load(_) | Kind::Operation { drains: false });
        let range = self.graph.locations.range(location).filter(|_| passes_buffer && !buffer.is_empty());
        let Some((start, end)) = range else { return Ok(last) };
        let mut sources: SmallVec<[u32; 8]> =
            buffer.forward(ByteRange::new(start, end - start)).map(|byte| byte.event).collect();
        if sources.is_empty() {
            return Ok(last);
        }
        let whole = sources.len() as u64 == end - start;
        sources.dedup();
        match (whole, &sources[..]) {
            (true, [number]) => self.issued(thread, *number),
            _ => Err(Halt::Beyond("loads of bytes of several stores")),
        }
    }
}

impl<E: Environment> Walk<'_, '_, E> {
    /// A store must find its object alive when it is issued, a load that reads its thread's own store
    /// whenever that leaves the buffer. Neither can be told from where they stand in the order of effects, so
    /// whether they come before the end of a life has to be certain.
    pub(super) fn find_lives_certain(&self, index: Index) -> Result<(), Halt> {
        if !self.executor.machine.model.buffers_stores() {
            return Ok(());
        }
        let event = &self.graph.events[usize::from(index)];
        let others = self.graph.events.iter().zip(0..).filter(|(other, _)| other.thread != event.thread);
        for (other, at) in others.filter(|(other, _)| event.ends_lives || other.ends_lives) {
            let (end, user) = if event.ends_lives { (event, other) } else { (other, event) };
            let is_own = |touch: &Touch| {
                touch.source != INITIAL && self.graph.events[usize::from(touch.source)].thread == user.thread
            };
            let may_be_late = match user.kind {
                Kind::Store(_) => true,
                Kind::Load(_) => user.touches.iter().any(is_own),
                _ => false,
            };
            if may_be_late
                && user.touches.iter().any(|touch| end.touch(touch.location).is_some())
                && !event.past.has(at)
                && !other.past.has(index)
            {
                return Err(Halt::Beyond("the end of a life beside store buffers"));
            }
        }
        Ok(())
    }
}

/// Whether an operation that waits looks at another object than the one it waits at: that may
/// end the wait, too.
fn ends_in_two_ways<E: Environment>(operation: &Operation<E>) -> bool {
    let touches = |mode: Mode, is_there: fn(&Place) -> bool| {
        operation.footprint.iter().any(|access| access.mode == mode && is_there(&access.place))
    };
    operation.wait.is_some()
        && touches(Mode::Read, |place| matches!(place, Place::Object(_)))
        && touches(Mode::Acquire, |_| true)
}

/// Whether an access is the end of an object's life.
fn ends_life(access: &Access) -> bool {
    matches!((access.place, access.mode), (Place::Life(_), Mode::Write))
}

/// The byte of the object at `base` that nobody but the end of its life writes beside an operation: that of a
/// synchronisation object in it.
fn own_byte<E: Environment>(state: &State<E>, footprint: &[Access], base: u64) -> u64 {
    let object = footprint.iter().find_map(|access| match access.place {
        Place::Object(address) | Place::Round { barrier: address, .. }
            if mortal_at(state, address) == Some(base) =>
        {
            Some(address)
        }
        _ => None,
    });
    object.unwrap_or(base)
}
