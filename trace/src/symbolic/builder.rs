//! Putting a symbolic trace together, event by event.

use super::{
    AccessOrdering, Bug, ByteSpan, Event, FORMAT_VERSION, InitialValue, Object, ObjectKind, ObjectName,
    ObjectRef, Operation, PathCondition, RecordedInput, SymbolicTrace, TermRecorder, ThreadRef, ThreadTrace,
};
use crate::agent::ThreadName;
use crate::failure::{Failure, Location};
use symx_expr::{BitVector, Term, Terms};

/// A symbolic trace under construction; its terms are of one pool.
pub struct TraceBuilder<'a> {
    terms: &'a Terms,
    recorder: TermRecorder,
    trace: SymbolicTrace,
    location: Location,
}

impl<'a> TraceBuilder<'a> {
    /// A trace with nothing but the main thread, which is the first.
    pub fn new(terms: &'a Terms) -> Self {
        let mut recorder = TermRecorder::new();
        let bug = Bug { condition: recorder.record(terms, Term::TRUE), failure: None };
        let trace = SymbolicTrace {
            version: FORMAT_VERSION,
            program: String::new(),
            program_hash: String::new(),
            objects: Vec::new(),
            threads: Vec::new(),
            terms: Default::default(),
            inputs: Vec::new(),
            initial: Vec::new(),
            bug,
        };
        let mut builder = Self { terms, recorder, trace, location: Location::default() };
        builder.thread(ThreadName::main());
        builder
    }

    /// Which program it is.
    pub fn of_program(&mut self, path: &str, hash: &str) {
        self.trace.program = path.to_string();
        self.trace.program_hash = hash.to_string();
    }

    /// Where the events and conditions are that are added from now on.
    pub fn at(&mut self, location: Location) {
        self.location = location;
    }

    /// A thread; the event that creates it, and its [`Operation::Begin`], are to be added as well.
    pub fn thread(&mut self, name: ThreadName) -> ThreadRef {
        let thread = ThreadTrace { name, events: Vec::new(), conditions: Vec::new(), blocked: None };
        self.trace.threads.push(thread);
        ThreadRef(self.trace.threads.len() as u32 - 1)
    }

    /// An object.
    pub fn object(&mut self, name: ObjectName, kind: ObjectKind, description: &str) -> ObjectRef {
        let description = description.to_string();
        self.trace.objects.push(Object { name, kind, description, life_of: None });
        ObjectRef(self.trace.objects.len() as u32 - 1)
    }

    /// Whether another object, described so, is gone: an object of one byte.
    pub fn life(&mut self, name: ObjectName, whose: &str) -> ObjectRef {
        let object = self.object(name, ObjectKind::Memory { size: 1 }, &format!("whether {whose} is gone"));
        self.trace.objects[object.0 as usize].life_of = Some(whose.to_string());
        object
    }

    /// The whole of a global variable.
    pub fn variable(&mut self, name: &str, size: u64) -> ByteSpan {
        let object = self.object(ObjectName::Global(name.to_string()), ObjectKind::Memory { size }, name);
        ByteSpan { object, offset: 0, length: size }
    }

    /// The values of bytes before the first event, if not zero.
    pub fn initial(&mut self, span: ByteSpan, value: Term) {
        let value = self.recorder.record(self.terms, value);
        self.trace.initial.push(InitialValue { span, value });
    }

    /// A symbol is an input, and was this when the execution was recorded.
    pub fn input(&mut self, symbol: Term, recorded: Option<&BitVector>) {
        let symbol = self.recorder.record(self.terms, symbol);
        let recorded = recorded.map(|value| self.recorder.record(self.terms, self.terms.bitvector(value)));
        self.trace.inputs.push(RecordedInput { symbol, recorded });
    }

    /// A term as [`Operation`]s name it.
    pub fn record(&mut self, term: Term) -> super::TermRef {
        self.recorder.record(self.terms, term)
    }

    fn trace_of(&mut self, thread: ThreadRef) -> &mut ThreadTrace {
        &mut self.trace.threads[thread.0 as usize]
    }

    /// The thread's next event.
    pub fn event(&mut self, thread: ThreadRef, operation: Operation) {
        let event = Event { operation, location: self.location.clone() };
        self.trace_of(thread).events.push(event);
    }

    /// The symbol of what the thread's next event reads.
    fn next_symbol(&mut self, thread: ThreadRef, span: ByteSpan) -> Term {
        let trace = self.trace_of(thread);
        let name = format!("{}#{}", trace.name, trace.events.len());
        self.terms.symbol(&name, span.length as u32 * 8)
    }

    /// The thread reads; returns the symbol that denotes the value.
    pub fn read(&mut self, thread: ThreadRef, span: ByteSpan, ordering: AccessOrdering) -> Term {
        let value = self.next_symbol(thread, span);
        let symbol = self.record(value);
        self.event(thread, Operation::Read { span, ordering, symbol });
        value
    }

    /// The thread writes.
    pub fn write(&mut self, thread: ThreadRef, span: ByteSpan, ordering: AccessOrdering, value: Term) {
        let value = self.record(value);
        self.event(thread, Operation::Write { span, ordering, value });
    }

    /// The thread reads, and in the same step writes what `new` makes of the value;
    /// returns the value's symbol.
    pub fn update(
        &mut self,
        thread: ThreadRef,
        span: ByteSpan,
        ordering: AccessOrdering,
        new: impl FnOnce(Term) -> Option<Term>,
    ) -> Term {
        let old = self.next_symbol(thread, span);
        let symbol = self.record(old);
        let value = new(old).map(|new| self.record(new));
        self.event(thread, Operation::ReadModifyWrite { span, ordering, symbol, value });
        old
    }

    /// The thread does something outside memory, and counts that: `new` makes the next value of the one
    /// before, whose symbol is returned.
    pub fn effect(&mut self, thread: ThreadRef, span: ByteSpan, new: impl FnOnce(Term) -> Term) -> Term {
        let before = self.next_symbol(thread, span);
        let (symbol, value) = (self.record(before), self.record(new(before)));
        self.event(thread, Operation::Effect { span, symbol, value });
        before
    }

    /// A condition of the thread's path where it stands now.
    pub fn condition(&mut self, thread: ThreadRef, condition: Term) {
        let (term, location) = (self.record(condition), self.location.clone());
        let trace = self.trace_of(thread);
        let after = trace.events.len() as u32;
        trace.conditions.push(PathCondition { after, term, location });
    }

    /// The thread waits forever in an operation, as part of the bug.
    pub fn blocked(&mut self, thread: ThreadRef, operation: Operation) {
        let event = Event { operation, location: self.location.clone() };
        self.trace_of(thread).blocked = Some(event);
    }

    /// The trace, whose bug shows where the condition is true.
    pub fn finish(mut self, bug: Term, failure: Option<Failure>) -> SymbolicTrace {
        let condition = self.record(bug);
        SymbolicTrace { terms: self.recorder.finish(), bug: Bug { condition, failure }, ..self.trace }
    }
}
