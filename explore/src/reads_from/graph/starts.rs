//! The numbers that memory held when phases of an execution began.
//!
//! A phase begins where a thread that was alone creates others. What it did alone are no events, so a write
//! of an earlier phase does not say what is there now. Events before the first creation are of phase 0.

use crate::reads_from::graph::event::Location;
use smallvec::SmallVec;

/// By location, what was there before the first write of each phase in which it was touched.
#[derive(Clone, Debug, Default)]
pub(in crate::reads_from) struct Starts(Vec<SmallVec<[Start; 1]>>);

/// What was at a location when a phase began.
#[derive(Clone, Copy, Debug)]
struct Start {
    /// The phase, by the number of events before it.
    phase: usize,
    /// The number there, if it was one.
    number: Option<u64>,
}

impl Starts {
    /// Makes room for this many locations.
    pub fn make_room(&mut self, locations: usize) {
        self.0.resize_with(locations.max(self.0.len()), SmallVec::new);
    }

    /// What was at a location when a phase began, if it is a known number; `None` if the location was not
    /// touched in it.
    pub fn of(&self, location: Location, phase: usize) -> Option<Option<u64>> {
        let last = self.0.get(location as usize)?.last()?;
        (last.phase == phase).then_some(last.number)
    }

    /// What was at a location when any phase began in which it was touched.
    pub fn all(&self, location: Location) -> impl Iterator<Item = Option<u64>> + '_ {
        self.0.get(location as usize).into_iter().flatten().map(|start| start.number)
    }

    /// Notes what was at a location when a phase began.
    pub fn note(&mut self, location: Location, phase: usize, number: Option<u64>) {
        let starts = &mut self.0[location as usize];
        starts.retain(|start| start.phase < phase);
        starts.push(Start { phase, number });
    }

    /// Forgets phases from one on.
    pub fn forget_from(&mut self, phase: usize) {
        self.0.iter_mut().for_each(|starts| starts.retain(|start| start.phase < phase));
    }
}
