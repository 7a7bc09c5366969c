//! A schedule folded into segments: what one thread, or its store buffer, did without a break.

use std::fmt;
use symx_trace::{Event, EventKind, Location, ThreadName, Trace};

/// Consecutive events of one thread, or consecutive commits of its store buffer.
#[derive(Clone, PartialEq, Debug)]
pub struct Segment {
    /// The name of the thread for people.
    thread: String,
    /// Whether these are commits of its store buffer.
    commits: bool,
    /// Where the program is in the first event.
    first: Location,
    /// Where the last one is.
    last: Location,
    /// How many events.
    events: usize,
    /// Objects committed.
    objects: Vec<String>,
}

/// Folds the events of a trace, whose threads have these titles.
pub fn segments(trace: &Trace, title: impl Fn(&ThreadName) -> String) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    for event in &trace.events {
        let thread = trace.threads.get(event.agent.thread().index());
        let thread = thread.map_or_else(|| format!("#{}", event.agent.thread().0), &title);
        let commits = event.agent.is_buffer();
        match segments.last_mut() {
            Some(last) if last.thread == thread && last.commits == commits => last.take(event),
            _ => {
                let mut segment = Segment {
                    thread,
                    commits,
                    first: Location::default(),
                    last: Location::default(),
                    events: 0,
                    objects: Vec::new(),
                };
                segment.take(event);
                segments.push(segment);
            }
        }
    }
    segments
}

impl Segment {
    /// The same with other names of files.
    pub fn with_files(mut self, name: impl Fn(&str) -> String) -> Self {
        self.first.file = name(&self.first.file);
        self.last.file = name(&self.last.file);
        self
    }

    fn take(&mut self, event: &Event) {
        self.events += 1;
        let location = event.called_from.as_ref().unwrap_or(&event.location);
        if location.line != 0 {
            if self.first.line == 0 {
                self.first = location.clone();
            }
            self.last = location.clone();
        }
        if event.kind == EventKind::Commit
            && !event.object.is_empty()
            && !self.objects.contains(&event.object)
        {
            self.objects.push(event.object.clone());
        }
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.commits {
            write!(out, "the store buffer of {} reaches memory", self.thread)?;
            if !self.objects.is_empty() {
                write!(out, ": {}", self.objects.join(", "))?;
            }
            return Ok(());
        }
        write!(out, "{}", self.thread)?;
        let (first, last) = (&self.first, &self.last);
        if first.line == 0 {
            write!(out, " runs")?;
        } else if (&first.file, first.line) == (&last.file, last.line) {
            write!(out, " at {}:{} in {}", first.file, first.line, first.function)?;
        } else if first.file == last.file {
            write!(out, " from {}:{} in {} to line {}", first.file, first.line, first.function, last.line)?;
            if first.function != last.function {
                write!(out, " in {}", last.function)?;
            }
        } else {
            write!(out, " from {}:{} in {}", first.file, first.line, first.function)?;
            write!(out, " to {}:{} in {}", last.file, last.line, last.function)?;
        }
        match self.events {
            1 => write!(out, " (1 step)"),
            events => write!(out, " ({events} steps)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_trace::{Agent, ThreadId};

    fn event(agent: Agent, kind: EventKind, line: u32) -> Event {
        let location = Location { file: "a.c".into(), line, column: 1, function: "work".into() };
        Event {
            agent,
            kind,
            footprint: Default::default(),
            value: String::new(),
            location,
            called_from: None,
            object: "`x`".into(),
        }
    }

    #[test]
    fn a_step_of_a_library_is_where_the_program_called_it() {
        let main = Agent::Thread(ThreadId(0));
        let caller = Location { file: "b.c".into(), line: 7, column: 1, function: "main".into() };
        let called = Event { called_from: Some(caller), ..event(main, EventKind::Write, 3) };
        let trace = Trace { threads: vec![ThreadName::main()], events: vec![called], ..Trace::default() };
        assert_eq!(segments(&trace, ThreadName::label)[0].to_string(), "T0 at b.c:7 in main (1 step)");
    }

    #[test]
    fn consecutive_events_of_a_thread_are_one_segment() {
        let (main, child) = (Agent::Thread(ThreadId(0)), Agent::Thread(ThreadId(1)));
        let buffer = Agent::Buffer { thread: ThreadId(1), lane: 0 };
        let trace = Trace {
            threads: vec![ThreadName::main(), ThreadName::main().child(1)],
            events: vec![
                event(main, EventKind::Write, 3),
                event(main, EventKind::Read, 5),
                event(child, EventKind::Write, 9),
                event(buffer, EventKind::Commit, 0),
                event(buffer, EventKind::Commit, 0),
                event(main, EventKind::Read, 6),
            ],
            ..Trace::default()
        };
        let lines: Vec<String> =
            segments(&trace, ThreadName::label).iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "T0 from a.c:3 in work to line 5 (2 steps)",
                "T1 at a.c:9 in work (1 step)",
                "the store buffer of T1 reaches memory: `x`",
                "T0 at a.c:6 in work (1 step)",
            ]
        );
    }

    #[test]
    fn events_without_position_do_not_hide_those_with_one() {
        let main = Agent::Thread(ThreadId(0));
        let events = vec![event(main, EventKind::Write, 0), event(main, EventKind::Read, 5)];
        let trace = Trace { threads: vec![ThreadName::main()], events, ..Trace::default() };
        assert_eq!(segments(&trace, ThreadName::label)[0].to_string(), "T0 at a.c:5 in work (2 steps)");
    }
}
