//! Equal states by equal orders of dependent steps (Mazurkiewicz). Executions in which these have the same
//! order lead to the same state, however independent steps are mixed.
//!
//! Each agent and each place has a number of 128 bits for all that led to its last step. A step's number is
//! made of its agent's, and of those of the places it touches.

use crate::recorded::limits::GRAIN;
use rustc_hash::FxBuildHasher;
use std::hash::{Hash, Hasher};
use symx_trace::{Access, Agent, Mode, Place};

type Map<K, V> = imbl::GenericHashMap<K, V, FxBuildHasher, imbl::shared_ptr::DefaultSharedPtr>;

/// The order of the dependent steps of an execution.
#[derive(Clone, Default)]
pub(super) struct Order {
    agents: Map<Agent, u128>,
    places: Map<Place, Last>,
    whole: u128,
}

/// The last steps that touched a place.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Last {
    /// A hash of the steps before them.
    before: u128,
    /// How they touch it: steps of one kind that commute come together.
    kind: Kind,
    /// Their sum, which has no order.
    together: u128,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
enum Kind {
    #[default]
    Reads,
    Releases,
    Posts,
    Alone,
}

impl Kind {
    /// As [`Access::conflicts`] has it.
    fn of(mode: Mode) -> Self {
        match mode {
            Mode::Read | Mode::Follow => Self::Reads,
            Mode::Release => Self::Releases,
            Mode::Post => Self::Posts,
            Mode::Write | Mode::Acquire => Self::Alone,
        }
    }
}

impl Order {
    /// A step with this footprint.
    pub fn push(&mut self, agent: Agent, footprint: &[Access]) {
        let touched = || footprint.iter().flat_map(|access| grains(access.place).map(|at| (at, access.mode)));
        for (place, mode) in touched() {
            let last = self.places.get(&place).copied().unwrap_or_default();
            let kind = Kind::of(mode);
            if last.kind != kind || kind == Kind::Alone {
                let before = digest(&(last.before, last.kind, last.together));
                self.places.insert(place, Last { before, kind, together: 0 });
            }
        }
        let mut hasher = Digest::default();
        (agent, self.agents.get(&agent)).hash(&mut hasher);
        for (place, mode) in touched() {
            let before = self.places.get(&place).map(|last| last.before);
            (place, mode, before).hash(&mut hasher);
            if place == Place::Everything {
                self.whole.hash(&mut hasher);
            }
        }
        let step = hasher.number();
        self.replace(agent, step);
        for (place, _) in touched() {
            if let Some(last) = self.places.get_mut(&place) {
                last.together = last.together.wrapping_add(step);
            }
        }
    }

    /// The agent's step goes the way with this number.
    pub fn choose(&mut self, agent: Agent, number: u64) {
        let step = digest(&(self.agents.get(&agent), number));
        self.replace(agent, step);
    }

    fn replace(&mut self, agent: Agent, step: u128) {
        let earlier = self.agents.insert(agent, step).unwrap_or_default();
        self.whole = self.whole.wrapping_sub(earlier).wrapping_add(step);
    }

    /// A hash that distinguishes the order from others.
    pub fn fingerprint(&self) -> u128 {
        self.whole
    }
}

/// A place in parts, each of which is one place to all accesses that touch it.
fn grains(place: Place) -> impl Iterator<Item = Place> {
    let (start, end) = match place {
        Place::Memory { start, end } => (start / GRAIN, end.div_ceil(GRAIN)),
        _ => (0, 1),
    };
    (start..end).map(move |grain| match place {
        Place::Memory { .. } => Place::Memory { start: grain * GRAIN, end: (grain + 1) * GRAIN },
        other => other,
    })
}

fn digest(what: &impl Hash) -> u128 {
    let mut hasher = Digest::default();
    what.hash(&mut hasher);
    hasher.number()
}

/// BLAKE3, of which 128 bits are kept.
#[derive(Default)]
struct Digest(blake3::Hasher);

impl Digest {
    fn number(&self) -> u128 {
        let hash = self.0.finalize();
        hash.as_bytes().iter().take(16).fold(0, |number, byte| number << 8 | u128::from(*byte))
    }
}

impl Hasher for Digest {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        self.number() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_trace::ThreadId;

    fn order(steps: &[(u32, Access)]) -> u128 {
        let mut order = Order::default();
        for (thread, access) in steps {
            order.push(Agent::Thread(ThreadId(*thread)), &[*access]);
        }
        order.fingerprint()
    }

    #[test]
    fn only_the_order_of_dependent_steps_counts() {
        let (x, y) = (Access::write(0x100, 4), Access::write(0x200, 4));
        let look = Access::read(0x100, 4);
        assert_eq!(order(&[(1, x), (2, y)]), order(&[(2, y), (1, x)]));
        assert_ne!(order(&[(1, x), (2, x)]), order(&[(2, x), (1, x)]));
        assert_ne!(order(&[(1, x), (2, look)]), order(&[(2, look), (1, x)]));
        assert_eq!(order(&[(1, look), (2, look), (3, x)]), order(&[(2, look), (1, look), (3, x)]));
        assert_ne!(order(&[(1, look), (3, x), (2, look)]), order(&[(1, look), (2, look), (3, x)]));
        let unlock = Access::object(0x300, Mode::Release);
        let lock = Access::object(0x300, Mode::Acquire);
        assert_ne!(order(&[(1, lock), (1, unlock), (2, lock)]), order(&[(2, lock), (1, lock), (1, unlock)]));
        let end = Access { place: Place::Everything, mode: Mode::Write };
        assert_ne!(order(&[(1, x), (2, end)]), order(&[(2, end), (1, x)]));
    }

    #[test]
    fn bytes_that_overlap_are_one_place() {
        let (whole, half) = (Access::write(0x100, 16), Access::write(0x108, 8));
        assert_ne!(order(&[(1, whole), (2, half)]), order(&[(2, half), (1, whole)]));
        let other = Access::write(0x110, 8);
        assert_eq!(order(&[(1, whole), (2, other)]), order(&[(2, other), (1, whole)]));
    }
}
