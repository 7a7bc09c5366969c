//! Registers of which nothing matters but how they compare with constants.
//!
//! The count of owners of a shared object is such a register, as an atomic update finds it. A thread that
//! takes an owner away asks whether it was the last. One that adds an owner asks whether there are too many.

use crate::function::Function;
use crate::instruction::{Inst, Operand, Predicate, Slot};
use crate::program::LinkedFunction;
use crate::registers::{has_known_operands, reads};

/// A comparison of a register with a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// What is asked.
    pub predicate: Predicate,
    /// Width of both in bits (1 to 64).
    pub bits: u8,
    /// The constant.
    pub constant: u64,
    /// Whether the register is on the left.
    pub is_left: bool,
}

/// The comparisons in which the register `slot` is read, and those that phi nodes give its value, where
/// nothing else reads them. `None` if something does or may, or only part of it is compared.
pub fn only_compared(function: &LinkedFunction, slot: Slot, bits: u8) -> Option<Vec<Comparison>> {
    if function.saves_points || !function.extended.iter().all(has_known_operands) {
        return None;
    }
    let mut carriers = vec![slot];
    let mut comparisons = Vec::new();
    let mut at = 0;
    while let Some(carrier) = carriers.get(at).copied() {
        for inst in function.code.iter().filter(|inst| is_read_by(function, inst, carrier)) {
            comparisons.push(comparison(function, inst, carrier).filter(|found| found.bits == bits)?);
        }
        let moves = function.moves.iter().filter(|step| step.src == Operand::slot(carrier));
        for step in moves {
            if !carriers.contains(&step.dst) {
                carriers.push(step.dst);
            }
        }
        at += 1;
    }
    Some(comparisons)
}

fn is_read_by(function: &Function, inst: &Inst, slot: Slot) -> bool {
    let mut is_read = false;
    reads(function, inst, |first, count| is_read |= (first..first + count).contains(&slot));
    is_read
}

fn comparison(function: &LinkedFunction, inst: &Inst, slot: Slot) -> Option<Comparison> {
    let (Inst::Compare { predicate, bits, a, b, .. } | Inst::CompareBranch { predicate, bits, a, b, .. }) =
        *inst
    else {
        return None;
    };
    let constant = |operand: Operand| operand.is_constant().then(|| function.constants[operand.index()]);
    let (is_left, constant) =
        if a == Operand::slot(slot) { (true, constant(b)?) } else { (false, constant(a)?) };
    Some(Comparison { predicate, bits, constant, is_left })
}

impl Comparison {
    /// Whether the answer is the same for `number`, for all down to `below` less and up to `above` more.
    /// Never if one of these has another sign or no place in the width: the sum would begin again.
    pub fn is_alike(&self, number: u64, below: u64, above: u64) -> bool {
        let is_signed =
            !matches!(self.predicate, Predicate::Ult | Predicate::Ule | Predicate::Ugt | Predicate::Uge);
        let unused = 64 - u32::from(self.bits);
        let read = |number: u64| match is_signed {
            true => i128::from((number << unused) as i64 >> unused),
            false => i128::from(number << unused >> unused),
        };
        let (number, constant) = (read(number), read(self.constant));
        let (least, most) = (number - i128::from(below), number + i128::from(above));
        let (first, last) = match is_signed {
            true => (i128::from(i64::MIN >> unused), i128::from(i64::MAX >> unused)),
            false => (0, i128::from(u64::MAX >> unused)),
        };
        let answer = |number: i128| match self.is_left {
            true => self.predicate.holds(number, constant),
            false => self.predicate.holds(constant, number),
        };
        let is_met_between =
            matches!(self.predicate, Predicate::Eq | Predicate::Ne) && least < constant && constant < most;
        first <= least && most <= last && !is_met_between && answer(least) == answer(most)
    }
}

impl Predicate {
    /// Whether it holds between two numbers, whose signs are known.
    fn holds(self, a: i128, b: i128) -> bool {
        match self {
            Self::Eq => a == b,
            Self::Ne => a != b,
            Self::Ult | Self::Slt => a < b,
            Self::Ule | Self::Sle => a <= b,
            Self::Ugt | Self::Sgt => a > b,
            Self::Uge | Self::Sge => a >= b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(predicate: Predicate, bits: u8, constant: u64) -> Comparison {
        Comparison { predicate, bits, constant, is_left: true }
    }

    #[test]
    fn whether_it_is_the_last_owner() {
        let is_last = asks(Predicate::Eq, 64, 1);
        assert!(is_last.is_alike(4, 2, 0));
        assert!(!is_last.is_alike(3, 2, 0));
        assert!(is_last.is_alike(1, 0, 0));
        assert!(!is_last.is_alike(2, 2, 0), "1 lies between");
        assert!(!is_last.is_alike(4, 5, 0), "it would begin again");
    }

    #[test]
    fn whether_there_are_too_many() {
        let too_many = asks(Predicate::Slt, 64, 0);
        assert!(too_many.is_alike(5, 3, 9));
        assert!(!too_many.is_alike(2, 3, 0));
        assert!(!asks(Predicate::Ult, 32, 7).is_alike(6, 0, 1));
        let from_the_right = Comparison { is_left: false, ..asks(Predicate::Ugt, 32, 7) };
        assert!(from_the_right.is_alike(3, 3, 3) && !from_the_right.is_alike(3, 3, 4));
        assert!(!asks(Predicate::Ugt, 8, 250).is_alike(253, 0, 3));
    }
}
