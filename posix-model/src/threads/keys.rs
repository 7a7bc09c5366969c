//! Thread-specific values.

use crate::answer::{PosixCall, Step, announced, int, touching, word};
use crate::errno::{EAGAIN, EINVAL};
use crate::places::{KEYS, read, write};
use crate::row::{Row, row};
use imbl::{OrdMap, OrdSet};
use symx_interp::value::Value;
use symx_trace::ThreadId;

/// Keys a process can have (`PTHREAD_KEYS_MAX`).
const MAXIMUM: u32 = 1024;
/// The key of a language's runtime, behind those of the program.
const OF_RUNTIME: u32 = MAXIMUM;
/// How often destructors are run for values that they leave (`PTHREAD_DESTRUCTOR_ITERATIONS`).
pub(crate) const DESTRUCTOR_ROUNDS: u32 = 4;

/// The keys of a process and every thread's values.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Keys {
    /// Destructors (0 for none) of the keys that exist.
    destructors: OrdMap<u32, u64>,
    /// Values that are not null.
    values: OrdMap<(ThreadId, u32), u64>,
    /// The threads that have set values, which may be gone with their keys.
    setters: OrdSet<ThreadId>,
}

impl Keys {
    /// The same in a process that `parent` forks, where its thread is `child`.
    pub fn copied(&self, parent: ThreadId, child: ThreadId) -> Self {
        let own = self.values.range((parent, 0)..=(parent, u32::MAX));
        let values = own.map(|((_, key), value)| ((child, *key), *value)).collect();
        let setters = self.setters.iter().filter(|setter| **setter == parent).map(|_| child).collect();
        Self { destructors: self.destructors.clone(), values, setters }
    }

    /// Has `destructor` called with `value` at the end of `thread`, after the destructors of the program's
    /// keys. All threads have the same.
    pub fn set_of_runtime(&mut self, thread: ThreadId, destructor: u64, value: u64) {
        self.destructors.insert(OF_RUNTIME, destructor);
        self.values.insert((thread, OF_RUNTIME), value);
        self.setters.insert(thread);
    }

    /// Every value, of all threads.
    pub fn values(&self) -> Vec<u64> {
        self.values.values().copied().collect()
    }

    /// Whether `thread` has set a value: which destructors run at its end depends on the keys that there are.
    pub fn has_set(&self, thread: ThreadId) -> bool {
        self.setters.contains(&thread)
    }

    /// Takes the next value of `thread` at or above `from` that has a destructor: key, destructor, value.
    pub fn take_for_destruction(&mut self, thread: ThreadId, from: u32) -> Option<(u32, u64, u64)> {
        let found = self.next_for_destruction(thread, from)?;
        self.values.remove(&(thread, found.0));
        Some(found)
    }

    /// As [`take_for_destruction`](Self::take_for_destruction), but leaves it there.
    pub fn next_for_destruction(&self, thread: ThreadId, from: u32) -> Option<(u32, u64, u64)> {
        self.values.range((thread, from)..=(thread, u32::MAX)).find_map(|((_, key), value)| {
            let destructor = *self.destructors.get(key)?;
            (destructor != 0).then_some((*key, destructor, *value))
        })
    }
}

pub(crate) const ROWS: &[Row] = &[
    row(&["pthread_key_create"], create),
    row(&["pthread_key_delete"], delete),
    row(&["tss_delete"], delete),
    row(&["pthread_getspecific", "tss_get"], get),
    row(&["pthread_setspecific"], set),
];

pub(crate) fn create(call: &mut PosixCall<'_, '_>) -> Step {
    let (result, destructor) = (call.argument(0)?, call.argument(1)?);
    if let Some(park) = announced(call, touching(write(KEYS))) {
        return Ok(park);
    }
    let destructors = &call.state().data.own.keys.destructors;
    let Some(key) = (0..MAXIMUM).find(|key| !destructors.contains_key(key)) else {
        return int(EAGAIN);
    };
    call.write(result, 4, Value::Concrete(u64::from(key)))?;
    call.data().own.keys.destructors.insert(key, destructor);
    int(0)
}

fn delete(call: &mut PosixCall<'_, '_>) -> Step {
    let key = call.argument(0)? as u32;
    if let Some(park) = announced(call, touching(write(KEYS))) {
        return Ok(park);
    }
    let keys = &mut call.data().own.keys;
    if keys.destructors.remove(&key).is_none() {
        return int(EINVAL);
    }
    let holders: Vec<_> = keys.values.keys().filter(|(_, other)| *other == key).copied().collect();
    for holder in holders {
        keys.values.remove(&holder);
    }
    int(0)
}

fn get(call: &mut PosixCall<'_, '_>) -> Step {
    let key = call.argument(0)? as u32;
    let thread = call.thread();
    word(call.state().data.own.keys.values.get(&(thread, key)).copied().unwrap_or(0))
}

pub(crate) fn set(call: &mut PosixCall<'_, '_>) -> Step {
    let (key, value) = (call.argument(0)? as u32, call.argument(1)?);
    if !call.state().data.own.keys.destructors.contains_key(&key) {
        // Whether the key exists can depend on other threads only if the program misuses it.
        if let Some(park) = announced(call, touching(read(KEYS))) {
            return Ok(park);
        }
        if !call.state().data.own.keys.destructors.contains_key(&key) {
            return int(EINVAL);
        }
    }
    let thread = call.thread();
    let keys = &mut call.data().own.keys;
    if value == 0 {
        keys.values.remove(&(thread, key));
    } else {
        keys.values.insert((thread, key), value);
        keys.setters.insert(thread);
    }
    int(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_one_thread_are_taken_in_order_of_keys_and_once() {
        let mut keys = Keys::default();
        let (me, other) = (ThreadId(1), ThreadId(2));
        keys.destructors = [(0_u32, 0_u64), (1, 0x100), (2, 0x200)].into_iter().collect();
        keys.values =
            [((me, 0_u32), 7_u64), ((me, 2), 9), ((me, 1), 8), ((other, 1), 5)].into_iter().collect();
        assert_eq!(keys.take_for_destruction(me, 0), Some((1, 0x100, 8)));
        assert_eq!(keys.take_for_destruction(me, 2), Some((2, 0x200, 9)));
        assert_eq!(keys.take_for_destruction(me, 0), None);
        assert_eq!(keys.take_for_destruction(other, 0), Some((1, 0x100, 5)));
    }
}
