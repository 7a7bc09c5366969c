//! Stops of the debugger on its way through an execution: breakpoints, writes, the end of a step.

use crate::debug::expressions::{self, Expression};
use crate::debug::frames::frames;
use crate::debug::lines::{Line, Lines};
use crate::debug::values::Scene;
use crate::debug::variables::{NamesInFrame, Variables};
use rustc_hash::FxHashSet;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use symx_interp::access::object_names;
use symx_interp::machine::Executor;
use symx_interp::paths::halts::{Arrival, Grain, Pattern};
use symx_interp::state::State;
use symx_interp::value::Byte;
use symx_ir::FunctionId;
use symx_memmodel::ByteRange;
use symx_posix_explore::{Hit, Look, Place, Position};
use symx_posix_model::Posix;
use symx_trace::{Access, Agent, Mode, Place as Touched, ThreadId};

/// Where the debugger stops.
#[derive(Clone, Debug)]
pub struct Breakpoint {
    /// The number by which the client knows it.
    pub id: u64,
    /// Lines at whose beginning it is; none for a breakpoint at functions.
    pub lines: Vec<Line>,
    /// Functions with code there, or those at whose beginning it is, with the instruction.
    pub functions: Vec<(FunctionId, u32)>,
    /// When it counts.
    pub condition: Option<Expression>,
    /// The message that it prints instead of stopping.
    pub message: Option<String>,
}

/// Memory whose writes the debugger stops at.
#[derive(Clone, PartialEq, Debug)]
pub struct Watch {
    /// The number by which the client knows it.
    pub id: u64,
    /// Its first byte.
    pub address: u64,
    /// How many bytes.
    pub length: u64,
}

/// How far to go, if nothing else stops before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// To the end.
    End,
    /// To the next line of a thread, in an activation with at most this many below it.
    Line(ThreadId, usize),
    /// To the next instruction of a thread.
    Instruction(ThreadId),
    /// Until a thread has left an activation with this many below it.
    Out(ThreadId, usize),
    /// To the beginning of the activation with this many below it.
    Beginning(ThreadId, usize),
    /// To any place on a line.
    On(Line),
}

/// Kinds of reasons, as the protocol knows them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum ReasonKind {
    /// As far as was asked for.
    Step,
    /// A breakpoint on a line.
    Breakpoint,
    /// A breakpoint on a function.
    #[strum(serialize = "function breakpoint")]
    FunctionBreakpoint,
    /// Watched memory is written.
    #[strum(serialize = "data breakpoint")]
    DataBreakpoint,
    /// The execution fails.
    Exception,
    /// The beginning.
    Entry,
    /// The client asked to stop.
    Pause,
    /// The client asked to come here.
    Goto,
}

impl ReasonKind {
    /// The protocol's word.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// Why the debugger has stopped.
#[derive(Clone, PartialEq, Debug)]
pub struct Reason {
    /// Its kind.
    pub kind: ReasonKind,
    /// More about it.
    pub text: Option<String>,
    /// The thread that it is about.
    pub thread: ThreadId,
    /// Breakpoints that were met.
    pub breakpoints: Vec<u64>,
}

/// Looks for a place to stop at.
pub struct Stops<'s> {
    /// Variables for conditions.
    pub variables: &'s Variables,
    /// Names of places.
    pub names: &'s object_names::Names,
    /// Lines.
    pub lines: &'s Lines,
    /// Breakpoints.
    pub breakpoints: Vec<&'s Breakpoint>,
    /// Watched memory.
    pub watches: &'s [Watch],
    /// How far to go.
    pub goal: Goal,
    /// Whether time runs backwards.
    pub is_backwards: bool,
    /// Set from outside to stop anywhere.
    pub interrupted: &'s AtomicBool,
    /// Why places are places to stop at.
    pub reasons: HashMap<Position, Reason>,
    /// Messages of breakpoints that do not stop, and reasons why conditions have no value.
    pub messages: Vec<String>,
    seen: Vec<Seen>,
    previous: Position,
    functions: Arc<FxHashSet<FunctionId>>,
}

/// The content of watched memory at the place before.
#[derive(Default)]
struct Seen {
    bytes: Vec<Byte>,
    /// The write there of the step that is about to be taken.
    writes: Option<Write>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Write {
    Memory,
    Buffer,
    Commit,
}

impl<'s> Stops<'s> {
    /// Looks for `goal`, and for nothing else yet.
    pub fn new(
        variables: &'s Variables,
        names: &'s object_names::Names,
        lines: &'s Lines,
        goal: Goal,
        interrupted: &'s AtomicBool,
    ) -> Self {
        Self {
            variables,
            names,
            lines,
            breakpoints: Vec::new(),
            watches: &[],
            goal,
            is_backwards: false,
            interrupted,
            reasons: HashMap::new(),
            messages: Vec::new(),
            seen: Vec::new(),
            previous: Position::default(),
            functions: Arc::default(),
        }
    }

    /// The same, that also stops at these.
    pub fn at(mut self, breakpoints: Vec<&'s Breakpoint>, watches: &'s [Watch]) -> Self {
        let functions = breakpoints.iter().flat_map(|breakpoint| &breakpoint.functions);
        self.functions = Arc::new(functions.map(|(function, _)| *function).collect());
        self.breakpoints = breakpoints;
        self.watches = watches;
        self
    }

    /// The same, with time running backwards.
    pub fn backwards(mut self, is_backwards: bool) -> Self {
        self.is_backwards = is_backwards;
        self
    }

    fn deepest(&self, thread: ThreadId) -> Option<usize> {
        match self.goal {
            Goal::Line(of, depth) if of == thread => Some(depth),
            Goal::Instruction(of) if of == thread => Some(usize::MAX),
            Goal::Out(of, depth) if of == thread => depth.checked_sub(1),
            Goal::Beginning(of, depth) if of == thread => Some(depth),
            _ => None,
        }
    }

    fn reason(&mut self, position: Position, kind: ReasonKind, thread: ThreadId) -> &mut Reason {
        let new = || Reason { kind, text: None, thread, breakpoints: Vec::new() };
        self.reasons.entry(position).or_insert_with(new)
    }

    fn has_come(&self, arrival: &Arrival) -> bool {
        let is_of = |thread: ThreadId| arrival.thread == thread;
        match self.goal {
            Goal::End => false,
            Goal::Line(thread, depth) => {
                is_of(thread)
                    && arrival.begins_line
                    && arrival.depth <= depth
                    && self.lines.of(arrival.function, arrival.pc).is_some()
            }
            Goal::Instruction(thread) => is_of(thread),
            Goal::Out(thread, depth) => is_of(thread) && arrival.depth < depth,
            Goal::Beginning(thread, depth) => {
                is_of(thread)
                    && arrival.depth == depth
                    && self.lines.entry(arrival.function) == Some(arrival.pc)
            }
            Goal::On(line) => {
                arrival.begins_line && self.lines.of(arrival.function, arrival.pc) == Some(line)
            }
        }
    }

    /// Breakpoints at an arrival, whose conditions hold.
    fn met(
        &mut self,
        executor: &Executor<'_, Posix>,
        state: &State<Posix>,
        arrival: &Arrival,
    ) -> Vec<(u64, bool)> {
        if !arrival.begins_line {
            return Vec::new();
        }
        let line = self.lines.of(arrival.function, arrival.pc);
        let is_at = |breakpoint: &Breakpoint| match breakpoint.lines.is_empty() {
            true => breakpoint.functions.contains(&(arrival.function, arrival.pc)),
            false => line.is_some_and(|line| breakpoint.lines.contains(&line)),
        };
        let mut met = Vec::new();
        for breakpoint in self.breakpoints.iter().filter(|breakpoint| is_at(breakpoint)) {
            let scene = Scene {
                executor,
                state,
                thread: arrival.thread,
                types: self.variables.types(),
                names: self.names,
            };
            let frames = frames(executor, state, arrival.thread);
            let names = NamesInFrame { variables: self.variables, scene: &scene, frame: frames.first() };
            if let Some(condition) = &breakpoint.condition {
                match expressions::is_true(condition, &scene, &names) {
                    Ok(true) => {}
                    Ok(false) => continue,
                    Err(why) => self.messages.push(format!("a breakpoint's condition has no value: {why}")),
                }
            }
            if let Some(message) = &breakpoint.message {
                self.messages.push(filled_in(message, &scene, &names));
                continue;
            }
            met.push((breakpoint.id, breakpoint.lines.is_empty()));
        }
        met
    }

    fn watched(&self, executor: &Executor<'_, Posix>, state: &State<Posix>) -> Vec<Vec<Byte>> {
        let bytes = |watch: &Watch| {
            let range = ByteRange::new(watch.address, watch.length);
            executor.in_memory(state, range).map(|bytes| bytes.to_vec()).unwrap_or_default()
        };
        self.watches.iter().map(bytes).collect()
    }

    /// Looks at watched memory; where a write was found.
    fn look_at_memory(
        &mut self,
        executor: &Executor<'_, Posix>,
        state: &State<Posix>,
        place: Place,
        position: Position,
    ) -> Hit {
        if self.watches.is_empty() {
            return Hit::No;
        }
        let now = self.watched(executor, state);
        let mut hit = Hit::No;
        let (agent, is_first) = match place {
            Place::Before(agent) => (agent, true),
            Place::Within(arrival) => (Agent::Thread(arrival.thread), false),
            Place::Behind(agent) => (agent, false),
        };
        if is_first {
            self.seen.clear();
        }
        for (index, bytes) in now.into_iter().enumerate() {
            let watch = self.watches[index].clone();
            let found = if is_first {
                let writes = write_of(executor, state, agent, &watch);
                self.seen.push(Seen { bytes, writes });
                // A store that changes nothing counts nevertheless.
                (writes.is_some() && self.is_backwards).then_some((Hit::Here, position, writes))
            } else {
                let Seen { bytes: before, writes } =
                    std::mem::replace(&mut self.seen[index], Seen { bytes, writes: None });
                let has_changed = self.seen[index].bytes != before;
                match self.is_backwards {
                    true => has_changed.then_some((Hit::Previous, self.previous, writes)),
                    false => (has_changed || writes.is_some()).then_some((Hit::Here, position, writes)),
                }
            };
            if let Some((found, at, writes)) = found {
                hit = found;
                let text = self.written(executor, state, &watch, writes, agent);
                let reason = self.reason(at, ReasonKind::DataBreakpoint, agent.thread());
                reason.kind = ReasonKind::DataBreakpoint;
                reason.text = Some(text);
                reason.breakpoints.push(watch.id);
            }
        }
        self.previous = position;
        hit
    }

    /// What a write to watched memory did, for people.
    fn written(
        &mut self,
        executor: &Executor<'_, Posix>,
        state: &State<Posix>,
        watch: &Watch,
        writes: Option<Write>,
        agent: Agent,
    ) -> String {
        let name = self.names.name(executor, state, watch.address, watch.length);
        let thread = executor.title(state, agent.thread());
        match writes {
            Some(Write::Buffer) => format!("{thread} stores to {name}: into its store buffer"),
            Some(Write::Commit) => format!("a store of {thread} to {name} reaches memory"),
            Some(Write::Memory) | None => format!("{thread} writes {name}"),
        }
    }
}

impl Look<Posix> for Stops<'_> {
    fn within_step(
        &mut self,
        executor: &Executor<'_, Posix>,
        before: &State<Posix>,
        after: &State<Posix>,
        agent: Agent,
    ) -> Option<Pattern> {
        if agent.is_buffer() {
            return None;
        }
        let changes = self.watched(executor, before) != self.watched(executor, after);
        let is_written =
            changes || self.watches.iter().any(|watch| write_of(executor, before, agent, watch).is_some());
        let mut functions = Arc::clone(&self.functions);
        if let Goal::On(line) = self.goal {
            functions = Arc::new(functions.iter().copied().chain(self.lines.functions_on(line)).collect());
        }
        let deepest = if is_written { Some(usize::MAX) } else { self.deepest(agent.thread()) };
        if functions.is_empty() && deepest.is_none() {
            return None;
        }
        let is_fine = matches!(self.goal, Goal::Instruction(_) | Goal::Out(..) | Goal::Beginning(..));
        let is_goal = is_fine && self.deepest(agent.thread()).is_some();
        let grain = if is_written || is_goal { Grain::Instruction } else { Grain::Line };
        Some(Pattern { grain, functions, deepest })
    }

    fn at(
        &mut self,
        executor: &Executor<'_, Posix>,
        state: &State<Posix>,
        place: Place,
        position: Position,
    ) -> Hit {
        let mut hit = self.look_at_memory(executor, state, place, position);
        match place {
            Place::Within(arrival) => {
                if self.has_come(&arrival) {
                    self.reason(position, ReasonKind::Step, arrival.thread);
                    hit = Hit::Here;
                }
                for (id, is_function) in self.met(executor, state, &arrival) {
                    let reason = self.reason(position, ReasonKind::Breakpoint, arrival.thread);
                    if reason.kind == ReasonKind::Step {
                        reason.kind = ReasonKind::Breakpoint;
                    }
                    if is_function && reason.kind == ReasonKind::Breakpoint {
                        reason.kind = ReasonKind::FunctionBreakpoint;
                    }
                    reason.breakpoints.push(id);
                    hit = Hit::Here;
                }
            }
            // Where a thread has ended, no step of it will.
            Place::Behind(agent) => {
                let of_goal = match self.goal {
                    Goal::Line(thread, _) | Goal::Instruction(thread) | Goal::Out(thread, _) => Some(thread),
                    _ => None,
                };
                let thread = agent.thread();
                if of_goal == Some(thread)
                    && !self.is_backwards
                    && state.thread(thread).exited
                    && state.end.is_none()
                {
                    let title = executor.title(state, thread);
                    self.reason(position, ReasonKind::Step, thread).text = Some(format!("{title} has ended"));
                    hit = Hit::Here;
                }
            }
            Place::Before(_) => {}
        }
        hit
    }

    fn is_stopped(&mut self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}

/// A message with the values of the expressions in braces.
fn filled_in(message: &str, scene: &Scene<'_>, names: &NamesInFrame<'_>) -> String {
    let mut told = String::new();
    let mut rest = message;
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((inside, behind)) = behind.split_once('}') else { break };
        told += before;
        let value = expressions::parse(inside)
            .and_then(|expression| expressions::evaluate(&expression, scene, names));
        told += &value.map_or_else(|why| format!("<{why}>"), |datum| scene.tell(&datum));
        rest = behind;
    }
    told + rest
}

/// The write of an agent's next step to watched memory, as far as that is known before.
fn write_of(
    executor: &Executor<'_, Posix>,
    state: &State<Posix>,
    agent: Agent,
    watch: &Watch,
) -> Option<Write> {
    let end = watch.address + watch.length;
    let is_there = |access: &Access| match access.place {
        Touched::Memory { start, end: behind } => {
            access.mode == Mode::Write && start < end && watch.address < behind
        }
        _ => false,
    };
    if executor.own_footprint(state, agent).iter().any(is_there) {
        return Some(if agent.is_buffer() { Write::Commit } else { Write::Memory });
    }
    let pending = state.thread(agent.thread()).pending.as_ref().filter(|_| !agent.is_buffer())?;
    let stores = pending.action.access().is_some_and(|access| is_there(&access));
    stores.then_some(Write::Buffer)
}
