//! Constants as pool entries: exact bits, or addresses relative to symbols.
//!
//! `undef` and `poison` are zero bits.

use crate::llvm::{Opcode, Type, TypeKind, Value, ValueKind};
use crate::shape::{scalar_bits, slots};
use crate::source::Source;
use crate::unsupported::{Translated, unsupported};
use symx_ir::{Constant, SymbolId};

/// The value of a constant expression: a symbol's address less another's, plus a number.
#[derive(Clone, Copy, Default, Debug)]
struct Affine {
    plus: Option<SymbolId>,
    minus: Option<SymbolId>,
    offset: i64,
}

impl Affine {
    fn add(self, other: Affine) -> Option<Affine> {
        let (mut plus, mut minus) = (merge(self.plus, other.plus)?, merge(self.minus, other.minus)?);
        if plus.is_some() && plus == minus {
            (plus, minus) = (None, None);
        }
        Some(Affine { plus, minus, offset: self.offset.wrapping_add(other.offset) })
    }

    fn negate(self) -> Affine {
        Affine { plus: self.minus, minus: self.plus, offset: self.offset.wrapping_neg() }
    }

    fn is_number(self) -> bool {
        self.plus.is_none() && self.minus.is_none()
    }

    /// The low `bits` of a number, zero-extended.
    fn number(self, bits: u32) -> u64 {
        self.offset as u64 & mask(bits)
    }
}

fn merge(a: Option<SymbolId>, b: Option<SymbolId>) -> Option<Option<SymbolId>> {
    match (a, b) {
        (Some(_), Some(_)) => None,
        (a, b) => Some(a.or(b)),
    }
}

/// A word with the low `bits` (1 to 64) set.
pub fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

impl<'m> Source<'m> {
    /// Appends the pool entries of `value`, one a slot.
    pub fn constant(&self, value: Value<'m>, out: &mut Vec<Constant>) -> Translated<()> {
        let of = value.type_of();
        let kind = value.kind();
        let is_zero = matches!(
            kind,
            ValueKind::LLVMConstantAggregateZeroValueKind | ValueKind::LLVMConstantPointerNullValueKind
        );
        if is_zero || value.is_undefined() {
            let shape = self.shape(of)?;
            out.extend(shape.pieces.iter().map(|_| Constant::Bits(0)));
            return Ok(());
        }
        if is_composite(of) {
            self.shape(of)?;
            for index in 0..of.length() as u32 {
                let Some(element) = value.element(index) else {
                    return unsupported(format!("the constant {}", value.print()));
                };
                self.constant(element, out)?;
            }
            return Ok(());
        }
        let bits = scalar_bits(of)?;
        match kind {
            ValueKind::LLVMConstantFPValueKind => {
                let integer = value.reinterpret(self.parsed.integer_type(bits));
                self.constant(integer, out)
            }
            ValueKind::LLVMConstantIntValueKind => {
                out.extend(integer_words(value, bits)?.into_iter().map(Constant::Bits));
                Ok(())
            }
            _ if bits > 64 => unsupported(format!("the constant {}", value.print())),
            _ => {
                let constant = self.address_constant(value, bits)?;
                if bits != 64 && !matches!(constant, Constant::Bits(_)) {
                    return unsupported(format!("the truncated address {}", value.print()));
                }
                out.push(constant);
                Ok(())
            }
        }
    }

    /// The value of a scalar constant of `bits` (at most 64); addresses are not truncated.
    pub fn address_constant(&self, value: Value<'m>, bits: u32) -> Translated<Constant> {
        let affine = self.affine(value)?;
        match (affine.plus, affine.minus) {
            (None, None) => Ok(Constant::Bits(affine.number(bits))),
            (Some(symbol), None) => Ok(Constant::Address(symbol, affine.offset)),
            (Some(left), Some(right)) => Ok(Constant::Difference(left, right, affine.offset)),
            (None, Some(_)) => unsupported(format!("the constant {}", value.print())),
        }
    }

    fn affine(&self, value: Value<'m>) -> Translated<Affine> {
        match value.kind() {
            ValueKind::LLVMConstantIntValueKind => {
                let bits = value.type_of().integer_bits();
                if bits > 64 {
                    return unsupported(format!("the constant {}", value.print()));
                }
                let shift = 64 - bits;
                Ok(Affine { offset: ((value.low_bits() << shift) as i64) >> shift, ..Affine::default() })
            }
            ValueKind::LLVMConstantPointerNullValueKind => Ok(Affine::default()),
            ValueKind::LLVMFunctionValueKind
            | ValueKind::LLVMGlobalAliasValueKind
            | ValueKind::LLVMGlobalVariableValueKind => {
                if self.is_thread_local(value) {
                    // The address is no constant; instructions that use it plainly compute it.
                    return unsupported(format!("a constant made from the thread-local `{}`", value.name()));
                }
                Ok(Affine { plus: Some(self.symbol(value)?), ..Affine::default() })
            }
            ValueKind::LLVMConstantExprValueKind => self.affine_expression(value),
            _ if value.is_undefined() => Ok(Affine::default()),
            ValueKind::LLVMBlockAddressValueKind => {
                let (function, block) = value.label();
                let (symbol, offset) = self.label(function, block)?;
                Ok(Affine { plus: Some(symbol), minus: None, offset })
            }
            ValueKind::LLVMGlobalIFuncValueKind => {
                unsupported(format!("the indirect function `{}`", value.name()))
            }
            _ => unsupported(format!("the constant {}", value.print())),
        }
    }

    fn affine_expression(&self, value: Value<'m>) -> Translated<Affine> {
        let cannot = || unsupported(format!("the constant {}", value.print()));
        let opcode = value.constant_opcode();
        let inner = self.affine(value.operand(0))?;
        match opcode {
            Opcode::LLVMGetElementPtr => {
                let sum = self.distance(value)?.and_then(|distance| inner.add(distance));
                sum.map_or_else(cannot, Ok)
            }
            Opcode::LLVMPtrToInt | Opcode::LLVMPtrToAddr | Opcode::LLVMTrunc => Ok(inner),
            Opcode::LLVMIntToPtr => {
                let bits = scalar_bits(value.operand(0).type_of())?;
                match bits {
                    64 => Ok(inner),
                    _ if bits < 64 && inner.is_number() => {
                        Ok(Affine { offset: inner.number(bits) as i64, ..inner })
                    }
                    _ => cannot(),
                }
            }
            Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast if !is_composite(value.operand(0).type_of()) => {
                Ok(inner)
            }
            Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMXor => {
                let right = self.affine(value.operand(1))?;
                let joined = match opcode {
                    Opcode::LLVMAdd => inner.add(right),
                    Opcode::LLVMSub => inner.add(right.negate()),
                    _ if inner.is_number() && right.is_number() => {
                        Some(Affine { offset: inner.offset ^ right.offset, ..inner })
                    }
                    _ => None,
                };
                joined.map_or_else(cannot, Ok)
            }
            _ => cannot(),
        }
    }

    /// Bytes that the constant indices of a `getelementptr` add up to; `None` if one is not a plain number.
    pub fn constant_offset(&self, pointer: Value<'m>) -> Translated<Option<i64>> {
        let is_number = |index: u32| pointer.operand(index).kind() == ValueKind::LLVMConstantIntValueKind;
        if !(1..pointer.operand_count()).all(is_number) {
            return Ok(None);
        }
        let distance = self.distance(pointer)?;
        Ok(distance.filter(|distance| distance.is_number()).map(|distance| distance.offset))
    }

    /// The sum of the constant indices of a `getelementptr`; `None` where that is no constant of the pool's.
    /// An index may be an address where elements are bytes.
    fn distance(&self, pointer: Value<'m>) -> Translated<Option<Affine>> {
        let mut sum = Affine::default();
        let mut stepper = Stepper::new(pointer.stepped_type());
        for operand in 1..pointer.operand_count() {
            let index = pointer.operand(operand);
            let of = index.type_of();
            if of.kind() != TypeKind::LLVMIntegerTypeKind {
                return Ok(None);
            }
            let index = self.affine(index)?;
            let step = match stepper.step(self, index.offset as u32) {
                Step::Field(bytes) => Affine { offset: bytes as i64, ..Affine::default() },
                Step::Elements(1) if of.integer_bits() == 64 => index,
                Step::Elements(scale) if index.is_number() => {
                    Affine { offset: index.offset.wrapping_mul(scale as i64), ..index }
                }
                Step::Elements(_) => return Ok(None),
            };
            let Some(next) = sum.add(step) else { return Ok(None) };
            sum = next;
        }
        Ok(Some(sum))
    }

    /// Whether a global's address differs by thread: a thread-local variable or an alias of one.
    pub fn is_thread_local(&self, value: Value<'m>) -> bool {
        let mut at = value;
        loop {
            at = match at.kind() {
                ValueKind::LLVMGlobalVariableValueKind => return at.is_thread_local(),
                ValueKind::LLVMGlobalAliasValueKind => at.aliasee(),
                ValueKind::LLVMConstantExprValueKind => at.operand(0),
                _ => return false,
            };
        }
    }

    /// For the constant address of (a part of) a thread-local variable: the variable and
    /// the distance in bytes.
    pub fn thread_local_address(&self, mut value: Value<'m>) -> Translated<Option<(Value<'m>, i64)>> {
        let mut offset = 0i64;
        if !self.is_thread_local(value) {
            return Ok(None);
        }
        while value.kind() == ValueKind::LLVMConstantExprValueKind {
            match value.constant_opcode() {
                Opcode::LLVMGetElementPtr => match self.constant_offset(value)? {
                    Some(bytes) => offset = offset.wrapping_add(bytes),
                    None => return unsupported(format!("the constant {}", value.print())),
                },
                Opcode::LLVMAddrSpaceCast => {}
                _ => return unsupported(format!("the constant {}", value.print())),
            }
            value = value.operand(0);
        }
        Ok(Some((value, offset)))
    }
}

/// The effect of one index of a `getelementptr`.
pub enum Step {
    /// Adds this many bytes: the index picks a field.
    Field(u64),
    /// Adds the index times this many bytes.
    Elements(u64),
}

/// Walks the types that a `getelementptr` steps through.
pub struct Stepper<'m> {
    at: Type<'m>,
    first: bool,
}

impl<'m> Stepper<'m> {
    /// Starts at the type that the instruction names.
    pub fn new(at: Type<'m>) -> Self {
        Self { at, first: true }
    }

    /// Takes one step; `field` is the index if it is constant (it must be for structs).
    pub fn step(&mut self, source: &Source<'m>, field: u32) -> Step {
        if std::mem::take(&mut self.first) {
            return Step::Elements(source.layout.allocated_size(self.at));
        }
        if self.at.kind() == TypeKind::LLVMStructTypeKind {
            let offset = source.layout.field_offset(self.at, field);
            self.at = self.at.field(field);
            return Step::Field(offset);
        }
        self.at = self.at.element();
        Step::Elements(source.layout.allocated_size(self.at))
    }
}

/// Whether a type's values consist of elements.
pub fn is_composite(of: Type<'_>) -> bool {
    matches!(
        of.kind(),
        TypeKind::LLVMStructTypeKind | TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind
    )
}

/// The words of an integer constant, least significant first.
fn integer_words(value: Value<'_>, bits: u32) -> Translated<Vec<u64>> {
    if bits <= 64 {
        return Ok(vec![value.low_bits()]);
    }
    // LLVM's C interface hands out only the low word; the printed form (`i128 -5`) is exact.
    let printed = value.print();
    let digits = printed.rsplit(' ').next().unwrap_or_default();
    let (negative, digits) = match digits.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, digits),
    };
    let mut words = vec![0u64; slots(bits) as usize];
    for digit in digits.bytes() {
        if !digit.is_ascii_digit() {
            return unsupported(format!("the constant {printed}"));
        }
        let mut carry = u64::from(digit - b'0');
        for word in &mut words {
            let product = u128::from(*word) * 10 + u128::from(carry);
            *word = product as u64;
            carry = (product >> 64) as u64;
        }
    }
    if negative {
        let mut carry = true;
        for word in &mut words {
            (*word, carry) = (!*word).overflowing_add(u64::from(carry));
        }
    }
    if let (Some(top), 1..) = (words.last_mut(), bits % 64) {
        *top &= mask(bits % 64);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_cancel_and_combine() {
        let (a, b) = (SymbolId(1), SymbolId(2));
        let of = |plus, minus, offset| Affine { plus, minus, offset };
        let sum = of(Some(a), None, 8).add(of(Some(b), None, 3).negate()).unwrap();
        assert_eq!((sum.plus, sum.minus, sum.offset), (Some(a), Some(b), 5));
        let zero = of(Some(a), None, 8).add(of(Some(a), None, 8).negate()).unwrap();
        assert!(zero.is_number());
        assert!(of(Some(a), None, 0).add(of(Some(b), None, 0)).is_none());
    }
}
