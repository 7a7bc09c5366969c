//! Witnesses in YAML: a sequence of places that leads to a violation, or a set of invariants.

use super::{PRODUCER, Stop, Witness};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use symx_trace::Location;
use symx_trace::explanation::{Execution, ReturnedInput};
use uuid::Uuid;

#[derive(Serialize)]
struct Entry<'a> {
    entry_type: &'static str,
    metadata: Metadata<'a>,
    content: Vec<Segment<'a>>,
}

#[derive(Serialize)]
struct Metadata<'a> {
    format_version: &'static str,
    uuid: String,
    creation_time: &'a str,
    producer: Producer,
    task: Task<'a>,
}

#[derive(Serialize)]
struct Producer {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Task<'a> {
    input_files: [&'a str; 1],
    input_file_hashes: BTreeMap<&'a str, &'a str>,
    specification: &'a str,
    data_model: &'static str,
    language: &'static str,
}

#[derive(Serialize)]
struct Segment<'a> {
    segment: Vec<Item<'a>>,
}

#[derive(Serialize)]
struct Item<'a> {
    waypoint: Waypoint<'a>,
}

#[derive(Serialize)]
struct Waypoint<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    constraint: Option<Constraint>,
    location: Place<'a>,
}

#[derive(Serialize)]
struct Constraint {
    value: String,
    format: &'static str,
}

#[derive(Serialize)]
struct Place<'a> {
    file_name: &'a str,
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "str::is_empty")]
    function: &'a str,
}

/// The witness as YAML. The same witness has the same identifier.
pub fn yaml(witness: &Witness<'_>) -> String {
    let threads = witness.failing.map_or(0, |execution| execution.threads.len());
    let content = witness.failing.map(|execution| content(witness, execution)).unwrap_or_default();
    let digest = Sha256::digest([witness.hash, witness.specification, witness.created].join("\n"));
    let bytes: [u8; 16] = std::array::from_fn(|at| digest[at]);
    let entry = Entry {
        entry_type: if witness.failing.is_some() { "violation_sequence" } else { "invariant_set" },
        metadata: Metadata {
            format_version: if threads > 1 { "2.2" } else { "2.0" },
            uuid: Uuid::new_v8(bytes).to_string(),
            creation_time: witness.created,
            producer: Producer { name: PRODUCER, version: env!("CARGO_PKG_VERSION") },
            task: Task {
                input_files: [witness.source],
                input_file_hashes: BTreeMap::from([(witness.source, witness.hash)]),
                specification: witness.specification,
                data_model: "LP64",
                language: "C",
            },
        },
        content,
    };
    serde_saphyr::to_string(&[entry]).expect("plain data encodes into memory")
}

/// The segments of a violation: one for each stop that the format can express, and the final one.
fn content<'a>(witness: &Witness<'a>, execution: &'a Execution) -> Vec<Segment<'a>> {
    let has_threads = execution.threads.len() > 1;
    let thread_id = |stop: &Stop<'_>| has_threads.then_some(stop.thread);
    let mut content = Vec::new();
    for stop in witness.stops(execution) {
        let waypoint = match stop.returned {
            Some(input) => value(witness, input),
            // Whatever the values: the thread comes there.
            None if has_threads => Some(Waypoint {
                kind: "assumption",
                action: "follow",
                thread_id: None,
                constraint: Some(Constraint { value: "1".into(), format: "c_expression" }),
                location: statement(witness, stop.location),
            }),
            None => None,
        };
        let waypoint = waypoint.map(|waypoint| Waypoint { thread_id: thread_id(&stop), ..waypoint });
        content.extend(waypoint.map(|waypoint| Segment { segment: vec![Item { waypoint }] }));
    }
    let target = |stop: Stop<'a>| Waypoint {
        kind: "target",
        action: "follow",
        thread_id: thread_id(&stop),
        constraint: None,
        location: statement(witness, stop.location),
    };
    let targets = witness.targets(execution).into_iter();
    let segment: Vec<_> = targets.map(|stop| Item { waypoint: target(stop) }).collect();
    content.extend((!segment.is_empty()).then_some(Segment { segment }));
    content
}

/// The value that a call returns: its waypoint is the closing parenthesis. One that a macro calls has none.
fn value<'a>(witness: &Witness<'a>, input: &'a ReturnedInput) -> Option<Waypoint<'a>> {
    let at = &input.location;
    let (line, column) = witness.text.end_of_call(witness.line(at), at.column, &input.function)?;
    Some(Waypoint {
        kind: "function_return",
        action: "follow",
        thread_id: None,
        constraint: Some(Constraint {
            value: format!("\\result == {}", input.input.decimal()?),
            format: "acsl_expression",
        }),
        location: Place { file_name: witness.source, line, column: Some(column), function: &at.function },
    })
}

/// A place in a statement: its column is known if the statement begins there.
fn statement<'a>(witness: &Witness<'a>, at: &'a Location) -> Place<'a> {
    let line = witness.line(at);
    let column = witness.text.statement(line, at.column);
    Place { file_name: witness.source, line, column, function: &at.function }
}
