//! Descriptors: which open files they stand for, which number a new one gets, and what of the table a call
//! touches.
//!
//! The places that a call touches must not depend on what other threads have open. Else it would be another
//! event in every order of theirs. So numbers are distinguished by their remainder, their class. Closing one
//! touches its class, and two closes commute. Making a descriptor touches all classes: every number below may
//! be taken or free. It touches one where threads take numbers of their own.
//!
//! An operation on a descriptor touches the file that it stands for. That orders it against the close of that
//! file. Where the number stood for another file before, the operation could have come to that one, or to
//! none: the class orders it against these (`touched_by_naming`).

use crate::answer::PosixCall;
use crate::places::{read, write};
use imbl::{OrdMap, OrdSet};
use smallvec::smallvec;
use symx_trace::{Access, Footprint, Place, ThreadId};

/// Classes of numbers. A program that has no more than this open at a time never confuses two.
const CLASSES: u32 = 16;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Descriptor {
    file: u64,
    close_on_exec: bool,
    /// The thread that had it stand for the file, if it stood for another one before.
    taken_again_by: Option<ThreadId>,
}

/// The descriptors of a process.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Descriptors {
    taken: OrdMap<u32, Descriptor>,
    /// Numbers that stood for something else before.
    freed: OrdSet<u32>,
}

impl Descriptors {
    /// Their numbers.
    pub fn numbers(&self) -> Vec<u32> {
        self.taken.keys().copied().collect()
    }

    /// The open files that they stand for, one as often as there are descriptors of it.
    pub fn files(&self) -> impl Iterator<Item = u64> {
        self.taken.values().map(|descriptor| descriptor.file)
    }

    /// The open file of `descriptor`.
    pub fn file_of(&self, descriptor: u32) -> Option<u64> {
        self.taken.get(&descriptor).map(|descriptor| descriptor.file)
    }

    /// The lowest free descriptor among `lowest`, `lowest + step` and so on.
    fn lowest_free(&self, lowest: u32, step: u32) -> u32 {
        let mut free = lowest;
        while self.taken.contains_key(&free) {
            free += step;
        }
        free
    }

    /// `taker` has `descriptor` stand for `file`.
    pub fn insert(&mut self, taker: ThreadId, descriptor: u32, file: u64, close_on_exec: bool) {
        let taken_again_by = self.freed.contains(&descriptor).then_some(taker);
        self.taken.insert(descriptor, Descriptor { file, close_on_exec, taken_again_by });
    }

    /// Frees `descriptor`; the file it stood for.
    pub fn remove(&mut self, descriptor: u32) -> Option<u64> {
        let freed = self.taken.remove(&descriptor)?;
        if !self.freed.contains(&descriptor) {
            self.freed.insert(descriptor);
        }
        Some(freed.file)
    }

    /// What an operation of `user` on `descriptor` touches beside the file: that it stands for that file by
    /// then. Nothing, if it never stood for another one, or if `user` itself had it stand for this one.
    pub fn touched_by_naming(&self, descriptor: u32, user: ThreadId) -> Option<Access> {
        let is_certain = self
            .taken
            .get(&descriptor)
            .is_some_and(|descriptor| descriptor.taken_again_by.is_none_or(|taker| taker == user));
        (!is_certain).then(|| read(descriptor_place(descriptor)))
    }

    /// What a call of `user` touches by naming `descriptor`: the object that the call is for, if the
    /// descriptor stands for one, and else that it stands for none.
    pub fn touched_by_use(&self, descriptor: u32, user: ThreadId, object: Option<Footprint>) -> Footprint {
        match object {
            Some(object) => self.touched_by_naming(descriptor, user).into_iter().chain(object).collect(),
            None => smallvec![read(descriptor_place(descriptor))],
        }
    }

    pub fn closes_on_exec(&self, descriptor: u32) -> bool {
        self.taken.get(&descriptor).is_some_and(|descriptor| descriptor.close_on_exec)
    }

    pub fn set_close_on_exec(&mut self, descriptor: u32, close: bool) {
        if let Some(entry) = self.taken.get_mut(&descriptor) {
            entry.close_on_exec = close;
        }
    }
}

/// The place of the descriptor `number`: whether and for what it stands. It is no address of an object.
pub(crate) fn descriptor_place(number: u32) -> Place {
    Place::Object(1 << 57 | u64::from(number % CLASSES) << 1 | 1)
}

/// The places of all descriptors.
pub(crate) fn descriptor_places() -> impl Iterator<Item = Place> {
    (0..CLASSES).map(descriptor_place)
}

/// A thread that makes open files and descriptors of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opener {
    /// The thread, by which open files and nodes without a name are numbered: then making them commutes.
    pub thread: ThreadId,
    /// The class of numbers that it takes, if not all.
    class: Option<u32>,
}

impl Opener {
    /// The thread that makes `call`.
    pub fn of(call: &PosixCall<'_, '_>) -> Self {
        let thread = call.thread();
        let has_own = call.environment().options().independent_descriptors
            && call.state().unjoined > 1
            && call.state().data.kernel.own.limits.is_usual();
        Self { thread, class: has_own.then_some(thread.0 % CLASSES) }
    }

    /// What making a descriptor touches.
    pub fn touched(self) -> impl Iterator<Item = Access> {
        let classes = match self.class {
            None => 0..CLASSES,
            Some(class) => class..class + 1,
        };
        classes.map(descriptor_place).map(write)
    }

    /// The lowest free descriptor from `lowest` on that it may take, if one is below the `limit`. Numbers of
    /// its own are spread: the limit does not hold for them.
    pub fn free(self, descriptors: &Descriptors, lowest: u32, limit: u32) -> Option<u32> {
        match self.class {
            None => Some(descriptors.lowest_free(lowest, 1)).filter(|free| *free < limit),
            Some(class) => {
                let ahead = (class + CLASSES - lowest % CLASSES) % CLASSES;
                Some(descriptors.lowest_free(lowest.saturating_add(ahead), CLASSES))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_free_descriptor_is_taken() {
        let mut descriptors = Descriptors::default();
        for expected in 0..3 {
            let descriptor = descriptors.lowest_free(0, 1);
            assert_eq!(descriptor, expected);
            descriptors.insert(ThreadId::MAIN, descriptor, 7, false);
        }
        assert_eq!(descriptors.remove(1), Some(7));
        assert_eq!(descriptors.lowest_free(0, 1), 1);
        assert_eq!((descriptors.lowest_free(2, 1), descriptors.lowest_free(2, 5)), (3, 7));
        assert_eq!((descriptors.file_of(1), descriptors.remove(1)), (None, None));
    }

    #[test]
    fn a_number_that_stood_for_another_file_is_looked_at_by_other_threads() {
        let (taker, user) = (ThreadId::MAIN, ThreadId(1));
        let mut descriptors = Descriptors::default();
        let is_touched =
            |descriptors: &Descriptors, thread| descriptors.touched_by_naming(3, thread).is_some();
        assert!(is_touched(&descriptors, user));
        descriptors.insert(taker, 3, 7, false);
        assert!(!is_touched(&descriptors, user));
        assert_eq!(descriptors.remove(3), Some(7));
        descriptors.insert(taker, 3, 8, false);
        assert!(is_touched(&descriptors, user) && !is_touched(&descriptors, taker));
    }
}
