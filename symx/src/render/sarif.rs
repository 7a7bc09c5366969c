//! Explanations as SARIF 2.1.0: one result a failure, its executions as code flows with a thread flow a thread.

use super::sentences;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use symx_trace::explanation::{ExecutedStep, Execution, Explanation};
use symx_trace::{EventKind, Failure, Location, StackFrame};

/// Where the format is described.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The log of one run of symx.
pub fn sarif(explanations: &[&Explanation]) -> String {
    let mut rules: Vec<String> = Vec::new();
    let results: Vec<Value> = explanations
        .iter()
        .filter_map(|explanation| {
            let failure = explanation.failing.failure.as_ref()?;
            let id = rule(failure);
            let number = rules.iter().position(|known| *known == id).unwrap_or_else(|| {
                rules.push(id.clone());
                rules.len() - 1
            });
            Some(result(explanation, failure, &id, number))
        })
        .collect();
    let rules: Vec<Value> = rules.iter().map(|id| json!({ "id": id })).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "symx", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&log).expect("plain data encodes into memory")
}

fn rule(failure: &Failure) -> String {
    match failure.detail.as_str() {
        "" => failure.kind.name().to_owned(),
        detail => format!("{}/{detail}", failure.kind.name()),
    }
}

fn result(explanation: &Explanation, failure: &Failure, id: &str, number: usize) -> Value {
    let essential: BTreeSet<u32> =
        explanation.cause.orders.iter().flat_map(|(earlier, later)| [*earlier, *later]).collect();
    let difference = &explanation.difference;
    let important = difference.failing_steps.iter().copied().collect();
    let mut flows = vec![code_flow(&explanation.failing, "The failing schedule", &essential, &important)];
    flows.extend(explanation.alternate.as_ref().map(|alternate| {
        let important = difference.alternate_steps.iter().copied().collect();
        code_flow(alternate, "The nearest schedule found that does not fail", &BTreeSet::new(), &important)
    }));
    let stacks: Vec<Value> = std::iter::once((format!("thread {}", failure.thread), &failure.stack))
        .chain(failure.others.iter().map(|other| (format!("thread {}", other.thread), &other.stack)))
        .filter(|(_, frames)| !frames.is_empty())
        .map(|(title, frames)| stack(&title, frames))
        .collect();
    let related: Vec<Value> = failure
        .notes
        .iter()
        .filter(|note| !note.location.file.is_empty())
        .map(|note| location(&note.location, Some(&note.message)))
        .collect();
    let place = location(&failure.location, None);
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

/// The failure, the cause and the remedies, a sentence each.
fn message(explanation: &Explanation, failure: &Failure) -> String {
    let mut told = vec![sentences::failure(failure)];
    let orders = sentences::orders(explanation);
    if !orders.is_empty() {
        told.push(format!("{} {}.", sentences::cause(explanation), orders.join("; ")));
    }
    told.extend(sentences::flows(explanation));
    told.extend(sentences::without_orders(explanation.dependence).map(String::from));
    told.extend(sentences::remedies(explanation));
    told.join(" ")
}

fn code_flow(
    execution: &Execution,
    title: &str,
    essential: &BTreeSet<u32>,
    important: &BTreeSet<u32>,
) -> Value {
    let of_thread = |thread: usize| -> Vec<Value> {
        let steps = (0..).zip(&execution.steps).filter(|(_, step)| step.thread as usize == thread);
        steps
            .map(|(number, step)| {
                let importance = match number {
                    _ if essential.contains(&number) => "essential",
                    _ if important.contains(&number) => "important",
                    _ => "unimportant",
                };
                thread_location(execution, number, step, importance)
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
            let title = format!("Thread {} {}", lane.name, lane.function);
            json!({
                "id": lane.name.to_string(),
                "message": { "text": title.trim_end() },
                "locations": locations,
            })
        })
        .collect();
    if flows.is_empty() {
        // A code flow without thread flows is no code flow: the failure itself stands for it.
        let place =
            execution.failure.as_ref().map(|failure| location(&failure.location, Some(&failure.message)));
        let here = json!({ "location": place.unwrap_or_else(|| json!({})) });
        return json!({ "message": { "text": title }, "threadFlows": [{ "locations": [here] }] });
    }
    json!({ "message": { "text": title }, "threadFlows": flows })
}

fn thread_location(execution: &Execution, number: u32, step: &ExecutedStep, importance: &str) -> Value {
    let mut state = Map::new();
    let mut note = |name: &str, text: String| {
        if !text.is_empty() {
            state.insert(name.to_owned(), json!({ "text": text }));
        }
    };
    if !step.object.is_empty() {
        note(&step.object, step.value.clone());
    }
    note("locks held", step.locks.join(", "));
    note("stores not in memory yet", step.buffered.join(", "));
    note("reads from", step.reads_from.map(|from| sentences::step(execution, from)).unwrap_or_default());
    let kinds: &[&str] = match &step.kind {
        EventKind::Read | EventKind::Write | EventKind::ReadModifyWrite | EventKind::Commit => &["memory"],
        EventKind::Fence => &["memory", "fence"],
        EventKind::Free => &["memory", "free"],
        EventKind::Call(name) if name == "thread entry" => &["exit"],
        EventKind::Call(name) if name.ends_with("unlock") => &["call", "release", "lock"],
        EventKind::Call(name) if name.ends_with("lock") => &["call", "acquire", "lock"],
        EventKind::Call(_) => &["call"],
    };
    json!({
        "executionOrder": number + 1,
        "importance": importance,
        "kinds": kinds,
        "location": location(sentences::location_of(execution, step), Some(&sentences::action(step))),
        "state": state,
    })
}

fn stack(title: &str, frames: &[StackFrame]) -> Value {
    let frames: Vec<Value> =
        frames.iter().map(|frame| json!({ "location": location(frame, Some(&frame.function)) })).collect();
    json!({ "message": { "text": title }, "frames": frames })
}

fn location(place: &Location, message: Option<&str>) -> Value {
    let mut location = Map::new();
    if !place.file.is_empty() {
        let mut physical = json!({ "artifactLocation": { "uri": uri(&place.file) } });
        if place.line != 0 {
            physical["region"] = json!({ "startLine": place.line });
            if place.column != 0 {
                physical["region"]["startColumn"] = json!(place.column);
            }
        }
        location.insert("physicalLocation".into(), physical);
    }
    if !place.function.is_empty() {
        location.insert("logicalLocations".into(), json!([{ "name": place.function, "kind": "function" }]));
    }
    if let Some(text) = message {
        location.insert("message".into(), json!({ "text": text }));
    }
    Value::Object(location)
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
    use super::super::example::lost_update;
    use super::*;

    #[test]
    fn a_failure_is_a_result_with_a_thread_flow_a_thread() {
        let explanation = lost_update();
        let log: Value = serde_json::from_str(&sarif(&[&explanation, &explanation])).unwrap();
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
    fn paths_are_uris() {
        assert_eq!(uri("/tmp/a b/ü.c"), "file:///tmp/a%20b/%C3%BC.c");
        assert_eq!(uri("src/a.c"), "src/a.c");
    }

    #[test]
    fn a_failure_without_steps_is_told_all_the_same() {
        let mut explanation = lost_update();
        explanation = Explanation { alternate: None, cause: Default::default(), ..explanation };
        explanation.remedies.clear();
        explanation.difference = Default::default();
        explanation.failing.steps.clear();
        let log: Value = serde_json::from_str(&sarif(&[&explanation])).unwrap();
        let flows = &log["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"];
        assert_eq!(flows[0]["locations"].as_array().unwrap().len(), 1);
    }
}
