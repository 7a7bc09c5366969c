//! Places that other tools report, in the program's own code.

use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use symx_candidates::reported::ReportedAccess;
use symx_ir::{Program, Span};
use symx_trace::Location;

/// The lines of a program's own code.
pub(super) struct Places<'p> {
    program: &'p Program,
    /// By line, in the program's order.
    spans: FxHashMap<u32, Vec<Span>>,
    /// By a report's name for a file: the program's files that it may mean.
    files: FxHashMap<String, FxHashSet<u32>>,
}

impl<'p> Places<'p> {
    pub fn of(program: &'p Program) -> Self {
        let mut spans: FxHashMap<u32, Vec<Span>> = FxHashMap::default();
        let own = program.functions.iter().filter(|function| function.in_program);
        for id in own.flat_map(|function| &function.spans) {
            let span = *program.span(*id);
            let of_line = spans.entry(span.line).or_default();
            // The instructions of a line mostly follow each other.
            if of_line.last() != Some(&span) {
                of_line.push(span);
            }
        }
        Self { program, spans, files: FxHashMap::default() }
    }

    /// The first frame that is code of the program, by its names for files.
    pub fn of_access(&mut self, access: &ReportedAccess) -> Option<Location> {
        let Self { program, spans, files } = self;
        access.frames.iter().find_map(|frame| {
            let files: &FxHashSet<u32> = files.entry(frame.file.clone()).or_insert_with(|| {
                let named = (0..).zip(&program.files).filter(|(_, name)| is_same_file(name, &frame.file));
                named.map(|(number, _)| number).collect()
            });
            let here: Vec<&Span> =
                spans.get(&frame.line)?.iter().filter(|span| files.contains(&span.file)).collect();
            // Several files of one name may have code on a line of that number.
            let is_named = |span: &Span| {
                let scope = program.scopes.get(span.scope as usize);
                scope.is_some_and(|scope| is_in_name(scope, &frame.function))
            };
            let span = here.iter().find(|span| is_named(span)).or(here.first())?;
            let file = program.files.get(span.file as usize)?.clone();
            let function = program.scopes.get(span.scope as usize).cloned().unwrap_or_default();
            Some(Location { file, line: span.line, column: 0, function })
        })
    }
}

/// Whether two names of files may mean the same: one is the end of the other, whole parts taken.
fn is_same_file(one: &str, other: &str) -> bool {
    Path::new(one).ends_with(other.trim_start_matches("./"))
        || Path::new(other).ends_with(one.trim_start_matches("./"))
}

/// Whether a function may be the one that a tool calls so, be it with scopes, parameters and result.
pub(super) fn is_in_name(function: &str, name: &str) -> bool {
    let words = |text: &'_ str| -> Vec<String> {
        let parts = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let own = function.split(['<', '(']).next().unwrap_or_default();
    words(own).last().is_some_and(|own| words(name).contains(own))
}
