//! The places that events touch, numbered.

use super::event::Location;
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use symx_trace::Place;

/// Bytes of memory that are looked up together, as a power of two.
const GRANULE_LOG2: u32 = 3;

/// A range of memory: its first address, the one behind it, and its number.
type Range = (u64, u64, Location);

/// Numbers of places.
#[derive(Clone, Debug, Default)]
pub(super) struct Locations {
    /// Ranges of memory in each granule.
    memory: FxHashMap<u64, SmallVec<[Range; 2]>>,
    others: FxHashMap<Place, Location>,
    /// Which range of memory each is, if it is one.
    ranges: Vec<Option<(u64, u64)>>,
    /// What tells each from others, whatever its number.
    identities: Vec<u128>,
}

impl Locations {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// The first and the last address but one of a range of memory.
    pub fn range(&self, location: Location) -> Option<(u64, u64)> {
        self.ranges[location as usize]
    }

    /// A number that a place has in every walk.
    pub fn identity(&self, location: Location) -> u128 {
        self.identities[location as usize]
    }

    /// The number of a place. `None` if it is a range of memory that overlaps another one in part.
    pub fn number(&mut self, place: Place) -> Option<Location> {
        let Place::Memory { start, end } = place else {
            let next = self.ranges.len() as Location;
            let number = *self.others.entry(place).or_insert(next);
            if number == next {
                self.ranges.push(None);
                self.identities.push(identity(place));
            }
            return Some(number);
        };
        let granules = start >> GRANULE_LOG2..=(end - 1) >> GRANULE_LOG2;
        if let Some(ranges) = self.memory.get(granules.start())
            && let Some((.., number)) = ranges.iter().find(|(first, last, _)| (*first, *last) == (start, end))
        {
            return Some(*number);
        }
        let number = self.ranges.len() as Location;
        for granule in granules {
            let ranges = self.memory.entry(granule).or_default();
            if ranges.iter().any(|(first, last, _)| *first < end && start < *last) {
                return None;
            }
            ranges.push((start, end, number));
        }
        self.ranges.push(Some((start, end)));
        self.identities.push(u128::from(start) << 64 | u128::from(end));
        Some(number)
    }
}

/// That of a place that is no range of memory. (Memory has no addresses with the top bit set.)
fn identity(place: Place) -> u128 {
    let half = |salt: u64| {
        let mut hasher = FxHasher::default();
        (salt, place).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    1 << 127 | half(1) << 64 | half(2)
}
