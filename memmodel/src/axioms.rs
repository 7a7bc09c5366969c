//! The axiomatic half: which candidate executions a model allows.
//!
//! Three axioms, the same for every model but for the program order it preserves (Alglave, Maranget and
//! Tautschnig, "Herding cats", TOPLAS 2014): coherence of each location, atomicity of updates, and one order
//! of all events. Reads from the thread's own stores are no part of that order, because a pending store is
//! read before it takes effect.

use crate::{Drain, Event, Execution, FenceEffect, Location, MemoryModel, Operation, StorePlacement};
use thiserror::Error;

/// What stands between two events of one thread, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Barrier {
    /// Nothing that orders them.
    None,
    /// A StoreStore barrier, of a fence or in front of a releasing store.
    StoreStore,
    /// A full fence.
    Full,
}

/// Why a model forbids an execution. Cycles list events, each ordered before the next and the last before the
/// first.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Forbidden {
    /// Program order, reads-from, coherence and from-reads disagree at one location.
    #[error("the accesses to address {address:#x} have no order: events {cycle:?}")]
    Coherence {
        /// First byte of the location.
        address: u64,
        /// The cycle.
        cycle: Vec<usize>,
    },
    /// A write comes between the read and the write of an update.
    #[error("event {update} is not atomic at address {address:#x}")]
    Atomicity {
        /// First byte of the location.
        address: u64,
        /// The read-modify-write event.
        update: usize,
    },
    /// Preserved program order, synchronisation, external reads-from, coherence and from-reads disagree.
    #[error("the events have no common order: events {cycle:?}")]
    Order {
        /// The cycle.
        cycle: Vec<usize>,
    },
}

impl Execution {
    /// Whether `model` allows the execution, else the first axiom it breaks.
    pub fn check(&self, model: &dyn MemoryModel) -> Result<(), Forbidden> {
        self.locations.iter().try_for_each(|location| self.check_location(location))?;
        self.check_order(model)
    }

    /// Coherence and atomicity at one location; no model relaxes them.
    pub fn check_location(&self, location: &Location) -> Result<(), Forbidden> {
        let address = location.range.address;
        let mut order = Order::new(self.events.len());
        let mut last_of_thread: Vec<(u32, usize)> = Vec::new();
        for (index, event) in self.events.iter().enumerate() {
            if !event.range.covers(location.range) || !(event.reads() || event.writes()) {
                continue;
            }
            match last_of_thread.iter_mut().find(|(thread, _)| *thread == event.thread) {
                Some((_, last)) => order.add(std::mem::replace(last, index), index),
                None => last_of_thread.push((event.thread, index)),
            }
        }
        order.extend(location.reads_from.iter().filter_map(|&(read, source)| Some((source?, read))));
        order.extend(location.from_reads());
        order.extend(location.coherence.windows(2).map(|pair| (pair[0], pair[1])));
        if let Some(cycle) = order.cycle() {
            return Err(Forbidden::Coherence { address, cycle });
        }
        let torn = location.reads_from.iter().find(|&&(read, source)| {
            self.events[read].writes() && location.coherence.get(location.rank(source)) != Some(&read)
        });
        torn.map_or(Ok(()), |&(update, _)| Err(Forbidden::Atomicity { address, update }))
    }

    /// The order of all events, where `model` comes in.
    pub fn check_order(&self, model: &dyn MemoryModel) -> Result<(), Forbidden> {
        let mut order = Order::new(self.events.len());
        order.extend(self.preserved_program_order(model));
        order.extend(self.synchronises.iter().copied());
        for location in &self.locations {
            let external = |&(read, source): &(usize, Option<usize>)| {
                source
                    .filter(|&write| self.events[write].thread != self.events[read].thread)
                    .map(|w| (w, read))
            };
            order.extend(location.reads_from.iter().filter_map(external));
            order.extend(location.from_reads());
            order.extend(location.coherence.windows(2).map(|pair| (pair[0], pair[1])));
        }
        order.cycle().map_or(Ok(()), |cycle| Err(Forbidden::Order { cycle }))
    }

    /// The pairs of events of one thread that `model` keeps in program order, without some of those that
    /// follow from the others. Fences are in no pair; their effect is.
    pub fn preserved_program_order(&self, model: &dyn MemoryModel) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        // Events that everything before them in their thread is ordered before: no pair need reach past one.
        let mut closed = vec![false; self.events.len()];
        for (later, event) in self.events.iter().enumerate() {
            if event.operation == Operation::Fence {
                continue;
            }
            let mut between = barrier_before(model, event);
            let mut everything = true;
            for earlier in (0..later).rev().filter(|&earlier| self.events[earlier].thread == event.thread) {
                let candidate = &self.events[earlier];
                if candidate.operation == Operation::Fence {
                    between = between.max(fence_barrier(model.fence(candidate.ordering)));
                    continue;
                }
                if model.preserved(candidate, event, between) {
                    pairs.push((earlier, later));
                    if closed[earlier] {
                        break;
                    }
                } else {
                    everything = false;
                }
                between = between.max(barrier_before(model, candidate));
            }
            closed[later] = everything;
        }
        pairs
    }
}

/// The barrier an event has in front of it. That of an update lies in the event itself: it is ordered.
fn barrier_before(model: &dyn MemoryModel, event: &Event) -> Barrier {
    match event.operation {
        Operation::Store if model.store(event.ordering) == StorePlacement::BufferAfterStoreStore => {
            Barrier::StoreStore
        }
        Operation::Synchronisation if model.synchronisation() == Drain::Everything => Barrier::Full,
        _ => Barrier::None,
    }
}

fn fence_barrier(effect: FenceEffect) -> Barrier {
    match effect {
        FenceEffect::None => Barrier::None,
        FenceEffect::StoreStore => Barrier::StoreStore,
        FenceEffect::Drain => Barrier::Full,
    }
}

/// A relation between events that should be an order.
struct Order {
    successors: Vec<Vec<usize>>,
}

impl Order {
    fn new(events: usize) -> Self {
        Self { successors: vec![Vec::new(); events] }
    }

    fn add(&mut self, before: usize, after: usize) {
        self.successors[before].push(after);
    }

    fn extend(&mut self, pairs: impl IntoIterator<Item = (usize, usize)>) {
        pairs.into_iter().for_each(|(before, after)| self.add(before, after));
    }

    /// A cycle, if the relation has one: depth-first search with its own stack, as traces are long.
    fn cycle(&self) -> Option<Vec<usize>> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            OnPath,
            Done,
        }
        let mut marks = vec![Mark::New; self.successors.len()];
        for root in 0..marks.len() {
            if marks[root] != Mark::New {
                continue;
            }
            marks[root] = Mark::OnPath;
            let mut path = vec![(root, 0)];
            while let Some((event, next)) = path.last_mut() {
                let Some(&successor) = self.successors[*event].get(*next) else {
                    marks[*event] = Mark::Done;
                    path.pop();
                    continue;
                };
                *next += 1;
                match marks[successor] {
                    Mark::New => {
                        marks[successor] = Mark::OnPath;
                        path.push((successor, 0));
                    }
                    Mark::OnPath => {
                        let start = path.iter().position(|&(event, _)| event == successor)?;
                        return Some(path[start..].iter().map(|&(event, _)| event).collect());
                    }
                    Mark::Done => {}
                }
            }
        }
        None
    }
}
