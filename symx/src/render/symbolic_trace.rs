//! A symbolic trace as text: thread by thread, an event or a condition a line.

use crate::text::{TerminalText, one_line};
use std::fmt::Write;
use symx_expr::{Term, Terms};
use symx_ir::short_file;
use symx_trace::Location;
use symx_trace::symbolic::{
    AccessOrdering, ByteSpan, Event, ObjectKind, ObjectRef, Operation, SymbolicTrace, ThreadRef, ThreadTrace,
};

/// Terms are shown up to this many nodes.
const LONGEST_TERM: usize = 40;

/// A symbolic trace as text.
pub fn symbolic_trace(trace: &SymbolicTrace) -> String {
    let terms = Terms::new();
    let loaded = trace.terms.load(&terms);
    Printer { trace, terms, loaded }.text()
}

struct Printer<'a> {
    trace: &'a SymbolicTrace,
    terms: Terms,
    loaded: Vec<Term>,
}

impl Printer<'_> {
    fn text(&self) -> String {
        let mut text = TerminalText::default();
        if !self.trace.program.is_empty() {
            let _ = writeln!(text, "trace of {}", self.trace.program);
        }
        for object in &self.trace.objects {
            let kind = match object.kind {
                ObjectKind::Memory { size } => format!("{size} bytes"),
                ObjectKind::Mutex => "mutex".into(),
                ObjectKind::ReadWriteLock => "read-write lock".into(),
                ObjectKind::ConditionVariable => "condition variable".into(),
                ObjectKind::Barrier { width } => format!("barrier of {width}"),
                ObjectKind::Semaphore { initial } => format!("semaphore, {initial} at first"),
            };
            let _ = writeln!(text, "object {}: {kind}", object.description);
        }
        for initial in &self.trace.initial {
            let _ = writeln!(text, "initially {} = {}", self.span(initial.span), self.term(initial.value));
        }
        for thread in &self.trace.threads {
            self.thread(thread, &mut text);
        }
        let _ = writeln!(text, "bug {}", self.term(self.trace.bug.condition));
        if let Some(failure) = &self.trace.bug.failure {
            let _ = writeln!(text, "  {}{}", one_line(&failure.message), place(&failure.location));
        }
        text.into_string()
    }

    fn thread(&self, thread: &ThreadTrace, text: &mut TerminalText) {
        let _ = writeln!(text, "thread {}", thread.name.label());
        let mut conditions = thread.conditions.iter().peekable();
        for number in 0..=thread.events.len() {
            while let Some(condition) = conditions.next_if(|condition| condition.after as usize <= number) {
                let _ = writeln!(text, "     if {}{}", self.term(condition.term), place(&condition.location));
            }
            if let Some(event) = thread.events.get(number) {
                let _ = writeln!(text, "{number:4} {}", self.event(event));
            }
        }
        if let Some(blocked) = &thread.blocked {
            let _ = writeln!(text, "     waits forever in {}", self.event(blocked));
        }
    }

    fn event(&self, event: &Event) -> String {
        format!("{}{}", self.operation(&event.operation), place(&event.location))
    }

    fn operation(&self, operation: &Operation) -> String {
        let object = |object: &ObjectRef| self.object(*object);
        let order = |ordering: &AccessOrdering| match ordering {
            AccessOrdering::NotAtomic => String::new(),
            other => format!(" ({})", serde_json::to_value(other).unwrap_or_default().as_str().unwrap_or("")),
        };
        match operation {
            Operation::Read { span, ordering, symbol } => {
                format!("{} = read {}{}", self.term(*symbol), self.span(*span), order(ordering))
            }
            Operation::Write { span, ordering, value } => {
                format!("write {} = {}{}", self.span(*span), self.term(*value), order(ordering))
            }
            Operation::ReadModifyWrite { span, ordering, symbol, value } => {
                let written = value.map_or("nothing".into(), |value| self.term(value));
                let (read, place) = (self.term(*symbol), self.span(*span));
                format!("{read} = exchange {place} = {written}{}", order(ordering))
            }
            Operation::Effect { span, symbol, value } => {
                let (read, place) = (self.term(*symbol), self.span(*span));
                format!("{read} = effect {place} = {}", self.term(*value))
            }
            Operation::Fence { ordering } => format!("fence{}", order(ordering)),
            Operation::Lock(mutex) => format!("lock {}", object(mutex)),
            Operation::LockBusy(mutex) => format!("find {} taken", object(mutex)),
            Operation::Unlock(mutex) => format!("unlock {}", object(mutex)),
            Operation::ReadLock(lock) => format!("lock {} for reading", object(lock)),
            Operation::ReadLockBusy(lock) => format!("find a writer at {}", object(lock)),
            Operation::ReadUnlock(lock) => format!("unlock {} for reading", object(lock)),
            Operation::WriteLock(lock) => format!("lock {} for writing", object(lock)),
            Operation::WriteLockBusy(lock) => format!("find {} taken", object(lock)),
            Operation::WriteUnlock(lock) => format!("unlock {} for writing", object(lock)),
            Operation::WaitBegin(wait) => {
                format!("wait at {} and unlock {}", object(&wait.condition), object(&wait.mutex))
            }
            Operation::WaitSignalled(wait) => {
                format!("woken at {}, lock {}", object(&wait.condition), object(&wait.mutex))
            }
            Operation::WaitElapsed(wait) => {
                format!("no longer wait at {}, lock {}", object(&wait.condition), object(&wait.mutex))
            }
            Operation::Signal(condition) => format!("signal {}", object(condition)),
            Operation::Broadcast(condition) => format!("broadcast {}", object(condition)),
            Operation::BarrierArrive(barrier) => format!("arrive at {}", object(barrier)),
            Operation::BarrierPass(barrier) => format!("pass {}", object(barrier)),
            Operation::SemaphoreWait(semaphore) => format!("take a unit of {}", object(semaphore)),
            Operation::SemaphoreZero(semaphore) => format!("find {} at zero", object(semaphore)),
            Operation::SemaphorePost(semaphore) => format!("post to {}", object(semaphore)),
            Operation::Create(thread) => format!("create {}", self.thread_name(*thread)),
            Operation::Begin => "begin".into(),
            Operation::End => "end".into(),
            Operation::Join(thread) => format!("join {}", self.thread_name(*thread)),
        }
    }

    fn thread_name(&self, thread: ThreadRef) -> String {
        self.trace.threads[thread.0 as usize].name.label()
    }

    fn object(&self, object: ObjectRef) -> &str {
        &self.trace.objects[object.0 as usize].description
    }

    fn span(&self, span: ByteSpan) -> String {
        let object = &self.trace.objects[span.object.0 as usize];
        match object.kind {
            ObjectKind::Memory { size } if size == span.length => object.description.clone(),
            _ => format!("{}[{}..{}]", object.description, span.offset, span.offset + span.length),
        }
    }

    fn term(&self, term: symx_trace::symbolic::TermRef) -> String {
        self.terms.display(self.loaded[term.index()]).limit(LONGEST_TERM).to_string()
    }
}

fn place(location: &Location) -> String {
    match location.line {
        0 => String::new(),
        line => format!("   {}:{line}", short_file(&location.file)),
    }
}
