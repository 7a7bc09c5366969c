//! Objects, locks, places and threads in words.

use crate::candidate::Position;
use crate::concurrency::Runner;
use crate::flow::alive::Site;
use crate::flow::summary::{Lock, LockName};
use crate::objects::{Object, ObjectId};
use crate::offsets::Offset;
use crate::points_to::{CodePlace, PointsTo};
use rustc_hash::FxHashMap;
use symx_ir::{Program, SourceName, SpanId};

pub(crate) struct Names<'p, 'a> {
    pub program: &'p Program,
    pub facts: &'a PointsTo<'p>,
    pub sites: &'a FxHashMap<CodePlace, Site>,
}

impl Names<'_, '_> {
    pub fn position(&self, id: SpanId) -> Position {
        let span = self.program.span(id);
        let text = |list: &[String], at: u32| list.get(at as usize).cloned().unwrap_or_default();
        Position {
            file: text(&self.program.files, span.file),
            line: span.line,
            column: span.column,
            function: text(&self.program.scopes, span.scope),
        }
    }

    /// The source location of an instruction, or of the call outside of library sources that it was inlined
    /// into. Where that was inlined as well, the call that it was inlined into is said, too.
    fn code(&self, (function, pc): CodePlace) -> String {
        let span = self.program.function(function).spans[pc as usize];
        let written = self.program.outside_library_sources(span).unwrap_or(span);
        let line = |span: SpanId| {
            let (file, line, _) = self.program.position(span)?;
            Some(format!("{file}:{line}"))
        };
        let Some(own) = line(written) else {
            return format!("`{}`", self.program.function(function).source_name);
        };
        let caller = self.program.outside_library_sources(self.program.span(written).inlined_at);
        match caller.and_then(line) {
            Some(caller) => format!("{own} (called at {caller})"),
            None => own,
        }
    }

    /// Whether an object is a variable of the program, rather than of one call of a function.
    pub fn is_variable(&self, id: ObjectId) -> bool {
        matches!(self.facts.objects.object(id), Object::Global(_))
    }

    pub fn object(&self, id: ObjectId, offset: Offset) -> SourceName {
        SourceName::description(match self.facts.objects.object(id) {
            Object::Global(id) | Object::ThreadLocal(id) => {
                let global = self.program.global(id);
                let place = match &global.source_type {
                    Some(of) if offset.stride == 0 && offset.at >= 0 => of.place(offset.at as u64, 0),
                    _ => String::new(),
                };
                let which = match global.distinction.as_str() {
                    "" => String::new(),
                    distinction => format!(" ({distinction})"),
                };
                return SourceName::expression(format!("{}{place}", global.source_name)).and(&which);
            }
            Object::Stack(function, site) => {
                let function = self.program.function(function);
                let of = format!(" of {}", function.source_name);
                match function.allocas.get(usize::from(site)) {
                    Some(name) if !name.is_empty() => return SourceName::expression(name).and(&of),
                    _ => format!("a variable{of}"),
                }
            }
            Object::Heap(function, pc) => format!("memory allocated at {}", self.code((function, pc))),
            Object::Copy(function, pc, number) => {
                format!("argument {} of the call at {}", number + 1, self.code((function, pc)))
            }
            Object::Variadic(id) => format!("arguments of {}", self.program.function(id).source_name),
            Object::Function(id) => return self.program.function(id).source_name.as_str().into(),
            Object::External(id) => return self.program.externals[id.0 as usize].name.as_str().into(),
        })
    }

    /// The locks that are distinguished by name, each once.
    pub fn locks(&self, locks: &[Lock]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for lock in locks {
            let name = match lock.name {
                LockName::Known(place) => {
                    let place = self.facts.place(place);
                    self.object(place.object, place.offset).into()
                }
                LockName::Section => "the atomic section".into(),
                LockName::Instance(at) => format!("the lock {at} bytes into the object"),
                // It has the name of its distance from the object's beginning as well, where that is known.
                LockName::Distance(at)
                    if !locks.iter().any(|lock| matches!(lock.name, LockName::Instance(_))) =>
                {
                    format!("a lock {at} bytes away")
                }
                LockName::Distance(_) | LockName::Key(_) => continue,
            };
            names.push(if lock.is_shared { format!("{name} (as a reader)") } else { name });
        }
        names.sort();
        names.dedup();
        names
    }

    pub fn runner(&self, runner: &Runner) -> String {
        match runner {
            Runner::First => "the first thread".into(),
            Runner::Threads(function, sites) => {
                let name = &self.program.function(*function).source_name;
                let mut places: Vec<String> = self
                    .sites
                    .iter()
                    .filter(|(_, site)| sites.contains(site))
                    .map(|(place, _)| self.code(*place))
                    .collect();
                places.sort();
                places.dedup();
                match &places[..] {
                    [one] => format!("threads that {one} starts with {name}"),
                    _ => format!("threads that start with {name}"),
                }
            }
            Runner::AnyThread(function) => {
                format!("any thread that runs {}", self.program.function(*function).source_name)
            }
        }
    }
}
