//! Which events of an execution touched what: so that a new event is compared with few of them.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use symx_trace::{Access, Mode, Place};

/// Memory ranges of more bytes than this are compared with every event that touches memory.
const WIDE: u64 = 64;
/// Narrower ones are found by the granules, of this many bytes, that they lie in.
const GRANULE_LOG2: u32 = 3;

/// A place as a key: a granule of memory, or any other place as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Key {
    Granule(u64),
    Other(Place),
}

/// The positions of one agent's events, ascending: of those that only read, and of the others.
#[derive(Debug, Default)]
struct Positions {
    reads: Vec<usize>,
    others: Vec<usize>,
}

/// Events by the agents' numbers; few agents touch a place.
type ByAgent = SmallVec<[(usize, Positions); 2]>;

/// The positions of events by what they touch.
#[derive(Debug, Default)]
pub struct Touched {
    by_key: FxHashMap<Key, ByAgent>,
    /// Events that touch wide ranges of memory.
    wide: ByAgent,
    /// Events that touch memory at all.
    memory: ByAgent,
    /// Events that touch everything.
    everything: ByAgent,
}

fn is_wide(access: &Access) -> bool {
    matches!(access.place, Place::Memory { start, end } if end - start > WIDE)
}

fn keys(access: &Access) -> SmallVec<[Key; 2]> {
    match access.place {
        Place::Memory { start, end } => {
            (start >> GRANULE_LOG2..=(end.max(start + 1) - 1) >> GRANULE_LOG2).map(Key::Granule).collect()
        }
        place => SmallVec::from_slice(&[Key::Other(place)]),
    }
}

impl Positions {
    fn of(&mut self, access: &Access) -> &mut Vec<usize> {
        if access.mode == Mode::Read { &mut self.reads } else { &mut self.others }
    }
}

fn push(lists: &mut ByAgent, position: usize, agent: usize, access: &Access) {
    let index = lists.iter().position(|(other, _)| *other == agent).unwrap_or_else(|| {
        lists.push((agent, Positions::default()));
        lists.len() - 1
    });
    let list = lists[index].1.of(access);
    if list.last() != Some(&position) {
        list.push(position);
    }
}

fn pop(lists: &mut ByAgent, position: usize, agent: usize, access: &Access) {
    let list = lists.iter_mut().find(|(other, _)| *other == agent).map(|(_, lists)| lists.of(access));
    if let Some(list) = list
        && list.last() == Some(&position)
    {
        list.pop();
    }
}

impl Touched {
    /// Adds the event of `agent` at `position`, which is greater than all before.
    pub fn push(&mut self, position: usize, agent: usize, footprint: &[Access]) {
        for access in footprint {
            if matches!(access.place, Place::Memory { .. }) {
                push(&mut self.memory, position, agent, access);
            }
            if access.place == Place::Everything {
                push(&mut self.everything, position, agent, access);
            } else if is_wide(access) {
                push(&mut self.wide, position, agent, access);
            } else {
                for key in keys(access) {
                    push(self.by_key.entry(key).or_default(), position, agent, access);
                }
            }
        }
    }

    /// Takes out the event of `agent` at `position`, the greatest.
    pub fn pop(&mut self, position: usize, agent: usize, footprint: &[Access]) {
        for access in footprint {
            if matches!(access.place, Place::Memory { .. }) {
                pop(&mut self.memory, position, agent, access);
            }
            if access.place == Place::Everything {
                pop(&mut self.everything, position, agent, access);
            } else if is_wide(access) {
                pop(&mut self.wide, position, agent, access);
            } else {
                for key in keys(access) {
                    if let Some(lists) = self.by_key.get_mut(&key) {
                        pop(lists, position, agent, access);
                    }
                }
            }
        }
    }

    /// The positions of events that may conflict with this footprint, newest first. For each agent they begin
    /// at the position that `first` gives for it; there are none if it gives none.
    pub fn candidates(&self, footprint: &[Access], first: impl Fn(usize) -> Option<usize>) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        let mut add = |lists: &ByAgent, access: &Access| {
            for (agent, positions) in lists {
                let Some(first) = first(*agent) else { continue };
                let reads = if access.mode == Mode::Read { &[][..] } else { &positions.reads };
                for list in [reads, &positions.others] {
                    found.extend(list.iter().rev().take_while(|position| **position >= first));
                }
            }
        };
        for access in footprint {
            add(&self.everything, access);
            if access.place == Place::Everything {
                self.by_key.values().chain([&self.wide]).for_each(|lists| add(lists, access));
                continue;
            }
            if is_wide(access) {
                add(&self.memory, access);
                continue;
            }
            for key in keys(access) {
                if let Some(lists) = self.by_key.get(&key) {
                    add(lists, access);
                }
            }
            if matches!(access.place, Place::Memory { .. }) {
                add(&self.wide, access);
            }
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_trace::footprint::dependent;

    #[test]
    fn every_conflicting_event_is_a_candidate() {
        let mut touched = Touched::default();
        let mut events: Vec<Vec<Access>> = Vec::new();
        let mut seed = 7_u64;
        let mut random = |bound: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % bound
        };
        for _ in 0..3000 {
            let count = 1 + random(2);
            let footprint: Vec<Access> = (0..count)
                .map(|_| match random(25) {
                    24 => Access { place: Place::Everything, mode: Mode::Write },
                    0..6 => Access::read(random(256), 1 + random(16)),
                    6..12 => Access::write(random(256), 1 + random(16)),
                    12..18 => Access::write(random(256), 65 + random(100)),
                    _ => Access::object(random(8), Mode::Write),
                })
                .collect();
            let first = random(40) as usize;
            let candidates = touched.candidates(&footprint, |agent| (agent != 2).then_some(first));
            assert!(candidates.windows(2).all(|pair| pair[0] > pair[1]));
            for (position, event) in events.iter().enumerate() {
                let expected = dependent(event, &footprint) && position % 3 != 2 && position >= first;
                assert!(!expected || candidates.contains(&position));
            }
            if random(3) == 0 && !events.is_empty() {
                let last = events.pop().expect("not empty");
                touched.pop(events.len(), events.len() % 3, &last);
            } else {
                touched.push(events.len(), events.len() % 3, &footprint);
                events.push(footprint);
            }
        }
    }
}
