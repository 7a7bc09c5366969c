//! Instructions with symbolic operands: the same operations on terms.

use super::integers::promises;
use super::integers::terms::operator;
use crate::access::indeterminate::Use;
use crate::caches::symbolic_results::Operation;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::cause::PoisonReason;
use crate::state::State;
use crate::stop::{Fault, Stop};
use crate::threads::running::Running;
use crate::value::Value;
use crate::words::integers::mask;
use symx_expr::{BinaryOperator, Term, Terms};
use symx_ir::instruction::{BinaryOp, CastOp, Predicate};
use symx_ir::loops::goes_on_first;
use symx_ir::{Operand, Switch};
use symx_trace::{FailureDetail, FailureKind};

/// `a predicate b` as a term of width 1.
pub(crate) fn comparison(terms: &Terms, predicate: Predicate, a: Term, b: Term) -> Term {
    use BinaryOperator::{Equal, SignedLess, SignedLessEqual, UnsignedLess, UnsignedLessEqual};
    match predicate {
        Predicate::Eq => terms.binary(Equal, a, b),
        Predicate::Ne => terms.not(terms.binary(Equal, a, b)),
        Predicate::Ult => terms.binary(UnsignedLess, a, b),
        Predicate::Ule => terms.binary(UnsignedLessEqual, a, b),
        Predicate::Ugt => terms.binary(UnsignedLess, b, a),
        Predicate::Uge => terms.binary(UnsignedLessEqual, b, a),
        Predicate::Slt => terms.binary(SignedLess, a, b),
        Predicate::Sle => terms.binary(SignedLessEqual, a, b),
        Predicate::Sgt => terms.binary(SignedLess, b, a),
        Predicate::Sge => terms.binary(SignedLessEqual, b, a),
    }
}

impl<E: Environment> Executor<'_, E> {
    /// `x op y`; what the instruction promises of it stands in `flags`.
    pub(crate) fn symbolic_binary(
        &mut self,
        state: &mut State<E>,
        running: &Running<'_>,
        (op, flags): (BinaryOp, u8),
        bits: u8,
        operands: [Operand; 2],
    ) -> Result<Value, Stop> {
        let terms = &self.machine.terms;
        let width = u32::from(bits);
        let operands = operands.map(|operand| running.value(operand));
        let divides = matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem);
        if !divides && !promises::are_made(op, flags) {
            return Ok(self.caches.memo.result(Operation::Binary(op, bits), operands, || {
                let [x, y] = operands.map(|operand| operand.term(terms, width));
                Value::of(terms, terms.binary(operator(op), x, y))
            }));
        }
        let [x, mut y] = operands.map(|operand| operand.term(terms, width));
        if divides {
            y = self.divisor(
                state,
                op,
                [x, y],
                [
                    "division by zero is possible for some input",
                    "division overflows for some input: the least value divided by -1",
                ],
            )?;
        }
        let mut result = Value::of(terms, terms.binary(operator(op), x, y));
        let mut known = Term::FALSE;
        if let Some(broken) = promises::broken(terms, op, width, flags, x, y) {
            known = broken.0;
            result = self.unless_broken(state, running, bits, broken, result)?;
        }
        for broken in promises::broken_besides(terms, op, width, flags, [x, y], known) {
            result = self.unless_broken(state, running, bits, broken, result)?;
        }
        Ok(result)
    }

    /// The divisor `y` of a division of `x`, of any width. A fault, with the first or the second message,
    /// where it is zero or where the quotient does not fit.
    pub(super) fn divisor(
        &mut self,
        state: &mut State<E>,
        op: BinaryOp,
        [x, y]: [Term; 2],
        [by_zero, overflows]: [&'static str; 2],
    ) -> Result<Term, Stop> {
        let terms = &self.machine.terms;
        let width = terms.width(x);
        let y = self.determinate(state, y, Use::Divisor)?;
        let fault = |detail, message| Fault::new(FailureKind::Arithmetic, detail, message);
        if self.decide(state, Value::of(terms, terms.equal(y, terms.zero(width))))? {
            return Err(fault(FailureDetail::DivisionByZero, by_zero).into());
        }
        if matches!(op, BinaryOp::SDiv | BinaryOp::SRem) {
            let least =
                terms.shift_left(terms.constant(width, 1), terms.constant(width, u64::from(width) - 1));
            let does_not_fit = terms.and(terms.equal(x, least), terms.equal(y, terms.all_ones(width)));
            if self.decide(state, Value::of(terms, does_not_fit))? {
                return Err(fault(FailureDetail::DivisionOverflow, overflows).into());
            }
        }
        Ok(y)
    }

    /// `result`, or an indeterminate value where `bad` holds.
    pub(super) fn unless_broken(
        &mut self,
        state: &mut State<E>,
        running: &Running<'_>,
        bits: u8,
        (bad, reason): (Term, PoisonReason),
        result: Value,
    ) -> Result<Value, Stop> {
        if bad == Term::FALSE {
            return Ok(result);
        }
        let terms = &self.machine.terms;
        let result = result.term(terms, bits.into());
        let kept = self.term_unless_broken(state, running, bits.into(), (bad, reason), result)?;
        Ok(Value::of(terms, kept))
    }

    /// The same of any width.
    pub(super) fn term_unless_broken(
        &mut self,
        state: &mut State<E>,
        running: &Running<'_>,
        bits: u32,
        (bad, reason): (Term, PoisonReason),
        result: Term,
    ) -> Result<Term, Stop> {
        let terms = &self.machine.terms;
        // An indeterminate value stays so.
        if bad == Term::FALSE || self.indeterminate.occur_in(terms, bad) || self.ignores(reason) {
            return Ok(result);
        }
        let undefined =
            |executor: &Self| executor.undefined_term(running.thread, running.span(), bits, reason);
        match self.decide(state, Value::of(terms, bad)) {
            Ok(false) => Ok(result),
            Ok(true) if self.wraps(reason)? => Ok(result),
            Ok(true) => Ok(undefined(self)),
            // A value that a later choice drops is no reason to fork.
            Err(Stop::Fork(_)) if reason.is_computed_early() => {
                Ok(terms.if_then_else(bad, undefined(self), result))
            }
            Err(stop) => Err(stop),
        }
    }

    pub(crate) fn symbolic_compare(
        &mut self,
        running: &Running<'_>,
        predicate: Predicate,
        bits: u8,
        operands: [Operand; 2],
    ) -> Value {
        let terms = &self.machine.terms;
        let width = u32::from(bits);
        let operands = operands.map(|operand| running.value(operand));
        self.caches.memo.result(Operation::Compare(predicate, bits), operands, || {
            let [x, y] = operands.map(|operand| operand.term(terms, width));
            Value::of(terms, comparison(terms, predicate, x, y))
        })
    }

    pub(crate) fn symbolic_cast(
        &mut self,
        running: &Running<'_>,
        op: CastOp,
        [from, to]: [u8; 2],
        src: Operand,
    ) -> Value {
        let terms = &self.machine.terms;
        let source = running.value(src);
        self.caches.memo.result(Operation::Cast(op, from, to), [source, Value::Concrete(0)], || {
            let x = source.term(terms, from.into());
            let result = match op {
                CastOp::Trunc => terms.extract(x, 0, to.into()),
                CastOp::ZExt => terms.zero_extend(x, to.into()),
                CastOp::SExt => terms.sign_extend(x, to.into()),
            };
            Value::of(terms, result)
        })
    }

    /// `base + index * scale`, where the index is signed and has `index_bits`.
    pub(crate) fn symbolic_pointer_index(
        &self,
        running: &Running<'_>,
        index_bits: u8,
        scale: u16,
        [base, index]: [Operand; 2],
    ) -> Value {
        let terms = &self.machine.terms;
        let base = running.value(base).term(terms, 64);
        let index = terms.sign_extend(running.value(index).term(terms, index_bits.into()), 64);
        let distance = terms.binary(BinaryOperator::Multiply, index, terms.constant(64, scale.into()));
        Value::of(terms, terms.binary(BinaryOperator::Add, base, distance))
    }

    pub(crate) fn symbolic_select(
        &self,
        running: &Running<'_>,
        cond: Operand,
        [a, b]: [Operand; 2],
    ) -> Value {
        let cond = running.value(cond).term(&self.machine.terms, 1);
        self.either(cond, running.value(a), running.value(b))
    }

    /// `x` if the condition holds, else `y`.
    pub(super) fn either(&self, cond: Term, x: Value, y: Value) -> Value {
        let terms = &self.machine.terms;
        // The instruction does not give the width: numbers are taken as wide as a slot.
        let width = |value| match value {
            Value::Symbolic(term) => terms.width(term),
            Value::Concrete(_) => 1,
        };
        let width = match (x, y) {
            (Value::Concrete(_), Value::Concrete(_)) => 64,
            _ => width(x).max(width(y)),
        };
        Value::of(terms, terms.if_then_else(cond, x.term(terms, width), y.term(terms, width)))
    }

    /// The low `bits` of a value that was read as whole bytes.
    pub(crate) fn narrow(&self, value: Value, bits: u8) -> Value {
        match value {
            Value::Concrete(word) => Value::Concrete(word & mask(bits)),
            Value::Symbolic(term) => {
                let terms = &self.machine.terms;
                if terms.width(term) == u32::from(bits) {
                    value
                } else {
                    Value::of(terms, terms.extract(term, 0, bits.into()))
                }
            }
        }
    }

    /// Decides whether a branch takes the first of its edges. Where it may take both, the way that leaves a
    /// loop comes first: what shows after few rounds is met, however many there can be.
    pub(crate) fn decide_branch(
        &mut self,
        state: &mut State<E>,
        running: &Running<'_>,
        condition: Value,
        first_edge: u32,
    ) -> Result<bool, Stop> {
        self.note_place(running.span());
        let condition = self.determinate_condition(state, condition)?;
        let mut decided = self.decide(state, condition);
        if let Err(Stop::Fork(ways)) = &mut decided {
            let (function, pc) = (running.frame.function, running.frame.pc);
            let branches = self.caches.loop_branches.entry((function, pc));
            if *branches.or_insert_with(|| goes_on_first(running.function, pc, first_edge)) {
                ways.reverse();
            }
        }
        decided
    }

    /// Picks the way a switch on a symbolic value goes: forks over its edges. Returns a value
    /// that takes the edge.
    pub(crate) fn decide_switch(
        &mut self,
        state: &mut State<E>,
        value: Value,
        switch: &Switch,
    ) -> Result<u64, Stop> {
        let terms = &self.machine.terms;
        let width = u32::from(switch.bits);
        let term = value.term(terms, width);
        // One way an edge, so that cases with a common edge do not fork.
        let mut edges: Vec<(u32, u64, Term)> = Vec::new();
        for &(case, edge) in &switch.cases {
            let hit = terms.binary(BinaryOperator::Equal, term, terms.constant(width, case));
            match edges.iter_mut().find(|entry| entry.0 == edge) {
                Some(entry) => entry.2 = terms.binary(BinaryOperator::Or, entry.2, hit),
                None => edges.push((edge, case, hit)),
            }
        }
        let any = terms.any(edges.iter().map(|entry| entry.2));
        let mut ways: Vec<Term> = edges.iter().map(|entry| entry.2).collect();
        ways.push(terms.not(any));
        let chosen = self.choose_way(state, &ways)?;
        Ok(match edges.get(chosen) {
            Some(entry) => entry.1,
            None => (0..).find(|value| switch.cases.iter().all(|case| case.0 != *value)).unwrap_or(0),
        })
    }
}
