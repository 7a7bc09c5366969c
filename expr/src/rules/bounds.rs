//! Syntactic facts about a term's value: low bits that are known, and bounds.
//!
//! Both look at a limited number of nodes and ask no solver. They narrow where an address can point:
//! imprecision costs a little there, and unsoundness is not allowed.

use crate::node::{BinaryOperator, Node, Term};
use crate::pool::Terms;
use crate::values::word;

/// How many nodes are looked at.
const FUEL: u32 = 64;

/// The lowest `count` bits of a value: these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LowBits {
    /// How many bits are known, at most 64.
    pub count: u32,
    /// The bits; no bit above them is set.
    pub value: u64,
}

impl LowBits {
    fn new(count: u32, value: u64) -> Self {
        let count = count.min(64);
        LowBits { count, value: if count == 0 { 0 } else { value & word::mask(count) } }
    }
}

impl Terms {
    /// The low bits of a term that are the same whatever its symbols are.
    pub fn low_bits(&self, term: Term) -> LowBits {
        self.low_bits_within(term, &mut FUEL.clone())
    }

    fn low_bits_within(&self, term: Term, fuel: &mut u32) -> LowBits {
        let none = LowBits::new(0, 0);
        if *fuel == 0 {
            return none;
        }
        *fuel -= 1;
        let mut of = |term| self.low_bits_within(term, fuel);
        match *self.node(term) {
            Node::Constant { width, value } => LowBits::new(width, value),
            Node::Binary { operator, width, left, right } => {
                use BinaryOperator::*;
                let combined = |a: LowBits, b: LowBits, combine: fn(u64, u64) -> u64| {
                    LowBits::new(a.count.min(b.count), combine(a.value, b.value))
                };
                match operator {
                    Add => combined(of(left), of(right), u64::wrapping_add),
                    Subtract => combined(of(left), of(right), u64::wrapping_sub),
                    Or => combined(of(left), of(right), |a, b| a | b),
                    Xor => combined(of(left), of(right), |a, b| a ^ b),
                    And => match self.as_constant(right) {
                        // Zeros of the mask are known whatever is masked.
                        Some(mask) if of(left).count < mask.trailing_zeros() => {
                            LowBits::new(mask.trailing_zeros().min(width), 0)
                        }
                        _ => combined(of(left), of(right), |a, b| a & b),
                    },
                    Multiply => match self.as_constant(right) {
                        Some(factor) if factor != 0 => {
                            let known = of(left);
                            let count = (known.count + factor.trailing_zeros()).min(width);
                            LowBits::new(count, known.value.wrapping_mul(factor))
                        }
                        _ => none,
                    },
                    ShiftLeft => match self.as_constant(right) {
                        Some(amount) if amount < u64::from(width.min(64)) => {
                            let known = of(left);
                            let count = (known.count + amount as u32).min(width);
                            LowBits::new(count, known.value << amount)
                        }
                        _ => none,
                    },
                    _ => none,
                }
            }
            Node::Concat { high, low, .. } => {
                let (known, cut) = (of(low), self.width(low));
                if known.count < cut || cut >= 64 {
                    return known;
                }
                let above = of(high);
                LowBits::new(cut + above.count, known.value | above.value << cut)
            }
            Node::ZeroExtend { operand, .. } | Node::SignExtend { operand, .. } => of(operand),
            Node::Extract { offset, width, operand } => {
                let known = of(operand);
                let count = known.count.saturating_sub(offset).min(width);
                LowBits::new(count, if count == 0 { 0 } else { known.value >> offset })
            }
            Node::IfThenElse { then, otherwise, .. } => {
                let (a, b) = (of(then), of(otherwise));
                let same = (a.value ^ b.value).trailing_zeros();
                LowBits::new(a.count.min(b.count).min(same), a.value)
            }
            _ => none,
        }
    }

    /// The least and the greatest unsigned value that a term of at most 64 bits shows on its face.
    pub fn unsigned_bounds(&self, term: Term) -> (u64, u64) {
        self.bounds_within(term, &mut FUEL.clone())
    }

    fn bounds_within(&self, term: Term, fuel: &mut u32) -> (u64, u64) {
        let width = self.width(term);
        let all = (0, if width <= 64 { word::mask(width) } else { u64::MAX });
        if *fuel == 0 || width > 64 {
            return all;
        }
        *fuel -= 1;
        let mut of = |term| self.bounds_within(term, fuel);
        match *self.node(term) {
            Node::Constant { value, .. } => (value, value),
            Node::ZeroExtend { operand, .. } => of(operand),
            Node::Extract { offset: 0, operand, .. } if self.width(operand) <= 64 => {
                let (least, most) = of(operand);
                if most <= all.1 { (least, most) } else { all }
            }
            Node::Concat { high, low, .. } => {
                let (high, cut, low) = (of(high), self.width(low), of(low));
                (high.0 << cut | low.0, high.1 << cut | low.1)
            }
            Node::IfThenElse { then, otherwise, .. } => {
                let (a, b) = (of(then), of(otherwise));
                (a.0.min(b.0), a.1.max(b.1))
            }
            Node::Binary { operator, left, right, .. } => {
                use BinaryOperator::*;
                let constant = self.as_constant(right);
                let below = |value: Option<u64>| value.filter(|value| *value <= all.1);
                match (operator, constant) {
                    (Add, _) => {
                        let (a, b) = (of(left), of(right));
                        below(a.1.checked_add(b.1)).map_or(all, |most| (a.0 + b.0, most))
                    }
                    (Multiply, Some(factor)) => {
                        let (least, most) = of(left);
                        below(most.checked_mul(factor)).map_or(all, |most| (least * factor, most))
                    }
                    (ShiftLeft, Some(amount)) if amount < u64::from(width) => {
                        let (least, most) = of(left);
                        below(most.checked_mul(1 << amount)).map_or(all, |most| (least << amount, most))
                    }
                    (LogicalShiftRight, Some(amount)) if amount < u64::from(width) => {
                        let (least, most) = of(left);
                        (least >> amount, most >> amount)
                    }
                    (And, Some(mask)) => (0, of(left).1.min(mask)),
                    (UnsignedRemainder, Some(divisor)) if divisor > 0 => (0, of(left).1.min(divisor - 1)),
                    (UnsignedDivide, Some(divisor)) if divisor > 0 => {
                        let (least, most) = of(left);
                        (least / divisor, most / divisor)
                    }
                    _ => all,
                }
            }
            _ => all,
        }
    }
}
