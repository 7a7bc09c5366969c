//! Atomic instructions.

use crate::access::Purpose;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::step::accesses::ordering;
use crate::step::floats;
use crate::step::integers::terms;
use crate::stop::Stop;
use crate::threads::running::MemoryAccess;
use crate::threads::running::Running;
use crate::value::Value;
use crate::words::integers::{mask, signed};
use symx_expr::BinaryOperator;
use symx_ir::Operand;
use symx_ir::instruction::{AtomicOrdering, Extended, FloatFormat, FloatOp, RmwOp};
use symx_memmodel::Ordering;

/// The memory that an atomic instruction accesses.
#[derive(Clone, Copy)]
struct AtomicPlace {
    address: Operand,
    bits: u8,
    align_log2: u8,
    ordering: Ordering,
}

impl AtomicPlace {
    /// Memory that is read and written at once has its natural alignment.
    fn updated(address: Operand, bits: u8, ordering: Ordering) -> Self {
        Self { address, bits, align_log2: length(bits).trailing_zeros() as u8, ordering }
    }
}

impl<E: Environment> Executor<'_, E> {
    /// Executes the atomic instruction at entry `index` of the function's table.
    pub(crate) fn atomic(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
        index: u32,
    ) -> Result<(), Stop> {
        let function = running.function;
        if is_wide(&function.extended[index as usize]) {
            return self.wide_atomic(state, running, index);
        }
        match function.extended[index as usize] {
            Extended::Fence { single_thread: true, .. } => Ok(()),
            Extended::Fence { ordering: order, .. } => {
                self.fence(state, running.thread, running.span(), ordering(order))
            }
            Extended::AtomicLoad { bits, ordering: order, align_log2, dst, address } => {
                let place = AtomicPlace { address, bits, align_log2, ordering: ordering(order) };
                let access = self.atomic_access(state, running, place, Purpose::Read)?;
                let value = self.load(state, access)?;
                let value = self.narrow(value, bits);
                running.frame.set(dst, value);
                Ok(())
            }
            Extended::AtomicStore { bits, ordering: order, align_log2, address, value } => {
                let place = AtomicPlace { address, bits, align_log2, ordering: ordering(order) };
                let access = self.atomic_access(state, running, place, Purpose::Write)?;
                let value = running.value(value);
                self.store(state, access, value)
            }
            Extended::AtomicRmw { op, bits, ordering: order, dst, address, value } => {
                let place = AtomicPlace::updated(address, bits, ordering(order));
                let access = self.atomic_access(state, running, place, Purpose::Write)?;
                let old = self.begin_update(state, access)?;
                let old = self.narrow(old, bits);
                let operand = running.value(value);
                let new = match self.update(state, op, bits, old, operand) {
                    Ok(new) => new,
                    Err(stop) => {
                        // Executed again under a constraint, it is still the same granted step.
                        self.present.granted = true;
                        return Err(stop);
                    }
                };
                self.end_update(state, access, Some(new))?;
                running.frame.set(dst, old);
                Ok(())
            }
            Extended::CompareExchange { bits, success, failure, dst, address, expected, replacement } => {
                let place = AtomicPlace::updated(address, bits, strongest(success, failure));
                let mut access = self.atomic_access(state, running, place, Purpose::Write)?;
                let old = self.begin_update(state, access)?;
                let old = self.narrow(old, bits);
                let expected = running.value(expected);
                let equal = match self.is_expected(state, bits, old, expected) {
                    Ok(equal) => equal,
                    Err(stop) => {
                        self.present.granted = true;
                        return Err(stop);
                    }
                };
                let replacement = equal.then(|| running.value(replacement));
                // A compare that fails is a load. Either has an ordering of its own.
                access.ordering = ordering(if equal { success } else { failure });
                self.end_update(state, access, replacement)?;
                running.frame.set(dst, old);
                running.set_word(dst + 1, equal.into());
                Ok(())
            }
            _ => unreachable!("the caller sends atomic instructions only"),
        }
    }

    /// The access of an atomic instruction, whose address is fixed and aligned.
    #[inline]
    fn atomic_access(
        &mut self,
        state: &mut State<E>,
        running: &Running<'_>,
        place: AtomicPlace,
        purpose: Purpose,
    ) -> Result<MemoryAccess, Stop> {
        let length = length(place.bits);
        let address = self.fixed_address(state, running.value(place.address), length)?;
        self.check_alignment(state, address, length, place.align_log2, purpose)?;
        Ok(running.accesses(address, length, place.ordering))
    }

    /// Whether a compare-and-exchange finds the value that it expects.
    #[inline]
    fn is_expected(
        &mut self,
        state: &mut State<E>,
        bits: u8,
        old: Value,
        expected: Value,
    ) -> Result<bool, Stop> {
        if let (Value::Concrete(old), Value::Concrete(expected)) = (old, expected) {
            return Ok(old == expected);
        }
        let (terms, width) = (&self.machine.terms, u32::from(bits));
        let equal = terms.binary(BinaryOperator::Equal, old.term(terms, width), expected.term(terms, width));
        self.decide(state, Value::of(terms, equal))
    }

    fn update(
        &mut self,
        state: &mut State<E>,
        op: RmwOp,
        bits: u8,
        old: Value,
        operand: Value,
    ) -> Result<Value, Stop> {
        let terms = &self.machine.terms;
        let width = u32::from(bits);
        let is_concrete = matches!((old, operand), (Value::Concrete(_), Value::Concrete(_)));
        if !is_concrete
            && let [x, y] = [old, operand].map(|value| value.term(terms, width))
            && let Some(new) = terms::update(terms, op, x, y)
        {
            return Ok(Value::of(terms, new));
        }
        let (x, y) = (self.concretize(state, old)?, self.concretize(state, operand)?);
        Ok(Value::Concrete(combine(op, bits, x, y)))
    }
}

/// The result of an atomic update of `bits` bits where `x` was, given the operand `y`.
pub fn combine(op: RmwOp, bits: u8, x: u64, y: u64) -> u64 {
    let (sx, sy) = (signed(x, bits), signed(y, bits));
    let float = |op| {
        let format = if bits == 64 { FloatFormat::Double } else { FloatFormat::Single };
        floats::binary(op, format, x, y)
    };
    let new = match op {
        RmwOp::Exchange => y,
        RmwOp::Add => x.wrapping_add(y),
        RmwOp::Sub => x.wrapping_sub(y),
        RmwOp::And => x & y,
        RmwOp::Nand => !(x & y),
        RmwOp::Or => x | y,
        RmwOp::Xor => x ^ y,
        RmwOp::Max => sx.max(sy) as u64,
        RmwOp::Min => sx.min(sy) as u64,
        RmwOp::UMax => x.max(y),
        RmwOp::UMin => x.min(y),
        RmwOp::FloatAdd => float(FloatOp::Add),
        RmwOp::FloatSub => float(FloatOp::Sub),
        RmwOp::FloatMaximum => float(FloatOp::Maximum),
        RmwOp::FloatMinimum => float(FloatOp::Minimum),
        RmwOp::SubConditional => {
            if x >= y {
                x - y
            } else {
                x
            }
        }
        RmwOp::SubSaturating => x.saturating_sub(y),
        RmwOp::IncrementWrap => {
            if x >= y {
                0
            } else {
                x + 1
            }
        }
        RmwOp::DecrementWrap => {
            if x == 0 || x > y {
                y
            } else {
                x - 1
            }
        }
    };
    new & mask(bits)
}

fn length(bits: u8) -> u64 {
    u64::from(bits).div_ceil(8)
}

fn is_wide(instruction: &Extended) -> bool {
    match instruction {
        Extended::AtomicLoad { bits, .. }
        | Extended::AtomicStore { bits, .. }
        | Extended::AtomicRmw { bits, .. }
        | Extended::CompareExchange { bits, .. } => *bits > 64,
        _ => false,
    }
}

pub(in crate::step) fn strongest(success: AtomicOrdering, failure: AtomicOrdering) -> Ordering {
    ordering(success).max(ordering(failure))
}
