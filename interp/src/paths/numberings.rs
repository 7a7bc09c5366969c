//! The path numberings of a program's functions: a recorder of paths and its readers agree on them.

use std::sync::Arc;
use symx_ir::Program;
use symx_ir::path_numbering::PathNumbering;
use symx_ir::program::LinkedFunction;

/// The numberings of the functions whose paths are recorded.
#[derive(Debug)]
pub(crate) struct Numberings {
    /// By the functions' module index.
    by_index: Vec<Option<Arc<PathNumbering>>>,
}

impl Numberings {
    /// Those of a program's own functions, each of which is given at most `path_limit` paths.
    pub(crate) fn new(program: &Program, path_limit: u32) -> Self {
        let mut by_index = Vec::new();
        for function in program.functions.iter().filter(|function| function.may_be_logged()) {
            let index = function.module_index as usize;
            if by_index.len() <= index {
                by_index.resize(index + 1, None);
            }
            by_index[index] = numbering(function, path_limit);
        }
        Self { by_index }
    }

    /// The numbering of the function with this module index, if its paths are recorded.
    pub(crate) fn at(&self, index: u32) -> Option<&Arc<PathNumbering>> {
        self.by_index.get(index as usize)?.as_ref()
    }

    /// The numbering of a function, if its paths are recorded.
    pub(crate) fn of(&self, function: &LinkedFunction) -> Option<&Arc<PathNumbering>> {
        if function.may_be_logged() { self.at(function.module_index) } else { None }
    }
}

/// The numbering of a function's paths, if the recorder logs the function.
pub fn numbering(function: &LinkedFunction, limit: u32) -> Option<Arc<PathNumbering>> {
    let successors: Vec<Vec<u32>> = function
        .blocks
        .iter()
        .map(|block| function.edges[block.edges()].iter().map(|edge| edge.block).collect())
        .collect();
    let numbering = PathNumbering::with_resume_blocks(&successors, &function.resume_blocks, limit).ok()?;
    numbering.is_recorded(function.contains_calls).then(|| Arc::new(numbering))
}
