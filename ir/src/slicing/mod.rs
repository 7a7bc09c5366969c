//! Backward slices (Weiser): the instructions on whose results, or on whose being executed, some others
//! depend.
//!
//! A slice follows data from an instruction to the writers of its registers, across calls to arguments and
//! results. It follows control to the branches that decide whether its block is entered and to the calls of
//! its function, the creation of threads included. It follows memory to the writes that a caller names, since
//! which writes reach a load is best known from executions. It is not context-sensitive: a function's
//! argument depends on all of its calls.

mod control;
mod data;

use crate::function::{CallTarget, Function, FunctionId};
use crate::instruction::{Inst, Operand};
use crate::program::{Code, LinkedFunction, Program};
use crate::registers::reads;
use control::ControlDependence;
use data::{Definitions, Sources};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

pub use control::PostDominators;

/// An instruction: its function, and its index there.
pub type Place = (FunctionId, u32);

/// Facts about executions for a slice.
pub trait Executions {
    /// Whether an instruction was executed; a slice has no others.
    fn has_visited(&self, place: Place) -> bool;

    /// The instructions that wrote what the one at `place` reads from memory.
    fn writers(&self, place: Place) -> Vec<Place>;

    /// Those that wrote it in other executions and were not executed in these.
    fn missing_writers(&self, place: Place) -> Vec<Place> {
        let _ = place;
        Vec::new()
    }
}

/// The instructions of the program's own code on which those at `seeds` depend, with the number of source
/// lines along the shortest chain of dependences. Linear in the dependences that are followed.
pub fn backward_slice(
    program: &Program,
    seeds: &[Place],
    executions: &dyn Executions,
) -> FxHashMap<Place, u32> {
    let mut slicer = Slicer::new(program);
    let mut distances: FxHashMap<Place, u32> = FxHashMap::default();
    let mut open: VecDeque<(Need, u32)> = seeds.iter().map(|seed| (Need::Value(*seed), 0)).collect();
    let mut done: FxHashSet<Need> = FxHashSet::default();
    while let Some((need, distance)) = open.pop_front() {
        if !done.insert(need) {
            continue;
        }
        let place = need.place();
        distances.entry(place).or_insert(distance);
        for next in slicer.needs(need, executions) {
            if done.contains(&next) || !executions.has_visited(next.place()) {
                continue;
            }
            match slicer.line(next.place()) == slicer.line(place) {
                true => open.push_front((next, distance)),
                false => open.push_back((next, distance + 1)),
            }
        }
    }
    distances
}

/// A need for an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Need {
    /// Its execution, whatever it computes.
    Execution(Place),
    /// Its result or its effect on memory.
    Value(Place),
    /// Of a call, the argument of this number.
    Argument(Place, usize),
}

impl Need {
    /// The instruction.
    pub fn place(self) -> Place {
        match self {
            Self::Execution(place) | Self::Value(place) | Self::Argument(place, _) => place,
        }
    }
}

/// A call of a function, or one that is handed its address: the creation of a thread, for example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The call.
    pub place: Place,
    /// Whether it calls the function itself.
    pub is_direct: bool,
}

/// What an instruction depends on directly, memory left out.
#[derive(Clone, Debug, Default)]
pub struct Dependences {
    /// The branches that decide whether its block is entered.
    pub branches: Vec<Place>,
    /// The calls of its function.
    pub callers: Vec<Caller>,
    /// What computes the values that it needs, in its function and in the function that it calls.
    pub values: Vec<Need>,
    /// The numbers of its function's parameters that it needs.
    pub parameters: Vec<usize>,
}

/// Finds direct dependences; facts about functions are computed once.
pub struct Slicer<'p> {
    program: &'p Program,
    functions: FxHashMap<FunctionId, FunctionFacts>,
    callers: Option<FxHashMap<FunctionId, Vec<Caller>>>,
}

/// Facts about a function, computed once.
struct FunctionFacts {
    definitions: Definitions,
    control: ControlDependence,
}

impl<'p> Slicer<'p> {
    /// Of a program.
    pub fn new(program: &'p Program) -> Self {
        Self { program, functions: FxHashMap::default(), callers: None }
    }

    fn line(&self, (function, pc): Place) -> (u32, u32) {
        let span = self.program.span(self.program.function(function).spans[pc as usize]);
        (span.file, span.line)
    }

    fn facts(&mut self, id: FunctionId) -> &FunctionFacts {
        let function = self.program.function(id);
        self.functions.entry(id).or_insert_with(|| FunctionFacts {
            definitions: Definitions::of(function),
            control: ControlDependence::of(function),
        })
    }

    /// The direct dependences of an instruction. The allocation of a variable on the stack is none: it
    /// computes nothing.
    pub fn dependences(&mut self, need: Need) -> Dependences {
        let (id, pc) = need.place();
        let program = self.program;
        let function = program.function(id);
        let block = function.blocks.partition_point(|block| block.start <= pc) as u32 - 1;
        let branches = self.facts(id).control.branches(block).iter().map(|pc| (id, *pc)).collect();
        let mut values = Vec::new();
        let mut slots = Vec::new();
        match need {
            Need::Execution(_) => {}
            Need::Argument(_, number) => argument(function, pc, number, &mut slots),
            Need::Value(_) => match self.callee(function, pc) {
                Some(callee) => values.extend(self.results(callee)),
                None => reads(function, &function.code[pc as usize], |first, count| {
                    slots.extend(first..first + count);
                }),
            },
        }
        let mut sources = Sources::default();
        let facts = self.facts(id);
        slots.into_iter().for_each(|slot| facts.definitions.sources(slot, &mut sources));
        let is_declaration = |pc: &u32| matches!(&function.code[*pc as usize], Inst::Alloca { count, .. } if count.is_constant());
        let instructions = sources.instructions.into_iter().filter(|pc| !is_declaration(pc));
        values.extend(instructions.map(|pc| Need::Value((id, pc))));
        Dependences { branches, callers: self.callers(id), values, parameters: sources.parameters }
    }

    /// What an instruction needs directly, with the writes that executions know.
    fn needs(&mut self, need: Need, executions: &dyn Executions) -> Vec<Need> {
        let Dependences { branches, callers, values, parameters } = self.dependences(need);
        let mut found: Vec<Need> = branches.iter().map(|place| Need::Value(*place)).collect();
        if branches.is_empty() {
            found.extend(callers.iter().map(|caller| Need::Execution(caller.place)));
        }
        if let Need::Value(place) = need {
            found.extend(executions.writers(place).into_iter().map(Need::Value));
            let missing = executions.missing_writers(place);
            found.extend(self.avoiding(missing, executions));
        }
        found.extend(values);
        for parameter in parameters {
            found.extend(callers.iter().map(|caller| caller.passes(parameter)));
        }
        found
    }

    /// The branches that may have led away from instructions that were not executed, and calls of their
    /// functions (potential dependences: Gyimóthy, Beszédes, Forgács 1999).
    fn avoiding(&mut self, missing: Vec<Place>, executions: &dyn Executions) -> Vec<Need> {
        let (mut found, mut open) = (Vec::new(), missing);
        let mut seen: FxHashSet<Place> = FxHashSet::default();
        while let Some(place) = open.pop() {
            if !seen.insert(place) {
                continue;
            }
            let Dependences { branches, callers, .. } = self.dependences(Need::Execution(place));
            let callers = callers.iter().map(|caller| caller.place).filter(|_| branches.is_empty());
            for place in branches.iter().copied().chain(callers) {
                match executions.has_visited(place) {
                    true => found.push(Need::Value(place)),
                    false => open.push(place),
                }
            }
        }
        found
    }

    /// The program's own function that the instruction at `pc` calls by name.
    fn callee(&self, function: &Function, pc: u32) -> Option<FunctionId> {
        let Inst::Call { site } = function.code[pc as usize] else { return None };
        match function.calls[site as usize].target {
            CallTarget::Function(callee) => Some(callee).filter(|id| self.program.function(*id).is_own()),
            _ => None,
        }
    }

    /// The instructions that return a value from a function of the program.
    fn results(&self, callee: FunctionId) -> Vec<Need> {
        let function = self.program.function(callee);
        if function.return_slots == 0 {
            return Vec::new();
        }
        let code = function.code.iter().zip(0..).filter(|(inst, _)| matches!(inst, Inst::Return { .. }));
        code.map(|(_, pc)| Need::Value((callee, pc))).collect()
    }

    fn callers(&mut self, id: FunctionId) -> Vec<Caller> {
        let callers = self.callers.get_or_insert_with(|| callers(self.program));
        callers.get(&id).cloned().unwrap_or_default()
    }
}

impl Caller {
    /// The need for what it passes as a parameter of the function.
    pub fn passes(&self, parameter: usize) -> Need {
        if self.is_direct { Need::Argument(self.place, parameter) } else { Need::Value(self.place) }
    }
}

/// The first instruction of an instruction's block.
pub fn block_entry(program: &Program, (id, pc): Place) -> Place {
    let blocks = &program.function(id).blocks;
    (id, blocks[blocks.partition_point(|block| block.start <= pc) - 1].start)
}

/// Whether the instruction at `pc` is a call after which nothing comes, as of a function that never returns.
pub fn never_returns(function: &Function, pc: u32) -> bool {
    let Some(Inst::Call { site }) = function.code.get(pc as usize) else { return false };
    let next = match function.calls[*site as usize].invoke {
        Some((normal, _)) => function.edges[normal as usize].target,
        None => pc + 1,
    };
    matches!(function.code.get(next as usize), Some(Inst::Unreachable))
}

/// The registers of an argument of a call.
fn argument(function: &Function, pc: u32, number: usize, slots: &mut Vec<u32>) {
    let Inst::Call { site } = function.code[pc as usize] else { return };
    let Some(argument) = function.calls[site as usize].arguments.get(number) else { return };
    if !argument.operand.is_constant() {
        let first = argument.operand.index() as u32;
        slots.extend(first..first + argument.slots);
    }
}

/// By function of the program, the places that call it or hand its address to a call.
fn callers(program: &Program) -> FxHashMap<FunctionId, Vec<Caller>> {
    let mut callers: FxHashMap<FunctionId, Vec<Caller>> = FxHashMap::default();
    for (function, id) in program.functions.iter().zip(0..).filter(|(function, _)| function.in_program) {
        for (inst, pc) in function.code.iter().zip(0..) {
            let Inst::Call { site } = *inst else { continue };
            let site = &function.calls[site as usize];
            let place = (FunctionId(id), pc);
            if let CallTarget::Function(callee) = site.target {
                callers.entry(callee).or_default().push(Caller { place, is_direct: true });
            }
            for argument in &site.arguments {
                if let Some(callee) = function_at(program, function, argument.operand) {
                    callers.entry(callee).or_default().push(Caller { place, is_direct: false });
                }
            }
        }
    }
    through_library(program, &callers)
}

/// Calls from a library that is compiled into the program are the calls of the library: a caller hands it the
/// function, or what leads to it.
fn through_library(
    program: &Program,
    callers: &FxHashMap<FunctionId, Vec<Caller>>,
) -> FxHashMap<FunctionId, Vec<Caller>> {
    let outside = |of: &[Caller]| {
        let mut seen: FxHashSet<FunctionId> = FxHashSet::default();
        let mut open = of.to_vec();
        let mut found: Vec<Caller> = Vec::new();
        while let Some(caller) = open.pop() {
            let (function, _) = caller.place;
            if program.function(function).is_own() {
                found.push(caller);
            } else if seen.insert(function) {
                let outer = callers.get(&function).into_iter().flatten();
                open.extend(outer.map(|outer| Caller { is_direct: false, ..*outer }));
            }
        }
        found.sort_unstable_by_key(|caller| caller.place);
        found.dedup();
        found
    };
    callers.iter().map(|(id, of)| (*id, outside(of))).collect()
}

/// The function whose address a constant operand is.
fn function_at(program: &Program, function: &LinkedFunction, operand: Operand) -> Option<FunctionId> {
    if !operand.is_constant() {
        return None;
    }
    match program.code_at(*function.constants.get(operand.index())?)? {
        Code::Function(id) => Some(id),
        Code::External(_) => None,
    }
}

/// The terminator of a block.
pub fn terminator(function: &Function, block: u32) -> u32 {
    let end = function.blocks.get(block as usize + 1).map_or(function.code.len() as u32, |next| next.start);
    end - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::{Argument, ArgumentClass, Block, CallSite, Edge, Move, Param, Passing};
    use crate::instruction::{BinaryOp, Predicate};
    use crate::span::{Span, SpanId};

    /// Every instruction was executed; the writes are listed.
    struct All(Vec<(Place, Place)>);

    impl Executions for All {
        fn has_visited(&self, _: Place) -> bool {
            true
        }

        fn writers(&self, place: Place) -> Vec<Place> {
            self.0.iter().filter(|(read, _)| *read == place).map(|(_, write)| *write).collect()
        }
    }

    fn load(dst: u32) -> Inst {
        Inst::Load { bits: 32, volatile: false, align_log2: 2, dst, address: Operand::constant(0) }
    }

    fn add(dst: u32, a: u32, b: u32) -> Inst {
        let (a, b) = (Operand::slot(a), Operand::slot(b));
        Inst::Binary { op: BinaryOp::Add, bits: 32, flags: 0, dst, a, b }
    }

    fn edge(block: u32, target: u32) -> Edge {
        Edge { block, target, first_move: 0, move_count: 0 }
    }

    /// A program of these functions, each instruction on a line of its own.
    fn program(functions: Vec<Function>) -> Program {
        let mut spans = vec![Span::default()];
        let link = |mut function: Function| {
            function.in_program = true;
            function.spans = function
                .code
                .iter()
                .map(|_| {
                    spans.push(Span { line: spans.len() as u32, ..Span::default() });
                    SpanId(spans.len() as u32 - 1)
                })
                .collect();
            LinkedFunction { function, constants: vec![0x1000] }
        };
        let functions = functions.into_iter().map(link).collect();
        Program { functions, spans, ..Program::default() }
    }

    /// if (s0 < s0) { s1 = load; } else { s2 = load; } s3 = s1 + s1; return s3
    fn diamond() -> Function {
        let slot = Operand::slot;
        Function {
            slots: 5,
            return_slots: 1,
            params: vec![Param {
                slot: 0,
                slots: 1,
                bits: 32,
                pointer: false,
                class: ArgumentClass::Integer,
            }],
            code: vec![
                Inst::CompareBranch { predicate: Predicate::Slt, bits: 32, a: slot(0), b: slot(0), edges: 0 },
                load(1),
                Inst::Jump { edge: 2 },
                load(2),
                Inst::Jump { edge: 3 },
                add(4, 3, 3),
                Inst::Return { value: slot(4) },
            ],
            blocks: vec![
                Block { start: 0, first_edge: 0, edge_count: 2 },
                Block { start: 1, first_edge: 2, edge_count: 1 },
                Block { start: 3, first_edge: 3, edge_count: 1 },
                Block { start: 5, first_edge: 4, edge_count: 0 },
            ],
            edges: vec![
                edge(1, 1),
                edge(2, 3),
                Edge { first_move: 0, move_count: 1, ..edge(3, 5) },
                edge(3, 5),
            ],
            moves: vec![Move { dst: 3, src: slot(1) }],
            ..Function::default()
        }
    }

    fn places(slice: &FxHashMap<Place, u32>, function: u32) -> Vec<u32> {
        let of = slice.keys().filter(|(id, _)| id.0 == function);
        let mut found: Vec<u32> = of.map(|(_, pc)| *pc).collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn a_phi_depends_on_its_value_and_on_the_branch_before_it() {
        let program = program(vec![diamond()]);
        let slice = backward_slice(&program, &[(FunctionId(0), 5)], &All(Vec::new()));
        assert_eq!(places(&slice, 0), [0, 1, 2, 5], "the load of the other arm does not matter");
        assert_eq!(slice[&(FunctionId(0), 5)], 0);
    }

    #[test]
    fn memory_leads_to_the_writes_that_executions_know() {
        let program = program(vec![diamond()]);
        let id = FunctionId(0);
        let slice = backward_slice(&program, &[(id, 1)], &All(vec![((id, 1), (id, 3))]));
        assert_eq!(places(&slice, 0), [0, 1, 3]);
    }

    #[test]
    fn arguments_and_results_lead_through_calls() {
        let argument = |slot| Argument {
            operand: Operand::slot(slot),
            slots: 1,
            bits: 32,
            passing: Passing::Value,
            class: ArgumentClass::Integer,
        };
        let caller = Function {
            slots: 4,
            code: vec![load(0), load(1), Inst::Call { site: 0 }, add(3, 2, 2), Inst::Unreachable],
            blocks: vec![Block { start: 0, first_edge: 0, edge_count: 0 }],
            calls: vec![CallSite {
                target: CallTarget::Function(FunctionId(0)),
                arguments: vec![argument(0)],
                dst: 2,
                return_slots: 1,
                return_bits: 32,
                used: true,
                invoke: None,
            }],
            ..Function::default()
        };
        let mut program = program(vec![diamond(), caller]);
        let slice = backward_slice(&program, &[(FunctionId(1), 3)], &All(Vec::new()));
        assert_eq!(places(&slice, 1), [0, 2, 3], "the second load is no argument");
        assert_eq!(places(&slice, 0), [0, 1, 2, 5, 6]);
        // A library's function is its call.
        program.functions[0].function.is_library_source = true;
        let slice = backward_slice(&program, &[(FunctionId(1), 3)], &All(Vec::new()));
        assert_eq!((places(&slice, 1), places(&slice, 0)), (vec![0, 2, 3], Vec::new()));
    }

    #[test]
    fn the_callers_of_a_library_call_what_it_is_handed() {
        let call = |callee| Function {
            code: vec![Inst::Call { site: 0 }, Inst::Unreachable],
            blocks: vec![Block { start: 0, first_edge: 0, edge_count: 0 }],
            calls: vec![CallSite {
                target: CallTarget::Function(FunctionId(callee)),
                arguments: Vec::new(),
                dst: 0,
                return_slots: 0,
                return_bits: 0,
                used: false,
                invoke: None,
            }],
            ..Function::default()
        };
        let mut program = program(vec![diamond(), call(0), call(1)]);
        program.functions[1].function.is_library_source = true;
        let callers = Slicer::new(&program).callers(FunctionId(0));
        assert_eq!(callers, [Caller { place: (FunctionId(2), 0), is_direct: false }]);
        let caller = program.function(FunctionId(2));
        assert!(never_returns(caller, 0) && !never_returns(caller, 1));
    }
}
