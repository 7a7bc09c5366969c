//! Symbolic conditions, numbers and addresses: which way to go, which value, which place.

use crate::access::Purpose;
use crate::access::indeterminate::Use;
use crate::access::pointees::Target;
use crate::access::symbolic_range::Window;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::Life;
use crate::state::State;
use crate::stop::{Incomplete, Stop};
use crate::value::Value;
use smallvec::{SmallVec, smallvec};
use symx_expr::solver::{Branch, Undecided, Unresolved};
use symx_expr::{Assignment, BinaryOperator, Node, PathCondition, Term, Terms, UnaryOperator, evaluate};
use symx_ir::SpanId;
use symx_ir::address::Cell;
use symx_trace::{IncompleteReason, ThreadId};

/// Where an access goes.
pub(crate) enum Address {
    /// To this address.
    Fixed(u64),
    /// To one of several places within an object, by terms.
    Within(Window),
}

impl<E: Environment> Executor<'_, E> {
    /// Decides a one-bit condition. Where both outcomes are possible, stops with the fork.
    pub fn decide(&mut self, state: &mut State<E>, condition: Value) -> Result<bool, Stop> {
        let term = match self.determinate_condition(state, condition)? {
            Value::Concrete(bit) => return Ok(bit & 1 == 1),
            Value::Symbolic(term) => term,
        };
        // The path condition decides.
        self.present.effects += 1;
        if let Some(bit) = self.given_value(term) {
            let terms = &self.machine.terms;
            self.note_condition(if bit == 1 { term } else { terms.not(term) });
            return Ok(bit == 1);
        }
        let terms = &self.machine.terms;
        match self.queries.branch(&state.path, term) {
            Branch::True => Ok(true),
            Branch::False => Ok(false),
            Branch::Both => Err(Stop::Fork(smallvec![term, terms.not(term)])),
            Branch::Unknown(undecided) => Err(undecided.into()),
        }
    }

    /// A one-bit condition, as one over inputs alone.
    pub(crate) fn determinate_condition(
        &mut self,
        state: &mut State<E>,
        condition: Value,
    ) -> Result<Value, Stop> {
        let Value::Symbolic(_) = condition else { return Ok(condition) };
        let terms = &self.machine.terms;
        let term = self.determinate(state, condition.term(terms, 1), Use::Branch)?;
        Ok(Value::of(terms, term))
    }

    /// One value that a term of at most 64 bits can have.
    fn example(&mut self, state: &State<E>, term: Term) -> Result<u64, Stop> {
        Ok(settled(self.queries.value(&state.path, term))?.limbs()[0])
    }

    /// Picks one of several constraints, which exclude each other and together cover all that is to be
    /// explored. Where several are possible, stops with the fork.
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
        let condition = self.determinate_condition(state, condition)?;
        match self.decide(state, condition) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Stop::Infeasible),
            Err(Stop::Fork(_)) => {
                let terms = &self.machine.terms;
                state.path.add(terms, condition.term(terms, 1));
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
        self.present.effects += 1;
        if let Some(bits) = self.given_value(term) {
            let terms = &self.machine.terms;
            self.note_condition(terms.equal(term, terms.constant(terms.width(term), bits)));
            return Ok(bits);
        }
        let terms = &self.machine.terms;
        let example = self.example(state, term)?;
        let equals = |value| terms.equal(term, terms.constant(terms.width(term), value));
        let excluded = values_excluded(terms, &state.path, equals(example), example);
        // Low numbers come first: of sizes and counts these take least time, and show as much.
        let next = excluded.iter().max().map_or(0, |last| last.saturating_add(1));
        let value = match self.queries.low_value(&state.path, term, (next, example)) {
            Err(Unresolved::Unknown(Undecided::Beyond(_))) => example,
            low => settled(low)?,
        };
        match self.decide(state, Value::of(terms, equals(value))) {
            Ok(true) => Ok(value),
            Ok(false) => Err(Stop::Infeasible),
            Err(Stop::Fork(_)) if excluded.len() >= self.machine.options.value_limit => {
                let what = format!(
                    "a symbolic value that must be a number has more than {} values",
                    self.machine.options.value_limit
                );
                Err(Stop::Incomplete(Incomplete {
                    reason: IncompleteReason::ValueLimit,
                    what,
                    span: SpanId::UNKNOWN,
                }))
            }
            Err(stop) => Err(stop),
        }
    }

    /// An address for an access of `length` bytes, as a number. A symbolic one is first split by what it may
    /// point to; within an object it is then enumerated.
    pub(crate) fn fixed_address(
        &mut self,
        state: &mut State<E>,
        address: Value,
        length: u64,
    ) -> Result<u64, Stop> {
        let term = match address {
            Value::Concrete(address) => return Ok(address),
            Value::Symbolic(term) => self.determinate(state, term, Use::Address)?,
        };
        match self.target(state, term, length, Purpose::Read)? {
            Target::Object(_) => self.concretize(state, Value::of(&self.machine.terms, term)),
            Target::Nowhere(example) => Ok(self.pin(state, term, example)),
        }
    }

    /// Where an access of `length` bytes goes. A symbolic address is split by what it may point to; within a
    /// private object its places take part in terms. A visible access needs one address.
    pub(crate) fn address(
        &mut self,
        state: &mut State<E>,
        thread: ThreadId,
        address: Value,
        length: u64,
        purpose: Purpose,
    ) -> Result<Address, Stop> {
        let term = match address {
            Value::Concrete(address) => return Ok(Address::Fixed(address)),
            Value::Symbolic(term) => self.determinate(state, term, Use::Address)?,
        };
        if let Some(address) = self.machine.terms.as_constant(term) {
            return Ok(Address::Fixed(address));
        }
        let base = match self.target(state, term, length, purpose)? {
            Target::Object(base) => base,
            Target::Nowhere(example) => return Ok(Address::Fixed(self.pin(state, term, example))),
        };
        let cell = Cell::of(base).expect("an object lies in a cell");
        if self.given().is_some() || self.present.granted || self.is_visible(state, thread, cell) {
            return Ok(Address::Fixed(self.concretize(state, Value::Symbolic(term))?));
        }
        Ok(Address::Within(self.window(state, base, term, length)?))
    }

    /// The least number of bytes to resolve an access of `size` bytes by. It is all of them if concrete; one,
    /// or none, of a symbolic number, which forks into zero and the rest.
    pub(crate) fn least_extent(&mut self, state: &mut State<E>, size: Value) -> Result<u64, Stop> {
        let term = match size {
            Value::Concrete(size) => return Ok(size),
            Value::Symbolic(term) => term,
        };
        let some = Value::of(&self.machine.terms, self.machine.terms.is_nonzero(term));
        Ok(self.decide(state, some)?.into())
    }

    /// The number of bytes that an access at all of `addresses` is about. A symbolic one is split by whether
    /// there is room for as many; what fits is then enumerated.
    pub(crate) fn extent(
        &mut self,
        state: &mut State<E>,
        size: Value,
        addresses: &[u64],
    ) -> Result<u64, Stop> {
        let term = match size {
            Value::Concrete(size) => return Ok(size),
            Value::Symbolic(term) => term,
        };
        let room = |address: &u64| {
            let object = state.memory.near(*address).filter(|object| object.life == Life::Live);
            object.map_or(0, |object| object.size.saturating_sub(address.wrapping_sub(object.base)))
        };
        let room = addresses.iter().map(room).min().unwrap_or(0);
        let terms = &self.machine.terms;
        let width = terms.width(term);
        let room = terms.constant(width, room.min(u64::MAX >> (64 - width)));
        let fits = terms.binary(BinaryOperator::UnsignedLessEqual, term, room);
        if self.decide(state, Value::of(terms, fits))? {
            return self.concretize(state, size);
        }
        let example = match self.given_value(term) {
            Some(value) => value,
            None => self.example(state, term)?,
        };
        Ok(self.pin(state, term, example))
    }

    /// Settles a term on one of its values, for an access that is a fault whatever the value is.
    fn pin(&mut self, state: &mut State<E>, term: Term, value: u64) -> u64 {
        let terms = &self.machine.terms;
        let pinned = terms.equal(term, terms.constant(terms.width(term), value));
        state.path.add(terms, pinned);
        self.note_condition(pinned);
        value
    }
}

/// A value, if there is one under the path condition.
fn settled<V>(value: Result<V, Unresolved>) -> Result<V, Stop> {
    value.map_err(|unresolved| match unresolved {
        Unresolved::Infeasible => Stop::Infeasible,
        Unresolved::Unknown(undecided) => undecided.into(),
    })
}

/// The values of a term that the path has excluded one by one. `equal` compares it with an `example`: where
/// it is a sum, one of its parts with another constant.
fn values_excluded(terms: &Terms, path: &PathCondition, equal: Term, example: u64) -> Vec<u64> {
    let compared = |term| match *terms.node(term) {
        Node::Binary { operator: BinaryOperator::Equal, left, right, .. } => {
            Some((left, terms.as_constant(right)?))
        }
        _ => None,
    };
    let Some((about, constant)) = compared(equal) else { return Vec::new() };
    let excluded = |constraint: Term| match *terms.node(constraint) {
        Node::Unary { operator: UnaryOperator::Not, operand, .. } => {
            let (other, value) = compared(operand)?;
            (other == about).then(|| value.wrapping_sub(constant).wrapping_add(example))
        }
        _ => None,
    };
    path.iter().filter_map(excluded).collect()
}

/// The value of a term of at most 64 bits under an assignment.
pub(crate) fn value_under(terms: &Terms, term: Term, assignment: &Assignment) -> u64 {
    evaluate(terms, term, assignment).limbs()[0]
}
