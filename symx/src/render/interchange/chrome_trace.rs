//! An explanation as Chrome trace events, which Perfetto, chrome://tracing and speedscope read. An execution
//! is a process, a thread a track, a step a short slice. There is a slice around them for each lock held, and
//! arrows for reads-from. Time is the position in the schedule.
//!
//! Steps are slices and no instants, since arrows lead from slice to slice only.

use crate::render::lanes::words;
use crate::render::sentences::{self, location_of, place};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use symx_trace::explanation::{ExecutedStep, Execution, Explanation, HeldLock, Progress};

/// Microseconds from one step to the next.
const STEP: u64 = 10;

/// How much of them a step is drawn over: locks are taken and released between steps.
const DRAWN: u64 = 8;

/// The trace, as JSON.
pub fn chrome_trace(explanation: &Explanation) -> String {
    let difference = &explanation.difference;
    let orders = explanation.cause.orders.iter().flat_map(|(one, other)| [*one, *other]);
    let mut events = Events::default();
    let differing = difference.failing_steps.iter().copied().collect();
    let failing = Marks { title: "failing execution", process: 1, differing, of_cause: orders.collect() };
    events.execution(&explanation.failing, &failing);
    if let Some(passing) = &explanation.passing {
        let differing = difference.passing_steps.iter().copied().collect();
        let of_cause = BTreeSet::new();
        let title = "closest passing execution";
        events.execution(passing, &Marks { title, process: 2, differing, of_cause });
    }
    let trace = json!({
        "displayTimeUnit": "ns",
        "otherData": {
            "producer": concat!("symx ", env!("CARGO_PKG_VERSION")),
            "program": explanation.program,
            "memory model": explanation.memory_model,
            "time": format!("{STEP} microseconds are one step of the schedule"),
        },
        "traceEvents": events.list,
    });
    trace.to_string()
}

/// Distinguishes the steps of an execution.
struct Marks {
    title: &'static str,
    process: u32,
    differing: BTreeSet<u32>,
    of_cause: BTreeSet<u32>,
}

#[derive(Default)]
struct Events {
    list: Vec<Value>,
    /// Arrows so far.
    arrows: u32,
}

impl Events {
    fn execution(&mut self, execution: &Execution, marks: &Marks) {
        let process = marks.process;
        let named = |what: &str, thread: u32, name: &str| json!({ "ph": "M", "name": what, "pid": process, "tid": thread, "args": { "name": name } });
        self.list.push(named("process_name", 0, marks.title));
        for (thread, lane) in (0..).zip(&execution.threads) {
            self.list.push(named("thread_name", thread, &lane.title()));
            self.list.push(json!({
                "ph": "M", "name": "thread_sort_index", "pid": process, "tid": thread,
                "args": { "sort_index": thread },
            }));
            self.locks(execution, process, thread);
        }
        for (number, step) in (0..).zip(&execution.steps) {
            if step.progress != Progress::NotReached {
                self.step(execution, number, step, marks);
            }
        }
        if let Some(failure) = &execution.failure {
            let thread = execution.threads.iter().position(|lane| lane.name == failure.thread);
            self.list.push(json!({
                "ph": "i", "s": "p", "cat": "failure", "name": crate::text::one_line(&failure.message),
                "pid": process, "tid": thread.unwrap_or(0), "ts": end(execution),
                "args": { "place": place(&failure.location) },
            }));
        }
    }

    fn step(&mut self, execution: &Execution, number: u32, step: &ExecutedStep, marks: &Marks) {
        let begin = at(number);
        let is_stuck = step.progress == Progress::Waits;
        let drawn = if is_stuck { end(execution) - begin } else { DRAWN };
        self.list.push(json!({
            "ph": "X", "cat": if is_stuck { "blocked" } else { "step" }, "name": words(step),
            "pid": marks.process, "tid": step.thread, "ts": begin, "dur": drawn,
            "args": {
                "step": number + 1,
                "place": place(location_of(execution, step)),
                "object": &*step.object,
                "value": sentences::value(step),
                "locks held": step.locks.iter().map(HeldLock::title).collect::<Vec<_>>(),
                "stores in the buffer": step.buffered,
                "differs": marks.differing.contains(&number),
                "root cause": marks.of_cause.contains(&number),
            },
        }));
        let arrows = [("reads-from", step.reads_from), ("store buffer", step.issued_by)];
        for (category, from) in arrows {
            let Some(from) = from else { continue };
            self.arrows += 1;
            let ends = [("s", from), ("f", number)];
            for (phase, step) in ends {
                self.list.push(json!({
                    "ph": phase, "bp": "e", "cat": category, "name": category, "id": self.arrows,
                    "pid": marks.process, "tid": execution.steps[step as usize].thread,
                    "ts": at(step) + DRAWN / 2,
                }));
            }
        }
    }

    /// The critical sections of a thread. Slices of a track are nested. Where locks are not given back in the
    /// opposite order, those still held go on in a slice of their own.
    fn locks(&mut self, execution: &Execution, process: u32, thread: u32) {
        let steps = (0..).zip(&execution.steps).filter(|(_, step)| step.thread == thread);
        let first = self.list.len();
        let mut held: Vec<(&HeldLock, u64)> = Vec::new();
        let mut after = 0;
        for (number, step) in steps {
            // A lock that is held here and was not before was taken by the step before. A lock that is not
            // held any more was given back by it.
            self.release(&mut held, |lock| step.holds(lock.part()), after, process, thread);
            for lock in &step.locks {
                if !held.iter().any(|(it, _)| it.part() == lock.part()) {
                    held.push((lock, after));
                }
            }
            after = at(number) + DRAWN;
        }
        self.release(&mut held, |_| false, end(execution), process, thread);
        // Of slices that begin together, readers take the first for the outer one.
        let number = |slice: &Value, what: &str| slice[what].as_u64().unwrap_or(0);
        self.list[first..].sort_by_key(|slice| (number(slice, "ts"), Reverse(number(slice, "dur"))));
    }

    fn release(
        &mut self,
        held: &mut Vec<(&HeldLock, u64)>,
        stays: impl Fn(&HeldLock) -> bool,
        now: u64,
        process: u32,
        thread: u32,
    ) {
        let Some(first) = held.iter().position(|(lock, _)| !stays(lock)) else { return };
        for (lock, since) in &held[first..] {
            self.list.push(json!({
                "ph": "X", "cat": "lock", "name": format!("holds {}", lock.title()), "pid": process, "tid": thread,
                "ts": since, "dur": now - since,
            }));
        }
        held.retain(|(lock, _)| stays(lock));
        held[first..].iter_mut().for_each(|(_, since)| *since = now);
    }
}

fn at(step: u32) -> u64 {
    u64::from(step) * STEP
}

fn end(execution: &Execution) -> u64 {
    at(execution.steps.len() as u32) + STEP
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::example::lost_update;
    use symx_trace::EventKind;

    fn events(explanation: &Explanation) -> Vec<Value> {
        let trace: Value = serde_json::from_str(&chrome_trace(explanation)).unwrap();
        trace["traceEvents"].as_array().unwrap().clone()
    }

    fn of<'e>(events: &'e [Value], phase: &str, category: &str) -> Vec<&'e Value> {
        events.iter().filter(|event| event["ph"] == phase && event["cat"] == category).collect()
    }

    #[test]
    fn a_thread_is_a_track_and_a_step_a_slice() {
        let events = events(&lost_update());
        let titles: Vec<_> = events.iter().filter(|event| event["name"] == "thread_name").collect();
        assert_eq!(titles.len(), 6);
        assert_eq!((&titles[1]["args"]["name"], &titles[1]["tid"]), (&json!("T1 add"), &json!(1)));
        let steps = of(&events, "X", "step");
        assert_eq!(steps.len(), 10);
        assert_eq!((&steps[1]["name"], &steps[1]["tid"]), (&json!("reads count = 0"), &json!(2)));
        assert_eq!((&steps[1]["ts"], &steps[1]["args"]["root cause"]), (&json!(10), &json!(true)));
        let failures = of(&events, "i", "failure");
        assert_eq!(failures.len(), 1);
        // Of the failing execution one read sees a write, of the passing one two.
        let (from, to) = (of(&events, "s", "reads-from"), of(&events, "f", "reads-from"));
        assert_eq!((from.len(), to.len()), (3, 3));
        assert_eq!((&from[0]["id"], &from[0]["ts"], &to[0]["ts"]), (&json!(1), &json!(34), &json!(44)));
    }

    /// Lock a, lock b, give a back, give b back.
    #[test]
    fn locks_that_are_not_nested_are_slices_that_are() {
        let mut explanation = lost_update();
        let step = explanation.failing.steps[0].clone();
        let locks: [&[&str]; 5] = [&[], &["a"], &["a", "b"], &["b"], &[]];
        explanation.failing.steps = locks
            .iter()
            .map(|locks| ExecutedStep {
                kind: EventKind::Write,
                reads_from: None,
                locks: locks.iter().copied().map(Into::into).collect(),
                ..step.clone()
            })
            .collect();
        let events = events(&explanation);
        let slices: Vec<_> = of(&events, "X", "lock")
            .iter()
            .map(|slice| {
                (slice["name"].as_str().unwrap(), slice["ts"].as_u64().unwrap(), slice["dur"].as_u64())
            })
            .collect();
        let expected = [("holds a", 8, Some(20)), ("holds b", 18, Some(10)), ("holds b", 28, Some(10))];
        assert_eq!(slices, expected);
    }
}
