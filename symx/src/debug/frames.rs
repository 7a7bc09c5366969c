//! Call stacks of threads: a frame an activation, and one more for each call that was inlined there.

use symx_interp::machine::Executor;
use symx_interp::state::State;
use symx_interp::stop::position::locations;
use symx_interp::threads::frame::Frame;
use symx_interp::threads::thread::Activation;
use symx_ir::FunctionId;
use symx_ir::program::is_library_source;
use symx_posix_model::Posix;
use symx_trace::{Location, ThreadId};

/// A frame.
#[derive(Clone, PartialEq, Debug)]
pub struct StackFrame {
    /// The function's name.
    pub name: String,
    /// Where it stands; no line if that is not known.
    pub location: Location,
    /// How many activations are below its own.
    pub depth: usize,
    /// How many of the calls inlined there are inside it.
    pub inlined: usize,
    /// The function whose activation it is; `None` for a modelled one.
    pub function: Option<FunctionId>,
    /// Whether it is of the program's own code, sources of libraries left out.
    pub is_own: bool,
}

/// The frames of a thread, innermost first.
pub fn frames(executor: &Executor<'_, Posix>, state: &State<Posix>, thread: ThreadId) -> Vec<StackFrame> {
    let program = &executor.machine.program;
    let mut frames = Vec::new();
    for (depth, activation) in state.thread(thread).stack.iter().enumerate().rev() {
        match activation {
            // The model that begins a thread is nothing that its program called.
            Activation::Model(_) if depth == 0 => {}
            Activation::Model(frame) => frames.push(StackFrame {
                name: frame.title().to_owned(),
                location: Location::default(),
                depth,
                inlined: 0,
                function: None,
                is_own: false,
            }),
            Activation::Program(frame) => {
                let function = program.function(frame.function);
                let span = function.spans.get(frame.pc as usize).copied().unwrap_or(function.span);
                let mut found = locations(program, span);
                if found.is_empty() {
                    found.push(Location { line: 0, ..Location::default() });
                }
                let outermost = found.len() - 1;
                frames.extend(found.into_iter().enumerate().map(|(inlined, location)| StackFrame {
                    name: match location.function.as_str() {
                        "" => function.source_name.clone(),
                        _ if inlined == outermost => function.source_name.clone(),
                        name => name.to_owned(),
                    },
                    is_own: function.in_program && !is_library_source(&location.file),
                    location,
                    depth,
                    inlined,
                    function: Some(frame.function),
                }));
            }
        }
    }
    frames
}

/// The registers of a frame; `None` for a modelled function.
pub fn registers(state: &State<Posix>, thread: ThreadId, depth: usize) -> Option<&Frame> {
    match state.thread(thread).stack.get(depth)? {
        Activation::Program(frame) => Some(frame),
        Activation::Model(_) => None,
    }
}
