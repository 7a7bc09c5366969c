//! Witnesses in YAML: a sequence of places that leads to a violation, or a set of invariants.

use super::{PRODUCER, Stop, Witness};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
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
    value: &'static str,
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
    let mut content = Vec::new();
    let stops: Vec<_> = witness.failing.map(|execution| witness.stops(execution)).unwrap_or_default();
    let targets: Vec<_> = witness.failing.map(|execution| witness.targets(execution)).unwrap_or_default();
    for stop in stops.iter().filter(|_| threads > 1) {
        // Whatever the values: the thread comes there.
        let anything = Constraint { value: "1", format: "c_expression" };
        content.push(Segment { segment: vec![item(witness, threads, ("assumption", Some(anything)), stop)] });
    }
    if !targets.is_empty() {
        content.push(Segment {
            segment: targets.iter().map(|target| item(witness, threads, ("target", None), target)).collect(),
        });
    }
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

/// A place that a thread comes to, and what holds there.
fn item<'a>(
    witness: &Witness<'a>,
    threads: usize,
    (kind, constraint): (&'static str, Option<Constraint>),
    stop: &Stop<'a>,
) -> Item<'a> {
    let location = place(witness, stop);
    let thread_id = (threads > 1).then_some(stop.thread);
    Item { waypoint: Waypoint { kind, action: "follow", thread_id, constraint, location } }
}

fn place<'a>(witness: &Witness<'a>, stop: &Stop<'a>) -> Place<'a> {
    let location = stop.location;
    Place {
        file_name: witness.source,
        line: location.line,
        column: (location.column != 0).then_some(location.column),
        function: &location.function,
    }
}
