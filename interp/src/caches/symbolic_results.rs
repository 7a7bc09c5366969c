//! Memoised results of instructions on symbolic operands: paths that fork execute the same ones again and
//! again.
//!
//! Terms are hash-consed, so building one anew gives the same term; but each of its parts is looked up on the
//! way. Here a whole instruction is one comparison.

use crate::value::Value;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use symx_ir::instruction::{BinaryOp, CastOp, Predicate};

/// Results kept, each in the one place its operands map to.
const COUNT: usize = 1 << COUNT_LOG2;
const COUNT_LOG2: u32 = 10;

/// An instruction whose result depends on its operands alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation {
    /// With this width in bits.
    Binary(BinaryOp, u8),
    /// With this width in bits.
    Compare(Predicate, u8),
    /// From this width in bits to this one.
    Cast(CastOp, u8, u8),
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    operation: Operation,
    operands: [Value; 2],
    result: Value,
}

/// Results of instructions on the terms of one pool.
#[derive(Debug)]
pub struct Memo {
    entries: Box<[Option<Entry>]>,
}

impl Default for Memo {
    fn default() -> Self {
        Self { entries: vec![None; COUNT].into() }
    }
}

impl Memo {
    /// The result of `operation` on `operands`, computed if it is not at hand.
    pub fn result(
        &mut self,
        operation: Operation,
        operands: [Value; 2],
        compute: impl FnOnce() -> Value,
    ) -> Value {
        let mut hasher = FxHasher::default();
        operation.hash(&mut hasher);
        for operand in operands {
            match operand {
                Value::Concrete(bits) => bits.hash(&mut hasher),
                Value::Symbolic(term) => (!u64::from(term.number())).hash(&mut hasher),
            }
        }
        let place = &mut self.entries[(hasher.finish() >> (64 - COUNT_LOG2)) as usize];
        match place {
            Some(entry) if entry.operation == operation && entry.operands == operands => entry.result,
            _ => {
                let result = compute();
                *place = Some(Entry { operation, operands, result });
                result
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_expr::Terms;

    #[test]
    fn a_result_is_that_of_its_own_operation_and_operands() {
        let terms = Terms::new();
        let (x, y) = (terms.symbol("x", 8), terms.symbol("y", 8));
        let values = [
            Value::Symbolic(x),
            Value::Symbolic(y),
            Value::Concrete(1),
            Value::Concrete(!u64::from(x.number())),
        ];
        let mut memo = Memo::default();
        let mut number = 0;
        let mut known = Vec::new();
        for op in [BinaryOp::Add, BinaryOp::Sub] {
            for bits in [8, 16] {
                for operands in values.iter().flat_map(|a| values.iter().map(|b| [*a, *b])) {
                    number += 1;
                    let operation = Operation::Binary(op, bits);
                    let result = Value::Concrete(number);
                    assert_eq!(memo.result(operation, operands, || result), result);
                    known.push((operation, operands, result));
                }
            }
        }
        for (operation, operands, result) in known {
            assert_eq!(memo.result(operation, operands, || result), result);
        }
    }
}
