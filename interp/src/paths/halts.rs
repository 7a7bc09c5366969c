//! Stopping a thread before chosen instructions: at lines, at every instruction, or after a count.
//!
//! A thread that was stopped so stands between two instructions, in the middle of a step. Its state is whole:
//! to [resume](crate::machine::Executor::resume) it without a grant continues it there.

use crate::state::State;
use crate::threads::kept::Kept;
use crate::threads::thread::Activation;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use symx_ir::{FunctionId, Program, SpanId};
use symx_trace::ThreadId;

/// Where a thread has come to: before an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// The thread.
    pub thread: ThreadId,
    /// How many activations are below the one that the instruction belongs to.
    pub depth: usize,
    /// The function.
    pub function: FunctionId,
    /// The instruction.
    pub pc: u32,
    /// How many instructions the thread has executed so far.
    pub executed: u64,
    /// Whether a line begins here: the instruction before it in this activation belongs to another one.
    pub begins_line: bool,
}

/// Before which instructions a thread stops.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    /// Which of the instructions looked at.
    pub grain: Grain,
    /// Functions that are looked at in any activation.
    pub functions: Arc<FxHashSet<FunctionId>>,
    /// Activations of the program's own functions that are looked at: those with at most this many below.
    pub deepest: Option<usize>,
}

/// Which instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Grain {
    /// Those at which a line begins.
    #[default]
    Line,
    /// All.
    Instruction,
    /// The one before which the thread has executed this many in its life, whatever function it is of.
    Executed(u64),
}

/// A source line.
type Line = (u32, u32);

/// Stops a thread before instructions of a pattern.
#[derive(Debug)]
pub struct Halts {
    pattern: Pattern,
    /// By activation of the thread, the line that it is in.
    lines: Vec<Option<Line>>,
    /// The lines of spans, as far as they were asked for: to recognise a library's takes comparing names of
    /// files.
    known: FxHashMap<SpanId, Option<Line>>,
    last: Option<(usize, u32, u64)>,
    stopped: Option<Arrival>,
}

impl Halts {
    /// Stops no thread. Yet every step is executed, whether or not its result is known.
    pub fn nowhere() -> Self {
        Self {
            pattern: Pattern::default(),
            lines: Vec::new(),
            known: FxHashMap::default(),
            last: None,
            stopped: None,
        }
    }

    /// Stops `thread` of `state`, which is about to take a step.
    pub fn of<E: Kept>(pattern: Pattern, program: &Program, state: &State<E>, thread: ThreadId) -> Self {
        let stack = state.thread(thread).stack.iter();
        let lines = stack.map(|activation| match activation {
            Activation::Program(frame) => line_of(program, span_at(program, frame.function, frame.pc)),
            Activation::Model(_) => None,
        });
        Self { pattern, lines: lines.collect(), ..Self::nowhere() }
    }

    /// Where the thread has been stopped, once.
    pub fn take_stop(&mut self) -> Option<Arrival> {
        self.stopped.take()
    }

    /// Whether instructions of an activation are to be reported one by one.
    pub(crate) fn concerns(&self, program: &Program, function: FunctionId, depth: usize) -> bool {
        matches!(self.pattern.grain, Grain::Executed(_))
            || self.pattern.functions.contains(&function)
            || self.pattern.deepest.is_some_and(|deepest| depth <= deepest)
                && program.function(function).in_program
    }

    /// Whether to stop before an instruction of an activation that it concerns.
    pub(crate) fn arrive(&mut self, program: &Program, mut arrival: Arrival) -> bool {
        // An instruction that is taken again is the same arrival.
        let place = Some((arrival.depth, arrival.pc, arrival.executed));
        if self.last == place {
            return false;
        }
        self.last = place;
        self.lines.resize(arrival.depth + 1, None);
        if arrival.pc == 0 {
            self.lines[arrival.depth] = None;
        }
        let span = span_at(program, arrival.function, arrival.pc);
        let line = *self.known.entry(span).or_insert_with(|| line_of(program, span));
        arrival.begins_line = line.is_some() && line != self.lines[arrival.depth];
        if line.is_some() {
            self.lines[arrival.depth] = line;
        }
        let stops = match self.pattern.grain {
            Grain::Line => arrival.begins_line,
            Grain::Instruction => true,
            Grain::Executed(executed) => arrival.executed == executed,
        };
        if stops {
            self.stopped = Some(arrival);
        }
        stops
    }
}

fn span_at(program: &Program, function: FunctionId, pc: u32) -> SpanId {
    program.function(function).spans.get(pc as usize).copied().unwrap_or(SpanId::UNKNOWN)
}

/// The line that a programmer wrote at a span; none of code that has none, or of a library's.
fn line_of(program: &Program, span: SpanId) -> Option<Line> {
    let span = program.span(program.outside_library_sources(span)?);
    (span.line != 0).then_some((span.file, span.line))
}
