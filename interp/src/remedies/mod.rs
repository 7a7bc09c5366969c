//! The steps of a program with a fix applied: a critical section, a step that waits for another one or for
//! threads' ends, a fence. The program stays what it is; it is its steps that are held back.
//!
//! While a thread is inside an atomic block, others do not touch what it has touched there. Their other steps
//! might as well come before the block. One thread is inside a block at a time.
//!
//! A program can have such blocks of its own
//! ([`Call::begin_atomic_block`](crate::environment::Call::begin_atomic_block)): they begin and end
//! where it says so.
//!
//! To happens-before, and so to races and to memory models that keep history, the blocks are one lock. It is
//! acquired where they begin and released where they end. A step that waits for another one, or for a
//! thread's end, comes after it. An access outside blocks to what is touched in them is not ordered by that:
//! it may race, and read what is old.
//!
//! To the reductions a fix is a lock like others: one that blocks are entered with, and one for each byte.
//! A block takes a byte's lock with its first access to it; any other access to the byte waits for it. A step
//! that waits for another one follows what that one posts, one that waits for threads' ends follows these.

pub(crate) mod applied;

pub use applied::{ATOMIC_BLOCKS, Applied};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt;
use symx_ir::{Program, SpanId};
use symx_trace::ThreadName;
use symx_trace::explanation::AtomicOrdering;

/// Orders that can be asked for at once: the bits of [`Applied::done`].
const MOST_ORDERS: usize = 64;

/// A line of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceLine {
    /// The file, by the end of its path.
    pub file: String,
    /// From 1.
    pub line: u32,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)
    }
}

/// An assumption about every execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SourceRemedy {
    /// Others see a thread's steps between these lines, and on them, as one step. The block ends after its
    /// last line, or where the function it began in returns, if both lines are in that. Stores made in it are
    /// in memory then. While the thread waits inside, others go on, but none enters a block.
    AtomicBlock {
        /// Where it begins.
        first: SourceLine,
        /// Where it ends.
        last: SourceLine,
    },
    /// A thread that comes to one line waits until a thread has left the other one, or waits there. The
    /// stores of that thread until then are in memory.
    Order {
        /// The place for which all threads wait.
        before: SourceLine,
        /// Where threads wait.
        after: SourceLine,
    },
    /// A thread's stores are in memory before it takes a step on this line.
    Fence {
        /// The line.
        before: SourceLine,
    },
    /// Loads and stores on this line are atomic, and ordered so at least.
    Atomic {
        /// The line.
        at: SourceLine,
        /// How they are ordered.
        ordering: AtomicOrdering,
    },
    /// A thread that comes to this line waits until the threads that it created have ended, and what they
    /// stored is in memory.
    Join {
        /// The line.
        before: SourceLine,
    },
}

/// Which steps at a place are a visit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepKind {
    /// All, and those with none elsewhere between them are one visit. Of the other kinds, each step is a
    /// visit of its own.
    Any,
    /// Loads.
    Read,
    /// Stores.
    Write,
    /// Atomic read-modify-writes.
    ReadModifyWrite,
    /// Fences.
    Fence,
    /// Ends of frames.
    Return,
    /// Calls of modelled functions.
    Call,
}

/// A thread's step or steps at one place of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Visit {
    /// Whose.
    pub thread: ThreadName,
    /// Where.
    pub line: SourceLine,
    /// From 1; 0 is any.
    pub column: u32,
    /// Of which kind.
    pub kind: StepKind,
    /// The how-manyth time that the thread comes there, from 1.
    pub number: u32,
}

/// That one visit is over before another one begins: what only those executions are looked at
/// in which it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Precedence {
    /// The earlier.
    pub first: Visit,
    /// The later, which waits.
    pub then: Visit,
    /// Whether what the earlier one's thread stored is in memory then, and happens before: where one waits
    /// for the other. Otherwise it is only a matter of when the steps are taken.
    pub synchronises: bool,
}

/// Why fixes cannot be applied.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RemedyError {
    /// The program has no code there.
    #[error("no code of the program is on line {0}")]
    NoCode(SourceLine),
    /// They are too many.
    #[error("more than {MOST_ORDERS} orders at once")]
    TooMany,
}

/// The role of a line in a fix; the numbers are those of blocks and of orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    First(usize),
    Last(usize),
    Before(usize),
    After(usize),
    Fenced,
    Atomic(AtomicOrdering),
    Joining,
}

/// Suggested fixes, bound to a program.
#[derive(Clone, Debug, Default)]
pub struct Remedies {
    pub(crate) roles: FxHashMap<SpanId, SmallVec<[Role; 2]>>,
    /// For each block, whether both of its ends are in one function.
    pub(crate) blocks: Vec<bool>,
    pub(crate) orders: Vec<Order>,
    /// Whether the program says where blocks of its own begin and end.
    has_own_blocks: bool,
}

/// Which visits wait for which.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// The place for which all threads wait.
    pub(crate) before: SourceLine,
    /// Which visits one has to be over before the other begins; all there are if that is not said.
    pub(crate) visits: Option<[Visit; 2]>,
    /// Whether what the earlier one stored is in memory then, and happens before.
    pub(crate) synchronises: bool,
}

impl Remedies {
    /// These, for a program that has atomic blocks of its own.
    pub(crate) fn with_own_blocks(&self) -> Self {
        Self { has_own_blocks: true, ..self.clone() }
    }

    /// Whether there are none but the program's own blocks.
    pub fn is_own_only(&self) -> bool {
        self.blocks.is_empty() && self.orders.is_empty() && self.roles.is_empty()
    }

    pub(crate) fn has_blocks(&self) -> bool {
        self.has_own_blocks || !self.blocks.is_empty()
    }

    /// Finds the lines in the program.
    pub fn new(program: &Program, remedies: &[SourceRemedy]) -> Result<Self, RemedyError> {
        let mut bound = Self::default();
        for remedy in remedies {
            match remedy {
                SourceRemedy::AtomicBlock { first, last } => {
                    let block = bound.blocks.len();
                    let begins = bound.mark(program, first, 0, Role::First(block))?;
                    let ends = bound.mark(program, last, 0, Role::Last(block))?;
                    bound.blocks.push(begins.iter().any(|scope| ends.contains(scope)));
                }
                SourceRemedy::Order { before, after } => {
                    bound.order(program, (before, 0), (after, 0), None)?;
                }
                SourceRemedy::Fence { before } => {
                    bound.mark(program, before, 0, Role::Fenced)?;
                }
                SourceRemedy::Atomic { at, ordering } => {
                    bound.mark(program, at, 0, Role::Atomic(*ordering))?;
                }
                SourceRemedy::Join { before } => {
                    bound.mark(program, before, 0, Role::Joining)?;
                }
            }
        }
        Ok(bound)
    }

    /// The same, and these precedences.
    pub fn with(mut self, program: &Program, precedences: &[Precedence]) -> Result<Self, RemedyError> {
        for Precedence { first, then, synchronises } in precedences {
            let visits = [first.clone(), then.clone()];
            self.order(program, (&first.line, first.column), (&then.line, then.column), Some(visits))?;
            self.orders.last_mut().expect("it was put there").synchronises = *synchronises;
        }
        Ok(self)
    }

    fn order(
        &mut self,
        program: &Program,
        before: (&SourceLine, u32),
        after: (&SourceLine, u32),
        visits: Option<[Visit; 2]>,
    ) -> Result<(), RemedyError> {
        let order = self.orders.len();
        if order == MOST_ORDERS {
            return Err(RemedyError::TooMany);
        }
        self.mark(program, before.0, before.1, Role::Before(order))?;
        self.mark(program, after.0, after.1, Role::After(order))?;
        self.orders.push(Order { before: before.0.clone(), visits, synchronises: true });
        Ok(())
    }

    /// The visit that a role is about, if it is about one: the order, at which end of it, and the visit.
    pub(crate) fn visit(&self, role: Role) -> Option<(usize, usize, &Visit)> {
        let (order, end) = match role {
            Role::Before(order) => (order, 0),
            Role::After(order) => (order, 1),
            _ => return None,
        };
        self.orders[order].visits.as_ref().map(|visits| (order, end, &visits[end]))
    }

    /// Gives a line, or a column of it that is not 0, a role; the functions it is in.
    fn mark(
        &mut self,
        program: &Program,
        line: &SourceLine,
        column: u32,
        role: Role,
    ) -> Result<Vec<u32>, RemedyError> {
        let mut scopes = Vec::new();
        let is_at = |span: SpanId| {
            program.position(span).is_some_and(|(file, at, from)| {
                at == line.line
                    && (column == 0 || from == column)
                    && symx_ir::omission::is_named(file, &line.file)
            })
        };
        for span in (1..program.spans.len() as u32).map(SpanId) {
            // Library code inlined into a line counts as being on that line.
            let written = program.outside_library_sources(span).unwrap_or(span);
            if is_at(span) || is_at(written) {
                self.roles.entry(span).or_default().push(role);
                scopes.push(program.span(written).scope);
            }
        }
        if scopes.is_empty() { Err(RemedyError::NoCode(line.clone())) } else { Ok(scopes) }
    }
}
