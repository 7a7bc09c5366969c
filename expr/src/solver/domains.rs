//! Conditions on one byte: decided by trying all of its values.
//!
//! Inputs are bytes, and most conditions of a program that reads text or tests bits are about one of them.
//! Such a condition is a set of at most 256 values; a conjunction is the intersection of sets.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Answer, Model, Solver, SolverStatistics};
use crate::node::Node;
use crate::text::smtlib::postorder;
use crate::{BitVector, Term, Terms, values::word};

/// Values of a byte.
const VALUES: usize = 256;
/// A condition of more parts than this is left to the layers below.
const MOST_PARTS: usize = 512;
/// How many conditions are remembered; beyond, all are forgotten.
const MOST_CONDITIONS: usize = 1 << 16;

/// A set of values of a byte.
type Values = [u64; VALUES / 64];

/// The values of one symbol under which a condition holds.
#[derive(Clone, Copy, Debug)]
struct Domain {
    symbol: Term,
    values: Values,
}

/// Decides conjunctions of conditions on one and the same symbol of at most 8 bits.
#[derive(Debug)]
pub struct Domains<S> {
    terms: Arc<Terms>,
    below: S,
    /// The domains of conditions met before; `None` for those of another kind.
    known: FxHashMap<Term, Option<Domain>>,
    decided: u64,
}

impl<S: Solver> Domains<S> {
    /// A layer above `below`.
    pub fn new(terms: Arc<Terms>, below: S) -> Self {
        Domains { terms, below, known: FxHashMap::default(), decided: 0 }
    }

    fn domain(&mut self, condition: Term) -> Option<Domain> {
        if self.terms.supports_are_exact() && !self.terms.support(condition).is_single() {
            return None;
        }
        if let Some(known) = self.known.get(&condition) {
            return *known;
        }
        if self.known.len() >= MOST_CONDITIONS {
            self.known.clear();
        }
        let domain = domain_of(&self.terms, condition);
        self.known.insert(condition, domain);
        domain
    }

    fn decide(&mut self, constraints: &[Term]) -> Option<Answer> {
        let (first, others) = constraints.split_first()?;
        // The newest constraint is the likeliest to be of another kind.
        let mut joint = self.domain(*others.last().unwrap_or(first))?;
        for constraint in constraints {
            let domain = self.domain(*constraint)?;
            if domain.symbol != joint.symbol {
                return None;
            }
            for (values, others) in joint.values.iter_mut().zip(domain.values) {
                *values &= others;
            }
        }
        let Some(place) = joint.values.iter().position(|values| *values != 0) else {
            return Some(Answer::Unsat);
        };
        let least = place as u64 * 64 + u64::from(joint.values[place].trailing_zeros());
        let value = BitVector::from_u64(self.terms.width(joint.symbol), least);
        Some(Answer::Sat(Model::new([(joint.symbol, value)].into_iter().collect())))
    }
}

/// The domain of a condition on one symbol of at most 8 bits, all parts of which fit a machine word.
fn domain_of(terms: &Terms, condition: Term) -> Option<Domain> {
    let parts = postorder(terms, &[condition]);
    if parts.len() > MOST_PARTS {
        return None;
    }
    let mut symbols = parts.iter().filter(|part| matches!(terms.node(**part), Node::Symbol { .. }));
    let symbol = *symbols.next()?;
    if symbols.next().is_some() || terms.width(symbol) > 8 {
        return None;
    }
    let mut places: FxHashMap<Term, usize> = FxHashMap::default();
    let mut columns: Vec<[u64; VALUES]> = Vec::with_capacity(parts.len());
    for part in parts {
        let column = column(terms, part, |operand| &columns[places[&operand]])?;
        places.insert(part, columns.len());
        columns.push(column);
    }
    let mut values = Values::default();
    for (value, holds) in columns.last()?.iter().enumerate().take(1 << terms.width(symbol)) {
        values[value / 64] |= (holds & 1) << (value % 64);
    }
    Some(Domain { symbol, values })
}

/// The values of a part under each value of the symbol, given those of its operands.
fn column<'c>(terms: &Terms, part: Term, of: impl Fn(Term) -> &'c [u64; VALUES]) -> Option<[u64; VALUES]> {
    let width = terms.width(part);
    if width > 64 {
        return None;
    }
    let mut column = [0; VALUES];
    let each = |column: &mut [u64; VALUES], value: &dyn Fn(usize) -> u64| {
        for (place, entry) in column.iter_mut().enumerate() {
            *entry = value(place);
        }
    };
    match *terms.node(part) {
        Node::Constant { value, .. } => column = [value; VALUES],
        Node::Symbol { .. } => each(&mut column, &|place| place as u64),
        Node::Unary { operator, operand, .. } => {
            let operand = of(operand);
            each(&mut column, &|place| word::unary(operator, width, operand[place]));
        }
        Node::Binary { operator, left, right, .. } => {
            let width = terms.width(left);
            let (left, right) = (of(left), of(right));
            each(&mut column, &|place| word::binary(operator, width, left[place], right[place]));
        }
        Node::IfThenElse { condition, then, otherwise, .. } => {
            let (condition, then, otherwise) = (of(condition), of(then), of(otherwise));
            each(&mut column, &|place| if condition[place] == 1 { then[place] } else { otherwise[place] });
        }
        Node::Concat { high, low, .. } => {
            let shift = terms.width(low);
            let (high, low) = (of(high), of(low));
            each(&mut column, &|place| high[place] << shift | low[place]);
        }
        Node::Extract { offset, operand, .. } => {
            let operand = of(operand);
            each(&mut column, &|place| operand[place] >> offset & word::mask(width));
        }
        Node::ZeroExtend { operand, .. } => column = *of(operand),
        Node::SignExtend { operand, .. } => {
            let narrow = terms.width(operand);
            let operand = of(operand);
            each(&mut column, &|place| word::signed(narrow, operand[place]) as u64 & word::mask(width));
        }
        // By the arithmetic of execution: Z3 would turn every operation into a circuit.
        Node::Float { operator, operands } => {
            let operands = operands.map(|operand| operand.map(&of));
            each(&mut column, &|place| {
                let patterns = operands.map(|values| values.map_or(0, |values| u128::from(values[place])));
                operator.apply(patterns) as u64
            });
        }
        Node::WideConstant { .. } => return None,
    }
    Some(column)
}

impl<S: Solver> Solver for Domains<S> {
    fn check(&mut self, constraints: &[Term]) -> Answer {
        self.check_connected(constraints)
    }

    fn check_connected(&mut self, constraints: &[Term]) -> Answer {
        match self.decide(constraints) {
            Some(answer) => {
                self.decided += 1;
                answer
            }
            None => self.below.check_connected(constraints),
        }
    }

    fn statistics(&self) -> SolverStatistics {
        let below = self.below.statistics();
        SolverStatistics { decided: below.decided + self.decided, ..below }
    }
}
