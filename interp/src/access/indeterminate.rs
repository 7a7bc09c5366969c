//! Indeterminate values: what uninitialised memory holds, and what an operation without
//! a defined result leaves.
//!
//! Such a value is a term over a symbol of a kind of its own, so that the simplifier propagates it bit by
//! bit. Copying it, masking it away or storing a bit-field beside it is no fault. It becomes one where the
//! program's behaviour depends on it: a branch, an address, a divisor, a call, output. The symbol's name says
//! where it comes from. It is the same for the same byte at the same place, so that reading twice gives the
//! same term. It is no input: replay needs no value for it.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::Origin;
use crate::memory::cause::{Cause, PoisonReason};
use crate::state::State;
use crate::stop::{Fault, Stop};
use crate::threads::modelled::ModelledFunction;
use crate::value::Value;
use std::fmt;
use symx_expr::solver::Unresolved;
use symx_expr::{Assignment, BitVector, Node, PathCondition, Term, Terms};
use symx_ir::SpanId;
use symx_trace::{FailureDetail, FailureKind, Forgivable, Policy, ThreadId};

/// The decision that depends on a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Use<'a> {
    /// Which way to go.
    Branch,
    /// Which memory to touch.
    Address,
    /// A number that must be known: a size, a count, an operand of an instruction that has no term.
    Number,
    /// A divisor.
    Divisor,
    /// Which function to call.
    Callee,
    /// The input of a modelled function: an argument, or memory it reads.
    Argument(&'a ModelledFunction),
}

impl fmt::Display for Use<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Branch => formatter.write_str("a branch depends on"),
            Self::Address => formatter.write_str("an address depends on"),
            Self::Number => formatter.write_str("a computation depends on"),
            Self::Divisor => formatter.write_str("a divisor depends on"),
            Self::Callee => formatter.write_str("the choice of the function called depends on"),
            Self::Argument(function) if function.is_reserved => {
                formatter.write_str("a system call depends on")
            }
            Self::Argument(function) => write!(formatter, "`{}` depends on", function.name),
        }
    }
}

impl<E: Environment> Executor<'_, E> {
    /// Whether a result without a defined value is always what a machine computes instead.
    pub(crate) fn ignores(&self, reason: PoisonReason) -> bool {
        Forgivable::of(reason.detail()) == Some(Forgivable::Overflow)
            && self.machine.options.tolerance.of(Forgivable::Overflow) == Policy::Ignore
    }

    /// Whether a result without a defined value is what a machine computes instead. The fault that is to be
    /// warned of, where it is one.
    #[cold]
    pub(crate) fn wraps(&self, reason: PoisonReason) -> Result<bool, Stop> {
        if Forgivable::of(reason.detail()) != Some(Forgivable::Overflow) {
            return Ok(false);
        }
        let is_forgiven = self.forgives(Forgivable::Overflow);
        if !is_forgiven && self.machine.options.tolerance.of(Forgivable::Overflow) == Policy::Warn {
            return Err(Fault::new(FailureKind::Arithmetic, reason.detail(), reason.description()).into());
        }
        Ok(is_forgiven)
    }

    /// The value of `bits` bits that an operation at `span` leaves which has no defined result.
    ///
    /// It stops nothing by itself: compilers compute such results early and drop them.
    #[cold]
    pub fn poison(
        &mut self,
        _state: &mut State<E>,
        thread: ThreadId,
        span: SpanId,
        bits: u8,
        reason: PoisonReason,
    ) -> Result<Value, Stop> {
        Ok(self.undefined(thread, span, bits, reason))
    }

    /// As [`poison`](Self::poison), where there is no state at hand.
    #[cold]
    pub(crate) fn undefined(&self, thread: ThreadId, span: SpanId, bits: u8, reason: PoisonReason) -> Value {
        Value::Symbolic(self.undefined_term(thread, span, bits.into(), reason))
    }

    /// The same of any width.
    #[cold]
    pub(crate) fn undefined_term(
        &self,
        thread: ThreadId,
        span: SpanId,
        bits: u32,
        reason: PoisonReason,
    ) -> Term {
        let cause = Cause::Poison { reason, origin: Origin { thread, span } };
        self.machine.terms.indeterminate(&cause.to_string(), bits)
    }

    /// A term that decides something, as one over inputs alone. A fault if it depends on what is
    /// indeterminate; if it does so for some inputs only, stops with the fork.
    pub(crate) fn determinate(
        &mut self,
        state: &mut State<E>,
        term: Term,
        used: Use<'_>,
    ) -> Result<Term, Stop> {
        let terms = &self.machine.terms;
        if !self.indeterminate.occur_in(terms, term) {
            return Ok(term);
        }
        let symbols = self.indeterminate.symbols(terms, term);
        let zeros = terms.substitute(term, &assign(terms, &symbols, |_| 0));
        let options = &self.machine.options;
        let handed_over = options.tolerates_unwritten_arguments && matches!(used, Use::Argument(_));
        if !self.are_unwritten(&symbols) || !handed_over && !self.forgives(Forgivable::Uninitialised) {
            return self.equal_with_all(state, term, zeros, &symbols, used);
        }
        if self.forgives(Forgivable::Uninitialised) {
            return Ok(zeros);
        }
        match self.equal_with_all(state, term, zeros, &symbols, used) {
            Err(Stop::Fault(fault)) => {
                self.present.misuse_met.push(*fault);
                Ok(zeros)
            }
            other => other,
        }
    }

    /// `zeros`, which the term is with zeros for the symbols, if it is the same whatever they are.
    fn equal_with_all(
        &mut self,
        state: &mut State<E>,
        term: Term,
        zeros: Term,
        symbols: &[Term],
        used: Use<'_>,
    ) -> Result<Term, Stop> {
        let terms = &self.machine.terms;
        // Under a few other values first.
        for pattern in [|_| u64::MAX, |_| 1, |index| 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(index + 1)] {
            let other = terms.substitute(term, &assign(terms, symbols, pattern));
            let differ = terms.not_equal(zeros, other);
            if self.decide(state, Value::of(terms, differ))? {
                return Err(self.indeterminate_fault(symbols, used));
            }
        }
        while let Some(other) = self.witness(state, zeros, term, symbols)? {
            let terms = &self.machine.terms;
            let differ = terms.not_equal(zeros, terms.substitute(term, &other));
            // One such value may be enough for few inputs only. Those that depend on none come before the
            // rest, which may take a value each.
            let depends = self.indeterminate.dependence(terms, term);
            let (independent, same) = (terms.not(depends), terms.not(differ));
            let ways = [differ, terms.and(independent, same), terms.and(depends, same)];
            // Where arithmetic lost a result, using it is undefined whatever its value: the rest would show
            // this fault again, or what comes after it.
            let shown = if self.are_lost(symbols) { &ways[..2] } else { &ways[..] };
            match self.choose_way(state, shown)? {
                0 => {
                    state.path.add(&self.machine.terms, differ);
                    return Err(self.indeterminate_fault(symbols, used));
                }
                1 => return Ok(zeros),
                _ => {}
            }
        }
        Ok(zeros)
    }

    /// A value that is passed on and decides nothing, with zeros for unwritten bytes.
    pub(crate) fn passed_on(&mut self, value: Value) -> Value {
        let terms = &self.machine.terms;
        match value {
            Value::Symbolic(term) if self.indeterminate.occur_in(terms, term) => {
                let symbols = self.indeterminate.symbols(terms, term);
                if !self.are_unwritten(&symbols) {
                    return value;
                }
                Value::of(terms, terms.substitute(term, &assign(terms, &symbols, |_| 0)))
            }
            _ => value,
        }
    }

    /// Whether all these indeterminate symbols denote unwritten memory.
    fn are_unwritten(&self, symbols: &[Term]) -> bool {
        symbols.iter().all(|symbol| match self.machine.terms.node(*symbol) {
            Node::Symbol { name, .. } => matches!(Cause::parse(name), Some(Cause::Unwritten { .. })),
            _ => false,
        })
    }

    /// Whether all these indeterminate symbols denote results that arithmetic lost.
    fn are_lost(&self, symbols: &[Term]) -> bool {
        symbols.iter().all(|symbol| match self.machine.terms.node(*symbol) {
            Node::Symbol { name, .. } => {
                matches!(Cause::parse(name), Some(Cause::Poison { reason, .. }) if reason.is_of_arithmetic())
            }
            _ => false,
        })
    }

    /// Values of the indeterminate `symbols` under which `term` is not `expected` for some
    /// inputs of the path.
    fn witness(
        &mut self,
        state: &State<E>,
        expected: Term,
        term: Term,
        symbols: &[Term],
    ) -> Result<Option<Assignment>, Stop> {
        let terms = &self.machine.terms;
        let mut differ = terms.not_equal(expected, term);
        let path = match self.given() {
            None => state.path.clone(),
            // All else has values: only what is indeterminate is open.
            Some(given) => {
                let inputs = state.inputs.iter().flat_map(|input| input.bytes.iter());
                let values = inputs.map(|input| {
                    let value = given.get(*input).cloned();
                    (*input, value.unwrap_or_else(|| BitVector::zero(terms.width(*input))))
                });
                let mut values: Assignment = values.collect();
                let read = given.entries().into_iter().filter(|(symbol, _)| !symbols.contains(symbol));
                read.for_each(|(symbol, value)| values.set(symbol, value.clone()));
                differ = terms.substitute(differ, &values);
                PathCondition::new()
            }
        };
        let unresolved = |why| match why {
            Unresolved::Infeasible => Stop::Infeasible,
            Unresolved::Unknown(undecided) => undecided.into(),
        };
        if !self.queries.may_be_true(&path, differ).map_err(unresolved)? {
            return Ok(None);
        }
        let mut path = path;
        path.add(&self.machine.terms, differ);
        let model = self.queries.model(&path).map_err(unresolved)?;
        let terms = &self.machine.terms;
        let value = |symbol| model.get(symbol).cloned().unwrap_or(BitVector::zero(terms.width(symbol)));
        Ok(Some(symbols.iter().map(|symbol| (*symbol, value(*symbol))).collect()))
    }

    #[cold]
    fn indeterminate_fault(&self, symbols: &[Term], used: Use<'_>) -> Stop {
        let terms = &self.machine.terms;
        let causes = symbols.iter().filter_map(|symbol| match terms.node(*symbol) {
            Node::Symbol { name, .. } => Cause::parse(name),
            _ => None,
        });
        // Of several bytes the first is named.
        match causes.min_by_key(|cause| match cause {
            Cause::Unwritten { base, offset, .. } => base + offset,
            Cause::Poison { .. } => 0,
        }) {
            Some(Cause::Poison { reason, origin }) => {
                let message = reason.description();
                let kind = match reason.is_of_arithmetic() {
                    true => FailureKind::Arithmetic,
                    false => FailureKind::Memory,
                };
                let mut fault = Fault::new(kind, reason.detail(), message);
                fault.began = Some((origin.span, format!("{used} the result here")));
                fault.into()
            }
            Some(Cause::Unwritten { offset, of, .. }) => {
                let name = self.allocation_name(of).quoted();
                let message = format!("uninitialised memory: {used} byte {offset} of {name}");
                let mut fault = Fault::new(FailureKind::Memory, FailureDetail::Uninitialised, message);
                let Origin { thread, span } = of.origin;
                fault.notes.push(("allocated here".to_owned(), span, Some(thread)));
                fault.into()
            }
            None => Stop::unsupported("an indeterminate value of unknown origin"),
        }
    }
}

/// Values for symbols: for each, `pattern` of its position.
fn assign(terms: &Terms, symbols: &[Term], pattern: impl Fn(u64) -> u64) -> Assignment {
    let value = |(index, symbol): (usize, &Term)| {
        let width = terms.width(*symbol);
        let limbs = vec![pattern(index as u64); width.div_ceil(64) as usize];
        (*symbol, BitVector::from_limbs(width, &limbs))
    };
    symbols.iter().enumerate().map(value).collect()
}
