//! Loads and stores of some lanes of a vector: one access from the first to the last lane that takes part.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::stop::Stop;
use crate::threads::running::Running;
use crate::value::Byte;
use symx_ir::{Operand, Slot};
use symx_memmodel::Ordering;

/// The lanes of a vector in memory.
#[derive(Clone, Copy)]
pub(in crate::step) struct Lanes {
    /// Bits of each, whole bytes.
    pub bits: u8,
    /// How many there are.
    pub count: u32,
}

impl<E: Environment> Executor<'_, E> {
    pub(in crate::step) fn masked_load(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
        Lanes { bits, count }: Lanes,
        dst: Slot,
        [address, mask, otherwise]: [Operand; 3],
    ) -> Result<(), Stop> {
        let chosen = self.chosen_lanes(state, running, mask, count)?;
        let size = u64::from(bits / 8);
        let (mut bytes, mut first) = (Default::default(), 0);
        if let (Some(&low), Some(&high)) = (chosen.first(), chosen.last()) {
            first = low;
            let length = u64::from(high - low + 1) * size;
            let start = self.start_of(state, running, address, u64::from(low) * size, length)?;
            bytes = self.load_bytes(state, running.accesses(start, length, Ordering::NotAtomic))?;
        }
        for lane in 0..count {
            let value = if chosen.contains(&lane) {
                let from = ((lane - first) as usize) * size as usize;
                Byte::join(&self.machine.terms, bytes[from..from + size as usize].iter().copied())
            } else {
                running.value(otherwise.offset(lane))
            };
            running.frame.set(dst + lane, value);
        }
        Ok(())
    }

    pub(in crate::step) fn masked_store(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
        Lanes { bits, count }: Lanes,
        [address, mask, value]: [Operand; 3],
    ) -> Result<(), Stop> {
        let chosen = self.chosen_lanes(state, running, mask, count)?;
        let (Some(&low), Some(&high)) = (chosen.first(), chosen.last()) else { return Ok(()) };
        let size = u64::from(bits / 8);
        let length = u64::from(high - low + 1) * size;
        let start = self.start_of(state, running, address, u64::from(low) * size, length)?;
        let part = |lane: &u32| {
            let value = running.value(value.offset(*lane));
            (u64::from(lane - low) * size, Byte::split(&self.machine.terms, value, size))
        };
        let parts: Vec<_> = chosen.iter().map(part).collect();
        self.store_parts(state, running.accesses(start, length, Ordering::NotAtomic), &parts)
    }

    /// Numbers of the lanes whose mask bit is set.
    fn chosen_lanes(
        &mut self,
        state: &mut State<E>,
        running: &Running<'_>,
        mask: Operand,
        count: u32,
    ) -> Result<Vec<u32>, Stop> {
        let mut chosen = Vec::new();
        for lane in 0..count {
            let bit = running.value(mask.offset(lane));
            if self.decide(state, bit)? {
                chosen.push(lane);
            }
        }
        Ok(chosen)
    }

    fn start_of(
        &mut self,
        state: &mut State<E>,
        running: &Running<'_>,
        address: Operand,
        distance: u64,
        length: u64,
    ) -> Result<u64, Stop> {
        let base = self.number(state, running, address)?;
        let start = base.wrapping_add(distance);
        self.fixed_address(state, crate::value::Value::Concrete(start), length)
    }
}
