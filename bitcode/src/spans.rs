//! Debug locations as spans.

use crate::llvm::{Metadata, MetadataKind, Parsed, Value};
use rustc_hash::FxHashMap;
use symx_ir::known_functions::cxx_names::as_written;
use symx_ir::known_functions::rust_names::{CLOSURE, function_as_written};
use symx_ir::program::is_library_source;
use symx_ir::{Module, Span, SpanId, short_file};

/// The module's spans, each distinct one once.
pub struct Spans<'m> {
    parsed: &'m Parsed,
    /// Whether names are those of Rust.
    is_of_rust: bool,
    spans: Vec<Span>,
    by_location: FxHashMap<Metadata<'m>, SpanId>,
    files: Names<'m>,
    scopes: Names<'m>,
}

/// Strings numbered in order of appearance, with the metadata they came from. Number 0 is the empty one.
#[derive(Default)]
struct Names<'m> {
    list: Vec<String>,
    by_node: FxHashMap<Metadata<'m>, u32>,
    by_text: FxHashMap<String, u32>,
}

impl<'m> Names<'m> {
    fn number(&mut self, node: Option<Metadata<'m>>, text: impl FnOnce() -> String) -> u32 {
        if let Some(&known) = node.and_then(|node| self.by_node.get(&node)) {
            return known;
        }
        let text = text();
        let number = *self.by_text.entry(text).or_insert_with_key(|text| {
            self.list.push(text.clone());
            self.list.len() as u32 - 1
        });
        if let Some(node) = node {
            self.by_node.insert(node, number);
        }
        number
    }
}

impl<'m> Spans<'m> {
    /// A table that knows only the unknown span.
    pub fn new(parsed: &'m Parsed) -> Self {
        let mut spans = Self {
            parsed,
            is_of_rust: parsed.is_of_rust(),
            spans: vec![Span::default()],
            by_location: FxHashMap::default(),
            files: Names::default(),
            scopes: Names::default(),
        };
        spans.files.number(None, String::new);
        spans.scopes.number(None, String::new);
        spans
    }

    /// The span of an instruction.
    pub fn of_instruction(&mut self, instruction: Value<'m>) -> SpanId {
        instruction.location().map_or(SpanId::UNKNOWN, |location| self.of_location(location))
    }

    /// The names of the functions that the code at a span was inlined from, innermost first.
    pub fn inlined_from(&self, span: SpanId) -> impl Iterator<Item = &str> {
        let at =
            |span: SpanId| self.spans.get(span.0 as usize).filter(|span| span.inlined_at != SpanId::UNKNOWN);
        let chain = std::iter::successors(at(span), move |inner| at(inner.inlined_at));
        chain.filter_map(|span| self.scopes.list.get(span.scope as usize).map(String::as_str))
    }

    /// Whether the code at a span is a library's, inlined into the program or not.
    pub fn is_of_library(&self, span: SpanId) -> bool {
        let file = self.spans.get(span.0 as usize).and_then(|span| self.files.list.get(span.file as usize));
        file.is_some_and(|file| is_library_source(file))
    }

    /// Whether what a location says belongs to the function of the program's own that the code at a span is
    /// inlined into: neither to one that this calls, nor to a library's.
    pub fn is_in_own_function(&mut self, location: Metadata<'m>, span: SpanId) -> bool {
        let mut own = span;
        while self.is_of_library(own) {
            own = self.spans[own.0 as usize].inlined_at;
        }
        let said = self.of_location(location);
        let function = |span: SpanId| {
            let span = &self.spans[span.0 as usize];
            (span.scope, span.inlined_at)
        };
        own != SpanId::UNKNOWN && function(said) == function(own)
    }

    /// The span of a function's declaration.
    pub fn of_function(&mut self, function: Value<'m>) -> SpanId {
        let Some(subprogram) = function.subprogram() else {
            return SpanId::UNKNOWN;
        };
        let span = Span {
            file: self.file(subprogram),
            line: subprogram.subprogram_line(),
            column: 0,
            scope: self.scope(subprogram),
            inlined_at: SpanId::UNKNOWN,
        };
        self.push(span)
    }

    /// The span of a location.
    pub fn of_location(&mut self, location: Metadata<'m>) -> SpanId {
        if let Some(&known) = self.by_location.get(&location) {
            return known;
        }
        let scope = location.scope();
        let span = Span {
            file: scope.map_or(0, |scope| self.file(scope)),
            line: location.line(),
            column: location.column(),
            scope: scope.map_or(0, |scope| self.scope(scope)),
            inlined_at: location.inlined_at().map_or(SpanId::UNKNOWN, |outer| self.of_location(outer)),
        };
        let id = self.push(span);
        self.by_location.insert(location, id);
        id
    }

    fn push(&mut self, span: Span) -> SpanId {
        self.spans.push(span);
        SpanId(self.spans.len() as u32 - 1)
    }

    fn file(&mut self, scope: Metadata<'m>) -> u32 {
        let Some(file) = scope.file() else { return 0 };
        self.files.number(Some(file), || {
            let (directory, name) = file.file_name();
            let whole = name.starts_with('/') || directory.is_empty();
            without_parents(if whole { name } else { format!("{directory}/{name}") })
        })
    }

    /// The function that a scope is part of.
    fn scope(&mut self, scope: Metadata<'m>) -> u32 {
        let (parsed, is_of_rust) = (self.parsed, self.is_of_rust);
        self.scopes.number(Some(scope), || {
            let subprogram = scope.subprogram(parsed);
            subprogram.map_or_else(String::new, |subprogram| function_name(subprogram, parsed, is_of_rust))
        })
    }

    /// The name of a function as its author writes it, from its own in debug information.
    pub fn as_written(&self, name: &str) -> String {
        if self.is_of_rust { function_as_written(name, None) } else { as_written(name).into_owned() }
    }

    /// Moves the tables into the finished module.
    pub fn finish(self, module: &mut Module) {
        module.spans = self.spans;
        module.files = self.files.list;
        module.source_folders = source_folders(self.parsed);
        module.scopes = self.scopes.list;
    }
}

/// The name of a function as its author calls it: a member's after its class, a lambda or closure by its
/// place.
fn function_name(subprogram: Metadata<'_>, parsed: &Parsed, is_of_rust: bool) -> String {
    let own = subprogram.name(parsed).unwrap_or_default();
    let name = as_written(&own).into_owned();
    let class = subprogram.parent_scope(parsed);
    let class = class.filter(|scope| matches!(scope.kind(), MetadataKind::LLVMDICompositeTypeMetadataKind));
    let placed = |kind: &str| {
        let file = subprogram.file().map(Metadata::file_name).map_or_else(String::new, |(_, name)| name);
        format!("{kind} {}:{}", short_file(&file), subprogram.subprogram_line())
    };
    match class.map(Metadata::type_name) {
        None if name.starts_with(CLOSURE) => placed("closure"),
        class if is_of_rust => function_as_written(&own, class.as_deref()),
        None => name,
        // Only the class of a lambda has no name and can be called.
        Some(class) if class.is_empty() && name == "operator()" => placed("lambda"),
        Some(class) if class.is_empty() => name,
        Some(class) => format!("{}::{name}", as_written(&class)),
    }
}

/// Where the compiler ran for each part of the module, and the folder of the file that it was given.
fn source_folders(parsed: &Parsed) -> Vec<String> {
    let mut folders = Vec::new();
    for unit in parsed.compile_units() {
        let Some((directory, name)) = unit.file().map(Metadata::file_name) else { continue };
        let whole = if name.starts_with('/') { name } else { format!("{directory}/{name}") };
        let own = without_parents(whole).rsplit_once('/').map(|(folder, _)| folder.to_owned());
        folders.extend(own.into_iter().chain([directory]).filter(|folder| folder.starts_with('/')));
    }
    folders.sort_unstable();
    folders.dedup();
    folders
}

/// A path as people write it: `/src/./a.c` is `/src/a.c`, and `/usr/lib/gcc/12/../../../include/c++` is
/// `/usr/include/c++`.
fn without_parents(path: String) -> String {
    if !path.contains("/../") && !path.contains("/./") {
        return path;
    }
    let mut kept: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match (part, kept.last()) {
            (".", Some(_)) => {}
            ("..", Some(last)) if !matches!(*last, "" | "." | "..") => {
                kept.pop();
            }
            _ => kept.push(part),
        }
    }
    kept.join("/")
}

#[cfg(test)]
mod tests {
    use super::without_parents;

    #[test]
    fn a_path_names_no_folder_that_it_leaves_again() {
        let cases = [
            ("/usr/lib/gcc/12/../../../include/c++/12/map", "/usr/include/c++/12/map"),
            ("/src/a.c", "/src/a.c"),
            ("../lib/../a.c", "../a.c"),
            ("/../a.c", "/../a.c"),
            ("./../a.c", "./../a.c"),
            ("/src/./queue.hpp", "/src/queue.hpp"),
        ];
        for (given, expected) in cases {
            assert_eq!(without_parents(given.into()), expected);
        }
    }
}
