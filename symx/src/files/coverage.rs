//! Which lines of a program were executed, in lcov's format.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt::Write;
use symx_interp::paths::coverage::Coverage;
use symx_ir::known_functions::linker_names::demangled;
use symx_ir::{FunctionId, Program, SpanId};

/// The known facts about a source file.
#[derive(Default)]
struct File {
    /// Whether each line with code was executed.
    lines: BTreeMap<u32, bool>,
    /// Line, name, whether it was entered.
    functions: Vec<(u32, String, bool)>,
    /// Line, block, branch, whether it was taken; `None` if the block's end was not reached.
    branches: Vec<(u32, u32, u32, Option<bool>)>,
    /// How many blocks that branch each line has: of several instances of a template, each has its own.
    blocks: BTreeMap<u32, u32>,
}

/// Lines executed, and lines there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineCount {
    /// Executed.
    pub executed: u64,
    /// All that have code.
    pub all: u64,
}

/// The executed lines of a program's source.
pub struct CoveredSource<'p>(BTreeMap<&'p str, File>);

impl<'p> CoveredSource<'p> {
    /// Finds the lines of what was executed. A line counts if any of its code was, wherever
    /// it was inlined to.
    pub fn new(program: &'p Program, coverage: &Coverage) -> Self {
        let mut files: BTreeMap<&str, File> = BTreeMap::new();
        let names = unique_names(program);
        for (number, function) in program.functions.iter().enumerate().filter(|entry| entry.1.in_program) {
            let id = FunctionId(number as u32);
            let reached = coverage.reached(program, id);
            if let Some((file, line, _)) = program.position(function.span) {
                let entered = reached.first().is_some_and(|reached| *reached > 0);
                let functions = &mut files.entry(file).or_default().functions;
                functions.push((line, names[&id].clone(), entered));
            }
            for (number, block) in function.blocks.iter().enumerate() {
                let end =
                    function.blocks.get(number + 1).map_or(function.code.len() as u32, |next| next.start);
                for pc in block.start..end {
                    let executed = pc < reached[number];
                    let mut span = function.spans[pc as usize];
                    while span != SpanId::UNKNOWN {
                        if let Some((file, line, _)) = program.position(span) {
                            *files.entry(file).or_default().lines.entry(line).or_default() |= executed;
                        }
                        span = program.span(span).inlined_at;
                    }
                }
                let last = function.spans[end.saturating_sub(1) as usize];
                if block.edge_count > 1
                    && let Some((file, line, _)) = program.position(last)
                {
                    let any = block.edges().any(|edge| coverage.was_taken(id, edge as u32));
                    let File { branches, blocks, .. } = files.entry(file).or_default();
                    let of_line = blocks.entry(line).or_default();
                    for (branch, edge) in block.edges().enumerate() {
                        let taken = any.then(|| coverage.was_taken(id, edge as u32));
                        branches.push((line, *of_line, branch as u32, taken));
                    }
                    *of_line += 1;
                }
            }
        }
        Self(files)
    }

    /// How many lines.
    pub fn lines(&self) -> LineCount {
        let lines = || self.0.values().flat_map(|file| file.lines.values());
        LineCount {
            executed: lines().filter(|executed| **executed).count() as u64,
            all: lines().count() as u64,
        }
    }

    /// In lcov's format. Counts are 0 or 1: it is known whether something was executed, not how often.
    pub fn lcov(&self) -> String {
        let mut out = String::new();
        for (name, file) in &self.0 {
            // Writing to a string cannot fail.
            let _ = file.write(name, &mut out);
        }
        out
    }
}

/// A name for each recorded function, no two alike: lcov takes functions of one name for one. It is the name
/// with its class and parameters, or the linker's where that is not unique.
fn unique_names(program: &Program) -> FxHashMap<FunctionId, String> {
    let own = || (0..).map(FunctionId).zip(&program.functions).filter(|entry| entry.1.in_program);
    let mut names: FxHashMap<FunctionId, String> = own()
        .map(|(id, function)| {
            let written = demangled(&function.name).unwrap_or_else(|| function.source_name.clone());
            (id, written)
        })
        .collect();
    let mut counts: FxHashMap<String, u32> = FxHashMap::default();
    names.values().for_each(|name| *counts.entry(name.clone()).or_default() += 1);
    for (id, function) in own() {
        let name = names.get_mut(&id).filter(|name| counts[*name] > 1);
        name.into_iter().for_each(|name| name.clone_from(&function.name));
    }
    names
}

impl File {
    fn write(&self, name: &str, out: &mut String) -> std::fmt::Result {
        writeln!(out, "TN:\nSF:{name}")?;
        for (line, function, _) in &self.functions {
            writeln!(out, "FN:{line},{function}")?;
        }
        for (_, function, entered) in &self.functions {
            writeln!(out, "FNDA:{},{function}", u8::from(*entered))?;
        }
        let entered = self.functions.iter().filter(|function| function.2).count();
        writeln!(out, "FNF:{}\nFNH:{entered}", self.functions.len())?;
        for (line, block, branch, taken) in &self.branches {
            let taken = taken.map_or("-", |taken| if taken { "1" } else { "0" });
            writeln!(out, "BRDA:{line},{block},{branch},{taken}")?;
        }
        let taken = self.branches.iter().filter(|branch| branch.3 == Some(true)).count();
        writeln!(out, "BRF:{}\nBRH:{taken}", self.branches.len())?;
        for (line, executed) in &self.lines {
            writeln!(out, "DA:{line},{}", u8::from(*executed))?;
        }
        let executed = self.lines.values().filter(|executed| **executed).count();
        writeln!(out, "LF:{}\nLH:{executed}\nend_of_record", self.lines.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_ir::Function;
    use symx_ir::program::LinkedFunction;

    fn program(names: &[(&str, &str)]) -> Program {
        let function = |(name, source_name): &(&str, &str)| {
            let (name, source_name) = ((*name).to_owned(), (*source_name).to_owned());
            let function = Function { name, source_name, in_program: true, ..Function::default() };
            LinkedFunction { function, constants: Vec::new() }
        };
        Program { functions: names.iter().map(function).collect(), ..Program::default() }
    }

    #[test]
    fn functions_have_names_of_their_own() {
        let program = program(&[
            ("f", "f"),
            ("_ZN1A1fEv", "f"),
            ("_ZN1B1fEv", "f"),
            ("_ZN1AC1Ev", "A"),
            ("_ZN1AC2Ev", "A"),
            ("_ZN3run4main17h0123456789abcdefE", "main"),
        ]);
        let names = unique_names(&program);
        let names: Vec<&str> = (0..6).map(|id| names[&FunctionId(id)].as_str()).collect();
        assert_eq!(names, ["f", "A::f()", "B::f()", "_ZN1AC1Ev", "_ZN1AC2Ev", "run::main"]);
    }
}
