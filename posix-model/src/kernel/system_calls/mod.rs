//! Rows of the tables of system calls, and what every model asks of its call.

pub(crate) mod names;

use crate::answer::{Model, PosixCall};
use crate::kernel::system_calls::names::name_of;
use symx_interp::stop::Stop;

/// A system call.
pub(crate) struct SystemCall {
    /// Its number on x86-64.
    pub number: u64,
    /// Its name, for people: that of the number.
    pub name: &'static str,
    /// The model.
    pub model: Model,
    /// Whether a thread can get a signal by it that it does not send itself, at once or later.
    pub signals: bool,
}

impl SystemCall {
    /// The same of one that sends signals.
    pub(crate) const fn signalling(self) -> Self {
        Self { signals: true, ..self }
    }
}

/// A row of a table of system calls.
pub(crate) const fn call(number: u64, name: &'static str, model: Model) -> SystemCall {
    SystemCall { number, name, model, signals: false }
}

/// The name of the system call that `call` is, for messages.
pub(crate) fn name(call: &mut PosixCall<'_, '_>) -> Result<&'static str, Stop> {
    let number = call.argument(0)?;
    Ok(name_of(number).unwrap_or("unknown"))
}

/// Argument `index` of a system call, counted from 0.
pub(crate) fn argument(call: &mut PosixCall<'_, '_>, index: usize) -> Result<u64, Stop> {
    call.argument(index + 1)
}
