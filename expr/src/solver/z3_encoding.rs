//! Terms as Z3 expressions. Truth values become Z3's Booleans where they are compared or combined, and
//! bit vectors of width 1 only where a bit vector is needed.

use ::z3::ast::{BV, Bool};
use rustc_hash::FxHashMap;

use crate::node::{BinaryOperator, Node, UnaryOperator};
use crate::text::smtlib::postorder;
use crate::{BitVector, StopReason, StopToken, Term, Terms};

#[derive(Clone, Debug)]
enum Expression {
    Truth(Bool),
    Vector(BV),
}

/// How many terms are encoded between two looks at whether work is to end: about a millisecond.
const LOOK: usize = 1024;

/// A cache of encoded terms. Encoding keeps its own stack.
#[derive(Debug, Default)]
pub(super) struct Encoding {
    expressions: FxHashMap<Term, Expression>,
}

/// A value as a numeral.
fn numeral(value: &BitVector) -> BV {
    match value.limbs() {
        [word] => BV::from_u64(*word, value.width()),
        _ => {
            let bits: Vec<bool> = (0..value.width()).map(|bit| value.bit(bit)).collect();
            BV::from_bits(&bits).expect("a value has at least one bit")
        }
    }
}

impl Encoding {
    pub(super) fn len(&self) -> usize {
        self.expressions.len()
    }

    pub(super) fn clear(&mut self) {
        self.expressions.clear();
    }

    /// A term of width 1 as a Boolean, unless work is to end first.
    pub(super) fn truth(&mut self, terms: &Terms, term: Term, stop: &StopToken) -> Result<Bool, StopReason> {
        self.encode(terms, term, stop)?;
        Ok(self.known_truth(term))
    }

    /// A symbol as a bit vector.
    pub(super) fn symbol(&mut self, terms: &Terms, symbol: Term) -> BV {
        if !self.expressions.contains_key(&symbol) {
            let expression = self.encode_node(terms, symbol);
            self.expressions.insert(symbol, expression);
        }
        self.known_vector(symbol)
    }

    fn known_truth(&self, term: Term) -> Bool {
        match &self.expressions[&term] {
            Expression::Truth(truth) => truth.clone(),
            Expression::Vector(vector) => vector.eq(BV::from_u64(1, 1)),
        }
    }

    fn known_vector(&self, term: Term) -> BV {
        match &self.expressions[&term] {
            Expression::Truth(truth) => truth.ite(&BV::from_u64(1, 1), &BV::from_u64(0, 1)),
            Expression::Vector(vector) => vector.clone(),
        }
    }

    fn encode(&mut self, terms: &Terms, root: Term, stop: &StopToken) -> Result<(), StopReason> {
        if self.expressions.contains_key(&root) {
            return Ok(());
        }
        let mut open = vec![root];
        while let Some(&current) = open.last() {
            let before = open.len();
            let known = &self.expressions;
            open.extend(terms.node(current).operands().filter(|operand| !known.contains_key(operand)));
            if open.len() == before {
                open.pop();
                if !self.expressions.contains_key(&current) {
                    let expression = self.encode_node(terms, current);
                    self.expressions.insert(current, expression);
                    if self.expressions.len().is_multiple_of(LOOK) {
                        stop.check()?;
                    }
                }
            }
        }
        Ok(())
    }

    fn encode_node(&self, terms: &Terms, term: Term) -> Expression {
        use Expression::{Truth, Vector};
        match *terms.node(term) {
            Node::Constant { width: 1, value } => Truth(Bool::from_bool(value == 1)),
            Node::Constant { width, value } => Vector(BV::from_u64(value, width)),
            Node::WideConstant { width, ref limbs } => Vector(numeral(&BitVector::from_limbs(width, limbs))),
            // The number distinguishes symbols of one name, whatever they are called.
            Node::Symbol { width: 1, .. } => Truth(Bool::new_const(term.index())),
            Node::Symbol { width, .. } => Vector(BV::new_const(term.index(), width)),
            Node::Unary { operator: UnaryOperator::Not, width: 1, operand } => {
                Truth(self.known_truth(operand).not())
            }
            Node::Unary { operator, operand, .. } => {
                let operand = self.known_vector(operand);
                Vector(match operator {
                    UnaryOperator::Not => operand.bvnot(),
                    UnaryOperator::Negate => operand.bvneg(),
                })
            }
            Node::Binary { operator, left, right, .. } => self.encode_binary(terms, operator, left, right),
            Node::IfThenElse { width: 1, condition, then, otherwise } => {
                Truth(self.known_truth(condition).ite(&self.known_truth(then), &self.known_truth(otherwise)))
            }
            Node::IfThenElse { condition, then, otherwise, .. } => Vector(
                self.known_truth(condition).ite(&self.known_vector(then), &self.known_vector(otherwise)),
            ),
            Node::Concat { high, low, .. } => Vector(self.known_vector(high).concat(self.known_vector(low))),
            Node::Extract { offset, width, operand } => {
                Vector(self.known_vector(operand).extract(offset + width - 1, offset))
            }
            Node::ZeroExtend { width, operand } => {
                Vector(self.known_vector(operand).zero_ext(width - terms.width(operand)))
            }
            Node::SignExtend { width, operand } => {
                Vector(self.known_vector(operand).sign_ext(width - terms.width(operand)))
            }
            Node::Float { .. } => unreachable!("constraints with floats are answered by the layer above"),
        }
    }

    fn encode_binary(&self, terms: &Terms, operator: BinaryOperator, left: Term, right: Term) -> Expression {
        use BinaryOperator::*;
        use Expression::{Truth, Vector};
        if terms.width(left) == 1 && matches!(operator, And | Or | Xor | Equal) {
            let (a, b) = (self.known_truth(left), self.known_truth(right));
            return Truth(match operator {
                And => Bool::and(&[&a, &b]),
                Or => Bool::or(&[&a, &b]),
                Xor => a.xor(b),
                _ => a.eq(b),
            });
        }
        let (a, b) = (self.known_vector(left), self.known_vector(right));
        match operator {
            Add => Vector(a.bvadd(b)),
            Subtract => Vector(a.bvsub(b)),
            Multiply => Vector(a.bvmul(b)),
            UnsignedDivide => Vector(a.bvudiv(b)),
            SignedDivide => Vector(a.bvsdiv(b)),
            UnsignedRemainder => Vector(a.bvurem(b)),
            SignedRemainder => Vector(a.bvsrem(b)),
            And => Vector(a.bvand(b)),
            Or => Vector(a.bvor(b)),
            Xor => Vector(a.bvxor(b)),
            ShiftLeft => Vector(a.bvshl(b)),
            LogicalShiftRight => Vector(a.bvlshr(b)),
            ArithmeticShiftRight => Vector(a.bvashr(b)),
            Equal => Truth(a.eq(b)),
            UnsignedLess => Truth(a.bvult(b)),
            UnsignedLessEqual => Truth(a.bvule(b)),
            SignedLess => Truth(a.bvslt(b)),
            SignedLessEqual => Truth(a.bvsle(b)),
        }
    }
}

/// The distinct symbols of the constraints.
pub(super) fn symbols_of(terms: &Terms, constraints: &[Term]) -> Vec<Term> {
    let parts = postorder(terms, constraints);
    parts.into_iter().filter(|part| matches!(terms.node(*part), Node::Symbol { .. })).collect()
}
