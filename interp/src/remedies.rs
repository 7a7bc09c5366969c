//! What a program would do with a remedy applied: steps of a thread that nobody comes between, a step that waits for
//! another one, a fence. The program stays what it is; it is its steps that are held back.
//!
//! While a thread is inside an atomic block, others do not touch what it has touched there; what else they do might as
//! well come before the block. One thread is inside a block at a time.
//!
//! A program can have such blocks of its own ([`Call::begin_atomic_block`]): they begin and end where it says so.
//!
//! To happens-before, and so to races and to memory models that keep history, the blocks are one lock, which is taken where
//! they begin and given up where they end, and a step that waits for another one comes after it. Who touches outside
//! blocks what is touched in them comes before or after nobody for that: it may race, and read what is old.
//!
//! To the reductions a remedy is a lock like others: one that blocks are entered with, one for each byte, which a block
//! takes with its first access to it and whoever touches the byte otherwise waits for. A step that waits for another one
//! follows what that one posts.

use crate::call::Call;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::thread::{Activation, Thread};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt;
use symx_ir::{FunctionId, Program, SpanId};
use symx_memmodel::{Ordering, SyncObject};
use symx_trace::{Access, Agent, Footprint, Mode, Place, ThreadId, ThreadName};

/// The number of the lock that atomic blocks take; no address.
const BLOCKS: u64 = u64::MAX;

/// The lock that atomic blocks take, as a place that steps touch.
pub const ATOMIC_BLOCKS: Place = Place::Object(BLOCKS);

/// The number of the object that the first order's steps post to and wait at; further ones lie below.
const FIRST_ORDER: u64 = u64::MAX - 1;

/// Where the locks of bytes are, among the addresses.
const LOCKS: u64 = 1 << 62;
/// Where streams are, among these.
const STREAMS: u64 = 1 << 61;

/// Orders that can be asked for at once: the bits of [`Applied::done`].
const MOST_ORDERS: usize = 64;

/// The object that orders threads for the lock or post with this number.
fn of_remedies(number: u64) -> SyncObject {
    (number, 0)
}

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

/// What is to hold of every execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SourceRemedy {
    /// What a thread does between these lines, and on them, is seen by others as one step. The block ends after its last
    /// line, or where the function it began in returns, if both lines are in that; stores made in it are in memory then.
    /// While the thread waits inside, others go on, but none enters a block.
    AtomicBlock {
        /// Where it begins.
        first: SourceLine,
        /// Where it ends.
        last: SourceLine,
    },
    /// Who comes to one line waits until a thread has left the other one, or waits there, and what it stored until then
    /// is in memory.
    Order {
        /// Where everybody waits for.
        before: SourceLine,
        /// Where threads wait.
        after: SourceLine,
    },
    /// What a thread stored is in memory before it takes a step on this line.
    Fence {
        /// The line.
        before: SourceLine,
    },
    /// Loads and stores on this line are atomic, and sequentially consistent.
    Atomic {
        /// The line.
        at: SourceLine,
    },
}

/// A thread's steps at one place of the program, the first time that it comes there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Visit {
    /// Whose.
    pub thread: ThreadName,
    /// Where.
    pub line: SourceLine,
    /// From 1; 0 is any.
    pub column: u32,
}

/// That one visit is over before another one begins: what only those executions are looked at in which it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Precedence {
    /// The earlier.
    pub first: Visit,
    /// The later, which waits.
    pub then: Visit,
}

/// The [detail](symx_trace::Failure::detail) of a deadlock or livelock in which somebody is held back by what is assumed.
pub const ASSUMED: &str = "assumed";

/// Why remedies cannot be applied.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RemedyError {
    /// The program has no code there.
    #[error("no code of the program is on line {0}")]
    NoCode(SourceLine),
    /// They are too many.
    #[error("more than {MOST_ORDERS} orders at once")]
    TooMany,
}

/// What a line is in a remedy; the numbers are those of blocks and of orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    First(usize),
    Last(usize),
    Before(usize),
    After(usize),
    Fenced,
    Atomic,
}

/// Remedies, bound to a program.
#[derive(Clone, Debug, Default)]
pub struct Remedies {
    roles: FxHashMap<SpanId, SmallVec<[Role; 2]>>,
    /// For each block, whether both of its ends are in one function.
    blocks: Vec<bool>,
    orders: Vec<Order>,
    /// Whether the program says where blocks of its own begin and end.
    has_own_blocks: bool,
}

/// Who waits for whom.
#[derive(Clone, Debug)]
struct Order {
    /// Where everybody waits for.
    before: SourceLine,
    /// Who is waited for and who waits; everybody if that is not said.
    threads: Option<[ThreadName; 2]>,
}

impl Remedies {
    /// These, for a program that has atomic blocks of its own.
    pub(crate) fn with_own_blocks(&self) -> Self {
        Self { has_own_blocks: true, ..self.clone() }
    }

    fn has_blocks(&self) -> bool {
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
                SourceRemedy::Atomic { at } => {
                    bound.mark(program, at, 0, Role::Atomic)?;
                }
            }
        }
        Ok(bound)
    }

    /// The same, and these precedences.
    pub fn with(mut self, program: &Program, precedences: &[Precedence]) -> Result<Self, RemedyError> {
        for Precedence { first, then } in precedences {
            let threads = [first.thread.clone(), then.thread.clone()];
            self.order(program, (&first.line, first.column), (&then.line, then.column), Some(threads))?;
        }
        Ok(self)
    }

    fn order(
        &mut self,
        program: &Program,
        before: (&SourceLine, u32),
        after: (&SourceLine, u32),
        threads: Option<[ThreadName; 2]>,
    ) -> Result<(), RemedyError> {
        let order = self.orders.len();
        if order == MOST_ORDERS {
            return Err(RemedyError::TooMany);
        }
        self.mark(program, before.0, before.1, Role::Before(order))?;
        self.mark(program, after.0, after.1, Role::After(order))?;
        self.orders.push(Order { before: before.0.clone(), threads });
        Ok(())
    }

    /// Whether a role is one of the thread with this name.
    fn concerns(&self, role: Role, thread: &ThreadName) -> bool {
        let threads = |order: usize| self.orders[order].threads.as_ref();
        match role {
            Role::Before(order) => threads(order).is_none_or(|[first, _]| first == thread),
            Role::After(order) => threads(order).is_none_or(|[_, then]| then == thread),
            _ => true,
        }
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
        for number in 1..program.spans.len() as u32 {
            let is_there = program.position(SpanId(number)).is_some_and(|(file, at, from)| {
                at == line.line
                    && (column == 0 || from == column)
                    && symx_ir::omission::is_named(file, &line.file)
            });
            if is_there {
                self.roles.entry(SpanId(number)).or_default().push(role);
                scopes.push(program.span(SpanId(number)).scope);
            }
        }
        if scopes.is_empty() { Err(RemedyError::NoCode(line.clone())) } else { Ok(scopes) }
    }
}

/// How far remedies are in an execution.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Applied {
    /// Boxed: states are copied all the time, and seldom is a thread inside.
    inside: Option<Box<Inside>>,
    /// Who has taken a step that an order is to wait for, and is not done with it.
    passing: Vec<(ThreadId, usize)>,
    /// The orders that nobody has to wait for any more, a bit each.
    done: u64,
    /// Those whose later step has come.
    followed: u64,
}

/// A thread inside an atomic block.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Inside {
    thread: ThreadId,
    /// What it has touched.
    touched: SmallVec<[Touched; 4]>,
    /// Whether it has to wait for others.
    waiting: bool,
    until: Until,
    /// Whether it has come to the end, and its stores are still on their way to memory.
    leaving: bool,
}

/// Where an atomic block ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Until {
    /// Where the lines of a remedy's block do.
    Lines {
        block: usize,
        entry: Spot,
        /// Whether the thread has been on the last line.
        at_last: bool,
    },
    /// Where the program has said so as often as it has begun one.
    Told { depth: u32 },
}

/// Bytes from `start` to `end`, exclusive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Touched {
    start: u64,
    end: u64,
    written: bool,
}

impl Touched {
    /// What a step touches that a block may have to itself.
    fn by(footprint: &Footprint) -> impl Iterator<Item = Self> {
        footprint.iter().filter_map(|access| {
            let (start, end) = match access.place {
                Place::Memory { start, end } => (start, end),
                Place::Object(address) => (address, address.saturating_add(1)),
                // Not in memory: the space above addresses has room. Streams that fall together only wait more often.
                Place::Stream(number) => {
                    let place = STREAMS + number % STREAMS;
                    (place, place + 1)
                }
                _ => return None,
            };
            let written = access.mode != Mode::Read && access.mode != Mode::Follow;
            (start < LOCKS).then_some(Self { start, end, written })
        })
    }

    fn conflicts(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end && (self.written || other.written)
    }

    fn lock(&self, mode: Mode) -> Access {
        Access { place: Place::Memory { start: self.start + LOCKS, end: self.end + LOCKS }, mode }
    }
}

/// Where a thread stands in the program's own code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Spot {
    depth: usize,
    function: FunctionId,
    instruction: u32,
}

impl<E: Environment> Executor<'_, E> {
    /// What the line that a thread stands on is in the remedies.
    fn roles(&self, thread: &Thread<E>) -> SmallVec<[Role; 2]> {
        let (Some(remedies), Some(pending)) = (&self.machine.options.remedies, &thread.pending) else {
            return SmallVec::new();
        };
        let at = |span: SpanId| remedies.roles.get(&span).map(|roles| roles.as_slice());
        let roles = at(pending.span).or_else(|| at(self.position_of(thread))).unwrap_or_default();
        roles.iter().copied().filter(|role| remedies.concerns(*role, &thread.name)).collect()
    }

    /// Whether an execution that has ended is none of those that precedences speak of: of some, the later visit never began.
    pub(crate) fn is_beside_precedences(&self, state: &State<E>) -> bool {
        let remedies = self.machine.options.remedies.as_ref();
        remedies.is_some_and(|remedies| {
            let mut orders = remedies.orders.iter().enumerate();
            orders.any(|(order, told)| told.threads.is_some() && state.applied.followed & 1 << order == 0)
        })
    }

    /// Whether somebody is held back for ever by what is assumed, where nobody gets anywhere.
    pub(crate) fn is_somebody_held_back(&self, state: &State<E>) -> bool {
        self.machine.options.remedies.is_some()
            && state.threads.iter().filter(|thread| !thread.exited && !thread.service).any(|thread| {
                self.waits_for_line(state, thread.id).is_some()
                    || self.waits_for_block(state, thread.id).is_some()
            })
    }

    /// Whether a thread executes code on the line of a remedy: what it does there is to be a step, whoever else touches
    /// the same; if others are held back, nobody else does.
    pub(crate) fn is_on_remedied_line(&self, state: &State<E>, span: SpanId) -> bool {
        let remedies = self.machine.options.remedies.as_ref();
        state.unjoined > 1
            && self.visible.is_some()
            && remedies.is_some_and(|remedies| remedies.roles.contains_key(&span))
    }

    /// How a load or store is ordered that the program's own code makes.
    #[inline]
    pub(crate) fn remedied_ordering(&self, span: SpanId, ordering: Ordering) -> Ordering {
        let Some(remedies) = &self.machine.options.remedies else { return ordering };
        match remedies.roles.get(&span) {
            Some(roles) if roles.contains(&Role::Atomic) => Ordering::SequentiallyConsistent,
            _ => ordering,
        }
    }

    fn spot(&self, thread: &Thread<E>) -> Option<Spot> {
        let program = &self.machine.program;
        thread.stack.iter().enumerate().rev().find_map(|(depth, activation)| match activation {
            Activation::Program(frame) if program.function(frame.function).recorded => {
                Some(Spot { depth, function: frame.function, instruction: frame.pc })
            }
            _ => None,
        })
    }

    /// Whether a remedy keeps `agent` from taking its next step, which is no interruption.
    pub(crate) fn is_held_back(&self, state: &State<E>, agent: Agent) -> bool {
        if self.machine.options.remedies.is_none() {
            return false;
        }
        match &state.applied.inside {
            Some(inside) if inside.thread == agent.thread() => {
                let waits = inside.leaving && !agent.is_buffer();
                if waits {
                    return true;
                }
            }
            Some(inside) => {
                let waits = !agent.is_buffer() && self.waits_for_block(state, agent.thread()).is_some();
                if waits || !inside.waiting && self.is_kept_from(state, agent, &inside.touched) {
                    return true;
                }
            }
            None => {}
        }
        !agent.is_buffer()
            && !self.is_interrupted(state, state.thread(agent.thread()))
            && (self.waits_for_line(state, agent.thread()).is_some()
                || self.waits_for_own_stores(state, agent.thread()))
    }

    /// Whether the next step of `agent` touches what a block has touched.
    fn is_kept_from(&self, state: &State<E>, agent: Agent, touched: &[Touched]) -> bool {
        let footprint = self.own_footprint(state, agent);
        let mut touches = Touched::by(&footprint);
        touches.any(|touch| touched.iter().any(|other| touch.conflicts(other)))
    }

    /// Who is inside a block where a thread stands before one.
    pub(crate) fn waits_for_block(&self, state: &State<E>, thread: ThreadId) -> Option<ThreadId> {
        let inside = state.applied.inside.as_ref().filter(|inside| inside.thread != thread)?;
        let mut roles = self.roles(state.thread(thread)).into_iter();
        roles.any(|role| matches!(role, Role::First(_))).then_some(inside.thread)
    }

    /// The line that a thread waits for somebody to leave.
    pub(crate) fn waits_for_line(&self, state: &State<E>, thread: ThreadId) -> Option<&SourceLine> {
        let order = self.roles(state.thread(thread)).into_iter().find_map(|role| match role {
            Role::After(order) if state.applied.done & 1 << order == 0 => Some(order),
            _ => None,
        })?;
        Some(&self.machine.options.remedies.as_ref()?.orders[order].before)
    }

    /// Whether a thread's own stores have to be in memory before its next step, and are not yet.
    fn waits_for_own_stores(&self, state: &State<E>, thread: ThreadId) -> bool {
        let thread = state.thread(thread);
        let Some(pending) = &thread.pending else { return false };
        !thread.buffer.permits(pending.action.drain(self.machine.model))
            || !thread.buffer.is_empty() && self.roles(thread).contains(&Role::Fenced)
    }

    /// What remedies add to the footprint of the next step of `agent`.
    pub(crate) fn remedied_footprint(&self, state: &State<E>, agent: Agent, footprint: &mut Footprint) {
        let Some(remedies) = &self.machine.options.remedies else { return };
        let (applied, id) = (&state.applied, agent.thread());
        let roles = if agent.is_buffer() { SmallVec::new() } else { self.roles(state.thread(id)) };
        if remedies.has_blocks() {
            let touches: SmallVec<[Touched; 4]> = Touched::by(footprint).collect();
            let enters = roles.iter().any(|role| matches!(role, Role::First(_)));
            match &applied.inside {
                Some(inside) if inside.thread == id => {
                    footprint.push(Access::object(BLOCKS, Mode::Release));
                    // After a wait it takes again what others may have had meanwhile.
                    let again = if inside.waiting { Mode::Acquire } else { Mode::Release };
                    footprint.extend(inside.touched.iter().map(|touch| touch.lock(again)));
                    let new = touches.iter().filter(|touch| !inside.touched.contains(touch));
                    footprint.extend(new.map(|touch| touch.lock(Mode::Acquire)));
                }
                _ if enters => {
                    footprint.push(Access::object(BLOCKS, Mode::Acquire));
                    footprint.extend(touches.iter().map(|touch| touch.lock(Mode::Acquire)));
                }
                _ => footprint.extend(touches.iter().map(|touch| touch.lock(Mode::Follow))),
            }
        }
        for order in 0..remedies.orders.len() {
            let is_open = applied.done & 1 << order == 0;
            let passes = roles.contains(&Role::Before(order)) || applied.passing.contains(&(id, order));
            if is_open && passes {
                footprint.push(Access::object(FIRST_ORDER - order as u64, Mode::Post));
            }
            if roles.contains(&Role::After(order)) {
                footprint.push(Access::object(FIRST_ORDER - order as u64, Mode::Follow));
                // Whether it comes before the process ends decides whether the precedence holds.
                if remedies.orders[order].threads.is_some() {
                    footprint.push(Access { place: Place::Process, mode: Mode::Read });
                }
            }
        }
        if roles.contains(&Role::Fenced) && self.machine.model.buffers_stores() {
            let place = Place::Drained(id);
            footprint.push(Access { place, mode: Mode::Acquire });
        }
    }

    /// `agent` is about to take its next step, which is no interruption.
    pub(crate) fn begin_under_remedies(&self, state: &mut State<E>, agent: Agent) {
        let id = agent.thread();
        let roles = if agent.is_buffer() { SmallVec::new() } else { self.roles(state.thread(id)) };
        for role in &roles {
            match *role {
                Role::First(block) if state.applied.inside.is_none() => {
                    if let Some(entry) = self.spot(state.thread(id)) {
                        state.applied.inside = Some(Box::new(Inside {
                            thread: id,
                            touched: SmallVec::new(),
                            waiting: false,
                            until: Until::Lines { block, entry, at_last: false },
                            leaving: false,
                        }));
                        state.synchronise(|order| order.acquire(id.0, of_remedies(BLOCKS)));
                    }
                }
                Role::Before(order)
                    if state.applied.done & 1 << order == 0
                        && !state.applied.passing.contains(&(id, order)) =>
                {
                    state.applied.passing.push((id, order));
                }
                Role::After(order) => {
                    let posted = of_remedies(FIRST_ORDER - order as u64);
                    state.applied.followed |= 1 << order;
                    state.synchronise(|order| order.acquire(id.0, posted));
                }
                _ => {}
            }
        }
        if state.applied.inside.as_ref().is_some_and(|inside| inside.thread == id) {
            let footprint = self.own_footprint(state, agent);
            if let Some(inside) = &mut state.applied.inside {
                for touch in Touched::by(&footprint) {
                    if !inside.touched.contains(&touch) {
                        inside.touched.push(touch);
                    }
                }
                if let Until::Lines { block, at_last, .. } = &mut inside.until {
                    *at_last |= roles.contains(&Role::Last(*block));
                }
                inside.waiting &= agent.is_buffer();
            }
        }
    }

    /// A thread has come to the end of a step, or one of its stores to memory.
    pub(crate) fn end_under_remedies(&self, state: &mut State<E>, id: ThreadId) {
        let thread = state.thread(id);
        let roles = self.roles(thread);
        let is_drained = thread.buffer.is_empty();
        // Who has begun to wait there has come past it.
        let waits = !thread.exited && !self.can_step(state, thread);
        let left = |order: usize| is_drained && (waits || !roles.contains(&Role::Before(order)));
        let passing = state.applied.passing.iter();
        let done: SmallVec<[usize; 2]> =
            passing.filter(|(by, order)| *by == id && left(*order)).map(|(_, order)| *order).collect();
        let ends = match &state.applied.inside {
            Some(inside) if inside.thread == id => inside.leaving || self.ends(state, inside, &roles),
            _ => false,
        };
        for order in done {
            state.applied.done |= 1 << order;
            let posted = of_remedies(FIRST_ORDER - order as u64);
            state.synchronise(|order| order.release(id.0, posted));
            state.applied.passing.retain(|(_, other)| *other != order);
        }
        if ends && is_drained {
            state.applied.inside = None;
            state.synchronise(|order| order.release(id.0, of_remedies(BLOCKS)));
        } else if ends && let Some(inside) = &mut state.applied.inside {
            inside.leaving = true;
        }
        let inside = state.applied.inside.as_ref();
        let waiting = inside.is_some_and(|inside| self.waits_inside(state, inside.thread));
        if waiting && let Some(inside) = &mut state.applied.inside {
            inside.waiting = true;
        }
    }

    /// Whether a thread inside a block has to wait for others.
    fn waits_inside(&self, state: &State<E>, id: ThreadId) -> bool {
        self.waits_for_line(state, id).is_some()
            || !self.waits_for_own_stores(state, id) && !self.can_step(state, state.thread(id))
    }

    /// Whether the thread inside a block has come to its end.
    fn ends(&self, state: &State<E>, inside: &Inside, roles: &[Role]) -> bool {
        let thread = state.thread(inside.thread);
        if thread.exited {
            return true;
        }
        let Until::Lines { block, entry, at_last } = inside.until else { return false };
        let spot = self.spot(thread);
        let remedies = self.machine.options.remedies.as_ref();
        let stays = remedies.is_some_and(|remedies| remedies.blocks[block]);
        let has_returned = spot.is_none_or(|spot| spot.depth < entry.depth);
        spot == Some(entry) || stays && has_returned || at_last && !roles.contains(&Role::Last(block))
    }
}

impl<E: Environment> State<E> {
    /// Who is inside an atomic block, or has just left it.
    pub fn atomic_block(&self) -> Option<ThreadId> {
        self.applied.inside.as_ref().map(|inside| inside.thread)
    }

    /// Whether a thread is inside an atomic block, and has not left it.
    pub fn is_in_atomic_block(&self, thread: ThreadId) -> bool {
        self.applied.inside.as_ref().is_some_and(|inside| inside.thread == thread && !inside.leaving)
    }
}

impl<E: Environment> Call<'_, '_, E> {
    /// From here on the thread, which is the only one, is inside an atomic block, or in one more of its own. The step that
    /// enters the first has to touch [`ATOMIC_BLOCKS`] as one does that waits there.
    pub fn begin_atomic_block(&mut self) {
        self.acquire(of_remedies(BLOCKS));
        let until = Until::Told { depth: 0 };
        let outside =
            Inside { thread: self.thread(), touched: SmallVec::new(), waiting: false, until, leaving: false };
        let inside = self.state_mut().applied.inside.get_or_insert_with(|| Box::new(outside));
        if let Until::Told { depth } = &mut inside.until {
            *depth += 1;
        }
    }

    /// The thread, which is inside an atomic block, leaves it. It is outside when its step has ended and its stores are in
    /// memory.
    pub fn end_atomic_block(&mut self) {
        if let Some(inside) = &mut self.state_mut().applied.inside
            && let Until::Told { depth } = &mut inside.until
        {
            *depth -= 1;
            inside.leaving = *depth == 0;
        }
    }
}
