//! Bit-vector terms as clauses.

use std::collections::HashMap;
use symx_expr::{BinaryOperator, Node, Term, Terms, UnaryOperator};

/// Translates terms; a bit is a literal of the solver.
#[derive(Debug)]
pub(super) struct Circuits {
    /// The last variable in use.
    variables: i32,
    /// Clauses not handed over yet, each ended by 0.
    pub(super) clauses: Vec<i32>,
    /// By term, its bits, the least significant first.
    bits: HashMap<Term, Vec<i32>>,
    gates: HashMap<(Gate, i32, i32), i32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Gate {
    And,
    Xor,
}

/// True in every solution.
const TRUE: i32 = 1;

impl Circuits {
    pub(super) fn new() -> Self {
        Self { variables: 1, clauses: vec![TRUE, 0], bits: HashMap::new(), gates: HashMap::new() }
    }

    /// A new variable.
    pub(super) fn variable(&mut self) -> i32 {
        self.variables += 1;
        self.variables
    }

    /// Adds a clause.
    pub(super) fn clause(&mut self, literals: &[i32]) {
        self.clauses.extend_from_slice(literals);
        self.clauses.push(0);
    }

    /// The bits of a term that was translated.
    pub(super) fn known(&self, term: Term) -> Option<&[i32]> {
        self.bits.get(&term).map(Vec::as_slice)
    }

    /// The bits of a term without floats.
    pub(super) fn bits(&mut self, terms: &Terms, term: Term) -> &[i32] {
        let mut open = vec![term];
        while let Some(&current) = open.last() {
            let before = open.len();
            if !self.bits.contains_key(&current) {
                let known = &self.bits;
                open.extend(terms.node(current).operands().filter(|operand| !known.contains_key(operand)));
            }
            if open.len() == before {
                open.pop();
                if !self.bits.contains_key(&current) {
                    let bits = self.translate(terms, current);
                    self.bits.insert(current, bits);
                }
            }
        }
        &self.bits[&term]
    }

    fn translate(&mut self, terms: &Terms, term: Term) -> Vec<i32> {
        let of = |operand: Term| self.bits[&operand].clone();
        match *terms.node(term) {
            Node::Constant { .. } | Node::WideConstant { .. } => {
                let value = terms.as_bitvector(term).expect("a constant has a value");
                (0..value.width()).map(|bit| constant(value.bit(bit))).collect()
            }
            Node::Symbol { width, .. } => (0..width).map(|_| self.variable()).collect(),
            Node::Unary { operator: UnaryOperator::Not, operand, .. } => negated(&of(operand)),
            Node::Unary { operator: UnaryOperator::Negate, operand, .. } => {
                let operand = of(operand);
                self.negate(&operand)
            }
            Node::Binary { operator, left, right, .. } => {
                let (left, right) = (of(left), of(right));
                self.binary(operator, &left, &right)
            }
            Node::IfThenElse { condition, then, otherwise, .. } => {
                let (condition, then, otherwise) = (of(condition)[0], of(then), of(otherwise));
                self.choose(condition, &then, &otherwise)
            }
            Node::Concat { high, low, .. } => [of(low), of(high)].concat(),
            Node::Extract { width, offset, operand } => {
                of(operand)[offset as usize..(offset + width) as usize].to_vec()
            }
            Node::ZeroExtend { width, operand } => extended(of(operand), width, -TRUE),
            Node::SignExtend { width, operand } => {
                let operand = of(operand);
                let sign = operand[operand.len() - 1];
                extended(operand, width, sign)
            }
            Node::Float { .. } => unreachable!("floats are left to another engine"),
        }
    }

    fn and(&mut self, one: i32, other: i32) -> i32 {
        match (one, other) {
            (TRUE, literal) | (literal, TRUE) => literal,
            (-1, _) | (_, -1) => -TRUE,
            _ if one == other => one,
            _ if one == -other => -TRUE,
            _ => {
                let key = (Gate::And, one.min(other), one.max(other));
                if let Some(gate) = self.gates.get(&key) {
                    return *gate;
                }
                let gate = self.variable();
                self.clause(&[-gate, one]);
                self.clause(&[-gate, other]);
                self.clause(&[gate, -one, -other]);
                self.gates.insert(key, gate);
                gate
            }
        }
    }

    fn or(&mut self, one: i32, other: i32) -> i32 {
        -self.and(-one, -other)
    }

    fn xor(&mut self, one: i32, other: i32) -> i32 {
        match (one, other) {
            (TRUE, literal) | (literal, TRUE) => return -literal,
            (-1, literal) | (literal, -1) => return literal,
            _ if one == other => return -TRUE,
            _ if one == -other => return TRUE,
            _ => {}
        }
        let sign = one.signum() * other.signum();
        let (one, other) = (one.abs().min(other.abs()), one.abs().max(other.abs()));
        let key = (Gate::Xor, one, other);
        if let Some(gate) = self.gates.get(&key) {
            return sign * gate;
        }
        let gate = self.variable();
        self.clause(&[-gate, one, other]);
        self.clause(&[-gate, -one, -other]);
        self.clause(&[gate, -one, other]);
        self.clause(&[gate, one, -other]);
        self.gates.insert(key, gate);
        sign * gate
    }

    /// `condition ? then : otherwise`.
    fn choose_bit(&mut self, condition: i32, then: i32, otherwise: i32) -> i32 {
        if then == otherwise {
            return then;
        }
        match condition {
            TRUE => return then,
            -1 => return otherwise,
            _ => {}
        }
        let (one, other) = (self.and(condition, then), self.and(-condition, otherwise));
        self.or(one, other)
    }

    fn choose(&mut self, condition: i32, then: &[i32], otherwise: &[i32]) -> Vec<i32> {
        then.iter()
            .zip(otherwise)
            .map(|(then, otherwise)| self.choose_bit(condition, *then, *otherwise))
            .collect()
    }

    /// Sum, and what is carried out of it.
    fn add(&mut self, left: &[i32], right: &[i32], mut carry: i32) -> (Vec<i32>, i32) {
        let mut sum = Vec::with_capacity(left.len());
        for (left, right) in left.iter().zip(right) {
            let half = self.xor(*left, *right);
            sum.push(self.xor(half, carry));
            let (both, through) = (self.and(*left, *right), self.and(half, carry));
            carry = self.or(both, through);
        }
        (sum, carry)
    }

    fn negate(&mut self, operand: &[i32]) -> Vec<i32> {
        let zero = vec![-TRUE; operand.len()];
        self.add(&zero, &negated(operand), TRUE).0
    }

    /// Whether left is less than right, unsigned.
    fn less(&mut self, left: &[i32], right: &[i32]) -> i32 {
        -self.add(left, &negated(right), TRUE).1
    }

    fn equal(&mut self, left: &[i32], right: &[i32]) -> i32 {
        left.iter().zip(right).fold(TRUE, |equal, (left, right)| {
            let differ = self.xor(*left, *right);
            self.and(equal, -differ)
        })
    }

    fn multiply(&mut self, left: &[i32], right: &[i32]) -> Vec<i32> {
        let width = left.len();
        let mut product = vec![-TRUE; width];
        for (place, bit) in right.iter().enumerate().filter(|(_, bit)| **bit != -TRUE) {
            let part: Vec<i32> = left[..width - place].iter().map(|left| self.and(*left, *bit)).collect();
            let (sum, _) = self.add(&product[place..], &part, -TRUE);
            product[place..].copy_from_slice(&sum);
        }
        product
    }

    /// Quotient and remainder, as by hand. A divisor of zero gives SMT-LIB's results by itself.
    fn divide(&mut self, left: &[i32], right: &[i32]) -> (Vec<i32>, Vec<i32>) {
        let width = left.len();
        let divisor = extended(right.to_vec(), width as u32 + 1, -TRUE);
        let mut remainder = vec![-TRUE; width + 1];
        let mut quotient = vec![-TRUE; width];
        for place in (0..width).rev() {
            remainder.rotate_right(1);
            remainder[0] = left[place];
            let (difference, fits) = self.add(&remainder, &negated(&divisor), TRUE);
            quotient[place] = fits;
            remainder = self.choose(fits, &difference, &remainder);
        }
        remainder.truncate(width);
        (quotient, remainder)
    }

    fn magnitude(&mut self, operand: &[i32]) -> Vec<i32> {
        let opposite = self.negate(operand);
        self.choose(operand[operand.len() - 1], &opposite, operand)
    }

    fn signed_divide(&mut self, left: &[i32], right: &[i32]) -> (Vec<i32>, Vec<i32>) {
        let (left_sign, right_sign) = (left[left.len() - 1], right[right.len() - 1]);
        let (left, right) = (self.magnitude(left), self.magnitude(right));
        let (quotient, remainder) = self.divide(&left, &right);
        let (less, rest) = (self.negate(&quotient), self.negate(&remainder));
        let differ = self.xor(left_sign, right_sign);
        (self.choose(differ, &less, &quotient), self.choose(left_sign, &rest, &remainder))
    }

    /// Shifts towards the most significant bit, `fill` coming in.
    fn shift(&mut self, operand: &[i32], amount: &[i32], fill: i32) -> Vec<i32> {
        let width = operand.len();
        let mut shifted = operand.to_vec();
        for (stage, bit) in amount.iter().enumerate() {
            let distance =
                1_usize.checked_shl(stage as u32).filter(|_| stage < 32).unwrap_or(width).min(width);
            let mut moved = vec![fill; distance];
            moved.extend_from_slice(&shifted[..width - distance]);
            shifted = self.choose(*bit, &moved, &shifted);
        }
        shifted
    }

    fn binary(&mut self, operator: BinaryOperator, left: &[i32], right: &[i32]) -> Vec<i32> {
        use BinaryOperator::*;
        let bitwise = |circuits: &mut Self, gate: fn(&mut Self, i32, i32) -> i32| {
            left.iter().zip(right).map(|(left, right)| gate(circuits, *left, *right)).collect()
        };
        let shift_right = |circuits: &mut Self, fill: i32| {
            let mirrored: Vec<i32> = left.iter().rev().copied().collect();
            let mut shifted = circuits.shift(&mirrored, right, fill);
            shifted.reverse();
            shifted
        };
        match operator {
            Add => self.add(left, right, -TRUE).0,
            Subtract => self.add(left, &negated(right), TRUE).0,
            Multiply => self.multiply(left, right),
            UnsignedDivide => self.divide(left, right).0,
            UnsignedRemainder => self.divide(left, right).1,
            SignedDivide => self.signed_divide(left, right).0,
            SignedRemainder => self.signed_divide(left, right).1,
            And => bitwise(self, Self::and),
            Or => bitwise(self, Self::or),
            Xor => bitwise(self, Self::xor),
            ShiftLeft => self.shift(left, right, -TRUE),
            LogicalShiftRight => shift_right(self, -TRUE),
            ArithmeticShiftRight => shift_right(self, left[left.len() - 1]),
            Equal => vec![self.equal(left, right)],
            UnsignedLess => vec![self.less(left, right)],
            UnsignedLessEqual => vec![-self.less(right, left)],
            SignedLess => vec![self.less(&biased(left), &biased(right))],
            SignedLessEqual => vec![-self.less(&biased(right), &biased(left))],
        }
    }
}

fn constant(value: bool) -> i32 {
    if value { TRUE } else { -TRUE }
}

fn negated(bits: &[i32]) -> Vec<i32> {
    bits.iter().map(|bit| -bit).collect()
}

fn extended(mut bits: Vec<i32>, width: u32, fill: i32) -> Vec<i32> {
    bits.resize(width as usize, fill);
    bits
}

/// With the sign turned round, signed numbers compare as unsigned ones do.
fn biased(bits: &[i32]) -> Vec<i32> {
    let mut bits = bits.to_vec();
    if let Some(sign) = bits.last_mut() {
        *sign = -*sign;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use cadical_sys::{CaDiCal, Status};
    use symx_expr::{Assignment, BitVector, evaluate};

    /// Whether the circuit of a term computes what the evaluator does, for these values of its symbols.
    fn agrees(terms: &Terms, term: Term, symbols: [Term; 2], values: impl Iterator<Item = [u64; 2]>) {
        let mut circuits = Circuits::new();
        let output = circuits.bits(terms, term).to_vec();
        let inputs = symbols.map(|symbol| circuits.bits(terms, symbol).to_vec());
        let mut solver = CaDiCal::new();
        solver.set("factor", 0);
        circuits.clauses.iter().for_each(|literal| solver.add(*literal));
        for pair in values {
            let mut assignment = Assignment::new();
            for ((symbol, bits), value) in symbols.iter().zip(&inputs).zip(pair) {
                assignment.set(*symbol, BitVector::from_u64(terms.width(*symbol), value));
                for (place, bit) in bits.iter().enumerate() {
                    solver.assume(if value >> place & 1 == 1 { *bit } else { -bit });
                }
            }
            assert_eq!(solver.solve(), Status::SATISFIABLE);
            let expected = evaluate(terms, term, &assignment);
            for (place, bit) in output.iter().enumerate() {
                let is_set = solver.val(*bit) == *bit;
                assert_eq!(is_set, expected.bit(place as u32), "{} at {pair:?}", terms.display(term));
            }
        }
    }

    fn pairs(width: u32) -> impl Iterator<Item = [u64; 2]> {
        let most = 1_u64 << width;
        let step = if width > 4 { 13 } else { 1 };
        (0..most).step_by(step).flat_map(move |one| (0..most).step_by(step).map(move |other| [one, other]))
    }

    #[test]
    fn circuits_compute_what_terms_mean() {
        for width in [1, 2, 3, 4, 7] {
            let terms = Terms::new();
            let symbols = ["a", "b"].map(|name| terms.symbol(name, width));
            let [a, b] = symbols;
            for operator in BinaryOperator::ALL {
                agrees(&terms, terms.binary(operator, a, b), symbols, pairs(width));
                let five = terms.constant(width, 5 & ((1 << width) - 1));
                agrees(&terms, terms.binary(operator, five, b), symbols, pairs(width).step_by(3));
                agrees(&terms, terms.binary(operator, a, five), symbols, pairs(width).step_by(3));
            }
            let others = [
                terms.not(a),
                terms.negate(a),
                terms.if_then_else(terms.unsigned_less(a, b), a, terms.add(a, b)),
                terms.concat(a, b),
                terms.extract(terms.multiply(a, b), width - 1, 1),
                terms.zero_extend(terms.add(a, b), width + 3),
                terms.sign_extend(terms.subtract(a, b), width + 3),
                terms.bitvector(&BitVector::all_ones(70)),
            ];
            others.into_iter().for_each(|term| agrees(&terms, term, symbols, pairs(width)));
        }
    }
}
