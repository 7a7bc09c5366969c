//! Which instructions and edges of the program's own code were executed.
//!
//! Code runs in straight lines; only their ends are marked. They are each edge taken, and each instruction at
//! which a function was left for a call, a return or a stop. Everything in a block up to a marked end was
//! executed.

use symx_ir::program::LinkedFunction;
use symx_ir::{FunctionId, Program};

/// The ends marked so far.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// By function; empty where the function is a library's.
    functions: Vec<Marks>,
    /// Marks set.
    count: u64,
}

#[derive(Clone, Debug, Default)]
struct Marks {
    edges: Box<[u64]>,
    ends: Box<[u64]>,
}

impl Coverage {
    /// Nothing was executed yet.
    pub fn new(program: &Program) -> Self {
        let words = |bits: usize| vec![0; bits.div_ceil(64)].into_boxed_slice();
        let marks = |function: &LinkedFunction| match function.in_program {
            true => Marks { edges: words(function.edges.len()), ends: words(function.code.len()) },
            false => Marks::default(),
        };
        Self { functions: program.functions.iter().map(marks).collect(), count: 0 }
    }

    /// Notes that an edge was taken.
    #[inline]
    pub(crate) fn take(&mut self, function: FunctionId, edge: u32) {
        self.count += set(&mut self.functions[function.0 as usize].edges, edge);
    }

    /// Notes that execution got as far as the instruction at `pc`.
    #[inline]
    pub(crate) fn reach(&mut self, function: FunctionId, pc: u32) {
        self.count += set(&mut self.functions[function.0 as usize].ends, pc);
    }

    /// How much is marked: grows when something new was executed.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Adds what another worker executed.
    pub fn merge(&mut self, other: &Coverage) {
        self.functions.resize_with(self.functions.len().max(other.functions.len()), Marks::default);
        for (mine, theirs) in self.functions.iter_mut().zip(&other.functions) {
            self.count += join(&mut mine.edges, &theirs.edges) + join(&mut mine.ends, &theirs.ends);
        }
    }

    /// Whether an edge was taken.
    pub fn was_taken(&self, function: FunctionId, edge: u32) -> bool {
        is_set(&self.functions[function.0 as usize].edges, edge)
    }

    /// For each block of a function, the instruction after the last one executed; the block's start if none
    /// was.
    pub fn reached(&self, program: &Program, id: FunctionId) -> Vec<u32> {
        let function = program.function(id);
        let ends =
            function.blocks.iter().skip(1).map(|block| block.start).chain([function.code.len() as u32]);
        let reached = function.blocks.iter().zip(ends).map(|(block, end)| {
            if block.edges().any(|edge| self.was_taken(id, edge as u32)) {
                return end;
            }
            let marks = &self.functions[id.0 as usize].ends;
            (block.start..end).rev().find(|pc| is_set(marks, *pc)).map_or(block.start, |pc| pc + 1)
        });
        reached.collect()
    }
}

/// Sets a bit; 1 if it was not set.
#[inline]
fn set(bits: &mut [u64], at: u32) -> u64 {
    let Some(word) = bits.get_mut(at as usize / 64) else { return 0 };
    let bit = 1 << (at % 64);
    let new = u64::from(*word & bit == 0);
    *word |= bit;
    new
}

fn is_set(bits: &[u64], at: u32) -> bool {
    bits.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
}

fn join(mine: &mut Box<[u64]>, theirs: &[u64]) -> u64 {
    if mine.is_empty() {
        *mine = theirs.into();
        return theirs.iter().map(|word| u64::from(word.count_ones())).sum();
    }
    let add = |(mine, theirs): (&mut u64, &u64)| {
        let new = theirs & !*mine;
        *mine |= new;
        u64::from(new.count_ones())
    };
    mine.iter_mut().zip(theirs).map(add).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_ir::function::{Block, Edge, Function};
    use symx_ir::{Inst, Operand};

    /// Two blocks of two instructions each.
    fn program() -> Program {
        let edge = Edge { block: 1, target: 2, first_move: 0, move_count: 0 };
        let copy = Inst::Copy { dst: 0, src: Operand::slot(0), count: 1 };
        let function = Function {
            in_program: true,
            code: vec![copy, Inst::Jump { edge: 0 }, copy, Inst::Unreachable],
            blocks: vec![
                Block { start: 0, first_edge: 0, edge_count: 1 },
                Block { start: 2, first_edge: 1, edge_count: 0 },
            ],
            edges: vec![edge],
            ..Function::default()
        };
        Program { functions: vec![LinkedFunction { function, constants: Vec::new() }], ..Program::default() }
    }

    #[test]
    fn what_lies_before_an_end_was_executed() {
        let (program, id) = (program(), FunctionId(0));
        let mut coverage = Coverage::new(&program);
        assert_eq!(coverage.reached(&program, id), [0, 2]);
        coverage.reach(id, 0);
        assert_eq!(coverage.reached(&program, id), [1, 2]);
        let mut other = Coverage::new(&program);
        other.take(id, 0);
        other.reach(id, 2);
        coverage.merge(&other);
        assert_eq!((coverage.reached(&program, id), coverage.count()), (vec![2, 3], 3));
        coverage.merge(&other);
        assert_eq!(coverage.count(), 3);
    }
}
