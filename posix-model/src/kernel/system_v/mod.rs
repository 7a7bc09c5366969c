//! Objects of System V IPC, of three kinds: shared memory, sets of semaphores, message queues.
//!
//! Each kind has keys and identifiers of its own. Here is what the kinds share: how an object is found or
//! made, and who may use it. All objects belong to the one user and the one process.

pub(crate) mod messages;
pub(crate) mod semaphore_control;
pub(crate) mod semaphores;
pub(crate) mod shared_memory;

use crate::answer::{PosixCall, Step, announced, announced_synchronisation, failed, word};
use crate::errno::{EACCES, EEXIST, EINVAL, ENOENT, ENOSPC};
use crate::kernel::process::USER;
use crate::kernel::system_calls::argument;
use crate::options::Posix;
use crate::places::{read, system_v_keys, system_v_object, write};
use imbl::OrdMap;
use messages::MessageQueue;
use semaphores::SemaphoreSet;
use shared_memory::Segment;
use smallvec::{SmallVec, smallvec};
use symx_interp::environment::Outcome;
use symx_interp::stop::Stop;
use symx_trace::{Footprint, Place};

// Flags of calls that find objects, and of operations.
const CREATE: u32 = 0o1000;
const EXCLUSIVE: u32 = 0o2000;
const NO_WAIT: u32 = 0o4000;

/// The key of objects that have none (`IPC_PRIVATE`).
const PRIVATE: u32 = 0;

// Commands of `shmctl`, `semctl` and `msgctl`.
const REMOVE: u32 = 0;
const SET: u32 = 1;
const STATUS: u32 = 2;
const LIMITS: u32 = 3;

// What an operation asks the permissions for.
const TO_READ: u32 = 0o444;
const TO_WRITE: u32 = 0o222;

/// Bytes of a `struct ipc_perm`.
const PERMISSIONS: usize = 48;

/// A kind of object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Memory,
    Semaphores,
    Messages,
}

impl Kind {
    /// The place of the keys of this kind.
    fn keys(self) -> Place {
        system_v_keys(self as u64)
    }

    /// The place of an object of this kind.
    fn place(self, id: u64) -> Place {
        system_v_object(self as u64, id)
    }

    /// How many objects of this kind there can be, as Linux is set up.
    fn most(self) -> usize {
        match self {
            Self::Memory => 4096,
            Self::Semaphores | Self::Messages => 32000,
        }
    }
}

/// An object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Object<T> {
    key: u32,
    /// Permission bits.
    permissions: u32,
    content: T,
}

impl<T> Object<T> {
    /// Whether its owner may do what these permission bits are for.
    fn permits(&self, wanted: u32) -> bool {
        let wanted = (wanted >> 6 | wanted >> 3 | wanted) & 7;
        wanted & !(self.permissions >> 6) == 0
    }

    /// As a `struct ipc_perm`, with further bits in its mode.
    fn describe(&self, bits: u32) -> [u8; PERMISSIONS] {
        let mut bytes = [0; PERMISSIONS];
        let owner = USER as u32;
        let words = [self.key, owner, owner, owner, owner, self.permissions | bits];
        for (index, word) in words.into_iter().enumerate() {
            bytes[4 * index..][..4].copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

/// The objects of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Objects<T> {
    known: OrdMap<u64, Object<T>>,
    /// How many were made, the identifier of the next one: none comes back.
    made: u64,
}

impl<T> Default for Objects<T> {
    fn default() -> Self {
        Self { known: OrdMap::new(), made: 0 }
    }
}

/// All objects of System V IPC.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SystemV {
    segments: Objects<Segment>,
    sets: Objects<SemaphoreSet>,
    queues: Objects<MessageQueue>,
}

impl SystemV {
    /// The memory at `address` is attached this much more often, where it is a segment.
    pub fn attach_more(&mut self, address: u64, more: i64) {
        let found =
            self.segments.known.iter().find(|(_, segment)| segment.content.address() == Some(address));
        let Some(id) = found.map(|(id, _)| *id) else { return };
        if let Some(segment) = self.segments.known.get_mut(&id) {
            segment.content.attach_more(more);
        }
    }

    /// The addresses of attached memory.
    pub fn attached(&self) -> impl Iterator<Item = u64> {
        self.segments.known.values().filter_map(|segment| segment.content.address())
    }
}

/// What the objects of a kind are.
trait Content: Clone {
    const KIND: Kind;

    fn among(all: &SystemV) -> &Objects<Self>;

    fn among_mut(all: &mut SystemV) -> &mut Objects<Self>;
}

/// The object `id`.
fn find<'s, T: Content>(call: &'s PosixCall<'_, '_>, id: u64) -> Option<&'s Object<T>> {
    T::among(&call.state().data.kernel.system_v).known.get(&id)
}

/// Changes the object `id`.
fn change<T: Content>(call: &mut PosixCall<'_, '_>, id: u64, change: impl FnOnce(&mut Object<T>)) {
    if let Some(object) = T::among_mut(&mut call.data().kernel.system_v).known.get_mut(&id) {
        change(object);
    }
}

/// Does away with the object `id`.
fn remove<T: Content>(call: &mut PosixCall<'_, '_>, id: u64) {
    T::among_mut(&mut call.data().kernel.system_v).known.remove(&id);
}

/// The identifier in argument 0. Negative ones are large: no object has one.
fn identifier(call: &mut PosixCall<'_, '_>) -> Result<u64, Stop> {
    Ok(argument(call, 0)? & u64::from(u32::MAX))
}

/// Finds the object whose key is argument 0, or makes one, as `flags` say. `fits` says whether one that is
/// there is what is asked for.
fn get<T: Content>(
    call: &mut PosixCall<'_, '_>,
    flags: u32,
    fits: impl FnOnce(&T) -> Result<(), i32>,
    make: impl FnOnce() -> Result<T, i32>,
) -> Step {
    let key = argument(call, 0)? as u32;
    let objects = T::among(&call.state().data.kernel.system_v);
    let (next, count) = (objects.made, objects.known.len());
    let found = objects.known.iter().find(|(_, object)| key != PRIVATE && object.key == key);
    let found = found.map(|(id, _)| *id);
    let creates = found.is_none() && (key == PRIVATE || flags & CREATE != 0);
    let footprint: Footprint = match found {
        Some(id) => smallvec![read(T::KIND.keys()), read(T::KIND.place(id))],
        // A call that names it before it is there fails.
        None if creates => smallvec![write(T::KIND.keys()), write(T::KIND.place(next))],
        None => smallvec![read(T::KIND.keys())],
    };
    if let Some(park) = announced(call, footprint) {
        return Ok(park);
    }
    if let Some(id) = found {
        let Some(object) = find::<T>(call, id) else { return failed(ENOENT) };
        return match fits(&object.content) {
            _ if flags & CREATE != 0 && flags & EXCLUSIVE != 0 => failed(EEXIST),
            Err(error) => failed(error),
            Ok(()) if !object.permits(flags & 0o777) => failed(EACCES),
            Ok(()) => word(id),
        };
    }
    if !creates {
        return failed(ENOENT);
    }
    let content = match make() {
        Ok(_) if count >= T::KIND.most() => return failed(ENOSPC),
        Ok(content) => content,
        Err(error) => return failed(error),
    };
    let objects = T::among_mut(&mut call.data().kernel.system_v);
    objects.made += 1;
    objects.known.insert(next, Object { key, permissions: flags & 0o777, content });
    word(next)
}

/// Parks before an operation that orders memory, until it may be performed. What the call keeps from before,
/// behind the announcement, it still has afterwards.
fn stand_before(call: &mut PosixCall<'_, '_>, footprint: Footprint) -> Option<Outcome<Posix>> {
    let kept: SmallVec<[u64; 4]> = call.scratch().iter().skip(1).copied().collect();
    let park = announced_synchronisation(call, footprint)?;
    call.scratch().extend(kept);
    Some(park)
}

/// The permissions that the `struct ipc_perm` at `address` has, for `IPC_SET`.
fn new_permissions(call: &mut PosixCall<'_, '_>, address: u64) -> Result<u32, Stop> {
    let (user, group) = (call.read_number(address + 4, 4)?, call.read_number(address + 8, 4)?);
    if user != USER || group != USER {
        return Err(call.unsupported("another owner of a System V object (IPC_SET)"));
    }
    Ok(call.read_number(address + 20, 4)? as u32 & 0o777)
}

/// The time that a description has of what has happened: when the process began. Nothing tells how much later
/// it was.
fn time_of_event(call: &PosixCall<'_, '_>, has_happened: bool) -> u64 {
    if has_happened { call.environment().options().clock / 1_000_000_000 } else { 0 }
}

/// Refuses a command of `function` by its name; one without a name is none.
fn refuse(call: &PosixCall<'_, '_>, function: &str, name: Option<&str>) -> Step {
    match name {
        Some(name) => Err(call.unsupported(format!("{function} with {name}"))),
        None => failed(EINVAL),
    }
}

/// The object by which what came before one operation on `id` is before what comes after another.
fn carrier(kind: Kind, id: u64) -> (u64, u64) {
    match kind.place(id) {
        Place::Object(number) => (number, 0),
        _ => (id, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_owner_group_and_others_ask_for_the_owners_permission() {
        let object = Object { key: PRIVATE, permissions: 0o400, content: () };
        assert!(object.permits(0) && object.permits(TO_READ) && object.permits(0o004));
        assert!(!object.permits(TO_WRITE) && !object.permits(0o600));
    }

    #[test]
    fn kinds_have_places_of_their_own() {
        let places =
            [Kind::Memory, Kind::Semaphores, Kind::Messages].map(|kind| (kind.keys(), kind.place(0)));
        for (index, place) in places.iter().enumerate() {
            assert!(places[index + 1..].iter().all(|other| other.0 != place.0 && other.1 != place.1));
        }
    }
}
