//! A thread's log decoded: its activations, their paths and the calls among them.

use symx_expr::{StopReason, StopToken};

use super::unit::{Event, Events, NARROW_MAX, Rounds, SUM_IN_LOG, SUM_MAY_BE_IN_LOG, UnknownUnit};
use super::{OpenFrame, ThreadProfile};

/// An activation (one call of one function) by its number in order of entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActivationId(pub u32);

/// How an activation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActivationEnd {
    /// It returned; its last path is complete.
    Returned,
    /// It was left by `longjmp`, an exception or the end of the thread.
    Abandoned {
        /// The sum of the path it was on, or a word that `Rounds` reads.
        sum: u32,
    },
    /// It was still active when the process ended.
    Open {
        /// The sum of the path it was on, as an upper bound: a thread that was killed may not have got so
        /// far. In a loop that counts its rounds it is a word that `Rounds` reads. `None` if recording had
        /// stopped before: anything may have followed.
        sum: Option<u32>,
    },
    /// It was still active when the process ended, and had at least come as far as the path with this sum. It
    /// may have completed that path, too, but not come to where the next one's sum changes.
    Reached {
        /// The sum.
        sum: u32,
    },
}

/// One path of an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathRecord {
    /// Its number, or the sum when it broke off.
    pub number: u32,
    /// Whether control left it in the middle, back to where a function that returns twice was called.
    pub broke_off: bool,
    /// How often it was taken in a row, at least once.
    pub times: u32,
}

/// How many rounds of a loop with a single path through its body a path took. The path's number is that of
/// the path without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopRounds {
    /// Which of the activation's paths it was; that it was on, if there is none with this number.
    pub path: u32,
    /// The number of the loop (`PathNumbering::ways_round`).
    pub number: u32,
    /// How often, at least once.
    pub times: u32,
}

/// How the record of a thread ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordEnd {
    /// With the thread: its start routine returned or it called `pthread_exit`.
    ThreadEnded,
    /// With the process.
    ProcessEnded,
    /// Early: there was no room to record more, or part of the log was lost. The rest is unknown.
    Stopped,
}

/// A log that contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Decoding was ended from outside: there may be too little memory.
    #[error("thread {thread}: not decoded to its end: {reason}")]
    Stopped {
        /// The thread.
        thread: String,
        /// Why.
        reason: StopReason,
    },
    /// A unit without a meaning.
    #[error("thread {thread}: {source}")]
    UnknownUnit {
        /// The thread.
        thread: String,
        /// Which unit.
        source: UnknownUnit,
    },
    /// An event that belongs to an activation stands outside all.
    #[error("thread {thread}: {event:?} at unit {position} of the log, but no function is active")]
    NoActivation {
        /// The thread.
        thread: String,
        /// Where the event ends, in units.
        position: usize,
        /// The event.
        event: Event,
    },
    /// The shadow stack and the log disagree on which function is active.
    #[error(
        "thread {thread}: function {logged} is active at depth {depth} by the log, {on_stack:?} by the shadow stack"
    )]
    StackMismatch {
        /// The thread.
        thread: String,
        /// Depth, 0 for the outermost.
        depth: usize,
        /// The function by the log.
        logged: u32,
        /// The function by the shadow stack.
        on_stack: Option<u32>,
    },
}

/// All activations of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallTree {
    nodes: Vec<Node>,
    paths: Grouped<PathRecord>,
    rounds: Grouped<LoopRounds>,
    calls: Grouped<ActivationId>,
    timed: Grouped<u64>,
    roots: Vec<ActivationId>,
    /// The numbers of the child threads the thread created, in order.
    pub created: Vec<u32>,
    /// How the record ends.
    pub end: RecordEnd,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    function: u32,
    parent: Option<ActivationId>,
    is_whole: bool,
    end: ActivationEnd,
    /// How many paths it has so far.
    paths: u32,
}

/// One call of one function.
#[derive(Clone, Copy, Debug)]
pub struct Activation<'a> {
    /// Index of the function among the module's defined functions.
    pub function: u32,
    /// The activation it was called from, across any code that is not recorded; `None` at the bottom.
    pub parent: Option<ActivationId>,
    /// Whether its beginning is in the record.
    pub is_whole: bool,
    /// How it ended.
    pub end: ActivationEnd,
    /// Its paths but the one it was on when it was abandoned or the process ended.
    pub paths: &'a [PathRecord],
    /// The rounds of loops that its paths took, in order.
    pub rounds: &'a [LoopRounds],
    /// The recorded functions it called, directly or through code that is not recorded, in order.
    pub calls: &'a [ActivationId],
    /// Clock ticks before each of its calls of timed external functions ([`Stamp`](super::Stamp)), in order.
    pub timed: &'a [u64],
}

impl CallTree {
    /// The functions that the thread entered from code that is not recorded: its start routine. For the main
    /// thread these include constructors and `atexit` handlers that run outside `main`.
    pub fn roots(&self) -> &[ActivationId] {
        &self.roots
    }

    /// How many activations there are; their ids are 0 up to this, in order of entry.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the thread entered no recorded function.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The same with all times equal: what remains is the path.
    pub(super) fn without_times(mut self) -> Self {
        self.timed.values.fill(0);
        self
    }

    /// An activation by its id.
    ///
    /// # Panics
    /// If the id is not of this tree.
    pub fn activation(&self, id: ActivationId) -> Activation<'_> {
        let node = &self.nodes[id.0 as usize];
        Activation {
            function: node.function,
            parent: node.parent,
            is_whole: node.is_whole,
            end: node.end,
            paths: self.paths.of(id),
            rounds: self.rounds.of(id),
            calls: self.calls.of(id),
            timed: self.timed.of(id),
        }
    }
}

impl ThreadProfile {
    /// Decodes the log.
    pub fn decode(&self) -> Result<CallTree, DecodeError> {
        self.decode_until(&StopToken::default())
    }

    /// As [`decode`](Self::decode), ended from outside: what a log says takes many times as much memory as
    /// the log.
    pub fn decode_until(&self, stop: &StopToken) -> Result<CallTree, DecodeError> {
        let stopped = |reason| DecodeError::Stopped { thread: self.name.clone(), reason };
        let mut build = Build { end: RecordEnd::ProcessEnded, ..Build::default() };
        let mut events = Events::new(&self.units, self.started);
        let unknown = |source| DecodeError::UnknownUnit { thread: self.name.clone(), source };
        for number in 0_u64.. {
            let Some(event) = events.next() else { break };
            let event = event.map_err(unknown)?;
            if number.is_multiple_of(EVENTS_BETWEEN) {
                stop.check().and_then(|()| stop.ask(EVENTS_BETWEEN * BYTES_AN_EVENT)).map_err(stopped)?;
            }
            build.take(event).map_err(|NoActivation| DecodeError::NoActivation {
                thread: self.name.clone(),
                position: events.position(),
                event,
            })?;
            if build.end == RecordEnd::Stopped {
                break;
            }
        }
        if events.goes_on() {
            let position = events.position() - 1;
            return Err(unknown(UnknownUnit { position, unit: self.units[position] }));
        }
        if self.ends_in_handler || self.is_cut {
            build.end = RecordEnd::Stopped;
        }
        self.close(build)
    }

    /// Joins the activations still open with the shadow stack.
    fn close(&self, mut build: Build) -> Result<CallTree, DecodeError> {
        let open = std::mem::take(&mut build.open);
        for (depth, &id) in (build.outer..).zip(&open) {
            let function = build.nodes[id.0 as usize].function;
            let end = match self.open.get(depth) {
                Some(&OpenFrame { function: on_stack, sum }) if on_stack == function => build.end_at(id, sum),
                _ if build.end == RecordEnd::Stopped => ActivationEnd::Open { sum: None },
                other => {
                    return Err(DecodeError::StackMismatch {
                        thread: self.name.clone(),
                        depth,
                        logged: function,
                        on_stack: other.map(|frame| frame.function),
                    });
                }
            };
            // Also where nothing is known of the end, a path that may not be complete is taken back.
            build.nodes[id.0 as usize].end =
                if build.end == RecordEnd::Stopped { ActivationEnd::Open { sum: None } } else { end };
        }
        let count = build.nodes.len();
        Ok(CallTree {
            paths: Grouped::new(count, &build.paths),
            rounds: Grouped::new(count, &build.rounds),
            calls: Grouped::new(count, &build.calls),
            timed: Grouped::new(count, &build.timed),
            nodes: build.nodes,
            roots: build.roots,
            created: build.created,
            end: build.end,
        })
    }
}

/// Events decoded without asking in between: some thousandths of a second's work.
const EVENTS_BETWEEN: u64 = 1 << 16;

/// Bytes that an event takes at most, once as it comes and once grouped, in lists that grow: an activation
/// takes most.
const BYTES_AN_EVENT: u64 = 2 * (size_of::<Node>() + 2 * size_of::<(ActivationId, PathRecord)>()) as u64;

struct NoActivation;

/// The tree as it grows: what belongs to an activation is noted with its id and grouped at the end.
struct Build {
    nodes: Vec<Node>,
    open: Vec<ActivationId>,
    paths: Vec<(ActivationId, PathRecord)>,
    rounds: Vec<(ActivationId, LoopRounds)>,
    calls: Vec<(ActivationId, ActivationId)>,
    timed: Vec<(ActivationId, u64)>,
    roots: Vec<ActivationId>,
    created: Vec<u32>,
    /// Whether the beginning of the log is lost.
    is_late: bool,
    /// Functions active outside of `open`, of which nothing is recorded.
    outer: usize,
    /// The event taken last.
    last: Option<Event>,
    end: RecordEnd,
}

impl Default for Build {
    fn default() -> Self {
        Build {
            nodes: Vec::new(),
            open: Vec::new(),
            paths: Vec::new(),
            rounds: Vec::new(),
            calls: Vec::new(),
            timed: Vec::new(),
            roots: Vec::new(),
            created: Vec::new(),
            is_late: false,
            outer: 0,
            last: None,
            end: RecordEnd::ProcessEnded,
        }
    }
}

impl Build {
    fn take(&mut self, event: Event) -> Result<(), NoActivation> {
        self.last = Some(event);
        match event {
            Event::Enter(function) => self.enter(function, true),
            Event::Path(number) => self.path(number, false)?,
            Event::Again(times) => self.again(times)?,
            Event::Rounds { number, times } => self.rounds(number, times)?,
            Event::JumpedBack(number) => self.path(number, true)?,
            Event::Return(number) => {
                self.path(number, false)?;
                self.leave(ActivationEnd::Returned)?;
            }
            Event::Abandoned(sum) => self.leave(ActivationEnd::Abandoned { sum })?,
            Event::BeforeCall(ticks) => {
                if let Some(id) = self.innermost()? {
                    self.timed.push((id, ticks));
                }
            }
            Event::Created(number) => self.created.push(number),
            Event::Outer(functions) => (self.is_late, self.outer) = (true, functions as usize),
            Event::Active(function) => self.enter(function, false),
            Event::InLoop(_) => {
                self.innermost()?;
            }
            Event::Stopped => self.end = RecordEnd::Stopped,
            Event::Ended => self.end = RecordEnd::ThreadEnded,
        }
        Ok(())
    }

    fn enter(&mut self, function: u32, is_whole: bool) {
        let id = ActivationId(self.nodes.len() as u32);
        let parent = self.open.last().copied();
        match parent {
            Some(parent) => self.calls.push((parent, id)),
            None => self.roots.push(id),
        }
        self.nodes.push(Node {
            function,
            parent,
            is_whole,
            end: ActivationEnd::Open { sum: None },
            paths: 0,
        });
        self.open.push(id);
    }

    /// The innermost activation; `None` if it is one that is not recorded.
    fn innermost(&self) -> Result<Option<ActivationId>, NoActivation> {
        match self.open.last() {
            None if self.outer == 0 => Err(NoActivation),
            innermost => Ok(innermost.copied()),
        }
    }

    fn path(&mut self, number: u32, broke_off: bool) -> Result<(), NoActivation> {
        if let Some(id) = self.innermost()? {
            self.paths.push((id, PathRecord { number, broke_off, times: 1 }));
            self.nodes[id.0 as usize].paths += 1;
        }
        Ok(())
    }

    fn rounds(&mut self, number: u32, times: u32) -> Result<(), NoActivation> {
        if let Some(id) = self.innermost()?
            && times > 0
        {
            let path = self.nodes[id.0 as usize].paths;
            self.rounds.push((id, LoopRounds { path, number, times }));
        }
        Ok(())
    }

    /// The repeated path is the innermost activation's own, logged right before.
    fn again(&mut self, times: u32) -> Result<(), NoActivation> {
        let id = self.innermost()?;
        let last = self.paths.last_mut().filter(|(of, path)| Some(*of) == id && !path.broke_off);
        match last {
            Some((_, path)) => path.times = path.times.saturating_add(times),
            None if self.is_late => {}
            None => return Err(NoActivation),
        }
        Ok(())
    }

    /// How an activation ends that is still active, given what its frame says.
    fn end_at(&mut self, id: ActivationId, word: u32) -> ActivationEnd {
        let told = match self.last {
            Some(Event::Path(_) | Event::Again(_) | Event::InLoop(_)) => self.paths.last().copied(),
            _ => None,
        };
        let told =
            told.filter(|&(of, path)| of == id && path.number <= NARROW_MAX).map(|(_, path)| path.number);
        let is_in_log = word == SUM_IN_LOG;
        let sum = word & !SUM_MAY_BE_IN_LOG;
        match (self.last, told) {
            (Some(Event::InLoop(number)), Some(sum)) => {
                self.take_back_path(id);
                ActivationEnd::Open { sum: Some(Rounds { number, sum }.word()) }
            }
            _ if Rounds::of_word(word).is_some() => ActivationEnd::Open { sum: Some(word) },
            (_, Some(told)) if is_in_log || sum != word && told == sum => {
                self.take_back_path(id);
                ActivationEnd::Reached { sum: told }
            }
            (Some(Event::Enter(_)), _) if is_in_log => ActivationEnd::Open { sum: Some(0) },
            _ => ActivationEnd::Open { sum: (!is_in_log).then_some(sum) },
        }
    }

    /// The path logged last, the last time it was taken, is not among those that are complete.
    fn take_back_path(&mut self, id: ActivationId) {
        match self.paths.last_mut() {
            Some((_, path)) if path.times > 1 => path.times -= 1,
            _ => {
                self.paths.pop();
                self.nodes[id.0 as usize].paths -= 1;
            }
        }
    }

    fn leave(&mut self, end: ActivationEnd) -> Result<(), NoActivation> {
        match self.open.pop() {
            Some(id) => self.nodes[id.0 as usize].end = end,
            None => self.outer = self.outer.checked_sub(1).ok_or(NoActivation)?,
        }
        Ok(())
    }
}

/// Lists of values, one for each activation, in two allocations.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Grouped<T> {
    first: Vec<u32>,
    values: Vec<T>,
}

impl<T: Copy> Grouped<T> {
    fn new(activations: usize, pairs: &[(ActivationId, T)]) -> Self {
        let mut first = vec![0u32; activations + 1];
        for (id, _) in pairs {
            first[id.0 as usize + 1] += 1;
        }
        for index in 0..activations {
            first[index + 1] += first[index];
        }
        let mut order = first.clone();
        let mut values: Vec<T> = pairs.iter().map(|&(_, value)| value).collect();
        for &(id, value) in pairs {
            let place = &mut order[id.0 as usize];
            values[*place as usize] = value;
            *place += 1;
        }
        Grouped { first, values }
    }

    fn of(&self, id: ActivationId) -> &[T] {
        &self.values[self.first[id.0 as usize] as usize..self.first[id.0 as usize + 1] as usize]
    }
}
