//! Explanations as SARIF 2.1.0: one result a failure, its executions as code flows with a
//! thread flow a thread.

use super::sarif_rules::rule;
use crate::render::sentences;
use crate::text::visible;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;
use symx_trace::explanation::{ExecutedStep, Execution, Explanation, HeldLock, Progress};
use symx_trace::{CallEffect, EventKind, Failure, Location, StackFrame};

/// Where the format is described.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Steps of an execution that are reported at most, besides those that matter: code hosts and editors take no
/// more than some thousands.
const MOST_STEPS: usize = 1_000;

/// The root of relative places in files, as the log calls it.
const ROOT: &str = "%SRCROOT%";

/// The log of one run of symx. Files below `root`, an absolute path, are named relative to it.
pub fn sarif(explanations: &[&Explanation], root: Option<&Path>) -> String {
    let log = Log { root: root.and_then(Path::to_str).filter(|root| root.starts_with('/')) };
    let mut rules: Vec<Value> = Vec::new();
    let results: Vec<Value> = explanations
        .iter()
        .filter_map(|explanation| {
            let failure = explanation.failing.failure.as_ref()?;
            let id = failure.class();
            let number = rules.iter().position(|known| known["id"] == id.as_str()).unwrap_or_else(|| {
                rules.push(rule(failure));
                rules.len() - 1
            });
            Some(log.result(explanation, failure, &id, number))
        })
        .collect();
    let bases =
        log.root.map(|root| json!({ ROOT: { "uri": uri(&format!("{}/", root.trim_end_matches('/'))) } }));
    let mut log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "symx", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    if let Some(bases) = bases {
        log["runs"][0]["originalUriBaseIds"] = bases;
    }
    make_visible(&mut log);
    serde_json::to_string_pretty(&log).expect("plain data encodes into memory")
}

/// Text from outside is only ever a value: keys are the format's own.
fn make_visible(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(shown) = visible(text) {
                *text = shown;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(make_visible),
        Value::Object(fields) => fields.values_mut().for_each(make_visible),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// How places in a log are named.
struct Log<'a> {
    root: Option<&'a str>,
}

impl Log<'_> {
    fn result(&self, explanation: &Explanation, failure: &Failure, id: &str, number: usize) -> Value {
        let essential: BTreeSet<u32> =
            explanation.cause.orders.iter().flat_map(|(earlier, later)| [*earlier, *later]).collect();
        let difference = &explanation.difference;
        let important = difference.failing_steps.iter().copied().collect();
        let mut flows =
            vec![self.code_flow(&explanation.failing, "The failing execution", &essential, &important)];
        flows.extend(explanation.passing.as_ref().map(|passing| {
            let important = difference.passing_steps.iter().copied().collect();
            self.code_flow(passing, "The closest passing execution", &BTreeSet::new(), &important)
        }));
        let stacks: Vec<Value> =
            std::iter::once((explanation.failing.title(&failure.thread), &failure.stack))
                .chain(
                    failure
                        .others
                        .iter()
                        .map(|other| (explanation.failing.title(&other.thread), &other.stack)),
                )
                .filter(|(_, frames)| !frames.is_empty())
                .map(|(title, frames)| self.stack(&title, frames))
                .collect();
        let related: Vec<Value> = failure
            .notes
            .iter()
            .filter(|note| !note.location.file.is_empty())
            .map(|note| self.location(&note.location, Some(&note.message)))
            .collect();
        let place = self.location(&failure.location, None);
        let has_place = !failure.location.file.is_empty();
        json!({
            "ruleId": id,
            "ruleIndex": number,
            "level": "error",
            "message": { "text": message(explanation, failure) },
            "locations": if has_place { vec![place] } else { Vec::new() },
            "relatedLocations": related,
            "codeFlows": flows,
            "stacks": stacks,
            "properties": {
                "program": explanation.program,
                "memoryModel": explanation.memory_model,
                "contextSwitches": explanation.failing.context_switches,
                "preemptions": explanation.failing.preemptions,
                "cause": sentences::orders(explanation),
                "flows": sentences::flows(explanation),
                "remedies": sentences::remedies(explanation),
                "limits": explanation.limits,
            },
        })
    }

    fn code_flow(
        &self,
        execution: &Execution,
        title: &str,
        essential: &BTreeSet<u32>,
        important: &BTreeSet<u32>,
    ) -> Value {
        let first = execution.steps.len().saturating_sub(MOST_STEPS) as u32;
        let title = &match first {
            0 => title.to_owned(),
            first => format!("{title} (of the first {first} steps, only those that matter)"),
        };
        let of_thread = |thread: usize| -> Vec<Value> {
            let steps = (0..).zip(&execution.steps).filter(|(_, step)| step.thread as usize == thread);
            let steps = steps.filter(|(number, _)| {
                *number >= first || essential.contains(number) || important.contains(number)
            });
            steps
                .map(|(number, step)| {
                    let importance = match number {
                        _ if essential.contains(&number) => "essential",
                        _ if important.contains(&number) => "important",
                        _ => "unimportant",
                    };
                    self.thread_location(execution, number, step, importance)
                })
                .collect()
        };
        let flows: Vec<Value> = execution
            .threads
            .iter()
            .enumerate()
            .map(|(thread, lane)| (lane, of_thread(thread)))
            .filter(|(_, locations)| !locations.is_empty())
            .map(|(lane, locations)| {
                json!({
                    "id": lane.name.to_string(),
                    "message": { "text": lane.title() },
                    "locations": locations,
                })
            })
            .collect();
        if flows.is_empty() {
            // A code flow without thread flows is no code flow: the failure itself takes its place.
            let place = execution
                .failure
                .as_ref()
                .map(|failure| self.location(&failure.location, Some(&failure.message)));
            let here = json!({ "location": place.unwrap_or_else(|| json!({})) });
            return json!({ "message": { "text": title }, "threadFlows": [{ "locations": [here] }] });
        }
        json!({ "message": { "text": title }, "threadFlows": flows })
    }

    fn thread_location(
        &self,
        execution: &Execution,
        number: u32,
        step: &ExecutedStep,
        importance: &str,
    ) -> Value {
        let mut state = Map::new();
        let mut note = |name: &str, text: String| {
            if !text.is_empty() {
                state.insert(name.to_owned(), json!({ "text": text }));
            }
        };
        if !step.object.is_empty() {
            note(&step.object, sentences::value(step).to_owned());
        }
        let held: Vec<String> = step.locks.iter().map(HeldLock::title).collect();
        note("locks held", held.join(", "));
        note("stores not in memory yet", step.buffered.join(", "));
        note("reads from", step.reads_from.map(|from| sentences::step(execution, from)).unwrap_or_default());
        let kinds: &[&str] = match &step.kind {
            EventKind::Read | EventKind::Write | EventKind::ReadModifyWrite | EventKind::Commit => {
                &["memory"]
            }
            EventKind::Fence => &["memory", "fence"],
            EventKind::Free => &["memory", "free"],
            EventKind::Failure => &["exit"],
            EventKind::Call(_) => match step.call_effect().unwrap_or_default() {
                CallEffect::ThreadEnd => &["exit"],
                CallEffect::Unlock => &["call", "release", "lock"],
                CallEffect::Lock => &["call", "acquire", "lock"],
                _ => &["call"],
            },
        };
        let mut location = json!({
            "importance": importance,
            "kinds": kinds,
            "location": self.location(sentences::location_of(execution, step), Some(&sentences::action(step))),
            "state": state,
        });
        // A step that was not reached has no place in the order of those that were executed.
        if step.progress != Progress::NotReached {
            location["executionOrder"] = json!(number + 1);
        }
        location
    }

    fn stack(&self, title: &str, frames: &[StackFrame]) -> Value {
        let frames: Vec<Value> = frames
            .iter()
            .map(|frame| json!({ "location": self.location(frame, Some(&frame.function)) }))
            .collect();
        json!({ "message": { "text": title }, "frames": frames })
    }

    fn location(&self, place: &Location, message: Option<&str>) -> Value {
        let mut location = Map::new();
        if !place.file.is_empty() {
            let mut physical = json!({ "artifactLocation": self.artifact(&place.file) });
            if place.line != 0 {
                physical["region"] = json!({ "startLine": place.line });
                if place.column != 0 {
                    physical["region"]["startColumn"] = json!(place.column);
                }
            }
            location.insert("physicalLocation".into(), physical);
        }
        if !place.function.is_empty() {
            location
                .insert("logicalLocations".into(), json!([{ "name": place.function, "kind": "function" }]));
        }
        if let Some(text) = message {
            location.insert("message".into(), json!({ "text": text }));
        }
        Value::Object(location)
    }

    /// A file.
    fn artifact(&self, path: &str) -> Value {
        let below = self.root.and_then(|root| path.strip_prefix(root)?.strip_prefix('/'));
        match below {
            Some(below) => json!({ "uri": uri(below), "uriBaseId": ROOT }),
            None => json!({ "uri": uri(path) }),
        }
    }
}

/// The failure, the cause and the fixes, a sentence each.
fn message(explanation: &Explanation, failure: &Failure) -> String {
    let mut told = vec![sentences::failure(&explanation.failing, failure)];
    let orders = sentences::orders(explanation);
    if !orders.is_empty() {
        told.push(format!("{} {}.", sentences::cause(explanation), orders.join("; ")));
        told.extend(sentences::checked(&explanation.cause));
    }
    told.extend(sentences::in_words(&explanation.cause).map(|orders| format!("The {orders}.")));
    told.extend(sentences::flows(explanation));
    told.extend(sentences::without_orders(explanation.dependence).map(String::from));
    told.extend(sentences::remedies(explanation));
    told.join(" ")
}

/// A path as a URI: relative ones stay so.
fn uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                uri.push(byte.into())
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::example::lost_update;

    #[test]
    fn a_failure_is_a_result_with_a_thread_flow_a_thread() {
        let explanation = lost_update();
        let log: Value = serde_json::from_str(&sarif(&[&explanation, &explanation], None)).unwrap();
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 1);
        assert_eq!(run["results"].as_array().unwrap().len(), 2);
        let result = &run["results"][1];
        assert_eq!((&result["ruleId"], &result["ruleIndex"]), (&json!("assert"), &json!(0)));
        assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 18);
        let flows = result["codeFlows"].as_array().unwrap();
        assert_eq!(flows.len(), 2);
        let threads = flows[0]["threadFlows"].as_array().unwrap();
        let names: Vec<_> = threads.iter().map(|thread| thread["id"].as_str().unwrap()).collect();
        assert_eq!(names, ["0", "0.1", "0.2"]);
        let read = &threads[2]["locations"][0];
        assert_eq!((&read["executionOrder"], &read["importance"]), (&json!(2), &json!("essential")));
        assert_eq!(read["state"]["count"]["text"], "0");
        assert_eq!(read["location"]["message"]["text"], "read count: 0");
    }

    #[test]
    fn files_below_the_root_are_relative_to_it() {
        let mut explanation = lost_update();
        explanation.failing.failure.as_mut().unwrap().location.file = "/home/me/a b/src/count.c".into();
        let at = |root: &str| -> (Value, Value) {
            let log: Value = serde_json::from_str(&sarif(&[&explanation], Some(Path::new(root)))).unwrap();
            let run = &log["runs"][0];
            let file = &run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
            (file.clone(), run["originalUriBaseIds"][ROOT]["uri"].clone())
        };
        let below = json!({ "uri": "src/count.c", "uriBaseId": ROOT });
        assert_eq!(at("/home/me/a b"), (below, json!("file:///home/me/a%20b/")));
        assert_eq!(at("/home/me/a").0, json!({ "uri": "file:///home/me/a%20b/src/count.c" }));
    }

    #[test]
    fn of_long_executions_the_end_and_what_matters_is_reported() {
        let mut explanation = lost_update();
        let filler = ExecutedStep { reads_from: None, ..explanation.failing.steps[0].clone() };
        explanation.failing.steps.extend(std::iter::repeat_n(filler, 2 * MOST_STEPS));
        let log: Value = serde_json::from_str(&sarif(&[&explanation], None)).unwrap();
        let flow = &log["runs"][0]["results"][0]["codeFlows"][0];
        assert!(flow["message"]["text"].as_str().unwrap().contains("of the first 1005 steps"), "{flow}");
        let flows = flow["threadFlows"].as_array().unwrap();
        let count: usize = flows.iter().map(|flow| flow["locations"].as_array().unwrap().len()).sum();
        let matter = explanation.difference.failing_steps.iter().copied();
        let matter: BTreeSet<u32> =
            matter.chain(explanation.cause.orders.iter().flat_map(|(one, other)| [*one, *other])).collect();
        assert_eq!(count, MOST_STEPS + matter.len());
    }

    #[test]
    fn paths_are_uris() {
        assert_eq!(uri("/tmp/a b/ü.c"), "file:///tmp/a%20b/%C3%BC.c");
        assert_eq!(uri("src/a.c"), "src/a.c");
    }

    #[test]
    fn a_failure_without_steps_is_reported_all_the_same() {
        let mut explanation = lost_update();
        explanation = Explanation { passing: None, cause: Default::default(), ..explanation };
        explanation.remedies.clear();
        explanation.difference = Default::default();
        explanation.failing.steps.clear();
        let log: Value = serde_json::from_str(&sarif(&[&explanation], None)).unwrap();
        let flows = &log["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"];
        assert_eq!(flows[0]["locations"].as_array().unwrap().len(), 1);
    }
}
