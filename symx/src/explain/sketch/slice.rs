//! The backward slice from where executions fail.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use symx_checkers::sketch::{Caller, Dependences, Need, Sorted, Source, writers};
use symx_interp::stop::position::location;
use symx_ir::slicing::{self, Executions, Place, Slicer, backward_slice};
use symx_ir::{FunctionId, Inst, Program};
use symx_trace::{CodePlace, Location};

/// The instructions on which the failure depends in the failing executions, with their distance to it. It may
/// depend on a branch that leads away from a write which passing executions read from.
pub fn slice_from(program: &Program, runs: &Sorted) -> BTreeMap<CodePlace, u32> {
    let failing = &runs.failing;
    let visited: HashSet<CodePlace> =
        failing.iter().flat_map(|log| log.visits.keys()).map(|(_, place)| *place).collect();
    let mut missing = writers(&runs.passing);
    missing.values_mut().for_each(|writers| writers.retain(|writer| !visited.contains(writer)));
    let evidence = Evidence { visited, writers: writers(failing), missing };
    let seeds: BTreeSet<CodePlace> =
        failing.iter().flat_map(|log| &log.ends_at).map(|(_, place)| *place).collect();
    let seeds: Vec<Place> = seeds.into_iter().map(in_program).collect();
    let slice = backward_slice(program, &seeds, &evidence);
    slice.into_iter().map(|(place, distance)| (in_log(place), distance)).collect()
}

fn in_program(place: CodePlace) -> Place {
    (FunctionId(place.function), place.pc)
}

fn in_log((function, pc): Place) -> CodePlace {
    CodePlace { function: function.0, pc }
}

struct Evidence {
    visited: HashSet<CodePlace>,
    writers: BTreeMap<CodePlace, BTreeSet<CodePlace>>,
    missing: BTreeMap<CodePlace, BTreeSet<CodePlace>>,
}

impl Executions for Evidence {
    fn has_visited(&self, place: Place) -> bool {
        self.visited.contains(&in_log(place))
    }

    fn writers(&self, place: Place) -> Vec<Place> {
        let writers = self.writers.get(&in_log(place)).into_iter().flatten();
        writers.map(|writer| in_program(*writer)).collect()
    }

    fn missing_writers(&self, place: Place) -> Vec<Place> {
        let missing = self.missing.get(&in_log(place)).into_iter().flatten();
        missing.map(|writer| in_program(*writer)).collect()
    }
}

/// A program's code: where its instructions are in the source, and what they depend on.
pub struct CodeSource<'p> {
    program: &'p Program,
    slicer: RefCell<Slicer<'p>>,
}

impl<'p> CodeSource<'p> {
    /// Of a program.
    pub fn new(program: &'p Program) -> Self {
        Self { program, slicer: RefCell::new(Slicer::new(program)) }
    }
}

impl Source for CodeSource<'_> {
    fn location(&self, place: CodePlace) -> Location {
        let function = self.program.function(FunctionId(place.function));
        let own = function
            .spans
            .get(place.pc as usize)
            .and_then(|span| self.program.outside_library_sources(*span));
        own.map_or_else(Location::default, |span| location(self.program, span))
    }

    fn target(&self, place: CodePlace, edge: u32) -> Location {
        let function = self.program.function(FunctionId(place.function));
        let Some(edge) = function.edges.get(edge as usize) else { return Location::default() };
        let block = &function.blocks[edge.block as usize];
        let end = function.blocks.get(edge.block as usize + 1);
        let end = end.map_or(function.code.len() as u32, |next| next.start);
        let known = (block.start..end).map(|pc| self.location(CodePlace { function: place.function, pc }));
        known.into_iter().find(|location| location.line != 0).unwrap_or_default()
    }

    fn dependences(&self, need: Need) -> Dependences {
        let need = match need {
            Need::Execution(place) => slicing::Need::Execution(in_program(place)),
            Need::Value(place) => slicing::Need::Value(in_program(place)),
            Need::Argument(place, number) => slicing::Need::Argument(in_program(place), number),
        };
        let found = self.slicer.borrow_mut().dependences(need);
        let of_log = |need: slicing::Need| match need {
            slicing::Need::Execution(place) => Need::Execution(in_log(place)),
            slicing::Need::Value(place) => Need::Value(in_log(place)),
            slicing::Need::Argument(place, number) => Need::Argument(in_log(place), number),
        };
        let of_caller =
            |caller: slicing::Caller| Caller { place: in_log(caller.place), is_direct: caller.is_direct };
        Dependences {
            branches: found.branches.into_iter().map(in_log).collect(),
            callers: found.callers.into_iter().map(of_caller).collect(),
            values: found.values.into_iter().map(of_log).collect(),
            parameters: found.parameters,
        }
    }

    fn is_jump(&self, place: CodePlace) -> bool {
        let function = self.program.function(FunctionId(place.function));
        matches!(function.code.get(place.pc as usize), Some(Inst::Jump { .. }))
    }

    fn never_returns(&self, place: CodePlace) -> bool {
        let function = self.program.function(FunctionId(place.function));
        slicing::never_returns(function, place.pc)
    }

    fn block_entry(&self, place: CodePlace) -> CodePlace {
        in_log(slicing::block_entry(self.program, in_program(place)))
    }
}
