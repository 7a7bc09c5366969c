//! When arithmetic on symbolic operands breaks a promise of its instruction, so that its result is poison.

use crate::memory::cause::PoisonReason;
use smallvec::SmallVec;
use symx_expr::{BinaryOperator, Term, Terms};
use symx_ir::instruction::{BinaryOp, flags};

/// Whether an instruction with these flags may have no defined result for some operands.
pub(in crate::step) fn are_made(op: BinaryOp, given: u8) -> bool {
    given != 0 || matches!(op, BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr)
}

/// The condition under which `x op y` of `width` bits has no defined result, and why; `None` if
/// it always has one.
pub(in crate::step) fn broken(
    terms: &Terms,
    op: BinaryOp,
    width: u32,
    given: u8,
    x: Term,
    y: Term,
) -> Option<(Term, PoisonReason)> {
    let no_signed_wrap = given & flags::NO_SIGNED_WRAP != 0;
    let condition = match op {
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
            let too_far = terms.unsigned_less_equal(terms.constant(width, width.into()), y);
            if too_far != Term::FALSE || !no_signed_wrap || op != BinaryOp::Shl {
                return (too_far != Term::FALSE).then_some((too_far, PoisonReason::ShiftOutOfRange));
            }
            shift_overflows(terms, x, y)
        }
        _ if !no_signed_wrap => return None,
        BinaryOp::Add => sum_overflows(terms, width, x, y),
        BinaryOp::Sub => difference_overflows(terms, width, x, y),
        BinaryOp::Mul => product_overflows(terms, width, x, y),
        _ => return None,
    };
    (condition != Term::FALSE).then_some((condition, PoisonReason::SignedOverflow))
}

/// The same of all other promises: that an unsigned result fits, that nothing is lost, and that a signed one
/// fits of a shift by a symbolic distance. Operands that break an earlier promise, one `known` to be broken
/// among them, are left out.
pub(in crate::step) fn broken_besides(
    terms: &Terms,
    op: BinaryOp,
    width: u32,
    given: u8,
    [x, y]: [Term; 2],
    known: Term,
) -> SmallVec<[(Term, PoisonReason); 2]> {
    let (no_unsigned_wrap, exact) = (given & flags::NO_UNSIGNED_WRAP != 0, given & flags::EXACT != 0);
    let no_signed_wrap = given & flags::NO_SIGNED_WRAP != 0;
    let mut conditions: SmallVec<[(Term, PoisonReason); 2]> = SmallVec::new();
    if op == BinaryOp::Shl && no_signed_wrap && terms.as_constant(y).is_none() {
        conditions.push((shift_overflows(terms, x, y), PoisonReason::SignedOverflow));
    }
    conditions.extend(match op {
        BinaryOp::Add if no_unsigned_wrap => {
            Some((terms.unsigned_less(terms.add(x, y), x), PoisonReason::UnsignedOverflow))
        }
        BinaryOp::Sub if no_unsigned_wrap => {
            Some((terms.unsigned_less(x, y), PoisonReason::UnsignedOverflow))
        }
        BinaryOp::Mul if no_unsigned_wrap => {
            let wide = terms.multiply(terms.zero_extend(x, 2 * width), terms.zero_extend(y, 2 * width));
            Some((terms.is_nonzero(terms.extract(wide, width, width)), PoisonReason::UnsignedOverflow))
        }
        BinaryOp::Shl if no_unsigned_wrap => {
            let back = terms.logical_shift_right(terms.shift_left(x, y), y);
            Some((terms.not_equal(back, x), PoisonReason::UnsignedOverflow))
        }
        BinaryOp::LShr | BinaryOp::AShr if exact => {
            let back = terms.shift_left(terms.logical_shift_right(x, y), y);
            Some((terms.not_equal(back, x), PoisonReason::Inexact))
        }
        BinaryOp::UDiv | BinaryOp::SDiv if exact => {
            Some((leaves_remainder(terms, op, x, y), PoisonReason::Inexact))
        }
        _ => None,
    });
    let mut earlier = known;
    for (condition, _) in &mut conditions {
        let only = terms.and(*condition, terms.not(earlier));
        earlier = terms.or(earlier, *condition);
        *condition = only;
    }
    conditions.retain(|(condition, _)| *condition != Term::FALSE);
    conditions
}

/// That a division leaves a remainder. By a power of two, as of pointers, that shows in the low bits.
fn leaves_remainder(terms: &Terms, op: BinaryOp, x: Term, y: Term) -> Term {
    let sign = 1 << (terms.width(y) - 1);
    match terms.as_constant(y) {
        Some(1) => Term::FALSE,
        Some(power) if power.is_power_of_two() && power != sign => {
            terms.is_nonzero(terms.extract(x, 0, power.trailing_zeros()))
        }
        _ => {
            let remainder = match op {
                BinaryOp::SDiv => BinaryOperator::SignedRemainder,
                _ => BinaryOperator::UnsignedRemainder,
            };
            terms.is_nonzero(terms.binary(remainder, x, y))
        }
    }
}

/// That a signed number that is shifted to the left does not come back.
fn shift_overflows(terms: &Terms, x: Term, y: Term) -> Term {
    let back = terms.arithmetic_shift_right(terms.shift_left(x, y), y);
    terms.not_equal(back, x)
}

/// That of each of two pairs the signs differ.
fn signs_differ(terms: &Terms, [(a, b), (c, d)]: [(Term, Term); 2]) -> Term {
    let signs = terms.and(terms.xor(a, b), terms.xor(c, d));
    terms.binary(BinaryOperator::SignedLess, signs, terms.zero(terms.width(signs)))
}

/// The least and the greatest signed number of a width up to 64.
fn limits(width: u32) -> (i128, i128) {
    (-(1 << (width - 1)), (1 << (width - 1)) - 1)
}

/// A constant operand of at most 64 bits as a signed number, by which the bounds of the other one are known.
fn signed_constant(terms: &Terms, width: u32, term: Term) -> Option<i128> {
    let shift = 64_u32.checked_sub(width)?;
    terms.as_constant(term).map(|value| i128::from(((value << shift) as i64) >> shift))
}

/// That a term is outside of signed bounds.
fn outside(terms: &Terms, width: u32, term: Term, least: i128, greatest: i128) -> Term {
    let (lowest, highest) = limits(width);
    let bound = |value: i128| terms.constant(width, value as u64);
    let below = if least <= lowest {
        Term::FALSE
    } else {
        terms.binary(BinaryOperator::SignedLess, term, bound(least))
    };
    let above = if greatest >= highest {
        Term::FALSE
    } else {
        terms.binary(BinaryOperator::SignedLess, bound(greatest), term)
    };
    terms.or(below, above)
}

fn sum_overflows(terms: &Terms, width: u32, x: Term, y: Term) -> Term {
    for (term, other) in [(x, y), (y, x)] {
        if let Some(constant) = signed_constant(terms, width, other) {
            let (lowest, highest) = limits(width);
            return outside(terms, width, term, lowest - constant, highest - constant);
        }
    }
    // Both operands' signs differ from the sum's.
    let sum = terms.add(x, y);
    signs_differ(terms, [(x, sum), (y, sum)])
}

fn difference_overflows(terms: &Terms, width: u32, x: Term, y: Term) -> Term {
    if let Some(constant) = signed_constant(terms, width, y) {
        let (lowest, highest) = limits(width);
        return outside(terms, width, x, lowest + constant, highest + constant);
    }
    if let Some(constant) = signed_constant(terms, width, x) {
        let (lowest, highest) = limits(width);
        return outside(terms, width, y, constant - highest, constant - lowest);
    }
    // The operands' signs differ, and the first one's from the difference's.
    signs_differ(terms, [(x, y), (x, terms.subtract(x, y))])
}

fn product_overflows(terms: &Terms, width: u32, x: Term, y: Term) -> Term {
    for (term, other) in [(x, y), (y, x)] {
        let Some(constant) = signed_constant(terms, width, other) else { continue };
        if constant == 0 {
            return Term::FALSE;
        }
        // Division rounds towards zero: both bounds are the outermost that fit.
        let (lowest, highest) = limits(width);
        let bounds = (lowest / constant, highest / constant);
        let (least, greatest) = if constant > 0 { bounds } else { (bounds.1, bounds.0) };
        return outside(terms, width, term, least, greatest);
    }
    // The product in twice the width is another one.
    let wide = terms.multiply(terms.sign_extend(x, 2 * width), terms.sign_extend(y, 2 * width));
    terms.not_equal(wide, terms.sign_extend(terms.extract(wide, 0, width), 2 * width))
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_expr::{BitVector, evaluate};

    /// Every pair of four-bit numbers, with either operand symbolic or constant.
    #[test]
    fn overflow_is_what_arithmetic_says() {
        let terms = Terms::new();
        let (x, y) = (terms.symbol("x", 4), terms.symbol("y", 4));
        let number = |bits: u64| i64::from((bits << 4) as i8 >> 4);
        for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Shl] {
            for (a, b) in (0..16).flat_map(|a| (0..16).map(move |b| (a, b))) {
                let exact = match op {
                    BinaryOp::Add => number(a) + number(b),
                    BinaryOp::Sub => number(a) - number(b),
                    BinaryOp::Mul => number(a) * number(b),
                    _ if b < 4 => number(a) << b,
                    _ => i64::MAX,
                };
                let values =
                    [(x, BitVector::from_u64(4, a)), (y, BitVector::from_u64(4, b))].into_iter().collect();
                let (ca, cb) = (terms.constant(4, a), terms.constant(4, b));
                for (left, right) in [(x, y), (x, cb), (ca, y)] {
                    if op == BinaryOp::Shl && right == y {
                        continue;
                    }
                    let bad = broken(&terms, op, 4, flags::NO_SIGNED_WRAP, left, right);
                    let bad = bad.is_some_and(|(bad, _)| !evaluate(&terms, bad, &values).is_zero());
                    assert_eq!(bad, !(-8..8).contains(&exact), "{a} {op:?} {b}");
                }
            }
        }
        assert!(broken(&terms, BinaryOp::Add, 4, 0, x, y).is_none());
        let shift = broken(&terms, BinaryOp::LShr, 4, 0, x, y).expect("may be too far");
        assert_eq!(shift.1, PoisonReason::ShiftOutOfRange);
    }

    /// Every pair of four-bit numbers: terms break what words break.
    #[test]
    fn terms_break_the_promises_that_words_break() {
        use crate::words::integers::poison;
        let terms = Terms::new();
        let (x, y) = (terms.symbol("x", 4), terms.symbol("y", 4));
        let wraps = [flags::NO_UNSIGNED_WRAP, flags::NO_UNSIGNED_WRAP | flags::NO_SIGNED_WRAP];
        let sums = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Shl].map(|op| (op, wraps));
        let quotients = [BinaryOp::UDiv, BinaryOp::SDiv, BinaryOp::LShr, BinaryOp::AShr];
        let quotients = quotients.map(|op| (op, [flags::EXACT, flags::EXACT]));
        let both = sums.into_iter().chain(quotients);
        for (op, given) in both.flat_map(|(op, given)| given.map(|it| (op, it))) {
            for (a, b) in (0..16).flat_map(|a| (0..16).map(move |b| (a, b))) {
                let overflows = op == BinaryOp::SDiv && (a, b) == (8, 15);
                if matches!(op, BinaryOp::UDiv | BinaryOp::SDiv) && (b == 0 || overflows) {
                    continue;
                }
                let values =
                    [(x, BitVector::from_u64(4, a)), (y, BitVector::from_u64(4, b))].into_iter().collect();
                for right in [y, terms.constant(4, b)] {
                    let first = broken(&terms, op, 4, given, x, right);
                    let known = first.map_or(Term::FALSE, |(bad, _)| bad);
                    let besides = broken_besides(&terms, op, 4, given, [x, right], known);
                    let holds = |bad: Term| !evaluate(&terms, bad, &values).is_zero();
                    let found = first.into_iter().chain(besides).find(|(bad, _)| holds(*bad));
                    assert_eq!(found.map(|(_, reason)| reason), poison(op, 4, given, a, b), "{a} {op:?} {b}");
                }
            }
        }
    }
}
