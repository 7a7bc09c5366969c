//! Arrivals of threads at an object where they come together, as far as these commute.
//!
//! Each arrival in a round is a place of its own, and a thread that waits for the round observes all of them.
//! So they come in any order. The event that they find at the object itself (its initialisation) comes before
//! all of them. Any other event that changes it (its destruction) comes before or after them all. If that is
//! not certain, the walk begins again, and arrivals there observe each other.

use crate::reads_from::graph::event::{Choice, Event, Location, Touch};
use crate::reads_from::graph::index::{INITIAL, Index};
use crate::reads_from::{Halt, Walk};
use smallvec::SmallVec;
use symx_interp::environment::Environment;
use symx_trace::{Access, Mode, Place, ThreadId};

/// Whether an access is an arrival in a round.
pub(in crate::reads_from) fn is_arrival(access: &Access) -> bool {
    matches!((access.place, access.mode), (Place::Round { .. }, Mode::Release))
}

impl<E: Environment> Walk<'_, '_, E> {
    /// The touch of an arrival that commutes with others at the object at `place`, and the object's address.
    pub(in crate::reads_from) fn arrival(&mut self, place: Place) -> (Touch, u64) {
        let location = self.object_place(place);
        let address = if let Place::Object(address) = place { address } else { 0 };
        (Touch { location, reads: true, writes: false, choice: Choice::Nothing, source: INITIAL }, address)
    }

    /// The event of `thread` at a round: it arrives, or it comes after all that have arrived.
    pub(in crate::reads_from) fn round(
        &mut self,
        thread: ThreadId,
        place: Place,
        mode: Mode,
        touches: &mut SmallVec<[Touch; 2]>,
    ) {
        let choice = Choice::Nothing;
        if mode == Mode::Release {
            let location = self.graph.locations.share(place, thread);
            self.make_room();
            touches.push(Touch { location, reads: false, writes: true, choice, source: INITIAL });
            return;
        }
        self.shares(place, touches);
    }

    /// Arrivals that commute are to be in order with all else that touches the object where threads come
    /// together, whatever they find there. If they are not, they observe each other from now on.
    pub(in crate::reads_from) fn keep_arrivals_apart(&mut self, event: &Event) -> Result<(), Halt> {
        // Each arrival is a share of its round, so without shares none has come.
        if !self.graph.locations.has_shares() {
            return Ok(());
        }
        let ahead = self.ahead_of(event);
        let is_open = |other: &Event, index: Index, location: Location| {
            other.touch(location).is_some() && !ahead.has(index)
        };
        let mut known = self.graph.events.iter().zip(0..);
        let open = match event.arrives_at {
            Some((location, address)) => known
                .find(|(other, index)| other.arrives_at.is_none() && is_open(other, *index, location))
                .map(|_| address),
            None => known.find_map(|(other, index)| {
                let (location, address) = other.arrives_at?;
                (event.touch(location).is_some() && !ahead.has(index)).then_some(address)
            }),
        };
        let Some(address) = open else { return Ok(()) };
        self.executor.learned.gather(address, [event.thread.0], Some(0));
        Err(Halt::Learned)
    }
}
