//! Where code and threads stand in the source.

use symx_ir::{FunctionId, Program, SpanId};
use symx_trace::{Location, ThreadId};

/// The source location of a span, and of the calls it was inlined through, innermost first.
pub fn locations(program: &Program, span: SpanId) -> Vec<Location> {
    let mut locations = Vec::new();
    let mut next = span;
    while next != SpanId::UNKNOWN {
        let span = program.span(next);
        locations.push(Location {
            file: program.files.get(span.file as usize).cloned().unwrap_or_default(),
            line: span.line,
            column: span.column,
            function: program.scopes.get(span.scope as usize).cloned().unwrap_or_default(),
        });
        next = span.inlined_at;
    }
    locations
}

/// The source location of a span.
pub fn location(program: &Program, span: SpanId) -> Location {
    locations(program, span).into_iter().next().unwrap_or_default()
}

/// A lock that a thread holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TakenLock {
    /// Where it is.
    pub address: u64,
    /// Whether other threads may hold it at once: as readers.
    pub is_shared: bool,
}

/// Where a thread stood when it did something.
#[derive(Clone, Debug)]
pub(crate) struct ThreadPosition {
    /// The thread.
    pub thread: ThreadId,
    /// Its position in the program's own code.
    pub span: SpanId,
    /// Its activations, innermost first.
    pub frames: Vec<FramePosition>,
    /// The locks it held.
    pub held: Vec<TakenLock>,
    /// Which step of the execution that was, where steps are counted.
    pub step: usize,
}

impl symx_memmodel::Origin for ThreadPosition {
    fn is_same_place(&self, other: &Self) -> bool {
        self.span == other.span
    }
}

/// Where one activation stood.
#[derive(Clone, Debug)]
pub(crate) enum FramePosition {
    /// In a modelled function.
    Model(&'static str),
    /// In a function of the program.
    Program(FunctionId, SpanId),
}
