//! Whether a symbolic trace means something: every reference leads somewhere, widths fit, threads
//! begin and end once.

use super::{
    FORMAT_VERSION, Object, ObjectKind, ObjectRef, Operation, SymbolicTrace, TermNode, TermRef, ThreadRef,
};
use std::cmp::Ordering;
use std::collections::HashSet;

/// Why a symbolic trace cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// The bytes do not begin as a symbolic trace does.
    #[error("not a symbolic trace")]
    NotATrace,
    /// It was written by a newer symx.
    #[error("symbolic trace of format version {found}; this symx reads version {supported}", supported = FORMAT_VERSION)]
    NewerVersion {
        /// The version of the file.
        found: u32,
    },
    /// It was written by an older symx, in a format that is read no more.
    #[error("symbolic trace of format version {found}; this symx reads version {supported}: make it anew with `symx trace make`", supported = FORMAT_VERSION)]
    OlderVersion {
        /// The version of the file.
        found: u32,
    },
    /// The file ends too early.
    #[error("symbolic trace cut off at byte {offset}")]
    CutOff {
        /// Where the block that is not whole begins.
        offset: usize,
    },
    /// Bytes were changed.
    #[error("symbolic trace damaged: the checksum of the {block} block at byte {offset} does not match")]
    ChecksumMismatch {
        /// The block's name.
        block: String,
        /// Where it begins.
        offset: usize,
    },
    /// A block whose checksum is right holds something else than it should.
    #[error("symbolic trace malformed: {what} at byte {offset}")]
    MalformedBlock {
        /// Where the block begins.
        offset: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// The JSON is none, or has another shape.
    #[error("symbolic trace is no such JSON: {message}")]
    Json {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// The error, with the position.
        message: String,
    },
    /// It contradicts itself.
    #[error("symbolic trace malformed: {place} has {what}")]
    Malformed {
        /// Which part: a term, a thread's event, the bug.
        place: String,
        /// The error in it.
        what: &'static str,
    },
}

impl TraceError {
    /// Refuses any other version than this build's: the failure in it has no version of its own.
    pub(super) fn refuse_other(version: u32) -> Result<(), Self> {
        match version.cmp(&FORMAT_VERSION) {
            Ordering::Less => Err(Self::OlderVersion { found: version }),
            Ordering::Equal => Ok(()),
            Ordering::Greater => Err(Self::NewerVersion { found: version }),
        }
    }
}

/// Bytes that one access may have at most.
const WIDEST_ACCESS: u64 = 1024;
/// Bytes that one object may have at most: addresses stay far from the end of the address space.
const LARGEST_OBJECT: u64 = 1 << 40;
/// Bytes that all objects may have together.
const MOST_MEMORY: u64 = 1 << 60;

impl SymbolicTrace {
    /// Whether the trace means something.
    pub fn check(&self) -> Result<(), TraceError> {
        let widths = self.terms.widths().map_err(|(index, what)| malformed(format!("term {index}"), what))?;
        let mut check = Check { trace: self, widths, symbols: HashSet::new(), created: HashSet::new() };
        check.objects()?;
        for input in &self.inputs {
            check.input(input.symbol, input.recorded).map_err(|what| malformed("an input".into(), what))?;
        }
        for initial in &self.initial {
            let place = || "an initial value".to_string();
            check.bytes(initial.span, initial.value).map_err(|what| malformed(place(), what))?;
        }
        for thread in 0..self.threads.len() {
            check.thread(thread)?;
        }
        check.effects()?;
        for (thread, trace) in self.threads.iter().enumerate().skip(1) {
            // One that has done nothing may only have got its number.
            let is_there =
                !trace.events.is_empty() || !trace.conditions.is_empty() || trace.blocked.is_some();
            if is_there && !check.created.contains(&(thread as u32)) {
                return Err(malformed(format!("thread {}", trace.name), "no creator"));
            }
        }
        check.truth(self.bug.condition).map_err(|what| malformed("the bug".into(), what))
    }
}

fn malformed(place: String, what: &'static str) -> TraceError {
    TraceError::Malformed { place, what }
}

/// An operation of two events has no event of its thread between them.
fn follows(before: Option<&Operation>, event: Option<&Operation>) -> Checked {
    let (begins, ends) = match (before, event) {
        (
            Some(Operation::WaitBegin(begun)),
            Some(Operation::WaitSignalled(over) | Operation::WaitElapsed(over)),
        ) => (Some(begun), Some(over)),
        (Some(Operation::WaitBegin(begun)), _) => (Some(begun), None),
        (_, Some(Operation::WaitSignalled(over) | Operation::WaitElapsed(over))) => (None, Some(over)),
        _ => (None, None),
    };
    require(begins == ends, "a wait that begins or ends without the other")?;
    let arrived = match before {
        Some(Operation::BarrierArrive(barrier)) => Some(barrier),
        _ => None,
    };
    let passes = match event {
        Some(Operation::BarrierPass(barrier)) => Some(barrier),
        _ => None,
    };
    require(arrived == passes, "an arrival at a barrier without passing it, or the other way round")
}

struct Check<'a> {
    trace: &'a SymbolicTrace,
    widths: Vec<u32>,
    /// Terms that are the symbol of a read or an input.
    symbols: HashSet<(&'a str, u32, bool)>,
    created: HashSet<u32>,
}

type Checked = Result<(), &'static str>;

fn require(holds: bool, what: &'static str) -> Checked {
    if holds { Ok(()) } else { Err(what) }
}

impl<'a> Check<'a> {
    fn objects(&self) -> Result<(), TraceError> {
        require(!self.trace.threads.is_empty(), "no threads")
            .map_err(|what| malformed("the trace".into(), what))?;
        let mut total: u64 = 0;
        for (index, object) in self.trace.objects.iter().enumerate() {
            if let ObjectKind::Memory { size } = object.kind {
                total = total.saturating_add(size).saturating_add(128);
            }
            let wrong = match (&object.kind, &object.name) {
                (ObjectKind::Memory { size }, _) if *size > LARGEST_OBJECT => Some("too many bytes"),
                _ if total > MOST_MEMORY => Some("more bytes than there are addresses"),
                (ObjectKind::Barrier { width: 0 }, _) => Some("a width of 0"),
                (_, super::ObjectName::Within { object: outer, .. }) if outer.0 as usize >= index => {
                    Some("an outer object that does not come before it")
                }
                _ => None,
            };
            if let Some(what) = wrong {
                return Err(malformed(format!("object {index}"), what));
            }
        }
        Ok(())
    }

    fn width(&self, term: TermRef) -> Result<u32, &'static str> {
        self.widths.get(term.index()).copied().ok_or("a term that is not there")
    }

    fn truth(&self, term: TermRef) -> Checked {
        require(self.width(term)? == 1, "a condition that is no truth value")
    }

    fn object(&self, object: ObjectRef) -> Result<&'a Object, &'static str> {
        self.trace.objects.get(object.0 as usize).ok_or("an object that is not there")
    }

    fn is(&self, object: ObjectRef, wanted: fn(&ObjectKind) -> bool) -> Checked {
        require(wanted(&self.object(object)?.kind), "an object of another kind")
    }

    fn bytes(&self, span: super::ByteSpan, value: TermRef) -> Checked {
        let ObjectKind::Memory { size } = self.object(span.object)?.kind else {
            return Err("an access to an object that is no memory");
        };
        require((1..=WIDEST_ACCESS).contains(&span.length), "an access of no such length")?;
        require(
            span.offset.checked_add(span.length).is_some_and(|end| end <= size),
            "an access out of bounds of its object",
        )?;
        require(u64::from(self.width(value)?) == span.length * 8, "a value that is not as wide as its bytes")
    }

    fn symbol(&mut self, symbol: TermRef) -> Checked {
        let node = self.trace.terms.nodes.get(symbol.index()).ok_or("a term that is not there")?;
        let TermNode::Symbol { width, name, indeterminate } = node else {
            return Err("a term that is no symbol");
        };
        require(
            self.symbols.insert((name, *width, *indeterminate)),
            "a symbol that stands for something else",
        )
    }

    fn input(&mut self, symbol: TermRef, recorded: Option<TermRef>) -> Checked {
        self.symbol(symbol)?;
        let Some(recorded) = recorded else { return Ok(()) };
        require(self.width(recorded)? == self.width(symbol)?, "a value of another width")?;
        let constant = matches!(self.trace.terms.nodes[recorded.index()], TermNode::Constant { .. });
        require(constant, "a value that is no constant")
    }

    fn thread(&mut self, index: usize) -> Result<(), TraceError> {
        let thread = &self.trace.threads[index];
        for (number, event) in thread.events.iter().enumerate() {
            let place = || format!("event {number} of thread {}", thread.name);
            let ends = matches!(event.operation, Operation::End);
            let begins = matches!(event.operation, Operation::Begin);
            let checked = require(begins == (number == 0 && index != 0), "a beginning at the wrong place")
                .and_then(|()| require(!ends || number + 1 == thread.events.len(), "an end before the end"))
                .and_then(|()| self.operation(&event.operation))
                .and_then(|()| {
                    let before = number.checked_sub(1).map(|before| &thread.events[before].operation);
                    follows(before, Some(&event.operation))
                });
            checked.map_err(|what| malformed(place(), what))?;
        }
        if let Some(blocked) = &thread.blocked {
            let last = thread.events.last().map(|event| &event.operation);
            let checked = follows(last, Some(&blocked.operation));
            checked.map_err(|what| malformed(format!("the blocked thread {}", thread.name), what))?;
            let ended = matches!(thread.events.last().map(|event| &event.operation), Some(Operation::End));
            let checked = require(!ended, "an operation after its end")
                .and_then(|()| require(blocked.operation.waits(), "a wait in what never waits"))
                .and_then(|()| match blocked.operation {
                    Operation::Join(thread) => self.existing(thread),
                    _ => self.operation(&blocked.operation),
                });
            checked.map_err(|what| malformed(format!("the blocked thread {}", thread.name), what))?;
        }
        let mut after = 0;
        for condition in &thread.conditions {
            let in_order = after <= condition.after && condition.after as usize <= thread.events.len();
            after = condition.after;
            require(in_order, "a condition out of order")
                .and_then(|()| self.truth(condition.term))
                .map_err(|what| malformed(format!("thread {}", thread.name), what))?;
        }
        Ok(())
    }

    /// An effect waits for no store, so none may be on its way to where it is counted.
    fn effects(&self) -> Result<(), TraceError> {
        let operations =
            || self.trace.threads.iter().flat_map(|thread| &thread.events).map(|event| &event.operation);
        let written: HashSet<ObjectRef> = operations()
            .filter_map(|operation| match operation {
                Operation::Write { span, .. } => Some(span.object),
                _ => None,
            })
            .collect();
        let is_written = |operation: &Operation| match operation {
            Operation::Effect { span, .. } => written.contains(&span.object),
            _ => false,
        };
        match operations().any(is_written) {
            true => Err(malformed("an effect".into(), "bytes that are stored to")),
            false => Ok(()),
        }
    }

    fn existing(&self, thread: ThreadRef) -> Checked {
        require((thread.0 as usize) < self.trace.threads.len(), "a thread that is not there")
    }

    fn operation(&mut self, operation: &Operation) -> Checked {
        if let (Some(span), Some(symbol)) = (operation.span(), operation.symbol()) {
            self.bytes(span, symbol)?;
            self.symbol(symbol)?;
        }
        if let (Some(span), Some(value)) = (operation.span(), operation.written()) {
            self.bytes(span, value)?;
        }
        let is_mutex: fn(&ObjectKind) -> bool = |kind| matches!(kind, ObjectKind::Mutex);
        let is_condition: fn(&ObjectKind) -> bool = |kind| matches!(kind, ObjectKind::ConditionVariable);
        match *operation {
            Operation::Read { .. }
            | Operation::Write { .. }
            | Operation::ReadModifyWrite { .. }
            | Operation::Effect { .. }
            | Operation::Fence { .. }
            | Operation::Begin
            | Operation::End => Ok(()),
            Operation::Lock(object) | Operation::LockBusy(object) | Operation::Unlock(object) => {
                self.is(object, is_mutex)
            }
            Operation::ReadLock(object)
            | Operation::ReadLockBusy(object)
            | Operation::ReadUnlock(object)
            | Operation::WriteLock(object)
            | Operation::WriteLockBusy(object)
            | Operation::WriteUnlock(object) => {
                self.is(object, |kind| matches!(kind, ObjectKind::ReadWriteLock))
            }
            Operation::WaitBegin(wait) | Operation::WaitSignalled(wait) | Operation::WaitElapsed(wait) => {
                self.is(wait.condition, is_condition)?;
                self.is(wait.mutex, is_mutex)
            }
            Operation::Signal(object) | Operation::Broadcast(object) => self.is(object, is_condition),
            Operation::BarrierArrive(object) | Operation::BarrierPass(object) => {
                self.is(object, |kind| matches!(kind, ObjectKind::Barrier { .. }))
            }
            Operation::SemaphoreWait(object)
            | Operation::SemaphoreZero(object)
            | Operation::SemaphorePost(object) => {
                self.is(object, |kind| matches!(kind, ObjectKind::Semaphore { .. }))
            }
            Operation::Create(thread) => {
                self.existing(thread)?;
                require(thread.0 != 0, "a creation of the main thread")?;
                require(self.created.insert(thread.0), "a creation of a thread that was created before")
            }
            Operation::Join(thread) => {
                self.existing(thread)?;
                let last = self.trace.threads[thread.0 as usize].events.last();
                let ended = matches!(last.map(|event| &event.operation), Some(Operation::End));
                require(ended, "a join of a thread that has not ended")
            }
        }
    }
}
