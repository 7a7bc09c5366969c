//! Symbolic conditions, numbers and addresses: which way to go, which value, which object.

use crate::access::Purpose;
use crate::environment::Environment;
use crate::indeterminate::Use;
use crate::machine::Executor;
use crate::memory::{Life, Object};
use crate::state::State;
use crate::step::Running;
use crate::stop::{Incomplete, Stop};
use crate::value::Value;
use smallvec::{SmallVec, smallvec};
use symx_expr::solver::{Branch, Unresolved};
use symx_expr::{Assignment, BinaryOperator, Node, Term, Terms, evaluate};
use symx_ir::{Operand, SpanId};

/// Where a load goes.
pub(crate) enum Address {
    /// To this address.
    Fixed(u64),
    /// To one of several cells of an object, chosen by a term: this is the value read.
    Selected(Value),
}

impl<E: Environment> Executor<'_, E> {
    /// Decides a one-bit condition. Where both outcomes are possible, stops with the fork.
    pub fn decide(&mut self, state: &mut State<E>, condition: Value) -> Result<bool, Stop> {
        let term = match condition {
            Value::Concrete(bit) => return Ok(bit & 1 == 1),
            Value::Symbolic(term) => self.determinate(state, term, Use::Branch)?,
        };
        let terms = &self.machine.terms;
        if let Some(bit) = terms.as_constant(term) {
            return Ok(bit == 1);
        }
        if let Some(assignment) = &self.machine.options.assignment {
            return Ok(value_under(terms, term, assignment) & 1 == 1);
        }
        match self.queries.branch(&state.path, term) {
            Branch::True => Ok(true),
            Branch::False => Ok(false),
            Branch::Both => Err(Stop::Fork(smallvec![term, terms.not(term)])),
            Branch::Unknown(reason) => Err(unknown(reason)),
        }
    }

    /// One value that a term of at most 64 bits can have.
    fn example(&mut self, state: &State<E>, term: Term) -> Result<u64, Stop> {
        match self.queries.value(&state.path, term) {
            Ok(value) => Ok(value.limbs()[0]),
            Err(Unresolved::Infeasible) => Err(Stop::Infeasible),
            Err(Unresolved::Unknown(reason)) => Err(unknown(reason)),
        }
    }

    /// Picks one of several constraints, which exclude each other and together cover everything. Where several are
    /// possible, stops with the fork.
    pub(crate) fn choose_way(&mut self, state: &mut State<E>, ways: &[Term]) -> Result<usize, Stop> {
        let mut possible: SmallVec<[usize; 4]> = SmallVec::new();
        for (index, way) in ways.iter().enumerate() {
            let way = Value::of(&self.machine.terms, *way);
            match self.decide(state, way) {
                Ok(true) => return Ok(index),
                Ok(false) => {}
                Err(Stop::Fork(_)) => possible.push(index),
                Err(stop) => return Err(stop),
            }
        }
        match possible[..] {
            [] => Err(Stop::Infeasible),
            [only] => Ok(only),
            _ => Err(Stop::Fork(possible.iter().map(|index| ways[*index]).collect())),
        }
    }

    /// Assumes a one-bit condition from here on.
    pub fn assume(&mut self, state: &mut State<E>, condition: Value) -> Result<(), Stop> {
        let term = match condition {
            Value::Concrete(bit) if bit & 1 == 1 => return Ok(()),
            Value::Concrete(_) => return Err(Stop::Infeasible),
            Value::Symbolic(term) => self.determinate(state, term, Use::Branch)?,
        };
        match self.decide(state, Value::of(&self.machine.terms, term)) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Stop::Infeasible),
            Err(Stop::Fork(_)) => {
                state.path.add(&self.machine.terms, term);
                Ok(())
            }
            Err(stop) => Err(stop),
        }
    }

    /// A value as a number: a symbolic one forks into one value and the rest.
    pub fn concretize(&mut self, state: &mut State<E>, value: Value) -> Result<u64, Stop> {
        self.number_for(state, value, Use::Number)
    }

    /// A value as a number that is used so: a symbolic one forks into one value and the rest.
    pub(crate) fn number_for(
        &mut self,
        state: &mut State<E>,
        value: Value,
        used: Use<'_>,
    ) -> Result<u64, Stop> {
        let term = match value {
            Value::Concrete(bits) => return Ok(bits),
            Value::Symbolic(term) => self.determinate(state, term, used)?,
        };
        let terms = &self.machine.terms;
        if let Some(bits) = terms.as_constant(term) {
            return Ok(bits);
        }
        if let Some(assignment) = &self.machine.options.assignment {
            return Ok(value_under(terms, term, assignment));
        }
        let example = self.example(state, term)?;
        let equal = terms.binary(BinaryOperator::Equal, term, terms.constant(terms.width(term), example));
        match self.decide(state, Value::of(terms, equal))? {
            true => Ok(example),
            false => Err(Stop::Infeasible),
        }
    }

    /// An address for an access of `length` bytes, as a number. A symbolic one is first split by the objects it may
    /// point into, then enumerated.
    pub(crate) fn fixed_address(
        &mut self,
        state: &mut State<E>,
        address: Value,
        length: u64,
    ) -> Result<u64, Stop> {
        let Value::Symbolic(term) = address else { return self.concretize(state, address) };
        let term = self.determinate(state, term, Use::Address)?;
        self.resolve_object(state, term, length)?;
        self.concretize(state, Value::of(&self.machine.terms, term))
    }

    /// An address for a load: a symbolic one that stays within one small object reads all candidates by one term.
    pub(crate) fn address(
        &mut self,
        state: &mut State<E>,
        running: &Running<'_>,
        operand: Operand,
        length: u64,
    ) -> Result<Address, Stop> {
        let term = match running.value(operand) {
            Value::Concrete(address) => return Ok(Address::Fixed(address)),
            Value::Symbolic(term) => self.determinate(state, term, Use::Address)?,
        };
        if let Some(address) = self.machine.terms.as_constant(term) {
            return Ok(Address::Fixed(address));
        }
        let Some(base) = self.resolve_object(state, term, length)? else {
            return Ok(Address::Fixed(self.concretize(state, Value::Symbolic(term))?));
        };
        let cell = symx_ir::address::Cell::of(base).expect("resolved to an object");
        let size = state.memory.get(cell).expect("resolved to an object").size;
        // A visible access needs one address; so does an object too large to be one term.
        if size > self.machine.options.select_limit || self.is_visible(state, running.thread, cell) {
            return Ok(Address::Fixed(self.concretize(state, Value::Symbolic(term))?));
        }
        let object = state.memory.get(cell).expect("resolved to an object");
        let terms = &self.machine.terms;
        let offset = terms.binary(BinaryOperator::Subtract, term, terms.constant(64, base));
        let cells: Vec<Term> = (0..=size - length)
            .map(|at| object.read(terms, at, length).term(terms, 8 * length as u32))
            .collect();
        Ok(Address::Selected(Value::of(terms, terms.select(offset, &cells))))
    }

    /// Makes sure that `term` points to `length` bytes within one object, and returns that object's base. `None` when
    /// it can only point outside of any: the caller's access then faults.
    fn resolve_object(&mut self, state: &mut State<E>, term: Term, length: u64) -> Result<Option<u64>, Stop> {
        let terms = &self.machine.terms;
        let example = match &self.machine.options.assignment {
            Some(assignment) => value_under(terms, term, assignment),
            None => {
                // The object that the address is computed from is the likeliest: try it before any other.
                let hint = constant_addend(terms, term).filter(|hint| state.memory.near(*hint).is_some());
                match hint {
                    Some(hint) => hint,
                    None => self.example(state, term)?,
                }
            }
        };
        let Some(object) = state.memory.near(example) else { return Ok(None) };
        if object.life != Life::Live || object.size < length {
            return Ok(None);
        }
        let (base, inside) = (object.base, lies_inside(terms, term, object, length));
        if self.decide(state, Value::of(terms, inside))? {
            return Ok(Some(base));
        }
        // Not in the likeliest object: try the one an example hits.
        let example = match &self.machine.options.assignment {
            Some(_) => example,
            None => self.example(state, term)?,
        };
        let Ok((_, object)) = self.locate(state, example, length, Purpose::Read) else { return Ok(None) };
        let (base, inside) = (object.base, lies_inside(terms, term, object, length));
        if self.decide(state, Value::of(terms, inside))? { Ok(Some(base)) } else { Ok(None) }
    }
}

/// That the address `term` leaves room for `length` bytes within `object`, which is at least as large.
fn lies_inside(terms: &Terms, term: Term, object: &Object, length: u64) -> Term {
    let offset = terms.binary(BinaryOperator::Subtract, term, terms.constant(64, object.base));
    terms.binary(BinaryOperator::UnsignedLessEqual, offset, terms.constant(64, object.size - length))
}

pub(crate) fn unknown(reason: String) -> Stop {
    Stop::Incomplete(Incomplete { reason: "solver-unknown", what: reason, span: SpanId::UNKNOWN })
}

/// The value of a term of at most 64 bits under an assignment.
fn value_under(terms: &Terms, term: Term, assignment: &Assignment) -> u64 {
    evaluate(terms, term, assignment).limbs()[0]
}

/// The constant that a sum adds, which in an address is most likely the object's.
fn constant_addend(terms: &Terms, term: Term) -> Option<u64> {
    let mut term = term;
    while let Node::Binary { operator: BinaryOperator::Add, left, right, .. } = *terms.node(term) {
        if let Some(constant) = terms.as_constant(right) {
            return Some(constant);
        }
        term = left;
    }
    None
}
