//! Happens-before of an execution by the words of ISO C11, 5.1.2.4 and 7.17: as sets of events, closed under
//! it, not as clocks.

use super::machine::{Access, Event, What, is_atomic};
use std::collections::BTreeSet;

/// Two places, each a thread and one of its operations.
pub type Pair = [(usize, usize); 2];

/// The races of executions.
#[derive(Default)]
pub struct Races {
    /// Conflicting accesses that nothing orders.
    pub possible: BTreeSet<Pair>,
    /// Those that a detector has to report: not those whose one access is followed by another that races with
    /// all that it races with.
    pub needed: BTreeSet<Pair>,
}

/// Events of an execution, by number.
type Set = u128;

impl Races {
    /// Adds the races of an execution. `in_order` says whether a thread's accesses are in order with those of
    /// others to the same memory. They are not where stores wait in buffers.
    pub fn add(&mut self, events: &[Event], in_order: bool) {
        let before = before(events);
        let races = |one: usize, other: usize| {
            let (Some(mine), Some(theirs)) = (access(&events[one]), access(&events[other])) else {
                return false;
            };
            events[one].thread != events[other].thread
                && (mine.writes || theirs.writes)
                && !(is_atomic(mine.ordering) && is_atomic(theirs.ordering))
                && before[other] >> one & 1 == 0
                && before[one] >> other & 1 == 0
        };
        for (second, first) in
            (0..events.len()).flat_map(|second| (0..second).map(move |first| (second, first)))
        {
            let (Some(mine), Some(theirs)) = (access(&events[first]), access(&events[second])) else {
                continue;
            };
            let mut common = mine.bytes.clone().filter(|byte| theirs.bytes.contains(byte)).peekable();
            if common.peek().is_none() || !races(first, second) {
                continue;
            }
            let mut pair = [first, second].map(|event| (events[event].thread, events[event].operation));
            pair.sort_unstable();
            self.possible.insert(pair);
            // Whether a later access represents one of them in its races with the other, at this byte.
            let represents = |one: usize, other: usize, byte: usize, last: usize| {
                (one + 1..last).any(|later| {
                    let (Some(access), Some(early)) = (access(&events[later]), access(&events[one])) else {
                        return false;
                    };
                    access.bytes.contains(&byte)
                        && before[later] >> one & 1 == 1
                        && (access.writes || !early.writes)
                        && (!is_atomic(access.ordering) || is_atomic(early.ordering))
                        && races(later.min(other), later.max(other))
                })
            };
            let is_needed = |byte: usize| match in_order {
                true => !represents(first, second, byte, second),
                false => {
                    !represents(first, second, byte, events.len())
                        && !represents(second, first, byte, events.len())
                }
            };
            if common.any(is_needed) {
                self.needed.insert(pair);
            }
        }
    }
}

fn access(event: &Event) -> Option<&Access> {
    match &event.what {
        What::Access(access) => Some(access),
        _ => None,
    }
}

/// By event, all that happens before it.
fn before(events: &[Event]) -> Vec<Set> {
    assert!(events.len() <= Set::BITS as usize, "programs are small");
    let mut before: Vec<Set> = Vec::new();
    for (number, event) in events.iter().enumerate() {
        let mut direct = event.after.clone();
        match &event.what {
            What::Access(access) if access.ordering.acquires() => direct.extend(released(events, access)),
            What::Fence(ordering) if ordering.acquires() => {
                let own = events[..number].iter().filter(|earlier| earlier.thread == event.thread);
                let atomic = own.filter_map(access).filter(|access| is_atomic(access.ordering));
                direct.extend(atomic.flat_map(|access| released(events, access)));
            }
            _ => {}
        }
        before.push(direct.into_iter().fold(0, |set, earlier| set | before[earlier] | 1 << earlier));
    }
    before
}

/// The events that release the value which an access reads: operations and fences.
fn released(events: &[Event], reader: &Access) -> Vec<usize> {
    let mut found = Vec::new();
    for write in reader.sources.iter().flatten() {
        let Some(access) = access(&events[*write]).filter(|access| is_atomic(access.ordering)) else {
            continue;
        };
        if access.ordering.releases() {
            found.push(*write);
        }
        found.extend((0..*write).filter(|earlier| {
            let earlier = &events[*earlier];
            earlier.thread == events[*write].thread
                && matches!(earlier.what, What::Fence(ordering) if ordering.releases())
        }));
        // An update continues the release sequence of what it reads.
        found.extend(released(events, access));
    }
    found
}
