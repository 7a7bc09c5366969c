//! Which functions have code on which lines.

use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use symx_ir::{FunctionId, Inst, Program};

/// A line of a source file, by the number that the program gives the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Line {
    /// The file.
    pub file: u32,
    /// From 1.
    pub line: u32,
}

/// The lines of a program's own code.
pub struct Lines {
    program: Arc<Program>,
    functions: BTreeMap<Line, FxHashSet<FunctionId>>,
}

impl Lines {
    /// Those of `program`.
    pub fn new(program: &Arc<Program>) -> Self {
        let mut functions: BTreeMap<Line, FxHashSet<FunctionId>> = BTreeMap::new();
        for (index, function) in program.functions.iter().enumerate() {
            if !function.in_program {
                continue;
            }
            for span in &function.spans {
                if let Some(line) = line_at(program, *span) {
                    functions.entry(line).or_default().insert(FunctionId(index as u32));
                }
            }
        }
        Self { program: Arc::clone(program), functions }
    }

    /// The line of an instruction. Where a function makes room for a variable, its line has not begun.
    pub fn of(&self, function: FunctionId, pc: u32) -> Option<Line> {
        let function = self.program.function(function);
        if matches!(function.code.get(pc as usize)?, Inst::Alloca { .. }) {
            return None;
        }
        line_at(&self.program, *function.spans.get(pc as usize)?)
    }

    /// The first line with code from `line` on in a file, of each file that is meant by `path`.
    pub fn resolve(&self, path: &str, line: u32) -> Vec<Line> {
        let files = (0..self.program.files.len() as u32).filter(|file| self.is_meant(*file, path));
        let resolved: Vec<Line> = files
            .filter_map(|file| {
                let from = Line { file, line };
                self.functions.range(from..).next().map(|(line, _)| *line).filter(|line| line.file == file)
            })
            .collect();
        let nearest = resolved.iter().map(|line| line.line).min();
        resolved.into_iter().filter(|line| Some(line.line) == nearest).collect()
    }

    fn is_meant(&self, file: u32, path: &str) -> bool {
        let known = &self.program.files[file as usize];
        if known == path {
            return true;
        }
        if known.is_empty() || Path::new(known).file_name() != Path::new(path).file_name() {
            return false;
        }
        let whole = |path: &str| Path::new(path).canonicalize().ok();
        match (whole(known), whole(path)) {
            (Some(known), Some(path)) => known == path,
            // A source that lies elsewhere now is found by the end of its path.
            _ => {
                let (known, path) = (PathBuf::from(known), PathBuf::from(path));
                known.ends_with(&path) || path.ends_with(&known) || known.file_name() == path.file_name()
            }
        }
    }

    /// The functions that have code on a line.
    pub fn functions_on(&self, line: Line) -> impl Iterator<Item = FunctionId> + '_ {
        self.functions.get(&line).into_iter().flatten().copied()
    }

    /// The own functions of this name.
    pub fn functions_named(&self, name: &str) -> Vec<FunctionId> {
        let functions = self.program.functions.iter().enumerate();
        let named = functions.filter(|(_, function)| {
            function.in_program && (function.source_name == name || function.name == name)
        });
        named.map(|(index, _)| FunctionId(index as u32)).collect()
    }

    /// The first instruction of a function that has a line.
    pub fn entry(&self, function: FunctionId) -> Option<u32> {
        (0..self.program.function(function).spans.len() as u32).find(|pc| self.of(function, *pc).is_some())
    }

    /// The name of a file.
    pub fn file(&self, line: Line) -> &str {
        &self.program.files[line.file as usize]
    }
}

fn line_at(program: &Program, span: symx_ir::SpanId) -> Option<Line> {
    let span = program.span(program.outside_library_sources(span)?);
    (span.line != 0).then_some(Line { file: span.file, line: span.line })
}
