//! Work that may take long, or much memory, within one instruction: it proceeds in pieces and asks before
//! each.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::Object;
use crate::stop::Stop;

/// Smaller allocations, in bytes, are not asked for: their sum is found when the process is measured.
const UNASKED: u64 = 4096;

/// Bytes that take some hundredths of a thousandth of a second to fill.
const MUCH: u64 = 1 << 16;

impl<E: Environment> Executor<'_, E> {
    /// Asks for memory that is about to be taken. Where that is much, filling it takes time, so it is also
    /// asked whether work is to continue.
    #[inline]
    pub(crate) fn ask(&self, bytes: u64) -> Result<(), Stop> {
        if bytes < UNASKED {
            return Ok(());
        }
        if bytes >= MUCH {
            self.proceed()?;
        }
        Ok(self.machine.options.stop.ask(bytes)?)
    }

    /// Asks for what a new object of `size` bytes takes at once: all of a small one, of a large one its table
    /// of pages.
    #[inline]
    pub(crate) fn ask_for_object(&self, size: u64) -> Result<(), Stop> {
        self.ask(Object::bytes_at_once(size))
    }

    /// Asks whether work is to continue.
    pub(crate) fn proceed(&self) -> Result<(), Stop> {
        Ok(self.machine.options.stop.check()?)
    }
}
