//! Titles of threads for people: `T1 worker`, the same in messages, stories, pages and debuggers.

use crate::environment::{Environment, Titles};
use crate::machine::Executor;
use crate::state::State;
use crate::threads::modelled::Title;
use crate::threads::thread::{Activation, Thread};
use symx_ir::Code;
use symx_trace::ThreadId;

/// The function that a thread began in, as far as that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryFunction {
    /// One of the program's own, in which the thread has been: that stays so.
    Own(String),
    /// One of the program's own that the thread's argument leads to, before the thread has come there.
    Foretold(String),
    /// A library's, or the call of a thread of the environment's own; empty where nothing is known.
    Library(String),
}

impl EntryFunction {
    /// Its name for people.
    pub fn into_name(self) -> String {
        match self {
            Self::Own(name) | Self::Foretold(name) | Self::Library(name) => name,
        }
    }
}

impl Default for EntryFunction {
    fn default() -> Self {
        Self::Library(String::new())
    }
}

impl<E: Environment> Executor<'_, E> {
    /// `T1 worker`: the thread's label, then the name that the program gave it or the function it began in.
    /// It is the label alone where neither is known. One of a process that the program has forked has that
    /// before it: `P1 T1.2 worker`.
    pub fn title(&self, state: &State<E>, thread: ThreadId) -> String {
        self.titled(state, thread, None)
    }

    /// The same where the function that the thread began in is known otherwise.
    pub(crate) fn titled(&self, state: &State<E>, thread: ThreadId, began: Option<&str>) -> String {
        let given = self.machine.environment.given_name(&state.data, thread);
        let own = given.or_else(|| began.filter(|_| thread != ThreadId::MAIN).map(ToOwned::to_owned));
        let own = own.unwrap_or_else(|| self.began_in(state, thread).into_name());
        state.thread(thread).name.titled(state.forked_process_of(thread), &own)
    }

    /// The function that a thread began in, as far as that is known now. A library's function that begins
    /// threads has called the program's, where that still runs, or is foretold to.
    pub fn began_in(&self, state: &State<E>, thread: ThreadId) -> EntryFunction {
        let program = &self.machine.program;
        if thread == ThreadId::MAIN {
            return EntryFunction::Own("main".into());
        }
        let it = state.thread(thread);
        // A thread of the environment's own is in its model only.
        if it.service {
            return EntryFunction::Library(self.call_title(it).unwrap_or_default().to_owned());
        }
        let mut frames = it.stack.iter().filter_map(|activation| match activation {
            Activation::Program(frame) => Some((program.function(frame.function), frame.pc as usize)),
            Activation::Model(_) => None,
        });
        let of_library = frames.clone().next().map(|(function, _)| function.source_name.clone());
        let own = frames.find_map(|(function, pc)| {
            let at = function.in_program.then(|| function.spans[pc.min(function.spans.len() - 1)])?;
            program.written_outermost(at)
        });
        if let Some(name) = own {
            return EntryFunction::Own(name.to_owned());
        }
        // One that has ended has no stack any more.
        let began = it.beginning.and_then(|beginning| match program.code_at(beginning.function)? {
            Code::Function(id) => Some(program.function(id)).filter(|function| function.in_program),
            Code::External(_) => None,
        });
        if let Some(name) = began.and_then(|function| program.written_outermost(function.span)) {
            return EntryFunction::Own(name.to_owned());
        }
        match self.foretold_beginning(state, thread) {
            Some(name) => EntryFunction::Foretold(name.to_owned()),
            None => EntryFunction::Library(of_library.unwrap_or_default()),
        }
    }

    /// The name for people of the call of a modelled function that a thread is in. One that only libraries
    /// call goes by the function that the program called: `sigwaitinfo`, `Condvar::wait`, not the system call
    /// in it.
    pub fn call_title<'t>(&'t self, thread: &'t Thread<E>) -> Option<&'t str> {
        let Some(Activation::Model(frame)) = thread.stack.last() else { return None };
        // A function that stands for many is a system call of any name.
        let is_of_libraries = frame.function.is_reserved || !matches!(frame.function.title, Title::Fixed(_));
        let called = is_of_libraries.then(|| self.called_by_program(thread)).flatten();
        Some(called.unwrap_or_else(|| frame.title()))
    }

    /// The outermost function of the library of C or Rust that the program called and that called the model a
    /// thread is in.
    fn called_by_program<'t>(&'t self, thread: &'t Thread<E>) -> Option<&'t str> {
        let mut called = None;
        for activation in thread.stack.iter().rev().skip(1) {
            let Activation::Program(frame) = activation else { return None };
            let program = &self.machine.program;
            let function = program.function(frame.function);
            if function.in_program {
                // Rust's library is compiled into the program.
                let at = function.spans[(frame.pc as usize).min(function.spans.len() - 1)];
                called = program.called_of_rust(at).filter(|name| !name.starts_with('_')).or(called);
                if program.outside_library_sources(at).is_some() || !program.is_of_rust_library(at) {
                    return called;
                }
            } else if function.name == function.source_name {
                called = Some(function.name.as_str());
            }
        }
        None
    }

    /// The names that the environment needs to put a wait into words.
    pub fn titles<'t>(&'t self, state: &'t State<E>) -> Titles<'t> {
        Titles {
            place: Box::new(move |address| self.name_of(state, address)),
            thread: Box::new(move |thread| self.title(state, thread)),
        }
    }
}
