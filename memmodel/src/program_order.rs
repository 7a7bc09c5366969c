//! The program order that a model preserves, in few pairs.

use crate::{
    Barrier, Drain, Event, Execution, FenceEffect, MemoryModel, Operation, Ordering, StorePlacement,
};
use std::collections::BTreeMap;

impl Execution {
    /// Pairs of events of one thread whose transitive closure is the program order `model` preserves. Fences
    /// are in no pair; their effect is.
    ///
    /// The number of pairs, and the time, is linear in the number of events, except around barriers that
    /// order many unordered stores. Each of those is paired with each event the barrier first orders them
    /// before.
    pub fn preserved_program_order(&self, model: &dyn MemoryModel) -> Vec<(usize, usize)> {
        let mut threads: BTreeMap<u32, Thread> = BTreeMap::new();
        let mut pairs = Vec::new();
        for (index, event) in self.events.iter().enumerate() {
            threads.entry(event.thread).or_default().append(model, index, event, &mut pairs);
        }
        pairs
    }
}

/// One thread's events so far.
#[derive(Default)]
struct Thread {
    /// By kind of event, as a model looks at nothing else: an event of the kind, and the events in order.
    kinds: BTreeMap<(Operation, Ordering), Vec<Placed>>,
    /// Number of events before the newest barrier at least as strong as StoreStore.
    before_store_store: usize,
    /// Number of events before the newest full barrier.
    before_full: usize,
    /// Number of events.
    length: usize,
}

/// An event in its thread.
#[derive(Clone, Copy)]
struct Placed {
    /// In [`Execution::events`].
    index: usize,
    /// Number of the thread's events before it, fences not counted.
    position: usize,
    /// Whether all of them are ordered before it.
    closed: bool,
    event: Event,
    /// [`Thread::before_store_store`] and [`Thread::before_full`] at the event.
    before_store_store: usize,
    before_full: usize,
}

impl Placed {
    /// The strongest barrier between the thread's event at an earlier position and this one.
    fn barrier_after(&self, position: usize) -> Barrier {
        if position < self.before_full {
            Barrier::Full
        } else if position < self.before_store_store {
            Barrier::StoreStore
        } else {
            Barrier::None
        }
    }

    fn follows(&self, earlier: &Placed, model: &dyn MemoryModel) -> bool {
        model.preserved(&earlier.event, &self.event, self.barrier_after(earlier.position))
    }
}

impl Thread {
    fn append(
        &mut self,
        model: &dyn MemoryModel,
        index: usize,
        event: &Event,
        pairs: &mut Vec<(usize, usize)>,
    ) {
        let barrier = barrier_of(model, event);
        if barrier >= Barrier::StoreStore {
            self.before_store_store = self.length;
        }
        if barrier == Barrier::Full {
            self.before_full = self.length;
        }
        if event.operation == Operation::Fence {
            return;
        }
        let (before_store_store, before_full) = (self.before_store_store, self.before_full);
        let position = self.length;
        let mut placed =
            Placed { index, position, closed: true, event: *event, before_store_store, before_full };
        // By kind, the events ordered before this one: a prefix, since barriers only add order.
        let ordered: Vec<&[Placed]> = self
            .kinds
            .values()
            .map(|events| &events[..events.partition_point(|earlier| placed.follows(earlier, model))])
            .collect();
        // Events before a closed one need no pair.
        let newest = ordered.iter().filter_map(|events| events.last());
        let reach = newest.filter(|last| last.closed).map(|last| last.position).max().unwrap_or(0);
        for (events, ordered) in self.kinds.values().zip(&ordered) {
            placed.closed &= events.len() == ordered.len();
            let mut taken: Option<&Placed> = None;
            for earlier in ordered.iter().rev().take_while(|earlier| earlier.position >= reach) {
                // Those ordered before the newest of their kind follow from it.
                if taken.is_some_and(|newest| newest.follows(earlier, model)) {
                    break;
                }
                taken.get_or_insert(earlier);
                pairs.push((earlier.index, index));
            }
        }
        self.kinds.entry((event.operation, event.ordering)).or_default().push(placed);
        self.length += 1;
    }
}

/// The barrier an event is or has in front of it. The barrier of an update is the order of the update itself.
fn barrier_of(model: &dyn MemoryModel, event: &Event) -> Barrier {
    match event.operation {
        Operation::Fence => match model.fence(event.ordering) {
            FenceEffect::None => Barrier::None,
            FenceEffect::StoreStore => Barrier::StoreStore,
            FenceEffect::Drain => Barrier::Full,
        },
        Operation::Store if model.store(event.ordering) == StorePlacement::BufferAfterStoreStore => {
            Barrier::StoreStore
        }
        Operation::Synchronisation if model.synchronisation() == Drain::Everything => Barrier::Full,
        _ => Barrier::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ByteRange, MODELS};
    use proptest::prelude::*;

    fn any_event() -> impl Strategy<Value = Event> {
        use Operation::*;
        let operations = vec![
            Load,
            Load,
            Store,
            Store,
            Store,
            ReadModifyWrite,
            FailedCompareExchange,
            Effect,
            Fence,
            Synchronisation,
        ];
        let orderings = vec![
            Ordering::Monotonic,
            Ordering::Monotonic,
            Ordering::Acquire,
            Ordering::Release,
            Ordering::SequentiallyConsistent,
        ];
        (0u32..2, prop::sample::select(operations), prop::sample::select(orderings)).prop_map(
            |(thread, operation, ordering)| Event {
                thread,
                operation,
                ordering,
                range: ByteRange::new(0, 1),
            },
        )
    }

    /// Straight from the definition: every pair of one thread, with the barriers between.
    fn every_pair(events: &[Event], model: &dyn MemoryModel) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        for (later, event) in events.iter().enumerate() {
            for (earlier, candidate) in events[..later].iter().enumerate() {
                let of_thread = |other: &&Event| other.thread == event.thread;
                let between = events[earlier + 1..=later].iter().filter(of_thread);
                let barrier = between.map(|between| barrier_of(model, between)).max();
                let fence = [candidate, event].iter().any(|event| event.operation == Operation::Fence);
                if candidate.thread == event.thread
                    && !fence
                    && model.preserved(candidate, event, barrier.expect("the later event is there"))
                {
                    pairs.push((earlier, later));
                }
            }
        }
        pairs
    }

    fn closure(events: usize, pairs: &[(usize, usize)]) -> Vec<Vec<bool>> {
        let mut reaches = vec![vec![false; events]; events];
        pairs.iter().for_each(|&(before, after)| reaches[before][after] = true);
        for middle in 0..events {
            for before in 0..events {
                if reaches[before][middle] {
                    let beyond = reaches[middle].clone();
                    reaches[before].iter_mut().zip(beyond).for_each(|(reach, beyond)| *reach |= beyond);
                }
            }
        }
        reaches
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: proptest::test_runner::RngSeed::Fixed(0x9a17),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn few_pairs_order_what_all_pairs_order(events in prop::collection::vec(any_event(), 0..24)) {
            let execution = Execution::new(events);
            for model in MODELS {
                let few = execution.preserved_program_order(*model);
                let all = every_pair(&execution.events, *model);
                prop_assert!(few.len() <= all.len());
                let size = execution.events.len();
                prop_assert_eq!(closure(size, &few), closure(size, &all), "{}", model.name());
            }
        }
    }

    #[test]
    fn a_long_thread_has_a_linear_number_of_pairs() {
        let access = |index| Event {
            thread: 0,
            operation: if index % 3 == 0 { Operation::Load } else { Operation::Store },
            ordering: Ordering::NotAtomic,
            range: ByteRange::new(index, 1),
        };
        let execution = Execution::new((0..20_000).map(access).collect());
        for model in MODELS {
            let pairs = execution.preserved_program_order(*model).len();
            assert!(pairs <= 3 * execution.events.len(), "{} under {}", pairs, model.name());
        }
    }
}
