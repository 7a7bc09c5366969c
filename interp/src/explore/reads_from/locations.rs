//! The places that events touch, numbered.

use super::event::Location;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use symx_trace::Place;

/// Bytes of memory that are looked up together, as a power of two.
const GRANULE_LOG2: u32 = 3;

/// A range of memory: its first address, the one behind it, and its number.
type Range = (u64, u64, Location);

/// Numbers of places.
#[derive(Debug, Default)]
pub(super) struct Locations {
    /// Ranges of memory in each granule.
    memory: FxHashMap<u64, SmallVec<[Range; 2]>>,
    others: FxHashMap<Place, Location>,
    /// Which range of memory each is, if it is one.
    ranges: Vec<Option<(u64, u64)>>,
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

    /// The number of a place. `None` if it is a range of memory that overlaps another one in part.
    pub fn number(&mut self, place: Place) -> Option<Location> {
        let Place::Memory { start, end } = place else {
            let next = self.ranges.len() as Location;
            let number = *self.others.entry(place).or_insert(next);
            if number == next {
                self.ranges.push(None);
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
        Some(number)
    }
}
