//! Which events of an execution touched what: so that a new event is compared with few of them.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use symx_trace::{Access, Place};

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

/// The positions of events, ascending, by what they touch.
#[derive(Debug, Default)]
pub struct Touched {
    by_key: FxHashMap<Key, Vec<usize>>,
    /// Events that touch wide ranges of memory.
    wide: Vec<usize>,
    /// Events that touch memory at all.
    memory: Vec<usize>,
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

fn push(list: &mut Vec<usize>, position: usize) {
    if list.last() != Some(&position) {
        list.push(position);
    }
}

impl Touched {
    /// Adds the event at `position`, which is greater than all before.
    pub fn push(&mut self, position: usize, footprint: &[Access]) {
        for access in footprint {
            if matches!(access.place, Place::Memory { .. }) {
                push(&mut self.memory, position);
            }
            if is_wide(access) {
                push(&mut self.wide, position);
            } else {
                for key in keys(access) {
                    push(self.by_key.entry(key).or_default(), position);
                }
            }
        }
    }

    /// Takes out the event at `position`, the greatest.
    pub fn pop(&mut self, position: usize, footprint: &[Access]) {
        let pop = |list: &mut Vec<usize>| {
            if list.last() == Some(&position) {
                list.pop();
            }
        };
        for access in footprint {
            if matches!(access.place, Place::Memory { .. }) {
                pop(&mut self.memory);
            }
            if is_wide(access) {
                pop(&mut self.wide);
            } else {
                for key in keys(access) {
                    if let Some(list) = self.by_key.get_mut(&key) {
                        pop(list);
                    }
                }
            }
        }
    }

    /// The positions of all events that may conflict with this footprint, newest first.
    pub fn candidates(&self, footprint: &[Access]) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for access in footprint {
            if is_wide(access) {
                found.extend(&self.memory);
                continue;
            }
            for key in keys(access) {
                found.extend(self.by_key.get(&key).into_iter().flatten());
            }
            if matches!(access.place, Place::Memory { .. }) {
                found.extend(&self.wide);
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
                .map(|_| match random(4) {
                    0 => Access::read(random(256), 1 + random(16)),
                    1 => Access::write(random(256), 1 + random(16)),
                    2 => Access::write(random(256), 65 + random(100)),
                    _ => Access::object(random(8), symx_trace::Mode::Write),
                })
                .collect();
            let candidates = touched.candidates(&footprint);
            assert!(candidates.windows(2).all(|pair| pair[0] > pair[1]));
            for (position, event) in events.iter().enumerate() {
                assert!(!dependent(event, &footprint) || candidates.contains(&position));
            }
            if random(3) == 0 && !events.is_empty() {
                let last = events.pop().expect("not empty");
                touched.pop(events.len(), &last);
            } else {
                touched.push(events.len(), &footprint);
                events.push(footprint);
            }
        }
    }
}
