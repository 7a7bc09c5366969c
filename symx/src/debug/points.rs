//! Breakpoints as the client sets them.

use crate::debug::expressions::{self, Expression};
use crate::debug::protocol::Request;
use crate::debug::session::{Handle, Refused, Session, refused};
use crate::debug::stops::{Breakpoint, Watch};
use crate::debug::values::MOST_CHILDREN;
use serde_json::{Value, json};
use std::io::Write;

/// Longer memory is watched from its first bytes on.
const MOST_WATCHED: u64 = 8;

impl<W: Write> Session<'_, '_, W> {
    fn number(&mut self) -> u64 {
        self.numbered += 1;
        self.numbered
    }

    /// Sets the breakpoints of a source.
    pub(super) fn set_breakpoints(&mut self, request: &Request) -> Result<Value, Refused> {
        let source = request.arguments.get("source");
        let text = |name: &str| source.and_then(|source| source.get(name)).and_then(Value::as_str);
        let Some(path) = text("path").or(text("name")).map(str::to_owned) else {
            return refused("a source with a path is needed");
        };
        let (mut set, mut answers) = (Vec::new(), Vec::new());
        for wanted in request.list("breakpoints") {
            let id = self.number();
            let line = wanted.get("line").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
            let lines = line.map_or_else(Vec::new, |line| self.lines.resolve(&path, line));
            let Some(first) = lines.first() else {
                answers.push(unverified(id, "no code of the program is there"));
                continue;
            };
            let condition = match condition_of(wanted) {
                Ok(condition) => condition,
                Err(why) => {
                    answers.push(unverified(id, &why));
                    continue;
                }
            };
            answers.push(json!({
                "id": id, "verified": true, "line": first.line, "source": { "path": self.lines.file(*first) },
            }));
            let functions = lines.iter().flat_map(|line| self.lines.functions_on(*line));
            let functions = functions.map(|function| (function, 0)).collect();
            let message = message_of(wanted);
            set.push(Breakpoint { id, lines, functions, condition, message });
        }
        self.line_breakpoints.insert(path, set);
        Ok(json!({ "breakpoints": answers }))
    }

    /// Sets all breakpoints at functions.
    pub(super) fn set_function_breakpoints(&mut self, request: &Request) -> Result<Value, Refused> {
        let (mut set, mut answers) = (Vec::new(), Vec::new());
        for wanted in request.list("breakpoints") {
            let id = self.number();
            let name = wanted.get("name").and_then(Value::as_str).unwrap_or_default();
            let named = self.lines.functions_named(name).into_iter();
            let functions: Vec<_> =
                named.filter_map(|function| Some((function, self.lines.entry(function)?))).collect();
            match condition_of(wanted) {
                Err(why) => answers.push(unverified(id, &why)),
                Ok(_) if functions.is_empty() => {
                    answers.push(unverified(id, "the program has no such function with lines"));
                }
                Ok(condition) => {
                    answers.push(json!({ "id": id, "verified": true }));
                    let message = message_of(wanted);
                    set.push(Breakpoint { id, lines: Vec::new(), functions, condition, message });
                }
            }
        }
        self.function_breakpoints = set;
        Ok(json!({ "breakpoints": answers }))
    }

    /// Whether the writes of a variable can be stopped at.
    pub(super) fn data_breakpoint(&mut self, request: &Request) -> Result<Value, Refused> {
        let Some(name) = request.text("name") else { return refused("a name is needed") };
        let handle = request.number("variablesReference").filter(|reference| *reference > 0);
        let found = match handle {
            Some(reference) => {
                let handle = self.handle(reference)?;
                self.datum_in(&handle, name)
            }
            None => self.datum(name, request.number("frameId")).ok(),
        };
        let address = found.as_ref().and_then(|datum| datum.address().map(|address| (address, datum)));
        let Some((address, datum)) = address else {
            let why = format!("`{name}` is not in memory: nothing writes it there");
            return Ok(json!({ "dataId": null, "description": why }));
        };
        let length = self.variables.types().size(&datum.kind).clamp(1, MOST_WATCHED);
        let what = self.names.name(self.cursor.executor(), self.cursor.state(), address, length);
        Ok(json!({
            "dataId": format!("{address:#x}/{length}"),
            "description": &*what,
            "accessTypes": ["write"],
            "canPersist": false,
        }))
    }

    /// Sets all breakpoints at writes.
    pub(super) fn set_data_breakpoints(&mut self, request: &Request) -> Result<Value, Refused> {
        let (mut set, mut answers) = (Vec::new(), Vec::new());
        for wanted in request.list("breakpoints") {
            let id = self.number();
            let access = wanted.get("accessType").and_then(Value::as_str).unwrap_or("write");
            let place = wanted.get("dataId").and_then(Value::as_str).and_then(place_of);
            match place {
                Some((address, length)) if access == "write" => {
                    answers.push(json!({ "id": id, "verified": true }));
                    set.push(Watch { id, address, length });
                }
                Some(_) => answers.push(unverified(id, "only writes can be stopped at")),
                None => answers.push(unverified(id, "there is no such place in memory")),
            }
        }
        self.watches = set;
        Ok(json!({ "breakpoints": answers }))
    }

    /// The object that a client can look into, by its number.
    pub(super) fn handle(&self, reference: u64) -> Result<Handle, Refused> {
        let index = usize::try_from(reference).ok().and_then(|reference| reference.checked_sub(1));
        match index.and_then(|index| self.handles.get(index)) {
            Some(handle) => Ok(handle.clone()),
            None => refused("that was of another place in the execution"),
        }
    }

    fn datum_in(&self, handle: &Handle, name: &str) -> Option<crate::debug::values::Datum> {
        match handle {
            Handle::Locals(frame) => {
                let (thread, frame) = self.frames.get(*frame)?;
                let locals = self.variables.locals(&self.scene(*thread), frame);
                locals.into_iter().find(|visible| visible.name == name).map(|visible| visible.datum)
            }
            Handle::Globals(thread) => {
                let globals = self.variables.globals(&self.scene(*thread));
                globals.into_iter().find(|visible| visible.name == name).map(|visible| visible.datum)
            }
            Handle::Value(whole, thread, _) => {
                let parts = self.scene(*thread).parts(whole, 0, MOST_CHILDREN);
                parts.into_iter().find(|part| part.name == name).map(|part| part.datum)
            }
            Handle::Buffer(_) | Handle::Locks(_) => None,
        }
    }
}

fn unverified(id: u64, why: &str) -> Value {
    json!({ "id": id, "verified": false, "message": why })
}

/// When a breakpoint counts; the error says why that is no condition.
fn condition_of(wanted: &Value) -> Result<Option<Expression>, String> {
    let text = wanted.get("condition").and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    text.map(|text| expressions::parse(text).map_err(|why| format!("the condition: {why}"))).transpose()
}

fn message_of(wanted: &Value) -> Option<String> {
    wanted.get("logMessage").and_then(Value::as_str).map(str::to_owned)
}

/// The address and length of a place in memory that was reported to the client.
fn place_of(id: &str) -> Option<(u64, u64)> {
    let (address, length) = id.split_once('/')?;
    let address = u64::from_str_radix(address.strip_prefix("0x")?, 16).ok()?;
    let length = length.parse().ok().filter(|length| (1..=MOST_WATCHED).contains(length))?;
    address.checked_add(length)?;
    Some((address, length))
}
