//! The places that the next step of a thread touches, as events have them.

use super::{Halt, Walk};
use crate::reads_from::commuting::arrivals::is_arrival;
use crate::reads_from::commuting::together::{Together, together};
use crate::reads_from::graph::event::{Choice, Kind, Location, Touch};
use crate::reads_from::graph::index::INITIAL;
use crate::reads_from::graph::locations::Use;
use smallvec::SmallVec;
use symx_interp::environment::Environment;
use symx_interp::state::{State, mortal_at};
use symx_interp::threads::thread::{Action, Operation};
use symx_memmodel::{Drain, FenceEffect, StorePlacement};
use symx_trace::{Access, Mode, Place, ThreadId};

/// The effect of a pending operation, before its sources are looked up.
pub(super) struct Seen {
    pub kind: Kind,
    pub touches: SmallVec<[Touch; 2]>,
    pub is_buffered: bool,
    pub is_lasting: bool,
    pub ends_lives: bool,
    pub arrives_at: Option<(Location, u64)>,
    pub waits_for: SmallVec<[ThreadId; 1]>,
}

impl<E: Environment> Walk<'_, '_, E> {
    pub(super) fn look_at(&mut self, state: &State<E>, thread: ThreadId) -> Result<Seen, Halt> {
        let model = self.executor.machine.model;
        let mut seen = Seen {
            kind: Kind::Operation { drains: true },
            touches: SmallVec::new(),
            is_buffered: false,
            is_lasting: false,
            ends_lives: false,
            arrives_at: None,
            waits_for: SmallVec::new(),
        };
        let Some(pending) = &state.thread(thread).pending else {
            let place = state.thread(thread).beginning_place();
            self.object(place, Mode::Acquire, &mut seen.touches);
            return Ok(seen);
        };
        match &pending.action {
            Action::Load { address, length, ordering } => {
                seen.kind = Kind::Load(*ordering);
                self.memory(*address, *address + *length, true, false, &mut seen.touches)?;
            }
            Action::Store { address, length, ordering } => {
                seen.kind = Kind::Store(*ordering);
                self.memory(*address, *address + *length, false, true, &mut seen.touches)?;
                let placement = model.store(*ordering);
                // When the stores of a thread that is alone reach memory is unobservable.
                seen.is_buffered = state.unjoined > 1
                    && matches!(placement, StorePlacement::Buffer | StorePlacement::BufferAfterStoreStore);
            }
            Action::ReadModifyWrite { address, length, ordering } => {
                seen.kind = Kind::Update(*ordering);
                self.memory(*address, *address + *length, true, true, &mut seen.touches)?;
            }
            Action::Fence(ordering) => {
                seen.kind = match model.fence(*ordering) {
                    FenceEffect::Drain => Kind::Operation { drains: true },
                    FenceEffect::StoreStore => Kind::StoreBarrier,
                    FenceEffect::None => Kind::Operation { drains: false },
                };
            }
            Action::Fail(_) => seen.kind = Kind::Operation { drains: false },
            Action::Never => {}
            Action::Return(footprint) => {
                seen.kind = Kind::Operation { drains: false };
                seen.ends_lives = true;
                for access in footprint {
                    self.modelled(thread, access, &mut seen)?;
                }
            }
            Action::Model(operation) => self.look_at_operation(state, thread, operation, &mut seen)?,
        }
        Ok(seen)
    }

    /// As [`look_at`](Self::look_at), for the operation that a modelled function waits to perform.
    fn look_at_operation(
        &mut self,
        state: &State<E>,
        thread: ThreadId,
        operation: &Operation<E>,
        seen: &mut Seen,
    ) -> Result<(), Halt> {
        let model = self.executor.machine.model;
        let drains = operation.drain == Drain::Everything;
        seen.kind = Kind::Operation { drains };
        let mut touches_words = false;
        if ends_in_two_ways(operation) {
            // Where the first has come, this walk would not look for what makes the second come.
            return Err(Halt::Beyond("waits that end in one of two ways"));
        }
        // Such a step does not wait for the thread's own stores, and looks at none of what it ends.
        seen.ends_lives = operation.footprint.iter().any(ends_life);
        let arrives = operation.footprint.iter().any(is_arrival);
        for access in &operation.footprint {
            if arrives && access.mode == Mode::Read && matches!(access.place, Place::Object(_)) {
                let (touch, address) = self.arrival(access.place);
                seen.touches.push(touch);
                seen.arrives_at = Some((touch.location, address));
                continue;
            }
            let is_memory = matches!(access.place, Place::Memory { .. });
            if is_memory
                && model.buffers_stores()
                && !drains
                && !(seen.ends_lives && access.mode == Mode::Write)
            {
                return Err(Halt::Beyond("modelled access to memory beside store buffers"));
            }
            // An operation that may have to wait for others is one of those whose order counts, even if it
            // only reads.
            let waits = operation.wait.is_some();
            // Exchanges of identical threads are known for operations in order alone.
            let together = together(access, waits).filter(|_| !self.options.symmetry);
            if let Some(together) = together {
                match together {
                    Together::OfAKind => self.come_together(thread, access.place, &mut seen.touches),
                    Together::AfterAll => self.shares(access.place, &mut seen.touches),
                }
                continue;
            }
            let mode = match access.mode {
                Mode::Read | Mode::Follow if waits => Mode::Acquire,
                mode => mode,
            };
            let place = match access.place {
                Place::Life(base) => Place::Life(own_byte(state, &operation.footprint, base)),
                place => place,
            };
            let known = seen.touches.len();
            self.modelled(thread, &Access { place, mode }, seen)?;
            // Not the word of a library lock, which is touched as an object.
            touches_words |=
                is_memory && seen.touches[known..].iter().any(|touch| touch.choice == Choice::Source);
        }
        let chained = seen.touches.iter().any(|touch| touch.choice.is_turn());
        // The next place that such an operation touches can depend on what it reads (a futex).
        if chained && touches_words {
            return Err(Halt::Beyond("operations on an object and memory at once"));
        }
        Ok(())
    }

    /// The effect of a modelled function on a place.
    fn modelled(&mut self, thread: ThreadId, access: &Access, seen: &mut Seen) -> Result<(), Halt> {
        match (access.place, access.mode) {
            (Place::Process, _) => {
                seen.is_lasting = true;
            }
            (Place::Drained(thread), Mode::Acquire) => {
                seen.waits_for.push(thread);
            }
            (Place::Drained(_) | Place::PendingStore { .. }, _) => {
                if self.executor.machine.model.buffers_stores() {
                    return Err(Halt::Beyond("a query of a store buffer"));
                }
            }
            (Place::Everything, _) => return Err(Halt::Beyond("a step that depends on all others")),
            (Place::Round { .. }, mode) => self.round(thread, access.place, mode, &mut seen.touches),
            // A wait for a thread's end has no rival; a query of it has.
            (Place::Thread(_), Mode::Read | Mode::Write) => {
                return Err(Halt::Beyond("a query of a thread's end"));
            }
            (Place::Memory { .. }, mode) => {
                for location in self.places(access.place)? {
                    let is_lock = self.graph.use_of[location as usize] == Some(Use::Lock);
                    match mode {
                        Mode::Acquire | Mode::Release => seen.touches.push(self.library_lock(location)?),
                        Mode::Write if is_lock => seen.touches.push(self.library_lock(location)?),
                        _ => self.plain(location, true, mode == Mode::Write, &mut seen.touches)?,
                    }
                }
            }
            // The end of a life writes all the object's bytes, one of which represents the life.
            (Place::Life(_), Mode::Write) => {}
            (Place::Life(base), _) => self.memory(base, base + 1, true, false, &mut seen.touches)?,
            (place, mode) => self.object(place, mode, &mut seen.touches),
        }
        Ok(())
    }

    /// A lock of libc's: a word of memory that is touched as an object.
    fn library_lock(&mut self, location: Location) -> Result<Touch, Halt> {
        self.use_as(location, Use::Lock)?;
        Ok(Touch { location, reads: true, writes: true, choice: Choice::Next, source: INITIAL })
    }

    fn use_as(&mut self, location: Location, how: Use) -> Result<(), Halt> {
        match *self.graph.use_of[location as usize].get_or_insert(how) == how {
            true => Ok(()),
            false => Err(Halt::Beyond("a library lock used as a number")),
        }
    }

    /// Adds what an operation does at an object.
    fn object(&mut self, place: Place, mode: Mode, touches: &mut SmallVec<[Touch; 2]>) {
        let location = self.object_place(place);
        let writes = mode != Mode::Read;
        let choice = match (place, mode) {
            (Place::Thread(_) | Place::Child { .. }, _) => Choice::Nothing,
            (_, Mode::Read) => Choice::Source,
            _ => Choice::Next,
        };
        touches.push(Touch { location, reads: true, writes, choice, source: INITIAL });
        if choice == Choice::Next {
            self.shares(place, touches);
        }
    }

    /// Adds what an access does to a range of memory.
    fn memory(
        &mut self,
        start: u64,
        end: u64,
        reads: bool,
        writes: bool,
        touches: &mut SmallVec<[Touch; 2]>,
    ) -> Result<(), Halt> {
        for location in self.places(Place::Memory { start, end })? {
            self.plain(location, reads, writes, touches)?;
        }
        Ok(())
    }

    /// Adds what an access does to one of the places that it touches.
    fn plain(
        &mut self,
        location: Location,
        reads: bool,
        writes: bool,
        touches: &mut SmallVec<[Touch; 2]>,
    ) -> Result<(), Halt> {
        self.use_as(location, Use::Plain)?;
        let is_here = |touch: &&mut Touch| touch.location == location && touch.choice == Choice::Source;
        match touches.iter_mut().find(is_here) {
            Some(touch) => (touch.reads, touch.writes) = (touch.reads | reads, touch.writes | writes),
            None => touches.push(Touch { location, reads, writes, choice: Choice::Source, source: INITIAL }),
        }
        Ok(())
    }
}

/// Whether an operation that waits looks at another object than the one it waits at: that may
/// end the wait, too.
fn ends_in_two_ways<E: Environment>(operation: &Operation<E>) -> bool {
    let touches = |mode: Mode, is_there: fn(&Place) -> bool| {
        operation.footprint.iter().any(|access| access.mode == mode && is_there(&access.place))
    };
    operation.wait.is_some()
        && touches(Mode::Read, |place| matches!(place, Place::Object(_)))
        && touches(Mode::Acquire, |_| true)
}

/// Whether an access is the end of an object's life.
fn ends_life(access: &Access) -> bool {
    matches!((access.place, access.mode), (Place::Life(_), Mode::Write))
}

/// The byte of the object at `base` that only the end of its life writes beside an operation: that of a
/// synchronisation object in it.
fn own_byte<E: Environment>(state: &State<E>, footprint: &[Access], base: u64) -> u64 {
    let object = footprint.iter().find_map(|access| match access.place {
        Place::Object(address) | Place::Readers(address) | Place::Round { barrier: address, .. }
            if mortal_at(state, address) == Some(base) =>
        {
            Some(address)
        }
        _ => None,
    });
    object.unwrap_or(base)
}
