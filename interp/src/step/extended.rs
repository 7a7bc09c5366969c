//! The rarer instructions.

use super::accesses::Whole;
use super::accesses::masked::Lanes;
use super::floats;
use super::unwind::type_selector;
use crate::access::Purpose;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::cause::PoisonReason;
use crate::memory::{Contents, Life, Origin, Site, SiteKind};
use crate::state::State;
use crate::stop::{Fault, Stop};
use crate::threads::running::Running;
use symx_ir::address::Cell;
use symx_ir::instruction::{Extended, FloatCast};
use symx_trace::{FailureDetail, FailureKind};

impl<E: Environment> Executor<'_, E> {
    /// Executes entry `index` of the function's table of rarer instructions.
    #[allow(clippy::too_many_lines)] // one line or two an instruction
    pub(crate) fn extended(
        &mut self,
        state: &mut State<E>,
        running: &mut Running<'_>,
        index: u32,
    ) -> Result<(), Stop> {
        let function = running.function;
        match &function.extended[index as usize] {
            &Extended::WideBinary { op, bits, flags, dst, a, b } => {
                self.wide_binary(state, running, (op, flags, bits), dst, [a, b])?;
            }
            &Extended::WideCompare { predicate, bits, dst, a, b } => {
                self.wide_compare(running, predicate, bits, dst, [a, b]);
            }
            &Extended::WideCast { op, from, to, dst, src } => {
                self.wide_cast(running, op, [from, to], dst, src)
            }
            Extended::Repack { from, to, dst, src } => self.repack(running, from, to, *dst, *src),
            Extended::LoadPieces { pieces, size, align_log2, dst, address, .. } => {
                let whole = Whole { pieces, size: (*size).into(), align_log2: *align_log2 };
                self.load_pieces(state, running, whole, *dst, *address)?;
            }
            Extended::StorePieces { pieces, size, align_log2, address, value, .. } => {
                let whole = Whole { pieces, size: (*size).into(), align_log2: *align_log2 };
                self.store_pieces(state, running, whole, [*address, *value])?;
            }
            &Extended::MaskedLoad { bits, lanes, dst, address, mask, otherwise } => {
                self.masked_load(
                    state,
                    running,
                    Lanes { bits, count: lanes },
                    dst,
                    [address, mask, otherwise],
                )?;
            }
            &Extended::MaskedStore { bits, lanes, value, address, mask } => {
                self.masked_store(state, running, Lanes { bits, count: lanes }, [address, mask, value])?;
            }
            &Extended::WideFloat { op, format, dst, a, b } => {
                let bits = format.bits();
                match (self.wide_word(running, a, bits), self.wide_word(running, b, bits)) {
                    (Some(x), Some(y)) => {
                        self.set_wide_word(running, dst, bits, floats::wide_binary(op, format, x, y));
                    }
                    _ => self.symbolic_float(state, running, (op, format), dst, [a, b])?,
                }
            }
            &Extended::WideFloatUnary { op, format, dst, src } => {
                let bits = format.bits();
                match self.wide_word(running, src, bits) {
                    Some(x) => self.set_wide_word(running, dst, bits, floats::wide_unary(op, format, x)),
                    None => self.symbolic_float_unary(running, op, format, dst, src),
                }
            }
            &Extended::WideFloatCompare { predicate, format, dst, a, b } => {
                let bits = format.bits();
                match (self.wide_word(running, a, bits), self.wide_word(running, b, bits)) {
                    (Some(x), Some(y)) => {
                        running.set_word(dst, floats::wide_compare(predicate, format, x, y).into());
                    }
                    _ => self.symbolic_float_compare(running, predicate, format, dst, [a, b]),
                }
            }
            &Extended::FloatCast { cast, dst, src } => {
                let (from, to) = match cast {
                    FloatCast::Convert { from, to } => (from.bits(), to.bits()),
                    FloatCast::ToInteger { from, bits, .. } => (from.bits(), bits),
                    FloatCast::FromInteger { bits, to, .. } => (bits, to.bits()),
                };
                if from > 128 || to > 128 {
                    return Err(Stop::unsupported("conversion between floats and integers of over 128 bits"));
                }
                match self.wide_word(running, src, from) {
                    Some(x) if floats::fits(cast, x) => {
                        self.set_wide_word(running, dst, to, floats::convert(cast, x));
                    }
                    Some(_) => {
                        let reason = PoisonReason::FloatToInteger;
                        let lost = self.undefined_term(running.thread, running.span(), to, reason);
                        self.set_wide(running, dst, to, lost);
                    }
                    None => self.symbolic_float_cast(state, running, cast, dst, src)?,
                }
            }
            &Extended::FloatMultiplyAdd { format, fused, dst, a, b, c } => {
                let bits = format.bits();
                let [x, y, z] = [a, b, c].map(|operand| self.wide_word(running, operand, bits));
                match (x, y, z) {
                    (Some(x), Some(y), Some(z)) => {
                        let result = floats::multiply_add(format, fused, x, y, z);
                        self.set_wide_word(running, dst, bits, result);
                    }
                    _ => self.symbolic_multiply_add(running, format, fused, dst, [a, b, c]),
                }
            }
            &Extended::SelectRun { dst, cond, a, b, count } => match running.word(cond) {
                Some(cond) => {
                    let from = if cond & 1 == 1 { a } else { b };
                    for slot in 0..count {
                        let value = running.value(from.offset(slot));
                        running.frame.set(dst + slot, value);
                    }
                }
                None => {
                    for slot in 0..count {
                        let value = self.symbolic_select(running, cond, [a.offset(slot), b.offset(slot)]);
                        running.frame.set(dst + slot, value);
                    }
                }
            },
            &Extended::ExtractElement { dst, vector, index, width, lanes } => {
                self.extract_element(running, dst, [vector, index], width, lanes);
            }
            &Extended::InsertElement { dst, vector, element, index, width, lanes } => {
                self.insert_element(running, dst, [vector, element, index], width, lanes);
            }
            Extended::AtomicLoad { .. }
            | Extended::AtomicStore { .. }
            | Extended::AtomicRmw { .. }
            | Extended::CompareExchange { .. }
            | Extended::Fence { .. } => self.atomic(state, running, index)?,
            &Extended::MemoryCopy { to, from, size, .. } => {
                let (to, from, size) = (running.value(to), running.value(from), running.value(size));
                let least = self.least_extent(state, size)?;
                if least > 0 {
                    let to = self.fixed_address(state, to, least)?;
                    let from = self.fixed_address(state, from, least)?;
                    let size = self.extent(state, size, &[to, from])?;
                    self.copy_instruction(state, running, to, from, size)?;
                }
            }
            &Extended::MemorySet { to, value, size } => {
                let (to, value, size) = (running.value(to), running.value(value), running.value(size));
                let least = self.least_extent(state, size)?;
                if least > 0 {
                    let to = self.fixed_address(state, to, least)?;
                    let size = self.extent(state, size, &[to])?;
                    self.fill_instruction(state, running, to, value, size)?;
                }
            }
            &Extended::Bits { op, bits, partial, dst, src } => {
                let result = self.bit_operation(state, running, (op, bits), partial, src)?;
                running.frame.set(dst, result);
            }
            &Extended::Minmax { op, bits, dst, a, b } => {
                let result = self.minimum_or_maximum(state, running, (op, bits), [a, b])?;
                running.frame.set(dst, result);
            }
            &Extended::WithOverflow { op, signed, bits, dst, a, b } => {
                self.with_overflow(running, (op, signed), bits, dst, [a, b]);
            }
            &Extended::FunnelShift { left, bits, dst, high, low, shift } => {
                self.funnel_shift(running, left, bits, dst, [high, low, shift]);
            }
            &Extended::ThreadLocalAddress { dst, global } => {
                let template = running.bits(global);
                let address = self.thread_local(state, running, template)?;
                running.set_word(dst, address);
            }
            &Extended::VariadicStart { list } => self.variadic_start(state, running, list)?,
            &Extended::VariadicCopy { to, from } => {
                let (to, from) = (self.number(state, running, to)?, self.number(state, running, from)?);
                self.copy_memory(state, to, from, 24)?;
            }
            Extended::VariadicEnd => {}
            &Extended::StackSave { dst } => {
                let depth = running.frame.allocas.len() as u64;
                running.set_word(dst, depth);
            }
            &Extended::StackRestore { token } => {
                let depth = running.bits(token) as usize;
                self.end_block(state, running, depth)?;
            }
            &Extended::Lifetime { start, address } => {
                let address = self.number(state, running, address)?;
                match start {
                    true => self.begin_scope(state, address),
                    false => self.end_scope(state, running, address)?,
                }
            }
            &Extended::Assume { cond } => {
                let cond = running.value(cond);
                if !self.decide(state, cond)? {
                    let message = "the condition of llvm.assume does not hold";
                    return Err(Fault::new(FailureKind::Abort, FailureDetail::Assume, message).into());
                }
            }
            Extended::Trap => {
                return Err(Fault::new(
                    FailureKind::Abort,
                    FailureDetail::Trap,
                    "abort called (trap instruction)",
                )
                .into());
            }
            &Extended::FrameAddress { dst, return_address: true, .. } => running.set_word(dst, 0),
            &Extended::FrameAddress { dst, level, .. } => {
                let address = self.frame_address(state, running, level);
                running.set_word(dst, address);
            }
            &Extended::CycleCounter { dst } => {
                let recorded = match running.function.in_program {
                    true => self.machine.environment.recorded_time_stamp(state, running.thread),
                    false => None,
                };
                let passed = state.thread(running.thread).instructions + u64::from(running.frame.pc);
                running.set_word(dst, recorded.unwrap_or(passed));
                self.counters.time_stamps += 1;
            }
            &Extended::LabelPosition { dst, address, labels, count } => {
                let address = self.number(state, running, address)?;
                let found = (0..count).find(|label| running.bits(labels.offset(*label)) == address);
                let Some(position) = found else {
                    let message =
                        format!("goto to address {address:#x}, which is no label that it may lead to");
                    return Err(Fault::new(FailureKind::Memory, FailureDetail::WildGoto, message).into());
                };
                running.set_word(dst, position.into());
            }
            &Extended::Undefined { bits, dst } => {
                let value = self.undefined(running.thread, running.span(), bits, PoisonReason::NeverGiven);
                running.frame.set(dst, value);
            }
            Extended::Unsupported { what } => return Err(Stop::unsupported(what.clone())),
            Extended::LandingPad { .. } => {
                return Err(Stop::unsupported("a landing pad that is entered without an exception"));
            }
            &Extended::TypeSelector { dst, of } => {
                let of = running.bits(of);
                running.set_word(dst, type_selector(of).into());
            }
        }
        Ok(())
    }

    /// Address of the running thread's copy of a thread-local variable, made at its first use.
    fn thread_local(
        &mut self,
        state: &mut State<E>,
        running: &Running<'_>,
        template: u64,
    ) -> Result<u64, Stop> {
        let Some(cell) = Cell::of(template) else {
            return Err(Stop::unsupported("a thread-local variable without a template"));
        };
        if let Some(address) = state.thread(running.thread).thread_locals.get(&cell.0) {
            return Ok(*address);
        }
        let (_, object) = self.locate(state, template, 0, Purpose::Read)?;
        let SiteKind::ThreadLocal(number) = object.site.kind() else {
            return Err(Stop::unsupported("the address of a thread-local variable taken as a constant"));
        };
        let global = &self.machine.program.globals[number as usize];
        let mut bytes = vec![0; object.size as usize];
        object.copy_out(0, &mut bytes);
        let site = Site::new(SiteKind::ThreadLocal(number));
        let origin = Origin { thread: running.thread, span: running.span() };
        let address = (state.memory)
            .allocate(bytes.len() as u64, global.align_log2, site, origin, Contents::Zeros)
            .map_err(|_| Stop::unsupported("the address space is full"))?;
        let copy = Cell::of(address).expect("objects lie in cells");
        let object = state.memory.get_mut(copy).expect("just made");
        debug_assert_eq!(object.life, Life::Live);
        object.copy_in(0, &bytes);
        state.thread_mut(running.thread).thread_locals.insert(cell.0, address);
        Ok(address)
    }
}
