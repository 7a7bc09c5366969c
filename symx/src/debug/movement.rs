//! Going about in the execution.

use crate::debug::frames::frames;
use crate::debug::inspection::step_to;
use crate::debug::protocol::Request;
use crate::debug::session::{Refused, Session, refused};
use crate::debug::stops::{Goal, Reason, ReasonKind, Stops};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::sync::atomic::Ordering;
use symx_interp::environment::Environment;
use symx_interp::state::End;
use symx_posix_explore::{Position, TimelineError};
use symx_trace::ThreadId;

/// Places on a line that a client may choose from.
const MOST_TARGETS: usize = 100;

/// A way to go.
struct Way {
    goal: Goal,
    is_backwards: bool,
    /// Whether breakpoints on the way count.
    stops: bool,
}

impl<W: Write> Session<'_, '_, W> {
    /// Answers a request that moves, and goes.
    pub(super) fn go(&mut self, request: &Request) -> io::Result<()> {
        let went = match self.begin_to_go(request) {
            Ok(way) => {
                let body = match request.command.as_str() {
                    "continue" | "reverseContinue" => json!({ "allThreadsContinued": true }),
                    "evaluate" => json!({ "result": "", "variablesReference": 0 }),
                    _ => Value::Null,
                };
                self.client.answer(request, &body)?;
                way
            }
            Err(Refused(why)) => return self.client.refuse(request, &why),
        };
        self.forget_handles();
        let stopped = match went {
            To::Place(position, kind) => self.go_to(position, kind),
            To::Way(way) => self.go_along(&way),
        };
        match stopped {
            Ok(reason) => self.stop(reason),
            Err(lost) => self.console("stderr", &format!("symx: {lost}\n")),
        }
    }

    /// The place that a request asks to reach.
    fn begin_to_go(&mut self, request: &Request) -> Result<To, Refused> {
        let is_back = matches!(request.command.as_str(), "stepBack" | "reverseContinue");
        let is_instruction = request.text("granularity") == Some("instruction");
        let along = |goal| Ok(To::Way(Way { goal, is_backwards: is_back, stops: true }));
        match request.command.as_str() {
            "configurationDone" if self.stops_on_entry => {
                Ok(To::Place(self.first_line_of_main().unwrap_or_default(), ReasonKind::Entry))
            }
            "configurationDone" | "continue" | "reverseContinue" => along(Goal::End),
            "restart" => {
                self.shown_output = 0;
                self.cursor.go_to(Position::default())?;
                match self.stops_on_entry {
                    true => Ok(To::Place(self.first_line_of_main().unwrap_or_default(), ReasonKind::Entry)),
                    false => along(Goal::End),
                }
            }
            "next" | "stepIn" | "stepOut" | "stepBack" => {
                let thread = self.thread(request)?;
                // A thread that is not in the program's own code yet comes there.
                let own = frames(self.cursor.executor(), self.cursor.state(), thread)
                    .iter()
                    .find(|frame| frame.is_own)
                    .map_or(usize::MAX, |frame| frame.depth);
                along(match request.command.as_str() {
                    "next" | "stepIn" | "stepBack" if is_instruction => Goal::Instruction(thread),
                    "stepIn" => Goal::Line(thread, usize::MAX),
                    "stepOut" => Goal::Out(thread, own),
                    _ => Goal::Line(thread, own),
                })
            }
            "restartFrame" => {
                let (thread, frame) = self.frame(request.number("frameId"))?;
                let Some(frame) = frame else { return refused("that frame cannot be restarted") };
                let goal = Goal::Beginning(thread, frame.depth);
                Ok(To::Way(Way { goal, is_backwards: true, stops: false }))
            }
            "goto" => {
                let target = request.number("targetId").and_then(|target| usize::try_from(target).ok());
                let known = target.and_then(|target| self.targets.get(target.checked_sub(1)?));
                match known {
                    Some(position) => Ok(To::Place(*position, ReasonKind::Goto)),
                    None => refused("there is no such place to go to"),
                }
            }
            "evaluate" => {
                let step = request.text("expression").and_then(step_to);
                match step.filter(|step| *step <= self.cursor.timeline().steps()) {
                    Some(step) => Ok(To::Place(Position::before(step), ReasonKind::Goto)),
                    None => refused(format!("the execution has {} steps", self.cursor.timeline().steps())),
                }
            }
            other => refused(format!("`{other}` is not supported")),
        }
    }

    /// Where `main` begins.
    fn first_line_of_main(&mut self) -> Option<Position> {
        let here = self.cursor.position();
        let line = self.lines.functions_named("main").first().copied();
        let line = line.and_then(|main| self.lines.of(main, self.lines.entry(main)?))?;
        self.cursor.go_to(Position::default()).ok()?;
        let mut stops =
            Stops::new(&self.variables, &self.names, &self.lines, Goal::On(line), self.interrupted);
        let found = self.cursor.forwards(&mut stops);
        let position = self.cursor.position();
        let came_back = self.cursor.go_to(here);
        (found == Ok(true) && came_back.is_ok()).then_some(position)
    }

    fn go_to(&mut self, position: Position, kind: ReasonKind) -> Result<Reason, TimelineError> {
        self.cursor.go_to(position)?;
        Ok(self.at_rest(kind))
    }

    /// Stopped for no breakpoint: at the failure, or because of this.
    fn at_rest(&self, kind: ReasonKind) -> Reason {
        let thread = self.present_thread();
        let (kind, text) = match (&self.cursor.state().end, self.failure()) {
            (Some(_), Some(failure)) => (ReasonKind::Exception, Some(failure.message.clone())),
            (Some(End::Exit(exit)), None) => {
                (kind, Some(format!("the program exits with status {}", exit.status)))
            }
            _ => (kind, None),
        };
        Reason { kind, text, thread, breakpoints: Vec::new() }
    }

    fn go_along(&mut self, way: &Way) -> Result<Reason, TimelineError> {
        let breakpoints = match way.stops {
            true => self.line_breakpoints.values().flatten().chain(&self.function_breakpoints).collect(),
            false => Vec::new(),
        };
        let watches = if way.stops { &self.watches[..] } else { &[] };
        let mut stops = Stops::new(&self.variables, &self.names, &self.lines, way.goal, self.interrupted)
            .at(breakpoints, watches)
            .backwards(way.is_backwards);
        let found = match way.is_backwards {
            true => self.cursor.backwards(&mut stops)?,
            false => self.cursor.forwards(&mut stops)?,
        };
        let messages = std::mem::take(&mut stops.messages);
        let reason = stops.reasons.remove(&self.cursor.position()).filter(|_| found);
        for message in messages {
            // A client that cannot be written to is met at the next answer.
            let _ = self.console("console", &format!("{message}\n"));
        }
        Ok(match reason {
            Some(reason) => reason,
            None if self.interrupted.load(Ordering::Relaxed) => self.at_rest(ReasonKind::Pause),
            None if way.is_backwards => Reason {
                text: Some("the beginning of the execution".into()),
                ..self.at_rest(ReasonKind::Entry)
            },
            None => self.at_rest(ReasonKind::Step),
        })
    }

    /// Reports to the client where and why it has stopped.
    fn stop(&mut self, reason: Reason) -> io::Result<()> {
        self.show_output()?;
        let step = self.cursor.position().step;
        let place = format!("step {step} of {}", self.cursor.timeline().steps());
        let description = match reason.kind {
            ReasonKind::Exception => "Failure".to_owned(),
            ReasonKind::Entry => format!("Beginning, {place}"),
            _ => match &reason.text {
                Some(text) => format!("{text} ({place})"),
                None => format!("Stopped at {place}"),
            },
        };
        let body = json!({
            "reason": reason.kind.word(),
            "description": description,
            "text": reason.text,
            "threadId": reason.thread.0 + 1,
            "allThreadsStopped": true,
            "hitBreakpointIds": reason.breakpoints,
        });
        self.client.tell("stopped", &body)
    }

    /// Shows what the program has written so far and the client has not seen.
    fn show_output(&mut self) -> io::Result<()> {
        let executor = self.cursor.executor();
        let machine = executor.machine;
        let written = machine.environment.standard_output(&self.cursor.state().data);
        let assignment = machine.options.assignment.clone().unwrap_or_default();
        let written = written.under(&machine.terms, &assignment);
        let new = written.get(self.shown_output..).map(|new| String::from_utf8_lossy(new).into_owned());
        match new.filter(|new| !new.is_empty()) {
            Some(new) => {
                self.shown_output = written.len();
                self.console("stdout", &new)
            }
            None => Ok(()),
        }
    }

    fn console(&mut self, category: &str, text: &str) -> io::Result<()> {
        self.client.tell("output", &json!({ "category": category, "output": text }))
    }

    /// The places at which a thread reaches a line, in their order.
    pub(super) fn goto_targets(&mut self, request: &Request) -> Result<Value, Refused> {
        let source = request.arguments.get("source").and_then(|source| source.get("path"));
        let line = request.number("line").and_then(|line| u32::try_from(line).ok());
        let (Some(path), Some(line)) = (source.and_then(Value::as_str), line) else {
            return refused("a source with a path and a line are needed");
        };
        let Some(line) = self.lines.resolve(path, line).first().copied() else {
            return refused("no code of the program is there");
        };
        let here = self.cursor.position();
        self.cursor.go_to(Position::default())?;
        self.targets.clear();
        let mut shown = Vec::new();
        while shown.len() < MOST_TARGETS {
            let mut stops =
                Stops::new(&self.variables, &self.names, &self.lines, Goal::On(line), self.interrupted);
            if !self.cursor.forwards(&mut stops)? {
                break;
            }
            let position = self.cursor.position();
            let thread = self.present_thread();
            self.targets.push(position);
            let label = self.label(position, thread);
            shown.push(json!({ "id": self.targets.len(), "label": label, "line": line.line }));
        }
        self.cursor.go_to(here)?;
        Ok(json!({ "targets": shown }))
    }

    fn label(&self, position: Position, thread: ThreadId) -> String {
        format!("step {}, {}", position.step, self.cursor.executor().title(self.cursor.state(), thread))
    }
}

/// Where to go.
enum To {
    /// To a known place, for this reason.
    Place(Position, ReasonKind),
    /// To what is met on a way.
    Way(Way),
}
