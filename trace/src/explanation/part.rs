//! The parts of objects that steps are at. In one execution the address of their object identifies them,
//! in two their name: addresses depend on what else a thread has allocated, names do not.

use super::ExecutedStep;
use super::written_object::{partly_in_source, read};
use crate::event::EventKind;
use serde::{Deserialize, Serialize};
use symx_ir::SourceName;

/// A place in the memory of one execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct PlaceInMemory {
    /// Address of the first byte of the object there, among those of all processes.
    pub object: u64,
    /// Bytes from there on.
    pub offset: u64,
}

/// A part of an object in one execution. Two objects may be called the same, and so may two parts of one that
/// only a library names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Part<'e> {
    object: Option<u64>,
    /// None where a call is about the part: which of its bytes the call touches is the library's affair.
    offset: Option<u64>,
    name: &'e str,
}

/// A lock that a thread holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "WrittenLock", into = "WrittenLock")]
pub struct HeldLock {
    /// Its name.
    pub name: SourceName,
    /// Where it is.
    pub place: Option<PlaceInMemory>,
    /// Whether other threads may hold it at once: as readers.
    pub is_shared: bool,
}

/// A lock as JSON has it: up to version 8 it was its name alone.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum WrittenLock {
    Name(String),
    Lock {
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        in_source: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<PlaceInMemory>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_shared: bool,
    },
}

impl TryFrom<WrittenLock> for HeldLock {
    type Error = String;

    fn try_from(written: WrittenLock) -> Result<Self, String> {
        match written {
            WrittenLock::Name(name) => Ok(Self::from(&*name)),
            WrittenLock::Lock { name, in_source, place, is_shared } => {
                Ok(Self { name: read(name, in_source.as_deref())?, place, is_shared })
            }
        }
    }
}

impl From<HeldLock> for WrittenLock {
    fn from(lock: HeldLock) -> Self {
        let in_source = partly_in_source(&lock.name).map(str::to_owned);
        Self::Lock { name: lock.name.into(), in_source, place: lock.place, is_shared: lock.is_shared }
    }
}

impl From<&str> for HeldLock {
    fn from(name: &str) -> Self {
        Self { name: name.into(), place: None, is_shared: false }
    }
}

/// What follows the name of a lock that is held, for people.
pub fn lock_mode(is_shared: bool) -> &'static str {
    if is_shared { " (as a reader)" } else { "" }
}

impl HeldLock {
    /// Its name, and whether it is held as a reader.
    pub fn title(&self) -> String {
        format!("{}{}", self.name, lock_mode(self.is_shared))
    }

    /// The same for sentences.
    pub fn quoted(&self) -> String {
        format!("{}{}", self.name.quoted(), lock_mode(self.is_shared))
    }

    /// Whether no two threads hold the one and the other at a time.
    fn excludes(&self, other: &Self) -> bool {
        self.part() == other.part() && !(self.is_shared && other.is_shared)
    }

    /// The lock among the parts of objects.
    pub fn part(&self) -> Part<'_> {
        Part { object: self.place.map(|place| place.object), offset: None, name: &self.name }
    }
}

impl ExecutedStep {
    /// The part that it is at, among those of its execution.
    pub fn part(&self) -> Part<'_> {
        Part { object: self.place.map(|place| place.object), offset: self.offset(), name: &self.object }
    }

    /// Where in its object it accesses memory, in bytes.
    fn offset(&self) -> Option<u64> {
        match self.kind {
            EventKind::Call(_) => None,
            _ => self.place.map(|place| place.offset),
        }
    }

    /// Whether its thread holds a lock when it takes the step.
    pub fn holds(&self, lock: Part<'_>) -> bool {
        self.locks.iter().any(|held| held.part() == lock)
    }

    /// Whether it is a call at a lock.
    pub fn is_call_at(&self, lock: &HeldLock) -> bool {
        matches!(self.kind, EventKind::Call(_)) && self.part() == lock.part()
    }

    /// Whether the locks held at two steps of one execution exclude each other.
    pub fn is_guarded_from(&self, other: &Self) -> bool {
        self.locks.iter().any(|held| other.locks.iter().any(|lock| held.excludes(lock)))
    }

    /// Whether two steps of one execution are at the same part of an object.
    pub fn is_at_same_part(&self, other: &Self) -> bool {
        let object = |step: &Self| step.place.map(|place| place.object);
        object(self) == object(other) && self.is_called_alike(other)
    }

    /// Whether two steps of one execution are at the same object. Where that has no place, they are at the
    /// same part.
    pub fn is_at_object_of(&self, other: &Self) -> bool {
        match (self.place, other.place) {
            (Some(one), Some(other)) => one.object == other.object,
            _ => self.is_at_same_part(other),
        }
    }

    /// Whether two steps, of two executions maybe, are at parts of the same name. Parts that only a library
    /// names share the name of the whole: accesses to them differ by their offset.
    pub fn is_called_alike(&self, other: &Self) -> bool {
        let are_apart = self.offset().zip(other.offset()).is_some_and(|(one, other)| one != other);
        self.object == other.object && !are_apart
    }

    /// Whether two steps, of two executions maybe, do the same at parts of the same name, in the same place.
    pub fn does_the_same(&self, other: &Self) -> bool {
        self.kind == other.kind && self.is_called_alike(other) && self.location == other.location
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Call, CallEffect};

    fn at(object: u64, offset: u64) -> ExecutedStep {
        ExecutedStep {
            place: Some(PlaceInMemory { object, offset }),
            ..ExecutedStep::taken(0, EventKind::Write, SourceName::expression("count").and(" of worker"))
        }
    }

    #[test]
    fn two_objects_of_one_name_are_two() {
        let (one, twin, later) = (at(16, 0), at(32, 0), at(16, 4));
        assert!(one.is_at_same_part(&at(16, 0)) && one.part() == at(16, 0).part());
        assert!(!one.is_at_same_part(&twin) && one.part() != twin.part());
        assert!(one.is_called_alike(&twin), "another execution has it elsewhere");
        assert!(!one.is_at_same_part(&later) && !one.is_called_alike(&later));
        assert_ne!(one.part(), later.part());
        // Which of the bytes of a lock a call touches says nothing.
        let lock = |of: ExecutedStep| ExecutedStep {
            kind: EventKind::Call(Call::new("lock", CallEffect::Lock)),
            ..of
        };
        assert!(lock(at(16, 0)).is_at_same_part(&lock(at(16, 4))) && lock(at(16, 0)).is_at_same_part(&later));
        let held = HeldLock { name: one.object.clone(), place: one.place, is_shared: true };
        let holder = ExecutedStep { locks: vec![held.clone()], ..at(48, 0) };
        assert!(holder.holds(lock(at(16, 8)).part()) && !holder.holds(lock(twin).part()));
        let text = serde_json::to_string(&held).expect("plain data");
        assert_eq!(serde_json::from_str::<HeldLock>(&text).expect("what was written"), held);
    }
}
