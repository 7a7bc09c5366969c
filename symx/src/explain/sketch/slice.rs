//! The backward slice from where executions fail.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use symx_checkers::sketch::{Source, writers};
use symx_interp::stop::position::location;
use symx_ir::slicing::{Executions, Place, backward_slice};
use symx_ir::{FunctionId, Program};
use symx_trace::{CodePlace, Location, RunLog};

/// The instructions on which the failure depends in the failing executions, with their distance to it.
pub fn slice_from(program: &Program, failing: &[&RunLog]) -> BTreeMap<CodePlace, u32> {
    let visited: HashSet<CodePlace> =
        failing.iter().flat_map(|log| log.visits.keys()).map(|(_, place)| *place).collect();
    let evidence = Evidence { visited, writers: writers(failing) };
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
}

impl Executions for Evidence {
    fn has_visited(&self, place: Place) -> bool {
        self.visited.contains(&in_log(place))
    }

    fn writers(&self, place: Place) -> Vec<Place> {
        let writers = self.writers.get(&in_log(place)).into_iter().flatten();
        writers.map(|writer| in_program(*writer)).collect()
    }
}

/// Where a program's instructions are in the source.
pub struct CodeSource<'p>(pub &'p Program);

impl Source for CodeSource<'_> {
    fn location(&self, place: CodePlace) -> Location {
        let function = self.0.function(FunctionId(place.function));
        let own =
            function.spans.get(place.pc as usize).and_then(|span| self.0.outside_library_sources(*span));
        own.map_or_else(Location::default, |span| location(self.0, span))
    }

    fn target(&self, place: CodePlace, edge: u32) -> Location {
        let function = self.0.function(FunctionId(place.function));
        let Some(edge) = function.edges.get(edge as usize) else { return Location::default() };
        let block = &function.blocks[edge.block as usize];
        let end = function.blocks.get(edge.block as usize + 1);
        let end = end.map_or(function.code.len() as u32, |next| next.start);
        let known = (block.start..end).map(|pc| self.location(CodePlace { function: place.function, pc }));
        known.into_iter().find(|location| location.line != 0).unwrap_or_default()
    }
}
