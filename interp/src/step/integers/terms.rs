//! Integer intrinsics and atomic updates as terms of plain operators.

use symx_expr::{BinaryOperator, Term, Terms};
use symx_ir::instruction::{BinaryOp, BitOp, MinmaxOp, RmwOp};

/// The term operator of an instruction.
pub(crate) fn operator(op: BinaryOp) -> BinaryOperator {
    match op {
        BinaryOp::Add => BinaryOperator::Add,
        BinaryOp::Sub => BinaryOperator::Subtract,
        BinaryOp::Mul => BinaryOperator::Multiply,
        BinaryOp::UDiv => BinaryOperator::UnsignedDivide,
        BinaryOp::SDiv => BinaryOperator::SignedDivide,
        BinaryOp::URem => BinaryOperator::UnsignedRemainder,
        BinaryOp::SRem => BinaryOperator::SignedRemainder,
        BinaryOp::Shl => BinaryOperator::ShiftLeft,
        BinaryOp::LShr => BinaryOperator::LogicalShiftRight,
        BinaryOp::AShr => BinaryOperator::ArithmeticShiftRight,
        BinaryOp::And => BinaryOperator::And,
        BinaryOp::Or => BinaryOperator::Or,
        BinaryOp::Xor => BinaryOperator::Xor,
    }
}

/// A bit operation on a term.
pub(in crate::step) fn bit_operation(terms: &Terms, op: BitOp, x: Term) -> Term {
    let width = terms.width(x);
    match op {
        BitOp::PopulationCount => sized(terms, ones(terms, x), width),
        BitOp::LeadingZeros => zeros(terms, x, true),
        BitOp::TrailingZeros => zeros(terms, x, false),
        BitOp::ByteSwap => reversed(terms, x, 8),
        BitOp::Reverse => reversed(terms, x, 1),
        BitOp::Absolute => terms.if_then_else(is_negative(terms, x), terms.negate(x), x),
    }
}

/// The condition under which a partial bit operation has no result; false of one that always has.
pub(in crate::step) fn lacks_result(terms: &Terms, op: BitOp, x: Term) -> Term {
    let width = terms.width(x);
    match op {
        BitOp::LeadingZeros | BitOp::TrailingZeros => terms.equal(x, terms.zero(width)),
        BitOp::Absolute => terms.equal(x, least(terms, width)),
        BitOp::PopulationCount | BitOp::ByteSwap | BitOp::Reverse => Term::FALSE,
    }
}

/// Minimum, maximum and saturating arithmetic.
pub(in crate::step) fn minmax(terms: &Terms, op: MinmaxOp, x: Term, y: Term) -> Term {
    use BinaryOperator::{SignedLess, UnsignedLess};
    let width = terms.width(x);
    let (zero, all) = (terms.zero(width), terms.all_ones(width));
    // A signed result that does not fit lies beyond the end at the left operand's side.
    let end = || {
        let most = terms.not(least(terms, width));
        terms.if_then_else(is_negative(terms, x), least(terms, width), most)
    };
    let chosen = |less, then, otherwise| terms.if_then_else(terms.binary(less, x, y), then, otherwise);
    match op {
        MinmaxOp::SMin => chosen(SignedLess, x, y),
        MinmaxOp::SMax => chosen(SignedLess, y, x),
        MinmaxOp::UMin => chosen(UnsignedLess, x, y),
        MinmaxOp::UMax => chosen(UnsignedLess, y, x),
        MinmaxOp::UAddSat => {
            let sum = terms.add(x, y);
            terms.if_then_else(terms.unsigned_less(sum, x), all, sum)
        }
        MinmaxOp::USubSat => chosen(UnsignedLess, zero, terms.subtract(x, y)),
        MinmaxOp::SAddSat => {
            let sum = terms.add(x, y);
            let signs = terms.and(terms.xor(x, sum), terms.xor(y, sum));
            terms.if_then_else(is_negative(terms, signs), end(), sum)
        }
        MinmaxOp::SSubSat => {
            let difference = terms.subtract(x, y);
            let signs = terms.and(terms.xor(x, y), terms.xor(x, difference));
            terms.if_then_else(is_negative(terms, signs), end(), difference)
        }
        MinmaxOp::UShlSat => {
            let shifted = terms.shift_left(x, y);
            let fits = terms.equal(terms.logical_shift_right(shifted, y), x);
            terms.if_then_else(fits, shifted, all)
        }
        MinmaxOp::SShlSat => {
            let shifted = terms.shift_left(x, y);
            let fits = terms.equal(terms.arithmetic_shift_right(shifted, y), x);
            terms.if_then_else(fits, shifted, end())
        }
    }
}

/// A shift of `high` and `low` side by side by `shift` modulo their width; of the result the upper half
/// (`left`) or the lower one.
pub(in crate::step) fn funnel_shift(terms: &Terms, left: bool, [high, low, shift]: [Term; 3]) -> Term {
    let width = terms.width(high);
    // A width of one bit cannot hold itself: the distance is modulo 1 then.
    let distance = match width {
        1 => terms.zero(1),
        _ => terms.unsigned_remainder(shift, terms.constant(width, width.into())),
    };
    let whole = terms.concat(high, low);
    let distance = terms.zero_extend(distance, 2 * width);
    if left {
        terms.extract(terms.shift_left(whole, distance), width, width)
    } else {
        terms.extract(terms.logical_shift_right(whole, distance), 0, width)
    }
}

/// The result of an atomic update where `old` was; `None` for operations on floats.
pub(in crate::step) fn update(terms: &Terms, op: RmwOp, old: Term, operand: Term) -> Option<Term> {
    use BinaryOperator::UnsignedLess;
    let plain = |op| terms.binary(operator(op), old, operand);
    let minmax = |op| minmax(terms, op, old, operand);
    let width = terms.width(old);
    let is_below = || terms.binary(UnsignedLess, old, operand);
    Some(match op {
        RmwOp::Exchange => operand,
        RmwOp::Add => plain(BinaryOp::Add),
        RmwOp::Sub => plain(BinaryOp::Sub),
        RmwOp::And => plain(BinaryOp::And),
        RmwOp::Nand => terms.not(plain(BinaryOp::And)),
        RmwOp::Or => plain(BinaryOp::Or),
        RmwOp::Xor => plain(BinaryOp::Xor),
        RmwOp::Max => minmax(MinmaxOp::SMax),
        RmwOp::Min => minmax(MinmaxOp::SMin),
        RmwOp::UMax => minmax(MinmaxOp::UMax),
        RmwOp::UMin => minmax(MinmaxOp::UMin),
        RmwOp::SubSaturating => minmax(MinmaxOp::USubSat),
        RmwOp::SubConditional => terms.if_then_else(is_below(), old, plain(BinaryOp::Sub)),
        RmwOp::IncrementWrap => {
            let next = terms.add(old, terms.constant(width, 1));
            terms.if_then_else(is_below(), next, terms.zero(width))
        }
        RmwOp::DecrementWrap => {
            let is_at_end = terms.equal(old, terms.zero(width));
            let is_beyond = terms.binary(UnsignedLess, operand, old);
            let previous = terms.subtract(old, terms.constant(width, 1));
            terms.if_then_else(terms.or(is_at_end, is_beyond), operand, previous)
        }
        RmwOp::FloatAdd | RmwOp::FloatSub | RmwOp::FloatMaximum | RmwOp::FloatMinimum => return None,
    })
}

fn is_negative(terms: &Terms, x: Term) -> Term {
    terms.binary(BinaryOperator::SignedLess, x, terms.zero(terms.width(x)))
}

/// The least signed number.
fn least(terms: &Terms, width: u32) -> Term {
    terms.shift_left(terms.constant(width, 1), terms.constant(width, u64::from(width) - 1))
}

/// Zero-extended or cut to a width that is known to hold the value.
fn sized(terms: &Terms, x: Term, width: u32) -> Term {
    if terms.width(x) > width { terms.extract(x, 0, width) } else { terms.zero_extend(x, width) }
}

/// How many bits are set, in no more bits than that needs: a tree of narrow sums.
fn ones(terms: &Terms, x: Term) -> Term {
    let width = terms.width(x);
    if width == 1 {
        return x;
    }
    let half = width / 2;
    let parts = [terms.extract(x, 0, half), terms.extract(x, half, width - half)];
    let most = width.ilog2() + 1;
    let [low, high] = parts.map(|part| terms.zero_extend(ones(terms, part), most));
    terms.add(low, high)
}

/// The zeros before the first bit that is set, from the upper end (`leading`) or the lower one. It is a
/// halving search, whose answers are the digits of the count.
fn zeros(terms: &Terms, x: Term, leading: bool) -> Term {
    let width = terms.width(x);
    let mut size = width.next_power_of_two();
    // Ones after the far end make the width a power of two.
    let mut rest = x;
    if size > width {
        let ones = terms.all_ones(size - width);
        rest = if leading { terms.concat(x, ones) } else { terms.concat(ones, x) };
    }
    let mut digits: Option<Term> = None;
    while size > 1 {
        size /= 2;
        let (low, high) = (terms.extract(rest, 0, size), terms.extract(rest, size, size));
        let (near, far) = if leading { (high, low) } else { (low, high) };
        let is_empty = terms.equal(near, terms.zero(size));
        digits = Some(digits.map_or(is_empty, |digits| terms.concat(digits, is_empty)));
        rest = terms.if_then_else(is_empty, far, near);
    }
    let last = sized(terms, terms.not(rest), width);
    digits.map_or(last, |digits| terms.add(sized(terms, digits, width), last))
}

/// The groups of `size` bits in reverse order.
fn reversed(terms: &Terms, x: Term, size: u32) -> Term {
    let groups = (0..terms.width(x) / size).map(|group| terms.extract(x, size * group, size));
    groups.reduce(|above, group| terms.concat(above, group)).expect("at least one group")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::accesses::atomics::combine;
    use crate::words::integers;
    use symx_expr::{BitVector, evaluate};

    const BIT_OPERATIONS: [BitOp; 6] = [
        BitOp::PopulationCount,
        BitOp::LeadingZeros,
        BitOp::TrailingZeros,
        BitOp::ByteSwap,
        BitOp::Reverse,
        BitOp::Absolute,
    ];
    const MINMAX: [MinmaxOp; 10] = [
        MinmaxOp::SMin,
        MinmaxOp::SMax,
        MinmaxOp::UMin,
        MinmaxOp::UMax,
        MinmaxOp::SAddSat,
        MinmaxOp::UAddSat,
        MinmaxOp::SSubSat,
        MinmaxOp::USubSat,
        MinmaxOp::SShlSat,
        MinmaxOp::UShlSat,
    ];
    const UPDATES: [RmwOp; 15] = [
        RmwOp::Exchange,
        RmwOp::Add,
        RmwOp::Sub,
        RmwOp::And,
        RmwOp::Nand,
        RmwOp::Or,
        RmwOp::Xor,
        RmwOp::Max,
        RmwOp::Min,
        RmwOp::UMax,
        RmwOp::UMin,
        RmwOp::SubSaturating,
        RmwOp::SubConditional,
        RmwOp::IncrementWrap,
        RmwOp::DecrementWrap,
    ];

    /// All numbers of narrow widths; else those at the ends and in the middle, powers of two, and some at
    /// random.
    fn samples(bits: u8) -> Vec<u64> {
        if bits <= 4 {
            return (0..1 << bits).collect();
        }
        let mut random = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(bits.into());
        let mut found: Vec<u64> =
            (0..bits).flat_map(|bit| [1 << bit, (1_u64 << bit).wrapping_neg()]).collect();
        for _ in 0..20 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            found.extend([random, random >> (random % 64)]);
        }
        found.extend([0, u64::from(bits), u64::from(bits) - 1, u64::MAX >> 1, u64::MAX]);
        found.iter().map(|value| value & integers::mask(bits)).collect()
    }

    struct Checked {
        terms: Terms,
        symbols: [Term; 3],
        bits: u8,
    }

    impl Checked {
        fn new(bits: u8) -> Self {
            let terms = Terms::new();
            let symbols = ["x", "y", "z"].map(|name| terms.symbol(name, bits.into()));
            Self { terms, symbols, bits }
        }

        fn value(&self, term: Term, inputs: [u64; 3]) -> u64 {
            let number = |value| BitVector::from_u64(self.bits.into(), value);
            let values = self.symbols.into_iter().zip(inputs.map(number)).collect();
            evaluate(&self.terms, term, &values).to_u64().expect("at most 64 bits")
        }
    }

    #[test]
    fn terms_have_the_values_that_machine_words_have() {
        for bits in [1, 2, 3, 4, 7, 8, 16, 24, 31, 32, 33, 48, 63, 64] {
            let checked = Checked::new(bits);
            let (terms, [x, y, _]) = (&checked.terms, checked.symbols);
            let samples = samples(bits);
            for op in BIT_OPERATIONS {
                if op == BitOp::ByteSwap && bits % 16 != 0 {
                    continue;
                }
                let term = bit_operation(terms, op, x);
                assert_eq!(terms.width(term), u32::from(bits));
                for &a in &samples {
                    let expected = integers::bit_operation(op, bits, a);
                    assert_eq!(checked.value(term, [a, 0, 0]), expected, "{op:?} {bits} {a:#x}");
                    let lacks = checked.value(lacks_result(terms, op, x), [a, 0, 0]) == 1;
                    assert_eq!(lacks, integers::lacks_result(op, bits, a), "{op:?} {bits} {a:#x}");
                    let constant = terms.constant(bits.into(), a);
                    assert_eq!(terms.as_constant(bit_operation(terms, op, constant)), Some(expected));
                }
            }
            for op in MINMAX {
                let shifts = matches!(op, MinmaxOp::SShlSat | MinmaxOp::UShlSat);
                let term = minmax(terms, op, x, y);
                for &a in &samples {
                    let by_constant = minmax(terms, op, terms.constant(bits.into(), a), y);
                    for &b in samples.iter().filter(|b| !shifts || **b < bits.into()) {
                        let expected = integers::minmax(op, bits, a, b);
                        for term in [term, by_constant] {
                            assert_eq!(
                                checked.value(term, [a, b, 0]),
                                expected,
                                "{op:?} {bits} {a:#x} {b:#x}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn updates_and_funnel_shifts_have_the_values_that_machine_words_have() {
        for bits in [1, 3, 8, 16, 32, 33, 64] {
            let checked = Checked::new(bits);
            let (terms, [x, y, z]) = (&checked.terms, checked.symbols);
            let samples = samples(bits);
            for op in UPDATES {
                let term = update(terms, op, x, y).expect("an update of integers");
                for (&a, &b) in samples.iter().flat_map(|a| samples.iter().map(move |b| (a, b))) {
                    assert_eq!(
                        checked.value(term, [a, b, 0]),
                        combine(op, bits, a, b),
                        "{op:?} {bits} {a} {b}"
                    );
                }
            }
            for left in [false, true] {
                let term = funnel_shift(terms, left, [x, y, z]);
                for ((&a, &b), &c) in
                    samples.iter().zip(samples.iter().rev()).zip(samples.iter().cycle().skip(5))
                {
                    let expected = integers::funnel_shift(left, bits, a, b, c);
                    assert_eq!(checked.value(term, [a, b, c]), expected, "{left} {bits} {a} {b} {c}");
                }
            }
        }
    }
}
