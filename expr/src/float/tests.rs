//! Floats against the host and against Z3; the rules against the operators themselves.

use std::sync::Arc;

use proptest::prelude::*;

use crate::float_operator::{FloatFormat, FloatOperator, Rounding};
use crate::solver::{Answer, Solver, Z3Options, standard};
use crate::{Assignment, BitVector, Node, Term, Terms, evaluate};

fn bitvector(width: u32, value: u128) -> BitVector {
    BitVector::from_limbs(width, &[value as u64, (value >> 64) as u64])
}

/// A pattern that rounding, overflow and the special cases are likely to meet.
fn pattern(format: FloatFormat, seed: u64) -> u128 {
    let mixed = |salt: u64| {
        let x = (seed ^ salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        u128::from(x ^ x >> 29) << 64 | u128::from((x ^ x >> 32).wrapping_mul(0xbf58_476d_1ce4_e5b9))
    };
    let all = u128::MAX >> (128 - format.width());
    let sign = if seed & 8 == 0 { 0 } else { format.sign_bit() };
    let least = 1;
    let from =
        |value: u128| FloatOperator::FromInteger { bits: 64, signed: false, to: format }.apply([value, 0, 0]);
    sign | match seed >> 4 & 15 {
        0 => 0,
        1 => format.infinity(),
        2 => format.quieted(0),
        3 => format.infinity() | least,
        4 => format.infinity() - 1,
        5 => mixed(5) & 15,
        6 => from(mixed(6) & 0xff) ^ least,
        7 => from(mixed(7) & 0xff),
        8 => from(1 << (mixed(8) % 64)),
        9 => from(mixed(9) & 0xffff_ffff),
        10 => from(1) ^ (mixed(10) & 3),
        _ => mixed(11) & all & !format.sign_bit(),
    }
}

fn operators(format: FloatFormat, other: FloatFormat, seed: u64) -> Vec<FloatOperator> {
    use FloatOperator::*;
    let bits = [1, 8, 16, 31, 32, 53, 64, 80, 128][seed as usize % 9];
    let mut all = vec![
        Add(format),
        Subtract(format),
        Multiply(format),
        Divide(format),
        MultiplyAdd(format),
        SquareRoot(format),
        Equal(format),
        Less(format),
        LessEqual(format),
        Convert { from: format, to: other },
    ];
    all.extend(Rounding::ALL.map(|rounding| Round(format, rounding)));
    for signed in [false, true] {
        all.push(FromInteger { bits, signed, to: format });
        for saturate in [false, true] {
            all.push(ToInteger { from: format, bits, signed, saturate });
        }
    }
    all
}

fn format(choice: usize) -> FloatFormat {
    FloatFormat::ALL[choice % FloatFormat::ALL.len()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// Software and host compute the same, NaN payloads aside, which the host does not promise.
    #[test]
    fn the_host_agrees(a: u64, b: u64, c: u64) {
        use FloatOperator::*;
        let d = FloatFormat::Double;
        let [a, b, c] = [a, b, c].map(|seed| pattern(d, seed));
        let [x, y, z] = [a, b, c].map(|bits| f64::from_bits(bits as u64));
        let check = |operator: FloatOperator, expected: f64| {
            let got = f64::from_bits(operator.apply([a, b, c]) as u64);
            prop_assert!(got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(),
                         "{operator:?} of {x:?} {y:?} {z:?}: {got:?}, not {expected:?}");
            Ok(())
        };
        check(Add(d), x + y)?;
        check(Divide(d), x / y)?;
        check(MultiplyAdd(d), x.mul_add(y, z))?;
        check(SquareRoot(d), x.sqrt())?;
        check(Round(d, Rounding::Down), x.floor())?;
        check(Round(d, Rounding::Up), x.ceil())?;
        check(Round(d, Rounding::TowardsZero), x.trunc())?;
        check(Round(d, Rounding::NearestEven), x.round_ties_even())?;
        check(Round(d, Rounding::NearestAway), x.round())?;
        prop_assert_eq!(Less(d).apply([a, b, 0]) == 1, x < y);
        prop_assert_eq!(LessEqual(d).apply([a, b, 0]) == 1, x <= y);
        let to = |signed, bits| ToInteger { from: d, bits, signed, saturate: true }.apply([a, 0, 0]);
        prop_assert_eq!(to(true, 32) as u32 as i32, x as i32);
        prop_assert_eq!(to(false, 64) as u64, x as u64);
        prop_assert_eq!(d.is_nan(a), x.is_nan());
        let single = Convert { from: d, to: FloatFormat::Single }.apply([a, 0, 0]) as u32;
        prop_assert!(f32::from_bits(single) == x as f32 || x.is_nan() && f32::from_bits(single).is_nan());
    }
}

/// Roots of all halves, by way of doubles, which are precise enough for one rounding to be right.
#[test]
fn roots_in_software_round_correctly() {
    let (half, double) = (FloatFormat::Half, FloatFormat::Double);
    for bits in 0..=half.infinity() {
        let wide = FloatOperator::Convert { from: half, to: double }.apply([bits, 0, 0]);
        let root = f64::from_bits(wide as u64).sqrt().to_bits();
        let expected = FloatOperator::Convert { from: double, to: half }.apply([root.into(), 0, 0]);
        assert_eq!(FloatOperator::SquareRoot(half).apply([bits, 0, 0]), expected, "{bits:#x}");
    }
}

/// The operator without simplification.
fn raw(terms: &Terms, operator: FloatOperator, operands: &[Term]) -> Term {
    terms.intern_float(operator, operands)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Z3 computes what the evaluator computes, to the last bit of a NaN.
    #[test]
    fn z3_agrees(seeds: [u64; 4], choice: usize, other: usize) {
        let (format, other) = (format(choice), format(other));
        let terms = Arc::new(Terms::new());
        let mut query = vec![];
        let mut differences = vec![];
        for operator in operators(format, other, seeds[3]) {
            // Division, fusion and roots of wide formats take Z3 seconds, even of constants.
            let wide = format.width() > 64;
            if wide && matches!(operator, FloatOperator::MultiplyAdd(_) | FloatOperator::SquareRoot(_)) {
                continue;
            }
            let width = operator.operand_width();
            let mut operands = vec![];
            let mut words = [0; 3];
            for index in 0..operator.arity() {
                let symbol = terms.symbol(&format!("x{index}"), width);
                words[index] = pattern(format, seeds[index]) & (u128::MAX >> (128 - width));
                query.push(terms.equal(symbol, terms.bitvector(&bitvector(width, words[index]))));
                operands.push(symbol);
            }
            let expected = terms.bitvector(&bitvector(operator.result_width(), operator.apply(words)));
            differences.push((operator, words, terms.not_equal(raw(&terms, operator, &operands), expected)));
        }
        let any = terms.any(differences.iter().map(|difference| difference.2));
        query.push(any);
        let mut solver = standard(&terms, Z3Options::default());
        let answer = solver.check(&query);
        if answer != Answer::Unsat {
            query.pop();
            for (operator, words, difference) in differences {
                query.push(difference);
                let answer = solver.check(&query);
                query.pop();
                prop_assert_eq!(answer, Answer::Unsat, "{:?} of {:x?}", operator, words);
            }
        }
        prop_assert_eq!(answer, Answer::Unsat);
    }
}

/// A step of building a term: an operator and which earlier terms it takes.
fn grow(
    terms: &Terms,
    assignments: &[Assignment],
    symbols: &[Term],
    steps: &[[u64; 4]],
) -> Vec<(Term, Term)> {
    let mut pairs = vec![];
    let mut pool: Vec<Term> = symbols.to_vec();
    for [choose, a, b, c] in steps {
        let (one, two) = (format(*a as usize), format((*a >> 8) as usize));
        let mut candidates = operators(one, two, *b);
        let bits = [1, 8, 11, 16, 24, 32][(*b >> 8) as usize % 6];
        candidates.push(FloatOperator::FromInteger { bits, signed: *c & 1 == 1, to: one });
        candidates.push(FloatOperator::FromInteger { bits, signed: *c & 1 == 1, to: one });
        let operator = candidates[*choose as usize % candidates.len()];
        let width = operator.operand_width();
        let operands: Vec<Term> = (0..operator.arity())
            .map(|index| {
                let salt = a.rotate_left(13 * index as u32 + 7) ^ b.rotate_left(index as u32);
                let fitting: Vec<Term> =
                    pool.iter().copied().filter(|term| terms.width(*term) == width).collect();
                match salt >> 20 & 3 {
                    0 | 1 if !fitting.is_empty() => fitting[salt as usize % fitting.len()],
                    2 if !fitting.is_empty() => fitting[fitting.len() - 1],
                    _ => terms.bitvector(&bitvector(
                        width,
                        pattern(operator.operand_format().unwrap_or(one), salt)
                            & (u128::MAX >> (128 - width)),
                    )),
                }
            })
            .collect();
        let built = terms.float(operator, &operands);
        let raw = raw(terms, operator, &operands);
        for assignment in assignments {
            assert_eq!(
                evaluate(terms, built, assignment),
                evaluate(terms, raw, assignment),
                "{operator:?}: {} became {}",
                terms.display(raw),
                terms.display(built)
            );
        }
        pairs.push((built, raw));
        pool.push(built);
    }
    pairs
}

fn symbols(terms: &Terms) -> Vec<Term> {
    [1, 8, 11, 16, 16, 24, 32, 32, 64, 64, 80, 128]
        .iter()
        .enumerate()
        .map(|(index, width)| terms.symbol(&format!("s{index}"), *width))
        .collect()
}

fn assignments(terms: &Terms, symbols: &[Term], seed: u64) -> Vec<Assignment> {
    (0..12u64)
        .map(|round| {
            symbols
                .iter()
                .enumerate()
                .map(|(index, symbol)| {
                    let width = terms.width(*symbol);
                    let salt =
                        (seed ^ round << 40 ^ (index as u64) << 50).wrapping_mul(0x2545_f491_4f6c_dd1d);
                    let format = FloatFormat::ALL.into_iter().find(|format| format.width() >= width);
                    let value = pattern(format.expect("at most 128 bits"), salt >> 3);
                    (*symbol, bitvector(width, value & (u128::MAX >> (128 - width))))
                })
                .collect()
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    /// A term that a constructor builds has the operator's value.
    #[test]
    fn rules_keep_values(steps in proptest::collection::vec(any::<[u64; 4]>(), 1..24), seed: u64) {
        let terms = Terms::new();
        let symbols = symbols(&terms);
        let assignments = assignments(&terms, &symbols, seed);
        grow(&terms, &assignments, &symbols, &steps);
    }
}

/// Z3 proves what the rules rest on, over all values of small formats.
#[test]
fn z3_proves_the_rules() {
    use FloatOperator::*;
    let (half, single) = (FloatFormat::Half, FloatFormat::Single);
    let terms = Arc::new(Terms::new());
    let mut solver = standard(&terms, Z3Options::default());
    let x = terms.symbol("x", 16);
    let i = terms.symbol("i", 8);
    let constant = |format: FloatFormat, value: f64| {
        let bits = Convert { from: FloatFormat::Double, to: format }.apply([value.to_bits().into(), 0, 0]);
        terms.float_constant(format, bits)
    };
    let wide = raw(&terms, Convert { from: half, to: single }, &[x]);
    let integer = raw(&terms, FromInteger { bits: 8, signed: true, to: single }, &[i]);
    let mut cases: Vec<(FloatOperator, Vec<Term>)> = vec![
        (Multiply(half), vec![x, constant(half, 1.0)]),
        (Multiply(half), vec![constant(half, 1.0), x]),
        (Divide(half), vec![x, constant(half, 1.0)]),
        (Add(half), vec![x, constant(half, -0.0)]),
        (Subtract(half), vec![x, constant(half, 0.0)]),
        (LessEqual(half), vec![x, x]),
        (Less(half), vec![x, x]),
        (Convert { from: single, to: half }, vec![wide]),
        (ToInteger { from: single, bits: 16, signed: true, saturate: false }, vec![integer]),
    ];
    let three = constant(half, 3.0);
    let moved = [
        (Multiply(half), [x, three]),
        (Multiply(half), [constant(half, -0.1), x]),
        (Divide(half), [x, three]),
        (Add(half), [x, constant(half, 0.1)]),
        (Subtract(half), [three, x]),
    ];
    let mut results: Vec<Term> =
        moved.iter().map(|(operator, operands)| raw(&terms, *operator, operands)).collect();
    results.push(raw(&terms, SquareRoot(half), &[x]));
    results.push(raw(&terms, Round(half, Rounding::NearestAway), &[x]));
    for bound in [0.0, 0.7, -3.0, 60000.0, f64::INFINITY] {
        for operator in [Equal(half), Less(half), LessEqual(half)] {
            cases.push((operator, vec![x, constant(half, bound)]));
            cases.push((operator, vec![constant(half, bound), x]));
            for result in &results {
                cases.push((operator, vec![*result, constant(half, bound)]));
                cases.push((operator, vec![constant(half, bound), *result]));
            }
        }
    }
    for bound in [0.3, -0.3, 100.0, 1e9, -1e-30, f64::NAN, f64::INFINITY, 65519.0, 65521.0] {
        for operator in [Equal(single), Less(single), LessEqual(single)] {
            for operand in [wide, integer] {
                cases.push((operator, vec![operand, constant(single, bound)]));
                cases.push((operator, vec![constant(single, bound), operand]));
            }
        }
    }
    for (operator, operands) in cases {
        let (built, raw) = (terms.float(operator, &operands), raw(&terms, operator, &operands));
        assert_ne!(built, raw, "no rule for {}", terms.display(raw));
        // Built raw, too: else the difference itself might be simplified.
        let equal = terms.intern(Node::Binary {
            operator: crate::BinaryOperator::Equal,
            width: 1,
            left: built,
            right: raw,
        });
        let query = [terms.not(equal)];
        assert_eq!(solver.check(&query), Answer::Unsat, "{} / {}", terms.display(raw), terms.display(built));
    }
}

#[test]
fn models_of_floats_are_found() {
    use FloatOperator::*;
    let single = FloatFormat::Single;
    let terms = Arc::new(Terms::new());
    let mut solver = standard(&terms, Z3Options::default());
    let x = terms.symbol("an |odd| name", 32);
    let number = |value: f32| terms.constant(32, value.to_bits().into());
    let square = terms.float(Multiply(single), &[x, x]);
    let is = |value| terms.float(Equal(single), &[square, number(value)]);
    let Answer::Sat(model) = solver.check(&[is(6.25)]) else { panic!("2.5 is a root") };
    let root = f32::from_bits(model.get(x).and_then(BitVector::to_u64).expect("x has a value") as u32);
    assert_eq!(root.abs(), 2.5);
    assert_eq!(solver.check(&[is(-1.0)]), Answer::Unsat);
    assert_eq!(solver.statistics().solver_queries, 2);
}
