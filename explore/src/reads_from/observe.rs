//! From a thread's pending operation to the event that its next step will be.

use super::{Halt, Walk};
use crate::reads_from::graph::event::{Event, Kind, Location, Touch};
use crate::reads_from::graph::event_set::Bits;
use crate::reads_from::graph::index::{INITIAL, Index};
use crate::reads_from::graph::update::{Commutes, Commuting, Update, pending_commuting, pending_update};
use crate::reads_from::limits::MOST_EVENTS;
use crate::reads_from::touches::Seen;
use symx_interp::environment::Environment;
use symx_interp::state::State;
use symx_memmodel::{Barrier, ByteRange, StorePlacement};
use symx_trace::ThreadId;

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
        let update = match seen.kind {
            Kind::Update(_) if seen.touches.len() == 1 => pending_update(self.executor, state, thread),
            _ => None,
        };
        let commutes = match seen.kind {
            Kind::Update(_) => pending_commuting(self.executor, state, thread),
            _ => None,
        };
        let adds_unseen = update.is_some() && matches!(commutes, Some((Commuting::Sum, None)));
        let found = self.commuting(state, thread, &seen, update, commutes);
        let (commuting, asked) = found.map_or((None, None), |(commuting, asked)| (Some(commuting), asked));
        if commuting.is_some() {
            // It does not read.
            seen.touches[0].reads = false;
        }
        for at in 0..seen.touches.len() {
            if seen.touches[at].reads {
                seen.touches[at].source = self.source(state, thread, &seen, at)?;
            }
        }
        let Seen { kind, touches, is_buffered, is_lasting, ends_lives, arrives_at, waits_for } = seen;
        let mut event = Event {
            is_buffered,
            is_lasting,
            ends_lives,
            arrives_at,
            update,
            commuting,
            asked,
            adds_unseen,
            ..Event::new(thread, ordinal, kind, touches)
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
        self.keep_answers(state, &event)?;
        self.keep_arrivals_apart(&event)?;
        Ok(event)
    }

    /// With what the pending operation commutes here.
    fn commuting(
        &self,
        state: &State<E>,
        thread: ThreadId,
        seen: &Seen,
        update: Option<Update>,
        commutes: Option<Commutes>,
    ) -> Option<Commutes> {
        let [touch] = seen.touches[..] else { return None };
        let range = self.graph.locations.range(touch.location);
        if range.is_some_and(|range| self.executor.learned.observed.contains(&range)) {
            return None;
        }
        // An update that adds nothing is there to be answered.
        let may_be_asked = || {
            state.thread(thread).buffer.is_empty()
                && update.and_then(Update::added).is_some_and(|added| added != 0)
        };
        commutes.filter(|(_, asked)| asked.is_none() || may_be_asked())
    }

    /// Updates that commute are to be in order with all else that touches their place, whatever that
    /// observes. If they are not, they are distinguished from now on.
    fn keep_apart(&mut self, event: &Event) -> Result<(), Halt> {
        if event.commuting.is_none() && !self.graph.has_commuting {
            return Ok(());
        }
        let ahead = self.ahead_of(event);
        for touch in &event.touches {
            let other = match event.commuting {
                // Reading updates are not listed by location.
                Some(_) => self.graph.events.iter().zip(0..).find(|(other, index)| {
                    other.commuting != event.commuting
                        && other.touch(touch.location).is_some()
                        && !ahead.has(*index)
                }),
                None => self.graph.writes[touch.location as usize]
                    .iter()
                    .map(|write| (&self.graph.events[usize::from(*write)], *write))
                    .find(|(other, index)| other.commuting.is_some() && !ahead.has(*index)),
            };
            if other.is_some() {
                self.distinguish(touch.location)?;
            }
        }
        Ok(())
    }

    /// Updates that commute at a location are distinguished from now on, if it is one in memory.
    pub(super) fn distinguish(&mut self, location: Location) -> Result<(), Halt> {
        match self.graph.locations.range(location) {
            Some(range) => {
                self.executor.learned.observed.insert(range);
                Err(Halt::Learned)
            }
            None => Ok(()),
        }
    }

    /// Fills in an event's past, its name, and what takes effect before it.
    fn place_in_order(&self, event: &mut Event, waits_for: &[ThreadId]) {
        let earlier = &self.graph.threads[event.thread.index()].events[..event.ordinal as usize];
        (event.past, event.name) = self.as_if(event, |touch| touch.source);
        event.follows_all = true;
        if !self.executor.machine.model.buffers_stores() {
            event.before.extend(earlier.last().copied());
            return;
        }
        let mut between = if self.follows_barrier(event) { Barrier::StoreStore } else { Barrier::None };
        // Those that come before what comes before the event need not be listed, nor looked at.
        let mut implied = Bits::default();
        for index in earlier.iter().rev() {
            let before = &self.graph.events[usize::from(*index)];
            if before.kind == Kind::StoreBarrier {
                between = between.max(Barrier::StoreStore);
            }
            let is_implied = implied.has(*index);
            if is_implied || self.keeps(before, event, between) {
                if !is_implied {
                    event.before.insert(*index);
                }
                if before.follows_all {
                    break;
                }
                implied.union(&before.before);
            } else {
                event.follows_all = false;
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

    /// Whether an event of this number takes effect before another one, whatever that observes.
    pub(super) fn comes_ahead(&self, index: Index, event: &Event) -> bool {
        let implies = |earlier: Index| self.graph.events[usize::from(earlier)].ahead.has(index);
        event.before.has(index) || event.before.iter().any(implies)
    }

    /// The events that take effect before an event whatever it observes.
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
                let same = || earlier.touches.iter().any(|touch| later.touch(touch.location).is_some());
                let writes = !matches!(later.kind, Kind::Load(_));
                writes && same() || self.executor.machine.model.preserved(&first, &second, between)
            }
            (_, None) => matches!(later.kind, Kind::Operation { drains: true }) || !earlier.is_buffered,
            (None, _) => true,
        }
    }

    /// Which event's write the thread would observe now.
    fn source(&self, state: &State<E>, thread: ThreadId, seen: &Seen, at: usize) -> Result<Index, Halt> {
        let location = seen.touches[at].location;
        match seen.kind {
            Kind::Load(_) | Kind::Operation { drains: false } => self.source_at(state, thread, location),
            _ => Ok(self.graph.last[location as usize]),
        }
    }

    /// What a load of a thread would read at a location: from its own buffer, or from memory.
    pub(super) fn source_at(
        &self,
        state: &State<E>,
        thread: ThreadId,
        location: Location,
    ) -> Result<Index, Halt> {
        let last = self.graph.last[location as usize];
        let buffer = &state.thread(thread).buffer;
        if buffer.is_empty() {
            return Ok(last);
        }
        let Some((start, end)) = self.graph.locations.range(location) else { return Ok(last) };
        let range = ByteRange::new(start, end - start);
        match buffer.newest_to(range) {
            None => Ok(last),
            Some(store) if store.range().covers(range) => self.issued(thread, store.event),
            Some(_) => Err(Halt::Beyond("loads of bytes of several stores")),
        }
    }
}

impl<E: Environment> Walk<'_, '_, E> {
    /// A store must find its object alive, but observes nothing. If others overwrite it, the end of the
    /// object's life observes the same whether the store comes first of all or after that end: the two would
    /// count as one execution. With buffers, a store has to be in time when it is issued, a load that reads
    /// its thread's own store whenever that leaves the buffer. So which comes first has to be certain.
    pub(super) fn find_lives_certain(&self, index: Index) -> Result<(), Halt> {
        let is_certain = |other: Index| match self.is_end_certain(index, other) {
            true => Ok(()),
            false => Err(Halt::Beyond("the end of a life beside stores in no order with it")),
        };
        match self.graph.events[usize::from(index)].ends_lives {
            true => (0..self.graph.events.len() as Index).try_for_each(is_certain),
            false => self.graph.life_ends.iter().copied().try_for_each(is_certain),
        }
    }

    /// Whether it is certain which of two events comes first, where one of them ends lives of objects that
    /// the other may use late.
    fn is_end_certain(&self, index: Index, at: Index) -> bool {
        let (event, other) = (&self.graph.events[usize::from(index)], &self.graph.events[usize::from(at)]);
        if other.thread == event.thread {
            return true;
        }
        let (end, user, number) = if event.ends_lives { (event, other, at) } else { (other, event, index) };
        let is_own = |touch: &Touch| {
            touch.source != INITIAL && self.graph.events[usize::from(touch.source)].thread == user.thread
        };
        // A store that the end observes comes before it. One that follows what the end observes comes after
        // it.
        let is_overwritten = |touch: &Touch| {
            let source = end.touch(touch.location).map_or(INITIAL, |found| found.source);
            source != INITIAL && source != number && !user.past.has(source)
        };
        let may_be_late = match (user.kind, self.executor.machine.model.buffers_stores()) {
            (Kind::Store(_), true) => true,
            (Kind::Store(_), false) => user.touches.iter().any(is_overwritten),
            (Kind::Load(_), true) => user.touches.iter().any(is_own),
            _ => false,
        };
        !may_be_late
            || user.touches.iter().all(|touch| end.touch(touch.location).is_none())
            || event.past.has(at)
            || other.past.has(index)
    }
}
