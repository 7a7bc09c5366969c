//! A session: one execution, the place in it, and what the client has asked for.

use crate::debug::frames::StackFrame;
use crate::debug::lines::Lines;
use crate::debug::protocol::{Client, Request, Requests, complain};
use crate::debug::stops::{Breakpoint, Watch};
use crate::debug::values::{Datum, Scene};
use crate::debug::variables::Variables;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use symx_interp::access::object_names::Names;
use symx_posix_explore::{Cursor, Position, TimelineError};
use symx_posix_model::Posix;
use symx_trace::{Failure, ThreadId};

/// Why a request is refused, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused(pub String);

impl From<TimelineError> for Refused {
    fn from(error: TimelineError) -> Self {
        Self(error.to_string())
    }
}

/// A refusal with this text.
pub fn refused<T>(text: impl Into<String>) -> Result<T, Refused> {
    Err(Refused(text.into()))
}

/// Something that a client can look into.
#[derive(Clone, Debug)]
pub enum Handle {
    /// Variables of a frame.
    Locals(usize),
    /// Global variables, as a thread sees them.
    Globals(ThreadId),
    /// Stores of a thread on their way.
    Buffer(ThreadId),
    /// Locks that a thread holds.
    Locks(ThreadId),
    /// The parts of a value, as a thread sees them, and an expression for the whole.
    Value(Datum, ThreadId, String),
}

/// A session.
pub struct Session<'m, 'c, W: Write> {
    pub(super) cursor: Cursor<'m, Posix>,
    pub(super) variables: Variables,
    pub(super) lines: Lines,
    pub(super) names: Names,
    pub(super) client: &'c mut Client<W>,
    pub(super) interrupted: &'c AtomicBool,
    /// By source, its breakpoints.
    pub(super) line_breakpoints: BTreeMap<String, Vec<Breakpoint>>,
    pub(super) function_breakpoints: Vec<Breakpoint>,
    pub(super) watches: Vec<Watch>,
    /// The number of the last breakpoint.
    pub(super) numbered: u64,
    /// The objects that the client may look into at this place.
    pub(super) handles: Vec<Handle>,
    /// Frames that the client knows of at this place.
    pub(super) frames: Vec<(ThreadId, StackFrame)>,
    /// Places that the client may go to.
    pub(super) targets: Vec<Position>,
    /// How much of the program's output the client has seen.
    pub(super) shown_output: usize,
    pub(super) stops_on_entry: bool,
    is_over: bool,
}

impl<'m, 'c, W: Write> Session<'m, 'c, W> {
    /// At the beginning of an execution.
    pub fn new(
        cursor: Cursor<'m, Posix>,
        variables: Variables,
        client: &'c mut Client<W>,
        interrupted: &'c AtomicBool,
        stops_on_entry: bool,
    ) -> Self {
        let lines = Lines::new(&cursor.executor().machine.program);
        Self {
            cursor,
            variables,
            lines,
            names: Names::default(),
            client,
            interrupted,
            line_breakpoints: BTreeMap::new(),
            function_breakpoints: Vec::new(),
            watches: Vec::new(),
            numbered: 0,
            handles: Vec::new(),
            frames: Vec::new(),
            targets: Vec::new(),
            shown_output: 0,
            stops_on_entry,
            is_over: false,
        }
    }

    /// Answers the launch, and asks for breakpoints.
    pub fn begin(&mut self, launch: &Request) -> io::Result<()> {
        self.client.answer(launch, &Value::Null)?;
        self.client.tell("initialized", &Value::Null)
    }

    /// Answers requests. Whether the client has disconnected rather than the input ended.
    pub fn serve(&mut self, requests: &Requests) -> io::Result<bool> {
        while !self.is_over {
            match requests.recv() {
                Ok(Ok(request)) => self.respond(&request)?,
                Ok(Err(why)) => complain(self.client, &why)?,
                Err(_) => return Ok(false),
            }
        }
        Ok(true)
    }

    fn respond(&mut self, request: &Request) -> io::Result<()> {
        if let Some(answer) = self.look(request).transpose() {
            return match answer {
                Ok(body) => self.client.answer(request, &body),
                Err(Refused(why)) => self.client.refuse(request, &why),
            };
        }
        match request.command.as_str() {
            "pause" => {
                self.interrupted.store(false, Ordering::Relaxed);
                self.client.answer(request, &Value::Null)
            }
            "disconnect" | "terminate" => {
                self.is_over = true;
                self.client.answer(request, &Value::Null)?;
                self.client.tell("terminated", &Value::Null)
            }
            _ => self.go(request),
        }
    }

    /// Answers what moves nothing; `None` if it is no such request.
    fn look(&mut self, request: &Request) -> Result<Option<Value>, Refused> {
        Ok(Some(match request.command.as_str() {
            "setBreakpoints" => self.set_breakpoints(request)?,
            "setFunctionBreakpoints" => self.set_function_breakpoints(request)?,
            "setExceptionBreakpoints" => json!({ "breakpoints": [] }),
            "dataBreakpointInfo" => self.data_breakpoint(request)?,
            "setDataBreakpoints" => self.set_data_breakpoints(request)?,
            "threads" => self.threads(),
            "stackTrace" => self.stack_trace(request)?,
            "scopes" => self.scopes(request)?,
            "variables" => self.look_into(request)?,
            "evaluate" => match self.evaluate(request)? {
                Some(body) => body,
                None => return Ok(None),
            },
            "exceptionInfo" => self.exception()?,
            "gotoTargets" => self.goto_targets(request)?,
            "setVariable" | "setExpression" => {
                return refused("nothing can be changed: the execution is recorded");
            }
            _ => return Ok(None),
        }))
    }

    /// The failure that the execution ends in.
    pub(super) fn failure(&self) -> Option<&Failure> {
        self.cursor.timeline().replayed().failure()
    }

    /// The thread that takes the step that the place lies in or before; at the end, the one that fails.
    pub(super) fn present_thread(&self) -> ThreadId {
        let state = self.cursor.state();
        let stepping = self.cursor.timeline().agent(self.cursor.position().step);
        let failing = || {
            let failing = &self.failure()?.thread;
            state.threads.iter().find(|thread| thread.name == *failing).map(|thread| thread.id)
        };
        stepping.map(|agent| agent.thread()).or_else(failing).unwrap_or(ThreadId::MAIN)
    }

    /// The state as a thread sees it.
    pub(super) fn scene(&self, thread: ThreadId) -> Scene<'_> {
        Scene {
            executor: self.cursor.executor(),
            state: self.cursor.state(),
            thread,
            types: self.variables.types(),
            names: &self.names,
        }
    }

    /// A thread by the number that the client has of it: one more than its own, since 0 is none.
    pub(super) fn thread(&self, request: &Request) -> Result<ThreadId, Refused> {
        let number = request.number("threadId").and_then(|number| number.checked_sub(1));
        let known = number.filter(|number| *number < self.cursor.state().threads.len() as u64);
        match known {
            Some(number) => Ok(ThreadId(number as u32)),
            None => refused("there is no such thread here"),
        }
    }

    /// Forgets what the client could look into: the place has changed.
    pub(super) fn forget_handles(&mut self) {
        self.handles.clear();
        self.frames.clear();
        self.names = Names::default();
    }

    /// A number by which the client can look into something.
    pub(super) fn handle_of(&mut self, handle: Handle) -> usize {
        self.handles.push(handle);
        self.handles.len()
    }
}
