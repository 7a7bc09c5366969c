//! Attribute objects of condition variables, read-write locks and barriers: what was set can be got, and
//! nothing else depends on it. The settings live in the object's own four bytes, so copies of it are as good.

use crate::answer::{PosixCall, Step, int};
use crate::errno::EINVAL;
use symx_interp::access::Purpose;
use symx_interp::stop::Stop;
use symx_interp::value::Value;

/// A setting: a byte of the word, and its values from 0 up.
#[derive(Clone, Copy)]
pub(crate) struct Setting {
    /// Bits below it.
    pub shift: u32,
    /// The highest value it may have.
    pub highest: u32,
}

/// Whether processes share the object (`PTHREAD_PROCESS_SHARED`).
pub(crate) const SHARED: Setting = Setting { shift: 0, highest: 1 };

pub(crate) fn initialise(call: &mut PosixCall<'_, '_>) -> Step {
    let attributes = call.argument(0)?;
    call.write(attributes, 4, Value::Concrete(0))?;
    int(0)
}

pub(crate) fn destroy(call: &mut PosixCall<'_, '_>) -> Step {
    let attributes = call.argument(0)?;
    // As in glibc, which has nothing to destroy.
    if attributes != 0 {
        call.object(attributes, 4, Purpose::Write)?;
    }
    int(0)
}

pub(crate) fn set(call: &mut PosixCall<'_, '_>, setting: Setting) -> Step {
    let (attributes, value) = (call.argument(0)?, call.argument(1)? as u32);
    let word = call.read_number(attributes, 4)? as u32;
    if value > setting.highest {
        return int(EINVAL);
    }
    let word = word & !(0xff << setting.shift) | value << setting.shift;
    call.write(attributes, 4, Value::Concrete(word.into()))?;
    int(0)
}

pub(crate) fn get(call: &mut PosixCall<'_, '_>, setting: Setting) -> Step {
    let (attributes, result) = (call.argument(0)?, call.argument(1)?);
    let value = value(call, attributes, setting)?;
    call.write(result, 4, Value::Concrete(value))?;
    int(0)
}

/// The value of a setting in the attribute object at `attributes`.
pub(crate) fn value(call: &mut PosixCall<'_, '_>, attributes: u64, setting: Setting) -> Result<u64, Stop> {
    let word = call.read_number(attributes, 4)?;
    Ok(word >> setting.shift & 0xff)
}
