//! Every layer that decides by itself agrees with Z3, and so does the path's bookkeeping above them all.

use std::sync::Arc;

use proptest::prelude::*;
use symx_expr::solver::{
    Answer, Branch, Domains, Orders, PathQueries, Solver, SolverStatistics, Undecided, Z3Options, Z3Solver,
    standard,
};
use symx_expr::{BinaryOperator, Evaluator, PathCondition, Term, Terms};

/// Below a layer under test: says that it was reached.
struct Below;

impl Solver for Below {
    fn check(&mut self, _: &[Term]) -> Answer {
        Answer::Unknown("below".into())
    }

    fn statistics(&self) -> SolverStatistics {
        SolverStatistics::default()
    }
}

/// Compares an answer with Z3's. Returns whether there was one.
fn agrees(terms: &Arc<Terms>, constraints: &[Term], answer: &Answer) -> bool {
    let mut z3 = Z3Solver::new(terms.clone(), Z3Options::default());
    match answer {
        Answer::Unknown(reason) => {
            assert_eq!(*reason, Undecided::from("below"));
            return false;
        }
        Answer::Unsat => assert_eq!(z3.check(constraints), Answer::Unsat),
        Answer::Sat(model) => {
            let mut evaluator = Evaluator::new(terms, model);
            for constraint in constraints {
                assert!(evaluator.is_true(*constraint), "{}", terms.display(*constraint));
            }
        }
    }
    true
}

/// Shape of a comparison: operator, operands, whether it is negated.
type Comparison = (u8, u8, u8, bool);

fn comparisons(most: usize) -> impl Strategy<Value = Vec<Comparison>> {
    prop::collection::vec((0..5_u8, any::<u8>(), any::<u8>(), any::<bool>()), 1..most)
}

fn compare(terms: &Terms, (operator, _, _, negated): Comparison, left: Term, right: Term) -> Term {
    use BinaryOperator::{Equal, SignedLess, SignedLessEqual, UnsignedLess, UnsignedLessEqual};
    let operators = [Equal, UnsignedLess, UnsignedLessEqual, SignedLess, SignedLessEqual];
    let comparison = terms.binary(operators[operator as usize], left, right);
    if negated { terms.not(comparison) } else { comparison }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn orders_agree(shapes in comparisons(9), width in 2_u32..4, signed in any::<bool>(), constants in any::<bool>()) {
        let terms = Arc::new(Terms::new());
        // Numbers of one symbol and of two, small enough for bounds to matter.
        let symbol = |name: &str, width| terms.symbol(name, width);
        let row = terms.concat(symbol("high", 1), symbol("low", width - 1));
        let numbers = [symbol("a", width), symbol("b", width), symbol("c", width), row];
        let number = |choice: u8| {
            let choice = choice as usize % if constants { 7 } else { 4 };
            numbers.get(choice).copied().unwrap_or_else(|| terms.constant(width, choice as u64 * 3))
        };
        let constraints: Vec<Term> = shapes
            .iter()
            .map(|&(operator, left, right, negated)| {
                let operator = if operator == 0 { 0 } else { 1 + operator % 2 + 2 * u8::from(signed) };
                compare(&terms, (operator, left, right, negated), number(left), number(right))
            })
            .filter(|constraint| !terms.is_constant(*constraint))
            .collect();
        prop_assume!(!constraints.is_empty());
        let answer = Orders::new(terms.clone(), Below).check(&constraints);
        agrees(&terms, &constraints, &answer);
    }

    #[test]
    fn domains_agree(shapes in comparisons(6), width in 1_u32..9) {
        let terms = Arc::new(Terms::new());
        let byte = terms.symbol("byte", width);
        let wide = [
            terms.zero_extend(byte, 16),
            terms.sign_extend(byte, 16),
            terms.multiply(terms.zero_extend(byte, 16), terms.constant(16, 77)),
            terms.unsigned_remainder(terms.sign_extend(byte, 16), terms.constant(16, 7)),
            terms.shift_left(terms.constant(16, 3), terms.zero_extend(byte, 16)),
            terms.concat(terms.sign_extend(byte, 9), terms.negate(terms.zero_extend(byte, 9))),
        ];
        let wide = wide.map(|term| terms.zero_extend(term, 24));
        let operand = |choice: u8| match wide.get(choice as usize % 8) {
            Some(term) => *term,
            None => terms.constant(24, choice.into()),
        };
        let constraints: Vec<Term> = shapes
            .iter()
            .map(|&shape| compare(&terms, shape, operand(shape.1), operand(shape.2)))
            .filter(|constraint| !terms.is_constant(*constraint))
            .collect();
        prop_assume!(!constraints.is_empty());
        let answer = Domains::new(terms.clone(), Below).check(&constraints);
        prop_assert!(agrees(&terms, &constraints, &answer), "one symbol is always decided");
    }

    /// Walks down a path, taking a side of every condition that can go both ways, as an interpreter does;
    /// with more symbols than supports distinguish.
    #[test]
    fn branches_agree(shapes in comparisons(14), many in any::<bool>()) {
        let terms = Arc::new(Terms::new());
        let symbols: Vec<Term> =
            (0..if many { 80 } else { 6 }).map(|number| terms.symbol(&format!("s{number}"), 4)).collect();
        let mut queries = PathQueries::new(terms.clone(), standard(&terms, Z3Options::default()));
        let mut z3 = Z3Solver::new(terms.clone(), Z3Options::default());
        let mut path = PathCondition::new();
        // A few symbols far apart, two of which have one bit.
        let pick = |choice: u8| symbols[[0, 1, 2, 3, 64, 65][choice as usize % 6] % symbols.len()];
        for shape in shapes {
            let left = match shape.1 >> 6 {
                0 => terms.add(pick(shape.1), pick(shape.1 >> 3)),
                1 => terms.multiply(pick(shape.1), pick(shape.2 >> 3)),
                _ => pick(shape.1),
            };
            let right = if shape.2 >> 7 == 0 { terms.constant(4, shape.2.into()) } else { pick(shape.2) };
            let mut condition = compare(&terms, shape, left, right);
            if shape.1 & 32 != 0 {
                condition = terms.or(condition, terms.equal(pick(shape.2 >> 2), terms.constant(4, 3)));
            }
            let negation = terms.not(condition);
            let mut possible = |side: Term| {
                let constraints: Vec<Term> = path.iter().chain([side]).collect();
                matches!(z3.check(&constraints), Answer::Sat(_))
            };
            let expected = match (possible(condition), possible(negation)) {
                (true, true) => Branch::Both,
                (true, false) => Branch::True,
                _ => Branch::False,
            };
            prop_assert_eq!(queries.branch(&path, condition), expected.clone());
            if expected == Branch::Both {
                let side = if shape.3 { condition } else { negation };
                path.add(&terms, side);
                prop_assert_eq!(path.decided(&terms, condition), Some(shape.3));
            }
        }
        let model = queries.model(&path).expect("a path has inputs");
        let mut evaluator = Evaluator::new(&terms, &model);
        prop_assert!(path.iter().all(|constraint| evaluator.is_true(constraint)));
    }
}
