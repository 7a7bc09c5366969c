//! The places that events touch, numbered. No range of memory overlaps another: an access to several touches
//! each of them.

use crate::reads_from::graph::event::Location;
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use symx_trace::{Place, ThreadId};

/// Bytes of memory that are looked up together, as a power of two.
const GRANULE_LOG2: u32 = 3;

/// A range of memory: its first address, the one after its last, and its number.
type Range = (u64, u64, Location);

/// The use of a range of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::reads_from) enum Use {
    /// Loads, stores and updates.
    Plain,
    /// As a lock of the C library.
    Lock,
}

/// Numbers of places.
#[derive(Clone, Debug, Default)]
pub(in crate::reads_from) struct Locations {
    /// Ranges of memory in each granule.
    memory: FxHashMap<u64, SmallVec<[Range; 2]>>,
    others: FxHashMap<Place, Location>,
    /// The part of a place that each thread has to itself.
    shares: FxHashMap<(Place, ThreadId), Location>,
    /// Which of the numbers are those of such parts.
    is_share: Vec<bool>,
    /// Which range of memory each is, if it is one.
    ranges: Vec<Option<(u64, u64)>>,
    /// Distinguishes each from others, whatever its number.
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

    /// The number of a place that is no range of memory.
    pub fn number(&mut self, place: Place) -> Location {
        let next = self.ranges.len() as Location;
        let number = *self.others.entry(place).or_insert(next);
        if number == next {
            self.ranges.push(None);
            self.identities.push(identity(place));
        }
        number
    }

    /// The number of what `thread` has of a place to itself: its arrival in a round, its part in a lock that
    /// several take for reading.
    pub fn share(&mut self, place: Place, thread: ThreadId) -> Location {
        let next = self.ranges.len() as Location;
        let number = *self.shares.entry((place, thread)).or_insert(next);
        if number == next {
            self.ranges.push(None);
            self.identities.push(identity((place, thread)));
            self.is_share.resize(self.ranges.len(), false);
            self.is_share[number as usize] = true;
        }
        number
    }

    /// The same, if it has a number.
    pub fn known_share(&self, place: Place, thread: ThreadId) -> Option<Location> {
        self.shares.get(&(place, thread)).copied()
    }

    /// Whether it is what a thread has of a place to itself.
    pub fn is_share(&self, location: Location) -> bool {
        self.is_share.get(location as usize).copied().unwrap_or(false)
    }

    /// Whether some thread has something of a place to itself.
    pub fn has_shares(&self) -> bool {
        !self.shares.is_empty()
    }

    /// The number of a place that is no range of memory, if it has one.
    pub fn other(&self, place: Place) -> Option<Location> {
        self.others.get(&place).copied()
    }

    /// The number of a range of memory, if it has one.
    pub fn known(&self, start: u64, end: u64) -> Option<Location> {
        let ranges = self.memory.get(&(start >> GRANULE_LOG2))?;
        let (.., number) = ranges.iter().find(|(first, last, _)| (*first, *last) == (start, end))?;
        Some(*number)
    }

    /// Numbers a range of memory that has no number. The error is a range that it overlaps in part.
    pub fn add(&mut self, start: u64, end: u64) -> Result<Location, (u64, u64)> {
        let granules = start >> GRANULE_LOG2..=(end - 1) >> GRANULE_LOG2;
        let overlapped = |granule| {
            let mut ranges = self.memory.get(&granule)?.iter();
            ranges
                .find(|(first, last, _)| *first < end && start < *last)
                .map(|(first, last, _)| (*first, *last))
        };
        if let Some(other) = granules.clone().find_map(overlapped) {
            return Err(other);
        }
        let number = self.ranges.len() as Location;
        for granule in granules {
            self.memory.entry(granule).or_default().push((start, end, number));
        }
        self.ranges.push(Some((start, end)));
        self.identities.push(u128::from(start) << 64 | u128::from(end));
        Ok(number)
    }
}

/// That of a place that is no range of memory. (Memory has no addresses with the top bit set.)
fn identity(place: impl Hash + Copy) -> u128 {
    let half = |salt: u64| {
        let mut hasher = FxHasher::default();
        (salt, place).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    1 << 127 | half(1) << 64 | half(2)
}
