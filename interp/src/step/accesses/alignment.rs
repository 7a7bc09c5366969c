//! Accesses promise the alignment of their address.

use crate::access::Purpose;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::stop::{Fault, Stop};
use symx_trace::{FailureDetail, FailureKind, Forgivable};

/// Whether `address` is a multiple of `2^align_log2`.
#[inline(always)]
pub(crate) fn is_aligned(address: u64, align_log2: u8) -> bool {
    address & ((1 << align_log2) - 1) == 0
}

impl<E: Environment> Executor<'_, E> {
    /// Checks the address of an access of `length` bytes that promises to be a multiple of `2^align_log2`.
    ///
    /// An access that would not be allowed anyway is reported for that reason: it says more.
    #[inline]
    pub(crate) fn check_alignment(
        &self,
        state: &State<E>,
        address: u64,
        length: u64,
        align_log2: u8,
        purpose: Purpose,
    ) -> Result<(), Stop> {
        if is_aligned(address, align_log2) {
            return Ok(());
        }
        self.misaligned(state, address, length, align_log2, purpose)
    }

    #[cold]
    fn misaligned(
        &self,
        state: &State<E>,
        address: u64,
        length: u64,
        align_log2: u8,
        purpose: Purpose,
    ) -> Result<(), Stop> {
        if self.forgives(Forgivable::Alignment) {
            return Ok(());
        }
        let (_, object) = self.locate(state, address, length, purpose)?;
        let name = self.describe_object(object);
        let verb = match purpose {
            Purpose::Read => "read",
            Purpose::Write => "write",
        };
        let message = format!(
            "misaligned {verb} of {length} bytes at offset {} of {name}: the address is not a multiple of {}",
            address - object.base,
            1_u64 << align_log2
        );
        let mut fault = Fault::new(FailureKind::Memory, FailureDetail::Misaligned, message);
        let made = "allocated here".to_owned();
        fault.notes.push((made, object.origin.span, Some(object.origin.thread)));
        Err(fault.into())
    }
}
