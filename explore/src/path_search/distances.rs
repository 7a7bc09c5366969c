//! How far states are from code that nothing has executed yet: fewest control-flow edges and
//! calls on the way.

use std::collections::VecDeque;
use symx_interp::environment::Environment;
use symx_interp::paths::coverage::Coverage;
use symx_interp::state::State;
use symx_interp::threads::thread::Activation;
use symx_ir::function::{CallTarget, Function};
use symx_ir::{FunctionId, Inst, Program};

/// Farther than anything.
const FAR: u32 = u32::MAX / 2;

/// Distances of the blocks of the program's own functions from code that was not executed.
#[derive(Debug)]
pub(crate) struct Distances {
    /// Number of each function's first block.
    first: Vec<usize>,
    /// For each block, those from which control gets there directly.
    before: Vec<Vec<u32>>,
    /// By block.
    distance: Vec<u32>,
}

impl Distances {
    /// The graph of a program; all distances are 0 until [computed](Self::compute).
    pub fn new(program: &Program) -> Self {
        let mut first = Vec::with_capacity(program.functions.len() + 1);
        let mut count = 0;
        for function in &program.functions {
            first.push(count);
            count += if function.in_program { function.blocks.len() } else { 0 };
        }
        let mut before = vec![Vec::new(); count];
        for (function, start) in
            program.functions.iter().zip(&first).filter(|(function, _)| function.in_program)
        {
            for (number, block) in function.blocks.iter().enumerate() {
                let here = (start + number) as u32;
                for edge in &function.edges[block.edges()] {
                    before[start + edge.block as usize].push(here);
                }
                for callee in callees(function, number) {
                    if program.function(callee).in_program && !program.function(callee).blocks.is_empty() {
                        before[first[callee.0 as usize]].push(here);
                    }
                }
            }
        }
        Self { first, before, distance: vec![0; count] }
    }

    /// Computes all distances again: breadth first, backwards from code not executed.
    pub fn compute(&mut self, program: &Program, coverage: &Coverage) {
        self.distance.fill(FAR);
        let mut open = VecDeque::new();
        for (number, function) in program.functions.iter().enumerate().filter(|entry| entry.1.in_program) {
            let reached = coverage.reached(program, FunctionId(number as u32));
            for (block, reached) in reached.into_iter().enumerate() {
                // Code after a call that does not return is marked unreachable, and is.
                let end = end_of(function, block);
                let rest = &function.code[reached as usize..end];
                if !rest.is_empty() && !matches!(rest, [Inst::Unreachable]) {
                    self.distance[self.first[number] + block] = 0;
                    open.push_back((self.first[number] + block) as u32);
                }
            }
        }
        while let Some(block) = open.pop_front() {
            let next = self.distance[block as usize] + 1;
            for before in &self.before[block as usize] {
                if self.distance[*before as usize] > next {
                    self.distance[*before as usize] = next;
                    open.push_back(*before);
                }
            }
        }
    }

    /// How far a state is: from where its first thread stands, or from where that returns to.
    pub fn of<E: Environment>(&self, program: &Program, state: &State<E>) -> u32 {
        let mut least = FAR;
        let mut returns = 0;
        for activation in state.threads[0].stack.iter().rev() {
            let Activation::Program(frame) = activation else { continue };
            let function = program.function(frame.function);
            if function.in_program {
                let block = function.blocks.partition_point(|block| block.start <= frame.pc) - 1;
                let distance = self.distance[self.first[frame.function.0 as usize] + block];
                least = least.min(distance + returns);
            }
            returns += 1;
        }
        least
    }
}

fn end_of(function: &Function, block: usize) -> usize {
    function.blocks.get(block + 1).map_or(function.code.len(), |next| next.start as usize)
}

fn callees(function: &Function, block: usize) -> impl Iterator<Item = FunctionId> + '_ {
    let code = &function.code[function.blocks[block].start as usize..end_of(function, block)];
    code.iter().filter_map(|inst| match inst {
        Inst::Call { site } => match function.calls[*site as usize].target {
            CallTarget::Function(id) => Some(id),
            _ => None,
        },
        _ => None,
    })
}
