//! Atomic instructions on 128 bits: two slots, one visible step.

use super::atomics::strongest;
use crate::access::Purpose;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::step::accesses::ordering;
use crate::step::integers::terms;
use crate::stop::Stop;
use crate::threads::running::MemoryAccess;
use crate::threads::running::Running;
use crate::value::{Byte, Value};
use symx_expr::{BinaryOperator, Term};
use symx_ir::address::Cell;
use symx_ir::instruction::Extended;

/// Bytes of such an access.
const LENGTH: u64 = 16;
/// Its bits.
const BITS: u32 = 128;

impl<E: Environment> Executor<'_, E> {
    /// Executes the atomic instruction of 128 bits at entry `index` of the function's table.
    pub(in crate::step) fn wide_atomic(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
        index: u32,
    ) -> Result<(), Stop> {
        match running.function.extended[index as usize] {
            Extended::AtomicLoad { ordering: order, dst, address, .. } => {
                let address = self.fixed_address(state, running.value(address), LENGTH)?;
                let bytes = self.load_bytes(state, running.accesses(address, LENGTH, ordering(order)))?;
                for (slot, half) in bytes.chunks(8).enumerate() {
                    let value = Byte::join(&self.machine.terms, half.iter().copied());
                    running.frame.set(dst + slot as u32, value);
                }
                Ok(())
            }
            Extended::AtomicStore { ordering: order, address, value, .. } => {
                let address = self.fixed_address(state, running.value(address), LENGTH)?;
                let access = running.accesses(address, LENGTH, ordering(order));
                let new = self.wide_term(running, value, BITS);
                let bytes = self.wide_bytes(new).collect();
                if !self.machine.model.buffers_stores() {
                    return self.store_parts(state, access, &[(0, bytes)]);
                }
                // The machine stores 16 bytes at once by a locked compare-and-exchange: nothing is buffered.
                let cell = self.claim_update(state, access)?;
                // The old value counts for the trace alone.
                self.read_wide(state, access)?;
                self.store_in_order(state, cell, access, None, || bytes);
                self.write_wide(state, access, Some(new))
            }
            Extended::AtomicRmw { op, ordering: order, dst, address, value, .. } => {
                let address = self.fixed_address(state, running.value(address), LENGTH)?;
                let access = running.accesses(address, LENGTH, ordering(order));
                self.claim_update(state, access)?;
                let old = self.read_wide(state, access)?;
                let operand = self.wide_term(running, value, BITS);
                let Some(new) = terms::update(&self.machine.terms, op, old, operand) else {
                    return Err(Stop::unsupported(format!("atomicrmw {op:?} of 128 bits")));
                };
                self.end_wide_update(state, access, Some(new))?;
                self.set_wide(running, dst, BITS, old);
                Ok(())
            }
            Extended::CompareExchange { success, failure, dst, address, expected, replacement, .. } => {
                let address = self.fixed_address(state, running.value(address), LENGTH)?;
                let mut access = running.accesses(address, LENGTH, strongest(success, failure));
                self.claim_update(state, access)?;
                let old = self.read_wide(state, access)?;
                let terms = &self.machine.terms;
                let expected = self.wide_term(running, expected, BITS);
                let equal = Value::of(terms, terms.binary(BinaryOperator::Equal, old, expected));
                let equal = match self.decide(state, equal) {
                    Ok(equal) => equal,
                    Err(stop) => {
                        // Executed again under a constraint, it is still the same granted step.
                        self.present.granted = true;
                        return Err(stop);
                    }
                };
                let new = equal.then(|| self.wide_term(running, replacement, BITS));
                access.ordering = ordering(if equal { success } else { failure });
                self.end_wide_update(state, access, new)?;
                self.set_wide(running, dst, BITS, old);
                running.set_word(dst + 2, equal.into());
                Ok(())
            }
            _ => unreachable!("the caller sends atomic accesses only"),
        }
    }

    fn read_wide(&mut self, state: &mut State<E>, access: MemoryAccess) -> Result<Term, Stop> {
        let address = access.range.address;
        let (cell, object) = self.locate(state, address, LENGTH, Purpose::Read)?;
        if self.is_traced(state, cell) {
            let offset = address - object.base;
            let byte = |at| object.byte(&self.machine.terms, offset + at);
            let bytes: Vec<Byte> = (0..LENGTH).map(byte).collect();
            return Ok(self.trace_update(state, cell, access, &bytes).1);
        }
        let terms = &self.machine.terms;
        let half = |at: u64| object.read(terms, address + at - object.base, 8).term(terms, 64);
        Ok(terms.concat(half(8), half(0)))
    }

    fn wide_bytes(&self, of: Term) -> impl Iterator<Item = Byte> {
        let terms = &self.machine.terms;
        (0..BITS).step_by(8).map(move |low| Byte::of(terms, terms.extract(of, low, 8)))
    }

    fn end_wide_update(
        &mut self,
        state: &mut State<E>,
        access: MemoryAccess,
        new: Option<Term>,
    ) -> Result<(), Stop> {
        if state.order.is_some() {
            let bytes: Option<Vec<Byte>> = new.map(|new| self.wide_bytes(new).collect());
            self.update_in_order(state, access, bytes.as_deref());
        }
        self.write_wide(state, access, new)
    }

    fn write_wide(
        &mut self,
        state: &mut State<E>,
        access: MemoryAccess,
        new: Option<Term>,
    ) -> Result<(), Stop> {
        let address = access.range.address;
        let terms = &self.machine.terms;
        let halves = new.map(|new| [0, 64].map(|low| Value::of(terms, terms.extract(new, low, 64))));
        if let (Some(new), Some(cell)) = (new, Cell::of(address))
            && self.is_traced(state, cell)
        {
            let bytes: Vec<Byte> = self.wide_bytes(new).collect();
            let kept = self.trace_update_end(&bytes, access.ordering);
            let object = state.memory.get_mut(cell).expect("located before");
            let offset = address - object.base;
            kept.iter().zip(0..).for_each(|(byte, at)| object.set_byte(offset + at, *byte));
            return Ok(());
        }
        for (half, at) in halves.into_iter().flatten().zip([0, 8]) {
            self.write_memory(state, address + at, 8, half)?;
        }
        Ok(())
    }
}
