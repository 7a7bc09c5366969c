//! Everything visible at a place: threads, stacks, variables, the value of an expression, the failure.

use crate::debug::expressions;
use crate::debug::frames::{StackFrame, frames};
use crate::debug::protocol::Request;
use crate::debug::session::{Handle, Refused, Session, refused};
use crate::debug::values::{Datum, MOST_CHILDREN};
use crate::debug::variables::NamesInFrame;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use symx_interp::environment::{Environment, Titles};
use symx_trace::ThreadId;
use symx_trace::explanation::lock_mode;

impl<W: Write> Session<'_, '_, W> {
    /// The threads that there are.
    pub(super) fn threads(&self) -> Value {
        let (executor, state) = (self.cursor.executor(), self.cursor.state());
        let present = self.present_thread();
        let is_there = |thread: &ThreadId| {
            let it = state.thread(*thread);
            *thread == present || !it.is_to_come && !it.service && (!it.exited || !it.buffer.is_empty())
        };
        let threads = state.threads.iter().map(|thread| thread.id).filter(is_there);
        let threads = threads.map(|thread| {
            let mut name = executor.title(state, thread);
            let pending = state.thread(thread).pending.as_ref();
            if let Some(wait) = pending.and_then(|pending| pending.action.wait())
                && !executor.can_step(state, state.thread(thread))
            {
                let titles = Titles {
                    place: Box::new(|address| self.names.name(executor, state, address, 0).into()),
                    ..executor.titles(state)
                };
                let wait = executor.machine.environment.describe_wait(state, thread, wait, &titles);
                name += &format!(" (waits for {wait})");
            }
            json!({ "id": thread.0 + 1, "name": name })
        });
        json!({ "threads": threads.collect::<Vec<_>>() })
    }

    /// The frames of a thread.
    pub(super) fn stack_trace(&mut self, request: &Request) -> Result<Value, Refused> {
        let thread = self.thread(request)?;
        let frames = frames(self.cursor.executor(), self.cursor.state(), thread);
        let total = frames.len();
        let start = request.number("startFrame").unwrap_or(0) as usize;
        let levels = match request.number("levels").unwrap_or(0) {
            0 => usize::MAX,
            levels => levels as usize,
        };
        let mut shown = Vec::new();
        for frame in frames.into_iter().skip(start).take(levels) {
            self.frames.push((thread, frame.clone()));
            shown.push(shown_frame(self.frames.len(), &frame));
        }
        Ok(json!({ "stackFrames": shown, "totalFrames": total }))
    }

    /// The parts of a frame that can be looked into.
    pub(super) fn scopes(&mut self, request: &Request) -> Result<Value, Refused> {
        let index = self.frame_index(request.number("frameId"))?;
        let (thread, _) = self.frames[index];
        let kinds = [
            ("Locals", "locals", Handle::Locals(index), false),
            ("Globals", "globals", Handle::Globals(thread), true),
            ("Store buffer", "storeBuffer", Handle::Buffer(thread), false),
            ("Held locks", "heldLocks", Handle::Locks(thread), false),
        ];
        let scopes = kinds.map(|(name, hint, handle, expensive)| {
            json!({
                "name": name, "presentationHint": hint, "variablesReference": self.handle_of(handle),
                "expensive": expensive,
            })
        });
        Ok(json!({ "scopes": scopes }))
    }

    /// The content of something that can be looked into.
    pub(super) fn look_into(&mut self, request: &Request) -> Result<Value, Refused> {
        let handle = self.handle(request.number("variablesReference").unwrap_or(0))?;
        let from = request.number("start").unwrap_or(0);
        let most = match request.number("count").unwrap_or(0) {
            0 => MOST_CHILDREN,
            count => count.min(MOST_CHILDREN),
        };
        let found = match handle {
            Handle::Locals(frame) => {
                let (thread, frame) = self.frames[frame].clone();
                let locals = self.variables.locals(&self.scene(thread), &frame);
                let mut seen = Vec::new();
                let mut shown = Vec::new();
                for visible in locals {
                    let is_hidden = seen.contains(&visible.name);
                    seen.push(visible.name.clone());
                    let (name, path) = match is_hidden {
                        true => (format!("{} (hidden)", visible.name), String::new()),
                        false => (visible.name.clone(), visible.name),
                    };
                    shown.push(self.shown_variable(&name, &path, &visible.datum, thread));
                }
                shown
            }
            Handle::Globals(thread) => {
                let globals = self.variables.globals(&self.scene(thread));
                let tell = |visible: crate::debug::variables::Visible| {
                    self.shown_variable(&visible.name.clone(), &visible.name, &visible.datum, thread)
                };
                globals.into_iter().map(tell).collect()
            }
            Handle::Buffer(thread) => {
                let (executor, state) = (self.cursor.executor(), self.cursor.state());
                let stores = state.thread(thread).buffer.stores();
                let stores = stores.map(|store| {
                    let name = self.names.name(executor, state, store.address, store.bytes.len() as u64);
                    let value = self.names.shown(executor, state, store.address, &store.bytes);
                    json!({ "name": &*name, "value": value, "variablesReference": 0 })
                });
                stores.collect()
            }
            Handle::Locks(thread) => {
                let (executor, state) = (self.cursor.executor(), self.cursor.state());
                let held = executor.machine.environment.held(state, thread).into_iter();
                let held = held.map(|lock| {
                    let name = self.names.name(executor, state, lock.address, 0);
                    let value = format!("{:#x}{}", lock.address, lock_mode(lock.is_shared));
                    json!({ "name": &*name, "value": value, "variablesReference": 0 })
                });
                held.collect()
            }
            Handle::Value(datum, thread, path) => {
                let parts = self.scene(thread).parts(&datum, from, most);
                let mut shown = Vec::new();
                for part in parts {
                    let inner = if path.is_empty() { String::new() } else { format!("{path}{}", part.path) };
                    shown.push(self.shown_variable(&part.name, &inner, &part.datum, thread));
                }
                shown
            }
        };
        Ok(json!({ "variables": found }))
    }

    /// A value as the client shows it; `path` is an expression for it.
    fn shown_variable(&mut self, name: &str, path: &str, datum: &Datum, thread: ThreadId) -> Value {
        let mut told = self.shown_value(path, datum, thread);
        told["name"] = name.into();
        told["value"] = told["result"].take();
        if !path.is_empty() {
            told["evaluateName"] = path.into();
        }
        told
    }

    fn shown_value(&mut self, path: &str, datum: &Datum, thread: ThreadId) -> Value {
        let scene = self.scene(thread);
        let (result, of) = (scene.tell(datum), scene.types.name(&datum.kind));
        let parts = scene.count_parts(datum);
        let is_list = matches!(scene.types.form(&datum.kind), crate::debug::types::Form::Array { .. });
        let address = datum.address();
        let reference = match parts {
            0 => 0,
            _ => self.handle_of(Handle::Value(datum.clone(), thread, path.to_owned())),
        };
        let mut told = json!({ "result": result, "type": of, "variablesReference": reference });
        if is_list && parts > 0 {
            told["indexedVariables"] = parts.into();
        }
        if let Some(address) = address {
            told["memoryReference"] = format!("{address:#x}").into();
        }
        told
    }

    fn frame_index(&self, id: Option<u64>) -> Result<usize, Refused> {
        let index = id.and_then(|id| usize::try_from(id).ok()).and_then(|id| id.checked_sub(1));
        match index.filter(|index| *index < self.frames.len()) {
            Some(index) => Ok(index),
            None => refused("that frame was of another place in the execution"),
        }
    }

    /// The thread and frame of a request; without one, that of the present thread.
    pub(super) fn frame(&self, id: Option<u64>) -> Result<(ThreadId, Option<StackFrame>), Refused> {
        if id.is_some() {
            let (thread, frame) = &self.frames[self.frame_index(id)?];
            return Ok((*thread, Some(frame.clone())));
        }
        let thread = self.present_thread();
        let found = frames(self.cursor.executor(), self.cursor.state(), thread);
        Ok((thread, found.into_iter().find(|frame| frame.is_own)))
    }

    /// The value of an expression.
    pub(super) fn datum(&self, text: &str, frame: Option<u64>) -> Result<Datum, Refused> {
        let (thread, frame) = self.frame(frame)?;
        let scene = self.scene(thread);
        let names = NamesInFrame { variables: &self.variables, scene: &scene, frame: frame.as_ref() };
        let parsed = expressions::parse(text);
        let value = parsed.and_then(|expression| expressions::evaluate(&expression, &scene, &names));
        value.map_err(|why| Refused(why.to_string()))
    }

    /// Answers with the value of an expression; `None` if it is a command to go somewhere.
    pub(super) fn evaluate(&mut self, request: &Request) -> Result<Option<Value>, Refused> {
        let Some(text) = request.text("expression") else { return refused("an expression is needed") };
        if request.text("context") == Some("repl") && step_to(text).is_some() {
            return Ok(None);
        }
        let frame = request.number("frameId");
        let datum = self.datum(text, frame)?;
        let (thread, _) = self.frame(frame)?;
        // Asked whether it is there at all.
        if self.variables.types().size(&datum.kind) > 0 {
            self.scene(thread).first_bytes_of(&datum).map_err(Refused)?;
        }
        Ok(Some(self.shown_value(text, &datum, thread)))
    }

    /// The failure, where it is.
    pub(super) fn exception(&self) -> Result<Value, Refused> {
        match self.failure().filter(|_| self.cursor.is_at_end()) {
            Some(failure) => Ok(json!({
                "exceptionId": failure.class(),
                "description": failure.message,
                "breakMode": "always",
                "details": { "message": failure.message, "typeName": failure.class() },
            })),
            None => refused("the execution does not fail here"),
        }
    }
}

/// The step that the console is asked to go to: `goto 12`.
pub(super) fn step_to(text: &str) -> Option<usize> {
    text.trim().strip_prefix("goto ")?.trim().parse().ok()
}

fn shown_frame(id: usize, frame: &StackFrame) -> Value {
    let mut told = json!({
        "id": id, "name": frame.name, "line": frame.location.line, "column": frame.location.column,
    });
    if !frame.location.file.is_empty() && frame.location.line > 0 {
        let path = Path::new(&frame.location.file);
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        told["source"] = json!({ "name": name, "path": frame.location.file });
    }
    if !frame.is_own || frame.location.line == 0 {
        told["presentationHint"] = "subtle".into();
    }
    told
}
