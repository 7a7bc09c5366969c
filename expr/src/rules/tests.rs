//! The rules against the evaluator and Z3. Each term is built twice: by the constructors, and raw.

use proptest::prelude::*;

use crate::solver::{Answer, Solver, Z3Options, Z3Solver};
use crate::{Assignment, BinaryOperator, BitVector, Evaluator, Node, Term, Terms, UnaryOperator, evaluate};

/// Every assignment to the symbols, whose widths are small.
fn all_assignments(terms: &Terms, symbols: &[Term]) -> Vec<Assignment> {
    symbols.iter().fold(vec![Assignment::new()], |assignments, symbol| {
        let width = terms.width(*symbol);
        let extended = |assignment: &Assignment, value| {
            let mut assignment = assignment.clone();
            assignment.set(*symbol, BitVector::from_u64(width, value));
            assignment
        };
        assignments.iter().flat_map(|a| (0..1 << width).map(move |value| extended(a, value))).collect()
    })
}

/// Compares what a constructor built with the operator applied to its operands' values.
struct Oracle<'a> {
    terms: &'a Terms,
    evaluators: Vec<Evaluator<'a>>,
}

impl<'a> Oracle<'a> {
    fn new(terms: &'a Terms, assignments: &'a [Assignment]) -> Self {
        Oracle { terms, evaluators: assignments.iter().map(|a| Evaluator::new(terms, a)).collect() }
    }

    /// `built` must equal the raw node, whose operands were checked before.
    fn check(&mut self, built: Term, raw: Node) {
        assert_eq!(self.terms.width(built), raw.width(), "{raw:?}");
        let text = |term| self.terms.display(term).to_string();
        let raw_term = self.terms.intern(raw);
        for evaluator in &mut self.evaluators {
            let (value, expected) = (evaluator.value(built), evaluator.value(raw_term));
            assert_eq!(value, expected, "{} became {}", text(raw_term), text(built));
            for term in [built, raw_term] {
                let known = self.terms.low_bits(term);
                let low = value.limbs()[0] & u64::MAX.checked_shr(64 - known.count).unwrap_or(0);
                assert_eq!(low, known.value, "the low bits of {}", text(term));
                let (least, most) = self.terms.unsigned_bounds(term);
                if value.width() <= 64 {
                    let word = value.limbs()[0];
                    assert!(least <= word && word <= most, "the bounds of {}", text(term));
                }
            }
        }
    }

    fn binary(&mut self, operator: BinaryOperator, left: Term, right: Term) -> Term {
        let built = self.terms.binary(operator, left, right);
        let width = if operator.is_comparison() { 1 } else { self.terms.width(left) };
        self.check(built, Node::Binary { operator, width, left, right });
        built
    }

    fn unary(&mut self, operator: UnaryOperator, operand: Term) -> Term {
        let built = self.terms.unary(operator, operand);
        self.check(built, Node::Unary { operator, width: self.terms.width(operand), operand });
        built
    }

    fn choice(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        let built = self.terms.if_then_else(condition, then, otherwise);
        let width = self.terms.width(then);
        self.check(built, Node::IfThenElse { width, condition, then, otherwise });
        built
    }

    fn concat(&mut self, high: Term, low: Term) -> Term {
        let width = self.terms.width(high) + self.terms.width(low);
        let built = self.terms.concat(high, low);
        self.check(built, Node::Concat { width, high, low });
        built
    }

    fn extract(&mut self, operand: Term, offset: u32, width: u32) -> Term {
        let built = self.terms.extract(operand, offset, width);
        self.check(built, Node::Extract { width, offset, operand });
        built
    }

    fn extend(&mut self, signed: bool, operand: Term, width: u32) -> Term {
        if signed {
            let built = self.terms.sign_extend(operand, width);
            self.check(built, Node::SignExtend { width, operand });
            built
        } else {
            let built = self.terms.zero_extend(operand, width);
            self.check(built, Node::ZeroExtend { width, operand });
            built
        }
    }
}

/// All terms of two operators over all leaves, at width `width`.
fn exhaust(width: u32) {
    let terms = Terms::new();
    let symbols = [terms.symbol("x", width), terms.symbol("y", width), terms.symbol("c", 1)];
    let assignments = all_assignments(&terms, &symbols);
    let mut oracle = Oracle::new(&terms, &assignments);
    let constants = (0..1 << width).map(|value| terms.constant(width, value));
    let leaves: Vec<Term> = symbols[..2].iter().copied().chain(constants).collect();
    let mut inner = vec![];
    for &left in &leaves {
        for &right in &leaves {
            inner.extend(BinaryOperator::ALL.map(|operator| oracle.binary(operator, left, right)));
            inner.push(oracle.choice(symbols[2], left, right));
            let pair = oracle.concat(left, right);
            inner.extend((0..=width).map(|offset| oracle.extract(pair, offset, width)));
        }
        inner.push(oracle.unary(UnaryOperator::Not, left));
        inner.push(oracle.unary(UnaryOperator::Negate, left));
        for part in 1..width {
            for signed in [false, true] {
                for offset in 0..=width - part {
                    let bits = oracle.extract(left, offset, part);
                    inner.push(oracle.extend(signed, bits, width));
                }
            }
        }
    }
    inner.sort_unstable();
    inner.dedup();
    for one in inner.clone() {
        if terms.width(one) == 1 {
            inner.push(oracle.extend(false, one, width));
            inner.push(oracle.extend(true, one, width));
            for (a, b) in [(0, 1), (3, 2)] {
                let (a, b) = (terms.constant(width, a), terms.constant(width, b));
                inner.push(oracle.choice(one, symbols[0], a));
                inner.push(oracle.choice(one, a, b));
            }
        }
    }
    inner.retain(|term| terms.width(*term) == width);
    inner.sort_unstable();
    inner.dedup();
    for &one in &inner {
        oracle.unary(UnaryOperator::Not, one);
        oracle.unary(UnaryOperator::Negate, one);
        for &leaf in &leaves {
            for operator in BinaryOperator::ALL {
                oracle.binary(operator, one, leaf);
                oracle.binary(operator, leaf, one);
            }
            oracle.choice(symbols[2], one, leaf);
            oracle.choice(symbols[2], leaf, one);
            for pair in [oracle.concat(one, leaf), oracle.concat(leaf, one)] {
                oracle.extract(pair, 1, width);
            }
        }
    }
}

#[test]
fn two_operators_over_all_leaves_of_width_one() {
    exhaust(1);
}

#[test]
fn two_operators_over_all_leaves_of_width_two() {
    exhaust(2);
}

/// One step of building: what to build and what to choose operands by.
#[derive(Clone, Debug)]
struct Step {
    kind: u8,
    operands: [usize; 3],
    bits: u64,
}

fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let step = (any::<u8>(), any::<[usize; 3]>(), any::<u64>());
    proptest::collection::vec(step.prop_map(|(kind, operands, bits)| Step { kind, operands, bits }), 1..most)
}

/// A constant that rules are likely to look for.
fn constant(terms: &Terms, width: u32, bits: u64) -> Term {
    let value = bits >> 3;
    match bits % 8 {
        0 => terms.zero(width),
        1 => terms.all_ones(width),
        2 => terms.constant(width, 1),
        3 => terms.shift_left(terms.constant(width, 1), terms.constant(width, value % u64::from(width))),
        4 => {
            terms.logical_shift_right(terms.all_ones(width), terms.constant(width, value % u64::from(width)))
        }
        5 => terms.shift_left(terms.all_ones(width), terms.constant(width, value % u64::from(width))),
        6 => terms.constant(width, value % 17),
        _ => terms.constant(width, value),
    }
}

/// Builds terms by the steps, each from earlier ones; every term is paired with its raw twin.
fn build(terms: &Terms, oracle: &mut Oracle<'_>, leaves: &[Term], steps: &[Step]) -> Vec<(Term, Term)> {
    let mut pairs: Vec<(Term, Term)> = leaves.iter().map(|leaf| (*leaf, *leaf)).collect();
    for step in steps {
        let [a, b, c] = step.operands.map(|choice| pairs[choice % pairs.len()]);
        let width = terms.width(a.0);
        let of_width = |pair: (Term, Term), wanted: u32| {
            let same: Vec<_> = pairs.iter().filter(|(term, _)| terms.width(*term) == wanted).collect();
            match (terms.width(pair.0) == wanted, same.is_empty(), step.bits % 3) {
                (true, ..) => pair,
                (false, false, 1..) => *same[step.operands[1] % same.len()],
                _ => {
                    let constant = constant(terms, wanted, step.bits / 3);
                    (constant, constant)
                }
            }
        };
        let raw = |node| terms.intern(node);
        pairs.push(match step.kind % 32 {
            kind @ 0..18 => {
                let operator = BinaryOperator::ALL[kind as usize];
                let b = of_width(b, width);
                let (a, b) = if step.bits >> 60 & 1 == 1 { (b, a) } else { (a, b) };
                let result = if operator.is_comparison() { 1 } else { width };
                let node = Node::Binary { operator, width: result, left: a.1, right: b.1 };
                (oracle.binary(operator, a.0, b.0), raw(node))
            }
            kind @ 18..20 => {
                let operator = if kind == 18 { UnaryOperator::Not } else { UnaryOperator::Negate };
                (oracle.unary(operator, a.0), raw(Node::Unary { operator, width, operand: a.1 }))
            }
            20..23 => {
                let (b, c) = (of_width(b, width), of_width(c, 1));
                let node = Node::IfThenElse { width, condition: c.1, then: a.1, otherwise: b.1 };
                (oracle.choice(c.0, a.0, b.0), raw(node))
            }
            23..26 if width + terms.width(b.0) <= 200 => {
                let node = Node::Concat { width: width + terms.width(b.0), high: a.1, low: b.1 };
                (oracle.concat(a.0, b.0), raw(node))
            }
            kind @ 26..28 => {
                let signed = kind == 26;
                let wider = width + 1 + (step.bits % 9) as u32;
                let node = if signed {
                    Node::SignExtend { width: wider, operand: a.1 }
                } else {
                    Node::ZeroExtend { width: wider, operand: a.1 }
                };
                (oracle.extend(signed, a.0, wider), raw(node))
            }
            28 => {
                let constant = constant(terms, width, step.bits);
                (constant, constant)
            }
            _ => {
                let part = 1 + (step.bits % u64::from(width)) as u32;
                let offset = (step.bits >> 32) as u32 % (width - part + 1);
                let node = Node::Extract { width: part, offset, operand: a.1 };
                (oracle.extract(a.0, offset, part), raw(node))
            }
        });
    }
    pairs
}

/// Values at the corners of every width, and in between.
fn assignments(terms: &Terms, symbols: &[Term], seed: u64) -> Vec<Assignment> {
    let mut state = seed | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 17
    };
    let mut value = |symbol: Term| {
        let constant = constant(terms, terms.width(symbol), next());
        (symbol, terms.as_bitvector(constant).expect("a constant has a value"))
    };
    (0..24).map(|_| symbols.iter().map(|symbol| value(*symbol)).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    /// Words, bytes and wide vectors as programs have them.
    #[test]
    fn random_terms_keep_their_value(steps in steps(40), seed: u64) {
        let terms = Terms::new();
        let widths = [1, 1, 8, 8, 8, 8, 16, 32, 32, 64, 64, 72, 128];
        let symbols: Vec<Term> = (0..).zip(widths).map(|(i, width)| terms.symbol(&format!("s{i}"), width)).collect();
        let assignments = assignments(&terms, &symbols, seed);
        let pairs = build(&terms, &mut Oracle::new(&terms, &assignments), &symbols, &steps);
        let (built, raw) = *pairs.last().unwrap();
        prop_assert_eq!(evaluate(&terms, built, &assignments[0]), evaluate(&terms, raw, &assignments[0]));
    }

    /// Few symbols of small width, so that terms meet themselves again.
    #[test]
    fn random_narrow_terms_keep_their_value(steps in steps(60), seed: u64) {
        let terms = Terms::new();
        let symbols = [terms.symbol("x", 4), terms.symbol("y", 4), terms.symbol("c", 1)];
        let assignments = assignments(&terms, &symbols, seed);
        build(&terms, &mut Oracle::new(&terms, &assignments), &symbols, &steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Z3 proves raw and simplified terms equal, and computes what the evaluator computes.
    #[test]
    fn z3_agrees(steps in steps(12), seed: u64) {
        let terms = std::sync::Arc::new(Terms::new());
        let symbols = [terms.symbol("x", 5), terms.symbol("y", 5), terms.symbol("w", 3), terms.symbol("c", 1)];
        let assignments = assignments(&terms, &symbols, seed);
        let pairs = build(&terms, &mut Oracle::new(&terms, &assignments), &symbols, &steps);
        let mut solver = Z3Solver::new(terms.clone(), Z3Options::default());
        let differ = |left, right| {
            let equal = Node::Binary { operator: BinaryOperator::Equal, width: 1, left, right };
            let operand = terms.intern(equal);
            terms.intern(Node::Unary { operator: UnaryOperator::Not, width: 1, operand })
        };
        for (built, raw) in pairs {
            if terms.width(raw) > 12 {
                continue;
            }
            prop_assert_eq!(solver.check(&[differ(built, raw)]), Answer::Unsat, "{}", terms.display(raw));
            let value = terms.bitvector(&evaluate(&terms, raw, &assignments[0]));
            let fixed = assignments[0].entries().into_iter().map(|(symbol, value)| {
                terms.equal(symbol, terms.bitvector(value))
            });
            let query: Vec<Term> = fixed.chain([differ(raw, value)]).collect();
            prop_assert_eq!(solver.check(&query), Answer::Unsat, "{}", terms.display(raw));
        }
    }
}

/// All parts of one value, extended and not, side by side and one shifted above the other.
#[test]
fn all_pairs_of_parts() {
    let terms = Terms::new();
    let x = terms.symbol("x", 5);
    let assignments = all_assignments(&terms, &[x]);
    let mut oracle = Oracle::new(&terms, &assignments);
    let mut parts = vec![];
    for width in 1..=5 {
        for offset in 0..=5 - width {
            let part = oracle.extract(x, offset, width);
            parts.extend([part, oracle.extend(false, part, 6), oracle.extend(true, part, 6)]);
            parts.push(oracle.extend(true, part, width + 2));
        }
    }
    for &high in &parts {
        for &low in &parts {
            let pair = oracle.concat(high, low);
            oracle.concat(pair, low);
            oracle.extract(pair, 1, terms.width(pair) - 1);
            for zeros in 1..5 {
                let above = oracle.concat(high, terms.zero(zeros));
                let width = terms.width(above).max(terms.width(low)) + 1;
                let (above, low) = (oracle.extend(false, above, width), oracle.extend(false, low, width));
                for operator in [BinaryOperator::Add, BinaryOperator::Or, BinaryOperator::Xor] {
                    oracle.binary(operator, above, low);
                }
            }
        }
    }
}
