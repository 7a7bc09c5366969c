//! The beginning of an execution.

use crate::environment::Environment;
use crate::machine::Machine;
use crate::memory::AddressSpace;
use crate::shared::Shared;
use crate::state::State;
use crate::step::agents::PROGRAM_START;
use crate::threads::thread::{Activation, ModelFrame, Thread};
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use symx_expr::PathCondition;
use symx_ir::SpanId;
use symx_trace::{ThreadId, ThreadName};

impl<E: Environment> Machine<E> {
    /// The state at program start: one thread, about to initialise libc and run `main`.
    pub fn initial_state(&self) -> State<E> {
        let mut main = Thread::new(ThreadId::MAIN, ThreadName::main());
        main.guide = self.options.guide.as_ref().map(|guide| Box::new(guide.cursor(&main.name)));
        let reference = self.options.reference.as_ref();
        main.reference = reference.map(|reference| Box::new(reference.cursor(&main.name)));
        main.stack.push(Activation::Model(Arc::new(ModelFrame::new(
            (&PROGRAM_START, self.environment.main_thread()),
            SmallVec::new(),
            SpanId::UNKNOWN,
        ))));
        State {
            memory: AddressSpace::new(&self.program),
            threads: smallvec![Arc::new(main)],
            unjoined: 1,
            data: Arc::new(self.environment.start()),
            path: PathCondition::new(),
            past: Shared::default(),
            order: self.initial_order(),
            processes: None,
            alternative: None,
            end: None,
        }
    }
}
