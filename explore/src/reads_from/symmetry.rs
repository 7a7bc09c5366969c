//! Identical threads count as one another, where that is asked for.
//!
//! Threads are identical that begin at the same function with the same argument. As long as neither has had
//! an event, an exchange of two of them turns every execution into another one, unless something
//! distinguishes them. So consider an alternative of a choice point that such an exchange turns into one that
//! has been seen there. It shows nothing new. The exchange turns an execution into one that comes earlier in
//! the order in which alternatives were seen. As only finitely many come earlier, at least one of those that
//! are each other's exchanges is explored.
//!
//! Whatever distinguishes threads is noticed, and the walk restarts without exchanging them. It may be their
//! handles used for anything but to join them, a result, or a look at one's own identity
//! ([`Learned::distinguished`](symx_interp::Learned)). It may be anything done between the joins of some and
//! those of others. It may also come after the join of one, where it is not known what would be done. That
//! the addresses of their memory make no difference is assumed.

use super::linearisation::Changed;
use super::{Halt, Walk};
use crate::reads_from::graph::event::{Choice, Event, Location, Name};
use crate::reads_from::graph::event_set::Bits;
use crate::reads_from::graph::index::{INITIAL, Index};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use symx_interp::environment::Environment;
use symx_interp::learned::Beginning;
use symx_interp::state::State;
use symx_trace::{Mode, Place, ThreadId};

/// A possible source of the event of a choice point, before it is asked whether there is such an execution.
pub(super) struct Alternative<'a> {
    /// The event that would be observed, or would come instead.
    pub event: Index,
    /// Where it would be observed; `None` for one that comes instead.
    pub location: Option<Location>,
    /// Events that would have other sources.
    pub changed: &'a [Changed],
    /// The events that would be before it, or are known before the choice point.
    pub members: &'a Bits,
    /// The name it has among the sources seen.
    pub name: Name,
}

impl Alternative<'_> {
    /// The source of an event at a location in this alternative.
    fn source(&self, index: Index, location: Location, present: Index) -> Index {
        let changed =
            self.changed.iter().find(|changed| changed.event == index && changed.location == location);
        changed.map_or(present, |changed| changed.source)
    }
}

/// Two identical threads that change places, and their events but for their beginnings.
struct Exchange {
    threads: [ThreadId; 2],
    events: Bits,
}

impl Exchange {
    fn of(&self, thread: ThreadId) -> ThreadId {
        match self.threads {
            [one, other] if thread == one => other,
            [one, other] if thread == other => one,
            _ => thread,
        }
    }

    fn concerns(&self, thread: ThreadId) -> bool {
        self.threads.contains(&thread)
    }
}

impl<E: Environment> Walk<'_, '_, E> {
    /// Whether an exchange of identical threads makes an alternative of a choice point one that
    /// has been seen there.
    pub(super) fn is_exchange_of_seen(&self, node: usize, alternative: &Alternative<'_>) -> bool {
        let node = &self.path.nodes[node];
        let reader = &self.graph.events[usize::from(node.event)];
        let fresh: SmallVec<[(ThreadId, Beginning); 8]> = self.fresh_threads(node.base).collect();
        for (at, (one, beginning)) in fresh.iter().enumerate() {
            for (other, _) in fresh[at + 1..].iter().filter(|(_, other)| other == beginning) {
                let mut events = Bits::default();
                for thread in [one, other] {
                    events.extend(self.graph.threads[thread.index()].events.iter().skip(1).copied());
                }
                let exchange = Exchange { threads: [*one, *other], events };
                let name = match alternative.location {
                    Some(location) if exchange.concerns(reader.thread) => {
                        self.name_in_place_of_other(node.event, location, alternative, &exchange)
                    }
                    location => {
                        let mut names = FxHashMap::default();
                        let name =
                            self.exchanged(alternative.event, &exchange, Some(alternative), &mut names);
                        Some(
                            location
                                .map_or(name, |location| name.with(self.graph.locations.identity(location))),
                        )
                    }
                };
                if name
                    .is_some_and(|name| name != alternative.name && node.alternatives().seen.contains(&name))
                {
                    return true;
                }
            }
        }
        false
    }

    /// Threads that are there before a choice point and have at most begun, and have not been distinguished
    /// from others.
    fn fresh_threads(&self, base: usize) -> impl Iterator<Item = (ThreadId, Beginning)> + '_ {
        self.graph.threads.iter().enumerate().filter_map(move |(thread, log)| {
            let beginning = log.beginning?;
            let thread = ThreadId(thread as u32);
            let is_there = self.was_created(thread, |created| usize::from(created) < base)?;
            let is_fresh = is_there && log.events.get(1).is_none_or(|first| usize::from(*first) >= base);
            (is_fresh && !self.executor.learned.distinguished.contains(&beginning))
                .then_some((thread, beginning))
        })
    }

    /// The source that the first event of a thread would observe if it came in the other thread's place in an
    /// alternative. `None` if that thread's first event has not happened there, or is not like it.
    fn name_in_place_of_other(
        &self,
        reader: Index,
        location: Location,
        alternative: &Alternative<'_>,
        exchange: &Exchange,
    ) -> Option<Name> {
        let event = &self.graph.events[usize::from(reader)];
        let other = *self.graph.threads[exchange.of(event.thread).index()].events.get(1)?;
        let counterpart = &self.graph.events[usize::from(other)];
        let [touch] = counterpart.touches[..] else { return None };
        let is_like = event.ordinal == 1
            && event.touches.len() == 1
            && counterpart.kind == event.kind
            && touch.location == location
            && touch.reads
            && touch.choice == Choice::Source;
        if !is_like || !alternative.members.has(other) {
            return None;
        }
        let source = alternative.source(other, location, touch.source);
        if source != INITIAL && self.graph.events[usize::from(source)].past.has(reader) {
            return None;
        }
        Some(self.name_at(location, source))
    }

    /// The name that an event has when two threads have changed places. Those of an `alternative`'s event
    /// are its sources there.
    fn exchanged(
        &self,
        index: Index,
        exchange: &Exchange,
        alternative: Option<&Alternative<'_>>,
        names: &mut FxHashMap<Index, Name>,
    ) -> Name {
        if let Some(name) = names.get(&index) {
            return *name;
        }
        let event = &self.graph.events[usize::from(index)];
        let thread = exchange.of(event.thread);
        let is_changed = alternative.is_some_and(|alternative| {
            alternative.event == index && alternative.changed.iter().any(|changed| changed.event == index)
        });
        let is_beginning = thread != event.thread && event.ordinal == 0;
        let is_concerned = thread != event.thread || event.past.meets(&exchange.events) || is_changed;
        let name = if is_beginning {
            let begun = self.graph.threads[thread.index()].events.first();
            begun.map_or(event.name, |begun| self.graph.events[usize::from(*begun)].name)
        } else if is_concerned {
            let previous =
                self.previous_of(event).map(|previous| self.exchanged(previous, exchange, None, names));
            self.name_of(event, thread, previous, |touch| {
                let source = match alternative {
                    Some(alternative) => alternative.source(index, touch.location, touch.source),
                    None => touch.source,
                };
                let is_told = source != INITIAL && self.graph.events[usize::from(source)].commuting.is_none();
                if is_told {
                    self.exchanged(source, exchange, None, names)
                } else {
                    self.name_of_source(source)
                }
            })
        } else {
            event.name
        };
        names.insert(index, name);
        name
    }

    /// At the end of an execution: identical threads are distinguished if some were joined before something
    /// else was done than to join the others. The walk restarts if that is found out here of some.
    pub(super) fn find_distinguished(&mut self, state: &State<E>) -> Result<(), Halt> {
        if !self.options.symmetry {
            return Ok(());
        }
        self.know_threads(state);
        for thread in 0..state.threads.len() {
            self.find_joined_apart(ThreadId(thread as u32), state);
        }
        match self.executor.learned.distinguished.len() > self.distinguished {
            true => Err(Halt::Learned),
            false => Ok(()),
        }
    }

    /// Finds which threads are distinguished by how a thread joins them.
    fn find_joined_apart(&mut self, joiner: ThreadId, state: &State<E>) {
        let log = &self.graph.threads[joiner.index()];
        let mut joined: SmallVec<[ThreadId; 8]> = SmallVec::new();
        let mut apart: SmallVec<[Beginning; 2]> = SmallVec::new();
        // The thread's events, had it come to join another one, are not known here.
        if let Some(target) = waits_for_end_of(state, joiner)
            && let Some(beginning) = self.graph.threads[target.index()].beginning
            && state.threads.iter().any(|other| {
                other.id != target && other.beginning == Some(beginning) && other.exited && !other.joined
            })
        {
            apart.push(beginning);
        }
        for (at, index) in log.events.iter().enumerate() {
            let Some(target) = self.joined_by(&self.graph.events[usize::from(*index)]) else { continue };
            let Some(beginning) = self.graph.threads[target.index()].beginning else { continue };
            joined.push(target);
            let next = log.events.get(at + 1);
            let is_alike = |thread: ThreadId| self.graph.threads[thread.index()].beginning == Some(beginning);
            let goes_on = match next {
                Some(next) => self.joined_by(&self.graph.events[usize::from(*next)]).is_some_and(is_alike),
                None => waits_for_end_of(state, joiner).is_some_and(is_alike),
            };
            let past = &self.graph.events[usize::from(*index)].past;
            let is_left = |thread: ThreadId| {
                is_alike(thread)
                    && !joined.contains(&thread)
                    && self.was_created(thread, |created| past.has(created)) != Some(false)
                    // After its last event the thread may have joined the others at once.
                    && (next.is_some() || !state.thread(thread).joined)
            };
            if !goes_on && (0..state.threads.len()).any(|thread| is_left(ThreadId(thread as u32))) {
                apart.push(beginning);
            }
        }
        self.executor.learned.distinguished.extend(apart);
    }

    /// The thread whose end an event waits for.
    fn joined_by(&self, event: &Event) -> Option<ThreadId> {
        // The end of a thread has no source.
        let touch =
            event.touches.iter().find(|touch| touch.choice == Choice::Nothing && touch.source != INITIAL)?;
        let threads = (0..self.graph.threads.len()).map(|thread| ThreadId(thread as u32));
        threads
            .filter(|thread| *thread != event.thread)
            .find(|thread| self.graph.locations.other(Place::Thread(*thread)) == Some(touch.location))
    }

    /// Whether a thread that has begun was created by one of some events, or before there were any.
    fn was_created(&self, thread: ThreadId, by: impl Fn(Index) -> bool) -> Option<bool> {
        let begun = self.graph.threads[thread.index()].events.first()?;
        let created = self.graph.events[usize::from(*begun)].touches.first()?.source;
        Some(created == INITIAL || by(created))
    }
}

/// The thread for whose end a thread waits in a state.
fn waits_for_end_of<E: Environment>(state: &State<E>, thread: ThreadId) -> Option<ThreadId> {
    let operation = state.thread(thread).pending.as_ref()?.action.operation()?;
    operation.footprint.iter().find_map(|access| match access.place {
        Place::Thread(other) if other != thread && access.mode == Mode::Acquire => Some(other),
        _ => None,
    })
}
