//! LLVM's intrinsic functions, by name.

mod classify;
mod constrained;
mod extremum;
mod floats;
mod integers;
mod jumps;
mod masked;
mod object_size;
mod reduce;
mod results;
mod sse_floats;
mod sse_integers;
mod wide;

use super::Builder;
use crate::llvm::{TypeKind, Value};
use crate::shape::scalar_bits;
use crate::unsupported::{Translated, unsupported};
use symx_ir::instruction::{AtomicOrdering, BinaryOp, Extended};
use symx_ir::{Inst, Operand};

/// The name without `llvm.` and the overload suffixes: `llvm.memcpy.p0.p0.i64` is `memcpy`.
fn base_name(full: &str) -> &str {
    let mut name = full.strip_prefix("llvm.").unwrap_or(full);
    while let Some((front, suffix)) = name.rsplit_once('.') {
        if !is_type_suffix(suffix) {
            break;
        }
        name = front;
    }
    name
}

fn is_type_suffix(suffix: &str) -> bool {
    let letters = suffix.trim_end_matches(|character: char| character.is_ascii_digit());
    let is_vector = suffix.starts_with('v') && suffix[1..].starts_with(|first: char| first.is_ascii_digit());
    suffix == "bf16" || is_vector || (letters.len() < suffix.len() && matches!(letters, "p" | "i" | "f"))
}

impl<'m> Builder<'_, 'm> {
    /// For an intrinsic whose result is its first argument: that argument.
    pub(in crate::function) fn renaming_intrinsic(&self, call: Value<'m>) -> Option<Value<'m>> {
        if !call.callee().is_intrinsic() {
            return None;
        }
        let name = call.callee().name();
        let renames = matches!(
            base_name(&name),
            "expect"
                | "expect.with.probability"
                | "launder.invariant.group"
                | "strip.invariant.group"
                | "ssa.copy"
                | "annotation"
                | "ptr.annotation"
                | "arithmetic.fence"
        );
        renames.then(|| call.operand(0))
    }

    pub(in crate::function) fn intrinsic(&mut self, call: Value<'m>) -> Translated<()> {
        let full = call.callee().name();
        let name = base_name(&full);
        if self.renamed(call).is_some() {
            // An intrinsic that is invoked keeps its own slots.
            return Ok(());
        }
        let translated = self.integer_intrinsic(call, name)?
            || self.float_intrinsic(call, name)?
            || self.constrained_intrinsic(call, name)?
            || self.reduction(call, name)?
            || self.masked_intrinsic(call, name)?
            || self.memory_intrinsic(call, name)?
            || self.machine_intrinsic(call, name)?
            || self.sse_intrinsic(call, name)?;
        if translated { Ok(()) } else { unsupported(full) }
    }

    /// Instructions of SSE and SSE2 that have no name of LLVM's own.
    fn sse_intrinsic(&mut self, call: Value<'m>, name: &str) -> Translated<bool> {
        let Some(name) = name.strip_prefix("x86.sse2.").or_else(|| name.strip_prefix("x86.sse.")) else {
            return Ok(false);
        };
        Ok(self.sse_integers(call, name)? || self.sse_floats(call, name)?)
    }

    fn machine_intrinsic(&mut self, call: Value<'m>, name: &str) -> Translated<bool> {
        match name {
            "dbg.declare"
            | "dbg.value"
            | "dbg.assign"
            | "dbg.label"
            | "experimental.noalias.scope.decl"
            | "var.annotation"
            | "codeview.annotation"
            | "invariant.start"
            | "invariant.end"
            | "sideeffect"
            | "pseudoprobe"
            | "donothing"
            | "fake.use"
            | "prefetch"
            | "clear_cache"
            | "x86.sse2.pause" => {}
            // Only operand bundles then say something, for optimisers.
            "assume" if self.literal(call.operand(0)) == Some(1) => {}
            "assume" => {
                let cond = self.operand(call.operand(0))?;
                self.extended(Extended::Assume { cond });
            }
            "va_start" => {
                let list = self.operand(call.operand(0))?;
                self.extended(Extended::VariadicStart { list });
            }
            "va_copy" => {
                let (to, from) = (self.operand(call.operand(0))?, self.operand(call.operand(1))?);
                self.extended(Extended::VariadicCopy { to, from });
            }
            "va_end" => self.extended(Extended::VariadicEnd),
            "eh.typeid.for" => self.type_selector(call)?,
            "trap" | "debugtrap" | "ubsantrap" => self.extended(Extended::Trap),
            "threadlocal.address" => {
                let symbol = self.source.symbol(call.operand(0))?;
                let (dst, global) = (self.result(call)?, self.symbol_address(symbol));
                self.extended(Extended::ThreadLocalAddress { dst, global });
            }
            "frameaddress" | "returnaddress" => {
                let level = self.literal(call.operand(0)).unwrap_or(0) as u32;
                let dst = self.result(call)?;
                self.extended(Extended::FrameAddress { dst, return_address: name == "returnaddress", level });
            }
            "thread.pointer" => {
                let (dst, src) = (self.result(call)?, self.thread_pointer());
                self.copy(dst, src, 1);
            }
            "is.constant" => self.set(call, Self::is_manifest(call.operand(0)).into())?,
            "objectsize" => self.object_size(call)?,
            "readcyclecounter" | "readsteadycounter" | "x86.rdtsc" => {
                let dst = self.result(call)?;
                self.extended(Extended::CycleCounter { dst });
            }
            // It says on which processor, too: on the first.
            "x86.rdtscp" => {
                let (dst, first) = (self.result(call)?, self.number(0));
                self.extended(Extended::CycleCounter { dst });
                self.copy(dst + 1, first, 1);
            }
            "eh.sjlj.setjmp" => self.save_point(call)?,
            "eh.sjlj.longjmp" => self.jump_back(call)?,
            // There is one rounding mode: to nearest.
            "get.rounding" => self.set(call, 1)?,
            "load.relative" => self.load_relative(call)?,
            // x86 keeps loads and stores in order except past the store buffer, which only `mfence` drains.
            // The weaker two are fences all the same for models weaker than x86.
            "x86.sse2.mfence" => self.machine_fence(AtomicOrdering::SequentiallyConsistent),
            "x86.sse2.lfence" => self.machine_fence(AtomicOrdering::Acquire),
            "x86.sse.sfence" => self.machine_fence(AtomicOrdering::Release),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Copies and fills of memory, lifetimes of stack objects, the stack, and pointers as numbers.
    fn memory_intrinsic(&mut self, call: Value<'m>, name: &str) -> Translated<bool> {
        match name {
            "memcpy" | "memcpy.inline" | "memmove" => {
                let (to, from) = (self.operand(call.operand(0))?, self.operand(call.operand(1))?);
                let size = self.word(call.operand(2))?;
                let overlap_allowed = name == "memmove";
                self.extended(Extended::MemoryCopy { overlap_allowed, to, from, size });
            }
            "memset" | "memset.inline" => {
                let (to, value) = (self.operand(call.operand(0))?, self.operand(call.operand(1))?);
                let size = self.word(call.operand(2))?;
                self.extended(Extended::MemorySet { to, value, size });
            }
            "lifetime.start" | "lifetime.end" => {
                let pointer = call.operand(call.arguments().len() as u32 - 1);
                if !pointer.is_undefined() {
                    let address = self.operand(pointer)?;
                    self.extended(Extended::Lifetime { start: name == "lifetime.start", address });
                }
            }
            "stacksave" => {
                let dst = self.result(call)?;
                self.extended(Extended::StackSave { dst });
            }
            "stackrestore" => {
                let token = self.operand(call.operand(0))?;
                self.extended(Extended::StackRestore { token });
            }
            "ptrmask" => {
                let (dst, a) = (self.result(call)?, self.operand(call.operand(0))?);
                let b = self.word(call.operand(1))?;
                if call.type_of().kind() != TypeKind::LLVMPointerTypeKind {
                    return Ok(false);
                }
                self.emit(Inst::Binary { op: BinaryOp::And, bits: 64, flags: 0, dst, a, b });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// An address out of a table of 32-bit distances from its own start.
    fn load_relative(&mut self, call: Value<'m>) -> Translated<()> {
        let base = self.operand(call.operand(0))?;
        let at = self.word(call.operand(1))?;
        let (address, distance) = (self.fresh(1), self.fresh(1));
        let (index_bits, scale) = (scalar_bits(call.operand(1).type_of())? as u8, 1);
        self.emit(Inst::PointerIndex { index_bits, scale, dst: address, base, index: at });
        let address = Operand::slot(address);
        self.emit(Inst::Load { bits: 32, volatile: false, align_log2: 2, dst: distance, address });
        let (dst, index) = (self.result(call)?, Operand::slot(distance));
        self.emit(Inst::PointerIndex { index_bits: 32, scale, dst, base, index });
        Ok(())
    }

    fn machine_fence(&mut self, ordering: AtomicOrdering) {
        self.extended(Extended::Fence { ordering, single_thread: false });
    }

    /// Gives the result of `call`, of one slot, a fixed value.
    fn set(&mut self, call: Value<'m>, bits: u64) -> Translated<()> {
        let (dst, src) = (self.result(call)?, self.number(bits));
        self.copy(dst, src, 1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::base_name;

    #[test]
    fn overload_suffixes_are_dropped() {
        for (full, base) in [
            ("llvm.memcpy.p0.p0.i64", "memcpy"),
            ("llvm.umul.with.overflow.i64", "umul.with.overflow"),
            ("llvm.vector.reduce.add.v4i32", "vector.reduce.add"),
            ("llvm.x86.sse2.pause", "x86.sse2.pause"),
            ("llvm.fptosi.sat.i32.f64", "fptosi.sat"),
            ("llvm.fabs.bf16", "fabs"),
            ("llvm.exp2.f80", "exp2"),
            ("llvm.va_start.p0", "va_start"),
            ("llvm.trap", "trap"),
        ] {
            assert_eq!(base_name(full), base);
        }
    }
}
