//! `pthread_mutexattr_t`: type, robustness, priority protocol and ceiling, sharing between processes.
//!
//! All of it lives in the attribute object's own four bytes, laid out as in glibc: copies of it are as good.

use crate::answer::{PosixCall, Step, int};
use crate::errno::EINVAL;
use crate::row::{Row, row};
use symx_interp::stop::Stop;
use symx_interp::value::Value;

/// A setting: a field of bits in the word, and the values it may have.
#[derive(Clone, Copy)]
struct Field {
    shift: u32,
    bits: u32,
    lowest: u32,
    highest: u32,
}

const KIND: Field = Field { shift: 0, bits: 2, lowest: 0, highest: 3 };
/// Priorities of the real-time policies; 0 in the word denotes the lowest.
const CEILING: Field = Field { shift: 12, bits: 12, lowest: 1, highest: 99 };
const PROTOCOL: Field = Field { shift: 28, bits: 2, lowest: 0, highest: 2 };
const ROBUST: Field = Field { shift: 30, bits: 1, lowest: 0, highest: 1 };
const SHARED: Field = Field { shift: 31, bits: 1, lowest: 0, highest: 1 };

impl Field {
    fn of(self, word: u32) -> u32 {
        (word >> self.shift & ((1 << self.bits) - 1)).max(self.lowest)
    }

    fn set(self, word: u32, value: u32) -> u32 {
        word & !(((1 << self.bits) - 1) << self.shift) | value << self.shift
    }

    fn admits(self, value: u32) -> bool {
        (self.lowest..=self.highest).contains(&value)
    }
}

/// The settings with which a mutex is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct MutexSettings {
    /// The type's number: 0 normal, 1 recursive, 2 error-checking, 3 adaptive.
    pub kind: u32,
    /// Whether the next thread to lock it is notified when its holder has ended.
    pub robust: bool,
    /// The priority ceiling, where the protocol is `PTHREAD_PRIO_PROTECT`.
    pub ceiling: Option<u32>,
}

/// `PTHREAD_PRIO_PROTECT`.
const PROTECT: u32 = 2;

/// Whether `ceiling` is one of the real-time priorities.
pub(crate) fn is_ceiling(ceiling: u32) -> bool {
    CEILING.admits(ceiling)
}

/// The settings in the attribute object at `attributes` (0 for none).
pub(crate) fn settings(call: &mut PosixCall<'_, '_>, attributes: u64) -> Result<MutexSettings, Stop> {
    if attributes == 0 {
        return Ok(MutexSettings::default());
    }
    let word = call.read_number(attributes, 4)? as u32;
    let ceiling = (PROTOCOL.of(word) == PROTECT).then(|| CEILING.of(word));
    Ok(MutexSettings { kind: KIND.of(word), robust: ROBUST.of(word) == 1, ceiling })
}

pub(crate) const ROWS: &[Row] = &[
    row(&["pthread_mutexattr_init"], |call| {
        let attributes = call.argument(0)?;
        call.write(attributes, 4, Value::Concrete(0))?;
        int(0)
    }),
    row(&["pthread_mutexattr_destroy"], crate::sync::attributes::destroy),
    row(&["pthread_mutexattr_settype"], |call| set(call, KIND)),
    row(&["pthread_mutexattr_gettype"], |call| get(call, KIND)),
    row(&["pthread_mutexattr_setpshared"], |call| set(call, SHARED)),
    row(&["pthread_mutexattr_getpshared"], |call| get(call, SHARED)),
    row(&["pthread_mutexattr_setrobust", "pthread_mutexattr_setrobust_np"], |call| set(call, ROBUST)),
    row(&["pthread_mutexattr_getrobust", "pthread_mutexattr_getrobust_np"], |call| get(call, ROBUST)),
    row(&["pthread_mutexattr_setprotocol"], |call| set(call, PROTOCOL)),
    row(&["pthread_mutexattr_getprotocol"], |call| get(call, PROTOCOL)),
    row(&["pthread_mutexattr_setprioceiling"], |call| set(call, CEILING)),
    row(&["pthread_mutexattr_getprioceiling"], |call| get(call, CEILING)),
];

fn set(call: &mut PosixCall<'_, '_>, field: Field) -> Step {
    let (attributes, value) = (call.argument(0)?, call.argument(1)? as u32);
    let word = call.read_number(attributes, 4)? as u32;
    if !field.admits(value) {
        return int(EINVAL);
    }
    call.write(attributes, 4, Value::Concrete(field.set(word, value).into()))?;
    int(0)
}

fn get(call: &mut PosixCall<'_, '_>, field: Field) -> Step {
    let (attributes, result) = (call.argument(0)?, call.argument(1)?);
    let word = call.read_number(attributes, 4)? as u32;
    call.write(result, 4, Value::Concrete(field.of(word).into()))?;
    int(0)
}
